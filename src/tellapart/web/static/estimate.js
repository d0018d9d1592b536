// @ts-check
// How good is my system? Its rate, from counts.

import { $, busy, later } from "./dom.js";
import { complain, post } from "./server.js";
import { remember, state, whenChanged } from "./address.js";
import { percent } from "./words.js";

/** @type {Record<string, [string, number]>} */
const FIELDS = { "e-pos": ["human_pos", 60], "e-n": ["human_n", 100], "e-tp": ["tp", 54], "e-fn": ["fn", 6], "e-tn": ["tn", 36], "e-fp": ["fp", 4], "e-mpos": ["metric_pos", 1190], "e-mn": ["metric_n", 2000] };
const read = (/** @type {string} */ id) => Number($(id).value || 0);

/** @returns {any} */
function request() {
  const judged = $("e-judge").checked;
  return { human: [read("e-pos"), read("e-n")], ...(judged && { metric: [read("e-mpos"), read("e-mn")], calibration: Object.fromEntries(["tp", "fn", "tn", "fp"].map((name) => [name, read(`e-${name}`)])) }) };
}
/** @param {any} body */
function calls({ human, metric, calibration }) {
  const counts = calibration && Object.entries(calibration).map(([name, n]) => `${name}=${n}`);
  return {
    command: `tellapart estimate --human ${human.join("/")}${counts ? ` --calibration ${counts.join(",")} --metric ${metric.join("/")}` : ""}`,
    python: `import tellapart as ta\nprint(ta.estimate(human=(${human.join(", ")})${counts ? `, calibration=ta.Confusion(${counts.join(", ")}), metric=(${metric.join(", ")})` : ""}))`,
  };
}
async function answer() {
  $("e-judged").hidden = !$("e-judge").checked;
  const body = request();
  remember({ ...Object.fromEntries(Object.entries(FIELDS).map(([id, [name, usual]]) => [name, $(id).value === String(usual) ? null : $(id).value])), people: !$("e-judge").checked });
  busy("e-answer", true);
  try {
    const found = await post("estimate", "/api/estimate", body);
    if (!found) return;
    complain("e-error");
    const { low, high } = found.interval;
    $("e-value").textContent = percent(found.mean);
    $("e-label").textContent = `of its outputs are adequate, between ${percent(low)} and ${percent(high)} with ${percent(found.confidence_level, 0)} probability`;
    $("e-words").textContent = found.summary;
    for (const [name, one] of Object.entries({ low, high, mean: found.mean })) $("e-range").style.setProperty(`--${name}`, one);
    $("e-range").setAttribute("aria-label", $("e-label").textContent);
    const { command, python } = calls(body);
    $("e-command").textContent = command;
    $("e-python").textContent = python;
    $("e-answer").classList.remove("stale");
  } catch (error) {
    complain("e-error", error);
    $("e-answer").classList.add("stale");
  } finally { busy("e-answer", false); }
}
function restore() {
  for (const [id, [name, usual]] of Object.entries(FIELDS)) $(id).value = state.get(name) ?? usual;
  $("e-judge").checked = state.get("people") !== "1";
  answer();
}
let started = false;
export function showEstimate() {
  if (started) return;
  started = true;
  for (const id of [...Object.keys(FIELDS), "e-judge"]) $(id).oninput = later(answer, 120);
  whenChanged((now) => { if (now.get("tab") === "estimate") restore(); });
  restore();
}
