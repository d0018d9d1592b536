"""Does it hold? One grid of simulated evaluations, for `make validity`, for its page and for the slow tests."""
