"""tellapart, through its public functions: by default, and borrowing nothing but the items."""

from adapter import Answer, Task, main

import tellapart as ta
from tellapart.analysis.outcomes import compare_pairs
from tellapart.core.counts import OUTCOME, PAIRED, Counts


def evidence(table) -> ta.Evidence:
    (tn, fp), (fn, tp) = table["both"]
    failed, passed = table["alone"]
    seen = ta.Confusion(tp=tp, fn=fn, tn=tn, fp=fp)
    return ta.Evidence.of((tp + fn, tp + fn + tn + fp), calibration=seen, metric=(passed, failed + passed))


def counts(table, scale) -> ta.Evidence:
    return ta.Evidence(Counts(table["both"], (0,) * len(scale), table["alone"], scale, scale))


def margins(table) -> list[dict]:
    """Return each system's own table from the one of both: class and level 2a + b."""
    both, alone, found = table["both"], table["alone"], []
    for bit in (1, 0):
        own = [[0, 0], [0, 0]]
        for c, row in enumerate(both):
            for k, count in enumerate(row):
                own[c >> bit & 1][k >> bit & 1] += count
        rest = [sum(n for k, n in enumerate(alone) if k >> bit & 1 == value) for value in (0, 1)]
        found.append({"both": own, "alone": rest})
    return found


def one(task: Task) -> Answer:
    (table,) = task.tables
    (tn, fp), (fn, tp) = table["both"]
    failed, passed = table["alone"]
    seen = ta.Confusion(tp=tp, fn=fn, tn=tn, fp=fp)
    found = ta.estimate(human=(tp + fn, tp + fn + tn + fp), calibration=seen, metric=(passed, failed + passed))
    return Answer(found.mean, found.interval.low, found.interval.high)


def answer(pair) -> Answer:
    sign = 1 if pair.first == "A" else -1
    ends = sorted((sign * pair.interval.low, sign * pair.interval.high))
    return Answer(sign * pair.difference, *ends, {None: 0, "A": 1, "B": -1}[pair.better])


def two(task: Task, borrow: str) -> Answer:
    systems = dict(zip("AB", map(evidence, task.tables), strict=True))
    return answer(ta.compare(systems, borrow=borrow).pairs[0])


def same(task: Task, borrow: str) -> Answer:
    systems = dict(zip("AB", map(evidence, margins(task.tables[0])), strict=True))
    return answer(ta.compare(systems, items={("A", "B"): counts(task.tables[0], PAIRED)}, borrow=borrow).pairs[0])


def net(task: Task) -> Answer:
    return answer(compare_pairs({("A", "B"): counts(task.tables[0], OUTCOME)}).matchups[0])


if __name__ == "__main__":
    default = {"two": lambda task: two(task, "auto"), "same": lambda task: same(task, "auto")}
    alone = {"two": lambda task: two(task, "none"), "same": lambda task: same(task, "items")}
    main({"tellapart": {"one": one, "net": net, **default}, "tellapart, no pooling": alone})
