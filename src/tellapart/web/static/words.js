// @ts-check
// Numbers and calls in words: pure functions, without the page.

/** @param {number} x */
export const percent = (x, digits = 1) => `${(100 * x).toFixed(digits)}%`;
/** @param {number | string} x */
export const number = (x) => Number(x).toLocaleString("en", { maximumFractionDigits: 10 });
/** @param {number} x */
export const points = (x) => `${(100 * x).toFixed(1)} points`;
/** What an estimate measures: a rate, or a mean rating. @param {{ is_rate: boolean }} one @param {number} x */
export const measured = (one, x, digits = 1) => (one.is_rate ? percent(x, digits) : x.toFixed(2));
/** @param {number} n @param {string} one */
export const several = (n, one) => `${number(n)} ${one}${n === 1 ? "" : "s"}`;
/** @param {string} text */
export const shell = (text) => (/^[\w./=,:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
/** @param {any} value @returns {string} */
export const python = (value) => {
  if (value === true || value === false) return value ? "True" : "False";
  if (Array.isArray(value)) return `(${value.map(python).join(", ")}${value.length === 1 ? "," : ""})`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
};
/** Arguments of a call in Python. @param {Record<string, any>} given */
export const listed = (given) => Object.entries(given).filter(([, v]) => v !== false).map(([k, v]) => `${k}=${python(v)}`).join(", ");
/** The same call on the command line. @param {string} command @param {Record<string, any>} given */
export function asCommand(command, given) {
  const words = [`tellapart ${command}`];
  for (const [name, one] of Object.entries(given)) {
    if (one === false || (name === "confidence_level" && one === 0.95)) continue;
    words.push(`--${name.replaceAll("_", "-")}${one === true ? "" : ` ${Array.isArray(one) ? one.join("..") : shell(String(one))}`}`);
  }
  return words.join(" ");
}
/** One cell or name with all that CSV asks for, and nothing that a spreadsheet would compute. @param {any} value */
export function cell(value) {
  const text = String(value ?? "");
  const safe = /^[=+@\t\r]|^-(?!(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
/** @param {number} power */
export const often = (power) => ({ 0.5: "half the time", 0.8: "four times in five", 0.9: "nine times in ten", 0.95: "nineteen times in twenty" }[power] ?? `with probability ${percent(power, 0)}`);

// the one big answer: { value, label, warn }

/** @param {any} found a plan */
export function headline(found) {
  if (found.found === false) return { value: "Not possible", label: "with these numbers: see why below", warn: true };
  if (found.probability_of_success !== undefined) {
    const label = `the chance that the campaign finds ${points(found.difference)}`;
    return { value: percent(found.probability_of_success, 0), label, warn: found.probability_of_success < 0.5 };
  }
  const goal = `to find ${points(found.difference ?? 0)} ${often(found.power)}`;
  if (found.costs && found.budget === null) return { value: number(Number(found.cost.toPrecision(10))), label: `the least that it costs ${goal}` };
  if (found.costs) return { value: points(found.difference_at_power), label: `the smallest difference that ${number(found.budget)} buys, found ${often(found.power)}` };
  switch (found.solved) {
    case "n_human": return { value: several(found.value, "human rating"), label: `of each system, ${goal}` };
    case "n_metric": return { value: several(found.value, "metric rating"), label: `of each system, ${goal}` };
    case "accuracy": return { value: percent(found.value), label: `is how often the judge must agree with people, ${goal}` };
    case "power": return { value: percent(found.value, 0), label: `the chance of finding ${points(found.difference)}`, warn: found.value < 0.5 };
    default: return found.value === null ? { value: "None", label: "no difference would be found", warn: true } : { value: points(found.value), label: `the smallest difference that you will find ${often(found.power)}` };
  }
}
/** The first systems of a ranking among which no two can be told apart. @param {string[]} ranking @param {any[]} apart */
function leaders(ranking, apart) {
  const beats = (/** @type {string} */ one, /** @type {string} */ other) => apart.some(({ first, second }) => (first === one && second === other) || (first === other && second === one));
  const end = ranking.findIndex((name, i) => ranking.slice(0, i).some((earlier) => beats(earlier, name)));
  return end < 0 ? ranking : ranking.slice(0, end);
}
/** One system, by people's ratings alone where more cannot be relied on. @param {string} whose @param {any} one @param {boolean} doubted @returns {{ value: string, label: string, warn?: boolean, shown?: any }} */
export function single(whose, one, doubted) {
  const shown = doubted ? one.human_only : one;
  if (!shown) return { value: "No verdict", label: `${whose} rate cannot be relied on: see the cautions`, warn: true };
  const [mean, low, high] = [shown.mean, shown.interval.low, shown.interval.high].map((x) => measured(one, x));
  return { value: mean, label: `${whose} ${one.measure}${doubted ? " by the human ratings alone" : ""}, between ${low} and ${high}`, warn: doubted, shown };
}
/** Of the systems that can be relied on, as the sentence below it. @param {any} found a comparison @returns {{ value: string, label: string, warn?: boolean }} */
export function verdict(found) {
  const all = found.pairs ?? found.matchups ?? [], doubtful = found.doubtful ?? {}, names = found.ranking ?? [];
  const relied = (/** @type {string} */ name) => !Object.hasOwn(doubtful, name), one = found.systems?.[names[0]];
  if (!all.length && one) return single(`${names[0]}'s`, one, !relied(names[0]));
  const pairs = all.filter((/** @type {any} */ pair) => relied(pair.first) && relied(pair.second) && !pair.set_aside), ranking = names.filter(relied);
  if (!pairs.length) return { value: "No verdict", label: all.length ? "none can be relied on: see the cautions" : "there is nothing to compare", warn: true };
  if (pairs.length === 1) {
    const [pair] = pairs, better = pair.better;
    if (!better) return { value: "Cannot tell", label: `${pair.first} and ${pair.second} cannot be told apart yet`, warn: true };
    const sign = better === pair.first ? 1 : -1;
    if (pair.difference === undefined || !found.systems?.[better]?.is_rate) return { value: `${better} is better`, label: `than ${better === pair.first ? pair.second : pair.first}` };
    const ends = [sign * pair.interval.low, sign * pair.interval.high].sort((a, b) => a - b).map((x) => (100 * x).toFixed(1));
    return { value: `${better} is better`, label: `by ${points(sign * pair.difference)}, between ${ends[0]} and ${ends[1]}` };
  }
  const apart = pairs.filter((/** @type {any} */ pair) => pair.better ?? pair.distinguishable), top = leaders(ranking, apart);
  const label = `${apart.length} of ${pairs.length} pairs can be told apart`;
  if (found.parts?.length > 1) return { value: "No ranking", label: `no pairs link all systems: ${label}`, warn: true };
  if (top.length === 1) return { value: `${top[0]} is best`, label };
  if (top.length === ranking.length) return { value: "Cannot tell", label: `none of the ${ranking.length} systems stands out: ${label}`, warn: true };
  return { value: top.length <= 3 ? `${top.slice(0, -1).join(", ")} or ${top.at(-1)} is best` : `One of ${top.length} is best`, label };
}
/** A long name without its middle: what tells names apart often stands at their ends. @param {string} name @param {number} most letters */
export const middle = (name, most) => (name.length <= most ? name : `${name.slice(0, Math.ceil(most / 2))}…${name.slice(1 - Math.floor(most / 2))}`);
/** Where to draw groups below a ranking: stretches [from, to] of neighbours, in the first lane that is free there. @param {string[]} ranking @param {string[][]} groups */
export function lanes(ranking, groups) {
  /** @type {number[]} */
  const ends = []; // of each lane, where its last group ends
  return groups.filter((group) => group.length > 1).map((group) => {
    const at = group.map((name) => ranking.indexOf(name)).sort((a, b) => a - b);
    const starts = at.filter((place) => !at.includes(place - 1)), stops = at.filter((place) => !at.includes(place + 1));
    const free = ends.findIndex((end) => end < at[0]), lane = free < 0 ? ends.length : free;
    ends[lane] = stops[stops.length - 1];
    return { group, lane, stretches: starts.map((from, i) => [from, stops[i]]) };
  });
}
/** What would settle a pair, in few words. @param {any} need */
export function nextStep(need) {
  const more = need?.human, pair = need && `${need.first} and ${need.second}`;
  if (!more?.likely) return "";
  return `About ${number(more.likely)} more human ratings per system would tell ${pair} apart${more.low && more.high ? ` (${number(more.low)} to ${number(more.high)})` : ""}.`;
}
