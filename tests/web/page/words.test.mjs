// Run with: node --test tests/web/page
import assert from "node:assert/strict";
import test from "node:test";

const at = (name) => import(new URL(`../../../src/tellapart/web/static/${name}`, import.meta.url));
const { asCommand, cell, headline, lanes, middle, nextStep, often, percent, python, several, shell, verdict } = await at("words.js");
const { command, script } = await at("calls.js");
const { steadily } = await at("dom.js");

test("one rating is one rating", () => {
  assert.equal(several(1, "human rating"), "1 human rating");
  assert.equal(several(1200, "human rating"), "1,200 human ratings");
});
test("shell words are quoted where they must be", () => {
  assert.equal(shell("a.csv"), "a.csv");
  assert.equal(shell("it's"), "'it'\\''s'");
});
test("Python values", () => {
  assert.equal(python(["a"]), '("a",)');
  assert.equal(python(false), "False");
});
test("a command leaves out what is usual", () => {
  assert.equal(asCommand("plan", { rate: [0.5, 0.7], known_rates: true, n_human: 3, confidence_level: 0.95, separate_calibration: false }), "tellapart plan --rate 0.5..0.7 --known-rates --n-human 3");
});
test("cells of CSV are quoted, and computed by no spreadsheet", () => {
  assert.equal(cell("=1+1"), "'=1+1");
  assert.equal(cell("-2.5"), "-2.5");
  assert.equal(cell('a "b", c'), '"a ""b"", c"');
});
test("the big answer of a plan", () => {
  assert.deepEqual(headline({ solved: "difference", value: 0.1116, power: 0.8 }), { value: "11.2 points", label: "the smallest difference that you will find four times in five" });
  assert.equal(headline({ solved: "n_human", value: 1, difference: 0.9, power: 0.6 }).value, "1 human rating");
  assert.equal(headline({ found: false }).warn, true);
  assert.equal(headline({ costs: {}, budget: null, cost: 2250.5, difference: 0.05, power: 0.8 }).value, "2,250.5");
  assert.equal(headline({ solved: "difference", value: null }).warn, true);
  assert.equal(often(0.77), "with probability 77%");
});
test("the big answer of a comparison", () => {
  const rate = { is_rate: true }, rating = { is_rate: false };
  const pair = { first: "A", second: "B", difference: -0.152, interval: { low: -0.25, high: -0.05 }, better: "B" };
  assert.deepEqual(verdict({ ranking: ["B", "A"], pairs: [pair], systems: { A: rate, B: rate } }), { value: "B is better", label: "by 15.2 points, between 5.0 and 25.0" });
  assert.deepEqual(verdict({ ranking: ["B", "A"], pairs: [pair], systems: { A: rating, B: rating } }), { value: "B is better", label: "than A" });
  assert.equal(verdict({ ranking: ["A", "B"], pairs: [{ ...pair, better: null }], systems: {} }).value, "Cannot tell");
  const of = (/** @type {(string | null)[]} */ ...better) => [["A", "B"], ["A", "C"], ["B", "C"]].map(([first, second], i) => ({ first, second, better: better[i] }));
  const many = { ranking: ["A", "B", "C"], systems: {} };
  assert.deepEqual(verdict({ ...many, pairs: of(null, "A", "B") }), { value: "A or B is best", label: "2 of 3 pairs can be told apart" });
  assert.equal(verdict({ ...many, pairs: of(null, null, null) }).warn, true);
  assert.equal(verdict({ ranking: ["A", "B"], matchups: [{ ...pair, better: null, set_aside: true }] }).value, "No verdict");
  assert.equal(verdict({ ...many, pairs: of("A", "A", "B"), parts: [["A", "B"], ["C", "D"]] }).value, "No ranking");
  assert.equal(percent(0.5), "50.0%");
});
test("systems that are set aside are no part of the big answer", () => {
  const pairs = [["X", "A", "X"], ["X", "B", "X"], ["X", "C", "X"], ["A", "B", null], ["A", "C", "A"], ["B", "C", null]].map(([first, second, better]) => ({ first, second, better }));
  const found = { ranking: ["X", "A", "B", "C"], pairs, systems: {}, doubtful: { X: ["why"] } };
  assert.deepEqual(verdict(found), { value: "A or B is best", label: "1 of 3 pairs can be told apart" });
  assert.equal(verdict({ ...found, doubtful: { X: [], C: [] } }).label, "A and B cannot be told apart yet");
  assert.deepEqual(verdict({ ...found, doubtful: { X: [], A: [], B: [] } }), { value: "No verdict", label: "none can be relied on: see the cautions", warn: true });
  const one = { is_rate: true, measure: "rate", mean: 0.6, interval: { low: 0.5, high: 0.7 }, human_only: { mean: 0.5, interval: { low: 0.4, high: 0.6 } } };
  const { shown, ...told } = verdict({ ranking: ["A"], systems: { A: one }, doubtful: { A: [] } });
  assert.deepEqual(told, { value: "50.0%", label: "A's rate by the human ratings alone, between 40.0% and 60.0%", warn: true });
  assert.equal(shown.mean, 0.5);
  assert.equal(verdict({ ranking: ["A"], systems: { A: { ...one, human_only: null } }, doubtful: { A: [] } }).value, "No verdict");
});
test("the big answer on one system is a rate or a mean rating", () => {
  const one = { is_rate: true, measure: "rate", mean: 0.6, interval: { low: 0.5, high: 0.7 } };
  const told = (found) => { const { value, label, warn } = verdict(found); return [value, label, warn]; };
  assert.deepEqual(told({ ranking: ["A"], systems: { A: one } }), ["60.0%", "A's rate, between 50.0% and 70.0%", false]);
  const other = { is_rate: false, measure: "mean rating, from 1 to 5", mean: 3.4, interval: { low: 3, high: 3.85 } };
  assert.deepEqual(told({ ranking: ["A"], systems: { A: other } }), ["3.40", "A's mean rating, from 1 to 5, between 3.00 and 3.85", false]);
});
test("lines of groups neither touch in one lane nor cover a system that is no member", () => {
  const ranking = ["A", "B", "C", "D", "E", "F"], groups = [["A", "B", "C"], ["B", "C", "D"], ["C", "E"], ["F"], ["E", "F", "D"]];
  const found = lanes(ranking, groups).map(({ lane, stretches }) => [lane, stretches]);
  assert.deepEqual(found, [[0, [[0, 2]]], [1, [[1, 3]]], [2, [[2, 2], [4, 4]]], [0, [[3, 5]]]]);
});
test("a long name keeps both of its ends", () => {
  assert.equal(middle("text-davinci-003_fewshot-n64", 16), "text-dav…hot-n64");
  assert.equal(middle("FiD", 16), "FiD");
});
test("the example is built in", () => {
  const source = { from: "example", names: ["example.csv"], labels: null };
  assert.equal(command({ systems: {} }, source, {}, true), "tellapart demo");
  assert.match(script({ systems: {}, roles: {} }, source, {}), /importlib/);
});
test("several files, labels and slices are in the call", () => {
  const source = { from: "file", names: ["a.csv", "b c.csv"], labels: { name: "votes.csv" } };
  const given = { by: ["language", "topic"], metric: ["none"], pooled: false, paired: false };
  assert.equal(command({ systems: {}, roles: {} }, source, given, false), "tellapart compare a.csv 'b c.csv' --labels votes.csv --by language,topic --metric none --own-cuts --unpaired");
  assert.match(script({ systems: {}, roles: {} }, source, given), /ta\.slices\(\["a\.csv", "b c\.csv"\], \("language", "topic"\), metric=\("none",\), paired=False/);
});
test("the next step is said with its number first", () => {
  const need = { first: "A", second: "B", human: { likely: 1500, low: 42, high: 8000 } };
  assert.equal(nextStep(need), "About 1,500 more human ratings per system would tell A and B apart (42 to 8,000).");
  assert.equal(nextStep({ human: null }), "");
});
test("a change is answered at once, those that follow no more often than asked, and the last one always", (context) => {
  let now = 1000;
  context.mock.timers.enable({ apis: ["setTimeout"] });
  context.mock.method(performance, "now", () => now);
  const pass = (wait) => { now += wait; context.mock.timers.tick(wait); };
  const seen = [];
  let value = 0;
  const changed = steadily(() => seen.push(value), 100);
  const change = (to) => { value = to; changed(); };
  change(1); change(2); pass(1);
  assert.deepEqual(seen, [2]);
  change(3); pass(50); change(4); pass(40);
  assert.deepEqual(seen, [2]);
  pass(20);
  assert.deepEqual(seen, [2, 4]);
});
