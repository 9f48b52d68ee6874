"""Tables of people's names for pictures: the hardest to name first, means by set, the paper's figures."""

import pytest

from ircore.games.reference.language.annotations import PIECES, Annotation
from ircore.results.tables.naming import difficulty_of, naming_means_table, naming_table, published_naming_table

BODY = dict.fromkeys(PIECES, "body")


def named(*wholes: str, part: dict[str, str] | None = None) -> list[Annotation]:
    return [Annotation(whole=whole, part=part or {}) for whole in wholes]


NAMES = {
    "dog": named("a dog", "the dog", "dog", part=BODY),  # all alike: 0
    "blob": named("cat", "boat", "tree", part=BODY),  # nothing shared: 1
    # dog: shared with one of two others, ½; cat and its tail: 1 each; so (½ + ½ + 1) / 3.
    "half": named("dog", "dog", "cat tail"),
    "alone": named("fish"),
}


@pytest.mark.slow
def test_the_hardest_to_name_stands_first_and_a_picture_that_cannot_be_measured_last() -> None:
    table = naming_table("ours", NAMES)
    assert [cell.value for cell in table.column("picture")] == ["blob", "half", "dog", "alone"]
    assert [cell.value for cell in table.column("snd")] == [1, pytest.approx(2 / 3), 0, None]
    assert [cell.value for cell in table.column("difficulty")] == ["hard", "easy", "easy", None]


def test_what_is_missing_says_why() -> None:
    table = naming_table("ours", NAMES)
    assert [cell.missing for cell in table.column("pnd")] == [
        None,
        "not everybody named the pieces",
        None,
        "fewer than two names",
    ]


def test_means_and_the_populations_deviation_are_over_pictures_with_a_value() -> None:
    means = naming_means_table({"ours": naming_table("ours", {name: NAMES[name] for name in ("dog", "blob", "alone")})})
    ((name, pictures, snd, snd_sd, *_, psa, psa_sd),) = means.rows
    assert (name.value, pictures.value, snd.value, snd_sd.value) == ("ours", 3, 0.5, 0.5)
    assert (psa.value, psa_sd.value) == (7, 0)  # all seven pieces are one part for everybody


@pytest.mark.parametrize(
    ("snd", "difficulty"), [(0.0, "easy"), (0.7999, "easy"), (0.80, "between"), (0.95, "between"), (0.9501, "hard")]
)
def test_cuts_of_difficulty_are_those_of_the_import(snd: float, difficulty: str) -> None:
    assert difficulty_of(snd) == difficulty


def test_the_papers_figures_are_those_of_its_second_table() -> None:
    table = published_naming_table()
    assert table.origin == "reported by the paper"
    rows = {row[0].value: [cell.value for cell in row[1:-1]] for row in table.rows}
    assert rows["FULL, 1,016 tangrams"] == [0.91, 0.11, 0.76, 0.19, 5.30, 0.62]
    assert rows["DENSE, 74 tangrams"] == [0.93, 0.06, 0.79, 0.15, 5.09, 0.53]
    assert rows["DENSE10, 74 tangrams"] == [0.90, 0.15, 0.73, 0.20, 5.34, 0.77]
    assert {row[-1].value for row in table.rows} == {"https://arxiv.org/abs/2211.16492"}
