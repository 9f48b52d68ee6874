"""Five reading tasks a game, on the demo: what a reader wants to know of a game, in at most four clicks from the start.

The answers are counted here from the answers in the runs' journals, or are a figure of the paper.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from visits import Visit, fits

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOST_CLICKS = 4


@pytest.fixture(scope="module")
def site(demo: Path) -> Path:
    return demo / "site"


@cache
def episodes(run: Path) -> dict[str, Any]:
    """Return the ended episodes of a run by their instances."""
    lines = map(json.loads, (run / "journal.jsonl").read_text("utf-8").splitlines())
    return {line["episode"]["instance_id"]: line["episode"] for line in lines if line["event"] == "end"}


def accuracies(demo: Path, run: str) -> dict[str, float]:
    """Return the share of right rounds of each completed episode of a reference game."""
    ended = episodes(demo / "runs" / run)
    rounds = {name: episode["steps"] for name, episode in ended.items() if episode["outcome"] == "completed"}
    return {name: sum(step["correct"] for step in steps) / len(steps) for name, steps in rounds.items()}


def worst_of_literal(demo: Path) -> str:
    shares = accuracies(demo, "literal")
    return min(shares, key=lambda name: shares[name])


def worst_of_extractive(demo: Path) -> str:
    """Return the instance with the lowest F1 of elements after the last hop."""
    lines = map(json.loads, (demo / "runs" / "extractive" / "scores.jsonl").read_text("utf-8").splitlines())
    scores = {line["episode_id"]: line["value"] for line in lines if line["measure"] == "final_ep_f1"}
    return str(min(scores, key=lambda name: scores[name]))


def titled(instance: str) -> str:
    """Return an instance as pages name it: ``shapes-hard-01`` is "Shapes, hard, 1"."""
    category, difficulty, number = instance.rsplit("-", 2)
    return f"{category.replace('_', ' ').capitalize()}, {difficulty}, {int(number)}"


class Reader:
    """Clicks as a reader does, and counts."""

    def __init__(self, page: "Page") -> None:
        self.page, self.clicks = page, 0

    def click(self, name: str) -> "Reader":
        """Follow the first link that has a word which begins so."""
        self.clicks += 1
        links = self.page.locator("main").get_by_role("link", name=re.compile(rf"\b{re.escape(name)}"))
        links.and_(self.page.locator(":visible")).first.click()
        self.page.wait_for_load_state()
        return self

    def unfold(self, words: str) -> "Reader":
        self.clicks += 1
        self.page.locator("summary", has_text=words).first.click()
        return self

    def see(self, selector: str) -> str:
        seen = self.page.locator(selector).first
        seen.wait_for()
        return " ".join(seen.inner_text().split())


class Task(NamedTuple):
    question: str
    read: Callable[[Reader], str]
    answer: Callable[[Path], str]


BEST, WORST = ".front-board tbody .pair", "a:has(strong:text-is('Worst'))"
PUBLISHED = "[aria-label='Published figures']"

TASKS = (
    Task(
        "Which pair understands each other best?",
        lambda reader: reader.click("Reference games").see(BEST),
        # It says all that it sees, colours too; the other speaker says the kind of the figure alone.
        lambda demo: "looker° + looker°",
    ),
    Task(
        "Where does literal + looker go worst, and how often is it right there?",
        lambda reader: reader.click("Reference games").click("literal").see(WORST),
        lambda demo: (
            f"{titled(worst_of_literal(demo))}, accuracy {accuracies(demo, 'literal')[worst_of_literal(demo)]:.2f}"
        ),
    ),
    Task(
        "What does literal say there first?",
        lambda reader: reader.click("Reference games").click("literal").click("Worst").see("#literal .said"),
        lambda demo: str(episodes(demo / "runs" / "literal")[worst_of_literal(demo)]["steps"][0]["message"]),
    ),
    Task(
        "Is the better speaker surely better?",
        lambda reader: reader.click("Reference games").click("Ask").see("#best-speaker + .answer"),
        lambda demo: "It cannot be told",
    ),
    Task(
        "How often are people right in the last repetition?",
        lambda reader: reader.click("Reference games").unfold("figures").see(PUBLISHED),
        lambda demo: "people in 54 published games, repetition 6 Accuracy 1.00",
    ),
    Task(
        "Who solves most tasks?",
        lambda reader: reader.click("Reasoning tasks").see(BEST),
        lambda demo: "solver + editor°",
    ),
    Task(
        "Which task can nobody solve?",
        lambda reader: reader.click("Reasoning tasks").click("Ask").see("#nobody + .answer"),
        lambda demo: "least of all entity-described, easy, 1",  # no program here knows what a thing is called
    ),
    Task(
        "What does the solver think in the hard task of painting?",
        lambda reader: (
            reader.click("Reasoning tasks").click("Gallery").click("Painting, hard, 1").see("#solver-editor .said")
        ),
        lambda demo: " ".join(
            episodes(demo / "runs" / "solver-editor")["painting-hard-01"]["steps"][0]["thought"].split()
        ),
    ),
    Task(
        "How many tasks did it play?",
        lambda reader: reader.click("Reasoning tasks").click("solver").see("main"),
        lambda demo: "Played 100 % {0} of {0}".format(len(episodes(demo / "runs" / "solver-editor"))),
    ),
    Task(
        "What does BAGEL reach if it thinks?",
        lambda reader: reader.click("Reasoning tasks").unfold("figures").see(PUBLISHED),
        lambda demo: "BAGEL-7B with thinking: generate, overall GIR-Bench's rule 0.28",
    ),
    Task(
        "Whose drawings come nearest?",
        lambda reader: reader.click("Conversation to image").see(BEST),
        lambda demo: "extractive° + canvas°",  # sketch draws rough figures alone
    ),
    Task(
        "With which prompt does it begin where it goes worst?",
        lambda reader: (
            reader.click("Conversation to image")
            .click("extractive° + canvas")
            .click("Worst")
            .see("#extractive .prompt")
        ),
        lambda demo: str(episodes(demo / "runs" / "extractive")[worst_of_extractive(demo)]["steps"][0]["prompt"]),
    ),
    Task(
        "Does it come nearer from hop to hop?",
        lambda reader: reader.click("Conversation to image").see("figure:has-text('Element F1 by hop'), .charts"),
        lambda demo: "Element F1 from the first hop to the last: from",
    ),
    Task(
        "How many dialogues did it play?",
        lambda reader: reader.click("Conversation to image").click("extractive").see("main"),
        lambda demo: "Played 100 % {0} of {0}".format(len(episodes(demo / "runs" / "extractive"))),
    ),
    Task(
        "What do ChatGPT and DreamStudio reach after one hop?",
        lambda reader: reader.click("Conversation to image").unfold("figures").see(PUBLISHED),
        lambda demo: "ChatGPT + DreamStudio, hop 1 CLIP 0.65",
    ),
)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.question)
def test_a_reader_finds_the_answer_in_four_clicks(visit: Visit, demo: Path, task: Task) -> None:
    reader = Reader(visit.open("index.html"))
    assert task.answer(demo) in task.read(reader)
    assert 0 < reader.clicks <= MOST_CLICKS


TABLES = ("index.html", "boards/index.html", "boards/describers/index.html", "games/reasoning/index.html")
NOBODY = "No AI model has played yet: all players are programs that come with this project."
TOO_WIDE = """() => [...document.querySelectorAll("table.board")].flatMap((table) => {
  const frame = table.closest(".scroll") ?? table.parentElement;
  return table.scrollWidth > frame.clientWidth ? [`${table.className} ${table.scrollWidth}`] : [];
})"""
UNMARKED = """() => [...document.querySelectorAll(":is(.pair-describer, .pair-generator)")]
  .filter((name) => name.checkVisibility() && !name.querySelector("abbr.program")).map((name) => name.textContent)"""


def test_tables_are_never_cut_off(visit: Visit) -> None:
    for name in TABLES:
        page = visit.open(name)
        for width in (360, 610, 768, 1280, 1366, 1440):
            assert fits(page, width, 900), (name, width)
            # The board's script puts columns without room behind its menu.
            page.wait_for_function(f"() => ({TOO_WIDE})().length === 0", timeout=10_000)


def test_columns_that_all_rows_share_stand_in_the_menu_and_come_when_they_are_asked_for(visit: Visit) -> None:
    page = visit.open("boards/index.html")
    assert page.locator("[data-board-state]").inner_text() == "5 pairs; best first."
    heads = page.locator("th[data-name]:visible").evaluate_all("all => all.map(one => one.dataset.name)")
    # Rank, pair, main score, small cells, change, turns: what sets rows apart.
    assert [name for name in heads if name in ("Rank", "Pair", "Main score", "ΔQ", "Turns")] == heads[:3] + heads[-2:]
    assert page.locator("th.tier-column").is_hidden()
    page.locator("summary", has_text="Columns").click()
    page.get_by_label("trust and date").check()
    assert page.locator("th.tier-column").is_visible()
    assert "hide=score" in page.url
    page.get_by_role("button", name="Reset").click()
    assert page.locator("th.tier-column").is_hidden()


def test_every_program_is_marked_and_the_page_says_what_the_mark_means(visit: Visit) -> None:
    for name in (
        *TABLES, "pairs/index.html", "pairs/builtin-plain-canvas.html", "compare.html", "games/reference/index.html",
    ):  # fmt: skip
        page = visit.open(name)
        assert page.locator("abbr.program").count() > 0, name
        assert page.evaluate(UNMARKED) == [], name
        if name != "compare.html":
            assert NOBODY in page.locator("main").inner_text(), name


def test_pages_say_where_no_person_has_played_or_rated(visit: Visit) -> None:
    assert "No person has rated a rendering here yet." in visit.open("boards/index.html").locator("main").inner_text()
    for name in ("pairs/index.html", "games/reference/pairs/index.html"):
        assert "No person has played here yet." in visit.open(name).locator("main").inner_text()


@pytest.mark.slow
def test_results_and_the_card_say_so_too(demo: Path) -> None:
    card = (demo / "dataset/README.md").read_text("utf-8")
    assert NOBODY in card.partition("## ")[0]
    command = [
        sys.executable, "-m", "ircore", "results", "runs/builtin-plain-canvas", "runs/looker",
    ]  # fmt: skip
    printed = subprocess.run(command, cwd=demo, capture_output=True, text=True, check=True).stdout
    assert printed.count(NOBODY) == 2
