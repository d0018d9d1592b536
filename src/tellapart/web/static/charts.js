// @ts-check
// Charts, drawn once Vega has come; the page does not wait for it. They fill their place and have one menu.

import { $, box, busy, later, make } from "./dom.js";
import { asCsv, save, saveText, scrolling } from "./tables.js";

/** @type {Map<string, { spec: any, onView: (view: any) => void, width: number }>} */
const drawn = new Map();

const LETTER = 7.5; // pixels, about
/** How many letters the longest of these names has. @param {any[]} rows @param {string[]} keys */
const longest = (rows, ...keys) => rows.reduce((most, row) => Math.max(most, ...keys.map((key) => String(row[key] ?? "").length)), 1);
/** A label without its middle where it is longer: names often differ at their ends. @param {string} label @param {number} most letters */
const shortened = (label, most) => `length(${label}) > ${most} ? slice(${label}, 0, ${Math.ceil(most / 2)}) + "…" + slice(${label}, ${1 - Math.floor(most / 2)}) : ${label}`;

/** The spec, in the colours and the width of its place. @param {any} spec @param {any} place @param {{ink: string, ground: string}} look */
function fitted(spec, place, look) {
  const one = JSON.parse(JSON.stringify(spec).replaceAll('"currentColor"', JSON.stringify(look.ink)));
  const room = place.clientWidth || 560;
  one.background = look.ground; // or light letters of dark mode would be saved on nothing
  delete one.title; // the heading says it
  const size = { labelFontSize: 13, titleFontSize: 13 }, rows = Object.values(one.datasets ?? {}).flat();
  const names = Math.min(260, Math.max(90, 0.36 * room), LETTER * longest(rows, "system", "pair", "row")); // beside the chart
  one.config.axis = { ...one.config.axis, ...size, titleFontWeight: "normal", titlePadding: 8 };
  one.config.axisXQuantitative = { labelOverlap: true, labelSeparation: 6 };
  const encodings = (one.layer ?? [one]).map((/** @type {any} */ { encoding }) => encoding ?? {});
  if (room < 480) for (const { x } of encodings) if (typeof x?.title === "string") x.title = x.title.split(", "); // in lines
  const named = encodings.map((/** @type {any} */ { y }) => y).filter((/** @type {any} */ y) => y?.type === "nominal" || y?.axis?.labelExpr);
  for (const y of named) y.axis = { ...y.axis, labelExpr: shortened(y.axis?.labelExpr ?? "datum.label", Math.floor(names / LETTER)) };
  const across = (room - (named.length && names)) / (LETTER * longest(rows, "system", "kind", "source") + 44);
  const legend = { orient: "top", columns: Math.max(1, Math.floor(across)), labelLimit: Math.min(260, room - 60), layout: { top: { direction: "vertical", anchor: "start" } } };
  one.config.legend = { ...one.config.legend, ...size, titleFontWeight: "normal", ...legend };
  one.config.text = { ...one.config.text, fontSize: 13 };
  if (typeof one.width !== "number") return one; // as wide as it has columns
  if (typeof one.height === "number") return { ...one, width: room, autosize: { type: "fit-x", contains: "padding" } };
  one.width = Math.max(120, room - 40 - names); // Vega-Lite fits no chart that has rows
  return one;
}
/** @param {string} id @param {any} spec @param {(view: any) => void} [onView] */
export async function draw(id, spec, onView = () => {}) {
  const place = $(id);
  drawn.set(id, { spec, onView, width: place.clientWidth });
  if (!spec) {
    place.replaceChildren();
    return busy(id, false);
  }
  busy(id, true);
  try {
    // @ts-ignore - comes from the server
    await import("/vega.js");
    const body = getComputedStyle(document.body), target = typeof spec.width === "number" ? make("div") : scrolling("", $(id).getAttribute("aria-label"));
    const look = { ink: body.color, ground: body.backgroundColor };
    const options = { ast: true, defaultStyle: false, actions: false, renderer: "svg", tooltip: { disableDefaultStyle: true } };
    const { view } = await /** @type {any} */ (window).vegaEmbed(target, fitted(spec, place, look), options);
    if (drawn.get(id)?.spec !== spec) return; // a later one is on its way
    place.replaceChildren(menu(id, spec, view), target);
    busy(id, false);
    onView(view);
  } catch (error) { lament(id, error); }
}
function menu(/** @type {string} */ id, /** @type {any} */ spec, /** @type {any} */ view) {
  const name = id.replace("chart-", "tellapart-"), summary = make("summary", "⋯", { title: "Save this chart" });
  summary.setAttribute("aria-label", `Save the chart: ${$(id).getAttribute("aria-label")}`);
  const rows = /** @type {any[]} */ (Object.values(spec.datasets ?? {}).sort((/** @type {any} */ a, /** @type {any} */ b) => b.length - a.length)[0] ?? []);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  /** @type {Record<string, () => any>} */
  const ways = {
    SVG: async () => save(await view.toImageURL("svg"), `${name}.svg`),
    PNG: async () => save(await view.toImageURL("png", 2), `${name}.png`),
    CSV: () => saveText(asCsv([columns, ...rows.map((row) => columns.map((one) => row[one]))]), `${name}.csv`, "text/csv"),
    "Vega-Lite": () => saveText(JSON.stringify(spec, null, 1), `${name}.vl.json`, "application/json"),
  };
  const list = box("div", {}, ...Object.entries(ways).map(([text, onclick]) => make("button", text, { type: "button", onclick })));
  return box("details", { className: "menu save" }, summary, list);
}
/** Why there is no chart, in its place. @param {string} id @param {any} error */
export function lament(id, error) {
  drawn.delete(id);
  $(id).replaceChildren(make("p", error.message, { className: "problem", role: "alert" }));
  busy(id, false);
}
const again = (/** @type {(id: string, width: number) => boolean} */ which) => {
  for (const [id, { spec, onView, width }] of drawn) if (spec && $(id) && which(id, width)) draw(id, { ...spec }, onView);
};
/** Draw again what was drawn while it was hidden, or at another width. */
export const refit = later(() => again((id, width) => Boolean($(id).clientWidth) && Math.abs($(id).clientWidth - width) > 8), 200);
if (globalThis.document) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => again(() => true));
  addEventListener("resize", refit);
}
