"""truescore: its corrected estimate, and its paired comparison of true scores."""

import numpy as np
from adapter import Answer, Task, difference, main
from truescore import ppi_compare, ppi_estimate


def interval(sample) -> Answer:
    found = ppi_estimate(sample.judge, sample.y, np.flatnonzero(sample.rated))
    return Answer(found.point, found.low, found.high)


def one(task: Task) -> Answer:
    return interval(task.samples[0])


def two(task: Task) -> Answer:
    return difference(*map(interval, task.samples))


def same(task: Task) -> Answer:
    a, b = task.samples
    found = ppi_compare(a.judge, b.judge, a.y, b.y, np.flatnonzero(a.rated))
    return Answer(found.difference, found.low, found.high)


if __name__ == "__main__":
    main({"truescore": {"one": one, "two": two, "same": same, "net": one}})
