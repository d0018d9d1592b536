"""The two studies of the paper from their shipped counts: WMT21 translation and Spot-The-Bot dialogue.

Prints who can be told apart from the human ratings alone, and what a metric would have added.
"""

from __future__ import annotations

import tellapart as ta
from tellapart import paper, render

TITLES = {"wmt21": "WMT21 English–German, adequate without any MQM error", "stb": "Spot-The-Bot, taken for a human"}


def main() -> None:
    """Print both studies."""
    for study, title in TITLES.items():
        systems = {system: ta.Evidence.of(tally) for system, tally in paper.counts(study).values()}
        result = ta.compare(systems, correction="none")  # pair by pair, as in the paper
        print(f"# {title}\n")
        print("\n".join(map(render.markdown, (str(result), *render.sheets(result)))))
    for tpr, label in ((0.6, "the better metric"), (0.52, "the worse one")):
        design = ta.Design(rate=0.65, tpr=tpr, tnr=tpr, n_human=100, n_metric=1000, n_calibration=527)
        found = ta.measurable_difference(design)
        print(
            f"WMT21 with 100 human ratings and 1000 of {label} (tpr = tnr = {tpr}): {found.measurable_difference:.3f}"
        )


if __name__ == "__main__":
    main()
