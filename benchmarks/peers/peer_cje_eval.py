"""cje-eval: `calibrated_mean_ci` for one sample, `analyze_dataset` to compare, as its README recommends."""

import numpy as np
from adapter import Answer, Task, main
from cje import analyze_dataset, calibrated_mean_ci


def one(task: Task) -> Answer:
    found = calibrated_mean_ci(task.samples[0].judge, task.samples[0].human)
    return Answer(found.estimate, *found.ci)


def net(task: Task) -> Answer:
    """The same of (1 + value) / 2: its labels lie between 0 and 1."""
    sample = task.samples[0]
    found = calibrated_mean_ci((1 + sample.judge) / 2, (1 + sample.human) / 2)
    return Answer(*(2 * value - 1 for value in (found.estimate, *found.ci)))


def draws(sample, prefix):
    return [
        {"prompt_id": f"{prefix}{i}", "judge_score": judge, "oracle_label": None if np.isnan(human) else human}
        for i, (judge, human) in enumerate(zip(sample.judge.tolist(), sample.human.tolist(), strict=True))
    ]


def compared(task: Task, prefixes: str) -> Answer:
    policies = {name: draws(s, p) for name, s, p in zip("AB", task.samples, prefixes, strict=True)}
    found = analyze_dataset(fresh_draws_data=policies).compare_policies("A", "B")
    return Answer(found["difference"], found["ci_lower"], found["ci_upper"])


if __name__ == "__main__":
    works = {"two": lambda task: compared(task, "ab"), "same": lambda task: compared(task, "qq")}
    main({"cje-eval": {"one": one, "net": net, **works}})
