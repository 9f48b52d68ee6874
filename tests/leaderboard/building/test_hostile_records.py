"""A text that runs where it is not escaped, in every field whose schema takes it, on every page and in every file.

Last, in a real browser: nothing runs, nothing reaches out, and the policy alone stops a script that got into a page.
"""

import csv
import io
import json
from collections.abc import Mapping
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
import yaml
from hostile_texts import MARKUP, RUNS_ANYWHERE, filled
from pages import parse_page, varied_pages
from samples import sample_instances, sample_run, sample_submission
from site_samples import built_once
from visits import fits, visit_in

from ircore.core.records import PlayerSpec
from ircore.core.score_records import JudgeIdentity, Score
from ircore.games.reconstruction.records import list_rendered_turns
from ircore.instances.store import InstanceSet, write_instances
from ircore.runs.folder import RUN_FILE, RunFolder
from ircore.submissions.decisions import Decision
from leaderboard.building.cards import build_card_tags
from leaderboard.building.content import Content, Options, read_content
from leaderboard.building.finish import Tree
from leaderboard.building.menus import Menu
from leaderboard.building.shells import write_sources
from leaderboard.building.site_build import build_site
from leaderboard.building.site_check import check_site
from leaderboard.building.sources import copy_sources
from leaderboard.charts.catalogue import make_figures
from leaderboard.charts.still import draw_still
from leaderboard.components.matrix_cells import MatrixCell, map_row
from leaderboard.components.players import dispute, player_name, render_own_family, render_player_names
from leaderboard.model.site import Page
from leaderboard.pages.citation import Badge
from leaderboard.rendering.render import Renderer
from leaderboard.storage.build_cache import BuildCache

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.attack

JUDGE = JudgeIdentity(name="eye", label="Eye", kind="model", player=PlayerSpec(player="classical"))


class Elements(HTMLParser):
    """Names of the elements of a page and of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {tag, *(name for name, _ in attrs)}

    @property
    def are_ours(self) -> bool:
        """Whether none is a stranger's; where its text was cut, the beginning of the name counts."""
        return not any("x-h" in name for name in self.names)


def hostile_instances(folder: Path, text: str = RUNS_ANYWHERE) -> InstanceSet:
    plain = sample_instances(folder / "plain")
    keep = ("image", "game", "payload")
    made = [(filled(instance, text, keep), plain.pictures(instance)) for instance in plain.instances]
    return write_instances(folder / "instances", made)


def hostile_run(folder: Path, slug: str, instances: InstanceSet, text: str = RUNS_ANYWHERE) -> Path:
    """A run that was played, with its records filled afterwards."""
    opened = sample_run(folder / slug, instances, sample_submission(slug))
    # Spreadsheets take a cell that begins like this for a formula.
    words = "=1+1" + text if slug == "second" else text
    run = opened.run.model_copy(update={"submission": filled(opened.run.submission, words, keep=("rules",))})
    run = filled(run, words, keep=("submission", "started", "prompts", "rules"))
    (folder / slug / RUN_FILE).write_text(run.model_dump_json(by_alias=True))
    opened = RunFolder(folder / slug)
    opened.keep_judge(filled(JUDGE, text))
    rated = [
        (episode, turn) for episode in opened.episodes() for turn in list_rendered_turns(episode) if turn.rendering
    ]
    opened.add_scores(
        Score.model_validate(
            {"episode_id": episode.episode_id, "step": turn.turn, "measure": "similarity", "by": "eye"}
            | {"rendering": turn.rendering and turn.rendering.sha256, "value": None}
            | ({"reason": text} if episode.episode_id.startswith("geometry-hard") else {"value": 5.0})
        )
        for episode, turn in rated
    )
    return folder / slug


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    folder = tmp_path_factory.mktemp("filled")
    instances = hostile_instances(folder)
    runs = [hostile_run(folder, slug, instances) for slug in ("first", "second")]
    waiting = sample_submission("waiting")
    submission = filled(waiting.submission, keep=("rules",))
    options = Options(address="https://example.org/", waiting=waiting._replace(submission=submission))
    return read_content(runs, options, BuildCache(folder / "site"))


@pytest.fixture(scope="module")
def pages(content: Content) -> Mapping[str, str]:
    assert content.site is not None
    renderer = Renderer(content.site, {})
    return {page.path: renderer.block(page) for page in content.pages}


@pytest.fixture(scope="module")
def files(content: Content) -> Mapping[str, str]:
    return {name: text for make in content.files for name, text in make()}


@pytest.mark.slow
def test_no_page_has_an_element_of_a_strangers(pages: Mapping[str, str]) -> None:
    assert len(pages) > 40
    assert [path for path, text in pages.items() if not Elements(text).are_ours] == []
    # The words are there: nothing was left out instead of being escaped.
    assert sum("x-hostile" in text for text in pages.values()) > 20


@pytest.mark.slow
def test_no_head_has_an_element_of_a_strangers(content: Content, tmp_path: Path) -> None:
    tags = [
        build_card_tags(tmp_path, page.path, page.title, "https://example.org/", page.title) for page in content.pages
    ]
    assert any("x-hostile" in tag for tag in tags)
    assert {name for tag in tags for name in Elements(tag).names} == {"meta", "property", "content"}
    named = [Page("hostile", RUNS_ANYWHERE, "board", {"words": RUNS_ANYWHERE}, searchable=True)]
    write_sources([*content.pages, *named], tmp_path, Menu(()))
    shells = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.md")]
    assert any("x-hostile" in shell for shell in shells)
    assert [shell for shell in shells if "<x-hostile" in shell] == []


@pytest.mark.slow
def test_the_name_of_a_site_of_one_game_is_escaped(tmp_path: Path) -> None:
    """A game is a stranger's package, and its title is the name of the site, which the theme writes as it is."""
    tree = Tree(tmp_path)
    copy_sources(tree, [], [], "", RUNS_ANYWHERE)
    settings = yaml.safe_load(tree.settings.read_text(encoding="utf-8"))
    for name in ("site_name", "site_description"):
        assert "&lt;x-hostile" in settings[name]
        assert "<x-hostile" not in settings[name]


def test_feeds_badges_and_tables_are_what_their_names_say(files: Mapping[str, str]) -> None:
    elements = [
        element.tag
        for name, text in files.items()
        if name.endswith((".xml", ".svg"))
        for element in ElementTree.fromstring(text).iter()
    ]
    assert len(elements) > 30
    assert "x-hostile" not in elements
    assert all(json.loads(text) is not None for name, text in files.items() if name.endswith(".json"))
    (table,) = (list(csv.reader(io.StringIO(text))) for name, text in files.items() if name.endswith(".csv"))
    assert {len(row) for row in table} == {len(table[0])}
    assert any("=1+1" in cell for row in table for cell in row)
    assert [cell for row in table for cell in row if cell.startswith(("=", "+", "@", "\t"))] == []


@pytest.mark.slow
def test_no_text_ends_the_field_of_a_citation(pages: Mapping[str, str]) -> None:
    entries = []
    for text in pages.values():
        codes = parse_page(text).find("code")
        entries += [code.text for code in codes if code.text.lstrip().startswith("@")]
    assert sum("x-hostile" in entry for entry in entries) == 2
    for entry in entries:
        depths = list(accumulate((character == "{") - (character == "}") for character in entry.strip()))
        # Closed by its last character and not before.
        assert (min(depths[entry.index("{") : -1], default=1), depths[-1]) == (1, 0), entry


def test_fragments_that_scripts_put_into_pages_are_escaped(files: Mapping[str, str]) -> None:
    def texts(value: object) -> list[str]:
        if isinstance(value, str):
            return [value]
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return [text for part in parts for text in texts(part)]

    found = [text for name, text in files.items() if name.endswith(".json") for text in texts(json.loads(text))]
    markup = [text for text in found if text.lstrip().startswith("<") and text != MARKUP["a script"]]
    assert [text for text in markup if not Elements(text).are_ours] == []


HOSTILE: Any = SimpleNamespace(path=RUNS_ANYWHERE)
"""A pair whose page's path holds markup."""


@pytest.mark.parametrize(
    "made",
    [
        dispute(Decision(date="2026-11-01", kind="disputed", reason=RUNS_ANYWHERE), HOSTILE, "../"),
        render_own_family(RUNS_ANYWHERE),
        player_name(RUNS_ANYWHERE, RUNS_ANYWHERE, 0, None),
        render_player_names((RUNS_ANYWHERE, RUNS_ANYWHERE), RUNS_ANYWHERE, 0, 0, RUNS_ANYWHERE),
        Badge("badges/a", "all", RUNS_ANYWHERE, RUNS_ANYWHERE, is_ranked=True).svg(),
    ],
    ids=["dispute", "own family", "player", "players", "badge"],
)
def test_no_component_has_an_element_of_a_strangers(made: str) -> None:
    assert Elements(made).are_ours
    assert "x-hostile" in made


def test_no_cell_of_a_heat_map_has_an_element_of_a_strangers(content: Content) -> None:
    assert content.site is not None
    for row in content.site.results.board("eye"):
        cell = MatrixCell(content.site.pairs[row.submission.run_id], row, tier=None, picture=None, score=5.0)  # type: ignore[arg-type]
        made = map_row([[cell]], "../", "all", of_target=True)
        assert Elements(made).are_ours
        assert "&lt;x-h" in made


@pytest.mark.slow
def test_no_still_picture_has_an_element_of_a_strangers(content: Content) -> None:
    assert content.site is not None
    charts = make_figures(content.site.results, content.site.pairs).values()
    figure = next(chart.figure for chart in charts if chart.figure and chart.figure["layout"].get("annotations"))
    notes = [{**note, "text": RUNS_ANYWHERE} for note in figure["layout"]["annotations"]]
    made = draw_still({**figure, "layout": {**figure["layout"], "annotations": notes}}, narrow=False)
    assert Elements(made).are_ours
    assert "x-hostile" in made


REACHES_OUT = (
    f"{'W' * 100}\"'><img src=https://evil.example/x.png onerror=window.hacked=1><script>window.hacked=1</script>"
)


def make_site(folder: Path) -> None:
    instances = hostile_instances(folder, REACHES_OUT)
    runs = [hostile_run(folder, slug, instances, REACHES_OUT) for slug in ("first", "second")]
    waiting = sample_submission("waiting")
    build_site(
        runs,
        folder / "site",
        Options(waiting=waiting._replace(submission=filled(waiting.submission, REACHES_OUT, ("rules",)))),
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "hostile-site", make_site)


@pytest.mark.slow
def test_nothing_of_a_strangers_is_wrong_with_the_pages(site: Path) -> None:
    findings, pages = check_site(site)
    assert pages > 40
    assert findings == []


@pytest.mark.slow
def test_nothing_runs_and_nothing_is_fetched(browser: "Browser", address: str, site: Path) -> None:
    paths = list(dict.fromkeys(["boards/index.html", "pairs/first.html", "pairs/waiting.html", *varied_pages(site)]))
    # On the others nothing is a stranger's.
    paths = [path for path in paths if "evil.example" in (site / path).read_text(encoding="utf-8")]
    wrong: list[tuple[str, int]] = []
    for scheme in ("light", "dark"):
        with browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme) as context:
            visit = visit_in(context, address)
            visit.page.on("response", lambda got: wrong.append((got.url, got.status)) if got.status >= 400 else None)
            for path in paths if scheme == "light" else paths[:3]:
                page = visit.open(path)
                visit.draw_charts()
                if page.evaluate("window.hacked") is not None or not fits(page, 390, 844):
                    wrong.append((path, 390))
            assert wrong == []
            assert visit.outside == []
            assert visit.complaints == []


def test_the_policy_alone_stops_what_got_into_a_page(browser: "Browser", address: str) -> None:
    with browser.new_context() as context:
        visit = visit_in(context, address)
        page = visit.open("boards/index.html")
        page.evaluate(
            """() => {
              const script = document.createElement('script');
              script.textContent = 'window.hacked = 1';
              document.body.append(script);
              const add = (markup) => document.body.insertAdjacentHTML('beforeend', markup);
              add('<img src="https://evil.example/x.png" onerror="window.hacked=2">');
              add('<a id="trap" href="javascript:window.hacked=3">x</a>');
              document.getElementById('trap').click();
            }"""
        )
        page.wait_for_timeout(300)
        assert page.evaluate("window.hacked") is None
        assert visit.complaints
