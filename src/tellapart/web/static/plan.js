// @ts-check
// How many ratings do I need? The plan, its answer, scenarios, simulation and pilot.

import { $, busy, chips, choose, chosen, flash, make, steadily } from "./dom.js";
import { complain, post, sendFile } from "./server.js";
import { remember, state, whenChanged } from "./address.js";
import { build, FIELDS, label, markWrong, NAMES, put, value } from "./fields.js";
import { drawPower, explore, startExploring } from "./explore.js";
import { overlap } from "./overlap.js";
import { forgetSimulation, startSimulation } from "./simulation.js";
import { flat, showParts } from "./tables.js";
import { asCommand, headline, listed, python } from "./words.js";

const QUESTIONS = {
  n_human: "how many human ratings I need", n_metric: "how many metric ratings I need", difference: "the smallest difference that I will find", power: "the chance of finding a difference",
  accuracy: "how good the judge must be", chance: "the chance, if my guesses are uncertain", budget: "the best split of a budget", cheapest: "the cheapest campaign",
};
/** @type {Record<string, [string, Record<string, any>]>} */
const PRESETS = {
  prompts: ["A/B of two prompts", { solve: "difference", n_human: 80, n_metric: 0, rate: 0.7 }],
  task: ["Shared task", { solve: "n_human", difference: 0.05, n_metric: 2000, rate: 0.6, tpr: 0.85, tnr: 0.85 }],
  nightly: ["Nightly judge", { solve: "power", n_human: 300, n_metric: 20000, difference: 0.05, rate: 0.8, tpr: 0.9, tnr: 0.9 }],
};
const BOXES = ["known_rates", "separate_calibration"];
const FINE = ["n_calibration", "calibration_rate", "confidence_level"];
const GUESSES = ["rate", "tpr", "tnr"];
const OPTIONAL = ["n_calibration", "calibration_rate", "rate_high", "tpr_high", "tnr_high"];
const COSTS = ["cost_human", "cost_metric", "cost_fixed", "systems"];
/** @type {Record<string, string[]>} */
const NEEDED = {
  difference: [...GUESSES, "n_human", "n_metric", "power", ...FINE],
  n_human: [...GUESSES, "n_metric", "difference", "power", ...FINE],
  n_metric: [...GUESSES, "n_human", "difference", "power", ...FINE],
  accuracy: ["rate", "n_human", "n_metric", "difference", "power", ...FINE],
  power: [...GUESSES, "n_human", "n_metric", "difference", ...FINE],
  chance: [...GUESSES, "rate_high", "tpr_high", "tnr_high", "n_human", "n_metric", "difference", ...FINE],
  budget: [...GUESSES, "power", "calibration_rate", "confidence_level", "budget", ...COSTS],
  cheapest: [...GUESSES, "power", "calibration_rate", "confidence_level", "difference", ...COSTS],
};
const RESULTS = ["plan-big", "plan-words", "plan-table", "chart-power", "chart-curve", "plan-grid", "chart-map", "overlap"];

/** @type {any} */
let pilot = null; // { file, name, kind }
let split = false; // whether tpr and tnr have fields of their own
/** @type {any} */
let last = null; // the design that was found, and the difference to find
const solving = () => chosen("solve");
const money = () => ["budget", "cheapest"].includes(solving());
const chanceFromPilot = () => solving() === "chance" && pilot;
const wanted = () => (chanceFromPilot() ? NEEDED.chance.filter((name) => !/^(rate|tpr|tnr)/.test(name)) : NEEDED[solving()]);
const fine = () => FINE.filter((name) => NEEDED[solving()].includes(name));

function request() { // the arguments of ta.plan: what is to be found is what is left out
  /** @type {Record<string, any>} */
  const body = { known_rates: $("known_rates").checked };
  for (const name of wanted()) if (value(name) !== null) body[name] = value(name);
  if (money()) body.separate_calibration = $("separate_calibration").checked;
  for (const name of GUESSES) {
    const high = body[`${name}_high`];
    delete body[`${name}_high`];
    if (high !== undefined && high !== body[name]) body[name] = [body[name], high];
  }
  return body;
}
const middle = (/** @type {any} */ given) => (Array.isArray(given) ? (given[0] + given[1]) / 2 : given);
function asPython(/** @type {any} */ body) {
  const read = pilot?.kind === "counts" ? `ta.read_counts(${python(pilot.name)})` : `ta.read_ratings(${python(pilot?.name)}).systems`;
  return `import tellapart as ta\nprint(ta.plan(${chanceFromPilot() ? `pilot=${read}, ` : ""}${listed(body)}))`;
}
async function solved(/** @type {any} */ body) {
  if (!chanceFromPilot()) return post("plan", "/api/plan", body);
  return (await sendFile("plan", "/api/pilot", new URLSearchParams({ ...body, name: pilot.name }), pilot.file))?.plan;
}
function showFields() {
  const shown = wanted(), apart = split || solving() === "chance";
  for (const { name } of FIELDS) $(`box-${name}`).hidden = !shown.includes(name);
  for (const name of ["tpr", "tnr"]) $(`box-${name}`).hidden ||= !apart;
  $("box-agree").hidden = apart || !shown.includes("tpr");
  $("split").hidden = solving() === "chance" || !shown.includes("tpr");
  $("split").textContent = split ? "One number for both" : "Different for good and bad outputs";
  for (const name of GUESSES) $(`thumbs-${name}`).classList.toggle("two", shown.includes(`${name}_high`));
  $("chance-hint").hidden = solving() !== "chance" || Boolean(pilot) || GUESSES.some((name) => value(`${name}_high`) !== null);
  $("money").hidden = !money();
  $("size").hidden = !shown.some((name) => ["n_human", "n_metric", "difference", "power"].includes(name));
}
function keep() {
  const shown = Object.fromEntries(FIELDS.filter(({ name }) => name !== "agree").map((one) => [one.name, String($(one.name).value) === String(one.value) ? null : $(one.name).value]));
  remember({ ...shown, ...Object.fromEntries(BOXES.map((box) => [box, $(box).checked])), solve: solving(), split });
}
async function answer() {
  const body = request(), missing = wanted().find((name) => !OPTIONAL.includes(name) && value(name) === null);
  const asked = missing ? null : solved(body); // before anything is drawn
  showFields();
  forgetSimulation();
  for (const id of RESULTS) busy(id, true);
  try {
    if (missing) throw Object.assign(new Error(`${label(missing)}: a number must be given.`), { field: missing, rule: "be given" });
    const found = await asked;
    if (!found) return;
    complain("plan-error");
    markWrong(null);
    show(found, body);
  } catch (error) {
    complain("plan-error", markWrong(error) ? null : error);
    refuse();
  }
  keep();
}
function refuse() { // the last answer is not one to these numbers
  last = null;
  for (const id of RESULTS) busy(id, false);
  for (const id of RESULTS) $(id).classList.add("stale");
  big({ value: "–", label: "see what is wrong with the numbers", warn: true });
}
function big(/** @type {{ value: string, label: string, warn?: boolean }} */ { value: shown, label: meaning, warn = false }) {
  $("plan-value").textContent = shown;
  $("plan-label").textContent = meaning;
  $("plan-big").classList.toggle("warn", warn);
}
function show(/** @type {any} */ found, /** @type {any} */ body) {
  for (const id of RESULTS) $(id).classList.remove("stale");
  for (const id of ["plan-big", "plan-words", "plan-table", "overlap"]) busy(id, false);
  big(headline(found));
  $("plan-words").textContent = found.summary;
  $("plan-command").textContent = asCommand("plan", { ...(chanceFromPilot() && { pilot: pilot.name }), ...body });
  $("plan-python").textContent = asPython(body);
  $("plan-signature").dataset.of = found.signature ?? "";
  showParts("plan-table", found.sheets, [flat(found)]);
  overlap($("overlap"), found);
  const told = Object.fromEntries(GUESSES.map((name) => [name, found[name] ?? middle(body[name]) ?? value(name)]));
  last = { ...told, n_human: found.n_human, n_metric: found.n_metric, difference: found.difference ?? found.difference_at_power };
  if (body.separate_calibration) last.n_calibration = found.n_calibration;
  $("power-box").hidden = found.probability_of_success !== undefined;
  if ($("power-box").hidden) busy("chart-power", false);
  drawPower($("power-box").hidden ? null : body);
  around();
}
/** What is to be simulated. */
function campaign() {
  if (!last) return null;
  /** @type {Record<string, any>} */
  const body = { ...last, known_rates: $("known_rates").checked };
  for (const name of fine()) if (value(name) !== null) body[name] = value(name);
  return body;
}
function around() { // curves, table and map
  if (!last) return;
  /** @type {Record<string, any>} */
  const common = { known_rates: $("known_rates").checked, confidence_level: 0.95, power: value("power") ?? 0.8 };
  for (const name of fine()) if (value(name) !== null) common[name] = value(name);
  if (last.n_calibration) common.n_calibration = last.n_calibration;
  const costs = { cost_human: value("cost_human") ?? 1, cost_metric: value("cost_metric") ?? 0 };
  const all = solving() === "budget" ? value("budget") : null, budget = all && (all - (value("cost_fixed") ?? 0)) / (value("systems") ?? 2);
  explore({ ...common, ...Object.fromEntries([...GUESSES, "n_human", "n_metric"].map((name) => [name, last[name]])) }, { ...costs, ...(budget && { budget }) });
}
/** Take numbers from elsewhere: a preset, a place of the map, a comparison. @param {Record<string, any>} given */
export function take({ solve = "", ...given }) {
  if (solve) choose("solve", solve);
  for (const [name, one] of Object.entries(given)) put(name, one);
  split = value("tpr") !== value("tnr");
  put("agree", value("tpr"));
  answer();
}
function pick(/** @type {any} */ datum) { // a place of the map becomes the campaign
  if (datum?.down === undefined) return;
  const sizes = wanted().includes("n_human") && wanted().includes("n_metric");
  take({ ...(!sizes && { solve: "difference" }), n_human: datum.down, n_metric: datum.across });
}

// scenarios

function pinned() {
  for (const side of ["a", "b"]) {
    const [shown, meaning, view] = state.get(`pin_${side}`)?.split("\n") ?? [];
    $(`pin-${side}-value`).textContent = shown ?? "–";
    $(`pin-${side}-label`).textContent = meaning ?? "nothing pinned";
    $(`open-${side}`).hidden = !view;
    $(`open-${side}`).onclick = () => {
      const both = Object.fromEntries(["a", "b"].map((one) => [`pin_${one}`, state.get(`pin_${one}`)]));
      for (const key of [...state.keys()]) state.delete(key);
      for (const [key, one] of new URLSearchParams(view)) state.set(key, one);
      remember(both);
      restore();
    };
  }
  $("pins").hidden = !state.has("pin_a") && !state.has("pin_b");
}
function pin(/** @type {string} */ side) {
  const view = new URLSearchParams(String(state));
  for (const key of ["pin_a", "pin_b"]) view.delete(key);
  remember({ [`pin_${side}`]: [$("plan-value").textContent, $("plan-label").textContent, String(view)].join("\n") });
  pinned();
}

// pilot

async function takePilot() {
  const [file] = $("pilot").files;
  if (!file) return;
  complain("pilot-error");
  try {
    const found = await sendFile("pilot", "/api/pilot", new URLSearchParams({ name: file.name }), file);
    if (!found) return;
    pilot = { file, name: file.name, kind: found.kind };
    remember({ pilot: file.name });
    $("pilot-words").textContent = `${found.summary} The guesses are taken from it; to let it count how sure they are, ask for the chance of success.`;
    $("no-pilot").hidden = false;
    take(Object.fromEntries(GUESSES.filter((name) => found[name] !== null).map((name) => [name, found[name].toFixed(3)])));
  } catch (error) {
    forgetPilot();
    complain("pilot-error", error);
  }
}
function forgetPilot() {
  pilot = null;
  remember({ pilot: null });
  $("pilot").value = $("pilot-words").textContent = "";
  $("no-pilot").hidden = true;
  answer();
}

// start

function restore() {
  for (const name of NAMES) put(name, state.get(name) ?? FIELDS.find((one) => one.name === name).value);
  for (const box of BOXES) $(box).checked = state.get(box) === "1";
  choose("solve", state.get("solve") ?? "n_human");
  if (!solving()) choose("solve", "n_human");
  split = state.get("split") === "1" || value("tpr") !== value("tnr");
  put("agree", value("tpr"));
  $("fine").open = $("known_rates").checked || FINE.some((name) => state.has(name));
  if (state.has("pilot") && !pilot) $("pilot-words").textContent = `This link was made with the pilot “${state.get("pilot")}”, which it does not hold. Choose that file to see the same view.`;
  pinned();
  answer();
}
const changed = steadily(answer, 100);
export function startPlan() {
  build((name) => {
    if (name === "agree") for (const one of ["tpr", "tnr"]) put(one, $("agree").value);
    if (name === "tpr" || name === "tnr") put("agree", $(name).value);
    changed();
  });
  chips("solve", QUESTIONS, changed);
  $("presets").append(...Object.values(PRESETS).map(([text, given]) => make("button", text, { type: "button", className: "chip", onclick: () => take({ n_calibration: "", ...given }) })));
  for (const id of BOXES) $(id).onchange = changed;
  $("split").onclick = () => {
    split = !split;
    if (!split) for (const name of ["tpr", "tnr"]) put(name, $("agree").value);
    answer();
  };
  startExploring(around, pick);
  startSimulation(campaign);
  $("pilot").onchange = takePilot;
  $("no-pilot").onclick = forgetPilot;
  for (const side of ["a", "b"]) $(`pin-${side}`).onclick = () => pin(side);
  $("print").onclick = () => print();
  for (const [when, shown] of Object.entries({ beforeprint: true, afterprint: false })) { // a protocol: the numbers and the call, too
    addEventListener(when, () => {
      $("plan-numbers").open = shown;
      $("plan-command").hidden = !shown;
      $("plan-signature").textContent = `Planned on ${new Date().toISOString().slice(0, 10)}. ${$("plan-signature").dataset.of ?? ""}`;
    });
  }
  $("link").onclick = async () => flash($("link"), await navigator.clipboard?.writeText(location.href).then(() => true, () => false) ? "Copied" : "Copy it from the address bar");
  whenChanged(restore);
  restore();
}
