"""Targets counted from scenes that are known, and the page that shows them."""

from dataclasses import replace
from pathlib import Path

import pytest
from pages import parse_page
from PIL import Image
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns
from target_instances import with_scene

from ircore.core.records import Box, Element, Scene
from ircore.games.reconstruction.records import list_rendered_turns, list_turns
from ircore.results.model import Results
from ircore.results.tables.targets import targets_table
from ircore.runs.folder import RunFolder
from leaderboard.building.finish import Tree
from leaderboard.building.writing import write_strips
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.overview import build_front_page
from leaderboard.pages.selections import strip_episodes, strip_path
from leaderboard.pages.targets import build_targets_page
from leaderboard.rendering.render import Renderer
from leaderboard.storage.build_cache import BuildCache

pytestmark = pytest.mark.slow


BOX = Box(10, 10, 20, 20)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = tmp_path_factory.mktemp("run")
    instances = sample_instances(folder / "instances", per_condition=2)
    return rate_turns(sample_run(folder / "run", instances, named_submission("one", "seer", "painter")), 5, 0.1, 1)


def with_scenes(results: Results) -> Results:
    """Give the easy shapes a scene: a ground, a red square twice and, in the second, a text of 12 px."""
    square = Element(type="square", colour="#ff0000", box=BOX)
    ground = Element(type="background", colour="#eeeeee", box=BOX)
    text = Element(type="label", text="A", colour="#000000", box=BOX, parameters={"size": 12.0})
    scenes = iter(((ground, square), (ground, square, square, text)))
    return replace(
        results,
        instances=tuple(
            with_scene(instance, Scene(width=96, height=96, elements=next(scenes)))
            if (instance.category, instance.difficulty) == ("simple_shapes", "easy")
            else instance
            for instance in results.instances
        ),
    )


def test_what_is_drawn_is_counted_but_not_the_ground(run: RunFolder) -> None:
    table = targets_table(with_scenes(Results.from_runs([run])), "simple_shapes", "easy")
    known = {"targets": 2, "elements": 2, "fewest": 1, "most": 3, "texts": 0.5, "smallest": 12, "colours": 1.5}
    assert {key: table.entry(0, key).value for key in known} == known


def test_first_messages_are_those_of_the_episodes(run: RunFolder) -> None:
    table = targets_table(Results.from_runs([run]), "simple_shapes", "easy")
    first = [
        list_turns(episode)[0].message_tokens
        for episode in run.episodes()
        if (episode.category, episode.difficulty) == ("simple_shapes", "easy") and list_turns(episode)
    ]
    tokens = table.entry(0, "tokens")
    assert tokens.value == pytest.approx(sum(first) / len(first))
    assert tokens.n == len(first)


def test_without_a_scene_it_says_so(run: RunFolder) -> None:
    table = targets_table(Results.from_runs([run]))
    assert len(table.rows) == 4
    assert {value.missing for value in table.column("elements")} == {"a photograph has no scene"}


def test_the_page_has_a_sheet_of_every_condition(run: RunFolder) -> None:
    site = Site(read_runs([run.path]))
    read = parse_page(Renderer(site, {}).block(build_targets_page(site)))
    links = [href for link in read.find("a") if (href := link.attributes.get("href") or "").startswith("gallery/")]
    assert links == [f"gallery/{instance.instance_id}.html" for instance in site.results.instances]
    assert len(read.find("h3")) == 4


def site_of(run: RunFolder, out: Path, earlier: Path | None = None) -> Site:
    cache = BuildCache(out, earlier)
    site = Site(read_runs([run.path], cache))
    site.cache = cache
    return site


def test_a_strip_has_two_frames_a_turn_and_there_are_at_most_six(run: RunFolder, tmp_path: Path) -> None:
    tree = Tree(tmp_path / "work")
    site = site_of(run, tree.files)
    write_strips(site, tree)
    chosen = strip_episodes(site)
    assert 1 <= len(chosen) <= 6
    front = build_front_page(site).complete().values["strip"]
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
            assert 2 <= getattr(picture, "n_frames", 1) <= 2 * len(list_rendered_turns(episode.result.episode))


def test_the_next_build_takes_strips_over(run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Tree(tmp_path / "first")
    write_strips(site_of(run, first.files), first)
    monkeypatch.setattr("leaderboard.building.writing.animate", None)  # would fail if it were called
    second = Tree(tmp_path / "second")
    site = site_of(run, second.files, first.files)
    write_strips(site, second)
    for episode in strip_episodes(site):
        path = strip_path(episode)
        assert (second.files / path).read_bytes() == (first.files / path).read_bytes()
