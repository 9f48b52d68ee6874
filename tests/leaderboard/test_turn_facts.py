"""Facts by turn on episode pages, and the parts of verified as columns of its boards."""

from pathlib import Path

import pytest
from charts import BLUE, RED, bars, chart_instances, instance_of
from samples import sample_run
from site_samples import built_once
from visits import Visit

from ircore.core.episode_records import Episode, Rendering, Turn
from ircore.core.fact_records import PARTS, RenderingFacts
from ircore.core.images import Picture
from ircore.core.records import Scene
from ircore.scorers.computed import ScoringPlan, score_runs
from ircore.scorers.verification.score import verify_picture
from ircore.scorers.verification.stored import verdicts_of
from leaderboard.building.site_build import build_site
from leaderboard.components.facts import turn_facts
from leaderboard.model.turn_facts import facts_by_turn


def chart(cats: int, dogs: int) -> tuple[Scene, Picture]:
    instance, data = instance_of(bars({"Cats": cats, "Dogs": dogs}, [RED, BLUE]), "pets", "bar_graph")
    assert instance.scene is not None
    return instance.scene, Picture.from_own_file(data, 200, 200)


def episode_of(*renderings: Picture) -> tuple[Scene, Episode, dict[tuple[str, str], RenderingFacts]]:
    """An episode on the chart with cats 40 and dogs 80, and the facts of its renderings."""
    scene, target = chart(40, 80)
    turns = tuple(
        Turn(
            turn=number,
            action="describe",
            message="…",
            rendering=Rendering(sha256=picture.sha256, width=200, height=200),
        )
        for number, picture in enumerate(renderings, start=1)
    )
    episode = Episode(
        episode_id="pets", instance_id="pets", category="bar_graph", difficulty="easy", outcome="converged", turns=turns
    )
    lines = {}
    for picture in renderings:
        stored = verdicts_of(verify_picture(target, scene, picture))
        fields = {name: getattr(stored, name) for name in type(stored).model_fields}
        lines["pets", picture.sha256] = RenderingFacts(episode_id="pets", rendering=picture.sha256, **fields)
    return scene, episode, lines


@pytest.mark.slow
def test_what_became_right_and_what_broke_is_told_by_part() -> None:
    (_, short_dogs), (_, short_cats) = chart(40, 40), chart(20, 80)
    facts = facts_by_turn(*episode_of(short_dogs, short_cats))
    assert (facts[1].gained, facts[1].lost) == (0, 0)
    told = {group.heading: dict(group.parts) for group in facts[2].groups}
    assert told["Became right"]["value"] == 'The bar for "Dogs" shows the value 80.'
    assert told["Broke"]["value"] == 'The bar for "Cats" shows the value 40.'
    assert told["Wrong in the end"]["value"] == 'The bar for "Cats" shows the value 40.'


def test_a_perfect_rendering_has_nothing_to_tell_and_unknown_facts_show_nothing() -> None:
    scene, episode, lines = episode_of(chart(40, 80)[1])
    (only,) = facts_by_turn(scene, episode, lines).values()
    assert only.held == only.decided
    assert only.groups == ()
    assert facts_by_turn(None, episode, lines) == {}
    assert facts_by_turn(scene, episode, {}) == {}
    assert turn_facts(None) == ""


def build(folder: Path) -> None:
    run = sample_run(folder / "run", chart_instances(folder / "charts"))
    score_runs([run], ScoringPlan(metrics=(), every_turn=True), workers=1)
    build_site([run.path], folder / "site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "turn-facts", build)


@pytest.mark.slow
def test_pages_show_facts_by_turn_and_boards_have_a_column_for_each_part(site: Path) -> None:
    page = (site / "gallery" / "pets.html").read_text(encoding="utf-8")
    assert page.count('<details class="turn-facts">') == 2
    board = (site / "boards" / "index.html").read_text(encoding="utf-8")
    for part in PARTS:
        assert f'data-name="{part.capitalize()}"' in board
    other = (site / "boards" / "by-structural" / "index.html").read_text(encoding="utf-8")
    assert 'data-name="Presence"' not in other


def test_columns_of_parts_are_asked_for_and_the_address_says_so(visit: Visit) -> None:
    page = visit.open("boards/index.html")
    text = page.get_by_role("columnheader", name="Text")
    assert text.count() == 0
    page.get_by_label("facts", exact=True).check()
    assert page.url.endswith("?hide=-")
    text.get_by_role("button").click()
    assert page.url.endswith("?hide=-&by=text&order=descending")
    page.reload()
    assert text.is_visible()
    page.get_by_label("facts", exact=True).uncheck()
    assert "hide" not in page.url
