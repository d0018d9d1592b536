"""`tellapart compare pairs.csv`: recognised, in every format, with report and chart, refused in one line."""

import json

import pytest

from command_line import run

ROWS = [
    (a, b, i, "a" if i % 4 else "tie", ("a", "b", "tie")[(i % 7) // 3])
    for a, b in ("AB", "AC", "BC", "DC")
    for i in range(20)
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pairs.csv"
    lines = [",".join(map(str, row)) for row in [("model_a", "model_b", "item", "human", "judge"), *ROWS]]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_verdict_comes_first_and_the_tables_fit_80_columns(file):
    shown = run("compare", str(file))
    assert shown.code == 0, shown.err
    assert shown.out.startswith("A beats 2 of 2 systems; 4 of 4 pairs can be told apart.")
    assert all(len(line.rstrip()) <= 80 for line in shown.out.splitlines() if line.startswith(" "))
    assert "Read " in shown.err
    assert "systems = `model_a` and `model_b`" in shown.err


def test_every_format_has_every_pair(file):
    found = json.loads(run("compare", str(file), "--format", "json").out)
    assert [(one["first"], one["second"]) for one in found["matchups"]] == [
        (a, b) for a in found["ranking"] for b in found["ranking"] if a + b in {"AB", "AC", "BC", "DC"}
    ]
    assert len(run("compare", str(file), "-f", "csv").out.splitlines()) == 5
    assert "| A – B |" in run("compare", str(file), "-f", "markdown").out
    assert r"\toprule" in run("compare", str(file), "-f", "latex").out


def test_report_and_chart(file, tmp_path):
    report, chart = tmp_path / "report.html", tmp_path / "chart.svg"
    shown = run("compare", str(file), "--report", str(report), "--plot", str(chart))
    assert shown.code == 0, shown.err
    page = report.read_text(encoding="utf-8")
    assert "A beats 2 of 2 systems" in page
    assert "<svg" in page
    assert "<svg" in chart.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--human-cut", "3"], "`--human-cut` must be left out where pairs are compared"),
        (["--borrow", "shared"], "`borrow` must be none"),
        (["--metric", "nothing"], "no column 'nothing'"),
        (["--metric", "item"], "column `item`"),
        (["--prior", "1,2"], "`prior` must be named"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(file, options, said):
    shown = run("compare", str(file), *options)
    assert shown.code in {1, 2}
    assert said in shown.err
    assert shown.out == ""
