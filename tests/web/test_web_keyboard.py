"""Every question, answered with the keyboard alone: Tab, arrows, Enter, Space, letters and no mouse."""

import os
import re

import pytest
from playwright.sync_api import expect

from browser import CHROMIUM

pytestmark = pytest.mark.skipif(CHROMIUM is None and "CI" not in os.environ, reason="needs Chromium")
FAR = 150  # keystrokes
both = pytest.mark.parametrize("page", [1280, 390], indirect=True)
either = pytest.mark.parametrize("page", [1280, pytest.param(390, marks=pytest.mark.slow)], indirect=True)


@pytest.fixture
def page(request, open_page):
    opened = open_page("/", viewport={"width": request.param, "height": 844})
    opened.locator("#plan-value", has_text="human ratings").wait_for()
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.id") == "tab-plan"
    return opened


def tab_to(page, place):
    """Press Tab until the place has the focus, which must be seen."""
    for _ in range(FAR):
        page.keyboard.press("Tab")
        if page.evaluate("place => document.activeElement.matches(place)", place):
            seen = "() => getComputedStyle(document.activeElement).outlineStyle !== 'none'"
            inside = "() => getComputedStyle(document.activeElement.parentElement).outlineStyle !== 'none'"
            chip = "() => document.activeElement.closest('.chip, .button') !== null"
            assert page.evaluate(seen) or page.evaluate(inside) or page.evaluate(chip), f"{place}: no focus is seen"
            return
    pytest.fail(f"{place} cannot be reached")


def ask(page, question):
    """Walk to a question with the arrow keys."""
    for _ in range(5):
        if page.evaluate("document.activeElement.id") == f"tab-{question}":
            return
        page.keyboard.press("ArrowRight")
    pytest.fail(f"{question} cannot be reached")


def write(page, place, text):
    tab_to(page, place)
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


@both
def test_how_many_ratings(page):
    tab_to(page, "#solve input")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.locator("#plan-value", has_text="points").wait_for()
    write(page, "#n_human", "400")
    page.locator("#plan-words", has_text="With 400 human").wait_for()
    tab_to(page, "#thumbs-n_human input")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#plan-words")).not_to_contain_text("With 400 human")
    tab_to(page, "#box-power summary")
    page.keyboard.press("Enter")
    page.locator("#help-power", has_text="How often").wait_for()
    page.keyboard.press("Escape")
    expect(page.locator("#help-power")).to_be_hidden()
    page.wait_for_selector("#chart-map svg")
    before = page.input_value("#n_human")
    tab_to(page, "#chart-map")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#n_human")).not_to_have_value(before)
    assert float(page.input_value("#n_human")) > float(before)


@either
def test_a_simulation(page):
    tab_to(page, "#solve input")
    write(page, "#n_metric", "0")
    tab_to(page, "details:has(#simulate) > summary")
    page.keyboard.press("Enter")
    write(page, "#runs", "40")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.locator("#simulation", has_text="of 40 simulated campaigns").wait_for()


@either
def test_which_system_is_better(page):
    ask(page, "compare")
    tab_to(page, "#example")
    page.keyboard.press("Enter")
    page.locator("#compare-label", has_text="pairs can be told apart").wait_for()
    tab_to(page, "#change")
    page.keyboard.press("Enter")
    tab_to(page, "#pick-metric summary")
    page.keyboard.press("Space")
    tab_to(page, "#pick-metric input[value=judge]")
    page.keyboard.press("Space")
    page.locator("#compare-command", has_text="--metric none").wait_for(state="attached")
    page.keyboard.press("Escape")
    tab_to(page, "#plan-this")
    page.keyboard.press("Enter")
    page.locator("#plan-value", has_text=re.compile("human ratings|Not possible")).wait_for()


@either
def test_counts_are_typed(page):
    ask(page, "compare")
    tab_to(page, "#show-counts")
    page.keyboard.press("Enter")
    tab_to(page, "#counts-grid input")
    for text in ("mine", "24", "40", "other", "36", "40"):
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    tab_to(page, "#use-counts")
    page.keyboard.press("Enter")
    page.locator("#compare-words", has_text="other − mine").wait_for()


@either
def test_how_good_is_my_system(page):
    ask(page, "estimate")
    page.locator("#e-value", has_text="61.0%").wait_for()
    write(page, "#e-pos", "90")
    tab_to(page, "#e-judge")
    page.keyboard.press("Space")
    page.locator("#e-value", has_text="89.2%").wait_for()


@either
def test_is_my_judge_any_good(page):
    ask(page, "judge")
    tab_to(page, "#judge-example")
    page.keyboard.press("Enter")
    page.locator("#judge-value", has_text="53%").wait_for()


@either
def test_does_it_agree_with_the_paper(page):
    ask(page, "paper")
    page.locator("#paper-value", has_text="of").wait_for()
    before = page.inner_text("#paper-words")
    tab_to(page, "#published")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#paper-words")).not_to_have_text(before)
