"""Pictures that must not be published stand in no release, no site and no pack, whatever the user does."""

from pathlib import Path

import numpy as np
import pytest
from loaded_datasets import load_dataset
from PIL import Image
from recorded_reference import MANIFEST, write_recorded_game
from target_instances import target_instance

from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import build_release
from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.images import Picture, read_picture
from ircore.core.records import Instance
from ircore.games.reasoning.tasks import TaskRecord
from ircore.games.reference.icca import import_icca
from ircore.instances.requests import ImportRequest
from ircore.instances.store import GIR_BENCH, refuse_withheld, write_instances
from ircore.submissions.rescoring.packing import pack

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a set of recorded games, and a run in which people play both seats."""
    folder = tmp_path_factory.mktemp("withheld")
    import_icca(ImportRequest(write_recorded_game(folder / "games", wrong=(0, 5)), folder / "instances"))
    (folder / "people").mkdir()
    (folder / "people" / "submission.yaml").write_text(MANIFEST)
    run = str(folder / "run")
    assert ircore(["play", str(folder / "people"), "--instances", str(folder / "instances"), "--out", run]) == 0
    assert ircore(["score", run]) == 0
    build_release([folder / "run"], folder / "instances", folder / "release")
    return folder


def test_a_release_holds_ids_and_hashes_and_no_picture(played: Path) -> None:
    release, pictures = played / "release", list((played / "instances" / "images").iterdir())
    assert len(pictures) == 4
    for path in (path for path in release.rglob("*") if path.is_file()):
        for picture in pictures:
            assert picture.read_bytes() not in path.read_bytes()
    card = (release / "README.md").read_text(encoding="utf-8")
    assert "must not be published" in card
    assert "ircore instances import icca" in card
    assert ircore(["release", "check", "--no-load", str(release)]) == 0


def test_a_row_is_a_round_for_load_dataset(played: Path, tmp_path: Path) -> None:
    loaded = load_dataset(played / "release", "transcripts_reference", tmp_path)
    assert (loaded["rows"], loaded["first"]["message"]) == (24, "the big red circle on white")


def test_what_is_pulled_names_every_picture_by_its_hash(played: Path, tmp_path: Path) -> None:
    pulled = pull_release(played / "release", tmp_path / "pulled")
    index = next(pulled.instances.glob("*.jsonl")).read_text(encoding="utf-8")
    for picture in (played / "instances" / "images").iterdir():
        assert read_picture(picture).sha256 in index
    assert not list(pulled.instances.rglob("*.png"))
    assert ircore(["results", str(pulled.runs[0])]) == 0


def test_a_site_shows_place_holders_and_says_how_to_get_the_pictures(played: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert ircore(["site", "build", "--runs", str(played / "run"), "--out", str(site)]) == 0
    shown = [path for path in (site / "img").rglob("*") if path.is_file()] if (site / "img").is_dir() else []
    assert [path for path in shown if Image.open(path).size == (64, 64)] == []
    page = (site / "games" / "reference" / "gallery" / "icca-001_game.html").read_text(encoding="utf-8")
    assert "ircore instances import icca" in page
    assert 'aria-label="picture A' in page
    # Six repetitions of four rounds; the listener was wrong in rounds 1 and 6.
    assert page.count('<details class="repetition"') == 6
    assert page.count("3 of 4 right") == 2
    assert page.count("Wrong, and told that") == 2
    assert "3 of 4 right, 6.0 words a message" in page


def test_a_pack_holds_what_was_said_and_no_picture(played: Path, tmp_path: Path) -> None:
    packed = pack(played / "run", tmp_path / "pack")
    assert not list(packed.folder.rglob("*.png"))


def test_another_licence_on_the_command_line_does_not_free_them(played: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--licence MIT: these pictures have the licence LicenseRef-COCO-photographs"):
        import_icca(ImportRequest(played / "games", tmp_path / "set", licence="MIT"))
    assert not (tmp_path / "set").exists()


JIGSAW = TaskRecord(
    dimension="jigsaw", prompt="Put it together.", shown=("input",), task={"tiles": 2, "order": [1, 0, 2, 3]}
)
EDITOR = """{schema: 1, game: reasoning, name: floor, licence: CC0-1.0,
  drawer: {player: identity-editor}, reader: {player: identity-editor}}"""


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run in which a picture that must not be published is handed back as the answer."""
    folder = tmp_path_factory.mktemp("edited")
    pixels = np.zeros((48, 48, 3), np.uint8)
    pixels[:24, :24], pixels[24:, 24:] = (200, 30, 30), (30, 30, 200)
    pictures = {"input": Picture.from_pixels(pixels), "truth": Picture.from_pixels(np.roll(pixels, 24, axis=1))}
    instance = Instance(
        instance_id="a-jigsaw", category="jigsaw", difficulty="hard", game="reasoning", source="GIR-Bench",
        licence=GIR_BENCH, payload=JIGSAW.model_dump(mode="json"),
    )  # fmt: skip
    write_instances(folder / "instances", [(instance, pictures)])
    (folder / "floor").mkdir()
    (folder / "floor" / "submission.yaml").write_text(EDITOR)
    run = str(folder / "run")
    assert ircore(["play", str(folder / "floor"), "--instances", str(folder / "instances"), "--out", run]) == 0
    assert ircore(["score", run]) == 0
    return folder


def test_what_is_drawn_over_such_a_picture_is_in_no_release_and_no_pack(edited: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a-jigsaw: its picture .* must not be published, and the release"):
        build_release([edited / "run"], edited / "instances", tmp_path / "release")
    with pytest.raises(InputError, match=r"a-jigsaw: its picture .* must not be published, and the pack"):
        pack(edited / "run", tmp_path / "pack")


def test_a_site_shows_place_holders_for_what_is_drawn_over_such_a_picture(edited: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert ircore(["site", "build", "--runs", str(edited / "run"), "--out", str(site)]) == 0
    shown = [path for path in (site / "img").rglob("*") if path.is_file()] if (site / "img").is_dir() else []
    assert [path for path in shown if Image.open(path).size == (48, 48)] == []
    page = (site / "games" / "reasoning" / "gallery" / "a-jigsaw.html").read_text(encoding="utf-8")
    assert "ircore instances import gir-bench" in page
    assert "no-picture withheld" in page


def test_targets_of_reconstruction_that_must_not_be_published_are_refused() -> None:
    licence = "LicenseRef-KiloGram-tangrams"
    target = target_instance("tangrams-hard-page1-1", category="tangrams", difficulty="hard", licence=licence)
    with pytest.raises(InputError, match=r"tangrams-hard-page1-1: its picture .* must not be published"):
        refuse_withheld([target], "release")
