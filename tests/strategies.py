"""Evidence that a careless user, or a hostile one, might bring: counts at the edges and far apart in size."""

import itertools
import signal
from contextlib import contextmanager

from hypothesis import strategies as st

from tellapart import Confusion, Evidence, KnownRates, Levels, Prior, Tally
from tellapart.core.prior import PRIORS

BILLION = 10**9


def totals(most):
    """Numbers of outputs, as often tiny as large."""
    small = st.integers(0, min(12, most))
    return st.one_of(small, st.integers(0, most), st.integers(0, most.bit_length()).map(lambda k: min(2**k, most)))


@st.composite
def parts(draw, count, most):
    """`count` whole numbers whose sum is at most `most`: even, lopsided, or all in one place."""
    total = draw(totals(most))
    cuts = sorted(draw(st.lists(st.integers(0, total), min_size=count - 1, max_size=count - 1)))
    shape = draw(st.sampled_from(("any", "one level", "narrow")))
    if shape == "one level":
        cuts = [draw(st.sampled_from((0, total)))] * (count - 1)
    if shape == "narrow":  # all but a handful in one level: a factor that is a few integers wide
        few = draw(st.integers(0, min(3, total)))
        cuts = [draw(st.sampled_from((few, total - few)))] * (count - 1)
    edges = [0, *cuts, total]
    return tuple(high - low for low, high in itertools.pairwise(edges))


def tallies(most):
    """Human ratings: none, all, any."""
    return parts(2, most).map(lambda pair: Tally(pair[0], sum(pair)))


def priors():
    """The two named priors, and Beta priors that nobody would choose."""
    pseudo = st.sampled_from((0.25, 0.5, 1.0, 2.5, 40.0))
    pair = st.tuples(pseudo, pseudo)
    return st.one_of(st.sampled_from(list(PRIORS.values())), st.builds(Prior, pair, pair, pair))


@st.composite
def calibrated(draw, most_metric, most_calibration, levels=(2, 2)):
    """What `Evidence.of` takes of a metric, or judge with levels, calibrated by any number: none, skewed, huge."""
    count = draw(st.integers(*levels))
    counts = draw(parts(count, most_metric))
    levels = Levels(draw(parts(count, most_calibration)), draw(parts(count, most_calibration)))
    return {"metric": counts, "calibration": levels}


@st.composite
def known(draw, most_metric):
    """What `Evidence.of` takes of a metric with known rates: any but useless ones, often perfect or inverted."""
    rate = st.one_of(st.sampled_from((0.0, 0.02, 0.5, 0.98, 1.0)), st.floats(0.01, 0.99))
    tpr, tnr = draw(rate), draw(rate)
    if abs(tpr + tnr - 1) < 0.01:
        tpr, tnr = (0.0, 0.7) if tpr < tnr else (0.8, 0.6)
    return {"metric": draw(tallies(most_metric)), "rates": KnownRates(tpr, tnr)}


@st.composite
def conflicting(draw):
    """Human ratings and metric that say opposite things, each with confidence."""
    n, size = draw(st.integers(5, 60)), draw(st.integers(20, 200))
    low, high = draw(st.integers(0, 1)), draw(st.integers(0, 5))
    confusion = Confusion(tp=n, fn=high, tn=n, fp=low)
    return Evidence.of((low, n), calibration=confusion, metric=(size - low, size))


@st.composite
def skewed(draw):
    """A large, lopsided calibration and no human ratings: the whole answer may live where every factor is tiny."""
    big = draw(st.integers(10**3, 10**7))
    few = draw(st.integers(0, 5))
    confusion = draw(
        st.sampled_from(
            (
                Confusion(big, few, few, 0),
                Confusion(few, big, 0, few),
                Confusion(0, few, big, few),
                Confusion(few, 0, few, big),
            )
        )
    )
    return Evidence.of(calibration=confusion, metric=draw(tallies(300)))


def evidences(most=300, most_calibration=10**5, levels=(2, 4)):
    """Evidence from one metric with estimated rates, small enough for the full sum."""
    plain = st.builds(
        lambda human, metric: Evidence.of(human, **metric),
        tallies(10 * most),
        calibrated(most, most_calibration, levels),
    )
    return st.one_of(plain, conflicting(), skewed())


def huge_evidences(most=BILLION):
    """Evidence of up to a billion ratings of each kind, rates known or estimated."""
    metric = st.one_of(st.just({}), calibrated(most, most), known(most))
    return st.builds(lambda human, metric: Evidence.of(human, **metric), tallies(most), metric)


@contextmanager
def patience(*what, seconds=60):
    """Fail where a computation takes so much processor time that its cost must have grown with the counts."""

    def give_up(*_):
        message = f"no answer within {seconds} s of processor time for {what}"
        raise AssertionError(message)

    if not hasattr(signal, "SIGPROF"):  # not on Windows, where the test just takes its time
        yield
        return
    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
