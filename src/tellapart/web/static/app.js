// The page: three tabs, answers at every change, the state in the address.

import { $, mark, remember, state } from "./page.js";
import { startPlan } from "./plan.js";
import { startCompare } from "./compare.js";
import { showPaper } from "./paper.js";

const tabs = ["plan", "compare", "paper"];
function show(name) {
  for (const tab of tabs) {
    const chosen = tab === name;
    $(tab).hidden = !chosen;
    $(`tab-${tab}`).setAttribute("aria-selected", String(chosen));
    $(`tab-${tab}`).tabIndex = chosen ? 0 : -1;
  }
  remember({ tab: name });
  if (name === "paper") showPaper();
}
for (const tab of tabs) {
  $(`tab-${tab}`).onclick = () => { mark(); show(tab); };
  $(`tab-${tab}`).onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    show(next);
    $(`tab-${next}`).focus();
  };
}
for (const form of document.forms) form.onsubmit = (event) => event.preventDefault();
show(tabs.includes(state.get("tab")) ? state.get("tab") : "plan");
startPlan();
startCompare();
