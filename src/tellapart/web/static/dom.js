// @ts-check
// Nodes of the page, and menus that close when one turns away from them.

/** @type {(id: string) => any} */
export const $ = (id) => document.getElementById(id);
/** @type {(tag: string, text?: any, properties?: object) => any} */
export const make = (tag, text, properties = {}) => {
  const node = Object.assign(document.createElement(tag), properties);
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
};
/** @type {(tag: string, properties: object, ...children: any[]) => any} */
export const box = (tag, properties, ...children) => {
  const node = make(tag, null, properties);
  node.append(...children);
  return node;
};
/** A symbol such as n_Φ, with its index below. @param {string} text */
export function symbol(text) {
  const [name, index] = text.split("_"), node = make("i", name);
  if (index) node.append(make("sub", index));
  return node;
}
/** What a term means, behind a question mark. @param {string} term @param {string} text @param {string} [id] */
export function what(term, text, id = "") {
  const summary = make("summary", "?");
  summary.setAttribute("aria-label", `What is meant by ${term}?`);
  return box("details", { className: "what menu" }, summary, make("p", text, { id }));
}
/** What waits is pale, but not for a moment: most answers come sooner. @param {string} id @param {boolean} on */
export function busy(id, on) {
  const node = $(id);
  clearTimeout(node.waits);
  node.removeAttribute("aria-busy");
  node.classList.remove("pale");
  if (!on) return;
  node.setAttribute("aria-busy", "true");
  node.waits = setTimeout(() => node.classList.add("pale"), 150);
}
/** A group of radio buttons that look like chips. @param {string} id */
export const chosen = (id) => $(id).querySelector("input:checked")?.value ?? "";
/** @param {string} id @param {string} value */
export function choose(id, value) {
  const radio = [...$(id).querySelectorAll("input")].find((one) => one.value === value);
  if (radio) radio.checked = true;
}
export function chips(/** @type {string} */ id, /** @type {Record<string, string>} */ options, /** @type {(value: string) => void} */ change) {
  $(id).append(...Object.entries(options).map(([value, text]) => box("label", { className: "chip" }, make("input", null, { type: "radio", name: id, id: `${id}-${value}`, value, onchange: () => change(value) }), make("span", text))));
}
/** Once, when the changes have come to rest. @param {() => void} work @param {number} wait */
export function later(work, wait) {
  let timer = 0;
  return () => { clearTimeout(timer); timer = setTimeout(work, wait); };
}
/** At once, and while the changes come, but no more often. @param {() => void} work @param {number} wait */
export function steadily(work, wait) {
  let timer = 0, next = 0;
  return () => { timer ||= setTimeout(() => { [timer, next] = [0, performance.now() + wait]; work(); }, next - performance.now()); };
}
/** Words for a moment in place of a button's own, however often it is clicked. @param {any} button @param {string} words */
export function flash(button, words, wait = 1200) {
  button.dataset.own ??= button.textContent;
  button.textContent = words;
  clearTimeout(button.timer);
  button.timer = setTimeout(() => { button.textContent = button.dataset.own; }, wait);
}
/** A button that works on one click at a time. @param {string} id @param {string} words @param {() => Promise<void>} work */
export function once(id, words, work) {
  $(id).onclick = async () => {
    if ($(id).disabled) return;
    const own = $(id).textContent;
    $(id).disabled = true;
    $(id).textContent = words;
    try { await work(); } finally {
      $(id).disabled = false;
      $(id).textContent = own;
    }
  };
}

const menus = () => /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("details.menu[open]")]);
if (globalThis.document) {
  for (const away of ["pointerdown", "focusin"]) document.addEventListener(away, ({ target }) => { for (const menu of menus()) if (!menu.contains(/** @type {Node} */ (target))) menu.open = false; });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of menus()) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}
