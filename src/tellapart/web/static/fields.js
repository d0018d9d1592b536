// @ts-check
// The numbers of a plan: sliders and inputs, one or two thumbs, and what is wrong with them, beside them.

import { $, box, make, symbol, what } from "./dom.js";

const SHARE = { min: 0, max: 1, step: 0.01 };
/** @type {any[]} */
export const FIELDS = [
  { name: "n_human", at: "size", label: "human ratings", symbol: "n_Φ", value: 200, min: 0, max: 1e9, log: [1, 1e5], help: "Outputs of each system that people rate." },
  { name: "n_metric", at: "size", label: "metric ratings", symbol: "n_M", value: 5000, min: 0, max: 1e9, log: [1, 1e6], help: "Outputs of each system that only the judge or metric rates; 0 to plan without it." },
  { name: "difference", at: "size", label: "true difference", symbol: "", value: 0.05, min: 0.001, max: 1, step: 0.005, top: 0.5, help: "Between the two systems' rates, that you want to find; 0.05 is 5 points." },
  { name: "power", at: "size", label: "power", symbol: "1−β", value: 0.8, min: 0.06, max: 0.999, step: 0.01, help: "How often such a difference is to be found, if it is there." },
  { name: "rate", at: "guess", label: "rate", symbol: "α", value: 0.6, ...SHARE, help: "The share of adequate outputs that you expect: the mean of the two systems." },
  { name: "rate_high", of: "rate", label: "rate, at most", value: "", ...SHARE },
  { name: "agree", at: "guess", label: "the judge agrees with people", symbol: "ρ = η", value: 0.8, ...SHARE, help: "How often judge and people say the same, of adequate and of inadequate outputs alike." },
  { name: "tpr", at: "guess", label: "true positive rate", symbol: "ρ", value: 0.8, ...SHARE, help: "How often the judge passes an adequate output." },
  { name: "tpr_high", of: "tpr", label: "true positive rate, at most", value: "", ...SHARE },
  { name: "tnr", at: "guess", label: "true negative rate", symbol: "η", value: 0.8, ...SHARE, help: "How often the judge fails an inadequate output." },
  { name: "tnr_high", of: "tnr", label: "true negative rate, at most", value: "", ...SHARE },
  { name: "n_calibration", at: "fine", label: "outputs with both ratings", symbol: "n_ρη", value: "", min: 0, max: 1e9, log: [1, 1e5], help: "They tell how the judge errs. Empty: the human-rated ones." },
  { name: "calibration_rate", at: "fine", label: "share of adequate ones among these", symbol: "ψ", value: "", ...SHARE, help: "Empty: the rate." },
  { name: "confidence_level", at: "fine", label: "confidence level", symbol: "1−γ", value: 0.95, min: 0.5, max: 0.999, step: 0.01, help: "0.95: where there is no difference, one is claimed at most 5% of the time." },
  { name: "budget", at: "money", label: "budget", symbol: "B", value: 2000, min: 1, max: 1e12, log: [10, 1e6], help: "For all systems together." },
  { name: "cost_human", at: "money", label: "price of a human rating", symbol: "c_h", value: 1, min: 0.001, max: 1e9, log: [0.01, 100], help: "In any currency, the same for all prices." },
  { name: "cost_metric", at: "money", label: "price of a metric rating", symbol: "c_m", value: 0.01, min: 0, max: 1e9, log: [0.0001, 10], help: "0 where it costs nothing." },
  { name: "cost_fixed", at: "money", label: "fixed costs", symbol: "", value: 0, min: 0, max: 1e12, log: [1, 1e5], help: "Fixed costs of the campaign." },
  { name: "systems", at: "money", label: "systems", symbol: "", value: 2, min: 1, max: 1000, step: 1, top: 20, help: "How many are rated." },
];
export const NAMES = FIELDS.map((field) => field.name).filter((name) => name !== "agree");
/** @param {string} name */
const field = (name) => FIELDS.find((one) => one.name === name);
/** @param {string} name */
export const label = (name) => field(name)?.label ?? name;
/** @param {string} name */
export const value = (name) => ($(name).value === "" ? null : Number($(name).value));

/** The place on a slider, 0 to 1 where it is logarithmic; its lower end is 0 where the number may be. @param {any} one @param {number} given */
function toSlider(one, given) {
  if (!one.log) return given;
  const [low, high] = one.log.map(Math.log10);
  return given > 0 ? Math.max(one.min === 0 ? 0.01 : 0, (Math.log10(given) - low) / (high - low)) : 0;
}
/** @param {any} one @param {number} place */
function fromSlider(one, place) {
  if (!one.log) return place;
  if (place === 0 && one.min === 0) return 0;
  const [low, high] = one.log.map(Math.log10), given = 10 ** (low + place * (high - low));
  return one.name.startsWith("n_") || given >= 100 ? Math.round(Number(given.toPrecision(given >= 100 ? 3 : 2))) : Number(given.toPrecision(2));
}
/** @param {string} name @param {any} given */
export function put(name, given) {
  $(name).value = given;
  field(name).slider.value = given === "" && field(name).of ? value(field(name).of) : toSlider(field(name), Number(given));
}
/** @param {(name: string) => void} changed */
export function build(changed) {
  for (const one of FIELDS) {
    const slider = make("input", null, { type: "range", min: one.log ? 0 : one.min, max: one.log ? 1 : one.top ?? one.max, step: one.log ? 0.005 : one.step });
    const input = make("input", null, { type: "number", id: one.name, min: one.min, max: one.max, step: "any", value: one.value });
    slider.setAttribute("aria-label", `${one.label}, slider`);
    slider.oninput = () => { input.value = fromSlider(one, Number(slider.value)); changed(one.name); };
    input.oninput = () => { slider.value = toSlider(one, Number(input.value)); changed(one.name); };
    one.slider = slider;
    input.setAttribute("aria-describedby", `wrong-${one.name}${one.of ? "" : ` help-${one.name}`}`);
    const wrong = make("p", "", { className: "problem", id: `wrong-${one.name}`, role: "alert", hidden: true });
    if (one.of) { // the second thumb
      input.setAttribute("aria-label", one.label);
      const to = box("span", { className: "to", id: `box-${one.name}`, hidden: true }, " to ", input);
      slider.className = "second";
      $(`thumbs-${one.of}`).append(slider);
      $(`thumbs-${one.of}`).after(to);
      $(`box-${one.of}`).append(wrong);
      continue;
    }
    const head = box("div", { className: "head" }, make("label", one.label, { htmlFor: one.name }), what(one.label, one.help, `help-${one.name}`), one.symbol ? symbol(one.symbol) : "");
    const thumbs = box("div", { className: "thumbs", id: `thumbs-${one.name}` }, slider);
    $(`fields-${one.at}`).append(box("div", { className: "field", id: `box-${one.name}` }, head, box("div", { className: "pair" }, input, thumbs), wrong));
    thumbs.before(input);
  }
}
/** Say what is wrong beside the field, and return whether it was said. @param {any} error */
export function markWrong(error) {
  let told = false;
  const named = (error?.field ?? "").split(/[ .]/);
  const alike = !$("box-agree").hidden && (named.includes("tpr") || named.includes("tnr"));
  for (const one of FIELDS) {
    /** @type {boolean} */
    const hit = !told && (one.name === "agree" ? alike : named.includes(one.name) && !(alike && /^t[pn]r/.test(one.name)));
    $(one.name).setAttribute("aria-invalid", String(hit));
    $(`wrong-${one.name}`).hidden = !hit;
    $(`wrong-${one.name}`).textContent = hit ? broken(error) : "";
    if (hit && one.at === "fine") $("fine").open = true;
    told ||= hit && $(one.name).offsetParent !== null;
  }
  return told;
}
/** A rule and a hint, in the words of the page. @param {any} error */
export function broken({ rule = "", hint = "" }) {
  const words = [`${/^(be|differ|have)\b/.test(rule) ? "must " : ""}${rule}`, hint].filter(Boolean).join("; ").replaceAll(/\b=(?=\d)/g, " ");
  return NAMES.reduce((text, name) => text.replaceAll(new RegExp(`\`?(--)?\\b${name.replaceAll("_", "[-_]")}\\b\`?`, "g"), label(name)), words);
}
