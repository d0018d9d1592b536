"""One posterior by NUTS in numpyro, with the model and the settings of the authors' tool; run in a process of its own.

Takes the counts and how to run the chains as JSON, prints JSON: seconds and the answer.
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
    seen = {
        "rate": (c["human_pos"], c["human_n"] - c["human_pos"]),
        "tpr": (c["tp"], c["fn"]),
        "tnr": (c["tn"], c["fp"]),
    }
    rate, tpr, tnr = (numpyro.sample(name, dist.Beta(1 + yes, 1 + no)) for name, (yes, no) in seen.items())
    passed = rate * tpr + (1 - rate) * (1 - tnr)
    numpyro.sample("metric", dist.Binomial(c["metric_n"], passed), obs=c["metric_pos"])


def main():
    counts, method = json.loads(sys.argv[1])
    settings = {"num_warmup": WARM_UP, "num_samples": DRAWS, "num_chains": CHAINS, "progress_bar": False}
    mcmc = MCMC(NUTS(partial(model, counts)), chain_method=method, **settings)
    with stopwatch() as watch:
        mcmc.run(jax.random.PRNGKey(0))
        draws = np.asarray(mcmc.get_samples()["rate"], dtype=float)
        answer = [draws.mean(), draws.std(), *np.quantile(draws, [0.025, 0.975])]
    print(json.dumps({"seconds": watch.seconds, "answer": answer}))


if __name__ == "__main__":
    main()
