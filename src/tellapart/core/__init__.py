"""The statistics: what was observed, and what follows from it. numpy and scipy.special only."""
