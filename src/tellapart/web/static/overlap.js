// @ts-check
// What "found four times in five" means: what comes out if there is no difference, and if there is the true one.

import { percent, points } from "./words.js";

const HIGH = 150, FOOT = 24;
/** @param {string} tag @param {Record<string, any>} attributes @param {string} [text] */
function node(tag, attributes, text) {
  const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, String(value));
  if (text) one.textContent = text;
  return one;
}
/** @param {HTMLElement} place @param {any} found a plan with sd, the difference that comes out significant, and the true one; without a plan, the power is only wished for */
export function overlap(place, found) {
  const sd = Math.SQRT2 * found.sd, cut = found.measurable_difference, truth = found.difference ?? found.difference_at_power, power = found.power;
  place.hidden = found.found === false || !(sd > 0 && cut > 0 && truth > 0 && power > 0);
  if (place.hidden) return;
  const WIDE = place.clientWidth || 560, low = -3 * sd, high = Math.max(truth, cut) + 3 * sd;
  const x = (/** @type {number} */ v) => ((v - low) / (high - low)) * WIDE;
  const y = (/** @type {number} */ v, /** @type {number} */ mean) => HIGH - FOOT - (HIGH - FOOT - 26) * Math.exp(-(((v - mean) / sd) ** 2) / 2);
  const curve = (/** @type {number} */ mean, /** @type {number} */ from) => Array.from({ length: 121 }, (_, i) => from + ((high - from) * i) / 120).map((v) => `${x(v).toFixed(1)},${y(v, mean).toFixed(1)}`);
  const area = (/** @type {number} */ mean, /** @type {string} */ name) => node("polygon", { class: name, points: [`${x(cut)},${HIGH - FOOT}`, ...curve(mean, cut), `${WIDE},${HIGH - FOOT}`].join(" ") });
  const claimed = `claimed beyond ${points(cut)}: ${percent(power, 0)} of the time`, wide = 7 * claimed.length; // pixels, about
  const said = `A difference is claimed only if the estimate exceeds ${points(cut)}. If the true difference is ${points(truth)}, that happens ${percent(power, 0)} of the time.`;
  const svg = node("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": said });
  svg.append(
    area(truth, "power"),
    node("polyline", { class: "null", points: curve(0, low).join(" ") }), node("polyline", { class: "true", points: curve(truth, low).join(" ") }),
    node("line", { class: "cut", x1: x(cut), x2: x(cut), y1: 18, y2: HIGH - FOOT }),
    node("text", { x: Math.max(x(0), 45), y: HIGH - 6, "text-anchor": "middle" }, "no difference"),
    node("text", { x: Math.min(x(truth), WIDE - 60), y: HIGH - 6, "text-anchor": "middle" }, `true: ${points(truth)}`),
    node("text", x(cut) > WIDE / 2 ? { x: Math.min(WIDE, Math.max(x(cut) - 5, wide)), y: 12, "text-anchor": "end" } : { x: Math.max(0, Math.min(x(cut) + 5, WIDE - wide)), y: 12 }, claimed),
  );
  place.replaceChildren(svg, Object.assign(document.createElement("figcaption"), { textContent: said }));
}
