"""judgy: the Rogan-Gladen correction with its own bootstrap of 20,000 draws. It compares no systems."""

import numpy as np
from adapter import Answer, Task, main
from judgy import estimate_success_rate


def one(task: Task) -> Answer:
    sample = task.samples[0]
    np.random.seed(task.seed)  # noqa: NPY002 - judgy draws from the global generator
    return Answer(*estimate_success_rate(sample.y, sample.f, sample.rest))


if __name__ == "__main__":
    main({"judgy": {"one": one}})
