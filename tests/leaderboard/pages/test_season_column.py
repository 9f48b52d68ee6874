"""A site that is given the gaps to a revealed season has them as a column of that judge's board, with the proof."""

import json
from pathlib import Path

import pytest
from pages import read_page
from samples import sample_instances, sample_run
from site_samples import built_once, named_submission, rate_turns

from ircore.commands.main import run as ircore
from ircore.submissions.seasons import begin_season, reveal_season
from leaderboard.building.site_check import check_site


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
    site = ["site", "build", "--runs", str(folder / "p"), str(folder / "shy"), "--out", str(folder / "site")]
    forged = json.loads((folder / "gaps.json").read_text(encoding="utf-8"))
    forged["season"]["identity"] = "0" * 64
    (folder / "forged.json").write_text(json.dumps(forged), encoding="utf-8")
    other = {**forged, "season": json.loads((folder / "spring.json").read_text()), "public": "1" * 64}
    (folder / "other.json").write_text(json.dumps(other), encoding="utf-8")
    for refused in ("missing.json", "forged.json", "other.json"):
        assert ircore([*site, "--season", str(folder / refused)]) == 2
    assert not (folder / "site").exists()
    assert ircore([*site, "--season", str(folder / "gaps.json")]) == 0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "season", build)


@pytest.mark.slow
def test_the_gap_of_each_pair_is_a_column_of_the_board_with_its_interval(site: Path) -> None:
    """Main scores are 81.5 in public and 63.5 in secret, so the gap is 18.0; the shy pair has none."""
    board = read_page(site / "boards" / "index.html")
    (heading,) = board.find("th", class_="season-gap")
    assert "Public − secret" in heading.text
    painter, shy = board.find("td", class_="season-gap")
    assert "+18.0" in painter.text
    assert "too few" in painter.text  # four targets allow no interval
    assert shy.text.strip().startswith("–")
    (words,) = board.find("p", class_="season-words")
    assert "season spring" in words.text


@pytest.mark.slow
def test_boards_of_a_part_of_the_targets_lack_the_column_and_the_site_is_sound(site: Path) -> None:
    findings, _ = check_site(site)
    assert not findings
    part = read_page(site / "boards" / "all-hard.html")
    assert not part.find("th", class_="season-gap")
    assert not part.find("p", class_="season-words")
