// @ts-check
// What is shown of a comparison: the verdict, groups, the next step, the ladder, tables.

import { $, box, make } from "./dom.js";
import { linked } from "./choices.js";
import { fill, flat, scrolling, sheet, showParts } from "./tables.js";
import { lanes, measured, middle, nextStep, verdict } from "./words.js";

const TOLD = 3; // sentences above the verdict: columns, metric, how many ratings
/** @type {Record<string, string>} */
const RUNGS = { none: "nothing", items: "the items", rates: "similar metric errors", link: "a line in the metric's averages", shared: "the same metric errors" };

/** @param {any} found @param {(numbers: Record<string, any>) => void} plan */
export function showVerdict(found, plan) {
  const pairs = found.matchups ?? found.pairs, standings = found.standings ?? found.strengths ?? [], systems = found.systems ?? {}, needed = found.needed ?? [];
  const about = (/** @type {string[]} */ ...kinds) => found.sheets.filter((/** @type {any} */ part) => kinds.includes(part.about));
  const { value, label, warn = false } = verdict(found);
  $("compare-value").textContent = value;
  $("compare-label").textContent = label;
  $("compare-big").classList.toggle("warn", warn);
  $("compare-words").textContent = found.summary;
  $("cautions").replaceChildren(...found.said.cautions.map((/** @type {any} */ one) => caution(one)));
  $("strip").replaceChildren(...(pairs.length && found.groups?.length ? [strip(found)] : []));
  showNext(found, needed, about("needed"), plan);
  showParts("systems-table", about("systems", "groups"), standings.map((/** @type {any} */ place) => flat({ ...place, ...systems[place.system] })));
  showParts("pairs", about("pairs"), pairs.map((/** @type {any} */ pair) => flat(pair)));
  showParts("ladder", about("ladder"), (found.ladder ?? []).map((/** @type {any} */ step) => flat(step)));
  showParts("metric-tables", about("metric"));
  $("slices").replaceChildren(...(found.slices ? [sheet(found.slices)] : []));
  $("slices-box").hidden = !found.slices;
  $("rungs").replaceChildren(...(found.ladder ?? []).map(rung));
  arrange(Boolean(found.matchups), about, pairs.length);
  $("only-alone").hidden = found.matchups || !pairs.some((/** @type {any} */ pair) => !pair.better && !pair.set_aside && pair.distinguishable_alone);
  $("understood").replaceChildren(...found.said.understood.slice(TOLD).map((/** @type {any[]} */ pieces) => linked(make("li"), pieces)));
  $("understood-box").hidden = found.said.understood.length <= TOLD;
  $("signature").textContent = found.signature;
}
/** Sections as in the report: of battles, who wins and the ranking; of ratings, how good each is and which can be told apart. @param {boolean} battles @param {(...kinds: string[]) => any[]} about @param {number} pairs */
function arrange(battles, about, pairs) {
  $("rates-heading").textContent = battles ? "Who wins?" : "How good is each system?";
  $("rates-side").append($(battles ? "pairs-box" : "systems-box"));
  $("pairs-heading").textContent = battles ? "Ranking" : "Which can be told apart?";
  $("pairs-side").append($(battles ? "systems-box" : "pairs-box"));
  $("pairs-side").hidden = !(battles ? about("systems").length : pairs);
  $("systems-box").open = battles;
  $("pairs-box").open = pairs === 1;
  for (const id of ["matrix-words", "chart-matrix"]) $(id).hidden = battles || pairs < 2; // of one pair, the verdict says it
  for (const id of ["posteriors-box", "metric-box"]) $(id).hidden = battles;
  $("judge-heading").hidden = !battles;
  $("metric-tables-box").hidden = !about("metric").length;
  $("ladder-box").hidden = !pairs || !about("ladder").length;
}
/** What was read, in a few words, and its first rows. @param {any} found */
export function showRead(found) {
  $("read-line").replaceChildren();
  const told = found.said.understood.slice(0, TOLD);
  for (const pieces of told.length ? told : [[{ text: "Typed counts." }]]) linked($("read-line"), pieces).append(" ");
  $("preview-box").hidden = !found.preview?.length;
  if (!found.preview?.length) return;
  const table = make("table");
  table.append(make("thead"), make("tbody"));
  fill(table, found.columns.slice(0, found.preview[0].length), found.preview);
  $("preview").replaceChildren(scrolling(table, "The first rows"));
}
/** What several systems share stands in one box. @param {any} one @param {string} [prefix] of the controls that it may name */
export function caution({ messages, advice }, prefix = "") {
  const list = box("ul", {}, ...messages.map((/** @type {string} */ message) => make("li", message)));
  const place = box("div", { className: "caution" }, make("b", "Caution. "), messages.length > 1 ? list : `${messages[0]} `);
  return linked(place, advice, prefix);
}
/** Systems in their order, and below them a line for each group that cannot be told apart. @param {any} found */
function strip(found) {
  const names = found.ranking, place = box("div", { className: "strip", role: "list" });
  place.style.setProperty("--n", names.length);
  names.forEach((/** @type {string} */ name, /** @type {number} */ i) => {
    const one = found.systems?.[name], rate = one && measured(one, one.mean, 0);
    const called = make("b", middle(name, Math.max(16, Math.floor(120 / names.length))), { title: name });
    if (Object.hasOwn(found.doubtful ?? {}, name)) called.append(" *");
    const card = box("div", { className: "place", role: "listitem" }, called, make("span", rate ?? ""));
    card.style.setProperty("--i", String(i + 1));
    place.append(card);
  });
  for (const { group, lane, stretches } of lanes(names, found.groups)) {
    const line = box("div", { className: "group", role: "listitem", ariaLabel: `${group.join(", ")} cannot be told apart` }), first = stretches[0][0];
    line.style.gridRow = String(lane + 2);
    line.style.gridColumn = `${first + 1} / ${stretches[stretches.length - 1][1] + 2}`;
    for (const [from, to] of stretches) {
      const stretch = make("span");
      stretch.style.gridColumn = `${from - first + 1} / ${to - first + 2}`;
      line.append(stretch);
    }
    place.append(line);
  }
  return scrolling(place, "Systems, best first; a line joins those that cannot be told apart");
}
/** One step of the ladder: how many pairs are told apart if so much is shared. @param {any} step */
function rung(step) {
  const bar = make("span", "", { className: "bar" });
  bar.style.setProperty("--share", String(step.pairs ? step.told_apart / step.pairs : 0));
  return box("li", { className: step.used ? "used" : "" }, make("span", RUNGS[step.rung] ?? step.rung), bar, make("b", `${step.told_apart} of ${step.pairs}${step.used ? " ◀" : ""}`));
}
function showNext(/** @type {any} */ found, /** @type {any[]} */ needed, /** @type {any[]} */ said, /** @type {(numbers: Record<string, any>) => void} */ plan) {
  $("next-box").hidden = !said.length;
  $("needed-box").hidden = said.length < 2;
  if (!said.length) return;
  const costs = needed.map((one) => one.human?.likely ?? Infinity), at = Math.max(0, costs.indexOf(Math.min(...costs)));
  $("next-step").textContent = nextStep(needed[at]);
  $("next").textContent = needed[at]?.summary ?? said[0].text;
  $("needed").replaceChildren(...said.map((need) => make("li", need.text)));
  const numbers = planOf(found, needed[at]);
  $("plan-this").hidden = !numbers;
  $("next-head").hidden = !numbers && !$("next-step").textContent; // of means on a scale, no number of ratings is known
  $("plan-this").onclick = () => numbers && plan(numbers);
}
/** The pair as a plan: its rates, how the metric errs with it, and the difference between the two. @param {any} found @param {any} need */
function planOf(found, need) {
  const two = need && [need.first, need.second].map((name) => found.systems?.[name]);
  if (!two?.every((/** @type {any} */ one) => one?.is_rate)) return null;
  const mean = (/** @type {(one: any) => number | undefined} */ read) => {
    const values = two.map(read).filter((/** @type {any} */ x) => x !== undefined && x !== null);
    return values.length ? values.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0) / values.length : null;
  };
  const rate = mean((one) => one.mean), tpr = mean((one) => one.metric_quality?.tpr.mean), tnr = mean((one) => one.metric_quality?.tnr.mean);
  const metric = mean((one) => one.evidence.metric_only?.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0));
  const guesses = tpr === null || tnr === null ? { n_metric: 0 } : { tpr: tpr.toFixed(3), tnr: tnr.toFixed(3), n_metric: Math.round(metric ?? 0) };
  return { solve: "n_human", rate: (rate ?? 0.5).toFixed(3), difference: Math.max(0.001, Math.abs(need.difference)).toFixed(3), ...guesses };
}
