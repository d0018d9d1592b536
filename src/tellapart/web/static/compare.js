// @ts-check
// Which system is better? A file or counts, what was understood, the verdict, charts and the report.

import { $, busy, make, once } from "./dom.js";
import { complain, drop, sendFile } from "./server.js";
import { mark, state, whenChanged } from "./address.js";
import { body, data, described, gridRows, startSources, takeAgain, whenTaken } from "./sources.js";
import { choices, cutAt, keep, openChoices, problem, reset, restore, showRoles, startChoices, untouched, useMetric, wanted } from "./choices.js";
import { command, script } from "./calls.js";
import { draw, lament } from "./charts.js";
import { rankBeside } from "./metrics.js";
import { saveText } from "./tables.js";
import { showRead, showVerdict } from "./verdict.js";

const CHARTS = ["rates", "matrix", "ladder", "posteriors", "calibration"];
const TEMPLATE = "system,item,human,judge\nprompt-a,q1,1,1\nprompt-a,q2,0,1\nprompt-a,q3,,1\nprompt-b,q1,1,1\nprompt-b,q2,,0\nprompt-b,q3,0,0\n";
/** @type {(numbers: Record<string, any>) => void} */
let planThis = () => {};
/** @type {typeof data} */
let read = null; // the data that the lines above the verdict tell of

function query() {
  if (!data) return new URLSearchParams();
  const asked = described(data);
  for (const [name, given] of Object.entries(choices())) for (const one of [given].flat()) asked.append(name, one);
  return asked;
}
function waiting(/** @type {string} */ words) {
  $("waiting").textContent = words;
  $("waiting").hidden = !words;
}
async function answer() {
  if (!data) return;
  const asked = query(), given = data;
  complain("compare-error");
  wanted();
  waiting(`Reading and comparing ${given.names.join(", ")} …`);
  for (const key of ["charts", "ranking"]) drop(key);
  if (given !== read) $("ranking-box").hidden = true; // metrics of another file
  busy("compare-answer", true);
  try {
    const found = await sendFile("compare", "/api/compare", asked, body(given));
    if (!found) return;
    waiting("");
    $("compare-empty").hidden = true;
    $("compare-read").hidden = $("compare-answer").hidden = false;
    const own = choices(); // as asked: what the server found by itself is not chosen
    showRead(found);
    read = given;
    showVerdict(found, planThis);
    showRoles(found);
    $("compare-command").textContent = command(found, given, { ...own, ...named(found.roles) }, untouched());
    $("compare-python").textContent = script(found, given, { ...own, ...named(found.roles) });
    $("get-example").hidden = given.from !== "example";
    keep({ data: given.from, labels: given.labels?.name, file: given.from === "file" ? given.names.join("\n") : null, counts: given.from === "counts" ? gridRows().map((row) => row.join(",")).join("\n") : null });
    for (const id of CHARTS) busy(`chart-${id}`, true);
    busy("compare-answer", false);
    await showCharts(asked);
    await rankBeside(found.roles, useMetric);
  } catch (error) { refuse(/** @type {any} */ (error)); }
}
const named = (/** @type {any} */ roles) => Object.fromEntries(Object.entries(roles ?? {}).filter(([name, one]) => (/** @type {any} */ (one))?.length && name !== "by"));
function refuse(/** @type {any} */ error) {
  waiting("");
  problem("compare-error", error);
  $("compare-answer").hidden = true;
  busy("compare-answer", false);
  if (!error.columns?.length) {
    $("compare-read").hidden = read !== data; // of another file, nothing is told beside this error
    $("compare-empty").hidden = read === data;
    return;
  }
  read = data;
  $("compare-read").hidden = false;
  $("compare-empty").hidden = true;
  $("read-line").textContent = `Say which column is which: ${data?.names.join(", ")} has ${error.columns.join(", ")}.`;
  $("preview-box").hidden = true;
  const own = choices();
  showRoles({ columns: error.columns, unread: true, roles: { ...own, metric: own.metric?.[0] === "none" ? [] : own.metric }, thresholds: own.threshold ? [0] : [] });
  openChoices();
  wanted(error.said?.find((/** @type {any} */ piece) => piece.name)?.name);
}
async function showCharts(/** @type {URLSearchParams} */ asked) {
  if (!data) return;
  try {
    const specs = (await sendFile("charts", "/api/compare/charts", asked, body(data)))?.charts;
    if (!specs) return;
    specs.rates ??= specs.outcomes; // of pairs
    const rocs = Object.keys(specs).filter((name) => name.startsWith("roc "));
    $("rocs").replaceChildren(...rocs.map((name, i) => make("div", null, { id: `chart-roc-${i}`, className: "chart", role: "figure", ariaLabel: `ROC curves of ${name.slice(4)}` })));
    $("roc-help").hidden = rocs.length !== 1; // one number cuts one score
    $("posteriors-box").hidden = !specs.posteriors; // no heading over nothing
    $("metric-box").hidden = !specs.calibration && !rocs.length;
    for (const name of CHARTS) await draw(`chart-${name}`, specs[name]);
    for (const [i, name] of rocs.entries()) await draw(`chart-roc-${i}`, specs[name], (view) => { if (rocs.length === 1) view.addEventListener("click", (/** @type {any} */ _, /** @type {any} */ item) => cutAt(item?.datum?.cut)); });
  } catch (error) { // the verdict stands without them
    for (const name of CHARTS) draw(`chart-${name}`, null);
    $("rocs").replaceChildren();
    for (const id of ["posteriors-box", "metric-box"]) $(id).hidden = true;
    lament("chart-rates", error);
  }
}
function empty() { // nothing to compare
  drop("compare");
  $("compare-empty").hidden = false;
  $("compare-read").hidden = $("compare-answer").hidden = true;
  complain("compare-error");
  const missing = state.get("data") === "file" && state.has("file");
  const labels = state.has("labels") ? `, with people's ratings in “${state.get("labels")}”` : "";
  waiting(missing ? `This link belongs to the file “${state.get("file")?.replaceAll("\n", "”, “")}”${labels}, which it does not hold. Choose that file to see the same view.` : "");
}
function again() {
  restore();
  if (!takeAgain()) empty();
}
/** @param {(numbers: Record<string, any>) => void} plan */
export function startCompare(plan) {
  planThis = plan;
  startSources();
  startChoices(answer);
  whenTaken((restored) => {
    if (!restored) {
      reset();
      openChoices(false);
    }
    answer();
  });
  whenChanged((now) => { if (now.get("tab") === "compare" && (now.get("data") ?? null) + (now.get("file") ?? "") !== (data?.from ?? null) + (data?.from === "file" ? data.names.join("\n") : "")) again(); });
  $("preview-box").open = !matchMedia("(max-width: 52rem)").matches; // on a phone, the verdict first
  $("template").onclick = () => saveText(TEMPLATE, "ratings.csv", "text/csv");
  $("other").onclick = () => { mark(); $("more-files").click(); };
  once("report", "Writing the report …", async () => {
    if (!data) return;
    try {
      const page = await sendFile("report", "/api/compare/report", query(), body(data), (response) => response.text());
      if (page) saveText(page, "tellapart-report.html", "text/html");
    } catch (error) { complain("compare-error", error); }
  });
  again();
}
