// @ts-check
// The power of a plan by its size; curves, a table and a map around it, over any two of its numbers.

import { $, busy, later, make } from "./dom.js";
import { complain, post } from "./server.js";
import { remember, state } from "./address.js";
import { draw, lament } from "./charts.js";
import { fill } from "./tables.js";
import { asCommand, listed, number, percent, python } from "./words.js";

const MANY = [0, 300, 1000, 3000, 10000, 30000, 100000];
const SOME = [0.1, 0.3, 0.5, 0.7, 0.9], GOOD = [0.6, 0.7, 0.8, 0.9, 0.95];
/** @type {Record<string, number[]>} */
const SHARES = { rate: SOME, tpr: GOOD, tnr: GOOD, accuracy: [0.55, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99], calibration_rate: SOME, confidence_level: [0.8, 0.9, 0.95, 0.99] };
/** @type {Record<string, string>} */
const AXES = { n_human: "human ratings", n_metric: "metric ratings", n_calibration: "outputs with both ratings", accuracy: "accuracy: tpr and tnr", rate: "rate", tpr: "true positive rate", tnr: "true negative rate", calibration_rate: "share of adequate ones among outputs with both", confidence_level: "confidence level" };

/** @type {any} */
let design = null;
/** @type {any} */
let prices = {};
/** @type {any} */
let planned = null; // the plan whose power is not drawn yet
let explored = 0;
/** @type {(datum: any) => void} */
let pick = () => {};

function usual(/** @type {string} */ axis) {
  if (SHARES[axis]) return SHARES[axis];
  if (axis === "n_metric") return MANY;
  const now = Math.min(design[axis] || design.n_human || 200, 1e8);
  return [...new Set([now / 4, now / 2, now, now * 2, now * 4].map((n) => (n === now ? n : Math.max(1, Number(n.toPrecision(2))))))];
}
/** Numbers as people type them: 0, 100, 1k, 5%. @param {string} text */
function typed(text) {
  /** @type {Record<string, number>} */
  const scale = { k: 1e3, m: 1e6, "%": 0.01 };
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean).map((part) => {
    const match = /^(\d*\.?\d+(?:e\d+)?|\d+\.)([km%]?)$/i.exec(part);
    if (!match) throw new Error(`“${part}” is not a number. Write for example 0, 100, 1k.`);
    return Number(match[1]) * (scale[match[2].toLowerCase()] ?? 1);
  }))];
}
function values(/** @type {string} */ side) {
  const name = $(side).value, text = $(`${side}-values`).value.trim();
  $(`${side}-values`).placeholder = usual(name).join(", ");
  $(`${side}-values`).removeAttribute("aria-invalid");
  try { return { name, values: text ? typed(text) : usual(name) }; } catch (error) {
    $(`${side}-values`).setAttribute("aria-invalid", "true");
    throw error;
  }
}
/** @param {any} given @param {any} costs */
export function explore(given, costs) {
  [design, prices] = [given, costs];
  for (const id of ["plan-grid", "chart-curve", "chart-map"]) busy(id, true);
  soon();
}
/** @param {any} body what the plan was asked, or nothing */
export const drawPower = (body) => { planned = body; };
async function showPower() {
  const body = planned;
  if (!body) return;
  try {
    const found = await post("power", "/api/plan/charts", body);
    if (found) await draw("chart-power", found.charts.power);
    if (found && planned === body) planned = null;
  } catch (error) { lament("chart-power", error); }
}
const soon = later(async () => { // one after the other: the next answer finds a worker free
  const mine = ++explored;
  await showPower();
  if (mine !== explored) return;
  remember({ ...Object.fromEntries(["down", "across", "measure"].map((id) => [id, $(id).value])), down_values: $("down-values").value, across_values: $("across-values").value });
  const { power, ...rest } = design, asked = $("measure").value === "power" ? { ...rest, power } : rest;
  await showTable(asked);
  if (mine === explored) await showMap(asked); // or that of a later plan is on its way
}, 250);
async function showTable(/** @type {any} */ asked) {
  try {
    const rows = values("down"), columns = values("across"), fixed = { ...asked };
    for (const name of [rows.name, columns.name]) for (const one of name === "accuracy" ? ["tpr", "tnr"] : [name]) delete fixed[one];
    const body = { ...fixed, rows, columns };
    const table = await post("table", "/api/table", body);
    if (!table) return;
    complain("table-error");
    showCall(rows, columns, fixed);
    grid(table, rows, columns, asked.power);
    busy("plan-grid", false);
    const here = rows.name === "n_human" && columns.name === "n_metric" ? { n_human: asked.n_human, n_metric: asked.n_metric } : {};
    const curves = await post("curves", "/api/table/charts", { ...body, ...here });
    if (curves) await draw("chart-curve", curves.charts.curves);
  } catch (error) {
    complain("table-error", error);
    for (const id of ["plan-grid", "chart-curve"]) busy(id, false);
  }
}
function grid(/** @type {any} */ table, /** @type {any} */ rows, /** @type {any} */ columns, /** @type {number} */ power) {
  const key = power ? "difference_at_power" : "measurable_difference", title = power ? `True difference found with probability ${percent(power, 0)}` : "Difference that comes out significant";
  $("plan-grid").caption.textContent = `${title}; ${AXES[rows.name]} down, ${AXES[columns.name]} across`;
  const cell = (/** @type {number} */ i, /** @type {number} */ j) => table.rows[i * columns.values.length + j][key], plain = (/** @type {number} */ n) => [number(n), n];
  fill("plan-grid", ["", ...columns.values.map(plain)], rows.values.map((/** @type {number} */ n, /** @type {number} */ i) => [plain(n), ...columns.values.map((/** @type {number} */ _, /** @type {number} */ j) => [cell(i, j) === null ? "–" : percent(cell(i, j)), cell(i, j)])]));
}
function showCall(/** @type {any} */ rows, /** @type {any} */ columns, /** @type {any} */ fixed) {
  $("table-command").textContent = asCommand("table", { ...fixed, rows: `${rows.name}=${rows.values}`, cols: `${columns.name}=${columns.values}` });
  const axis = (/** @type {any} */ one) => `ta.Axis(${python(one.name)}, ${python(one.values)})`;
  $("table-python").textContent = `import tellapart as ta\nfound = ta.difference_map(${axis(rows)}, ${axis(columns)}, ${listed(fixed)})\nprint(found.to_frame())`;
}
async function showMap(/** @type {any} */ asked) {
  try {
    const body = { ...asked, rows: { name: "n_human", values: [10, 10000] }, columns: { name: "n_metric", values: [100, 100000] }, ...prices };
    const heat = await post("map", "/api/table/charts?kind=map", body);
    if (heat) await draw("chart-map", heat.charts.map, (view) => view.addEventListener("click", (/** @type {any} */ _, /** @type {any} */ item) => pick(item?.datum)));
  } catch (error) { lament("chart-map", error); }
}
/** @param {() => void} again @param {(datum: any) => void} onPick */
export function startExploring(again, onPick) {
  pick = onPick;
  for (const side of ["down", "across"]) {
    $(side).replaceChildren(...Object.entries(AXES).map(([name, label]) => make("option", label, { value: name })));
    $(side).value = side === "down" ? "n_human" : "n_metric";
    $(`${side}-values`).value = state.get(`${side}_values`) ?? "";
    $(side).onchange = () => { $(`${side}-values`).value = ""; again(); };
    $(`${side}-values`).oninput = again;
  }
  for (const id of ["down", "across", "measure"]) if ([...$(id).options].some((one) => one.value === state.get(id))) $(id).value = state.get(id);
  $("measure").onchange = again;
  $("axes-box").open = state.has("down_values") || state.has("across_values");
  $("chart-map").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => { // arrows walk over the map
    const step = /** @type {Record<string, [string, number]>} */ ({ ArrowUp: ["n_human", 1.25], ArrowDown: ["n_human", 0.8], ArrowRight: ["n_metric", 1.25], ArrowLeft: ["n_metric", 0.8] })[event.key];
    if (!step || !design || event.target !== $("chart-map")) return;
    event.preventDefault();
    const there = { down: design.n_human || 10, across: design.n_metric || 100 };
    const key = step[0] === "n_human" ? "down" : "across";
    pick({ ...there, [key]: Math.max(1, Math.round(there[key] * step[1])) });
  });
}
