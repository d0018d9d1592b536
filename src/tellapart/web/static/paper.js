// The published tables, recomputed.

import { $, ask, make, remember, showParts, state } from "./page.js";

let names = null;
export async function showPaper() {
  $("paper-words").textContent = "Recomputing …";
  try {
    if (!names) {
      names = await ask("names", "/api/paper");
      if (!names) return;
      $("published").replaceChildren(...names.map((name) => make("option", name)));
      if (names.includes(state.get("published"))) $("published").value = state.get("published");
      $("published").onchange = showPaper;
    }
    remember({ published: $("published").value });
    const found = await ask("paper", `/api/paper/${encodeURIComponent($("published").value)}`);
    if (!found) return;
    $("paper-words").textContent = `${found.matched} of ${found.cells} cells of “${found.title}” come out in the paper's own mode, to the last digit.`;
    showParts("paper-table", found.sheets);
  } catch (error) { $("paper-words").textContent = error.message; }
}
