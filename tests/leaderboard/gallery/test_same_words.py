"""Whose fault: the same words drawn by several generators, one generator with the words of several describers."""

from dataclasses import replace
from pathlib import Path

import pytest
from invented import InventedRun, invented_run, invented_set
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns

from leaderboard.gallery.fragments import ranked_pairs
from leaderboard.gallery.same_words import Exchange, Faults, same_words
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs

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
    pairs, gallery = ranked_pairs(site), site.galleries["simple_shapes-easy-01"]
    (group,) = same_words(site, gallery, pairs)
    assert {pair.key for pair in group.pairs} == {"seer-painter", "seer-sketcher", "poet-painter"}
    assert group.turns >= 1
    faults = {pair.key: Faults(site, pairs).of(pair, gallery) for pair in pairs}
    assert all(faults.values())
    best, poor = faults["seer-painter"], faults["seer-sketcher"]
    assert best is not None and poor is not None  # noqa: PT018 - as above
    assert (best.first, best.drawing, best.words) == (8.0, Exchange(5.0, 1), Exchange(1.5, 1))
    # Nobody else described for the sketcher.
    assert (poor.drawing, poor.words, poor.verdict) == (Exchange(5.0, 1), None, "")
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
    pairs = ranked_pairs(site)
    chosen = next(pair for pair in pairs if pair.key == "seer-0-painter")
    return [Faults(site, pairs).sentence(chosen, gallery) for gallery in site.galleries.values()]


@pytest.mark.slow
def test_many_describers_by_chance_do_not_outweigh_two_generators() -> None:
    # Twenty describers and two generators that are all alike: the range over twenty is larger on nearly every picture.
    said = verdicts(drawing_the_same(5.0, 5.0, 20))
    assert len(said) == 12
    assert all("(mean of 19)" in sentence and "(mean of 1)" in sentence for sentence in said)
    assert all("Over the 12 targets that all of these pairs drew, the two cannot be told apart" in s for s in said)


@pytest.mark.slow
def test_a_describer_unlike_the_others_is_told_from_the_drawing() -> None:
    assert all("more hangs on the words: drawing less words −" in said for said in verdicts(drawing_the_same(8, 3, 4)))


@pytest.mark.slow
def test_with_one_generator_there_is_no_fault_to_share_out(tmp_path: Path) -> None:
    site = Site(read_runs(play(tmp_path)[:1]))
    pairs, gallery = ranked_pairs(site), site.galleries["simple_shapes-easy-01"]
    assert same_words(site, gallery, pairs) == []
    assert Faults(site, pairs).sentence(pairs[0], gallery) == ""
