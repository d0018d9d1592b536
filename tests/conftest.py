"""Settings that all tests share."""

import os

from hypothesis import HealthCheck, settings

# A landing must not hang on the luck of a draw: fixed examples there, new ones elsewhere.
# The machine may be slow or busy, and an exact posterior from nasty counts may take a second: no deadlines.
settings.register_profile(
    "tellapart",
    derandomize="CI" in os.environ,
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tellapart")
