// @ts-check
// Is my judge any good? Metrics ranked by their worth, one click to use another.

import { $, box, busy, make } from "./dom.js";
import { complain, sendFile } from "./server.js";
import { choices, problem } from "./choices.js";
import { body, data, described, whenTaken } from "./sources.js";
import { percent } from "./words.js";
import { showParts } from "./tables.js";

/** @param {any} found @param {string[]} used @param {((name: string) => void) | null} use */
function rows(found, used, use) {
  return found.metrics.map((/** @type {any} */ one) => {
    const bar = make("span", "", { className: "bar" });
    bar.style.setProperty("--share", String(one.worth));
    const range = `${percent(one.worth, 0)} (${percent(one.interval.low, 0)} to ${percent(one.interval.high, 0)})`;
    const row = box("li", { className: used.includes(one.metric) ? "used" : "" }, make("span", one.metric), bar, make("b", one.repeats ? "repeats the human ratings" : range));
    if (use) row.append(used.includes(one.metric) ? make("span", "in use") : make("button", "Use this", { type: "button", ariaLabel: `Use ${one.metric}`, onclick: () => use(one.metric) }));
    return row;
  });
}
const asked = (/** @type {any} */ given) => {
  const query = described(given);
  for (const [name, value] of Object.entries(choices())) if (["system", "item", "human", "annotator", "votes", "human_cut", "where"].includes(name)) for (const one of [value].flat()) query.append(name, one);
  return query;
};
/** The ranking beside a comparison. @param {any} roles @param {(name: string) => void} use */
export async function rankBeside(roles, use) {
  $("ranking-box").hidden = true;
  if (!data || !roles) return;
  try {
    const found = await sendFile("ranking", "/api/metrics", asked(data), body(data));
    if (!found) return;
    $("ranking").replaceChildren(...rows(found, roles.metric, use));
    $("ranking-box").hidden = !found.metrics.length;
  } catch { /* the comparison stands without it */ }
}
async function answer() {
  if (!data || $("judge").hidden) return;
  complain("judge-error");
  $("judge-answer").hidden = false;
  busy("judge-answer", true);
  $("judge-words").textContent = `Judging the metrics of ${data.names.join(", ")} …`;
  try {
    const found = await sendFile("judge", "/api/metrics", asked(data), body(data));
    if (!found) return;
    const best = found.metrics.find((/** @type {any} */ one) => !one.repeats);
    $("judge-value").textContent = best ? percent(best.worth, 0) : "None";
    $("judge-label").textContent = best ? `${best.metric} can replace at most ${percent(best.worth, 0)} of the human ratings` : "no column could be judged as a metric";
    $("judge-big").classList.toggle("warn", !best || best.worth < 0.1);
    $("judge-read").textContent = `Read from ${data.names.join(", ")}.`;
    $("judge-words").textContent = found.summary.replaceAll("`", "");
    $("judge-ranking").replaceChildren(...rows(found, best ? [best.metric] : [], null));
    showParts("judge-table", found.sheets);
  } catch (error) {
    $("judge-answer").hidden = true;
    problem("judge-error", error);
  } finally { busy("judge-answer", false); }
}
/** @type {any} */
let shown = null;
let how = ""; // it was read
export function showJudge() {
  const now = data ? String(asked(data)) : "";
  if (data === shown && now === how) return;
  [shown, how] = [data, now];
  answer();
}
export const startJudge = () => whenTaken(() => { if (!$("judge").hidden) showJudge(); });
