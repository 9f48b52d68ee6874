"""What pages say where something is missing: not played, no result yet, refused, not rated yet, not applicable."""

import json
from pathlib import Path

import pytest
from gap_samples import build_gap_site
from pages import Element, read_page
from samples import sample_instances, sample_run
from site_samples import built_once, named_submission, rate_turns

from ircore.commands.main import run as ircore
from ircore.submissions.seasons import begin_season, reveal_season
from leaderboard.building.site_check import check_site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "gaps-site", build_gap_site)


def page_of(site: Path, name: str) -> Element:
    return read_page(site / f"{name}.html")


def rows_of(site: Path, name: str) -> dict[str, Element]:
    """The rows of a board by pair, in its order."""
    (body,) = page_of(site, name).find("table", class_="board")[0].find("tbody")
    return {row.attributes["id"]: row for row in body.find("tr")}


def cell_of(row: Element, kind: str) -> str:
    (cell,) = row.find("td", class_=kind)
    return " ".join(cell.text.split())


def test_giving_up_the_worst_pictures_does_not_win(site: Path) -> None:
    """``choosy`` is ``honest`` without its three worst pictures: 9.0 of what it played, 67.5 of all."""
    rows = rows_of(site, "boards/index")
    assert list(rows)[:3] == ["honest", "choosy", "plain"]
    means = {key: float(row.find("td", class_="score-column")[0].attributes["data-sort"]) for key, row in rows.items()}
    assert (means["honest"], means["choosy"], means["plain"]) == pytest.approx((80.0, 67.5, 50.0))
    qualities = {key: row.find("td", class_="quality-column")[0].attributes["data-sort"] for key, row in rows.items()}
    assert (float(qualities["honest"]), float(qualities["choosy"])) == pytest.approx((8.0, 9.0))


def test_a_pair_without_a_rank_stands_last_with_reason_and_remedy_and_no_number(site: Path) -> None:
    rows = rows_of(site, "boards/index")
    assert set(list(rows)[3:]) == {"broken", "unseen"}
    for key, reason in (
        ("broken", "incomplete: 3 of 12 episodes have no result yet"),
        ("unseen", "only 8 of 12 renderings are rated, 90 % are needed"),
    ):
        rank = cell_of(rows[key], "rank")
        assert rank == f"– (no rank: {reason})"
        assert rows[key].find("td", class_="rank")[0].attributes["data-sort"] == ""
        assert reason in rows[key].find("span", class_="no-rank")[0].text
    remedies = " ".join(element.text for element in page_of(site, "boards/index").find("p", class_="remedy"))
    assert "ircore play" in remedies
    assert "ircore score" in remedies


def test_refused_not_yet_and_not_applicable_are_told_apart(site: Path) -> None:
    rows = rows_of(site, "boards/index")
    assert cell_of(rows["unseen"], "rated") == "8/12 3 refused 1 not yet"
    assert cell_of(rows["choosy"], "rated") == "9/9"
    # The other judge rates simple shapes alone: six of the twelve pictures.
    others = rows_of(site, "boards/by-shapes-eye/index")
    assert cell_of(others["plain"], "rated") == "6/6 6 n/a"
    words = [
        element.text for element in others["plain"].find("a", class_="heat") if element.attributes["data-sort"] == ""
    ]
    assert words == ["n/a"]
    (targets,) = [
        row for row in page_of(site, "pairs/unseen").find("tr") if row.attributes.get("id") == "simple_shapes-hard"
    ]
    assert [element.text for element in targets.find("span", class_="heat")] == ["×", "×", "…"]


def test_the_front_page_leads_with_the_main_score_and_says_what_is_rated(site: Path) -> None:
    (table,) = page_of(site, "index").find("table", class_="board")
    heads = [" ".join(element.text.split()) for element in table.find("thead")[0].find("th")]
    assert heads[:3] == ["Rank", "Pair", "Main score 0–100"]
    assert heads[4:7] == ["Score 0–10", "Played", "Rated"]
    first, *_, last = table.find("tbody")[0].find("tr")
    assert "80.0 61.8 to 90.7" in first.text
    assert "No rank:" in last.text


def test_the_order_by_quality_says_what_it_leaves_out_without_javascript(site: Path) -> None:
    page = page_of(site, "boards/quality")
    assert list(rows_of(site, "boards/quality"))[:3] == ["choosy", "honest", "plain"]
    (note,) = page.find("p", class_="order-note")
    assert "hidden" not in note.attributes
    assert "3 of 12 episodes of choosy-describer + choosy-generator" in note.text
    assert "count an episode that a pair did not play as 0" in note.text
    (note,) = page_of(site, "boards/index").find("p", class_="order-note")
    assert "hidden" in note.attributes
    assert 'href="../boards/quality.html"' in (site / "boards" / "index.html").read_text()


def test_a_pairs_page_compares_it_with_the_others_in_three_ways(site: Path) -> None:
    table = next(element for element in page_of(site, "pairs/choosy").find("table") if "Told apart" in element.text)
    heads = [" ".join(element.text.split()) for element in table.find("thead")[0].find("th")]
    rows = {row.find("th")[0].text.strip(): row for row in table.find("tbody")[0].find("tr")}
    honest = next(row for name, row in rows.items() if "honest" in name)
    shown = dict(
        zip(heads, [" ".join(element.text.split()) for element in honest.find("th") + honest.find("td")], strict=True)
    )
    # 67.5 less 80; equal where both played; the three that only one played (with 5) were worth 0 to 10.
    assert shown["Main score"].startswith("−12.5 −37.1 to +10.7")
    assert shown["Where both"].startswith("0.00 ±")
    assert shown["n"] == "9"
    assert shown["If all were known"] == "−1.25 to +1.25"
    assert shown["Told apart"] == "no"
    broken = next(row for name, row in rows.items() if "broken" in name)
    assert "the other has no rank" in broken.text


def test_badges_and_feeds_say_why_there_is_no_rank(site: Path) -> None:
    broken = json.loads((site / "badges" / "broken" / "overall.json").read_text())
    assert broken["message"] == "no rank: incomplete: 3 of 12 episodes have no result yet"
    assert broken["color"] == "lightgrey"
    words = {entry["title"]: entry["content_text"] for entry in json.loads((site / "feed.json").read_text())["items"]}
    unseen = words["New pair: unseen-describer + unseen-generator"]
    assert unseen.startswith("12 of 12 episodes played, 8 of 12 rated, 3 refused, 1 not yet; main score 90.0")
    assert "no rank: only 8 of 12 renderings are rated" in unseen


def test_exports_hold_why_and_how_much(site: Path) -> None:
    rows = json.loads((site / "data" / "leaderboard.json").read_text())["rows"]
    overall = [row for row in rows if (row["judge"], row["category"], row["difficulty"]) == ("eye", "all", "all")]
    assert [row["submission"] for row in overall][:3] == ["honest", "choosy", "plain"]
    counts = {
        row["submission"]: [row[key] for key in ("played", "applicable", "rated", "refused", "not_yet")]
        for row in overall
    }
    assert counts["unseen"] == [12, 12, 8, 3, 1]
    reasons = {row["submission"]: (row["rank_low"], row["unranked"]) for row in overall}
    assert reasons["broken"] == (None, "incomplete")
    assert reasons["unseen"] == (None, "underrated")


def test_an_interval_cut_off_by_its_scale_or_wide_by_gaps_shows_its_ends_on_every_page(site: Path) -> None:
    """``unseen`` has 8 of 12 rated: its interval reaches much farther down, and ± would reach beyond the scale."""
    shown = cell_of(rows_of(site, "boards/index")["unseen"], "quality-column")
    assert "±" not in shown
    assert " to " in shown
    (cell,) = rows_of(site, "boards/index")["unseen"].find("td", class_="quality-column")
    low, high = (f"{float(cell.attributes[key]):.2f}" for key in ("data-low", "data-high"))
    assert f"{low}to{high}" in page_of(site, "matrix").text.replace(" ", "")


def build(folder: Path) -> None:
    """The painter's ratings are 8.0, 8.1, 8.2, 8.3 in public and 6.0, 6.1, …, 6.7 in secret; the shy pair only plays
    in public."""
    public, secret = sample_instances(folder / "public"), sample_instances(folder / "secret", per_condition=2)
    begin_season("spring", folder / "kept", folder / "spring.json", instance_set=secret.folder)
    reveal_season(folder / "kept", folder / "spring.json")
    painter, shy = named_submission("painter", "seer", "brush"), named_submission("shy", "shy", "brush")
    rate_turns(sample_run(folder / "p", public, painter), 8, by_episode=0.1)
    rate_turns(sample_run(folder / "s", secret, painter), 6, by_episode=0.1)
    rate_turns(sample_run(folder / "shy", public, shy), 5)
    gap = ["maintain", "season", "gap", str(folder / "spring.json"), "--judge", "structural"]
    runs = ["--public", str(folder / "p"), "--public", str(folder / "shy"), "--secret", str(folder / "s")]
    assert ircore([*gap, *runs, "--out", str(folder / "gaps.json")]) == 0
    season_site = ["site", "build", "--runs", str(folder / "p"), str(folder / "shy"), "--out", str(folder / "site")]
    forged = json.loads((folder / "gaps.json").read_text(encoding="utf-8"))
    forged["season"]["identity"] = "0" * 64
    (folder / "forged.json").write_text(json.dumps(forged), encoding="utf-8")
    other = {**forged, "season": json.loads((folder / "spring.json").read_text()), "public": "1" * 64}
    (folder / "other.json").write_text(json.dumps(other), encoding="utf-8")
    for refused in ("missing.json", "forged.json", "other.json"):
        assert ircore([*season_site, "--season", str(folder / refused)]) == 2
    assert not (folder / "site").exists()
    assert ircore([*season_site, "--season", str(folder / "gaps.json")]) == 0


@pytest.fixture(scope="module")
def season_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "season", build)


def test_the_gap_of_each_pair_is_a_column_of_the_board_with_its_interval(season_site: Path) -> None:
    """Main scores are 81.5 in public and 63.5 in secret, so the gap is 18.0; the shy pair has none."""
    board = read_page(season_site / "boards" / "index.html")
    (heading,) = board.find("th", class_="season-gap")
    assert "Public − secret" in heading.text
    painter, shy = board.find("td", class_="season-gap")
    assert "+18.0" in painter.text
    assert "n 4" in painter.text  # four targets allow no interval
    assert "too few" in painter.find("span", class_="value")[0].attributes["title"]
    assert shy.text.strip().startswith("–")
    (words,) = board.find("p", class_="season-words")
    assert "season spring" in words.text


def test_boards_of_a_part_of_the_targets_lack_the_column_and_the_site_is_sound(season_site: Path) -> None:
    findings, _ = check_site(season_site)
    assert not findings
    part = read_page(season_site / "boards" / "all-hard.html")
    assert not part.find("th", class_="season-gap")
    assert not part.find("p", class_="season-words")
