"""The shipped photographs: few, small, free, and each with its author."""

import io
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest
from PIL import Image

from ircore.commands.main import run as ircore
from ircore.core.records import Difficulty
from ircore.games.reconstruction.build_targets import BUILDERS, SeededPlace, draw
from ircore.games.reconstruction.targets.photos import FOLDER, catalogue, shots
from ircore.instances.measures import Measures, edge_density, mean, measure
from ircore.results.model import Cell, Results
from ircore.results.statistics.intervals import difference_of
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs

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


def test_the_sources_name_every_file_title_and_author() -> None:
    text = (files("ircore.games.reconstruction.targets") / "photographs" / "SOURCES.md").read_text()
    rows = {line.split("|")[1].strip(" `"): line for line in text.splitlines() if line.startswith("| `")}
    assert rows.keys() == {photo.file for photo in catalogue()}
    for photo in catalogue():
        assert photo.title in rows[photo.file]
        assert photo.author in rows[photo.file]


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


PER_CONDITION = "4"


def played(submission: str, folder: Path, name: str) -> RunFolder:
    command = ["play", submission, "--instances", str(folder / "targets"), "--out", str(folder / name)]
    assert ircore(command) == 0
    return RunFolder(folder / name)


def check_that_shares_do_not_rise(player: str, cells: Mapping[tuple[str, str | None, str | None], Cell]) -> None:
    """Over all categories the mean falls; within one, no rise is beyond chance (95 % interval) at so few targets."""
    for category in (None, *BUILDERS):
        easy, hard = (cells[player, category, difficulty].main for difficulty in ("easy", "hard"))
        rise = difference_of(hard, easy)
        assert rise.mean is not None
        assert rise.low is not None
        assert rise.low <= 0, (player, category, rise)
        if category is None:
            assert rise.mean < 0, (player, rise)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_verified_share_of_a_pair_and_of_a_ceiling_does_not_rise_from_easy_to_hard(tmp_path: Path) -> None:
    build = ["instances", "build", "--out", str(tmp_path / "targets"), "--edition", "2", "--seed", "2026"]
    chosen = [word for category in BUILDERS for word in ("--category", category)]
    assert ircore([*build, "--per-condition", PER_CONDITION, *chosen]) == 0
    ceiling = tmp_path / "ceiling" / "submission.yaml"
    ceiling.parent.mkdir()
    ceiling.write_text(
        "schema: 1\nname: ceiling\ndescriber: {player: scene}\ngenerator: {player: canvas}\nlicence: CC0-1.0\n",
        encoding="utf-8",
    )
    runs = [played("captioner+canvas", tmp_path, "pair"), played(str(ceiling.parent), tmp_path, "reference")]
    score_runs(runs, ScoringPlan(("verified",), metrics=()))
    results = Results.from_runs(runs)
    (pair,), (reference,) = results.submissions, results.references
    both = [
        *((("pair", *key[1:3]), cell) for key, cell in results.cells.items() if key[0] == pair.run_id),
        *((("ceiling", *key[:2]), cell) for key, cell in reference.cells.items()),
    ]
    cells = dict(both)
    for player in ("pair", "ceiling"):
        check_that_shares_do_not_rise(player, cells)
    for category in BUILDERS:  # a ceiling that leaves things unsaid would hide how hard they are
        share = cells["ceiling", category, "easy"].main.mean
        assert share is not None
        assert share > 85, category
    best, usual = (cells[player, None, "hard"].main.mean for player in ("ceiling", "pair"))
    assert best is not None
    assert usual is not None
    assert best > 50 > usual  # a ceiling and a weak pair: the two ends of the scale
