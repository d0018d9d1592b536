// @ts-check
// The page: five questions, answers at every change, the state in the address.

import { $ } from "./dom.js";
import { mark, remember, state, whenChanged } from "./address.js";
import { refit } from "./charts.js";
import { startPlan, take } from "./plan.js";
import { startCompare } from "./compare.js";
import { showEstimate } from "./estimate.js";
import { showJudge, startJudge } from "./metrics.js";
import { showPaper } from "./paper.js";

const tabs = ["plan", "compare", "estimate", "judge", "paper"];
/** @param {string | null} name */
function show(name) {
  const now = name && tabs.includes(name) ? name : "plan";
  for (const tab of tabs) {
    $(tab).hidden = tab !== now;
    $(`tab-${tab}`).setAttribute("aria-selected", String(tab === now));
    $(`tab-${tab}`).tabIndex = tab === now ? 0 : -1;
  }
  $(`tab-${now}`).scrollIntoView({ block: "nearest", inline: "nearest" });
  remember({ tab: now });
  if (now === "estimate") showEstimate();
  if (now === "judge") showJudge();
  if (now === "paper") showPaper();
  refit();
}
for (const tab of tabs) {
  $(`tab-${tab}`).onclick = () => { mark(); show(tab); };
  $(`tab-${tab}`).onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    show(next);
    $(`tab-${next}`).focus();
  };
}
for (const form of document.forms) form.onsubmit = (event) => event.preventDefault();
whenChanged((now) => show(now.get("tab")));
startPlan();
startCompare((numbers) => {
  mark();
  show("plan");
  take(numbers);
  scrollTo({ top: 0 });
});
startJudge(); // after the comparison, which forgets the choices of the last file
show(state.get("tab"));
