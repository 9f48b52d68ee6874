"""What the gallery is made of: marked messages, alt texts, selections, shards."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from invented import InventedRun, invented_run, invented_set
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns
from target_instances import target_instance

from ircore.core.records import Box, Element, Instance, Scene
from ircore.results.corrections import find_corrections
from ircore.results.episodes import JudgedEpisode
from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.gallery import fragments
from leaderboard.gallery.fragments import (
    Fragments,
    build_episode_json,
    list_ranked_pairs,
    select_extreme_episodes,
    view_episode,
)
from leaderboard.gallery.same_words import BlameShares, PlayerExchange, group_same_words
from leaderboard.model.alt_texts import colour_name, describe_target_picture
from leaderboard.model.messages import Segment, mark_message
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.selections import Chosen, choose_example_episode, choose_selections


def test_words_that_correct_are_cut_out_of_the_message() -> None:
    marked = mark_message("Move it left, larger.", turn=2)
    assert marked.segments == (
        Segment("Move", ("position",)), Segment(" it ", ()), Segment("left", ("position",)), Segment(", ", ()),
        Segment("larger", ("size",)), Segment(".", ()),
    )  # fmt: skip
    assert marked.corrections == ("position", "size")


@pytest.mark.parametrize(
    "message",
    [
        "",
        "nothing to see",
        "The bar should be #ff0000 instead of #00ff00, 20% wider than the second one; labels are correct now.",
        "left " * 3,
        "\u202eevil\x00 <b>left</b>\r\nright",
    ],
)
def test_pieces_put_together_are_the_message(message: str) -> None:
    marked = mark_message(message, turn=2)
    assert "".join(segment.text for segment in marked.segments) == message
    assert marked.left_out == 0
    covered = {correction for segment in marked.segments for correction in segment.corrections}
    assert covered == {correction.correction for correction in find_corrections(message)} == set(marked.corrections)


def target(category: str, *elements: Element) -> Instance:
    scene = Scene(width=100, height=100, elements=elements) if elements else None
    return target_instance("one", scene=scene, category=category, source="A lake, by Somebody")


def element(kind: str, colour: str | None = None, text: str | None = None, **parameters: str | float) -> Element:
    return Element(type=kind, colour=colour, text=text, box=Box(0, 0, 9, 9), parameters=parameters)


def test_the_alt_text_of_a_target_says_what_is_drawn_and_written() -> None:
    bars = [element("bar", "#d62728", value=value, category=name) for name, value in (("Dog", 9.0), ("Cat", 11.5))]
    axes = [element("axis"), element("tick_label", text="10"), element("axis_label", text="Count")]
    assert (
        describe_target_picture(target("bar_graph", *bars, *axes))
        == "Bar graph with 2 bars: Dog 9, Cat 11.5; labelled “Count”"
    )
    shapes = [element("square", "#2a9d4a"), element("cross", "#111111"), element("cross", "#ff8fb1")]
    assert (
        describe_target_picture(target("simple_shapes", *shapes))
        == "Simple shapes with 1 square, 2 crosses: green square, black cross, pink cross"
    )
    assert describe_target_picture(target("photos")) == "Photograph, easy: A lake, by Somebody"


@pytest.mark.parametrize(
    ("colour", "name"),
    [
        ("#d62828", "red"), ("#f77f00", "orange"), ("#ffd60a", "yellow"), ("#2a9d4a", "green"), ("#17a2a2", "teal"),
        ("#1d4ed8", "blue"), ("#7b2cbf", "purple"), ("#ff8fb1", "pink"), ("#7f4f24", "brown"), ("#6c757d", "grey"),
        ("#111111", "black"), ("#ffffff", "white"),
    ],
)  # fmt: skip
def test_colours_have_the_names_that_their_palette_gives_them(colour: str, name: str) -> None:
    """The names stand beside the colours in ``ircore/instances/targets/palettes.py``."""
    assert colour_name(colour) == name


def invented_site(pairs: int, per_condition: int = 1) -> Site:
    instances = invented_set(per_condition, ("geometry", "photos"))
    runs = [
        invented_run(instances, f"d{number // 4}", f"g{number % 4}", 2.0 + number * 0.3, 0.6 - number * 0.2)
        for number in range(pairs)
    ]
    for run in runs:
        object.__setattr__(run, "rendering_path", lambda sha256: Path(sha256))
        object.__setattr__(run, "source", run)
    return Site(runs)  # type: ignore[arg-type]


def test_a_change_that_pages_do_not_show_is_no_change() -> None:
    """0.04 and 0.01 both stand as 0.0 on a page, so such an episode neither improved nor regressed."""
    moved = {}
    for first, final in ((0.04, 0.01), (0.2, 0.4), (5.0, 0.7)):
        judged = JudgedEpisode("structural", first, final, final - first, None, None, {})
        moved[first] = Chosen(None, None, None, judged).moved  # type: ignore[arg-type]
    assert moved == {0.04: 0.0, 0.2: 0.2, 5.0: -4.3}


@pytest.mark.slow
def test_selections_are_the_extremes_of_the_sites_judge() -> None:
    site = invented_site(6, per_condition=3)
    judged = [
        (pair.run_id, episode.episode.instance_id, episode.judged[site.judge])
        for pair in site.pairs.values()
        for episode in site.results.episodes[pair.run_id]
        if site.judge in episode.judged
    ]
    by_name = {selection.name: selection.chosen for selection in choose_selections(site, each=3)}
    assert by_name.keys() == {"best", "improved", "regressed", "worst"}
    finals = [item.final for _, _, item in judged if item.final is not None]
    deltas = [item.delta for _, _, item in judged if item.delta is not None]
    assert by_name["best"][0].judged.final == max(finals)
    assert by_name["worst"][0].judged.final == min(finals)
    assert by_name["improved"][0].judged.delta == max(deltas)
    assert by_name["regressed"][0].judged.delta == min(deltas)
    for chosen in by_name.values():
        assert len({pick.gallery.instance.instance_id for pick in chosen}) == len(chosen) == 3


@pytest.mark.slow
def test_the_telling_episode_comes_close_after_several_turns() -> None:
    chosen = choose_example_episode(invented_site(6, per_condition=3))
    assert chosen is not None
    assert (chosen.judged.final or 0) >= 6
    assert (chosen.judged.delta or 0) > 0
    assert len(chosen.judged.trajectory) >= 3


@pytest.mark.slow
def test_every_pair_is_in_the_page_or_in_one_shard() -> None:
    site = invented_site(30)
    files = dict(fragments.build_gallery_shards(site, Fragments(site)))
    index = json.loads(files.pop("data/gallery/pairs.json"))
    extremes = json.loads(files.pop("data/gallery/extremes.json"))
    order = [item["key"] for item in index["pairs"]]
    assert order == [pair.key for pair in list_ranked_pairs(site)]
    of_pairs = {name: files.pop(name) for name in list(files) if name.startswith("data/gallery/pairs/")}
    assert of_pairs.keys() == {f"data/gallery/pairs/{key}.json" for key in order}
    assert {episode[0] for episodes in extremes.values() for episode in episodes} <= set(order)
    assert all(json.loads(text).keys() == site.galleries.keys() for text in of_pairs.values())
    assert len(files) == 2 * len(site.galleries)
    for instance_id in site.galleries:
        kept = [json.loads(files[f"data/gallery/{instance_id}/{number}.json"]) for number in (0, 1)]
        assert [pair["pair"] for shard in kept for pair in shard] == order[index["first"] :]
        assert [len(shard) for shard in kept] == [20, 4]


@pytest.mark.slow
def test_a_shard_holds_what_the_page_shows(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    score_runs([run], ScoringPlan(("structural",), (), every_turn=True))
    site = Site(read_runs([run.path]))
    (pair,) = site.pairs.values()
    view = view_episode(site, pair, site.galleries["simple_shapes-easy-01"])
    made = build_episode_json(view)
    assert (made["ended"], made["why"]) == ("Converged", "the describer was satisfied")
    first, second = made["turns"]
    assert (first["turn"], second["turn"]) == (1, 2)
    assert first["notes"] == ["drawn as a block"]
    assert first["picture"][2:] == [96, 96]
    described, corrected = first["message"], second["message"]
    assert "".join(described["text"]).startswith("left 21 colour #")
    assert described["fired"] == [], "turn 1 corrects nothing"
    assert "".join(row if isinstance(row, str) else row[0] for row in corrected["text"]).startswith("left 11 colour #")
    assert corrected["text"][0] == ["left", "position", "position"]
    assert ["position", "position"] in corrected["fired"]


FIRST = {("seer", "painter"): 8.0, ("seer", "sketcher"): 3.0, ("poet", "painter"): 6.5}
"""First scores; every describer of these samples writes the same words."""


def play(folder: Path) -> list[Path]:
    instances = sample_instances(folder / "instances")
    return [
        rate_turns(sample_run(folder / slug, instances, named_submission(slug, *players)), first, 0, 1).path
        for players, first in FIRST.items()
        for slug in ["-".join(players)]
    ]


@pytest.mark.slow
def test_the_drawing_is_what_differs_with_the_same_words_and_the_words_with_the_same_generator(tmp_path: Path) -> None:
    site = Site(read_runs(play(tmp_path)))
    pairs, gallery = list_ranked_pairs(site), site.galleries["simple_shapes-easy-01"]
    (group,) = group_same_words(site, gallery, pairs)
    assert {pair.key for pair in group.pairs} == {"seer-painter", "seer-sketcher", "poet-painter"}
    assert group.turns >= 1
    faults = {pair.key: BlameShares(site, pairs).of(pair, gallery) for pair in pairs}
    assert all(faults.values())
    best, poor = faults["seer-painter"], faults["seer-sketcher"]
    assert best is not None and poor is not None  # noqa: PT018 - as above
    assert (best.first, best.drawing, best.words) == (8.0, PlayerExchange(5.0, -5.0, 1), PlayerExchange(1.5, -1.5, 1))
    # Nobody else described for the sketcher.
    assert (poor.drawing, poor.words, poor.verdict) == (PlayerExchange(5.0, 5.0, 1), None, "")
    assert best.verdict == "The pairs share too few targets to say on which of the two more hangs."


def drawing_the_same(skill: float, other: float, describers: int) -> list[InventedRun]:
    """Runs in which scores are chance around ``skill``, and of all but the first describer around ``other``."""
    instances = invented_set(6, ("geometry",))
    return [
        replace(
            run, played=tuple(e.model_copy(update={"outcome": "turn_limit", "abort_reason": None}) for e in run.played)
        )
        for number in range(describers)
        for generator in ("painter", "sketcher")
        for run in [invented_run(instances, f"seer-{number}", generator, skill if not number else other, 0.0)]
    ]


def verdicts(runs: list[InventedRun]) -> list[str]:
    site = Site(runs)  # type: ignore[arg-type]
    pairs = list_ranked_pairs(site)
    chosen = next(pair for pair in pairs if pair.key == "seer-0-painter")
    return [BlameShares(site, pairs).sentence(chosen, gallery) for gallery in site.galleries.values()]


@pytest.mark.slow
def test_many_describers_by_chance_do_not_outweigh_two_generators() -> None:
    # Twenty describers and two generators that are all alike: the range over twenty is larger on nearly every picture.
    said = verdicts(drawing_the_same(5.0, 5.0, 20))
    assert len(said) == 12
    assert all(
        "a mean over 19 others." in sentence and re.search("points (higher|lower|higher or lower)[.] ", sentence)
        for sentence in said
    )
    assert all("Over the 12 targets that all of these pairs drew, the two cannot be told apart" in s for s in said)


@pytest.mark.slow
def test_a_describer_unlike_the_others_is_told_from_the_drawing() -> None:
    assert all(
        "more hangs on the words (a change of generator less a change of describer: −" in said
        for said in verdicts(drawing_the_same(8, 3, 4))
    )


@pytest.mark.slow
def test_with_one_generator_there_is_no_fault_to_share_out(tmp_path: Path) -> None:
    site = Site(read_runs(play(tmp_path)[:1]))
    pairs, gallery = list_ranked_pairs(site), site.galleries["simple_shapes-easy-01"]
    assert group_same_words(site, gallery, pairs) == []
    assert BlameShares(site, pairs).sentence(pairs[0], gallery) == ""


FIRST_SHOWN, LAST_SHOWN = ["first.webp", 64, 64, 1], ["last.webp", 64, 64, 2]


def ended(outcome: str, first: float | None, final: float | None) -> list[Any]:
    return [outcome, "improved", final, first, None, LAST_SHOWN, FIRST_SHOWN]


def test_of_episodes_that_ended_alike_the_extremes_alone_stay() -> None:
    outcomes = {
        "best": {"bars": ended("converged", 8.0, 9.0)}, "middle": {"bars": ended("converged", 4.0, 6.0)},
        "gained": {"bars": ended("converged", 1.0, 7.0)}, "lost": {"bars": ended("converged", 8.0, 5.0)},
        "worst": {"bars": ended("converged", 2.0, 3.0)}, "late": {"bars": ended("turn_limit", 4.0, 6.0)},
        "unrated": {"bars": ended("aborted", None, None)},
    }  # fmt: skip
    (episodes,) = select_extreme_episodes(outcomes).values()
    assert {episode[0] for episode in episodes} == {"best", "gained", "lost", "worst", "late"}
    assert ["late", *outcomes["late"]["bars"]] in episodes


def test_a_single_rendering_is_no_change() -> None:
    outcomes = {"once": {"bars": ["converged", "no_refinement", 7.0, 7.0, None, LAST_SHOWN, None]}}
    assert select_extreme_episodes(outcomes) == {"bars": [["once", *outcomes["once"]["bars"]]]}
