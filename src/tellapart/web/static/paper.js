// @ts-check
// Does it agree with the paper? The published tables, recomputed.

import { $, busy, make } from "./dom.js";
import { ask } from "./server.js";
import { remember, state } from "./address.js";
import { showParts } from "./tables.js";

/** @type {string[] | null} */
let names = null;
export async function showPaper() {
  for (const id of ["paper-big", "paper-table"]) busy(id, true);
  $("paper-words").textContent = "Recomputing …";
  try {
    if (!names) {
      const all = await ask("names", "/api/paper");
      if (!all) return;
      names = all;
      $("published").replaceChildren(...all.map((/** @type {string} */ name) => make("option", name)));
      if (all.includes(state.get("published"))) $("published").value = state.get("published");
      $("published").onchange = showPaper;
    }
    remember({ published: $("published").value });
    const found = await ask("paper", `/api/paper/${encodeURIComponent($("published").value)}`);
    if (!found) return;
    $("paper-value").textContent = `${found.matched} of ${found.informative}`;
    $("paper-label").textContent = `informative cells come out as printed, to the last digit${found.matched < found.informative ? "; the table says why the rest does not" : ""}`;
    $("paper-big").classList.toggle("warn", found.differing.some((/** @type {any} */ cell) => !cell.why));
    $("paper-words").textContent = `“${found.title}”, computed as in the paper.`;
    showParts("paper-table", found.sheets);
  } catch (error) { $("paper-words").textContent = /** @type {Error} */ (error).message; }
  for (const id of ["paper-big", "paper-table"]) busy(id, false);
}
