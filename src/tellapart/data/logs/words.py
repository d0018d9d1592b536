"""What was found in logs, in sentences: the one place where the facts about them become words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.data.source import ticked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tellapart.data.logs.model import Log

_SENTENCES = {
    "unfinished": "{log} unfinished: what is there is read.",
    "invalidated": "The log says that {output} {is_} invalid: left out.",
    "failed": "{output} could not be produced: no ratings.",
    "judge failed": "{score}: no verdict on {output}, as the judge failed.",
    "unscored": "{score}: no score for {output}.",
    "no verdict": "{score}: no verdict on {pair}.",
    "unreadable": "{score}: what it says about {output} is neither a label nor a number: it counts as missing.",
    "overruled": "{score}: people overruled it on {output}; its own verdict is taken as the judge's, theirs as the "
    "human rating. Outputs that people chose to check are not a random sample.",
    "old judge": "{score}: older versions of Inspect recorded unreadable verdicts as incorrect.",
    "inputs": "{item} not the same question for all systems: do the names of the items agree?",
}


def sentences(log: Log) -> Iterator[str]:
    """Say what is missing in a log, and why."""
    for code, sentence in _SENTENCES.items():
        for (found, score), n in sorted(log.facts.items()):
            if found == code:
                yield sentence.format(score=ticked(score), **_counted(n))


def _counted(n: int) -> dict[str, str]:
    be, ending = ("is", "") if n == 1 else ("are", "s")
    return {
        "is_": be,
        "output": f"{n:,} output{ending}",
        "pair": f"{n:,} pair{ending}",
        "log": f"{n:,} log{ending} {be}",
        "item": f"{n:,} item{ending} {be}",
    }
