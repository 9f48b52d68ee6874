"""Difficulty is checked, not declared: hard targets measure more than easy ones, whoever names them so."""

import pytest

from ircore.core.records import Difficulty
from ircore.games.reconstruction.build_targets import BUILDERS, SeededPlace, draw
from ircore.instances.measures import Measures, mean, measure

TARGETS = 16
WITHOUT_TEXT = ("simple_shapes",)


def measured(category: str, difficulty: Difficulty) -> list[Measures]:
    places = [SeededPlace(category, difficulty, index) for index in range(1, TARGETS + 1)]
    targets = [draw(category, difficulty, place.seed(2026), edition=2) for place in places]
    return [measure(target.drawing.pixels, target.scene) for target in targets]


@pytest.mark.slow
@pytest.mark.parametrize("category", BUILDERS)
def test_hard_targets_have_more_elements_edges_and_text_than_easy_targets(category: str) -> None:
    easy, hard = measured(category, "easy"), measured(category, "hard")
    for name in ("elements", "edge_density", "text_density"):
        less, more = (mean(getattr(target, name) for target in targets) for targets in (easy, hard))
        assert less is not None
        assert more is not None
        if name == "text_density" and category in WITHOUT_TEXT:
            assert less == more == 0
        else:
            assert more > 1.03 * less, name


@pytest.mark.slow
def test_the_first_edition_draws_what_it_always_drew() -> None:
    """A hard graph of the second edition differs from the first edition's, an easy one does not."""
    for category in BUILDERS:
        for difficulty in ("easy", "hard"):
            first, second = draw(category, difficulty, 5).scene, draw(category, difficulty, 5, edition=2).scene
            assert (first == second) == ((category, difficulty) != ("functions", "hard"))
