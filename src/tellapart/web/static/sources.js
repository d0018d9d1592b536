// @ts-check
// Where ratings come from: files, the example, or typed counts. They stay in memory, so Back finds them again.

import { $, make } from "./dom.js";
import { ask, complain } from "./server.js";
import { mark, state } from "./address.js";
import { fill } from "./tables.js";
import { cell } from "./words.js";

/** @typedef {{ parts: Blob[], names: string[], labels: any, from: string }} Data */
/** @type {Data | null} */
export let data = null;
/** @type {Map<string, Data>} */
const kept = new Map();
/** @type {((restored: boolean) => void)[]} */
const takers = [];
/** @param {(restored: boolean) => void} taker */
export const whenTaken = (taker) => { takers.push(taker); };

/** What is sent. @param {Data} given */
export const body = ({ parts, labels }) => new Blob(labels ? [...parts, labels] : parts);
/** How it is taken apart again. @param {Data} given */
export function described({ parts, names, labels }) {
  const asked = new URLSearchParams(), all = labels ? [...parts, labels] : parts;
  for (const name of labels ? [...names, labels.name] : names) asked.append("name", name);
  if (all.length > 1) for (const one of all) asked.append("size", String(one.size));
  if (labels) asked.append("labels", "true");
  return asked;
}
/** @param {Data} given @param {boolean} restored whether it was here before, with its choices */
function use(given, restored) {
  data = given;
  kept.set(`${given.from} ${given.names.join("\n")}`, given);
  for (const taker of takers) taker(restored);
}
/** @param {Blob[]} parts @param {string[]} names @param {string} from @param {boolean} [restored] */
function take(parts, names, from, restored = false) {
  if (!restored && data) mark(); // Back comes to the data before
  use({ parts, names, labels: null, from }, restored);
}
/** @param {File | null} file */
const takeLabels = (file) => { if (data) use({ ...data, labels: file }, true); };
/** Name the file of labels in its control, as it was. @param {File | null} file */
function showLabels(file) {
  const chosen = new DataTransfer();
  if (file) chosen.items.add(file);
  $("labels").files = chosen.files;
}
function takeFiles(/** @type {FileList | File[]} */ list) {
  const files = [...list], names = files.map((file) => file.name);
  if (files.length) take(files, names, "file", state.get("file") === names.join("\n") && !data);
}
async function takeExample(restored = false, problem = "compare-error") {
  const before = data;
  try {
    const content = await ask("example", "/api/example", {}, (response) => response.blob());
    if (content && data === before) take([content], ["example.csv"], "example", restored); // or a file was chosen meanwhile
  } catch (error) { complain(problem, error); }
}

// typed counts

const COUNTS = ["system", "human_pos", "human_n", "tp", "fn", "tn", "fp", "metric_pos", "metric_n"];
const HEADS = ["system", "adequate, by people", "rated by people", "tp", "fn", "tn", "fp", "passed by the metric", "rated by the metric alone"];
const TYPICAL = ["", 60, 100, 54, 6, 36, 4, 1190, 2000]; // shown where nothing is typed yet
const PEOPLE = 3; // columns that need no judge
function addRow(/** @type {any[]} */ values = []) {
  const row = make("tr"), n = $("counts-grid").tBodies[0].rows.length + 1;
  COUNTS.forEach((_, i) => {
    const one = make("td");
    one.append(make("input", null, { type: i ? "number" : "text", min: 0, value: values[i] ?? "", placeholder: i ? `e.g. ${TYPICAL[i]}` : "name", ariaLabel: `${HEADS[i]}, row ${n}` }));
    row.append(one);
  });
  $("counts-grid").tBodies[0].append(row);
}
/** What is typed; without a judge, nothing of one. */
export const gridRows = () => [...$("counts-grid").tBodies[0].rows]
  .map((row) => [...row.cells].map((one, i) => (i < PEOPLE || $("counts-judge").checked ? one.firstChild.value.replaceAll(/[\n,]/g, " ").trim() : "")))
  .filter((row) => row.some(Boolean));
const showJudged = () => $("counts-grid").classList.toggle("people", !$("counts-judge").checked);
function openCounts(/** @type {any[][]} */ rows) {
  $("counts").hidden = false;
  if ($("counts-grid").tBodies[0].rows.length) return;
  fill("counts-grid", HEADS, []);
  for (const row of rows) addRow(row);
  $("counts-judge").checked = rows.some((row) => row.slice(PEOPLE).some(Boolean));
  showJudged();
}
/** Fields of systems that are named or begun, without which nothing can be said of them. */
const missing = () => [...$("counts-grid").tBodies[0].rows].flatMap((row) => {
  const fields = [...row.cells].map((one) => one.firstChild), filled = fields.map((one, i) => (i < PEOPLE || $("counts-judge").checked) && one.value.trim() !== "");
  if (!filled.some(Boolean)) return [];
  const [, positive, total, ...judged] = filled, [passed, rated] = judged.slice(-2), nothing = !positive && !total && !judged.some(Boolean);
  const lacking = [!filled[0], nothing || (total && !positive), nothing || (positive && !total), false, false, false, false, rated && !passed, passed && !rated];
  return fields.filter((_, i) => lacking[i]);
});
function checkedCounts() {
  const empty = missing();
  for (const one of $("counts-grid").querySelectorAll("input")) one.setAttribute("aria-invalid", String(empty.includes(one)));
  complain("counts-error", empty.length ? { message: `Still empty: ${empty.map((one) => one.ariaLabel).join("; ")}. Fill this in, or clear the row.` } : null);
  empty[0]?.focus();
  if (!empty.length) takeCounts();
}
function takeCounts(restored = false) {
  const lines = gridRows().map((row) => row.map(cell).join(","));
  take([new Blob([[COUNTS.join(","), ...lines].join("\n")])], ["counts.csv"], "counts", restored);
}

/** Take again what the address names, as far as it is here; return whether there is something. */
export function takeAgain() {
  const from = state.get("data"), name = from === "file" ? state.get("file") ?? "" : from === "example" ? "example.csv" : "counts.csv";
  const before = kept.get(`${from} ${name}`);
  if (before && from !== "counts") {
    showLabels(before.labels);
    use(before, true);
    return true;
  }
  if (from === "example") takeExample(true);
  if (from === "counts" && state.has("counts")) {
    $("counts-grid").tBodies[0].replaceChildren();
    openCounts((state.get("counts") ?? "").split("\n").map((line) => line.split(",")));
    takeCounts(true);
  }
  data = ["example", "counts"].includes(from ?? "") ? data : null;
  return from === "example" || from === "counts";
}
export function startSources() {
  for (const id of ["file", "judge-file", "more-files"]) $(id).onchange = () => takeFiles($(id).files);
  for (const id of ["example", "judge-example"]) $(id).onclick = () => takeExample();
  $("show-counts").onclick = () => openCounts([["A"], ["B"]]);
  $("counts-judge").onchange = showJudged;
  $("add-row").onclick = () => addRow();
  $("use-counts").onclick = checkedCounts;
  $("labels").onchange = () => takeLabels($("labels").files[0] ?? null);
  for (const place of document.querySelectorAll(".drop")) {
    for (const kind of ["dragover", "dragleave", "drop"]) {
      place.addEventListener(kind, (given) => {
        const event = /** @type {DragEvent} */ (given);
        event.preventDefault();
        place.classList.toggle("over", kind === "dragover");
        if (kind === "drop" && event.dataTransfer?.files.length) takeFiles(event.dataTransfer.files);
      });
    }
  }
}
