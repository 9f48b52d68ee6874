"""Copied pictures: cheats that change a photograph before they hand it in, and pictures made from words alone."""

import io
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from samples import sample_instances, sample_run
from scipy.ndimage import gaussian_filter
from skimage import data
from target_instances import target_instance

from ircore.commands.main import run as ircore
from ircore.core.images import Picture, Pixels, read_picture
from ircore.instances.store import InstanceSet, read_instances, write_instances
from ircore.results.ranking import find_held_runs
from ircore.runs.folder import SMALL_PICTURES, RunFolder
from ircore.runs.provenance import Evidence, Flag, Provenance, write_provenance
from ircore.seeing.descriptors import compute_descriptor, shrink_to_grey
from ircore.submissions.rescoring.copies import CopyComparison, is_photograph
from ircore.submissions.rescoring.picture_index import INDEX, index_of, match
from ircore.submissions.rescoring.rescore import flag_run

pytestmark = pytest.mark.slow

PHOTOGRAPHS = ("coffee", "chelsea")
"""Photographs that come with scikit-image."""


def resized(pixels: Pixels, width: int, height: int) -> Pixels:
    return np.asarray(Image.fromarray(pixels).resize((width, height)))


def photograph(name: str) -> Pixels:
    pixels: Pixels = getattr(data, name)()
    return resized(pixels, 384, 384 * pixels.shape[0] // pixels.shape[1])


def as_jpeg(pixels: Pixels, quality: int) -> Pixels:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))


def inverted_corner(pixels: Pixels) -> Pixels:
    changed = pixels.copy()
    changed[:40, :40] = 255 - changed[:40, :40]
    return changed


def framed(pixels: Pixels, width: int) -> Pixels:
    changed = np.full_like(pixels, 128)
    changed[width:-width, width:-width] = pixels[width:-width, width:-width]
    return changed


def tiled(pixels: Pixels) -> Pixels:
    return np.tile(resized(pixels, pixels.shape[1] // 2, pixels.shape[0] // 2), (2, 2, 1))


def in_a_corner(pixels: Pixels) -> Pixels:
    page = np.full_like(pixels, 200)
    quarter = resized(pixels, pixels.shape[1] // 2, pixels.shape[0] // 2)
    page[: quarter.shape[0], : quarter.shape[1]] = quarter
    return page


def shrunk(pixels: Pixels) -> Pixels:
    inner = resized(pixels, pixels.shape[1] - 48, pixels.shape[0] - 48)
    return np.pad(inner, ((24, 24), (24, 24), (0, 0)), constant_values=99)


def noisy(pixels: Pixels, spread: float) -> Pixels:
    noise = np.random.default_rng(0).normal(0, spread, pixels.shape)
    return np.clip(pixels + noise, 0, 255).astype(np.uint8)


def with_a_bar(pixels: Pixels) -> Pixels:
    changed = pixels.copy()
    changed[pixels.shape[0] // 3 : pixels.shape[0] // 2] = (200, 30, 30)
    return changed


CHEATS: dict[str, Callable[[Pixels], Pixels]] = {
    "six levels brighter": lambda p: np.clip(p.astype(int) + 6, 0, 255).astype(np.uint8),
    "three levels darker": lambda p: np.clip(p.astype(int) - 3, 0, 255).astype(np.uint8),
    "half the contrast": lambda p: (p * 0.5 + 60).astype(np.uint8),
    "inverted": lambda p: 255 - p,
    "inverted corner": inverted_corner,
    "border": lambda p: framed(p, 9),
    "wide border": lambda p: framed(p, 40),
    "cropped": lambda p: resized(p[20:-20, 20:-20], p.shape[1], p.shape[0]),
    "shrunk": shrunk,
    "shifted": lambda p: np.roll(p, (17, 23), (0, 1)),
    "shifted by a pixel": lambda p: np.roll(p, 1, 1),
    "mirrored": lambda p: p[:, ::-1].copy(),
    "upside down": lambda p: p[::-1].copy(),
    "turned": lambda p: np.rot90(p).copy(),
    "turned by three degrees": lambda p: np.asarray(Image.fromarray(p).rotate(3)),
    "tiled": tiled,
    "in a corner": in_a_corner,
    "a quarter enlarged": lambda p: resized(p[: p.shape[0] // 2, : p.shape[1] // 2], p.shape[1], p.shape[0]),
    "saved with losses": lambda p: as_jpeg(p, 10),
    "noise": lambda p: noisy(p, 20),
    "blurred": lambda p: gaussian_filter(p, (2, 2, 0)),
    "other hues": lambda p: p[..., [2, 0, 1]].copy(),
    "grey": lambda p: np.repeat(p.mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8),
    "gamma": lambda p: (255 * (p / 255.0) ** 2.2).astype(np.uint8),
    "few colours": lambda p: (p // 64 * 64 + 32).astype(np.uint8),
    "stretched": lambda p: resized(p, p.shape[1], int(p.shape[0] * 1.06)),
    "half the size": lambda p: resized(p, p.shape[1] // 2, p.shape[0] // 2),
    "a bar across": with_a_bar,
}


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> InstanceSet:
    pictures = {f"photos-easy-{name}": Picture.from_pixels(photograph(name)) for name in PHOTOGRAPHS}
    made = [(target_instance(name, shown, category="photos"), {"target": shown}) for name, shown in pictures.items()]
    return write_instances(tmp_path_factory.mktemp("photographs") / "set", made)


def findings(targets: InstanceSet, drawn: dict[str, Pixels], again: bool = False) -> Iterator[Flag]:
    """Compare one rendering an episode with the targets."""
    pictures = {name: Picture.from_pixels(np.ascontiguousarray(pixels)) for name, pixels in drawn.items()}
    by_hash = {picture.sha256: picture for picture in pictures.values()}
    drawings = {name: {picture.sha256: 1} for name, picture in pictures.items()}
    reproduced = {(name, picture.sha256) for name, picture in pictures.items()} if again else ()
    looks = cache(lambda sha256: compute_descriptor(by_hash[sha256]))
    return CopyComparison("turn", drawings, by_hash.__getitem__, looks, reproduced).with_instances(targets)


@pytest.mark.attack
@pytest.mark.parametrize("name", CHEATS)
def test_a_pasted_photograph_holds_the_run(targets: InstanceSet, name: str) -> None:
    drawn = {f"photos-easy-{target}": CHEATS[name](photograph(target)) for target in PHOTOGRAPHS}
    flags = list(findings(targets, drawn))
    assert [flag for flag in flags if flag.grave]
    assert all(flag.evidence is not None and flag.evidence.instance in drawn for flag in flags)


def from_words(seed: int, target: str) -> Pixels:
    """Draw ellipses on the photograph's mean colour: about what words can carry."""
    pixels, random = photograph(target), np.random.default_rng(seed)
    image = Image.new("RGB", (384, 384), tuple(int(level) for level in pixels.mean(axis=(0, 1))))
    draw = ImageDraw.Draw(image)
    for _ in range(8 + seed % 20):
        left, top, width, height = (int(number) for number in random.integers((0, 0, 10, 10), (300, 300, 160, 160)))
        colour = pixels[min(top, pixels.shape[0] - 1), left]
        draw.ellipse((left, top, left + width, top + height), fill=tuple(int(level) for level in colour))
    return np.asarray(image)


@pytest.mark.parametrize("seed", range(3))
def test_pictures_made_from_words_hold_no_run(targets: InstanceSet, seed: int) -> None:
    drawn = {f"photos-easy-{target}": from_words(seed, target) for target in PHOTOGRAPHS}
    assert not [flag for flag in findings(targets, drawn) if flag.grave]


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> InstanceSet:
    """Two drawn targets of each category."""
    folder = tmp_path_factory.mktemp("figures") / "set"
    assert ircore(["instances", "build", "--per-condition", "1", "--out", str(folder)]) == 0
    return read_instances(folder)


def drawn_targets(figures: InstanceSet) -> dict[str, Pixels]:
    return {
        each.instance_id: figures.picture(each, "target").pixels for each in figures.instances if each.scene is not None
    }


KEEPING = (
    "half the contrast", "inverted", "wide border", "shifted by a pixel", "gamma", "few colours", "a bar across",
)  # fmt: skip
"""Cheats that keep the fine detail of a drawn target where it is."""


@pytest.mark.attack
@pytest.mark.parametrize("name", KEEPING)
def test_pasted_figures_hold_the_run_by_their_fine_detail(figures: InstanceSet, name: str) -> None:
    """Words can lead to a picture as like its target, never to the way in which edges and letters fade."""
    drawn = {target: CHEATS[name](pixels) for target, pixels in drawn_targets(figures).items()}
    assert [flag for flag in findings(figures, drawn) if flag.grave]


def test_a_figure_drawn_anew_holds_no_run(figures: InstanceSet) -> None:
    """Twice as large, moved by half a pixel and reduced again: the same figure, with other edges everywhere."""
    drawn = {}
    for target, pixels in drawn_targets(figures).items():
        large = np.repeat(np.repeat(pixels, 2, axis=0), 2, axis=1)
        drawn[target] = resized(np.roll(gaussian_filter(large, (1.5, 1.5, 0)), 1, axis=(0, 1)), *pixels.shape[1::-1])
    flags = list(findings(figures, drawn))
    assert flags
    assert not [flag for flag in flags if flag.grave]


def test_one_copied_figure_of_twelve_is_for_people_to_compute_descriptor(figures: InstanceSet) -> None:
    targets = drawn_targets(figures)
    blank = {target: np.full_like(pixels, 200) for target, pixels in targets.items()}
    (first, *_) = targets
    (flag,) = findings(figures, blank | {first: CHEATS["border"](targets[first])})
    assert (flag.rule, flag.grave) == ("copy_of_target", False)


def test_a_pixel_for_pixel_copy_is_grave_unless_an_offline_player_draws_it_again(targets: InstanceSet) -> None:
    drawn = {"photos-easy-coffee": photograph("coffee")}
    (flag,) = findings(targets, drawn)
    assert (flag.rule, flag.grave) == ("identical_to_target", True)
    (flag,) = findings(targets, drawn, again=True)
    assert (flag.rule, flag.grave) == ("identical_to_target", False)


def test_patches_of_a_picture_are_found_in_itself_and_not_in_another() -> None:
    coffee, cat = shrink_to_grey(photograph("coffee")), shrink_to_grey(photograph("chelsea"))
    assert match(coffee, coffee).share == 1
    assert match(coffee, coffee).in_place == match(coffee, coffee).sought
    assert match(coffee, cat).share < 0.25


def test_a_flat_picture_has_nothing_to_compare() -> None:
    flat = np.full((96, 96, 3), 200, np.uint8)
    assert match(shrink_to_grey(flat), shrink_to_grey(photograph("coffee"))).share == 0
    assert not compute_descriptor(Picture.from_pixels(flat)).any()
    assert not is_photograph(Picture.from_pixels(flat))
    assert is_photograph(Picture.from_pixels(photograph("coffee")))


def test_what_was_drawn_here_is_described_without_decoding(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    described = index_of(RunFolder(run.path))
    (run.path / INDEX).unlink()
    records = (run.path / SMALL_PICTURES).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "rendering", lambda *_: pytest.fail("a rendering was read"))
        again = index_of(RunFolder(run.path))
    assert (again.sha256, again.descriptors.tobytes()) == (described.sha256, described.descriptors.tobytes())
    # Records that a crash cut short, and that a disk gave back otherwise, are computed anew.
    for damaged in (records[:-1], bytes([records[0] ^ 1]) + records[1:], records[:99] + b"\0" + records[100:], b""):
        (run.path / INDEX).unlink()
        (run.path / SMALL_PICTURES).write_bytes(damaged)
        assert (index_of(RunFolder(run.path)).descriptors == described.descriptors).all()
    for sha256, descriptor in zip(described.sha256, described.descriptors, strict=True):
        picture = read_picture(run.rendering_path(sha256))
        assert (compute_descriptor(picture) == descriptor).all()


def test_a_run_is_held_until_it_is_cleared() -> None:
    grave = Flag(
        rule="copied_picture", where="photos-easy-01, turn 1", what="a copy", evidence=Evidence(rendering="0" * 64)
    )
    mild = grave.model_copy(update={"rule": "copy_of_target"})
    runs = [(name, provenance(flags)) for name, flags in (("copied", (grave,)), ("alike", (mild,)), ("clean", ()))]
    assert find_held_runs([*runs, ("nobody's", None)]) == {"copied"}
    assert find_held_runs(runs, cleared={"copied"}) == frozenset()


def provenance(flags: tuple[Flag, ...]) -> Provenance:
    return Provenance(
        kind="maintainers", when="2026-11-22T12:00:00+00:00", version="1.0", manifest="0" * 64, flags=flags
    )


def test_runs_of_maintainers_are_looked_at_too(tmp_path: Path) -> None:
    """The sample's manifest names built-in players, and others played: asking these again shows it."""
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    write_provenance(run.path, provenance(()))
    assert {flag.rule for flag in flag_run(run.path) if flag.grave} >= {"not_reproduced"}
    assert run.provenance().grave_flags  # type: ignore[union-attr]  # it was written above
