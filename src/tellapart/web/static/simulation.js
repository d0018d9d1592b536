// @ts-check
// Is the power what the plan says? Whole campaigns, simulated, with their progress, until they are stopped.

import { $, once } from "./dom.js";
import { ask, drop, post } from "./server.js";
import { number, points } from "./words.js";

const tell = (/** @type {string} */ words) => { $("simulation").textContent = words; };
function showProgress(/** @type {number} */ done, /** @type {number} */ runs) {
  $("simulated").hidden = false;
  $("simulated").max = runs;
  $("simulated").value = done;
  $("simulated-words").textContent = `${number(done)} of ${number(runs)}`;
}
/** @param {() => Record<string, any> | null} campaign */
async function simulate(campaign) {
  const asked = campaign();
  if (!asked) return;
  if (asked.difference === null) return tell("No difference would be found: there is nothing to simulate.");
  const runs = Number($("runs").value || 400), ticket = crypto.randomUUID?.() ?? String(Math.random());
  tell(`Simulating campaigns with a true difference of ${points(asked.difference)} …`);
  showProgress(0, runs);
  const clock = setInterval(async () => {
    const now = await ask("progress", `/api/progress/${ticket}`).catch(() => null);
    if (now && !$("simulated").hidden) showProgress(now.done, runs);
  }, 400);
  $("stop").hidden = false;
  try {
    const found = await post("simulation", `/api/simulation?ticket=${ticket}`, { ...asked, runs });
    tell(found ? found.summary : `Stopped at ${$("simulated-words").textContent} campaigns.`);
  } catch (error) { tell(/** @type {Error} */ (error).message); }
  clearInterval(clock);
  $("simulated").hidden = $("stop").hidden = true;
  $("simulated-words").textContent = "";
}
/** Nothing was simulated of the numbers as they are now. */
export function forgetSimulation() {
  drop("simulation");
  tell("");
}
/** @param {() => Record<string, any> | null} campaign */
export function startSimulation(campaign) {
  once("simulate", "Simulating …", () => simulate(campaign));
  $("stop").onclick = () => drop("simulation");
}
