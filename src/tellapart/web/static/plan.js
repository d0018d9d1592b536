// Plan: what can be measured, how much must be rated, what it costs.

import { $, complain, draw, drop, fill, flat, lament, later, make, number, percent, post, python, remember, sendFile, shell, showParts, state, steadily } from "./page.js";

// the fields

const SHARE = { min: 0, max: 1, step: 0.01 };
const FIELDS = [
  { name: "rate", at: "guess", label: "rate", symbol: "α", value: 0.6, ...SHARE, help: "share of adequate outputs that you expect, the mean of the two systems" },
  { name: "rate_high", at: "guess", label: "rate, at most", symbol: "α", value: "", ...SHARE, help: "any rate up to this is as likely; empty: the rate is certain" },
  { name: "tpr", at: "guess", label: "true positive rate", symbol: "ρ", value: 0.8, ...SHARE, help: "how often the metric passes an adequate output" },
  { name: "tpr_high", at: "guess", label: "true positive rate, at most", symbol: "ρ", value: "", ...SHARE, help: "empty: it is certain" },
  { name: "tnr", at: "guess", label: "true negative rate", symbol: "η", value: 0.8, ...SHARE, help: "how often the metric fails an inadequate output" },
  { name: "tnr_high", at: "guess", label: "true negative rate, at most", symbol: "η", value: "", ...SHARE, help: "empty: it is certain" },
  { name: "n_human", at: "size", label: "human ratings", symbol: "n_Φ", value: 200, min: 0, max: 1e9, log: [1, 1e5], help: "of each system" },
  { name: "n_metric", at: "size", label: "metric ratings", symbol: "n_M", value: 5000, min: 0, max: 1e9, log: [1, 1e6], help: "of each system, of outputs that nobody rates" },
  { name: "difference", at: "size", label: "true difference", symbol: "ε", value: 0.05, min: 0.001, max: 1, step: 0.005, top: 0.5, help: "that you want to find; 0.05 is 5 points" },
  { name: "power", at: "size", label: "power", symbol: "1−β", value: 0.8, min: 0.06, max: 0.999, step: 0.01, help: "probability of finding a true difference" },
  { name: "n_calibration", at: "fine", label: "outputs with both ratings", symbol: "n_ρη", value: "", min: 0, max: 1e9, log: [1, 1e5], help: "they tell how the metric errs; empty: the human-rated ones" },
  { name: "calibration_rate", at: "fine", label: "share of adequate ones among these", symbol: "ψ", value: "", ...SHARE, help: "empty: the rate" },
  { name: "confidence_level", at: "fine", label: "confidence level", symbol: "1−γ", value: 0.95, min: 0.5, max: 0.999, step: 0.01, help: "0.95: where there is no difference, one is claimed at most 5 % of the time" },
  { name: "budget", at: "money", label: "budget", symbol: "B", value: 2000, min: 1, max: 1e12, log: [10, 1e6], help: "for all systems together" },
  { name: "cost_human", at: "money", label: "price of a human rating", symbol: "c_h", value: 1, min: 0.001, max: 1e9, log: [0.01, 100], help: "in any currency, the same for all prices" },
  { name: "cost_metric", at: "money", label: "price of a metric rating", symbol: "c_m", value: 0.01, min: 0, max: 1e9, log: [0.0001, 10], help: "0 where it costs nothing" },
  { name: "cost_fixed", at: "money", label: "fixed costs", symbol: "", value: 0, min: 0, max: 1e12, log: [1, 1e5], help: "what the campaign costs anyway" },
  { name: "systems", at: "money", label: "systems", symbol: "", value: 2, min: 1, max: 1000, step: 1, top: 20, help: "that are rated" },
];
const BOXES = ["known_rates", "separate_calibration"];
const FINE = ["n_calibration", "calibration_rate", "confidence_level"];
const GUESSES = ["rate", "tpr", "tnr"];
const OPTIONAL = ["n_calibration", "calibration_rate", "rate_high", "tpr_high", "tnr_high"];
const NEEDED = {
  difference: [...GUESSES, "n_human", "n_metric", "power", ...FINE],
  n_human: [...GUESSES, "n_metric", "difference", "power", ...FINE],
  n_metric: [...GUESSES, "n_human", "difference", "power", ...FINE],
  accuracy: ["rate", "n_human", "n_metric", "difference", "power", ...FINE],
  power: [...GUESSES, "n_human", "n_metric", "difference", ...FINE],
  chance: [...GUESSES, "rate_high", "tpr_high", "tnr_high", "n_human", "n_metric", "difference", ...FINE],
  budget: [...GUESSES, "power", "calibration_rate", "confidence_level", "budget", "cost_human", "cost_metric", "cost_fixed", "systems"],
  cheapest: [...GUESSES, "power", "calibration_rate", "confidence_level", "difference", "cost_human", "cost_metric", "cost_fixed", "systems"],
};
const fine = () => FINE.filter((name) => NEEDED[$("solve").value].includes(name));
const value = (name) => ($(name).value === "" ? null : Number($(name).value));
const toSlider = (field, given) => {
  if (!field.log) return given;
  const [low, high] = field.log.map(Math.log10);
  return given > 0 ? (Math.log10(given) - low) / (high - low) : 0;
};
const fromSlider = (field, place) => {
  if (!field.log) return place;
  const [low, high] = field.log.map(Math.log10);
  const given = 10 ** (low + place * (high - low));
  return field.name.startsWith("n_") || given >= 100 ? Number(given.toPrecision(given >= 100 ? 3 : 2)).toFixed(0) : Number(given.toPrecision(2));
};
function put(name, given) {
  const field = FIELDS.find((one) => one.name === name);
  $(name).value = given;
  field.slider.value = toSlider(field, Number(given));
}
function build(field) {
  const slider = make("input", null, { type: "range", min: field.log ? 0 : field.min, max: field.log ? 1 : field.top ?? field.max, step: field.log ? 0.005 : field.step });
  const input = make("input", null, { type: "number", id: field.name, min: field.min, max: field.max, step: "any", value: field.value });
  const label = make("label", null, { htmlFor: field.name });
  label.append(make("span", field.label), make("i", field.symbol));
  slider.setAttribute("aria-label", `${field.label}, slider`);
  input.setAttribute("aria-describedby", `help-${field.name} wrong-${field.name}`);
  slider.oninput = () => { input.value = fromSlider(field, Number(slider.value)); changed(); };
  input.oninput = () => { slider.value = toSlider(field, Number(input.value)); changed(); };
  field.slider = slider;
  const pair = make("div", null, { className: "pair" });
  pair.append(slider, input);
  const box = make("div", null, { className: "field", id: `box-${field.name}` });
  box.append(label, pair, make("p", field.help, { className: "help", id: `help-${field.name}` }), make("p", "", { className: "problem", id: `wrong-${field.name}`, hidden: true }));
  $(`fields-${field.at}`).append(box);
}
function markWrong(error) {
  for (const field of FIELDS) {
    const hit = Boolean(error?.field && error.field.split(/[ .]/).includes(field.name));
    $(field.name).setAttribute("aria-invalid", String(hit));
    $(`wrong-${field.name}`).hidden = !hit;
    $(`wrong-${field.name}`).textContent = hit ? [error.rule, error.hint].filter(Boolean).join("; ") : "";
    if (hit && field.at === "fine") $("fine").open = true;
  }
}

// the plan

let pilot = null; // { file, name, kind }
let last = null; // the design that was found, and the difference to find
const chanceFromPilot = () => $("solve").value === "chance" && pilot;
const wanted = (solve) => (chanceFromPilot() ? NEEDED[solve].filter((name) => !/^(rate|tpr|tnr)/.test(name)) : NEEDED[solve]);
const money = () => ["budget", "cheapest"].includes($("solve").value);
function request() { // the arguments of ta.plan: what is to be found is what is left out
  const body = { known_rates: $("known_rates").checked };
  for (const name of wanted($("solve").value)) if (value(name) !== null) body[name] = value(name);
  if (money()) body.separate_calibration = $("separate_calibration").checked;
  for (const name of GUESSES) {
    const high = body[`${name}_high`];
    delete body[`${name}_high`];
    if (high !== undefined && high !== body[name]) body[name] = [body[name], high];
  }
  return body;
}
const middle = (given) => (Array.isArray(given) ? (given[0] + given[1]) / 2 : given);
function asCommand(command, given) {
  const words = [`tellapart ${command}`];
  for (const [name, one] of Object.entries(given)) {
    if (one === false || (name === "confidence_level" && one === 0.95)) continue;
    words.push(`--${name.replaceAll("_", "-")}${one === true ? "" : ` ${Array.isArray(one) ? one.join("..") : shell(String(one))}`}`);
  }
  return words.join(" ");
}
const listed = (given) => Object.entries(given).filter(([, v]) => v !== false).map(([k, v]) => `${k}=${python(v)}`).join(", ");
function asPython(body) {
  const read = pilot?.kind === "counts" ? `ta.read_counts(${python(pilot.name)})` : `ta.read_ratings(${python(pilot?.name)}).systems`;
  return `import tellapart as ta\nprint(ta.plan(${chanceFromPilot() ? `pilot=${read}, ` : ""}${listed(body)}))`;
}
async function solved(body) {
  if (!chanceFromPilot()) return post("plan", "/api/plan", body);
  return (await sendFile("plan", "/api/pilot", new URLSearchParams({ ...body, name: pilot.name }), pilot.file))?.plan;
}
function showFields() {
  const solve = $("solve").value, shown = wanted(solve);
  for (const field of FIELDS) $(`box-${field.name}`).hidden = !shown.includes(field.name);
  $("money").hidden = !money();
  $("size").hidden = !shown.some((name) => ["n_human", "n_metric", "difference", "power"].includes(name));
  for (const name of GUESSES) $(`box-${name}`).querySelector("span").textContent = FIELDS.find((f) => f.name === name).label + (solve === "chance" ? ", at least" : "");
}
async function answer() {
  showFields();
  drop("simulation");
  $("simulation").textContent = "";
  const body = request();
  $("plan-command").textContent = asCommand("plan", { ...(chanceFromPilot() && { pilot: pilot.name }), ...body });
  $("plan-python").textContent = asPython(body);
  const shown = Object.fromEntries(FIELDS.map((field) => [field.name, String($(field.name).value) === String(field.value) ? null : $(field.name).value]));
  remember({ ...shown, ...Object.fromEntries(BOXES.map((box) => [box, $(box).checked])), solve: $("solve").value });
  try {
    const missing = wanted($("solve").value).find((name) => !OPTIONAL.includes(name) && value(name) === null);
    if (missing) throw Object.assign(new Error(`${FIELDS.find((field) => field.name === missing).label}: a number must be given.`), { field: missing, rule: "must be given" });
    const found = await solved(body);
    if (!found) return;
    complain("plan-error", null);
    markWrong(null);
    stale(false);
    $("plan-words").textContent = found.summary;
    showParts("plan-table", found.sheets, [flat(found)]);
    const told = Object.fromEntries(GUESSES.map((name) => [name, found[name] ?? middle(body[name]) ?? value(name)]));
    last = { ...told, n_human: found.n_human, n_metric: found.n_metric, difference: found.difference ?? found.difference_at_power };
    if (body.separate_calibration) last.n_calibration = found.n_calibration;
    explore();
  } catch (error) {
    complain("plan-error", error);
    markWrong(error);
    stale(true);
    last = null;
  }
}
const stale = (old) => ["plan-words", "plan-table", "chart-curve", "plan-grid", "chart-map"].forEach((id) => $(id).classList.toggle("stale", old));

// curves, table and map around the plan

const MANY = [0, 300, 1000, 3000, 10000, 30000, 100000];
const SHARES = { rate: [0.1, 0.3, 0.5, 0.7, 0.9], tpr: [0.6, 0.7, 0.8, 0.9, 0.95], tnr: [0.6, 0.7, 0.8, 0.9, 0.95], accuracy: [0.55, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99], calibration_rate: [0.1, 0.3, 0.5, 0.7, 0.9], confidence_level: [0.8, 0.9, 0.95, 0.99] };
const AXES = { n_human: "human ratings", n_metric: "metric ratings", n_calibration: "outputs with both ratings", accuracy: "accuracy: tpr and tnr", rate: "rate", tpr: "true positive rate", tnr: "true negative rate", calibration_rate: "share of adequate ones among outputs with both", confidence_level: "confidence level" };
const round = (n) => Math.max(1, Number(n.toPrecision(2)));
function usual(axis) {
  if (SHARES[axis]) return SHARES[axis];
  if (axis === "n_metric") return MANY;
  const now = Math.min(last[axis] || last.n_human || 200, 1e8);
  return [...new Set([now / 4, now / 2, now, now * 2, now * 4].map((n) => (n === now ? n : round(n))))];
}
function values(side) {
  const axis = $(side).value, text = $(`${side}-values`).value.trim();
  $(`${side}-values`).placeholder = usual(axis).join(", ");
  if (!text) return { name: axis, values: usual(axis) };
  const scale = { k: 1e3, m: 1e6, "%": 0.01 };
  const found = text.split(/[\s,;]+/).filter(Boolean).map((part) => {
    const match = /^(\d*\.?\d+(?:e\d+)?|\d+\.)([km%]?)$/i.exec(part);
    if (!match) throw Object.assign(new Error(`“${part}” is not a number. Write for example 0, 100, 1k.`), { side });
    return Number(match[1]) * (scale[match[2].toLowerCase()] ?? 1);
  });
  return { name: axis, values: [...new Set(found)] };
}
const waiting = (id, busy) => (busy ? $(id).setAttribute("aria-busy", "true") : $(id).removeAttribute("aria-busy"));
let explored = 0;
const explore = later(async () => {
  if (!last) return;
  const mine = ++explored;
  for (const id of ["plan-grid", "chart-curve", "chart-map"]) waiting(id, true);
  const power = $("measure").value === "power" ? value("power") ?? 0.8 : null;
  const common = { known_rates: $("known_rates").checked, confidence_level: 0.95, ...(power && { power }) };
  for (const name of fine()) if (value(name) !== null) common[name] = value(name);
  if (last.n_calibration) common.n_calibration = last.n_calibration;
  const design = { ...common, ...Object.fromEntries([...GUESSES, "n_human", "n_metric"].map((name) => [name, last[name]])) };
  remember({ ...Object.fromEntries(["down", "across", "measure"].map((id) => [id, $(id).value])), down_values: $("down-values").value, across_values: $("across-values").value });
  for (const side of ["down", "across"]) $(`${side}-values`).removeAttribute("aria-invalid");
  try {
    const rows = values("down"), columns = values("across");
    const fixed = { ...design };
    for (const name of [rows.name, columns.name]) for (const one of name === "accuracy" ? ["tpr", "tnr"] : [name]) delete fixed[one];
    showTableCall(rows, columns, fixed);
    const body = { ...fixed, rows, columns };
    const table = await post("table", "/api/table", body);
    if (!table) return;
    complain("table-error", null);
    waiting("plan-grid", false);
    const key = power ? "difference_at_power" : "measurable_difference";
    $("plan-grid").caption.textContent = `${power ? `True difference found with probability ${percent(power, 0)}` : "Difference that comes out significant"}; ${AXES[rows.name]} down, ${AXES[columns.name]} across`;
    const cell = (i, j) => table.rows[i * columns.values.length + j][key], plain = (n) => [number(n), n];
    fill("plan-grid", ["", ...columns.values.map(plain)], rows.values.map((n, i) => [plain(n), ...columns.values.map((_, j) => [cell(i, j) === null ? "–" : percent(cell(i, j)), cell(i, j)])]));
    const curves = await post("curves", "/api/table/charts", body);
    if (curves) await draw("chart-curve", curves.charts.curves);
  } catch (error) {
    complain("table-error", error);
    for (const id of ["plan-grid", "chart-curve"]) waiting(id, false);
    if (error.side) $(`${error.side}-values`).setAttribute("aria-invalid", "true");
  }
  if (mine !== explored) return; // the map of a later plan is on its way
  try {
    const body = { ...design, rows: { name: "n_human", values: [10, 10000] }, columns: { name: "n_metric", values: [100, 100000] }, cost_human: value("cost_human") ?? 1, cost_metric: value("cost_metric") ?? 0 };
    if ($("solve").value === "budget" && value("budget")) body.budget = (value("budget") - (value("cost_fixed") ?? 0)) / (value("systems") ?? 2);
    const heat = await post("map", "/api/table/charts?kind=map", body);
    if (heat) await draw("chart-map", heat.charts.map, (view) => view.addEventListener("click", (_, item) => pick(item?.datum)));
  } catch (error) { lament("chart-map", error); }
}, 300);
function showTableCall(rows, columns, fixed) {
  $("table-command").textContent = asCommand("table", { ...fixed, rows: `${rows.name}=${rows.values}`, cols: `${columns.name}=${columns.values}` });
  const axis = (one) => `ta.Axis(${python(one.name)}, ${python(one.values)})`;
  $("table-python").textContent = `import tellapart as ta\nfound = ta.difference_map(${axis(rows)}, ${axis(columns)}, ${listed(fixed)})\nprint(found.to_frame())`;
}
function pick(datum) { // a place of the map becomes the campaign
  if (datum?.down === undefined) return;
  if (!wanted($("solve").value).includes("n_human") || !wanted($("solve").value).includes("n_metric")) $("solve").value = "difference";
  put("n_human", datum.down);
  put("n_metric", datum.across);
  answer();
}

// simulation and pilot

async function simulate() {
  if (!last) return;
  if (last.difference === null) {
    $("simulation").textContent = "No difference would be found: there is nothing to simulate.";
    return;
  }
  const runs = value("runs") ?? 400, body = { ...last, runs, known_rates: $("known_rates").checked };
  for (const name of fine()) if (value(name) !== null) body[name] = value(name);
  $("simulation").textContent = `Simulating ${number(runs)} campaigns with a true difference of ${percent(last.difference)} …`;
  $("stop").hidden = false;
  $("simulate").disabled = true;
  try {
    const found = await post("simulation", "/api/simulation", body);
    $("simulation").textContent = found ? found.summary : "Stopped.";
  } catch (error) { $("simulation").textContent = error.message; }
  $("stop").hidden = true;
  $("simulate").disabled = false;
}
async function takePilot() {
  const [file] = $("pilot").files;
  if (!file) return;
  complain("pilot-error", null);
  try {
    const found = await sendFile("pilot", "/api/pilot", new URLSearchParams({ name: file.name }), file);
    if (!found) return;
    pilot = { file, name: file.name, kind: found.kind };
    remember({ pilot: file.name });
    for (const name of GUESSES) if (found[name] !== null) put(name, found[name].toFixed(3));
    $("pilot-words").textContent = `${found.summary} The guesses are taken from it; to let it count how sure they are, ask for the chance of success.`;
    $("no-pilot").hidden = false;
    answer();
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

const changed = steadily(answer, 120);
export function startPlan() {
  FIELDS.forEach(build);
  for (const field of FIELDS) put(field.name, state.get(field.name) ?? field.value);
  for (const box of BOXES) $(box).checked = state.get(box) === "1";
  $("fine").open = $("known_rates").checked || FINE.some((name) => state.has(name));
  for (const side of ["down", "across"]) {
    $(side).replaceChildren(...Object.entries(AXES).map(([name, label]) => make("option", label, { value: name })));
    $(side).value = side === "down" ? "n_human" : "n_metric";
    $(`${side}-values`).value = state.get(`${side}_values`) ?? "";
    $(side).onchange = () => { $(`${side}-values`).value = ""; explore(); };
    $(`${side}-values`).oninput = explore;
  }
  for (const id of ["solve", "down", "across", "measure"]) if ([...$(id).options].some((one) => one.value === state.get(id))) $(id).value = state.get(id);
  $("measure").onchange = explore;
  for (const id of ["solve", ...BOXES]) $(id).onchange = changed;
  $("simulate").onclick = simulate;
  $("stop").onclick = () => drop("simulation");
  $("pilot").onchange = takePilot;
  $("no-pilot").onclick = forgetPilot;
  if (state.has("pilot")) $("pilot-words").textContent = `This link was made with the pilot “${state.get("pilot")}”, which it does not hold. Choose that file to see the same view.`;
  answer();
}
