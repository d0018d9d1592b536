"""What the page says: titles and texts, without numbers that a new run might change."""
# ruff: noqa: E501 - paragraphs of a page

from __future__ import annotations

HEAD = """# Does it hold?

An interval that claims 95 % should hold the truth in 95 of 100 evaluations, and two systems that are equally good should hardly ever be
told apart. Nobody can check that on real data, where the truth is not known. So evaluations are simulated: the truth is chosen, ratings
are drawn, the program is asked as any user would ask it, and its answer is compared with the truth, many times over.

`make validity` makes this page. The whole grid takes hours; it can be stopped and continues where it left off, and
`make validity ONLY=levels REPLICATES=100` or `FRACTION=.1` runs a part of it. The slow tests draw from the same grid."""

READ = """## How to read the tables

A *cell* is one kind of evaluation. "50 + 1,000" stands for 50 outputs that people and the judge rated and 1,000 more that the judge alone rated, of each
system. A judge of "0.9/0.8" passes 90 % of the adequate outputs and fails 80 % of the others. Every share is in per cent, with its standard error after ±:
the share that many more evaluations would give mostly lies within two of these. Widths are on the scale of rates, 0 to 1. *Refused* are evaluations
whose ratings cannot give an answer, such as labels that are all the same where they are to choose a cut; they count in no share.

The goal is that intervals hold the truth in 94 to 97 % of evaluations, and that no cell lies below 92 or above 97.5 %: below, they claim too
much; above, they are wider than necessary. A share is **bold** where it misses its goal by more than three standard errors, and
the explanation stands below the table; a share marked ° misses it by less, which among so many may be chance."""

TITLES = {
    "covered": "interval holds the truth",
    "half": "50 % interval holds it",
    "width": "width",
    "difference covered": "interval of the difference holds it",
    "unclustered": "rate, if the clusters are not named",
    "as random": "if taken as a random sample",
    "rates covered": "interval of the rate holds it",
    "width unpaired": "width, not item by item",
    "wrong": "pairs wrongly told apart",
    "wrong of verdicts": "wrong among the verdicts",
    "some wrong": "some wrong verdict",
    "some wrong, pair by pair": "the same, each pair by itself",
    "right": "pairs rightly told apart",
    "right by items": "the same, item by item",
    "found": "the difference is found",
    "found unpaired": "the same, not item by item",
    "found by an oracle": "the same, by an oracle",
    "lost": "lost to the oracle",
    "more": "ratings bought",
    "warned": "a caution comes",
    "hit": "comes where it should",
    "alarm": "comes where it should not",
}

OWN_TITLES = {  # of groups in which the same outcomes mean something else
    "plans": {"wrong": "the wrong one is called better"},
    "gates": {"wrong": "wrong decision", "found": "right decision"},
    "link": {"hit": "flagged, and games the judge", "alarm": "flagged, and is honest"},
}

TEXTS = {
    "prior": (
        "Rates drawn from the prior",
        """The strongest check of all. If the rate and the judge's error rates are themselves drawn from the prior that the analysis starts from, an exact
95 % interval holds the truth in exactly 95 % of evaluations, and a 50 % interval in 50 %, with any number of ratings. An error in a
formula, an integral or an interval would show here. The goal is the number itself.""",
    ),
    "people": (
        "People's ratings alone",
        """One system; people rated a random sample of its outputs, and nobody else rated any. With a fixed rate no method hits 95 % everywhere: counts are whole numbers, so the
share jumps up and down as the rate moves, the more so the fewer outputs of the rarer kind there are. Averaged over rates it is right, as the section
above shows. The shortest interval, which is the default, has the best worst case.""",
    ),
    "one": (
        "People and a judge",
        """The rate is fixed, from very low to very high, and so are the judge and the numbers of ratings. The good judge is 0.9/0.85, the bad one 0.6/0.55, the lenient
one 0.98/0.5. With few human ratings little is known about the judge, and the prior says that it may be anything, good or useless: judges that are in fact good
are then used with more caution than they deserve, and intervals hold the truth more often than they claim.""",
    ),
    "levels": (
        "A judge with levels",
        """The judge gives one of several levels; the higher the level, the likelier it is for adequate outputs. Levels with few calibration outputs are merged with their
neighbours before anything is estimated, by a rule that looks at the data, and intervals have to hold all the same.""",
    ),
    "paired": (
        "Two systems on the same items",
        """Some items are harder than others for both systems. The interval is for the difference, item by item; beside it stands how wide it would be if each of the
two systems were analysed by itself. Where they are equally good, any verdict is wrong.""",
    ),
    "outcomes": (
        "Win, tie, loss",
        """Two systems are compared output by output; people and the judge name the better one, or a tie. The cells are named after the shares of losses, ties
and wins; the interval is for the net win rate.""",
    ),
    "thresholds": (
        "Scores that are cut where the data say",
        """A score becomes pass or fail by a cut that the rated outputs choose themselves. With cross-fitting, the default, no output helps to choose the cut by which it
is judged; the last cell does without, for comparison.""",
    ),
    "judges": (
        "Several judges",
        """Two or three judges. Used by the joint pattern of their verdicts, they give intervals that hold whether the judges err on the same outputs or not. Used one after the other,
as if they erred independently, they do so only where they do err independently.""",
    ),
    "clusters": (
        "Outputs that go together",
        """Ten outputs of each document, some documents harder than others and the judge in a different mood for each. The program is told which document each output belongs to; the
last column shows what happens if it is not.""",
    ),
    "balanced": (
        "Human ratings of as many adequate outputs as others",
        """Of all outputs that the judge rated, people rated a fixed number of adequate and of inadequate ones. Taken as a random sample, these say that half of all outputs are
adequate; told how they were chosen, the program uses them to learn how the judge errs; among all outputs, each also counts as what it is.""",
    ),
    "verdict": (
        "Human ratings chosen by the verdict",
        """People rated a fixed number of outputs that passed and of outputs that failed. The prior is then one for the table of verdict by truth.""",
    ),
    "scale": (
        "Ratings on a scale",
        """People and the judge rate from 1 to 5, the judge being one off every third time. The interval is for the mean rating.""",
    ),
    "slices": (
        "Slices",
        """The rate of one system in each of several slices, which are drawn together as far as they are alike. The share is taken over all slices. With few slices that
are all the same, or all different, drawing them together must do no harm.""",
    ),
    "metrics": (
        "Which metric?",
        """Intervals of what a metric is worth and of its area under the curve, for a score and for a judge; the first column is the mean of the four others.
They come from draws of the rated outputs, and may be too wide but not too narrow: the goal is at least 92 %.""",
    ),
    "verdicts": (
        "Verdicts of several systems",
        """Two, three and seven systems, each by itself (none), on the same items (items), or under error rates that are assumed to be the same for all, and are (shared). Verdicts on more than two systems are made for all
pairs together, so that at most 5 % of studies should contain any wrong verdict; beside it stands what would happen if each pair were
judged by itself. The price is power, the share of studies in which two systems ten points apart are told apart.""",
    ),
    "rates": (
        "Similar error rates",
        """`borrow="rates"` assumes that the judge errs in about the same way for all systems; how nearly the same, the ratings tell. The cells give the standard deviation of leniency over systems,
in logits; "judge drawn" is a judge whose scatter is drawn from what the analysis believes about judges, and there intervals and verdicts should be right. Any fixed scatter is
harder or easier than that, and up to 8 % of the pairs may be wrongly told apart, 5 % on average. An oracle knows how much the judge scatters; at most 10 points of power should be lost to it.""",
    ),
    "link": (
        "Many systems on a line",
        """`borrow="link"` assumes that the systems' rates lie around a line in the judge's own averages. Systems that hardly differ are drawn together, and each pair
is judged by itself: where all systems are equally good, some verdict may be wrong in one study of ten, and where only some are, in more, but few of all verdicts. The last columns of the full table show how often a system is flagged as lying off
the line: one that games the judge should be, an honest one should not. Among few systems with few ratings each, one that games the judge is hardly ever noticed; with a hundred and more and a judge that
is uneven, honest systems are flagged as well, and rightly so: the judge does like them more than people do, or less.""",
    ),
    "plans": (
        "What plans promise",
        """A plan is asked for a number, and the campaign that it describes is simulated: two systems that differ by what was planned for, compared without
borrowing. The difference should be found as often as the plan says. It is a large-sample promise: the goal is at most 4 points below and 6 above.""",
    ),
    "needed": (
        "How many more ratings",
        """After a pilot that left two systems open, as many more ratings are bought as the answer says, and what the pilot estimated is taken as true. 80 % is promised. The
pilot's own ratings happen to be right here, so the share should be a little higher than that.""",
    ),
    "gates": (
        "Gates and alarms",
        """A candidate that is worse than the baseline by just the margin should hardly ever pass, one that is no worse hardly ever fail. Alarms over time may be looked at
after every run, and yet be false in at most 5 % of all histories. The table gives the shares of wrong decisions, and of right ones where something is amiss.""",
    ),
    "cautions": (
        "Cautions",
        """Each caution that rests on chance, in cases made to deserve it and in similar cases that do not. The goal: it comes in at least four of five cases where it is due, and in at most one of twenty where it is not.""",
    ),
    "broken": (
        "Where assumptions break",
        """No goal here: this is what it costs to be wrong about the set-up, one assumption at a time, and whether a caution says so. That people misjudge outputs cannot be
seen from the ratings at all. What happens to correlated outputs if nobody says that they go together is shown above, under *Outputs that go together*.""",
    ),
}
