"""Facts by turn on episode pages, and the parts of verified as columns of its boards."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from charted_episodes import build_chart_site, chart, episode_of
from invented import invented_results
from site_samples import built_once
from visits import Visit

from ircore import submissions
from ircore.core.score_records import PARTS
from ircore.core.submission_records import TranscriptsReference
from ircore.runs.provenance import GRAVE_RULES, Committed, Flag, make_provenance
from leaderboard.components.episodes import turn_facts
from leaderboard.model.trust import FINDINGS, HERE, LEGEND, MAINTAINERS, RESCORED, find_tier, trust_lines
from leaderboard.model.turn_facts import group_facts_by_turn


@pytest.mark.slow
def test_what_became_right_and_what_broke_is_told_by_part() -> None:
    (_, short_dogs), (_, short_cats) = chart(40, 40), chart(20, 80)
    facts = group_facts_by_turn(*episode_of(short_dogs, short_cats))
    assert (facts[1].gained, facts[1].lost) == (0, 0)
    told = {group.heading: dict(group.parts) for group in facts[2].groups}
    assert told["Became right"]["value"] == 'The bar for "Dogs" shows the value 80.'
    assert told["Broke"]["value"] == 'The bar for "Cats" shows the value 40.'
    assert told["Wrong in the end"]["value"] == 'The bar for "Cats" shows the value 40.'


@pytest.mark.slow
def test_a_perfect_rendering_has_nothing_to_tell_and_unknown_facts_show_nothing() -> None:
    scene, episode, lines = episode_of(chart(40, 80)[1])
    (only,) = group_facts_by_turn(scene, episode, lines).values()
    assert only.held == only.decided
    assert only.groups == ()
    assert group_facts_by_turn(None, episode, lines) == {}
    assert group_facts_by_turn(scene, episode, {}) == {}
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
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("kinds of facts").check()
    shown = page.url
    assert "?hide=" in shown
    assert "facts" not in shown
    text.get_by_role("button").click()
    assert page.url == f"{shown}&by=text&order=descending"
    page.reload()
    assert text.is_visible()
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("kinds of facts").uncheck()
    assert "hide" not in page.url


SOURCE = TranscriptsReference(repo="me/mine", revision="a" * 40, run="pair-12345678")
FLAG = Flag(rule="identical_to_target", where="geometry-easy-01, turn 2", what="the rendering is the target")


@pytest.mark.slow
def test_trust_is_computed(tmp_path: Path) -> None:
    (tmp_path / "submission.yaml").write_text("schema: 1\n")
    item = invented_results(["a"], ["b"]).submissions[0]
    ours = replace(item, provenance=make_provenance(tmp_path / "submission.yaml"))
    theirs = replace(item, provenance=make_provenance(tmp_path / "submission.yaml", SOURCE, (FLAG, FLAG)))
    assert [find_tier(each) for each in (item, ours, theirs)] == [HERE, MAINTAINERS, RESCORED]
    assert [name for name, _ in trust_lines(item)] == ["Trust"]
    assert [name for name, _ in trust_lines(ours)] == ["Trust", "Played by maintainers"]
    lines = dict(trust_lines(theirs))
    assert lines["Transcripts"] == f"me/mine, commit {'a' * 40}, run pair-12345678"
    assert lines["Findings"].startswith(
        "2 × a rendering like a target, pixel by pixel; first: geometry-easy-01, turn 2."
    )


@pytest.mark.slow
def test_a_re_scored_run_says_whether_it_was_committed_to(tmp_path: Path) -> None:
    (tmp_path / "submission.yaml").write_text("schema: 1\n")
    item = invented_results(["a"], ["b"]).submissions[0]
    second = Committed(commitment="e" * 64, when="2026-11-23T10:00:00+00:00", number=2)
    words = [
        dict(trust_lines(replace(item, provenance=make_provenance(tmp_path / "submission.yaml", SOURCE, (), made))))
        for made in (None, second)
    ]
    assert words[0]["Commitment"].startswith("uncommitted: ")
    assert words[1]["Commitment"] == (
        "eeeeeeeeeeee, registered 2026-11-23T10:00:00+00:00, number 2 of these players; "
        "begun later, by the submitter's word"
    )


def test_the_legend_names_every_tier() -> None:
    assert {MAINTAINERS, RESCORED, HERE} < set(LEGEND)


def test_every_finding_has_words() -> None:
    sources = "".join(path.read_text() for path in Path(submissions.__file__).parent.rglob("*.py"))
    named = set(re.findall(r'_?[fF]lag\((?:rule=)?"(\w+)"', sources))
    assert len(named) > 10
    assert named <= FINDINGS.keys()
    assert FINDINGS.keys() >= GRAVE_RULES
    assert [rule for rule in FINDINGS if f'"{rule}"' not in sources] == []
