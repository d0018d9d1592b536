"""ppi-python: prediction-powered inference by the authors of the method."""

from adapter import Answer, Task, difference, main
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate


def interval(y, f, rest, lam):
    (low,), (high,) = ppi_mean_ci(y, f, rest, alpha=0.05, lam=lam)
    return Answer(float(ppi_mean_pointestimate(y, f, rest, lam=lam).squeeze()), low, high)


def methods(lam):
    def one(task: Task) -> Answer:
        sample = task.samples[0]
        return interval(sample.y, sample.f, sample.rest, lam)

    def two(task: Task) -> Answer:
        return difference(*(interval(s.y, s.f, s.rest, lam) for s in task.samples))

    def same(task: Task) -> Answer:
        a, b = task.samples
        return interval(a.y - b.y, a.f - b.f, a.rest - b.rest, lam)

    return {"one": one, "two": two, "same": same, "net": one}


if __name__ == "__main__":
    main({"ppi-python PPI++": methods(None), "ppi-python PPI": methods(1)})
