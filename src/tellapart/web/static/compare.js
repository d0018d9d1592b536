// Compare: a file or counts, what was recognised, the verdict, charts and the report.

import { $, ask, complain, draw, fill, flat, lament, make, python, remember, saveText, sendFile, shell, showParts, state } from "./page.js";

let data = null; // the file or the typed counts: { body, name, from }
let columns = [];

// the choices, named as in the API, on the command line and in the library

const LISTS = ["human", "metric"];
const ROLES = ["system", "item", "annotator"];
const PLAIN = { votes: "majority", human_cut: "", sampling: "random", prior: "uniform", confidence_level: "0.95", interval: "highest-density", correction: "auto", borrow: "auto" };
const control = (name) => (name === "confidence_level" ? "level" : name); // the plan has one, too
const FLAGS = { pooled: true, lower_is_better: false };
const LABELS = { metric: "metrics", human: "human ratings", sampling: "human-rated outputs were", prior: "prior", votes: "several votes", borrow: "systems have in common", human_cut: "adequate from", item: "item", system: "system", annotator: "annotator" };
const picked = (role) => [...$(`pick-${role}`).querySelectorAll("input:checked")].map((box) => box.value);
const rule = () => ($("rule").value === "number" ? $("cut").value : $("rule").value);
function choices() {
  const found = {};
  for (const role of ROLES) if ($(role).value) found[role] = $(role).value;
  for (const role of LISTS) if (picked(role).length) found[role] = picked(role);
  for (const [name, usual] of Object.entries(PLAIN)) if ($(control(name)).value !== usual) found[name] = $(control(name)).value || usual;
  if (rule() && !$("cut-box").hidden) found.threshold = rule();
  for (const [name, usual] of Object.entries(FLAGS)) if ($(name).checked !== usual) found[name] = !usual;
  return found;
}
function query() {
  const asked = new URLSearchParams({ name: data.name });
  for (const [name, given] of Object.entries(choices())) for (const one of [given].flat()) asked.append(name, one);
  return asked;
}
function restore() { // what the address says, before the columns are known
  const option = (name, text) => make("option", text, { value: name });
  for (const role of ROLES) $(role).replaceChildren(option(state.get(role) ?? "", state.get(role) ?? ""));
  for (const role of LISTS) boxes(role, state.get(role)?.split("\n") ?? [], state.get(role)?.split("\n") ?? []);
  for (const [name, usual] of Object.entries(PLAIN)) $(control(name)).value = state.get(control(name)) ?? usual;
  for (const [name, usual] of Object.entries(FLAGS)) $(name).checked = (state.get(name) ?? (usual ? "1" : "0")) === "1";
  const given = state.get("threshold") ?? "";
  $("rule").value = given === "" || Number.isNaN(Number(given)) ? given : "number";
  if ($("rule").value === "number") $("cut").value = given;
  $("cut-label").hidden = $("rule").value !== "number";
}
function keep() {
  const found = choices(), names = [...ROLES, ...LISTS, ...Object.keys(PLAIN), ...Object.keys(FLAGS), "threshold"];
  const kept = (value) => (Array.isArray(value) ? value.join("\n") : value === false ? "0" : value);
  const counts = data.from === "counts" ? gridRows().map((row) => row.join(",")).join("\n") : null;
  remember({ ...Object.fromEntries(names.map((name) => [control(name), kept(found[name])])), data: data.from, file: data.from === "file" ? data.name : null, counts });
}
function boxes(role, names, chosen) {
  const focused = $(`pick-${role}`).contains(document.activeElement) ? document.activeElement.value : null;
  const list = names.map((name) => {
    const box = make("input", null, { type: "checkbox", value: name, checked: chosen.includes(name), onchange: answer });
    const label = make("label");
    label.append(box, ` ${name}`);
    return label;
  });
  $(`pick-${role}`).querySelector("div").replaceChildren(...list);
  if (focused) list.find((label) => label.firstChild.value === focused)?.firstChild.focus();
  $(`pick-${role}`).querySelector("output").textContent = chosen.join(", ") || "recognise";
}
function showRoles(found) {
  columns = found.columns;
  $("roles").hidden = false;
  for (const node of document.querySelectorAll(".of-files")) node.hidden = !found.roles;
  $("cut-box").hidden = !found.thresholds?.length;
  for (const role of ROLES) {
    const empty = { system: "recognise", item: "none", annotator: "none" }[role];
    $(role).replaceChildren(...["", ...columns].map((name) => make("option", name || `(${empty})`, { value: name })));
    $(role).value = found.roles?.[role] ?? "";
  }
  const taken = ROLES.map((role) => found.roles?.[role]);
  for (const role of LISTS) {
    const others = role === "metric" ? [...taken, ...(found.roles?.human ?? [])] : taken;
    boxes(role, columns.filter((name) => !others.includes(name)), found.roles?.[role] ?? []);
  }
}

// the answer

async function answer() {
  if (!data) return;
  complain("compare-error", null);
  $("waiting").textContent = `Reading and comparing ${data.name} …`;
  $("waiting").hidden = false;
  $("compare-answer").setAttribute("aria-busy", "true");
  const asked = query();
  try {
    const found = await sendFile("compare", "/api/compare", asked, data.body);
    if (!found) return;
    $("waiting").hidden = true;
    $("compare-answer").hidden = false;
    $("compare-answer").removeAttribute("aria-busy");
    show(found);
    keep();
    await showCharts(asked);
  } catch (error) {
    $("waiting").hidden = true;
    $("compare-error").replaceChildren();
    linked($("compare-error"), error.said?.length ? error.said : [{ text: error.message }]);
    $("compare-error").hidden = false;
    $("compare-answer").hidden = true;
    if (error.columns?.length) showRoles({ columns: error.columns, roles: choices(), thresholds: rule() ? [0] : [] });
    else if (!columns.length) $("roles").hidden = true;
  }
}
const CHARTS = ["rates", "matrix", "ladder", "posteriors", "calibration"];
async function showCharts(asked) {
  try {
    const specs = (await sendFile("charts", "/api/compare/charts", asked, data.body))?.charts;
    if (!specs) return;
    specs.rates ??= specs.outcomes; // of pairs
    const rocs = Object.keys(specs).filter((name) => name.startsWith("roc "));
    $("rocs").replaceChildren(...rocs.map((name, i) => make("div", null, { id: `chart-roc-${i}`, className: "chart" })));
    rocs.forEach((name, i) => { $(`chart-roc-${i}`).setAttribute("role", "figure"); $(`chart-roc-${i}`).setAttribute("aria-label", `ROC curves of ${name.slice(4)}`); });
    $("roc-help").hidden = rocs.length !== 1; // one number cuts one score
    for (const name of CHARTS) await draw(`chart-${name}`, specs[name]);
    for (const [i, name] of rocs.entries()) await draw(`chart-roc-${i}`, specs[name], (view) => { if (rocs.length === 1) view.addEventListener("click", (_, item) => cutAt(item?.datum?.cut)); });
  } catch (error) { // the verdict stands without them
    for (const name of CHARTS) draw(`chart-${name}`, null);
    $("rocs").replaceChildren();
    lament("chart-rates", error);
  }
}
function cutAt(cut) { // a point of a curve becomes the cut
  if (cut === undefined || cut === null) return;
  $("rule").value = "number";
  $("cut-label").hidden = false;
  $("cut").value = cut;
  answer();
}
function show(found) {
  if (found.matchups) found = { ...found, standings: found.strengths, systems: {}, pairs: found.matchups, needed: [] };
  const about = (...kinds) => found.sheets.filter((part) => kinds.includes(part.about));
  $("compare-words").textContent = found.summary;
  $("cautions").replaceChildren(...found.said.cautions.map(caution));
  showParts("systems-table", about("systems", "groups"), found.standings.map((place) => flat({ ...place, ...found.systems[place.system] })));
  showParts("pairs", about("pairs"), found.pairs.map((pair) => flat(pair)));
  showParts("ladder", about("ladder"), (found.ladder ?? []).map((step) => flat(step)));
  showParts("metric-tables", about("metric"));
  $("metric-heading").hidden = !about("metric").length;
  for (const node of document.querySelectorAll(".of-pairs")) node.hidden = !found.pairs.length;
  $("ladder-box").hidden = !about("ladder").length;
  $("needed-box").hidden = !found.needed.length;
  $("needed").replaceChildren(...about("needed").map((need) => make("li", need.text)));
  $("understood-box").hidden = !found.understood.length;
  $("understood").replaceChildren(...found.said.understood.map((pieces) => linked(make("li"), pieces)));
  $("signature").textContent = found.signature;
  showRoles(found);
  showCalls(found);
}
function caution({ messages, advice }) { // what several systems share stands in one box
  const box = make("div", null, { className: "caution" }), list = make("ul");
  list.append(...messages.map((message) => make("li", message)));
  box.append(make("b", "Caution. "), messages.length > 1 ? list : `${messages[0]} `);
  return linked(box, advice);
}
function linked(node, pieces) { // an option that is named becomes a button that sets its control, or leads to it
  node.append(...pieces.map(({ text, name, value }) => {
    const place = name && ($(name) ?? $(`pick-${name}`));
    if (!place) return text;
    const named = [...place.options ?? []].find((one) => one.value === value);
    const button = make("button", `“${[LABELS[name], named?.text].filter(Boolean).join(": ")}”`, { type: "button", className: "link" });
    button.onclick = () => {
      if (place.open === false) place.open = true;
      for (let box = place.parentElement; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
      place.scrollIntoView({ block: "center" });
      (place.querySelector?.("summary") ?? place).focus();
      if (!named) return;
      place.value = value;
      answer();
    };
    return button;
  }));
  return node;
}
function showCalls(found) {
  const given = choices(), words = ["tellapart compare"], reading = [], comparing = [];
  const plain = !Object.keys(found.systems).some((name) => name.includes(":"));
  if (data.from === "counts" && plain) for (const [name, s] of Object.entries(found.systems)) words.push(`--counts ${shell(countsOf(name, s.evidence))}`);
  else words.push(shell(data.name));
  for (const [name, value] of Object.entries(found.roles ? { ...given, ...filled(found.roles) } : given)) {
    const option = name.replaceAll("_", "-");
    if (name in FLAGS) words.push(name === "pooled" ? "--own-cuts" : `--${option}`);
    else for (const one of [value].flat()) words.push(`--${option} ${shell(String(one))}`);
    const numeric = ["human_cut", "confidence_level"].includes(name) || (name === "threshold" && $("rule").value === "number");
    const argument = `${name}=${numeric ? value : python(value)}`;
    if (["prior", "confidence_level", "interval", "correction", "borrow"].includes(name)) comparing.push(argument);
    else if (name !== "threshold" && !(name in FLAGS)) reading.push(argument);
  }
  const flags = Object.keys(FLAGS).filter((name) => name in given).map((name) => `${name}=${given[name] ? "True" : "False"}`);
  if (given.threshold || flags.length) {
    const cut = [$("rule").value === "number" ? given.threshold : python(given.threshold ?? "equal"), ...flags];
    reading.push(`threshold=ta.ThresholdRule(${cut.join(", ")})`);
  }
  $("compare-command").textContent = words.join(" ");
  const start = "import tellapart as ta\n", rest = comparing.join(", ");
  const sampling = given.sampling ? `, sampling=${python(given.sampling)}` : "";
  if (found.matchups) $("compare-python").textContent = `${start}pairs = ta.read_pairs(${[python(data.name), ...reading].join(", ")})\nprint(pairs.compare(${rest}))`;
  else if (found.roles) $("compare-python").textContent = `${start}ratings = ta.read_ratings(${[python(data.name), ...reading].join(", ")})\nprint(ratings.compare(${rest}))`;
  else if (data.from === "file") $("compare-python").textContent = `${start}systems = ta.read_counts(${python(data.name)}${sampling})\nprint(ta.compare(systems${rest && `, ${rest}`}))`;
  else {
    const systems = Object.entries(found.systems).map(([name, s]) => `    ${python(name)}: ${evidenceOf(s.evidence)},\n`).join("");
    $("compare-python").textContent = `${start}systems = {\n${systems}}\nprint(ta.compare(systems${rest && `, ${rest}`}))`;
  }
}
const filled = (roles) => Object.fromEntries(Object.entries(roles).filter(([, one]) => one && one.length));
const total = (counts) => counts.reduce((a, b) => a + b, 0);
const human = ({ both, truth_only: alone }) => [total(both[1]) + alone[1], total(both.flat()) + total(alone)];
const metric = ({ metric_only: [failed, passed] }) => [passed, failed + passed];
function confusion({ both, borrowed }) { // rows: inadequate, adequate; columns: fail, pass
  const [[tn, fp], [fn, tp]] = both.map((row, i) => row.map((n, j) => n + borrowed[i][j]));
  return Object.entries({ tp, fn, tn, fp }).map(([k, v]) => `${k}=${v}`);
}
function countsOf(name, evidence) {
  const parts = [name, human(evidence).join("/")];
  if (evidence.levels.length) parts.push(confusion(evidence).join(","), metric(evidence).join("/"));
  return parts.join(":");
}
function evidenceOf(evidence) {
  const parts = [`(${human(evidence).join(", ")})`];
  if (evidence.levels.length) parts.push(`calibration=ta.Confusion(${confusion(evidence).join(", ")})`, `metric=(${metric(evidence).join(", ")})`);
  if (evidence.sampling !== "random") parts.push(`sampling=${python(evidence.sampling)}`);
  return `ta.Evidence.of(${parts.join(", ")})`;
}

// where the data come from

function take(body, name, from, restored = false) {
  data = { body, name, from };
  if (!restored) { // other columns; the choices stay
    for (const role of ROLES) $(role).replaceChildren();
    for (const role of LISTS) boxes(role, [], []);
    $("rule").value = $("cut").value = "";
    $("cut-label").hidden = true;
  }
  answer();
}
async function takeExample(restored) {
  const before = data;
  try {
    const body = await ask("example", "/api/example", {}, (response) => response.blob());
    if (body && data === before) take(body, "example.csv", "example", restored); // or a file was chosen meanwhile
  } catch (error) { complain("compare-error", error); }
}
const COUNTS = ["system", "human_pos", "human_n", "tp", "fn", "tn", "fp", "metric_pos", "metric_n"];
const HEADS = ["system", "adequate, by people", "rated by people", "tp", "fn", "tn", "fp", "passed by the metric", "rated by the metric alone"];
function addRow(values = []) {
  const row = make("tr"), n = $("counts-grid").tBodies[0].rows.length + 1;
  COUNTS.forEach((name, i) => {
    const input = make("input", null, { type: i ? "number" : "text", min: 0, value: values[i] ?? "", ariaLabel: `${HEADS[i]}, row ${n}` });
    const cell = make("td");
    cell.append(input);
    row.append(cell);
  });
  $("counts-grid").tBodies[0].append(row);
}
const gridRows = () => [...$("counts-grid").tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.firstChild.value.replaceAll(/[\n,]/g, " ").trim())).filter((row) => row.some(Boolean));
function openCounts(rows) {
  $("counts").hidden = false;
  if ($("counts-grid").tBodies[0].rows.length) return;
  fill("counts-grid", HEADS, []);
  for (const row of rows) addRow(row);
}
function takeCounts(restored = false) {
  const quote = (text) => `"${text.replaceAll('"', '""')}"`;
  const lines = gridRows().map(([name, ...rest]) => [quote(name), ...rest].join(","));
  take(new Blob([[COUNTS.join(","), ...lines].join("\n")]), "counts.csv", "counts", restored);
}
export function startCompare() {
  restore();
  $("file").onchange = () => { const [file] = $("file").files; if (file) take(file, file.name, "file", state.get("file") === file.name && !data); };
  $("example").onclick = () => takeExample();
  $("show-counts").onclick = () => openCounts([["A", 60, 100, 54, 6, 36, 4, 1190, 2000], ["B", 45, 100, 40, 5, 49, 6, 890, 2000]]);
  $("add-row").onclick = () => addRow();
  $("use-counts").onclick = () => takeCounts();
  for (const kind of ["dragover", "dragleave", "drop"]) {
    $("drop").addEventListener(kind, (event) => {
      event.preventDefault();
      $("drop").classList.toggle("over", kind === "dragover");
      const file = event.dataTransfer?.files[0];
      if (kind === "drop" && file) take(file, file.name, "file");
    });
  }
  for (const id of [...ROLES, ...Object.keys(PLAIN).map(control), ...Object.keys(FLAGS), "cut"]) $(id).onchange = answer;
  $("rule").onchange = () => { $("cut-label").hidden = $("rule").value !== "number"; if ($("rule").value !== "number" || $("cut").value) answer(); };
  $("report").onclick = async () => {
    const said = $("report").textContent;
    $("report").textContent = "Writing the report …";
    try {
      const page = await sendFile("report", "/api/compare/report", query(), data.body, (response) => response.text());
      if (page) saveText(page, "tellapart-report.html", "text/html");
    } catch (error) { complain("compare-error", error); }
    $("report").textContent = said;
  };
  if (state.get("data") === "example") takeExample(true);
  if (state.get("data") === "counts" && state.has("counts")) { openCounts(state.get("counts").split("\n").map((line) => line.split(","))); takeCounts(true); }
  if (state.get("data") === "file" && state.has("file")) {
    $("waiting").textContent = `This link belongs to the file “${state.get("file")}”, which it does not hold. Choose that file to see the same view.`;
    $("waiting").hidden = false;
  }
}
