"""The shipped photographs: few, small, free, and each with its author."""

import io
from importlib.resources import files

import pytest
from PIL import Image

from ircore.games.reconstruction.targets.photos import FOLDER, catalogue, shots
from ircore.instances.measures import edge_density, mean
from ircore.instances.photo_measures import harder_half, measure_photo

FREE = {
    "CC0-1.0", "CC-BY-2.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-2.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0",
}  # fmt: skip


def test_every_photograph_is_small_colour_and_without_metadata() -> None:
    for photo in catalogue():
        data = (FOLDER / photo.file).read_bytes()
        with Image.open(io.BytesIO(data)) as image:
            assert (image.format, image.mode) == ("JPEG", "RGB")
            assert 400 < max(image.size) <= 512
            assert not image.info.keys() & {"exif", "icc_profile", "comment", "xmp", "photoshop"}
        assert len(data) < 100_000


def test_every_photograph_has_a_licence_that_allows_sharing() -> None:
    for photo in catalogue():
        assert photo.licence in FREE or photo.licence.startswith("LicenseRef-public-domain-")
        assert photo.author


@pytest.mark.slow
def test_the_second_edition_has_twenty_photographs_or_more_and_as_many_easy_as_hard_ones() -> None:
    """Its hard ones measure harder: more of their pixels lie on edges."""
    easy, hard = shots("easy", edition=2), shots("hard", edition=2)
    assert len(easy) == len(hard) >= 10
    densities = [mean(edge_density(shot.picture.pixels) for shot in photographs) for photographs in (easy, hard)]
    assert densities[0] is not None
    assert densities[1] is not None
    assert densities[1] > 1.5 * densities[0]


@pytest.mark.slow
def test_hard_is_measured() -> None:
    """Hard photographs of the second edition have more edges, colours, regions, and things that stand out."""
    photographs = [*shots("easy", edition=2), *shots("hard", edition=2)]
    measures = {shot.photo.file: measure_photo(shot.picture.pixels) for shot in photographs}
    assert harder_half(measures) == {shot.photo.file for shot in shots("hard", edition=2)}


def test_the_sources_name_every_file_title_and_author() -> None:
    text = (files("ircore.games.reconstruction.targets") / "photographs" / "SOURCES.md").read_text()
    rows = {line.split("|")[1].strip(" `"): line for line in text.splitlines() if line.startswith("| `")}
    assert rows.keys() == {photo.file for photo in catalogue()}
    for photo in catalogue():
        assert photo.title in rows[photo.file]
        assert photo.author in rows[photo.file]
