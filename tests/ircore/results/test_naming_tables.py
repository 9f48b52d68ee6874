"""Tables of people's names for pictures: the hardest to name first, means by set, the paper's figures."""

import pytest

from ircore.games.reference.language.annotations import PIECES, Annotation
from ircore.results.tables.naming import naming_means_table, naming_table

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
