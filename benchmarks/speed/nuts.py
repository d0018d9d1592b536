"""One posterior by NUTS in numpyro, with the settings of the authors' tool; run in a process of its own.

Takes the counts as JSON, prints JSON: seconds and the answer.
"""

import json
import sys
from functools import partial

import jax
import numpy as np
import numpyro
from benchmarks.speed.race import stopwatch
from numpyro import distributions as dist
from numpyro.infer import MCMC, NUTS

CHAINS, WARM_UP, DRAWS = 5, 2000, 10_000


def model(counts):
    c = counts
    rate, tpr, tnr = (numpyro.sample(name, dist.Beta(1, 1)) for name in ("rate", "tpr", "tnr"))
    passed = rate * tpr + (1 - rate) * (1 - tnr)
    numpyro.sample("human", dist.Binomial(c["human_n"], rate), obs=c["human_pos"])
    numpyro.sample("tp", dist.Binomial(c["tp"] + c["fn"], tpr), obs=c["tp"])
    numpyro.sample("tn", dist.Binomial(c["tn"] + c["fp"], tnr), obs=c["tn"])
    numpyro.sample("metric", dist.Binomial(c["metric_n"], passed), obs=c["metric_pos"])


def main():
    counts = json.loads(sys.argv[1])
    settings = {"num_warmup": WARM_UP, "num_samples": DRAWS, "num_chains": CHAINS, "progress_bar": False}
    # chains side by side, which takes half the processor time of one after the other
    mcmc = MCMC(NUTS(partial(model, counts)), chain_method="vectorized", **settings)
    with stopwatch() as watch:
        mcmc.run(jax.random.PRNGKey(0))
        draws = np.asarray(mcmc.get_samples()["rate"], dtype=float)
        answer = [draws.mean(), draws.std(), *np.quantile(draws, [0.025, 0.975])]
    print(json.dumps({"seconds": watch.seconds, "answer": answer}))


if __name__ == "__main__":
    main()
