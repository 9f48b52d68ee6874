"""Ten reading tasks with their answers: what a reader wants to know, found in at most four actions from the start page.

Four pairs play two bar charts, of drinks and of pets; an invented judge gives their first renderings the scores of
``FIRST``, half a point more on the pets, and one point more for the second rendering of each episode. The answers
follow from these numbers alone.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from charts import chart_instances
from samples import sample_run
from site_samples import built_once, named_submission, rate_turns
from visits import Visit

from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.building.content import Options
from leaderboard.building.site_build import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Page

FIRST = {("seer", "painter"): 8.0, ("seer", "sketcher"): 5.0, ("poet", "painter"): 4.0, ("poet", "sketcher"): 2.0}
JUDGE = "eye"
MOST_ACTIONS = 4
"""Clicks, keys and words typed that a task may take."""


def build(folder: Path) -> None:
    instances = chart_instances(folder / "charts")
    runs = []
    for players, first in FIRST.items():
        slug = "-".join(players)
        run = sample_run(folder / slug, instances, named_submission(slug, *players))
        score_runs([run], ScoringPlan(metrics=(), every_turn=True), workers=1)
        runs.append(rate_turns(run, first, 0.5, 1, judge=JUDGE).path)
    build_site(runs, folder / "site", Options(judge=JUDGE))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "reading-tasks", build)


class Reader:
    """Acts on pages as a reader does, and counts the actions."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.actions = 0

    def click(self, name: str, role: str = "link") -> None:
        self.actions += 1
        self.page.get_by_role(role, name=name).and_(self.page.locator(":visible")).first.click()  # type: ignore[arg-type]

    def find(self, words: str) -> None:
        """Type into the search field."""
        self.actions += 1
        self.page.locator("[data-md-component='search-query']").fill(words)
        self.page.locator(".irg-find a").first.wait_for()

    def press(self, key: str) -> None:
        self.actions += 1
        self.page.keyboard.press(key)

    def open_first_answer(self) -> None:
        self.press("Enter")
        self.page.wait_for_url("**/*.html*")

    def see(self, selector: str) -> str:
        seen = self.page.locator(selector).first
        seen.wait_for()
        return " ".join(seen.inner_text().split())

    def see_gallery(self) -> None:
        self.page.locator("[data-gallery='ready'][data-restored]").wait_for()


def best_pair(reader: Reader) -> str:
    reader.click("Leaderboard")
    return reader.see("table.board tbody tr .pair")


def worst_on_a_target(reader: Reader) -> str:
    reader.find("tea")
    reader.open_first_answer()
    reader.see_gallery()
    return str(reader.page.locator(".episode").last.get_attribute("aria-label"))


def worst_score_of_a_pair(reader: Reader) -> str:
    reader.find("worst of poet sketcher")
    reader.open_first_answer()
    return reader.see(".sorted a:first-child .final").split(",")[0]


def missing_mark(reader: Reader) -> str:
    reader.find("seer painter cats")
    reader.click("seer + painter on")
    reader.see_gallery()
    reader.press("x")
    return reader.see("#seer-painter .xray-faults li")


def what_a_player_cannot_draw(reader: Reader) -> str:
    reader.find("worst of poet")
    reader.click("What poet cannot draw")
    return reader.see("#cannot-draw + p")


def whose_fault(reader: Reader) -> str:
    reader.find("cats")
    reader.open_first_answer()
    reader.see_gallery()
    return reader.see(".fault:visible")


def same_words_other_drawing(reader: Reader) -> str:
    reader.find("cats")
    reader.open_first_answer()
    reader.see_gallery()
    reader.actions += 1
    reader.page.locator(".same-words > summary").click()
    reader.page.get_by_role("slider", name="Generator").focus()
    reader.press("End")
    return reader.see(".words-pictures .badge")


def does_refinement_help(reader: Reader) -> str:
    reader.click("Leaderboard")
    reader.click("Ask the board")
    return reader.see("#refinement + .answer")


def where_a_pair_entered(reader: Reader) -> str:
    reader.click("Leaderboard")
    reader.click("History")
    reader.click("Ranks over time")
    row = reader.page.locator("#merges + .scroll tbody tr:has(th:has-text('painter')):has(th:has-text('seer'))")
    return " ".join(row.locator("td").nth(2).inner_text().split())


def trust_on_a_phone(reader: Reader) -> str:
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.page.goto(reader.page.url.replace("index.html", "boards/index.html"))
    reader.click("All of seer + painter", role="button")
    return reader.see("table.board tbody tr .tier-column")


TASKS: dict[str, tuple[Callable[[Reader], str], str]] = {
    "Which pair is best?": (best_pair, "seer° + painter°"),
    "Which pair draws the chart of drinks worst?": (worst_on_a_target, "poet + sketcher"),
    "What is the lowest score of poet + sketcher?": (worst_score_of_a_pair, "3.0"),
    "What is missing first in what seer + painter drew of the pets?": (missing_mark, 'missing the bar for "Cats"'),
    "What can poet not draw, whoever draws?": (what_a_player_cannot_draw, "bars (0 % right)"),
    "What would another describer change in the best drawing of the pets?": (
        whose_fault,
        "With another describer’s words painter scores 4.0 points lower",
    ),
    "From the same words, what does the worst drawing of the pets score?": (same_words_other_drawing, "2.5"),
    "Does refinement help, and by how much?": (does_refinement_help, "changes by 1.0"),
    "At which place did seer + painter enter the board?": (where_a_pair_entered, "1 of"),
    "On a phone: who vouches for the best pair?": (trust_on_a_phone, "played here"),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_reader_finds_the_answer_in_four_actions(visit: Visit, task: str) -> None:
    script, answer = TASKS[task]
    reader = Reader(visit.open("index.html"))
    assert answer in script(reader)
    assert 0 < reader.actions <= MOST_ACTIONS
