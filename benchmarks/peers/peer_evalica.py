"""evalica: Bradley-Terry scores with its bootstrap, of people's outcomes, or of these and the judge's taken as true."""

import numpy as np
from adapter import Answer, Task, main
from evalica import Winner, bootstrap, bradley_terry

WINNER = {1.0: Winner.X, -1.0: Winner.Y, 0.0: Winner.Draw}


def interval(values, seed) -> Answer:
    winners = [WINNER[value] for value in values.tolist()]
    found = bootstrap(bradley_terry, ["A"] * len(winners), ["B"] * len(winners), winners, random_state=seed)
    return Answer(*(net(each["A"]) for each in (found.result.scores, found.low, found.high)))


def net(score):
    """Wins less losses of the first, of two whose scores have the product 1 and whose ties count half."""
    return 2 * score**2 / (1 + score**2) - 1


def people(task: Task) -> Answer:
    return interval(task.samples[0].y, task.seed)


def everything(task: Task) -> Answer:
    sample = task.samples[0]
    return interval(np.where(sample.rated, sample.human, sample.judge), task.seed)


if __name__ == "__main__":
    main({"evalica, people": {"net": people}, "evalica, people and judge": {"net": everything}})
