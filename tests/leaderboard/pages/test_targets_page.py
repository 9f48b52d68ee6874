"""Targets counted from scenes that are known, and the page that shows them."""

from dataclasses import replace

import pytest
from pages import parse_page
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns
from target_instances import with_scene

from ircore.core.records import Box, Element, Scene
from ircore.results.model import Results
from ircore.results.tables.targets import targets_table
from ircore.runs.folder import RunFolder
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.targets import targets_page
from leaderboard.rendering.render import Renderer

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


@pytest.mark.slow
def test_what_is_drawn_is_counted_but_not_the_ground(run: RunFolder) -> None:
    table = targets_table(with_scenes(Results.from_runs([run])), "simple_shapes", "easy")
    known = {"targets": 2, "elements": 2, "fewest": 1, "most": 3, "texts": 0.5, "smallest": 12, "colours": 1.5}
    assert {key: table.entry(0, key).value for key in known} == known


@pytest.mark.slow
def test_first_messages_are_those_of_the_episodes(run: RunFolder) -> None:
    table = targets_table(Results.from_runs([run]), "simple_shapes", "easy")
    first = [
        episode.turns[0].message_tokens
        for episode in run.episodes()
        if (episode.category, episode.difficulty) == ("simple_shapes", "easy") and episode.turns
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
    read = parse_page(Renderer(site, {}).block(targets_page(site)))
    links = [href for link in read.find("a") if (href := link.attributes.get("href") or "").startswith("gallery/")]
    assert links == [f"gallery/{instance.instance_id}.html" for instance in site.results.instances]
    assert len(read.find("h3")) == 4
