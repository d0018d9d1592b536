"""The methods: how often each is run, whether it carries what tellapart carries, and what it takes for granted."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

WORKS = ("one", "two", "same", "net")


@dataclass(frozen=True)
class Method:
    """`share` of the replicates, by kind of work, for what is slow; `carries`: how far its uncertainty is the same."""

    peer: str
    carries: str
    assumes: str
    share: dict[str, float] = field(default_factory=dict)

    def limits(self, replicates: int, draws: int) -> dict[str, int]:
        """Return how often each kind of work is done; real evaluations four times as often as simulated ones."""
        found = {}
        for work in WORKS:
            share = self.share.get(work, self.share.get("all", 1.0))
            found[work] = math.ceil(share * replicates)
            found[f"{work}, real"] = math.ceil(self.share.get("real", min(1.0, 4 * share)) * draws)
        return found


APPROXIMATE = "yes, for large samples"
PPI = "People rated a random sample. The interval is normal: right when there are many ratings of either kind."
METHODS = {
    "tellapart": Method(
        "tellapart",
        "yes",
        "People rated a random sample. One metric, whose error rates are estimated; those of two systems scatter "
        "around common ones as real judges' do.",
    ),
    "tellapart, no pooling": Method(
        "tellapart",
        "yes",
        "The same, each system with error rates of its own; systems on the same items are correlated.",
    ),
    "people only": Method(
        "plain",
        "no metric",
        "People rated a random sample. Wilson, Newcombe; exact McNemar and sign tests with mid-p values.",
    ),
    "Tenenbein": Method(
        "plain", APPROXIMATE, "As tellapart without pooling; maximum likelihood, normal on the logit (1970)."
    ),
    "ppi-python PPI++": Method("ppi-python", APPROXIMATE, PPI),
    "ppi-python PPI": Method("ppi-python", APPROXIMATE, f"{PPI} The metric counts in full, however bad it is."),
    "glide-py PPI++": Method("glide-py", APPROXIMATE, f"{PPI} Refuses if all human ratings are equal."),
    "glide-py PTD": Method(
        "glide-py", APPROXIMATE, "As PPI++, with a percentile bootstrap of 2000 draws.", {"all": 0.5}
    ),
    "truescore": Method(
        "truescore", APPROXIMATE, f"{PPI} With fewer than five ratings of one kind, at least as wide as Wilson's."
    ),
    "evalstats": Method(
        "evalstats",
        APPROXIMATE,
        "As PPI++, by bootstrap (one rate) or Student's t (two systems). 15 ratings at least.",
        {"all": 0.25},
    ),
    "evalstats PPI Wilson": Method(
        "evalstats", APPROXIMATE, "The interval that its `compare` gives a rate of yes and no."
    ),
    "cje-eval": Method(
        "cje-eval",
        APPROXIMATE,
        "A monotone calibration of the judge, cross-fitted, and Student's t; labels of two systems are pooled in one "
        "calibration.",
        {"all": 0.25},
    ),
    "Rogan–Gladen, delta": Method(
        "plain",
        "human ratings as calibration only",
        "The metric is better than chance; people's share of adequate is not used.",
    ),
    "Rogan–Gladen, Lang–Reiczigel": Method(
        "plain", "human ratings as calibration only", "The same, adjusted for small samples (2014)."
    ),
    "judgy": Method(
        "judgy",
        "calibration only, not the metric's own chance",
        "The same, with a bootstrap of the rated outputs alone.",
        {"all": 0.125},
    ),
    "NUTS": Method(
        "numpyro",
        "yes, by sampling",
        "The model of the paper, as tellapart's for one system.",
        {"all": 0.005, "real": 0},
    ),
    "metric uncorrected": Method("plain", "none", "The metric is right."),
    "evalica, people": Method(
        "evalica", "no metric", "People's outcomes alone; bootstrap of Bradley–Terry scores.", {"all": 0.1}
    ),
    "evalica, people and judge": Method(
        "evalica", "none", "The judge's outcomes are as good as people's.", {"all": 0.025}
    ),
}
