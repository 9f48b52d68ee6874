"""Animated turn strips of the episodes that a site shows as examples."""

from pathlib import Path

import pytest
from PIL import Image
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns

from leaderboard.building.tree import Tree
from leaderboard.building.writing import write_strips
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.overview import front_page
from leaderboard.pages.turn_strips import strip_episodes, strip_path
from leaderboard.storage.build_cache import BuildCache

pytestmark = pytest.mark.slow


def site_of(folder: Path, out: Path, earlier: Path | None = None) -> Site:
    """A site of one pair that gains a point a turn on eight targets."""
    if not (folder / "a-x").is_dir():
        instances = sample_instances(folder / "instances", per_condition=2)
        run = sample_run(folder / "a-x", instances, named_submission("a-x", "seer", "painter"))
        rate_turns(run, 5.0, by_episode=0.1, by_turn=1)
    cache = BuildCache(out, earlier)
    site = Site(read_runs([folder / "a-x"], cache))
    site.cache = cache
    return site


def test_a_strip_has_two_frames_a_turn_and_there_are_at_most_six(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "work")
    site = site_of(tmp_path, tree.files)
    write_strips(site, tree)
    chosen = strip_episodes(site)
    assert 1 <= len(chosen) <= 6
    front = front_page(site).complete().values["strip"]
    assert (tree.files / front["animation"]).is_file()
    assert {path.name for path in (tree.files / "strips").iterdir()} == {
        Path(strip_path(episode)).name for episode in chosen
    }
    for episode in chosen:
        file = tree.files / strip_path(episode)
        assert file.stat().st_size < 600_000
        with Image.open(file) as picture:
            assert picture.format == "WEBP"
            # A frame is left out only where it repeats the one before.
            assert 2 <= getattr(picture, "n_frames", 1) <= 2 * len(episode.result.episode.rendered_turns)


def test_the_next_build_takes_strips_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Tree(tmp_path / "first")
    write_strips(site_of(tmp_path, first.files), first)
    monkeypatch.setattr("leaderboard.building.writing.animate", None)  # would fail if it were called
    second = Tree(tmp_path / "second")
    site = site_of(tmp_path, second.files, first.files)
    write_strips(site, second)
    for episode in strip_episodes(site):
        path = strip_path(episode)
        assert (second.files / path).read_bytes() == (first.files / path).read_bytes()
