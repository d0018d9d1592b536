// What the tabs share: asking the server, charts, tables, the state in the address.

export const $ = (id) => document.getElementById(id);
export const make = (tag, text, properties = {}) => {
  const node = Object.assign(document.createElement(tag), properties);
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
};
export const percent = (x, digits = 1) => `${(100 * x).toFixed(digits)}%`;
export const number = (x) => Number(x).toLocaleString("en", { maximumFractionDigits: 10 });
export const shell = (text) => (/^[\w./=,:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
export const python = (value) => {
  if (value === true || value === false) return value ? "True" : "False";
  if (Array.isArray(value)) return `(${value.map(python).join(", ")}${value.length === 1 ? "," : ""})`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
};
export function later(work, wait) { // once, when the changes have come to rest
  let timer;
  return () => { clearTimeout(timer); timer = setTimeout(work, wait); };
}
export function steadily(work, wait) { // while the changes come, but no more often
  let timer = null;
  return () => { timer ??= setTimeout(() => { timer = null; work(); }, wait); };
}

// asking the server; an answer that is no longer wanted is dropped

const running = {};
export const drop = (key) => running[key]?.abort();
export async function ask(key, path, options, read = (response) => response.json()) {
  drop(key);
  const control = running[key] = new AbortController();
  try {
    const response = await fetch(path, { ...options, signal: control.signal });
    if (response.ok) return await read(response);
    const problem = await response.json().catch(() => ({ message: `The server answered ${response.status}.` }));
    if (running[key] !== control) return null;
    throw Object.assign(new Error(problem.message), problem);
  } catch (error) {
    if (error.name === "AbortError") return null;
    if (error instanceof TypeError) throw new Error("The server does not answer. Is it still running?");
    throw error;
  }
}
export const post = (key, path, body) =>
  ask(key, path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
export const sendFile = (key, path, query, file, read) =>
  ask(key, `${path}?${query}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file }, read);
export const complain = (id, error) => {
  $(id).textContent = error ? error.message : "";
  $(id).hidden = !error;
};

// the state, in the part of the address that stays in the browser

export const state = new URLSearchParams(location.hash.slice(1));
export function remember(values) {
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "" || value === false) state.delete(key);
    else state.set(key, value === true ? "1" : value);
  }
  history.replaceState(null, "", `#${state}`);
}
export const mark = () => history.pushState(null, "", location.href); // a place to come back to
addEventListener("hashchange", () => { if (location.hash.slice(1) !== String(state)) location.reload(); });

// charts, drawn once Vega has come; the page does not wait for it

const drawn = new Map();
export async function draw(id, spec, onView = () => {}) {
  const place = $(id);
  drawn.set(id, { spec, onView });
  if (!spec) return place.replaceChildren();
  place.setAttribute("aria-busy", "true");
  await import("/vega.js");
  const ink = getComputedStyle(document.body).color;
  const ground = getComputedStyle(document.body).backgroundColor;
  const coloured = JSON.parse(JSON.stringify(spec).replaceAll('"currentColor"', JSON.stringify(ink)));
  coloured.background = ground; // or light letters of dark mode would be saved on nothing
  const target = make("div"), room = place.clientWidth;
  if (room && room < 640) { // narrow: the legend goes below, or all would be shrunk
    coloured.config.legend = { ...coloured.config.legend, orient: "bottom", columns: Math.max(1, Math.floor(room / 170)) };
    if (coloured.width > room - 130) coloured.width = Math.max(180, room - 130);
  }
  const options = { ast: true, defaultStyle: false, actions: false, renderer: "svg", tooltip: { disableDefaultStyle: true } };
  const { view } = await window.vegaEmbed(target, coloured, options);
  if (drawn.get(id)?.spec !== spec) return; // a later one is on its way
  const tools = make("p", null, { className: "actions" });
  for (const kind of ["svg", "png"]) {
    const button = make("button", `Chart as ${kind.toUpperCase()}`, { type: "button" });
    button.onclick = async () => save(await view.toImageURL(kind, 2), `tellapart-${id}.${kind}`);
    tools.append(button);
  }
  place.replaceChildren(target, tools);
  place.removeAttribute("aria-busy");
  onView(view);
}
export function lament(id, error) { // why there is no chart, in its place
  drawn.delete(id);
  $(id).replaceChildren(make("p", error.message, { className: "problem", role: "alert" }));
  $(id).removeAttribute("aria-busy");
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const [id, { spec, onView }] of drawn) if ($(id)) draw(id, spec && { ...spec }, onView);
});
const save = (url, name) => make("a", null, { href: url, download: name }).click();
export const saveText = (text, name, kind) => save(URL.createObjectURL(new Blob([text], { type: kind })), name);

// tables

export function fill(place, columns, rows, left = []) {
  const line = (values, tag) => {
    const row = make("tr");
    values.forEach((given, i) => { // a number as [shown, saved]
      const head = tag === "th" || (i === 0 && columns), [value, raw] = [given].flat();
      const cell = make(head ? "th" : "td", value);
      if (raw !== undefined) cell.dataset.raw = raw;
      if (head) cell.scope = tag === "th" ? "col" : "row";
      cell.classList.toggle("left", left.includes(i));
      cell.classList.toggle("words", typeof value === "string" && value.length > 40);
      row.append(cell);
    });
    return row;
  };
  const table = typeof place === "string" ? $(place) : place;
  if (columns) table.tHead.replaceChildren(line(columns, "th"));
  table.tBodies[0].replaceChildren(...rows.map((row) => line(row, "td")));
}
export const flat = (value, start = "") => Object.fromEntries(Object.entries(value).filter(([, one]) => !Array.isArray(one))
  .flatMap(([key, one]) => (one && typeof one === "object" ? Object.entries(flat(one, `${start}${key}_`)) : [[start + key, one]])));
const numbers = new Map(); // what is saved of a place, where that is more than it shows
export function showParts(id, parts, rows) { // sheets and paragraphs, as the library lays them out
  numbers.set(id, rows);
  $(id).replaceChildren(...parts.map((part) => {
    if (!part.columns) return make("p", `${part.lead} ${part.text}`.trim());
    const box = make("div", null, { className: "scroll" }), table = make("table");
    table.createCaption().textContent = part.title;
    table.append(make("thead"), make("tbody"));
    fill(table, part.columns, part.rows, part.left);
    box.append(table);
    return box;
  }));
}
function csv(id) {
  const safe = (text) => (/^[=+@\t\r]|^-(?!(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$)/.test(text) ? `'${text}` : text); // or a spreadsheet would compute it
  const quote = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = numbers.get(id), names = [...new Set(rows?.flatMap((row) => Object.keys(row)))];
  const shown = () => [...$(id).querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.dataset.raw ?? cell.textContent));
  const lines = rows ? [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))] : shown();
  return lines.map((line) => line.map((value) => quote(safe(String(value)))).join(",")).join("\n") + "\n";
}
document.addEventListener("click", async ({ target }) => {
  if (target.dataset?.csv) saveText(csv(target.dataset.csv), `tellapart-${target.dataset.csv}.csv`, "text/csv");
  if (target.dataset?.copy) {
    const text = $(target.dataset.copy), said = target.textContent;
    text.hidden = false;
    const copied = await navigator.clipboard?.writeText(text.textContent).then(() => true, () => false);
    target.textContent = copied ? "Copied" : "Shown below";
    setTimeout(() => { target.textContent = said; }, 1200);
  }
});
