"""Whose fault: the same words drawn by several generators, one generator with the words of several describers."""

from pathlib import Path

import pytest
from samples import sample_instances, sample_run
from site_samples import built_once, named_submission, rate_turns
from visits import Visit

from leaderboard.building.site_build import build_site
from leaderboard.gallery.fragments import ranked_pairs
from leaderboard.gallery.same_words import Fault, Spread, same_words, whose_fault
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
    fault = whose_fault(site, gallery, pairs, [group])
    assert fault is not None
    assert (fault.drawing.best, fault.drawing.worst) == (("painter", 8.0), ("sketcher", 3.0))
    assert fault.words == Spread("painter", ("seer", 8.0), ("poet", 6.5))
    assert fault.verdict == "More went with the drawing."


@pytest.mark.slow
def test_with_one_generator_there_is_no_fault_to_share_out(tmp_path: Path) -> None:
    site = Site(read_runs(play(tmp_path)[:1]))
    pairs, gallery = ranked_pairs(site), site.galleries["simple_shapes-easy-01"]
    assert same_words(site, gallery, pairs) == []
    assert whose_fault(site, gallery, pairs, []) is None
    assert Fault(Spread("a", ("x", 2.0), ("y", 1.0)), None).verdict == ""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "words-site", lambda folder: build_site(play(folder), folder / "site"))


def test_a_slider_goes_through_the_drawings_and_a_sentence_shares_out_the_fault(visit: Visit) -> None:
    page = visit.open("gallery/simple_shapes-easy-01.html")
    said = page.locator(".fault").inner_text()
    assert "5.0 points went with the drawing" in said
    assert "1.5 points went with the words" in said
    page.locator("[data-restored]").wait_for()
    page.locator(".same-words > summary").click()
    slider = page.get_by_role("slider", name="Generator")
    slider.wait_for()
    first = page.locator(".words-pictures .pair-generator").inner_text()
    slider.press("End")
    assert page.locator(".words-pictures .pair-generator").inner_text() != first
    assert page.locator(".words-pictures .badge").inner_text() == "3.0"


def test_the_difference_stands_beside_target_and_rendering_at_one_size(visit: Visit) -> None:
    page = visit.open("gallery/simple_shapes-easy-01.html?compare=difference&open=zoom#seer-painter~1")
    page.locator("dialog.zoom[open] .zoom-difference .compare-overlay").wait_for()
    boxes = [image.bounding_box() for image in page.locator(".zoom-pictures figure > span > img:first-child").all()]
    assert len({(round(box["width"]), round(box["height"])) for box in boxes if box}) == 1
    assert len(boxes) == 3
    assert page.locator(".zoom-right .compare-overlay").count() == 0
