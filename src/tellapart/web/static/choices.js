// @ts-check
// How a file is read and compared: the controls, named as in the API, on the command line and in the library.

import { $, box, make } from "./dom.js";
import { remember, state } from "./address.js";
import { addHelp } from "./help.js";

const LISTS = ["human", "metric", "by"];
const ROLES = ["system", "item", "annotator", "cluster"];
/** @type {Record<string, string>} */
const PLAIN = { votes: "majority", human_cut: "", where: "", bad_cells: "error", fuse: "joint", levels: "", sampling: "", prior: "uniform", confidence_level: "0.95", interval: "highest-density", correction: "auto", borrow: "auto" };
/** @type {Record<string, boolean>} */
const FLAGS = { paired: true, pooled: true, lower_is_better: false };
/** @type {Record<string, string>} */
const LABELS = { metric: "metrics", human: "human ratings", by: "slices", labels: "file of people's ratings", sampling: "human-rated outputs were", prior: "prior", votes: "several votes", borrow: "systems have in common", human_cut: "adequate from", item: "item", system: "system", annotator: "annotator", cluster: "cluster", where: "only rows where", levels: "levels", bad_cells: "cells that are no rating", fuse: "several metrics", paired: "item by item" };
const control = (/** @type {string} */ name) => (name === "confidence_level" ? "level" : name); // the plan has one, too
/** @type {() => void} */
let changed = () => {};
let alone = false; // people's ratings alone: every metric is unticked
/** @type {any} */
let recognised = null; // the roles that the server found by itself

const picked = (/** @type {string} */ role) => [...$(`pick-${role}`).querySelectorAll("input:checked")].map((one) => one.value);
const byNumber = () => $("rule").value === "number";
const rule = () => (byNumber() ? $("cut").value : $("rule").value);
/** @returns {Record<string, any>} */
export function choices() {
  /** @type {Record<string, any>} */
  const found = {};
  for (const role of ROLES) if ($(role).value) found[role] = $(role).value;
  for (const role of LISTS) if (picked(role).length) found[role] = picked(role);
  if (alone && !found.metric) found.metric = ["none"];
  for (const [name, usual] of Object.entries(PLAIN)) if ($(control(name)).value !== usual) found[name] = $(control(name)).value || usual;
  if (rule() && !$("cut-box").hidden) found.threshold = rule();
  for (const [name, usual] of Object.entries(FLAGS)) if ($(name).checked !== usual) found[name] = !usual;
  return found;
}
/** Whether nothing was chosen: all is as the server found it. */
export function untouched() {
  const { system, item, annotator, cluster, human, metric, ...rest } = choices();
  const same = (/** @type {any} */ mine, /** @type {any} */ own) => JSON.stringify(mine ?? null) === JSON.stringify(own?.length ? own : null);
  return !Object.keys(rest).length && Object.entries({ system, item, annotator, cluster, human, metric }).every(([name, one]) => same(one, recognised?.[name]));
}
/** Forget the choices of the last file. */
export function reset() {
  recognised = null;
  alone = false;
  for (const role of ROLES) $(role).replaceChildren();
  for (const role of LISTS) boxes(role, [], []);
  for (const [name, usual] of Object.entries(PLAIN)) $(control(name)).value = usual;
  for (const [name, usual] of Object.entries(FLAGS)) $(name).checked = usual;
  $("rule").value = $("cut").value = $("labels").value = "";
  showCut();
}
/** Take what the address says, before the columns are known. */
export function restore() {
  for (const role of ROLES) $(role).replaceChildren(make("option", state.get(role) ?? "", { value: state.get(role) ?? "" }));
  alone = state.get("metric") === "none";
  for (const role of LISTS) {
    const names = alone && role === "metric" ? [] : state.get(role)?.split("\n") ?? [];
    boxes(role, names, names);
  }
  for (const [name, usual] of Object.entries(PLAIN)) $(control(name)).value = state.get(control(name)) ?? usual;
  for (const [name, usual] of Object.entries(FLAGS)) $(name).checked = (state.get(name) ?? (usual ? "1" : "0")) === "1";
  const given = state.get("threshold") ?? "";
  $("rule").value = given === "" || Number.isNaN(Number(given)) ? given : "number";
  $("cut").value = byNumber() ? given : "";
  showCut();
}
/** @param {Record<string, any>} more */
export function keep(more) {
  const found = choices(), names = [...ROLES, ...LISTS, ...Object.keys(PLAIN), ...Object.keys(FLAGS), "threshold"];
  const kept = (/** @type {any} */ value) => (Array.isArray(value) ? value.join("\n") : value === false ? "0" : value);
  remember({ ...Object.fromEntries(names.map((name) => [control(name), kept(found[name])])), ...more });
}
function boxes(/** @type {string} */ role, /** @type {string[]} */ names, /** @type {string[]} */ ticked) {
  const place = $(`pick-${role}`), focused = place.contains(document.activeElement) ? /** @type {any} */ (document.activeElement).value : null;
  const onchange = () => {
    if (role === "metric") alone = !picked("metric").length;
    changed();
  };
  const list = names.map((name) => box("label", {}, make("input", null, { type: "checkbox", value: name, checked: ticked.includes(name), onchange }), make("span", name)));
  place.querySelector("div").replaceChildren(...list);
  if (focused) list.find((label) => label.firstChild.value === focused)?.firstChild.focus();
  const nothing = { by: "none", metric: alone ? "none: people only" : "recognise" }[role] ?? "recognise";
  place.querySelector("output").textContent = ticked.join(", ") || nothing;
}
/** Use this metric and no other. @param {string} name */
export function useMetric(name) {
  alone = false;
  for (const one of $("pick-metric").querySelectorAll("input")) one.checked = one.value === name;
  changed();
}
export const openChoices = (open = true) => {
  $("roles").hidden = !open;
  $("change").setAttribute("aria-expanded", String(open));
};
/** Mark the control that must be set before anything can be compared. @param {string} [name] */
export function wanted(name) {
  for (const node of $("roles").querySelectorAll("[aria-invalid]")) node.removeAttribute("aria-invalid");
  if (name) ($(`pick-${name}`)?.querySelector("summary") ?? $(name))?.setAttribute("aria-invalid", "true");
}
function showCut() {
  $("cut-label").hidden = !byNumber();
  $("cut-note").hidden = !byNumber() || $("cut-box").hidden;
}
/** A point of a curve becomes the cut. @param {any} cut */
export function cutAt(cut) {
  if (cut === undefined || cut === null) return;
  $("rule").value = "number";
  $("cut").value = Number(cut.toPrecision(6));
  showCut();
  changed();
}
/** @param {any} found */
export function showRoles(found) {
  const columns = found.columns ?? [];
  recognised ??= found.roles;
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".of-files"))) node.hidden = !found.roles;
  $("cut-box").hidden = !found.thresholds?.length;
  showCut();
  for (const role of ROLES) {
    const empty = role === "system" || found.unread ? "recognise" : "none";
    $(role).replaceChildren(...["", ...columns].map((name) => make("option", name || `(${empty})`, { value: name })));
    $(role).value = found.roles?.[role] ?? "";
  }
  const taken = ROLES.map((role) => found.roles?.[role]), slices = picked("by");
  for (const role of LISTS) {
    const others = role === "human" ? taken : [...taken, ...(found.roles?.human ?? [])], offered = (role === "metric" && found.candidates) || columns;
    boxes(role, columns.filter((/** @type {string} */ name) => !others.includes(name) && (offered.includes(name) || found.roles?.[role]?.includes(name))), role === "by" ? slices : found.roles?.[role] ?? []);
  }
}
/** Names of columns stand between backticks. @param {string} text */
const plain = (text) => text.split("`").map((part, i) => (i % 2 ? make("code", part) : part));
/** Lead to a control, which may be hidden until the server has answered. @param {any} place @param {number} frames */
function focusOnceSeen(place, frames = 600) {
  if (place.offsetParent === null && frames) {
    requestAnimationFrame(() => focusOnceSeen(place, frames - 1));
    return;
  }
  place.scrollIntoView({ block: "center" });
  place.focus();
}
/** An option that is named becomes a button that sets its control, or leads to it. @param {any} node @param {any[]} pieces @param {string} [prefix] of the controls' ids */
export function linked(node, pieces, prefix = "") {
  node.append(...pieces.flatMap(({ text, name, value }) => {
    const place = name && ($(`pick-${prefix}${name}`) ?? $(prefix + name));
    if (!place) return plain(text);
    const option = [...place.options ?? []].find((one) => one.value === value);
    const onclick = () => {
      const panel = place.closest('[role="tabpanel"]');
      if (panel?.hidden) $(`tab-${panel.id}`).click();
      if ($("roles").contains(place)) openChoices();
      if (place.open === false) place.open = true;
      for (let parent = place.parentElement; parent; parent = parent.parentElement) if (parent.tagName === "DETAILS") parent.open = true;
      focusOnceSeen(place.querySelector?.("summary") ?? place);
      if (!option) return;
      place.value = value;
      place.dispatchEvent(new Event("change"));
    };
    return make("button", `“${[LABELS[name] ?? name, option?.text].filter(Boolean).join(": ")}”`, { type: "button", className: "link", onclick });
  }));
  return node;
}
/** Say why something is refused; an option that is named becomes a button. @param {string} id @param {any} error */
export function problem(id, error) {
  $(id).replaceChildren();
  linked($(id), error.said?.length ? error.said : [{ text: error.message }]);
  $(id).hidden = false;
}
/** @param {() => void} onChange */
export function startChoices(onChange) {
  changed = onChange;
  addHelp();
  for (const id of [...ROLES, ...Object.keys(PLAIN).map(control), ...Object.keys(FLAGS), "cut"]) $(id).onchange = changed;
  $("rule").onchange = () => {
    showCut();
    if (!byNumber() || $("cut").value) changed();
    else $("cut").focus();
  };
  $("change").onclick = () => openChoices($("roles").hidden);
}
