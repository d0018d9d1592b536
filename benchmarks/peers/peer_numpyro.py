"""The authors' model, sampled by NUTS in numpyro with the settings of their tool."""

import sys
from functools import partial
from pathlib import Path

import jax
import numpy as np
from adapter import Answer, Task, main
from numpyro.infer import MCMC, NUTS

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.speed.nuts import CHAINS, DRAWS, WARM_UP, model

SETTINGS = {"num_warmup": WARM_UP, "num_samples": DRAWS, "num_chains": CHAINS, "progress_bar": False}


def one(task: Task) -> Answer:
    (table,) = task.tables
    (tn, fp), (fn, tp) = table["both"]
    failed, passed = table["alone"]
    counts = {"human_pos": tp + fn, "human_n": tp + fn + tn + fp, "tp": tp, "fn": fn, "tn": tn, "fp": fp}
    given = partial(model, {**counts, "metric_pos": passed, "metric_n": failed + passed})
    mcmc = MCMC(NUTS(given), chain_method="vectorized", **SETTINGS)
    mcmc.run(jax.random.PRNGKey(task.seed))
    draws = np.asarray(mcmc.get_samples()["rate"], dtype=float)
    return Answer(draws.mean(), *np.quantile(draws, [0.025, 0.975]))


if __name__ == "__main__":
    main({"NUTS": {"one": one}})
