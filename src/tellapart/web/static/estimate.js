// @ts-check
// How good is my system? Its rate, from counts.

import { $, busy, later, make } from "./dom.js";
import { complain, drop, post } from "./server.js";
import { remember, state, whenChanged } from "./address.js";
import { broken } from "./fields.js";
import { caution } from "./verdict.js";
import { percent, single } from "./words.js";

/** @type {Record<string, [string, string | number, string]>} in the address, at first, in the request */
const FIELDS = {
  "e-pos": ["human_pos", 60, "human.0"], "e-n": ["human_n", 100, "human.1"], "e-mpos": ["metric_pos", 1190, "metric.0"], "e-mn": ["metric_n", 2000, "metric.1"],
  "e-tp": ["tp", 54, "calibration.tp"], "e-fn": ["fn", 6, "calibration.fn"], "e-tn": ["tn", 36, "calibration.tn"], "e-fp": ["fp", 4, "calibration.fp"],
};
/** @type {Record<string, [string, string]>} */
const CHOICES = { "e-sampling": ["e_sampling", "random"], "e-prior": ["e_prior", "uniform"] };
const read = (/** @type {string} */ id) => Number($(id).value);
const judged = () => $("e-judge").checked;
const chosen = () => Object.fromEntries(Object.entries(CHOICES).filter(([id, [, usual]]) => $(id).value !== usual).map(([id]) => [id.slice(2), $(id).value]));

/** @returns {any} */
function request() {
  return { human: [read("e-pos"), read("e-n")], ...(judged() && { metric: [read("e-mpos"), read("e-mn")], calibration: Object.fromEntries(["tp", "fn", "tn", "fp"].map((name) => [name, read(`e-${name}`)])) }), ...chosen() };
}
/** @param {any} body */
function calls({ human, metric, calibration, ...more }) {
  const counts = calibration && Object.entries(calibration).map(([name, n]) => `${name}=${n}`), rest = Object.entries(more);
  return {
    command: `tellapart estimate --human ${human.join("/")}${counts ? ` --calibration ${counts.join(",")} --metric ${metric.join("/")}` : ""}${rest.map(([name, one]) => ` --${name} ${one}`).join("")}`,
    python: `import tellapart as ta\nprint(ta.estimate(human=(${human.join(", ")})${counts ? `, calibration=ta.Confusion(${counts.join(", ")}), metric=(${metric.join(", ")})` : ""}${rest.map(([name, one]) => `, ${name}="${one}"`).join("")}))`,
  };
}
/** Say beside a field what is wrong with it. @param {string} id @param {string} words */
const mark = (id, words) => {
  $(id).setAttribute("aria-invalid", String(Boolean(words)));
  $(`${id}-wrong`).textContent = words;
};
/** Say what is wrong, beside the field if it is one's; the last answer is not one to these numbers. @param {any} [error] */
function refuse(error) {
  const at = error?.field === "positive" ? (read("e-pos") > read("e-n") ? "e-pos" : "e-mpos") : Object.keys(FIELDS).find((id) => FIELDS[id][2] === error?.field);
  if (at) mark(at, broken({ rule: error.rule }));
  complain("e-error", at ? null : error);
  $("e-value").textContent = "–";
  $("e-label").textContent = "see what is wrong with the numbers";
  for (const id of ["e-words", "e-cautions"]) $(id).replaceChildren();
  $("e-big").classList.add("warn");
  $("e-range").hidden = true;
}
function show(/** @type {any} */ found) {
  const { value, label, warn, shown } = single("the system's", found, found.doubts.length > 0);
  $("e-value").textContent = value;
  $("e-label").textContent = shown ? `${label} with ${percent(found.confidence_level, 0)} probability` : label;
  $("e-big").classList.toggle("warn", warn);
  $("e-words").textContent = found.summary;
  $("e-cautions").replaceChildren(...found.said.cautions.map((/** @type {any} */ one) => caution(one, "e-")));
  $("e-range").hidden = !shown;
  if (shown) for (const [name, one] of Object.entries({ ...shown.interval, mean: shown.mean })) $("e-range").style.setProperty(`--${name}`, one);
  $("e-range").setAttribute("aria-label", $("e-label").textContent);
}
async function answer() {
  $("e-judged").hidden = !judged();
  const asked = Object.keys(FIELDS).filter((id) => judged() || FIELDS[id][2].startsWith("human"));
  remember({ ...Object.fromEntries(Object.entries({ ...FIELDS, ...CHOICES }).map(([id, [name, usual]]) => [name, $(id).value === String(usual) ? null : $(id).value])), people: !judged() });
  for (const id of Object.keys(FIELDS)) mark(id, "");
  const missing = asked.filter((id) => $(id).value === "");
  for (const id of missing) mark(id, "a number, please");
  drop("estimate");
  if (missing.length) return refuse();
  const body = request();
  busy("e-answer", true);
  try {
    const found = await post("estimate", "/api/estimate", body);
    if (!found) return;
    complain("e-error");
    show(found);
    const { command, python } = calls(body);
    $("e-command").textContent = command;
    $("e-python").textContent = python;
  } catch (error) { refuse(error); } finally { busy("e-answer", false); }
}
function restore() {
  for (const [id, [name, usual]] of Object.entries({ ...FIELDS, ...CHOICES })) $(id).value = state.get(name) ?? usual;
  $("e-judge").checked = state.get("people") !== "1";
  answer();
}
let started = false;
export function showEstimate() {
  if (started) return;
  started = true;
  for (const id of Object.keys(FIELDS)) $(id).after(" ", make("span", "", { id: `${id}-wrong`, className: "problem", role: "alert" }));
  for (const id of [...Object.keys(FIELDS), "e-judge"]) $(id).oninput = later(answer, 120);
  for (const id of Object.keys(CHOICES)) $(id).onchange = answer;
  whenChanged((now) => { if (now.get("tab") === "estimate") restore(); });
  restore();
}
