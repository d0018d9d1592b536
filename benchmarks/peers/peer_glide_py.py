"""glide-py: PPI++ and predict-then-debias, with its own defaults."""

from adapter import Answer, Task, difference, main
from glide.estimators import PPIMeanEstimator, PTDMeanEstimator


def methods(estimator, **options):
    def interval(human, judge, seed) -> Answer:
        more = {"random_seed": seed} if options.get("seeded") else {}
        found = estimator().estimate(human, judge, **more)
        ends = found.confidence_interval
        return Answer(found.mean, ends.lower_bound, ends.upper_bound)

    def one(task: Task) -> Answer:
        return interval(task.samples[0].human, task.samples[0].judge, task.seed)

    def two(task: Task) -> Answer:
        return difference(*(interval(s.human, s.judge, task.seed) for s in task.samples))

    def same(task: Task) -> Answer:
        a, b = task.samples
        return interval(a.human - b.human, a.judge - b.judge, task.seed)

    return {"one": one, "two": two, "same": same, "net": one}


if __name__ == "__main__":
    main({"glide-py PPI++": methods(PPIMeanEstimator), "glide-py PTD": methods(PTDMeanEstimator, seeded=True)})
