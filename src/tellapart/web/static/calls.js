// @ts-check
// The same comparison as a command and in Python: pure functions, without the page.

import { python, shell } from "./words.js";

const COMPARING = ["prior", "confidence_level", "interval", "correction", "borrow"];
const FLAGS = ["pooled", "lower_is_better"]; // of the cut
const SWITCHES = { pooled: "--own-cuts", lower_is_better: "--lower-is-better", paired: "--unpaired" };
const NUMBERS = ["human_cut", "confidence_level"];
const total = (/** @type {number[]} */ counts) => counts.reduce((a, b) => a + b, 0);
const human = (/** @type {any} */ { both, truth_only: alone }) => [total(both[1]) + alone[1], total(both.flat()) + total(alone)];
const metric = (/** @type {any} */ { metric_only: [failed, passed] }) => [passed, failed + passed];
function confusion(/** @type {any} */ { both, borrowed }) { // rows: inadequate, adequate; columns: fail, pass
  const [[tn, fp], [fn, tp]] = both.map((/** @type {number[]} */ row, /** @type {number} */ i) => row.map((n, j) => n + borrowed[i][j]));
  return Object.entries({ tp, fn, tn, fp }).map(([k, v]) => `${k}=${v}`);
}
function countsOf(/** @type {string} */ name, /** @type {any} */ evidence) {
  const parts = [name, human(evidence).join("/")];
  if (evidence.levels.length) parts.push(confusion(evidence).join(","), metric(evidence).join("/"));
  return parts.join(":");
}
function evidenceOf(/** @type {any} */ evidence) {
  const parts = [`(${human(evidence).join(", ")})`];
  if (evidence.levels.length) parts.push(`calibration=ta.Confusion(${confusion(evidence).join(", ")})`, `metric=(${metric(evidence).join(", ")})`);
  if (evidence.sampling !== "random") parts.push(`sampling=${python(evidence.sampling)}`);
  return `ta.Evidence.of(${parts.join(", ")})`;
}
const isNumber = (/** @type {any} */ text) => text !== "" && !Number.isNaN(Number(text));

/** @param {any} found @param {any} source { names, labels, from } @param {Record<string, any>} given @param {boolean} untouched */
export function command(found, source, given, untouched) {
  if (source.from === "example" && untouched) return "tellapart demo";
  const words = ["tellapart compare"], systems = Object.entries(found.systems ?? {});
  if (source.from === "counts" && systems.every(([name]) => !name.includes(":"))) for (const [name, one] of systems) words.push(`--counts ${shell(countsOf(name, one.evidence))}`);
  else words.push(...source.names.map(shell));
  if (source.labels) words.push(`--labels ${shell(source.labels.name)}`);
  for (const [name, value] of Object.entries(given)) {
    if (name === "by") words.push(`--by ${shell(value.join(","))}`);
    else if (name in SWITCHES) words.push(SWITCHES[/** @type {keyof typeof SWITCHES} */ (name)]);
    else for (const one of [value].flat()) words.push(`--${name.replaceAll("_", "-")} ${shell(String(one))}`);
  }
  return words.join(" ");
}
/** @param {any} found @param {any} source @param {Record<string, any>} given */
export function script(found, source, given) {
  /** @type {string[]} */
  const reading = [], /** @type {string[]} */ comparing = [];
  for (const [name, value] of Object.entries(given)) {
    if (name === "threshold" || name === "by" || FLAGS.includes(name)) continue;
    const plain = NUMBERS.includes(name) || (name === "levels" && isNumber(value));
    (COMPARING.includes(name) ? comparing : reading).push(`${name}=${plain ? value : python(value)}`);
  }
  const flags = FLAGS.filter((name) => name in given).map((name) => `${name}=${python(given[name])}`);
  if (given.threshold || flags.length) reading.push(`threshold=ta.ThresholdRule(${[isNumber(given.threshold ?? "") ? given.threshold : python(given.threshold ?? "equal"), ...flags].join(", ")})`);
  if (source.labels) reading.push(`labels=${python(source.labels.name)}`);
  const rest = comparing.join(", "), start = "import tellapart as ta\n", inside = rest && `, ${rest}`;
  const inbuilt = 'files("tellapart").joinpath("data/example.csv").read_bytes(), name="example.csv"';
  const example = source.from === "example" ? "from importlib.resources import files\n" : "";
  const file = example ? inbuilt : source.names.length > 1 ? `[${source.names.map(python).join(", ")}]` : python(source.names[0]);
  if (found.matchups) return `${start}pairs = ta.read_pairs(${[file, ...reading].join(", ")})\nprint(pairs.compare(${rest}))`;
  if (given.by) return `${example}${start}print(ta.slices(${[file, python(given.by), ...reading, ...comparing].join(", ")}))`;
  if (found.roles) return `${example}${start}ratings = ta.read_ratings(${[file, ...reading].join(", ")})\nprint(ratings.compare(${rest}))`;
  const sampling = given.sampling ? `, sampling=${python(given.sampling)}` : "";
  if (source.from === "file") return `${start}systems = ta.read_counts(${file}${sampling})\nprint(ta.compare(systems${inside}))`;
  const systems = Object.entries(found.systems).map(([name, one]) => `    ${python(name)}: ${evidenceOf(/** @type {any} */ (one).evidence)},\n`).join("");
  return `${start}systems = {\n${systems}}\nprint(ta.compare(systems${inside}))`;
}
