"""Versions of the benchmark: which one results are of, how boards are frozen, and that versions never mix."""

import json
from pathlib import Path

import pytest
from pages import read_page
from samples import sample_instances, sample_run

from ircore.core.errors import InputError
from ircore.instances.benchmark import BenchmarkVersion, read_versions, record_version
from ircore.results.benchmark_version import Version, find_version
from ircore.results.model import Results
from ircore.runs.folder import create_run
from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.building.content import Options
from leaderboard.building.site_build import build_site, read_marker
from leaderboard.building.site_check import check_site
from leaderboard.frozen_boards import (
    build_version_pages,
    freeze_site,
    list_choices,
    list_frozen_views,
    make_released_version,
    read_archive,
)
from leaderboard.words import number

pytestmark = pytest.mark.slow

OLD = BenchmarkVersion(name="2026.1", instance_set="a" * 64, prompts="p 1", date="2026-01-31", notes="The first.")
NEW = BenchmarkVersion(name="2026.2", instance_set="b" * 64, prompts="p 1", date="2026-09-01")
ROWS = [
    {
        "judge": "eye", "category": "all", "difficulty": "all", "rules": "r", "describer": "<b>x</b>", "mean": 4.5,
        "n": 3,
    },
    {"judge": "eye", "category": "photos", "difficulty": "hard", "rules": "r", "describer": "<b>x</b>", "mean": 2.25},
]  # fmt: skip


def make_site(folder: Path, record: BenchmarkVersion) -> dict[str, object]:
    """What a freeze looks at of a built site; its marker is returned."""
    (folder / "data").mkdir(parents=True)
    document = {"benchmark": record.name, "instance_set": record.instance_set, "rows": ROWS}
    (folder / "data" / "leaderboard.json").write_text(json.dumps(document))
    (folder / "data" / "leaderboard.csv").write_text("judge\neye\n")
    return {"benchmark": record.name, "instance_set": record.instance_set}


def test_results_are_of_the_version_with_their_set_and_prompts(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    results = Results.from_runs([run])
    mine = NEW.model_copy(update={"instance_set": results.instance_set, "prompts": run.run.prompts})
    assert find_version(results, [OLD, mine]).words == "benchmark 2026.2"
    other = mine.model_copy(update={"prompts": "other prompts"})
    assert find_version(results, [OLD, other]).words == f"unreleased benchmark (set {results.instance_set[:8]})"


def test_runs_with_different_prompts_are_not_shown_together(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "instances")
    run = sample_run(tmp_path / "one", instances)
    other = run.run.model_copy(update={"run_id": "other", "slug": "other", "prompts": "other prompts"})
    results = Results.from_runs([run, create_run(tmp_path / "two", other, instances)])
    with pytest.raises(InputError, match="they follow two benchmark versions"):
        find_version(results)


def test_a_frozen_board_is_shown_as_it_was(tmp_path: Path) -> None:
    marker = make_site(tmp_path / "site", OLD)
    freeze_site(tmp_path / "site", tmp_path / "archive" / "2026.1", marker, [OLD, NEW])
    current = Version(NEW.instance_set, NEW.prompts, NEW)
    (board,) = read_archive(tmp_path / "archive", current)
    assert board.record == OLD
    assert board.rows == tuple(ROWS)
    listed, overall, hard = build_version_pages(current, [board])
    assert [entry.path for entry in (listed, overall, hard)] == [
        "versions/index", "versions/2026.1/index", "versions/2026.1/board-1",
    ]  # fmt: skip
    assert overall.values["view"].rows == (ROWS[0],)
    assert hard.values["view"].heading == "Photos, hard"
    with pytest.raises(InputError, match="exists already"):
        freeze_site(tmp_path / "site", tmp_path / "archive" / "2026.1", marker, [OLD, NEW])


def test_a_frozen_folder_is_read_without_a_site_and_without_scripts(tmp_path: Path) -> None:
    folder = tmp_path / "2026.1"
    freeze_site(tmp_path / "site", folder, make_site(tmp_path / "site", OLD), [OLD])
    assert sorted(path.name for path in folder.iterdir()) == [
        "board-1.html", "index.html", "leaderboard.csv", "leaderboard.json", "version.json",
    ]  # fmt: skip
    page = read_page(folder / "index.html")
    assert [element.text for element in page.find("h1")] == ["Benchmark 2026.1: all categories"]
    # The file does not say who vouches for a run and when it was played: said to be missing.
    assert [cell.text for cell in page.find("tbody")[0].find("td")][-2:] == ["–", "–"]
    assert "4.50" in page.find("tbody")[0].text
    assert page.find("tbody")[0].find("b") == []
    assert "<b>x</b>" in page.find("tbody")[0].text
    assert page.find("script") == []
    assert "default-src 'none'" in (folder / "index.html").read_text()
    for link in page.find("a"):
        assert (folder / link.attributes["href"]).is_file()


GAME = {
    "game": "reference",
    "units": {"main_score_mean": "0–100", "seconds_mean": "s"},
    "rows": [
        {"name": "<b>x</b>", "rank_low": 1, "rank_high": 2, "main_score_mean": 91.5, "main_score_low": 80.0,
         "main_score_high": 95.25, "seconds_mean": None, "played": 5, "episodes": 6, "rules": "labels"},
        {"name": "y", "rank_low": 1, "rank_high": 1, "main_score_mean": 12, "played": 6, "episodes": 6, "rules": "no"},
    ],
    "rule_words": {"labels": "with labels"},
}  # fmt: skip


def freeze_with_game(folder: Path, game: object, name: str = "reference") -> Path:
    """Freeze a site that has the board of another game, too; return the archive."""
    marker = make_site(folder / "site", OLD)
    boards = folder / "site" / "games" / name
    boards.mkdir(parents=True)
    (boards / "board.json").write_text(json.dumps(game))
    (boards / "board.csv").write_text("name\n")
    freeze_site(folder / "site", folder / "archive" / "2026.1", marker, [OLD])
    return folder / "archive"


def test_boards_of_other_games_are_frozen_beside_them(tmp_path: Path) -> None:
    archive = freeze_with_game(tmp_path, GAME)
    page = read_page(archive / "2026.1" / "games" / "reference.html")
    first, second = page.find("tbody")
    # A column that no row has a number for is left out; rules are not mixed.
    assert [cell.text for cell in first.find("tr")[0].find("td")] == ["1–2", "91.50 80.00 to 95.25", "5 of 6"]
    assert [cell.text for cell in second.find("tr")[0].find("td")] == ["1", "12.00", "6 of 6"]
    assert (first.find("b"), first.find("th")[0].text) == ([], "<b>x</b>")
    assert "All categories, with labels; best first" in page.find("caption")[0].text
    for link in page.find("a"):
        assert (archive / "2026.1" / "games" / link.attributes["href"]).resolve().is_file()
    (board,) = read_archive(archive, Version(NEW.instance_set, NEW.prompts, NEW))
    paths = [page.path for page in build_version_pages(Version(NEW.instance_set, NEW.prompts, NEW), [board])]
    assert paths[-1] == "versions/2026.1/games/reference"


@pytest.mark.parametrize(
    ("game", "name", "said"),
    [
        ({**GAME, "rows": [1]}, "reference", "not the boards of a site"),
        ({**GAME, "game": "other"}, "reference", "not the boards of a game named 'reference'"),
        (GAME, "Up per", "not the boards of a game named 'Up per'"),
    ],
)
def test_what_is_no_board_of_a_game_is_not_frozen(game: object, name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        freeze_with_game(tmp_path, game, name)
    assert not (tmp_path / "archive" / "2026.1").exists()


def test_frozen_boards_do_not_mix_rules_either() -> None:
    """Pairs were ranked among those under the same rules."""
    board = {"judge": "eye", "category": "all", "difficulty": "all"}
    rows = [{**board, "rank_low": rank, "rules": rules} for rules, rank in (("long", 1), ("long", 2), ("short", 1))]
    long, short = list_frozen_views(rows)
    assert [(entry.name, entry.rules, len(entry.rows)) for entry in (long, short)] == [
        ("index", "long", 2), ("board-1", "short", 1),
    ]  # fmt: skip
    ((label, links),) = list_choices([long, short], short)
    assert (label, [(link.label, link.path, link.current) for link in links]) == (
        "Rules", [("long", "index", False), ("short", "board-1", True)],
    )  # fmt: skip


@pytest.fixture(scope="module")
def two_versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of version 2026.2 with the boards of 2026.1 in its archive, each played on a set of its own."""
    folder = tmp_path_factory.mktemp("versions")
    records, archive = folder / "versions.yaml", folder / "archive"
    for name, size in (("2026.1", 1), ("2026.2", 2)):
        run = sample_run(folder / f"run-{name}", sample_instances(folder / f"instances-{name}", size))
        score_runs([run], ScoringPlan(("structural",), (), every_turn=False))
        site = folder / f"site-{name}"
        about = {"instance_set": run.run.instance_set, "prompts": run.run.prompts}
        record_version(make_released_version(about, name, f"2026-0{size}-01", f"{size} a condition."), records)
        earlier = archive if archive.is_dir() else None
        build_site([run.path], site, Options(archive=earlier, version=name, versions=records))
        if name == "2026.1":
            freeze_site(site, archive / name, read_marker(site), read_versions(records))
    return folder


def test_the_boards_of_a_former_version_stay_with_their_own_numbers(two_versions: Path) -> None:
    site = two_versions / "site-2026.2"
    old, new = (
        json.loads((site / path).read_text()) for path in ("versions/2026.1/leaderboard.json", "data/leaderboard.json")
    )
    assert (old["benchmark"], new["benchmark"]) == ("2026.1", "2026.2")
    assert old["instance_set"] != new["instance_set"]
    frozen = read_page(site / "versions/2026.1/index.html")
    assert number(old["rows"][0]["mean"]) in frozen.find("tbody")[0].text
    (run,) = old["runs"].values()
    assert run["trust"] == "played here"
    assert {run["trust"], run["date"]} <= {cell.text.split(" ircore")[0] for cell in frozen.find("tbody")[0].find("td")}
    assert "benchmark 2026.2" in read_page(site / "boards/index.html").find("main")[0].text
    listed = read_page(site / "versions/index.html")
    assert [row.find("a")[0].text for row in listed.find("tbody")[0].find("tr")] == ["2026.2", "2026.1"]
    assert "../versions/index.html" in {
        link.attributes.get("href") for link in read_page(site / "boards/index.html").find("a")
    }
    assert check_site(site)[0] == []


def test_releases_are_among_what_changed_and_every_page_names_the_feeds(two_versions: Path) -> None:
    site = two_versions / "site-2026.2"
    changed = read_page(site / "changes.html").find("dl", class_="changes")[0].text
    feed = json.loads((site / "feed.json").read_text())
    for name in ("2026.1", "2026.2"):
        assert f"Benchmark {name} released" in changed
        assert f"Benchmark {name} released" in {item["title"] for item in feed["items"]}
        assert f"Benchmark {name} released" in (site / "feed.atom").read_text()
    for path in ("index.html", "pairs/index.html", "versions/2026.1/index.html", "metrics.html"):
        by_name = {
            link.attributes["type"]: (site / path).parent / link.attributes["href"]
            for link in read_page(site / path).find("link", rel="alternate")
        }
        assert set(by_name) == {"application/atom+xml", "application/feed+json"}
        assert all(file.is_file() for file in by_name.values())


def test_a_version_is_recorded_once_and_what_stood_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "versions.yaml"
    path.write_text("# What a version is.\nversions: []\n")
    record_version(OLD, path)
    record_version(NEW, path)
    assert path.read_text().startswith("# What a version is.\n")
    assert read_versions(path) == (OLD, NEW)
    with pytest.raises(InputError, match="occurs twice"):
        record_version(OLD, path)
    assert read_versions(path) == (OLD, NEW)
    with pytest.raises(InputError, match="version of one: name"):
        make_released_version({"instance_set": "a" * 64, "prompts": "p"}, "of one")


def test_an_unreleased_benchmark_is_not_frozen(tmp_path: Path) -> None:
    marker = make_site(tmp_path / "site", OLD)
    with pytest.raises(InputError, match="unreleased"):
        freeze_site(tmp_path / "site", tmp_path / "out", marker, [NEW])
    assert not (tmp_path / "out").exists()


def test_a_site_of_other_games_alone_has_no_version(tmp_path: Path) -> None:
    marker = {"instance_set": None, "prompts": None, "benchmark": None}
    with pytest.raises(InputError, match="shows no run of reconstruction"):
        make_released_version(marker, "2026.1")
    with pytest.raises(InputError, match="shows no run of reconstruction"):
        freeze_site(tmp_path / "site", tmp_path / "out", marker, [NEW])


def test_versions_never_mix(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    freeze_site(tmp_path / "site", archive / "one", make_site(tmp_path / "site", OLD), [OLD])
    same = Version(OLD.instance_set, OLD.prompts, OLD)
    assert read_archive(archive, same) == ()
    imposter = OLD.model_copy(update={"instance_set": "c" * 64})
    with pytest.raises(InputError, match=r"version 2026\.1 differs from the site's own"):
        read_archive(archive, Version(imposter.instance_set, imposter.prompts, imposter))
    board = archive / "one" / "leaderboard.json"
    board.write_text(board.read_text().replace("a" * 64, "c" * 64))
    with pytest.raises(InputError, match="of another instance set"):
        read_archive(archive, Version(NEW.instance_set, NEW.prompts, NEW))
