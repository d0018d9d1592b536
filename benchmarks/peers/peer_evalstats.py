"""evalstats: its corrected mean, and its corrected t-tests.

`compare` gives a rate another interval than `judge_debias_mean_ci` does, which is taken from where `compare` has it:
whole comparisons take 8 to 10 seconds each. The report on the judge's agreement that every test prints is left out, in
its favour.
"""

from types import SimpleNamespace

import evalstats as es
from adapter import Answer, Task, main
from evalstats import tests


def one(task: Task) -> Answer:
    found = es.judge_debias_mean_ci(task.samples[0].judge, task.samples[0].human, rng=task.seed)
    return Answer(found.mean, found.ci_low, found.ci_high)


def wilson(task: Task) -> Answer:
    found = tests._ppi_single_wilson(task.samples[0].judge, task.samples[0].human, 0.05)  # noqa: SLF001
    return Answer(found.estimate, found.ci_low, found.ci_high)


def compared(task: Task, *, paired: bool) -> Answer:
    a, b = task.samples
    found = tests.ttest(
        a.judge, b.judge, a_lab=a.human, b_lab=b.human, paired=paired, print_result=False, rng=task.seed
    )
    verdict = int(found.corrected_p_value < 0.05) * (1 if found.corrected_estimate > 0 else -1)
    return Answer(found.corrected_estimate, *found.corrected_ci, verdict)


if __name__ == "__main__":
    tests._run_alignment_report = lambda *_: SimpleNamespace(n_labeled=0, n_total=0)  # noqa: SLF001
    works = {"two": lambda task: compared(task, paired=False), "same": lambda task: compared(task, paired=True)}
    main({"evalstats": {"one": one, "net": one, **works}, "evalstats PPI Wilson": {"one": wilson}})
