"""The documentation is true: its commands run, its outputs and examples are what comes out."""

import doctest
import re
import runpy
from pathlib import Path

import pytest

import tellapart as ta
from help_text import PAGES, ROOT, blocks, commands, consoles, help_text, pythons, with_help, workplace
from tellapart.analysis.cautions import SENTENCES

TEXTS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in PAGES}
SHOWN = [
    pytest.param(
        name,
        example,
        id=f"{name}:{block.line}: {example.command[:60]}",
        marks=[pytest.mark.slow] if block.mark == "slow" else [],
    )
    for name, page in TEXTS.items()
    for block in consoles(page)
    for example in block.examples
]


@pytest.mark.parametrize(("name", "example"), SHOWN)
def test_a_command_in_the_documentation_runs_and_prints_what_is_shown(name, example):
    with workplace(TEXTS[name]):
        printed = example.answer()
    if example.output:
        assert printed == example.output.strip("\n"), "run python tests/help_text.py"


@pytest.mark.parametrize("name", TEXTS)
def test_python_in_the_documentation_gives_what_is_shown(name):
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    names: dict[str, object] = {}
    report: list[str] = []
    with workplace(TEXTS[name]):
        for block in pythons(TEXTS[name]):
            test = doctest.DocTestParser().get_doctest(block.body, names, name, name, block.line)
            runner.run(test, out=report.append, clear_globs=False)
            names = test.globs
    assert not report, "".join([*report, "run python tests/help_text.py"])


def test_every_command_is_documented_with_its_help():
    page = TEXTS["docs/commands.md"]
    assert re.findall(r"<!-- help ?(\w*) -->", page) == ["", *commands()]
    for command in commands():
        assert f"## tellapart {command}" in page
    assert page == with_help(page), "run python tests/help_text.py"


@pytest.mark.parametrize("command", commands())
def test_every_option_is_documented_in_its_help(command):
    for option in re.findall(r"(--[a-z][a-z-]+)", help_text(command)):
        assert option in TEXTS["docs/commands.md"]


def test_every_public_name_is_in_the_reference():
    listed = re.findall(r"^::: tellapart\.\S*\.(\w+)$", TEXTS["docs/reference.md"], re.MULTILINE)
    assert sorted(listed) == sorted([*set(ta.__all__) - {"__version__"}, "assert_not_worse"])


def test_every_caution_is_explained():
    assert sorted(re.findall(r"^\| `([a-z-]+)`", TEXTS["docs/cautions.md"], re.MULTILINE)) == sorted(SENTENCES)


@pytest.mark.parametrize("name", TEXTS)
def test_no_output_is_shown_that_nobody_checks(name):
    for block in blocks(TEXTS[name]):
        if block.language in {"console", "sh"} and block.mark == "not run":
            assert not [command for command, shown in block.prompts if shown and command != "tellapart serve"]


def test_the_figures_can_be_drawn():
    figures = runpy.run_path(str(ROOT / "docs/figures.py"))
    assert all(figure().to_dict()["layer"] for figure in figures["FIGURES"])


def test_every_figure_is_shown_somewhere():
    shown = {Path(name).name for page in TEXTS.values() for name in re.findall(r"figures/([\w.-]+)", page)}
    assert {path.name for path in (ROOT / "docs/figures").iterdir()} == shown


@pytest.mark.parametrize("name", TEXTS)
def test_links_between_pages_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", TEXTS[name]):
        assert (ROOT / name).parent.joinpath(target).exists(), target
