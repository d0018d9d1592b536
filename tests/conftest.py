"""Settings that all tests share."""

from hypothesis import HealthCheck, settings

# The machine may be slow or busy, and an exact posterior from nasty counts may take a second: no deadlines.
settings.register_profile("tellapart", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tellapart")
