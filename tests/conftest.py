"""Settings that all tests share."""

import os

from hypothesis import HealthCheck, settings

# A landing must not hang on the luck of a draw: fixed examples there, new ones elsewhere.
# The machine may be slow or busy, and an exact posterior from nasty counts may take a second: no deadlines.
always = {
    "derandomize": "CI" in os.environ,
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("quick", max_examples=25, **always)
settings.register_profile("slow", max_examples=300, **always)
settings.load_profile("quick")  # unless --hypothesis-profile says otherwise

# Where tests themselves take all cores, "all cores" of a simulation is one: starting processes costs more than they
# give. Tests of simulations in several processes ask for two.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")
