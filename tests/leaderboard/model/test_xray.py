"""Fates of marks, facts by turn, and results of players that a build takes from the one before."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from charted_episodes import build_chart_site, chart, episode_of
from invented import InventedRun, invented_results, invented_run, invented_set
from site_samples import built_once
from visits import Visit, axe_findings

from ircore import submissions
from ircore.core.records import Box
from ircore.core.score_records import PARTS
from ircore.core.submission_records import TranscriptsReference
from ircore.games.reconstruction.records import list_turns
from ircore.games.registry import load_game
from ircore.results.effects import average_player, estimate_grid_effects, find_player_grid
from ircore.results.model import Results
from ircore.runs.provenance import GRAVE_RULES, Flag, RegisteredCommitment, make_provenance
from leaderboard.components.episodes import build_xray_data, turn_facts
from leaderboard.model.player_ranks import load_player, load_player_effects, rank_players
from leaderboard.model.sentences import LEAST, MarkSubject, find_best_sentences, score_marks, split_sentences
from leaderboard.model.site import Site
from leaderboard.model.trust import FINDINGS, HERE, LEGEND, MAINTAINERS, RESCORED, find_tier, list_trust_lines
from leaderboard.model.xray import build_xrays, draw_scene, group_facts_by_turn
from leaderboard.storage.build_cache import FOLDER, BuildCache

CATS = MarkSubject("bar", ("Cats",), ("#d62728",), Box(20, 80, 60, 160))
GAME = load_game("reconstruction")


def test_a_full_stop_ends_a_sentence_but_not_within_a_number() -> None:
    message = "A bar of 12.5 cm. Move it left!\nKeep the rest."
    assert [span.text for span in split_sentences(message)] == ["A bar of 12.5 cm.", "Move it left!", "Keep the rest."]
    assert all(message[span.start :].startswith(span.text) for span in split_sentences(message))


def clearness(sentence: str, *group: MarkSubject) -> float:
    return score_marks(sentence, group or (CATS,))[0]


def test_a_sentence_speaks_of_a_mark_by_text_place_or_kind_and_not_by_colour_alone() -> None:
    assert clearness("The pets are many.") == 0
    assert clearness("Make it a deeper red.") == 0
    assert clearness("The bar is too tall.") >= LEAST
    assert clearness("Delete the square at (40, 100).") >= LEAST
    assert clearness("Delete the square at (140, 100).") == 0
    message = "There are two bars. The red bar is for Cats. The blue bar is for Dogs."
    (chosen,) = find_best_sentences(message, (CATS,))
    assert chosen is not None
    assert chosen.text == "The red bar is for Cats."


DOGS = MarkSubject("bar", ("Dogs",), ("#1f77b4",), Box(90, 20, 130, 160))
BIRDS = MarkSubject("bar", ("Birds",), ("#1f77b4",), Box(160, 20, 190, 160))


def test_one_bar_of_several_needs_more_than_its_kind_and_a_sentence_on_an_axis_speaks_of_none() -> None:
    bars = (CATS, DOGS, BIRDS)
    assert score_marks("The bar is too tall.", bars) == (0, 0, 0)
    assert score_marks('The y axis is a line and has the labels "Cats", "Dogs".', bars) == (0, 0, 0)
    assert [points > 0 for points in score_marks("The red bar is too tall.", bars)] == [True, False, False]
    assert score_marks("The blue bar is too tall.", bars) == (0, 0, 0), "two bars are blue"
    assert [points > 0 for points in score_marks("Two blue bars on the right.", bars)] == [False, True, True]
    assert [points > 0 for points in score_marks("The blue bar for Birds is too tall.", bars)] == [False, False, True]


def test_a_colour_means_the_nearest_line_and_turquoise_is_a_colour() -> None:
    lines = tuple(MarkSubject("line", (), (colour,), None) for colour in ("#2aa198", "#003f5c", "#2a78b0", "#b388dd"))
    for line, words in enumerate(("turquoise dash-dot", "dark blue dashed", "blue dotted", "soft purple")):
        points = score_marks(f"A {words} polyline near the centre.", lines)
        assert [mark for mark, own in enumerate(points) if own] == [line]


def test_a_text_is_spoken_of_by_its_words_and_not_by_its_colour() -> None:
    labels = tuple(MarkSubject("value_label", (text,), ("#333333",), None) for text in ("6.5", "9.5"))
    assert [points > 0 for points in score_marks('Add texts "9.5", "12.5" in #343434.', labels)] == [False, True]


@pytest.mark.slow
def test_a_mark_has_one_fate_and_a_fault_names_the_facts_that_fail() -> None:
    scene, episode, lines = episode_of(chart(20, 80)[1])
    (xray,) = build_xrays(draw_scene(scene), GAME, episode, lines).values()
    drawn = draw_scene(scene)
    fates = {mark.name: fate for mark, fate in zip(drawn.marks, xray.fates, strict=True)}
    assert fates['the bar for "Cats"'] == "value"
    assert fates['the bar for "Dogs"'] == "right"
    fault = next(fault for fault in xray.faults if fault.name == 'the bar for "Cats"')
    assert fault.facts == ('The bar for "Cats" shows the value 40.',)


@pytest.mark.slow
def test_a_fault_cites_the_sentence_that_broke_it_or_did_not_mend_it() -> None:
    right, short = chart(40, 80)[1], chart(20, 80)[1]
    scene, episode, lines = episode_of(right, short)
    messages = ("A red bar for Cats. A blue bar for Dogs.", "Make the bar for Cats half as tall. Thanks.")
    turns = tuple(
        turn.model_copy(update={"message": text}) for turn, text in zip(list_turns(episode), messages, strict=True)
    )
    told = build_xrays(draw_scene(scene), GAME, episode.with_steps(turns), lines)
    assert told[1].faults == ()
    (fault,) = told[2].faults
    assert fault.cited is not None
    assert (fault.cited.turn, fault.cited.text, fault.cited.link) == (2, "Make the bar for Cats half as tall.", "broke")
    # Browsers count a character beyond the first plane as two.
    cited = replace(fault, cited=replace(fault.cited, start=3, text="a 😀"))
    assert build_xray_data(replace(told[2], faults=(cited,)))["faults"][0][3] == [2, 3, 4, "broke"]
    scene, episode, lines = episode_of(short, short)
    turns = tuple(
        turn.model_copy(update={"message": text}) for turn, text in zip(list_turns(episode), messages, strict=True)
    )
    told = build_xrays(draw_scene(scene), GAME, episode.with_steps(turns), lines)
    assert told[1].faults[0].cited is not None
    assert told[1].faults[0].cited.link == "said"


def test_without_facts_or_scene_there_is_no_x_ray() -> None:
    scene, episode, _ = episode_of(chart(40, 80)[1])
    assert build_xrays(draw_scene(scene), GAME, episode, {}) == {}
    assert build_xrays(None, GAME, episode, {}) == {}


CITED = """() => {
  const turn = document.querySelector(".turn[data-xray]");
  const ray = JSON.parse(turn.dataset.xray);
  ray.faults[0][3] = [1, 0, 4, "said"];
  turn.dataset.xray = JSON.stringify(ray);
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "chart-site", build_chart_site)


def test_the_x_ray_outlines_marks_lists_faults_and_stands_in_the_address(visit: Visit) -> None:
    page = visit.open("gallery/pets.html")
    page.locator("[data-gallery='ready'][data-restored]").wait_for()
    page.keyboard.press("x")
    page.wait_for_url("**?xray=on*")
    first = page.locator(".turn[data-xray]").first
    drawn = json.loads(page.locator("[data-marks]").get_attribute("data-marks") or "")
    ray = json.loads(first.get_attribute("data-xray") or "")
    assert len(ray["fates"]) == len(drawn["marks"])
    assert first.locator("svg.xray text").count() == sum(
        1 for mark, box, *_ in ray["faults"] if (box if mark is None else drawn["marks"][mark][1])
    )
    assert first.locator(".xray-faults > li").count() >= 1
    page.reload()
    page.locator(".with-xray svg.xray").first.wait_for()
    page.keyboard.press("x")
    assert page.locator("svg.xray").count() == 0


def test_keys_work_as_soon_as_the_page_is_open_and_after_a_deep_link(visit: Visit) -> None:
    page = visit.open("gallery/pets.html")
    page.locator("[data-gallery='ready'][data-restored]").wait_for()
    assert "#" not in page.url
    page.keyboard.press("d")
    assert page.locator(".compare-frame[data-mode='difference']").count() == 1
    # As after a click on blank paper, or on a button that goes away.
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("d")
    assert page.locator(".compare-frame[data-mode='difference']").count() == 0
    linked = str(page.locator(".turn[data-xray]").last.get_attribute("id"))
    page.goto("about:blank")
    visit.open(f"gallery/pets.html#{linked}")
    page.locator("[data-gallery='ready'][data-restored]").wait_for()
    page.keyboard.press("z")
    assert page.locator("dialog.zoom[open]").count() == 1


def test_in_the_zoom_every_number_of_the_xray_is_explained_and_leads_to_its_sentence(visit: Visit) -> None:
    page = visit.open("gallery/pets.html")
    page.locator("[data-gallery='ready'][data-restored]").wait_for()
    # The invented describer says nothing of a mark, so the first fault is given its first four letters.
    page.evaluate(CITED)
    page.keyboard.press("x")
    small = page.locator(".turn[data-xray]").first
    listed = small.locator(".xray-faults > li[class]:visible").count()
    assert small.locator("svg.xray text:visible").count() <= listed
    page.keyboard.press("z")
    dialog = page.locator("dialog.zoom[open]")
    numbers = dialog.locator("svg.xray text").all_text_contents()
    assert numbers == [str(number + 1) for number in range(dialog.locator(".zoom-faults > ol > li[class]").count())]
    assert axe_findings(page) == []
    faults, window = dialog.locator(".zoom-faults").bounding_box(), page.viewport_size
    assert faults is not None
    assert window is not None
    assert faults["y"] + faults["height"] <= window["height"]
    assert dialog.locator(".xray-said q").inner_text() == "left"
    dialog.locator(".xray-said").click()
    dialog.wait_for(state="hidden")
    assert page.locator(":focus").inner_text().startswith("left")
    page.locator(".cell-button").first.focus()
    page.keyboard.press("z")
    page.keyboard.press("x")
    assert page.locator(".zoom-faults ol").count() == 0


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
    assert [name for name, _ in list_trust_lines(item)] == ["Trust"]
    assert [name for name, _ in list_trust_lines(ours)] == ["Trust", "Played by maintainers"]
    lines = dict(list_trust_lines(theirs))
    assert lines["Transcripts"] == f"me/mine, commit {'a' * 40}, run pair-12345678"
    assert lines["Findings"].startswith(
        "2 × a rendering like a target, pixel by pixel; first: geometry-easy-01, turn 2."
    )


@pytest.mark.slow
def test_a_re_scored_run_says_whether_it_was_committed_to(tmp_path: Path) -> None:
    (tmp_path / "submission.yaml").write_text("schema: 1\n")
    item = invented_results(["a"], ["b"]).submissions[0]
    second = RegisteredCommitment(commitment="e" * 64, when="2026-11-23T10:00:00+00:00", number=2)
    words = [
        dict(
            list_trust_lines(replace(item, provenance=make_provenance(tmp_path / "submission.yaml", SOURCE, (), made)))
        )
        for made in (None, second)
    ]
    assert words[0]["Commitment"].startswith("uncommitted: ")
    assert words[1]["Commitment"] == (
        "eeeeeeeeeeee, registered 2026-11-23T10:00:00+00:00, number 2 of these players; "
        "begun later, by the submitter's word"
    )


def test_the_legend_names_every_tier() -> None:
    assert {MAINTAINERS, RESCORED, HERE} < set(LEGEND)


@pytest.mark.slow
def test_every_finding_has_words() -> None:
    sources = "".join(path.read_text() for path in Path(submissions.__file__).parent.rglob("*.py"))
    named = set(re.findall(r'_?[fF]lag\((?:rule=)?"(\w+)"', sources))
    assert len(named) > 10
    assert named <= FINDINGS.keys()
    assert FINDINGS.keys() >= GRAVE_RULES
    assert [rule for rule in FINDINGS if f'"{rule}"' not in sources] == []


SET = invented_set(10, ("geometry", "photos"))
JUDGE = "structural"
GRID = {("strong", "x"): 8.0, ("strong", "y"): 6.0, ("weak", "x"): 4.0, ("weak", "y"): 3.0}


def runs_of(levels: dict[tuple[str, str], float]) -> list[InventedRun]:
    return [invented_run(SET, describer, generator, level, 0.3) for (describer, generator), level in levels.items()]


def results_of(levels: dict[tuple[str, str], float]) -> Results:
    return Results.from_runs(runs_of(levels))


def site_of(levels: dict[tuple[str, str], float], folder: Path, earlier: Path | None = None) -> Site:
    runs = runs_of(levels)
    results = Results.from_runs(runs)
    # In place of the hash of a run's records.
    keyed = {run.run.run_id: SimpleNamespace(key=repr(sorted(levels.items())[place])) for place, run in enumerate(runs)}
    parts: dict[str, Any] = {"results": results, "judge": JUDGE, "runs": keyed, "cache": BuildCache(folder, earlier)}
    return cast(Site, SimpleNamespace(**parts))


def entries(folder: Path) -> set[str]:
    return {path.name for path in (folder / FOLDER).rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_new_pair_outside_the_grid_leaves_the_effects_and_the_other_players_as_they_are(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    site = site_of(GRID, before)
    made = load_player_effects(site, site.results, JUDGE, "photos", "hard")
    strong = load_player(site, "describer", "strong")
    grown = site_of({**GRID, ("zealous", "x"): 9.0}, after, before)
    assert load_player_effects(grown, grown.results, JUDGE, "photos", "hard") == made
    assert load_player(grown, "describer", "strong") == strong
    assert entries(after) == entries(before)
    # What is kept is what would be computed.
    assert made == estimate_grid_effects(grown.results, find_player_grid(grown.results), JUDGE, "photos", "hard")
    assert strong == average_player(grown.results, "describer", "strong", JUDGE)


@pytest.mark.slow
def test_a_pair_that_is_scored_anew_or_joins_a_player_changes_what_depends_on_it(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    site = site_of(GRID, before)
    load_player_effects(site, site.results, JUDGE)
    load_player(site, "generator", "x")
    changed = site_of({**GRID, ("weak", "x"): 5.0}, after, before)
    assert load_player_effects(changed, changed.results, JUDGE) == estimate_grid_effects(
        changed.results, find_player_grid(changed.results), JUDGE
    )
    assert load_player(changed, "generator", "x") == average_player(changed.results, "generator", "x", JUDGE)
    assert entries(after).isdisjoint(entries(before))


@pytest.mark.slow
def test_a_players_main_score_is_the_mean_of_its_pairs() -> None:
    results = results_of(GRID)
    mains = {(row.submission.describer, row.submission.generator): row.cell.main.mean for row in results.board(JUDGE)}
    board = rank_players(results, "describer", JUDGE)
    assert [row.submission for row in board.rows] == ["strong", "weak"]
    for row in board.rows:
        expected = [mean for (describer, _), mean in mains.items() if describer == row.submission and mean is not None]
        assert row.cell.main.mean == pytest.approx(sum(expected) / 2)
    assert [(row.rank_low, row.rank_high) for row in board.rows] == [(1, 1), (2, 2)]
    assert board.partners == ("x", "y")


@pytest.mark.slow
def test_generators_are_ranked_by_the_same_rule_under_every_condition() -> None:
    apart = {("strong", "x"): 9.0, ("strong", "y"): 3.0, ("weak", "x"): 8.0, ("weak", "y"): 2.0}
    board = rank_players(results_of(apart), "generator", JUDGE, "geometry", "hard")
    assert [row.submission for row in board.rows] == ["x", "y"]
    assert board.against is not None
    assert board.against.verdict("x", "y") == 1
    assert board.rows[0].cell.main.n == 10


@pytest.mark.slow
def test_a_player_that_lacks_a_partner_has_no_rank_and_does_not_move_the_others() -> None:
    board = rank_players(results_of({**GRID, ("stray", "z"): 9.9}), "describer", JUDGE)
    assert [(row.submission, row.rank_low) for row in board.rows] == [("strong", 1), ("weak", 2), ("stray", None)]
    assert board.rows[-1].cell.unranked_words == "not played with every partner of the full grid"
    alone = rank_players(results_of(GRID), "describer", JUDGE)
    assert board.rows[:2] == alone.rows


@pytest.mark.slow
def test_players_that_share_no_partner_cannot_be_ranked() -> None:
    board = rank_players(results_of({("a", "x"): 5.0, ("b", "y"): 6.0}), "describer", JUDGE)
    assert [row.rank_low for row in board.rows] == [None, None]
    assert "share a partner" in str(board.rows[0].cell.unranked_words)
