"""The built site as a reader and a stranger's submission meet it."""

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from known_values import known
from markupsafe import escape
from pages import Element, read_page
from pairs import play_pair
from samples import sample_instances, sample_run, sample_submission
from shared_folders import made_once

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.images import ImageError
from ircore.core.submission_records import Run
from ircore.games.reconstruction.records import Rules, list_rendered_turns
from ircore.results.model import Results
from ircore.runs.folder import RunFolder, create_run
from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.building import sources
from leaderboard.building.content import Options, read_content
from leaderboard.building.finish import Tree
from leaderboard.building.shells import read_shells, write_sources
from leaderboard.building.site_build import MARKER, build_site, run_mkdocs
from leaderboard.building.site_check import check_site
from leaderboard.building.writing import write_content
from leaderboard.charts.catalogue import make_figures
from leaderboard.model.site import Page, Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.board_views import build_leaderboard_files
from leaderboard.pages.maintainers_work import build_waiting_page
from leaderboard.pages.pair_comparison import Comparisons
from leaderboard.rendering.shell import NAME, TITLE
from leaderboard.skeleton import SKELETON
from leaderboard.storage.build_cache import BuildCache
from leaderboard.storage.output_folder import write_text
from leaderboard.words import number, rank

pytestmark = pytest.mark.slow


class Built(NamedTuple):
    """A built site and what it was built from."""

    site: Path
    runs: tuple[RunFolder, ...]

    @property
    def paths(self) -> list[Path]:
        return [run.path for run in self.runs]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    names = ("plain", "other")

    def make(folder: Path) -> None:
        instances = sample_instances(folder / "instances", per_condition=3)
        runs = [sample_run(folder / name, instances, sample_submission(f"{name}-pair")) for name in names]
        score_runs(runs, ScoringPlan(("structural",), (), every_turn=True))
        build_site([run.path for run in runs], folder / "site")

    folder = made_once(tmp_path_factory, "site-under-test", make)
    return Built(folder / "site", tuple(RunFolder(folder / name) for name in names))


@pytest.fixture(scope="module")
def pages(built: Built) -> dict[str, Element]:
    return {str(path.relative_to(built.site)): read_page(path) for path in sorted(built.site.rglob("*.html"))}


def test_the_check_finds_nothing(built: Built, pages: dict[str, Element]) -> None:
    """One heading a page, links that lead somewhere, nothing from elsewhere: see ``test_policy``."""
    assert check_site(built.site) == ([], len(pages))


def test_only_the_gallery_fetches_its_scripts(built: Built, pages: dict[str, Element]) -> None:
    scripts = {
        name: [
            element.attributes["src"].rpartition("/")[2]
            for element in page.find("script")
            if "src" in element.attributes
        ]
        for name, page in pages.items()
    }
    replays = {name for name, files in scripts.items() if "replay.js" in files}
    assert {name for name in replays if not name.startswith("strips/")} == {"replay.html"}
    assert {name for name, files in scripts.items() if "gallery.js" in files} == {
        name for name in scripts if name.startswith("gallery/") and "index" not in name
    }
    assert {name for name, files in scripts.items() if "compare-pairs.js" in files} == {"compare.html"}
    every = {path.name for path in (built.site / "assets" / "js").glob("*.js")}
    assert every <= {file for files in scripts.values() for file in files}


def test_pictures_keep_their_room_and_say_what_they_show(pages: dict[str, Element]) -> None:
    pictures = [
        element.attributes
        for page in pages.values()
        for element in page.find("img")
        if "data-large" in element.attributes
    ]
    assert pictures
    assert all(int(picture["width"]) and int(picture["height"]) and picture["alt"] for picture in pictures)
    # What is seen first comes first; all else is decoded when there is time.
    assert all(picture.get("fetchpriority") == "high" or picture["decoding"] == "async" for picture in pictures)


@pytest.mark.parametrize("name", ["index", "geometry-both", "all-easy", "simple_shapes-hard"])
def test_boards_show_the_numbers_of_the_results(built: Built, pages: dict[str, Element], name: str) -> None:
    category, _, difficulty = name.partition("-")
    condition = (None if category in ("index", "all") else category, None if difficulty in ("", "both") else difficulty)
    expected = Results.from_runs(list(built.runs)).board("structural", *condition)
    rows = pages[f"boards/{name}.html"].find("table", class_="board")[0].find("tbody")[0].find("tr")
    assert len(rows) == len(expected)
    for shown, row in zip(rows, expected, strict=True):
        (score,) = shown.find("td", class_="score-column")
        assert [cell.text for cell in shown.find(class_="rank-range")] == (
            [rank(row.rank_low, row.rank_high)] if row.rank_low else []
        )
        assert shown.attributes["id"] == row.submission.slug
        assert score.text.strip().startswith(number(row.cell.main.mean, 1))
        held = score.attributes["data-sort"]
        assert (held and float(held)) == ("" if row.cell.main.mean is None else pytest.approx(row.cell.main.mean))


def test_an_aborted_episode_says_why(pages: dict[str, Element]) -> None:
    (row,) = pages["gallery/simple_shapes-easy-01.html"].find("section", data_pair="other-pair")
    assert "Converged" in row.text
    aborted = [
        row.text
        for name, page in pages.items()
        if name.startswith("gallery/") and name != "gallery/index.html"
        for row in page.find("section", data_pair="plain-pair")
        if "Aborted" in row.text
    ]
    assert aborted
    assert all("the describer broke the answer format" in text for text in aborted)
    assert all("The answer does not begin with <DESCRIPTION>" in text for text in aborted)


def test_an_earlier_site_is_replaced_and_its_pictures_are_kept(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "site"
    out.mkdir()
    (out / MARKER).write_bytes((built.site / MARKER).read_bytes())
    (out / "left over.html").write_text("old")
    (out / "img").symlink_to(built.site / "img")
    report = build_site(built.paths, out)
    assert report.encoded == 0
    assert (out / "index.html").is_file()
    assert not (out / "left over.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_that_is_no_site_is_left_alone(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    status = ircore(["site", "build", "--runs", *map(str, built.paths), "--out", str(tmp_path)])
    assert status == 2
    assert "is not a site built by ircore" in capsys.readouterr().err
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_through_a_link_the_folder_it_names_is_replaced(built: Built, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "site").symlink_to("disk")
    build_site(built.paths[:1], tmp_path / "site")
    assert (tmp_path / "site").is_symlink()
    assert (tmp_path / "disk" / "index.html").is_file()


def test_a_place_that_cannot_be_written_is_told_in_one_line(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "site"
    assert ircore(["site", "build", "--runs", str(built.paths[0]), "--out", str(place)]) == 1
    assert capsys.readouterr().err.startswith(f"ircore: {place}: cannot be written (")


def test_runs_without_scores_are_refused(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    with pytest.raises(InputError, match="no judge has rated anything yet"):
        build_site([run.path], tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_missing_rendering_is_named(built: Built, tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", built.runs[0].instances)
    score_runs([run], ScoringPlan(("structural",), (), every_turn=False))
    lost = next(
        turn.rendering.sha256 for episode in run.episodes() for turn in list_rendered_turns(episode) if turn.rendering
    )
    run.rendering_path(lost).unlink()
    with pytest.raises(ImageError, match=lost):
        build_site([run.path], tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_judges_and_budgets_are_never_mixed(tmp_path: Path) -> None:
    """Two runs of one submission under different rules are two pairs; each judge has boards of its own."""
    instances = sample_instances(tmp_path / "instances")
    long = sample_run(tmp_path / "long", instances)
    short = create_run(tmp_path / "short", _with_budget(long, 50), instances)
    score_runs([long], ScoringPlan(("structural",), (), every_turn=False))
    long.add_scores(score.model_copy(update={"by": "a-human"}) for score in long.scores() if score.task == "similarity")
    tree = Tree(tmp_path)
    content = read_content([long.path, short.path], Options(), BuildCache(tree.files))
    write_content(content, tree)
    site = known(content.site)

    assert sorted(pair.apart for pair in site.pairs.values()) == ["200 tokens, 10 turns", "50 tokens, 10 turns"]
    assert {path.stem for path in (tmp_path / "blocks" / "pairs").glob("centre*.html")} == set(site.pairs)
    boards = tmp_path / "blocks" / "boards"
    assert _board_words(boards / "by-structural" / "index.html")[1] == ["–"]
    assert "judged by structural (computed" in _board_words(boards / "by-structural" / "index.html")[0]
    words, ranks = _board_words(boards / "budget-50" / "index.html")
    assert ranks == ["–"]
    assert "at most 50 tokens a message and 10 turns" in words
    assert _board_words(boards / "all-rules" / "index.html")[1] == ["–", "–"]
    instance = read_page(tmp_path / "blocks" / "gallery" / "simple_shapes-easy-01.html")
    assert "Not played" in instance.find("section", id=short.run.run_id)[0].text


def test_every_file_says_by_which_rules_a_pair_was_played(tmp_path: Path) -> None:
    """The same pair under two rules has the same names everywhere: only the key tells them apart."""
    instances = sample_instances(tmp_path / "instances")
    long = sample_run(tmp_path / "long", instances)
    short = RunFolder(shutil.copytree(long.path, tmp_path / "short"))
    (short.path / "run.json").write_text(_with_budget(long, 50).model_dump_json(by_alias=True))
    runs = [long, RunFolder(short.path)]
    score_runs(runs, ScoringPlan(("structural",), (), every_turn=False))
    site = Site(read_runs([run.path for run in runs]))
    keys = {run.run.run_id: Rules.of(run.run).key for run in runs}
    assert sorted(keys.values()) == ["b200-t10-allow", "b50-t10-allow"]

    document = json.loads(dict(build_leaderboard_files(site.results))["data/leaderboard.json"])
    assert {run_id: about["rules_key"] for run_id, about in document["runs"].items()} == keys
    assert {row["run_id"]: row["rules"] for row in document["rows"]} == keys
    compared = json.loads(dict(Comparisons(site).files())["data/compare/index.json"])
    assert {pair["key"]: pair["rules"] for pair in compared["pairs"]} == {
        site.pairs[run_id].key: key for run_id, key in keys.items()
    }
    for chart in make_figures(site.results, site.pairs).values():
        for row in csv.DictReader(io.StringIO(chart.csv())):
            assert set(row["rules"].split("+")) <= set(keys.values())
            assert row["rules"] == keys.get(row.get("run_id", ""), row["rules"])


def test_submissions_of_the_same_players_are_told_apart_by_their_slugs(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "instances")
    entry = sample_run(tmp_path / "one", instances)
    score_runs([entry], ScoringPlan(("structural",), (), every_turn=False))
    twin = entry.run.model_copy(update={"slug": "twin", "run_id": "twin-1"})
    other = create_run(tmp_path / "twin", twin, instances)
    site = Site(read_runs([entry.path, other.path]))
    assert {pair.apart for pair in site.pairs.values()} == {entry.run.slug, "twin"}
    assert [pair.apart for pair in Site(read_runs([entry.path])).pairs.values()] == [""]


def test_a_slug_that_is_another_runs_id_takes_no_page_of_that_run(tmp_path: Path) -> None:
    """A submission may be called like another's run: each run, played or waiting, keeps a page of its own."""
    instances = sample_instances(tmp_path / "instances")
    first = sample_run(tmp_path / "first", instances)
    score_runs([first], ScoringPlan(("structural",), (), every_turn=False))
    other_rules = {"rules": Rules(token_budget=10), "run_id": f"{first.run.slug}-00000000"}
    again = first.run.model_copy(update=other_rules)
    second = create_run(tmp_path / "second", again, instances)
    forged = first.run.model_copy(update={"slug": first.run.run_id, "run_id": f"{first.run.run_id}-11111111"})
    third = create_run(tmp_path / "third", forged, instances)
    site = Site(read_runs([first.path, second.path, third.path]))
    keys = [pair.key for pair in site.pairs.values()]
    assert sorted(keys) == sorted([first.run.run_id, again.run_id, forged.run_id])
    waiting = known(build_waiting_page(site, (), sample_submission(again.run_id)))
    assert waiting.path not in {f"pairs/{key}" for key in keys}


def _board_words(path: Path) -> tuple[str, list[str]]:
    """What a board says of itself, and its ranks."""
    page = read_page(path)
    rows = page.find("table", class_="board")[0].find("tbody")[0].find("tr")
    ranks = [(row.find(class_="rank-range") or row.find(class_="missing"))[0].text[:1] for row in rows]
    return page.find("p", class_="filtered")[0].text, ranks


def _with_budget(run: RunFolder, tokens: int) -> Run:
    rules = Rules(token_budget=tokens).model_dump(mode="json")
    return run.run.model_copy(update={"rules": rules, "run_id": f"{run.run.slug}-{tokens}"})


def test_runs_of_a_part_of_the_set_show_the_targets_that_somebody_played(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    runs = []
    for pair, limit in (("captioner+sketch", 1), ("classical+canvas", 2)):
        runs.append(tmp_path / "runs" / pair)
        assert play_pair(Path(pair), instances, runs[-1], "--limit", str(limit)) == 0
        assert ircore(["score", str(runs[-1])]) == 0
    site = Site(read_runs(runs, BuildCache(tmp_path / "cache")))
    assert list(site.galleries) == [instance.instance_id for instance in instances.instances[:2]]
    build_site(runs, tmp_path / "site")
    assert ircore(["site", "check", str(tmp_path / "site")]) == 0


ADDRESS = "https://example.org/board/"
TITLES = {
    name: f"Pie graphs × {number} – “easy” & <b>" for number, name in enumerate(("pairs/a", "boards/by-eye/all-easy"))
}
PAGES = (
    *(Page(path, title, "pair") for path, title in TITLES.items()),
    Page("pairs/index", "Pairs", "pairs_index", {"words": "found by the search"}, searchable=True),
    Page("index", "Start", "front"),
    *(
        Page(name, name, "paper")
        for name in (
            "boards/index", "gallery/index", "changes", "history", "compare", "limits", "replay", "prompts",
            "metric-agreement", "people",
        )
    ),
)  # fmt: skip


WRITTEN = ("install", "load", "metrics")
"""Hand-written pages of the small tree; the navigation leaves out all others."""


def build_with_zensical(tree: Tree) -> None:
    pytest.importorskip("zensical")
    command = [sys.executable, "-m", "zensical", "build", "--config-file", tree.settings.name]
    subprocess.run(command, cwd=tree.work, capture_output=True, check=True)


def build_with_mkdocs(tree: Tree) -> None:
    with run_mkdocs(tree):
        pass


@pytest.fixture(scope="module", params=[build_with_mkdocs, build_with_zensical])
def shells(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Pages with their slots filled, by path; ``alone/NAME`` are those that have a shell of their own."""
    tree, skeleton = Tree(tmp_path_factory.mktemp("build")), tmp_path_factory.mktemp("skeleton")
    shutil.copy(SKELETON / sources.SETTINGS, skeleton)
    for name in WRITTEN:
        write_text(skeleton / "docs" / f"{name}.md", f"---\nhide: [navigation]\n---\n\n# {name}\n\n## Part\n\nText.\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "SKELETON", skeleton)
        menu = sources.copy_sources(tree, PAGES, [("Rock & paper", "games/rps/index")], ADDRESS)
    write_sources([Page("games/rps/index", "Rock & paper: board", "game_board")], tree.docs, menu)
    sharing = write_sources(PAGES, tree.docs, menu)
    assert sharing == TITLES
    for name, title in TITLES.items():
        # The same page, asked for by itself.
        shared = (tree.docs / name).with_name(f"{NAME}.md").read_text("utf-8")
        write_text(tree.docs / f"{name}.md", shared.replace(TITLE, escape(title)))
    request.param(tree)
    made: dict[str, str] = {}
    for path, shell, title in read_shells(tree.site, sharing):
        key = path if title else f"alone/{path}"
        # The same page has shorter or longer addresses.
        made[key] = shell.filled("<p>content</p>", title, path.rpartition("/")[2]).replace('href="./', 'href="')
    assert list(tree.site.rglob("*irg_slot*")) == []
    (index,) = (path for name in ("search_index.json", "search.json") for path in tree.site.rglob(name))
    made["index.json"] = index.read_text("utf-8")
    shutil.rmtree(tree.work)
    return made


@pytest.mark.parametrize("name", TITLES)
def test_pages_of_a_folder_differ_in_title_and_name_alone(shells: dict[str, str], name: str) -> None:
    assert f'<link rel="canonical" href="{ADDRESS}{name}.html">' in shells[f"alone/{name}"]
    assert shells[name] == shells[f"alone/{name}"]
    assert "– “easy” &amp; &lt;b&gt; - Image" in shells[name]
    assert "irg_slot" not in shells[name]
    assert "<p>content</p>" in shells[name]


def test_pages_of_a_section_lead_to_one_another(shells: dict[str, str]) -> None:
    pair, board = shells["pairs/a"], shells["boards/by-eye/all-easy"]
    assert '<a class="chip" href="index.html" aria-current="true">Pairs and players</a>' in pair
    assert '<a class="chip" href="../boards/index.html">Board</a>' in pair
    assert '<a class="chip" href="../index.html" aria-current="true">Board</a>' in board
    changes, page = shells["alone/changes"], shells["alone/load"]
    # A section within a tab has a row of its own below that of the tab.
    assert '<a class="chip" href="changes.html" aria-current="true">History</a>' in changes
    assert '<a class="chip" href="changes.html" aria-current="page">What changed</a>' in changes
    assert '<a class="chip" href="install.html" aria-current="true">How-to</a>' in page
    assert '<a class="chip" href="load.html" aria-current="page">Load the data</a>' in page
    assert page.count('class="irg section-row"') == changes.count('class="irg section-row"') == 2
    # A tab of a single page needs no row.
    assert "section-row" not in shells["alone/gallery/index"]


def test_the_tab_of_a_page_stands_out_although_the_navigation_does_not_name_it(shells: dict[str, str]) -> None:
    active = 'md-tabs__item--active"><a href="../boards/index.html" class="md-tabs__link">Leaderboard<'
    assert active in shells["pairs/a"]
    assert 'md-tabs__item--active"><a href="index.html" class="md-tabs__link">Games<' in shells["alone/games/rps/index"]


def test_tabs_name_what_the_site_has_and_nothing_else(shells: dict[str, str]) -> None:
    assert ">Games</a>" in shells["pairs/a"]
    assert "Published scores" not in shells["pairs/a"]  # the page is not among those written


def test_the_search_finds_words_of_our_own_and_no_shared_page(shells: dict[str, str]) -> None:
    assert "found by the search" in shells["index.json"]
    assert "Pie graphs ×" not in shells["index.json"]
