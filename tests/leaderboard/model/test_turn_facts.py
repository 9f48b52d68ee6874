"""Facts by turn on episode pages, and the parts of verified as columns of its boards."""

from pathlib import Path

import pytest
from charted_episodes import build_chart_site, chart, episode_of
from site_samples import built_once
from visits import Visit

from ircore.core.fact_records import PARTS
from leaderboard.components.fact_list import turn_facts
from leaderboard.model.turn_facts import facts_by_turn


@pytest.mark.slow
def test_what_became_right_and_what_broke_is_told_by_part() -> None:
    (_, short_dogs), (_, short_cats) = chart(40, 40), chart(20, 80)
    facts = facts_by_turn(*episode_of(short_dogs, short_cats))
    assert (facts[1].gained, facts[1].lost) == (0, 0)
    told = {group.heading: dict(group.parts) for group in facts[2].groups}
    assert told["Became right"]["value"] == 'The bar for "Dogs" shows the value 80.'
    assert told["Broke"]["value"] == 'The bar for "Cats" shows the value 40.'
    assert told["Wrong in the end"]["value"] == 'The bar for "Cats" shows the value 40.'


@pytest.mark.slow
def test_a_perfect_rendering_has_nothing_to_tell_and_unknown_facts_show_nothing() -> None:
    scene, episode, lines = episode_of(chart(40, 80)[1])
    (only,) = facts_by_turn(scene, episode, lines).values()
    assert only.held == only.decided
    assert only.groups == ()
    assert facts_by_turn(None, episode, lines) == {}
    assert facts_by_turn(scene, episode, {}) == {}
    assert turn_facts(None) == ""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "chart-site", build_chart_site)


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
