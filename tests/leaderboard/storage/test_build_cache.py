"""What a build takes over from the one before: nothing that a build from nothing would not have made."""

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from samples import sample_instances, sample_run, sample_submission

from ircore.core.images import ImageError, Picture
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.building.site_build import build_site
from leaderboard.gallery import fragments
from leaderboard.gallery.fragments import FIRST, Fragments
from leaderboard.model import site_runs
from leaderboard.model.site import Site
from leaderboard.model.site_runs import SiteRun, read_runs
from leaderboard.storage.build_cache import FOLDER, BuildCache, hash_folder
from leaderboard.storage.pictures import PictureBook

pytestmark = pytest.mark.slow

PAIRS = 9
"""So many that a shard is needed, and that several processes work."""


def played(folder: Path, instances: InstanceSet, slug: str) -> RunFolder:
    run = sample_run(folder / slug, instances, sample_submission(slug, f"Pair {slug}"))
    score_runs([run], ScoringPlan(("structural",), (), every_turn=True))
    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("kept")
    instances = sample_instances(folder / "instances")
    return [played(folder, instances, f"pair-{number}").path for number in range(PAIRS)]


def contents(site: Path) -> Mapping[str, bytes]:
    return {str(path.relative_to(site)): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def rescored(run: Path, folder: Path, value: float) -> Path:
    """Return a copy of a run that a judge has changed its mind about."""
    changed = RunFolder(Path(shutil.copytree(run, folder, symlinks=True)))
    changed.add_scores(
        [score.model_copy(update={"value": value}) for score in changed.scores() if score.task == "similarity"]
    )
    return changed.path


def test_a_site_whose_pairs_came_changed_and_went_is_the_same_as_one_from_nothing(
    runs: list[Path], tmp_path: Path
) -> None:
    # The new one comes first among equals, so that each shard begins with another pair and another leads the gallery.
    new, gone, old, *others = runs
    build_site([gone, old, *others], tmp_path / "site")
    before = contents(tmp_path / "site")
    now = [new, rescored(old, tmp_path / "rescored", 4.0), *others]
    build_site(now, tmp_path / "site")
    build_site(now, tmp_path / "fresh")
    after, fresh = contents(tmp_path / "site"), contents(tmp_path / "fresh")
    assert [name for name in fresh if after.get(name) != fresh[name]] == []
    assert after.keys() == fresh.keys()
    ranked = [pair["key"] for pair in json.loads(after["data/gallery/pairs.json"])["pairs"]]
    assert (ranked[0], ranked[-1]) == ("pair-0", "pair-2")

    kept = Counter(name.split("/")[1] for name in after if name.startswith(FOLDER))
    assert kept == {
        "shells": 1,  # all that MkDocs makes
        "readings": PAIRS - 1,
        "fates": PAIRS - 1,
        "figures": PAIRS - 1,
        "outcomes": PAIRS - 1,
        "strips": 4,  # one for each of the four targets: the most improved episodes, the replay's among them
        "sections": FIRST,
        "fragments": PAIRS - 1 - FIRST,
        "players": 2,  # one describer and one generator; without a grid there are no effects
    }
    taken = Counter(name.split("/")[1] for name in after.keys() & before.keys() if name.startswith(FOLDER))
    of_others = dict.fromkeys(("readings", "fates", "figures", "outcomes"), len(others))
    assert taken == {"shells": 1, **of_others, "sections": FIRST - 2, "fragments": 1}


def test_what_is_kept_of_a_pair_goes_by_its_run_and_by_how_the_site_marks_it(runs: list[Path], tmp_path: Path) -> None:
    def keys(chosen: list[Path]) -> dict[str, str]:
        site = Site(read_runs(chosen, BuildCache(tmp_path / "kept")))
        return {pair.key: site.key(pair) for pair in site.pairs.values()}

    item, two, *_ = runs
    both = keys([item, two])
    assert both.items() < keys([item, two, runs[2]]).items()
    assert set(both.values()).isdisjoint(keys([rescored(item, tmp_path / "rescored", 4.0)]).values())
    # Alone, a pair needs nothing that tells it from another of the same players.
    assert both["pair-0"] != keys([item])["pair-0"]


def test_readings_and_fragments_are_what_they_would_be_without_a_build_before(runs: list[Path], tmp_path: Path) -> None:
    first, second = BuildCache(tmp_path / "first"), BuildCache(tmp_path / "second", tmp_path / "first")
    made, result, plain = (Site(read_runs(runs, cache)) for cache in (first, second, None))
    assert made.results == result.results == plain.results
    made.cache, result.cache = first, second
    Fragments(made).make()
    assert (second.load("nothing/of-this-name"), len(result.pictures)) == (None, 4)
    taken = Fragments(result)
    taken.make()
    assert len(result.pictures) == len(made.pictures) > 4
    for pair in plain.pairs.values():
        assert taken.of(result.pairs[pair.run_id]) == Fragments(plain).of(pair)
    links = {path.stat().st_nlink for path in (tmp_path / "second" / FOLDER).rglob("*") if path.is_file()}
    assert links == {2}


def test_a_run_that_changed_is_read_again(runs: list[Path], tmp_path: Path) -> None:
    (first,) = read_runs(runs[:1], BuildCache(tmp_path / "first"))
    run = rescored(runs[0], tmp_path / "run", 10.0)
    (second,) = read_runs([run], BuildCache(tmp_path / "second", tmp_path / "first"))
    assert second.key != first.key
    anew = SiteRun(run)
    assert second.results == anew.results != first.results
    assert second.condition_parts == anew.condition_parts
    packed, played = ({e.episode_id: [*e.steps] for e in some} for some in (second.episodes, second.source.episodes()))
    assert packed == played
    assert {result.judged["structural"].final for result in second.results if result.judged} == {10.0}


@pytest.mark.parametrize("damage", [b"", b"not compressed", None])
def test_what_is_damaged_is_made_anew(runs: list[Path], tmp_path: Path, damage: bytes | None) -> None:
    (whole,) = read_runs(runs[:1], BuildCache(tmp_path / "first"))
    (file,) = (tmp_path / "first" / FOLDER / "readings").iterdir()
    if damage is None:
        BuildCache(tmp_path / "first").store(f"readings/{file.name}", b'{"results": []}')
    else:
        file.write_bytes(damage)
    (again,) = read_runs(runs[:1], BuildCache(tmp_path / "second", tmp_path / "first"))
    assert again.results == whole.results


def test_the_program_is_part_of_every_key(tmp_path: Path) -> None:
    package = Path(site_runs.__file__).parents[1]
    copied = Path(shutil.copytree(package, tmp_path / "leaderboard"))
    before = hash_folder(copied)
    shutil.rmtree(copied / "__pycache__", ignore_errors=True)
    assert hash_folder(copied) == before
    for name in ("templates/pair.html.j2", "assets/js/table.js", Path(fragments.__file__).name):
        with (copied / name).open("a") as file:
            file.write("\n")
        assert hash_folder(copied) != before
        before = hash_folder(copied)


def write_picture(folder: Path, width: int, height: int) -> tuple[Path, str]:
    pixels = np.full((height, width, 3), 255, np.uint8)
    pixels[: height // 2] = (214, 39, 40)
    picture = Picture.from_pixels(pixels)
    path = folder / "picture.png"
    path.write_bytes(picture.data)
    return path, picture.sha256


def test_pictures_fit_their_box_and_keep_their_proportions(tmp_path: Path) -> None:
    path, sha256 = write_picture(tmp_path, 1000, 250)
    book = PictureBook()
    shown = book.add(path, sha256, 1000, 250)
    assert (shown.width, shown.height) == (256, 64)
    assert book.write(tmp_path / "site") == 1
    with Image.open(tmp_path / "site" / shown.small) as small, Image.open(tmp_path / "site" / shown.large) as large:
        assert (small.format, small.size, large.size) == ("WEBP", (256, 64), (512, 128))
        red, green, blue = np.asarray(large.convert("RGB"))[10, 10]
        assert (int(red), int(green), int(blue)) == pytest.approx((214, 39, 40), abs=8)


def test_small_pictures_are_not_enlarged(tmp_path: Path) -> None:
    path, sha256 = write_picture(tmp_path, 60, 90)
    book = PictureBook()
    shown = book.add(path, sha256, 60, 90)
    book.write(tmp_path / "site")
    with Image.open(tmp_path / "site" / shown.large) as large:
        assert large.size == (shown.width, shown.height) == (60, 90)


def test_a_picture_is_encoded_once_and_again_only_where_an_earlier_site_has_it_cut_off(tmp_path: Path) -> None:
    path, sha256 = write_picture(tmp_path, 60, 90)
    book = PictureBook()
    assert book.add(path, sha256, 60, 90) == book.add(path, sha256, 60, 90)
    assert len(book) == 1
    assert book.write(tmp_path / "site") == 1
    assert book.write(tmp_path / "next", earlier=tmp_path / "site") == 0
    assert len(list((tmp_path / "next" / "img").iterdir())) == 2
    small = tmp_path / "site" / book.add(path, sha256, 60, 90).small
    whole = small.read_bytes()
    for damaged in (whole[:-20], b""):
        small.unlink()
        small.write_bytes(damaged)
        assert book.write(tmp_path / f"after {len(damaged)}", earlier=tmp_path / "site") == 1
        assert (tmp_path / f"after {len(damaged)}" / "img" / small.name).read_bytes() == whole


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path, sha256 = write_picture(tmp_path, 60, 90)
    path.write_bytes(path.read_bytes()[:60])
    book = PictureBook()
    book.add(path, sha256, 60, 90)
    with pytest.raises(ImageError, match=r"picture\.png: damaged"):
        book.write(tmp_path / "site")


def test_where_originals_are_published_the_site_holds_thumbnails_alone(tmp_path: Path) -> None:
    path, sha256 = write_picture(tmp_path, 1000, 250)
    book = PictureBook(originals="https://example.org/pictures/0a1b/")
    shown = book.add(path, sha256, 1000, 250)
    assert shown.large == f"https://example.org/pictures/0a1b/{sha256}.png"
    assert book.write(tmp_path / "site") == 1
    assert [path.name for path in (tmp_path / "site" / "img").iterdir()] == [Path(shown.small).name]
    assert PictureBook(originals="https://example.org/").write(tmp_path / "next", earlier=tmp_path / "site") == 0
