// The page: three tabs, answers at every change, the state in the address.
"use strict";

const $ = (id) => document.getElementById(id);
const make = (tag, text, className) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
};
const percent = (x, digits = 1) => `${(100 * x).toFixed(digits)}%`;
const number = (x) => Number(x).toLocaleString("en");

// asking the server; an answer that is no longer wanted is dropped

const running = {};
async function ask(key, path, options) {
  running[key]?.abort();
  const control = new AbortController();
  running[key] = control;
  try {
    const response = await fetch(path, { ...options, signal: control.signal });
    if (running[key] !== control) return null;
    if (!response.ok) {
      const problem = await response.json().catch(() => ({ message: `The server answered ${response.status}.` }));
      throw Object.assign(new Error(problem.message), problem);
    }
    return response;
  } catch (error) {
    if (error.name === "AbortError") return null;
    throw error;
  }
}
const post = async (key, path, body) => {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await ask(key, path, options);
  return response && response.json();
};
function later(work, wait = 180) {
  let timer;
  return () => { clearTimeout(timer); timer = setTimeout(work, wait); };
}

// charts, drawn once Vega has come; the page does not wait for it

async function draw(id, spec) {
  const place = $(id);
  place.replaceChildren();
  if (!spec) return;
  await import("/vega.js");
  const ink = getComputedStyle(document.body).color;
  const coloured = JSON.parse(JSON.stringify(spec).replaceAll('"currentColor"', JSON.stringify(ink)));
  const target = make("div");
  place.append(target);
  const result = await window.vegaEmbed(target, coloured, { ast: true, defaultStyle: false, actions: false, renderer: "svg", tooltip: { disableDefaultStyle: true } });
  const tools = make("p", undefined, "actions");
  for (const kind of ["svg", "png"]) {
    const button = make("button", `Chart as ${kind.toUpperCase()}`);
    button.type = "button";
    button.onclick = async () => save(await result.view.toImageURL(kind, 2), `tellapart-${id}.${kind}`);
    tools.append(button);
  }
  place.append(tools);
  return result.view;
}
function save(url, name) {
  const link = make("a");
  link.href = url;
  link.download = name;
  link.click();
}
const saveText = (text, name, kind) => save(URL.createObjectURL(new Blob([text], { type: kind })), name);

// tables

function fill(id, columns, rows) {
  const table = $(id);
  const cells = (values, tag) => {
    const row = make("tr");
    for (const value of values) {
      const cell = make(tag, value);
      if (tag === "th") cell.scope = "col";
      if (typeof value === "string" && value.length > 40) cell.className = "words";
      row.append(cell);
    }
    return row;
  };
  if (columns) table.tHead.replaceChildren(cells(columns, "th"));
  table.tBodies[0].replaceChildren(...rows.map((row) => cells(row, "td")));
}
function csv(id) {
  const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [...$(id).rows].map((row) => [...row.cells].map((cell) => quote(cell.textContent)).join(",")).join("\n") + "\n";
}
document.addEventListener("click", async ({ target }) => {
  if (target.dataset?.csv) saveText(csv(target.dataset.csv), `tellapart-${target.dataset.csv}.csv`, "text/csv");
  if (target.dataset?.copy) {
    const text = $(target.dataset.copy);
    text.hidden = false;
    await navigator.clipboard?.writeText(text.textContent).catch(() => {});
    const said = target.textContent;
    target.textContent = "Copied";
    setTimeout(() => { target.textContent = said; }, 1200);
  }
});
const problem = (id, error) => {
  $(id).textContent = error ? error.message : "";
  $(id).hidden = !error;
};

// tabs and the state in the address

const tabs = ["plan", "compare", "paper"];
function show(name) {
  for (const tab of tabs) {
    const chosen = tab === name;
    $(tab).hidden = !chosen;
    $(`tab-${tab}`).setAttribute("aria-selected", String(chosen));
    $(`tab-${tab}`).tabIndex = chosen ? 0 : -1;
  }
  remember();
  if (name === "paper") openPaper();
}
for (const tab of tabs) {
  $(`tab-${tab}`).onclick = () => show(tab);
  $(`tab-${tab}`).onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    show(next);
    $(`tab-${next}`).focus();
  };
}
const current = () => tabs.find((tab) => !$(tab).hidden);
function remember() {
  const state = new URLSearchParams({ tab: current(), solve: $("solve").value });
  for (const field of FIELDS) if ($(field.name).value !== "") state.set(field.name, $(field.name).value);
  for (const box of ["known_rates", "separate"]) if ($(box).checked) state.set(box, "1");
  state.set("axis", $("curve-axis").value);
  history.replaceState(null, "", `?${state}`);
}

// plan

const FIELDS = [
  { name: "rate", at: "guess", label: "rate", symbol: "α", value: 0.6, min: 0, max: 1, step: 0.01, help: "share of adequate outputs that you expect" },
  { name: "tpr", at: "guess", label: "true positive rate", symbol: "ρ", value: 0.8, min: 0, max: 1, step: 0.01, help: "how often the metric passes an adequate output" },
  { name: "tnr", at: "guess", label: "true negative rate", symbol: "η", value: 0.8, min: 0, max: 1, step: 0.01, help: "how often the metric fails an inadequate output" },
  { name: "n_human", at: "size", label: "human ratings", symbol: "n_Φ", value: 200, min: 0, max: 1e9, log: [1, 1e5], help: "of each system" },
  { name: "n_metric", at: "size", label: "metric ratings", symbol: "n_M", value: 5000, min: 0, max: 1e9, log: [1, 1e6], help: "of each system, of other outputs" },
  { name: "n_calibration", at: "size", label: "outputs with both ratings", symbol: "n_ρη", value: "", min: 0, max: 1e9, log: [1, 1e5], help: "empty: the human-rated ones" },
  { name: "difference", at: "size", label: "true difference", symbol: "ε", value: 0.05, min: 0.001, max: 1, step: 0.005, help: "that you want to find" },
  { name: "power", at: "size", label: "power", symbol: "1−β", value: 0.8, min: 0.06, max: 0.999, step: 0.01, help: "probability of finding it" },
  { name: "confidence_level", at: "size", label: "confidence level", symbol: "1−γ", value: 0.95, min: 0.5, max: 0.999, step: 0.01, help: "a verdict is wrong at most this rarely, if there is no difference" },
  { name: "budget", at: "money", label: "budget", symbol: "B", value: 2000, min: 1, max: 1e12, log: [10, 1e6], help: "for all systems together" },
  { name: "cost_human", at: "money", label: "price of a human rating", symbol: "c_h", value: 1, min: 0.001, max: 1e9, log: [0.01, 100], help: "" },
  { name: "cost_metric", at: "money", label: "price of a metric rating", symbol: "c_m", value: 0.01, min: 0, max: 1e9, log: [0.0001, 10], help: "" },
  { name: "cost_fixed", at: "money", label: "fixed costs", symbol: "", value: 0, min: 0, max: 1e12, log: [1, 1e5], help: "" },
  { name: "systems", at: "money", label: "systems", symbol: "", value: 2, min: 1, max: 1000, step: 1, help: "", top: 20 },
];
const toSlider = (field, value) => {
  if (!field.log) return value;
  const [low, high] = field.log.map(Math.log10);
  return value > 0 ? (Math.log10(value) - low) / (high - low) : 0;
};
const fromSlider = (field, place) => {
  if (!field.log) return place;
  const [low, high] = field.log.map(Math.log10);
  const value = 10 ** (low + place * (high - low));
  return field.name.startsWith("n_") || value >= 100 ? Math.round(value) : Number(value.toPrecision(2));
};
for (const field of FIELDS) {
  const box = make("div", undefined, "field");
  box.id = `box-${field.name}`;
  const label = make("label");
  label.htmlFor = field.name;
  label.append(make("span", field.label), make("i", field.symbol));
  const pair = make("div", undefined, "pair");
  const slider = make("input");
  Object.assign(slider, { type: "range", min: field.log ? 0 : field.min, max: field.log ? 1 : field.top ?? field.max, step: field.log ? 0.005 : field.step });
  slider.value = toSlider(field, field.value || 0);
  slider.setAttribute("aria-label", `${field.label}, slider`);
  const input = make("input");
  Object.assign(input, { type: "number", id: field.name, min: field.min, max: field.max, step: "any", value: field.value });
  const help = make("p", field.help, "help");
  help.id = `help-${field.name}`;
  input.setAttribute("aria-describedby", help.id);
  const wrong = make("p", "", "problem");
  wrong.id = `wrong-${field.name}`;
  wrong.hidden = true;
  slider.oninput = () => { input.value = fromSlider(field, Number(slider.value)); changed(); };
  input.oninput = () => { slider.value = toSlider(field, Number(input.value)); changed(); };
  field.slider = slider;
  pair.append(slider, input);
  box.append(label, pair, help, wrong);
  $(`fields-${field.at}`).append(box);
}
const NEEDED = {
  difference: ["rate", "tpr", "tnr", "n_human", "n_metric", "n_calibration", "power", "confidence_level"],
  n_human: ["rate", "tpr", "tnr", "n_metric", "n_calibration", "difference", "power", "confidence_level"],
  n_metric: ["rate", "tpr", "tnr", "n_human", "n_calibration", "difference", "power", "confidence_level"],
  accuracy: ["rate", "n_human", "n_metric", "n_calibration", "difference", "power", "confidence_level"],
  power: ["rate", "tpr", "tnr", "n_human", "n_metric", "n_calibration", "difference", "confidence_level"],
  budget: ["rate", "tpr", "tnr", "power", "confidence_level", "budget", "cost_human", "cost_metric", "cost_fixed", "systems"],
  cheapest: ["rate", "tpr", "tnr", "power", "confidence_level", "difference", "cost_human", "cost_metric", "cost_fixed", "systems"],
};
const value = (name) => ($(name).value === "" ? null : Number($(name).value));
function planRequest() {
  const solve = $("solve").value, body = {};
  for (const name of NEEDED[solve]) if (value(name) !== null) body[name] = value(name);
  if (["budget", "cheapest"].includes(solve)) return ["/api/budget", { ...body, separate: $("separate").checked }];
  return ["/api/plan", { ...body, known_rates: $("known_rates").checked }];
}
function asCommand(body) {
  const words = ["tellapart plan"];
  for (const [name, given] of Object.entries(body)) {
    const option = name === "separate" ? "separate-calibration" : name.replaceAll("_", "-");
    if (given === true) words.push(`--${option}`);
    else if (given !== false) words.push(`--${option} ${given}`);
  }
  return words.join(" ");
}
function asPython(path, body) {
  const literal = (given) => (given === true ? "True" : given === false ? "False" : given);
  if (path === "/api/plan") {
    return `import tellapart as ta\nprint(ta.plan(${Object.entries(body).map(([k, v]) => `${k}=${literal(v)}`).join(", ")}))`;
  }
  const { rate, tpr, tnr, confidence_level, budget, difference, power, cost_human, cost_metric, cost_fixed, systems, separate } = body;
  const base = `ta.Design(${rate}, ${tpr}, ${tnr}, 0, 0, confidence_level=${confidence_level})`;
  const costs = `ta.Costs(${cost_human}, ${cost_metric}, ${cost_fixed}, ${systems}, ${literal(separate)})`;
  const call = budget !== undefined ? `split_budget(${base}, ${costs}, ${budget}` : `cheapest(${base}, ${costs}, ${difference}`;
  return `import tellapart as ta\nprint(ta.${call}, power=${power}))`;
}
function markWrong(error) {
  for (const field of FIELDS) {
    const hit = error?.field && (error.field === field.name || error.field.split(/[ .]/).includes(field.name));
    $(field.name).setAttribute("aria-invalid", String(Boolean(hit)));
    $(`wrong-${field.name}`).hidden = !hit;
    $(`wrong-${field.name}`).textContent = hit ? `${error.rule} ${error.hint ?? ""}` : "";
  }
}
async function answerPlan() {
  const solve = $("solve").value;
  for (const field of FIELDS) $(`box-${field.name}`).hidden = !NEEDED[solve].includes(field.name);
  $("money").hidden = !["budget", "cheapest"].includes(solve);
  const [path, body] = planRequest();
  $("plan-command").textContent = asCommand(body);
  $("plan-python").textContent = asPython(path, body);
  remember();
  try {
    const found = await post("plan", path, body);
    if (!found) return;
    problem("plan-error", null);
    markWrong(null);
    $("plan-words").textContent = found.summary;
    const rows = [
      ["human ratings of each system", number(found.n_human)],
      ["metric ratings of each system", number(found.n_metric)],
      ["outputs with both ratings", number(found.n_calibration)],
      ["difference that comes out significant", percent(found.measurable_difference, 2)],
      [`true difference found with probability ${percent(found.power, 0)}`, percent(found.difference_at_power, 2)],
      ["worth of the metric", percent(found.worth)],
    ];
    if (found.cost !== undefined) rows.push(["cost in all", number(found.cost)]);
    if (found.break_even) rows.push(["the metric pays off below, a rating", found.break_even.toPrecision(3)]);
    fill("plan-table", null, rows);
    drawPlan(found);
  } catch (error) {
    problem("plan-error", error);
    markWrong(error);
  }
}
const AXES = {
  n_metric: [0, 100, 300, 1000, 3000, 10000, 30000, 100000],
  n_human: [20, 50, 100, 200, 500, 1000, 2000, 5000],
  n_calibration: [20, 50, 100, 200, 500, 1000, 2000, 5000],
  accuracy: [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99],
};
const drawPlan = later(async () => {
  const guesses = { known_rates: $("known_rates").checked, confidence_level: value("confidence_level") ?? 0.95 };
  for (const name of ["rate", "tpr", "tnr"]) guesses[name] = value(name) ?? 0.8;
  const axis = $("curve-axis").value;
  const sizes = { n_human: value("n_human") ?? 200, n_metric: value("n_metric") ?? 5000 };
  const calibration = value("n_calibration");
  const fixed = { ...guesses, ...sizes, ...(calibration === null ? {} : { n_calibration: calibration }) };
  delete fixed[axis];
  if (axis === "accuracy") { delete fixed.tpr; delete fixed.tnr; }
  const other = axis === "n_human" ? "n_metric" : "n_human";
  const around = [...new Set([sizes[other] / 2, sizes[other], sizes[other] * 2].map((n) => Math.max(1, Math.round(n))))];
  delete fixed[other];
  const curve = { ...fixed, rows: { name: other, values: around }, columns: { name: axis, values: AXES[axis] } };
  const grid = { ...guesses, rows: { name: "n_human", values: [0, 50, 100, 200, 500, 1000, 2000, 5000] }, columns: { name: "n_metric", values: [0, 1000, 5000, 10000, 50000, 100000] } };
  const map = { ...guesses, rows: { name: "n_human", values: [10, 10000] }, columns: { name: "n_metric", values: [100, 100000] }, cost_human: value("cost_human") ?? 1, cost_metric: value("cost_metric") ?? 0 };
  if ($("solve").value === "budget" && value("budget")) map.budget = (value("budget") - (value("cost_fixed") ?? 0)) / (value("systems") ?? 2);
  if (axis === "n_calibration" || axis === "n_human" || axis === "n_metric") curve.columns.values = AXES[axis].filter((n) => n > 0 || axis === "n_metric");
  try {
    const table = await post("grid", "/api/table", grid);
    if (table) fill("plan-grid", ["human \\ metric", ...table.columns.values.map(number)], table.rows.values.map((n, i) => [number(n), ...table.differences[i].map((d) => d.toFixed(3))]));
    const curves = await post("curve", "/api/table/chart?curves=true", curve);
    if (curves) await draw("chart-curve", curves.charts.map);
    const heat = await post("map", "/api/table/chart", map);
    if (heat) await draw("chart-map", heat.charts.map);
  } catch (error) { /* the plan itself has said what is wrong */ }
}, 350);
const changed = later(answerPlan);
for (const id of ["solve", "known_rates", "separate", "curve-axis"]) $(id).onchange = changed;
$("plan-form").onsubmit = (event) => event.preventDefault();
$("roles").onsubmit = (event) => event.preventDefault();
$("simulate").onclick = async () => {
  const body = { runs: 400, known_rates: $("known_rates").checked };
  for (const name of ["rate", "tpr", "tnr", "n_human", "n_metric", "n_calibration", "confidence_level", "difference"]) if (value(name) !== null) body[name] = value(name);
  $("simulation").textContent = "Simulating 400 campaigns …";
  try {
    const found = await post("simulation", "/api/simulation", body);
    if (found) $("simulation").textContent = found.summary;
  } catch (error) { $("simulation").textContent = error.message; }
};
$("pilot").onchange = async () => {
  const [file] = $("pilot").files;
  if (!file) return;
  try {
    const response = await ask("pilot", `/api/pilot?${new URLSearchParams({ name: file.name, n_human: value("n_human") ?? 0, n_metric: value("n_metric") ?? 0, difference: value("difference") ?? 0.05 })}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
    const found = response && await response.json();
    if (!found) return;
    for (const name of ["rate", "tpr", "tnr"]) if (found[name] !== null) { $(name).value = found[name].toFixed(3); FIELDS.find((f) => f.name === name).slider.value = found[name]; }
    $("simulation").textContent = found.summary;
    changed();
  } catch (error) { problem("plan-error", error); }
};

// compare

let upload = null;
const roleQuery = () => {
  const query = new URLSearchParams({ name: upload.name });
  for (const role of ["system", "item", "human", "metric"]) if ($(`role-${role}`).value) query.set(role, $(`role-${role}`).value);
  const rule = $("rule").value === "number" ? $("cut").value : $("rule").value;
  if (rule) query.set("threshold", rule);
  query.set("sampling", $("sampling").value);
  query.set("confidence_level", $("level").value || "0.95");
  if ($("pooling").checked) query.set("pool_calibration", "true");
  return query;
};
const send = (key, path, query) => ask(key, `${path}?${query}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: upload.body });
async function answerCompare() {
  if (!upload) return;
  problem("compare-error", null);
  $("compare-words").textContent = "Comparing …";
  const query = roleQuery();
  try {
    const response = await send("compare", "/api/compare", query);
    const found = response && await response.json();
    if (!found) return;
    $("compare-answer").hidden = false;
    showComparison(found);
    const drawn = await send("charts", "/api/compare/charts", query);
    const specs = drawn && (await drawn.json()).charts;
    if (!specs) return;
    for (const name of ["rates", "matrix", "posteriors", "calibration"]) await draw(`chart-${name}`, specs[name]);
    const roc = await draw("chart-roc", Object.entries(specs).find(([name]) => name.startsWith("roc "))?.[1]);
    $("roc-help").hidden = !roc;
    roc?.addEventListener("click", (_, item) => { // a point of a curve becomes the cut
      if (item?.datum?.cut === undefined || item.datum.cut === null) return;
      $("rule").value = "number";
      $("cut-label").hidden = false;
      $("cut").value = item.datum.cut;
      answerCompare();
    });
  } catch (error) {
    problem("compare-error", error);
    $("compare-words").textContent = "";
  }
}
function showComparison(found) {
  $("compare-words").textContent = found.summary;
  const cautions = found.warnings.map((caution) => {
    const box = make("p", undefined, "caution");
    box.append(make("b", `Caution${caution.system ? `, ${caution.system}` : ""}. `), `${caution.message} ${caution.advice}`);
    return box;
  });
  $("cautions").replaceChildren(...cautions);
  const span = (x) => `${x.low.toFixed(3)} – ${x.high.toFixed(3)}`;
  fill("systems-table", ["system", "rate", "interval", "P(best)", "ranks", "human only", "interval", "saved", "tpr", "tnr", "worth"], found.standings.map((place) => {
    const s = found.systems[place.system], q = s.metric_quality, alone = s.human_only;
    const ranks = place.best_rank === place.worst_rank ? `${place.best_rank}` : `${place.best_rank} – ${place.worst_rank}`;
    return [place.system, s.mean.toFixed(3), span(s.interval), place.probability_best.toFixed(3), ranks, alone ? alone.mean.toFixed(3) : "–", alone ? span(alone.interval) : "–",
      s.human_ratings_saved === null ? "–" : Math.max(0, s.human_ratings_saved).toFixed(0), q ? q.tpr.mean.toFixed(3) : "–", q ? q.tnr.mean.toFixed(3) : "–", q ? percent(q.worth, 0) : "–"];
  }));
  const shared = found.shared_rates?.pairs;
  fill("pairs", ["pair", "difference", "interval", "P(first)", "verdict", "Holm", ...(shared ? ["P if shared"] : [])], found.pairs.map((p, i) => [
    `${p.first} − ${p.second}`, p.difference.toFixed(3), span(p.interval), p.probability_first_better.toFixed(3), p.verdict, p.distinguishable_holm ? "yes" : "–", ...(shared ? [shared[i].probability_first_better.toFixed(3)] : [])]));
  $("needed-box").hidden = !found.needed.length;
  $("needed").replaceChildren(...found.needed.map((need) => make("li", need.summary)));
  $("understood").replaceChildren(...found.understood.map((sentence) => make("li", sentence)));
  $("signature").textContent = found.signature;
  showRoles(found);
  const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const roles = found.roles, words = ["tellapart compare", quoted(upload.name)], python = [JSON.stringify(upload.name)];
  if (roles) for (const [name, given] of Object.entries(roles)) for (const one of [given].flat()) if (one) words.push(`--${name} ${quoted(one)}`);
  if (roles) for (const [name, given] of Object.entries(roles)) if (given && given.length) python.push(`${name}=${JSON.stringify(given)}`);
  const rule = $("rule").value === "number" ? $("cut").value : $("rule").value;
  if (rule) { words.push(`--threshold ${rule}`); python.push(`threshold=${$("rule").value === "number" ? rule : JSON.stringify(rule)}`); }
  if ($("sampling").value !== "random") { words.push(`--sampling ${$("sampling").value}`); python.push(`sampling=${JSON.stringify($("sampling").value)}`); }
  if ($("pooling").checked) words.push("--pool-calibration");
  if ($("level").value !== "0.95") words.push(`--confidence-level ${$("level").value}`);
  const extra = `confidence_level=${$("level").value || 0.95}${$("pooling").checked ? ", pool_calibration=True" : ""}`;
  $("compare-command").textContent = words.join(" ");
  $("compare-python").textContent = `import tellapart as ta\nresult = ta.read_ratings(${python.join(", ")}).compare(${extra})\nprint(result)`;
}
function showRoles(found) {
  $("roles").hidden = false;
  for (const role of ["system", "item", "human", "metric"]) {
    const select = $(`role-${role}`), now = found.roles ? [found.roles[role]].flat()[0] ?? "" : "";
    const options = ["", ...found.columns].map((name) => { const option = make("option", name || (role === "item" ? "(none)" : "(recognise)")); option.value = name; return option; });
    select.replaceChildren(...options);
    select.value = now;
    select.disabled = !found.roles;
  }
}
function take(body, name) {
  upload = { body, name };
  for (const role of ["system", "item", "human", "metric"]) $(`role-${role}`).replaceChildren();
  answerCompare();
}
$("file").onchange = () => { const [file] = $("file").files; if (file) take(file, file.name); };
$("example").onclick = async () => take(await (await fetch("/api/example")).blob(), "example.csv");
for (const kind of ["dragover", "dragleave", "drop"]) {
  $("drop").addEventListener(kind, (event) => {
    event.preventDefault();
    $("drop").classList.toggle("over", kind === "dragover");
    const file = event.dataTransfer?.files[0];
    if (kind === "drop" && file) take(file, file.name);
  });
}
for (const id of ["role-system", "role-item", "role-human", "role-metric", "sampling", "level", "pooling", "cut"]) $(id).onchange = answerCompare;
$("rule").onchange = () => { $("cut-label").hidden = $("rule").value !== "number"; if ($("rule").value !== "number" || $("cut").value) answerCompare(); };
$("report").onclick = async () => {
  try {
    const response = await send("report", "/api/compare/report", roleQuery());
    if (response) saveText(await response.text(), "tellapart-report.html", "text/html");
  } catch (error) { problem("compare-error", error); }
};

// counts

const COUNTS = ["system", "human_pos", "human_n", "tp", "fn", "tn", "fp", "metric_pos", "metric_n"];
function addRow(values = []) {
  const row = make("tr");
  COUNTS.forEach((name, i) => {
    const cell = make("td"), input = make("input");
    input.type = i ? "number" : "text";
    input.min = 0;
    input.value = values[i] ?? "";
    input.setAttribute("aria-label", `${name}, row ${$("counts-grid").tBodies[0].rows.length + 1}`);
    cell.append(input);
    row.append(cell);
  });
  $("counts-grid").tBodies[0].append(row);
}
$("show-counts").onclick = () => {
  $("counts").hidden = false;
  if ($("counts-grid").tBodies[0].rows.length) return;
  fill("counts-grid", COUNTS, []);
  addRow(["A", 60, 100, 54, 6, 36, 4, 1190, 2000]);
  addRow(["B", 45, 100, 40, 5, 49, 6, 890, 2000]);
};
$("add-row").onclick = () => addRow();
$("use-counts").onclick = () => {
  const quote = (text) => `"${text.replaceAll('"', '""')}"`;
  const rows = [...$("counts-grid").tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.firstChild.value));
  const lines = rows.filter((row) => row.some(Boolean)).map(([name, ...rest]) => [quote(name), ...rest].join(","));
  take(new Blob([[COUNTS.join(","), ...lines].join("\n")]), "counts.csv");
};

// paper

let opened = false;
async function openPaper() {
  if (opened) return;
  opened = true;
  const names = await (await fetch("/api/paper")).json();
  $("published").replaceChildren(...names.map((name) => make("option", name)));
  $("published").onchange = showPaper;
  showPaper();
}
async function showPaper() {
  $("paper-words").textContent = "Recomputing …";
  try {
    const response = await ask("paper", `/api/paper/${encodeURIComponent($("published").value)}`);
    const found = response && await response.json();
    if (!found) return;
    $("paper-words").textContent = `${found.matched} of ${found.cells} cells of “${found.title}” come out in the paper's own mode, to the last digit.`;
    fill("paper-table", ["cell", "published", "paper's mode", "exact", "why it differs"], found.all.map((cell) => [cell.where, cell.published, cell.paper_mode, cell.exact, cell.why]));
  } catch (error) { $("paper-words").textContent = error.message; }
}

// start

const state = new URLSearchParams(location.search);
for (const field of FIELDS) {
  if (state.has(field.name)) $(field.name).value = state.get(field.name);
  else if (state.size && field.name === "n_calibration") $(field.name).value = "";
  field.slider.value = toSlider(field, Number($(field.name).value));
}
if (state.has("solve")) $("solve").value = state.get("solve");
if (state.has("axis")) $("curve-axis").value = state.get("axis");
for (const box of ["known_rates", "separate"]) $(box).checked = state.get(box) === "1";
show(tabs.includes(state.get("tab")) ? state.get("tab") : "plan");
answerPlan();
