// @ts-check
// Tables: drawn by one function, saved as CSV, and text that is copied.

import { $, flash, make } from "./dom.js";
import { cell } from "./words.js";

/** @param {string} url @param {string} name */
export const save = (url, name) => make("a", null, { href: url, download: name }).click();
/** @param {string} text @param {string} name @param {string} kind */
export const saveText = (text, name, kind) => save(URL.createObjectURL(new Blob([text], { type: kind })), name);

/** @param {any} place a table or its id @param {any[] | null} columns @param {any[][]} rows @param {number[]} left */
export function fill(place, columns, rows, left = []) {
  const line = (/** @type {any[]} */ values, /** @type {string} */ tag) => {
    const row = make("tr");
    values.forEach((given, i) => { // a number as [shown, saved]
      const head = tag === "th" || (i === 0 && columns), [value, raw] = [given].flat();
      const one = make(head ? "th" : "td", value);
      if (raw !== undefined) one.dataset.raw = raw;
      if (head) one.scope = tag === "th" ? "col" : "row";
      one.classList.toggle("left", left.includes(i));
      one.classList.toggle("words", typeof value === "string" && value.length > 40);
      row.append(one);
    });
    return row;
  };
  const table = typeof place === "string" ? $(place) : place;
  if (columns) table.tHead.replaceChildren(line(columns, "th"));
  table.tBodies[0].replaceChildren(...rows.map((row) => line(row, "td")));
}
/** A place that scrolls sideways, and can be reached by keyboard. @param {any} child @param {string} label */
export function scrolling(child, label) {
  const place = make("div", null, { className: "scroll", tabIndex: 0, role: "region", ariaLabel: label });
  place.append(child);
  return place;
}
/** @param {any} part @returns {any} */
export function sheet(part) {
  const table = make("table");
  table.createCaption().textContent = part.title;
  table.append(make("thead"), make("tbody"));
  fill(table, part.columns, part.rows, part.left);
  return scrolling(table, part.title || "Table");
}
/** @type {(value: object, start?: string) => Record<string, any>} */
export const flat = (value, start = "") => Object.fromEntries(Object.entries(value).filter(([, one]) => !Array.isArray(one))
  .flatMap(([key, one]) => (one && typeof one === "object" ? Object.entries(flat(one, `${start}${key}_`)) : [[start + key, one]])));
const numbers = new Map(); // what is saved of a place, where that is more than it shows
/** Sheets and paragraphs, as the library lays them out. @param {string} id @param {any[]} parts @param {any[]} [rows] */
export function showParts(id, parts, rows) {
  numbers.set(id, rows);
  $(id).replaceChildren(...parts.map((part) => (part.columns ? sheet(part) : make("p", `${part.lead} ${part.text}`.trim()))));
}
/** @param {any[][]} lines */
export const asCsv = (lines) => lines.map((line) => `${line.map(cell).join(",")}\n`).join("");
function csv(/** @type {string} */ id) {
  const rows = numbers.get(id), names = [...new Set(rows?.flatMap((/** @type {object} */ row) => Object.keys(row)))];
  const shown = () => [...$(id).querySelectorAll("tr")].map((row) => [...row.cells].map((one) => one.dataset.raw ?? one.textContent));
  return asCsv(rows ? [names, ...rows.map((/** @type {any} */ row) => names.map((name) => row[name] ?? ""))] : shown());
}
if (globalThis.document) {
  document.addEventListener("click", async (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.dataset?.csv) saveText(csv(target.dataset.csv), `tellapart-${target.dataset.csv}.csv`, "text/csv");
    if (!target.dataset?.copy) return;
    const text = $(target.dataset.copy);
    const copied = await navigator.clipboard?.writeText(text.textContent).then(() => true, () => false);
    if (!copied) text.hidden = false;
    flash(target, copied ? "Copied" : "Shown below");
  });
}
