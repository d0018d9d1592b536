// @ts-check
// What each choice of a comparison means, behind a question mark beside it.

import { $, box, what } from "./dom.js";

/** @type {Record<string, [string, string]>} the name of a choice, and what it means */
const HELP = {
  system: ["the system", "The column that names the system, model or prompt that made the output."],
  item: ["the item", "The column that names what the output answers. Systems that people rated on the same items are compared item by item, which tells more apart."],
  "pick-human": ["human ratings", "What people said: 0/1, yes/no, pass/fail, or a scale such as 1 to 5. Empty is not rated. Tick several columns if each annotator has one."],
  "pick-metric": ["metrics", "What the judge or metric said, in labels or scores. Several are used together; none leaves people's ratings alone."],
  "pick-by": ["slices", "Columns such as language or topic: the verdict is repeated for each of their values. Slices with few ratings are drawn towards the whole."],
  rule: ["the cut of scores", "From which score on an output passes: where both kinds of error are as frequent, where the metric replaces most human ratings, where tpr + tnr is largest, or a number of your own."],
  pooled: ["one cut for all systems", "Without the tick each system has a cut of its own, and systems have nothing of the metric in common."],
  lower_is_better: ["lower scores are better", "For errors, distances and perplexities."],
  sampling: ["how outputs were chosen", "How you picked the outputs that people rated. If you looked at what the judge said, it must be allowed for; the interval would be wrong otherwise."],
  where: ["rows", "Only these rows are read: columns compared with values by ==, !=, <, <=, >, >= or in, joined by and, or, not."],
  labels: ["a file of people's ratings", "For logs, which have none: a table with the rating in a column human, joined by system, task, item and epoch, as far as it has these columns."],
  annotator: ["the annotator", "The column that names who voted, where each row is one vote."],
  cluster: ["clusters", "The column that says which outputs go together, such as the document or the dialogue: they are not independent, and count for less."],
  votes: ["several votes", "How the votes of several annotators make one rating. Ties are left out."],
  human_cut: ["adequate from", "Where people used a scale: outputs whose mean rating is at least this are adequate. Empty: the mean rating itself is compared."],
  bad_cells: ["cells that are no rating", "Cells such as ERROR, which are neither labels nor numbers: refuse the file, or take them as not rated."],
  fuse: ["several metrics together", "By their joint pattern, or one after the other as in the paper: as if they erred independently, which makes intervals too narrow where they do not."],
  paired: ["item by item", "Where people rated the same items of two systems, easy and hard items cancel out. Without the tick the systems are taken as rated on different items."],
  levels: ["levels of a score", "A score can be divided into levels instead of being cut in two, and then tells more."],
  prior: ["the prior", "What is believed before any rating: all rates are equally likely, or Jeffreys' prior, which leans to 0 and 1."],
  level: ["the confidence level", "The probability with which an interval holds the true rate. A higher level tells fewer systems apart."],
  interval: ["intervals", "The shortest interval, or the one that leaves equally much on either side."],
  correction: ["what verdicts hold for", "With many pairs, some look different by chance. All pairs together: the whole list of verdicts is right with the confidence level. On a line in the metric's averages, which takes five systems, each pair stands by itself unless you choose otherwise. Each pair by itself is right only for a pair that you picked before."],
  borrow: ["what systems have in common", "The more is shared, the more can be told apart; as much is used as the ratings bear out. Exactly the same metric errors is sharper, and wrong if they differ."],
};
export function addHelp() {
  for (const [id, [term, text]] of Object.entries(HELP)) {
    const asked = $(id).closest("label") ?? $(id), place = box("span", { className: "asked" });
    asked.replaceWith(place);
    place.append(asked, what(term, text));
    place.classList.toggle("of-files", asked.classList.contains("of-files"));
    asked.classList.remove("of-files");
  }
}
