"""Runs over time: alarms for the outputs and for the judge."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tellapart import Confusion, Evidence, InvalidInput, compare
from tellapart.analysis.trend import trend
from tellapart.core.counts import NO_METRIC, Counts, Scale


def runs(rates, tprs, rng, n=40, judged=400):
    """Draw nightly runs: people rate a few outputs, the judge all."""
    found = {}
    for k, (rate, tpr) in enumerate(zip(rates, tprs, strict=True)):
        good = int(rng.binomial(n, rate))
        tp, tn = int(rng.binomial(good, tpr)), int(rng.binomial(n - good, 0.85))
        passes = int(rng.binomial(judged, rate * tpr + (1 - rate) * 0.15))
        judge = Confusion(tp=tp, fn=good - tp, tn=tn, fp=n - good - tn)
        found[f"n{k + 1}"] = Evidence.of((good, n), calibration=judge, metric=(passes, judged))
    return found


def watched(systems, **choices):
    return trend(compare(systems, correction="none", borrow="none"), list(systems), **choices)


def test_nothing_changes():
    found = watched(runs([0.7] * 12, [0.9] * 12, np.random.default_rng(1)))
    assert found.alarms == ()
    assert str(found).startswith("No alarm: what has been seen does not yet amount to one, which asks for more than")
    assert "after every run. In the last of 12 runs, n12," in str(found)
    assert "at most 5%" in str(found)


def test_the_outputs_get_worse():
    found = watched(runs([0.8] * 8 + [0.5] * 6, [0.9] * 14, np.random.default_rng(2)))
    alarm = next(one for one in found.alarms if one.what == "judge")
    assert alarm.since == "n9"
    assert alarm.before > alarm.after
    assert "fell from" in str(alarm)
    assert all(one.what != "agreement" for one in found.alarms)


def test_the_judge_changes():
    found = watched(runs([0.7] * 16, [0.95] * 8 + [0.4] * 8, np.random.default_rng(3), n=60))
    alarm = next(one for one in found.alarms if one.what == "agreement")
    assert found.runs.index(alarm.since) in range(6, 11)
    assert "no longer hold: have new outputs rated" in str(found)


def test_it_is_json():
    found = watched(runs([0.8] * 4 + [0.3] * 4, [0.9] * 8, np.random.default_rng(4)))
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [row["run"] for row in told["runs"]] == list(found.runs)
    assert told["alarms"][0]["what"] in {"judge", "people"}
    assert told["watched"] == ["judge", "people", "agreement"]


def test_what_the_judge_passed_is_the_share_itself():
    """Not what is expected of further outputs, 0.857 of five that all passed."""
    judged = Evidence.of((5, 5), calibration=Confusion(5, 0, 0, 0), metric=(0, 0))
    found = watched({"r1": judged, "r2": judged})
    assert found.pass_rate("r1").mean == 1
    assert found.pass_rate("r1").interval.low == pytest.approx(0.05 ** (1 / 6))
    assert found.to_dict()["runs"][0]["judge_passes"]["share"] == 1


def test_people_alone_are_watched_without_a_judge():
    found = watched({f"r{k}": Evidence.of((k, 50)) for k in (40, 41, 39, 42, 15, 12, 14)})
    assert [one.what for one in found.alarms] == ["people"]
    assert found.pass_rate("r40") is None


def test_mean_ratings_are_not_written_in_per_cent():
    five = Scale.of((1.0, 2.0, 3.0, 4.0, 5.0))
    rated = [
        Evidence(Counts(((),) * 5, row, (), five, NO_METRIC)) for row in ((5, 10, 20, 30, 35), (10, 20, 30, 30, 10))
    ]
    assert "the mean rating is 3.10, between 2.8" in str(watched({"old": rated[0], "new": rated[1]}))


@pytest.mark.parametrize(("choices", "said"), [({"error": 0}, "between 0 and 1"), ({"error": 1.5}, "between 0 and 1")])
def test_bad_errors_are_refused(choices, said):
    with pytest.raises(InvalidInput, match=said):
        watched({"a": Evidence.of((1, 2)), "b": Evidence.of((1, 2))}, **choices)


def test_unknown_runs_are_refused():
    with pytest.raises(InvalidInput, match="`runs` must be among a, b, got 'c'"):
        trend(compare({"a": Evidence.of((1, 2)), "b": Evidence.of((1, 2))}), ["a", "c"])


def test_false_alarms_over_a_year_are_as_rare_as_stated():
    rng, false = np.random.default_rng(5), 0
    for _ in range(6):
        systems = runs([0.75] * 120, [0.9] * 120, rng, n=5, judged=100)
        false += bool(watched(systems).alarms)
    assert false <= 1  # P(more) < 0.04 at the stated 5%


def test_shares_that_the_draw_decides_are_not_watched():
    systems = runs([0.8] * 6 + [0.4] * 6, [0.9] * 6 + [0.3] * 6, np.random.default_rng(3))
    assert set(watched(systems).to_dict()["watched"]) == {"judge", "people", "agreement"}
    drawn = {name: replace(evidence, sampling="by-metric") for name, evidence in systems.items()}
    assert watched(drawn).to_dict()["watched"] == ["judge"]  # people rated as many of each verdict as was decided


def test_a_change_and_its_size_stay_what_they_were_when_it_was_noticed():
    counts = [80, 82, 79, 81, 50, 48, 51, *[95] * 12]
    found = watched({f"r{k}": Evidence.of((n, 100)) for k, n in enumerate(counts, start=1)})
    (alarm,) = found.alarms
    assert (alarm.since, alarm.noticed) == ("r5", "r5")
    assert (alarm.before, alarm.after) == (pytest.approx(0.805), 0.5)
    assert "fell from 80.5% to 50.0% with r5" in str(found)


def test_a_run_without_ratings_changes_nothing():
    runs = [(80, 100), (82, 100), (0, 0), (0, 0), (30, 100), (32, 100)]
    (alarm,) = watched({f"r{k}": Evidence.of(n) for k, n in enumerate(runs, start=1)}).alarms
    assert alarm.since == alarm.noticed == "r5"


def test_which_outputs_the_judge_sees_differently_is_said():
    """The judge passes bad outputs all of a sudden, and good ones as before."""
    judges = [Confusion(tp=45, fn=5, tn=45, fp=5)] * 3 + [Confusion(tp=45, fn=5, tn=10, fp=40)] * 3
    systems = {f"r{k}": Evidence.of((50, 100), calibration=one, metric=(0, 0)) for k, one in enumerate(judges, start=1)}
    alarm = next(one for one in watched(systems).alarms if one.what == "agreement")
    assert (alarm.among, alarm.before, alarm.after) == ("inadequate", 0.9, 0.2)
    assert "changed (inadequate outputs that fail: 90.0% before, 20.0% after) with r4" in str(alarm)
