"""Reads the golden values of tests/reference; its README says how they were made."""

import csv
from pathlib import Path

import numpy as np

from tellapart import Confusion, Evidence, KnownRates, Levels, Tally

FOLDER = Path(__file__).parent / "reference"
MOMENTS = ("mean", "sd")
QUANTILES = {"q025": 0.025, "median": 0.5, "q975": 0.975}


def rows(name):
    """Return the rows of a file, keyed by case where there are cases: text as it stands there."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cases(name):
    """Return names of the cases, for the ids of parametrised tests, and the rows."""
    found = rows(name)
    return {"argvalues": found, "ids": [row["case"] for row in found]}


def numbers(text):
    """Return the counts of 60/100 or 8/17/35."""
    return tuple(map(int, text.split("/")))


def tally(text):
    """Return 60/100 as a tally."""
    return Tally(*numbers(text))


def evidence(row, prefix=""):
    """Return a row of posteriors.csv, or one system of shared_rates.csv, as evidence."""
    confusion = Confusion(*(int(row[prefix + cell]) for cell in ("tp", "fn", "tn", "fp")))
    return Evidence.of(tally(row[prefix + "human"]), calibration=confusion, metric=tally(row[prefix + "metric"]))


def known_evidence(row):
    """Return a row of known_rates.csv as evidence."""
    rates = KnownRates(float(row["tpr"]), float(row["tnr"]))
    return Evidence.of(tally(row["human"]), rates=rates, metric=tally(row["metric"]))


def level_evidence(row):
    """Return a row of levels.csv as evidence."""
    levels = Levels(numbers(row["adequate"]), numbers(row["inadequate"]))
    return Evidence.of(tally(row["human"]), calibration=levels, metric=numbers(row["metric"]))


def posterior_case(name):
    """Return the evidence of a case of posteriors.csv."""
    return next(evidence(row) for row in rows("posteriors") if row["case"] == name)


def table(text):
    """Return 28 7 5;6 11 5 as an array, one row a class; of one row, the row."""
    return np.array([row.split() for row in text.split(";")], dtype=float)


def table_case(row):
    """Return a row of classes.csv as parameters of classes, of levels given classes, counts of the metric, and values.

    Outputs chosen by the metric's level say nothing of its shares: of such a row, `classes` is None.
    """
    both, values, (counts,) = table(row["human_and_metric"]), table(row["functional"])[0], table(row["metric_only"])
    cell = 1 / round(1 / float(row["prior_cell"]))
    human = table(row["human_only"])[0] if row["human_only"] else 0.0
    matched = row["prior_class"] == "matched"
    classes = both.sum(axis=1) + human + (cell * len(counts) if matched else float(row["prior_class"]))
    chosen = row["balanced"] or row["by_level"]
    cells = both + cell + (table(chosen) if chosen else 0.0)
    return None if row["by_level"] else classes, cells, counts, values


def error(row):
    """Return how good a row of classes.csv is."""
    return float(row["error"].removeprefix("nominal "))
