"""Contexts of our own and imported games: what they hold, that they are the same everywhere, and bad files."""

import json
import os
import random
import shutil
from itertools import product
from math import isclose
from pathlib import Path

import pytest
from recorded_reference import MANIFEST, write_recorded_game
from toy_games import Toy

from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.games.reference.build import CATEGORIES, build
from ircore.games.reference.game import ReferenceGame
from ircore.games.reference.icca import import_icca
from ircore.games.reference.records import CONDITIONS, Context
from ircore.instances.requests import BuildRequest, ImportRequest
from ircore.instances.tangrams import PIECES, draw_tangram, make_tangram, scale_to_pixels
from ircore.results.model import Results
from ircore.runs.folder import RunFolder

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[4].parent / "shared" / "data")
ICCA = SHARED / "lang" / "icca" / "games"
needs_icca = pytest.mark.skipif(not ICCA.is_dir(), reason="needs ICCA's recorded games")


def area(corners: tuple[tuple[float, float], ...]) -> float:
    following = [*corners[1:], corners[0]]
    return abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(corners, following, strict=True))) / 2


@pytest.mark.slow
def test_a_set_has_every_condition_and_each_picture_once_a_repetition(tmp_path: Path) -> None:
    made = build(BuildRequest(tmp_path / "set", per_condition=1))
    assert [(instance.category, instance.difficulty) for instance in made.instances] == [
        (category, difficulty) for category in sorted(CATEGORIES) for difficulty in ("easy", "hard")
    ]
    for instance in made.instances:
        context, targets = instance.payload["context"], instance.payload["targets"]
        assert isinstance(context, list)
        assert isinstance(targets, list)
        assert len({file.sha256 for file in instance.pictures.values()}) == len(context)
        if instance.category in ("lineup", *CONDITIONS):
            assert (len(context), len(targets)) == (10, 1)
        else:
            assert len(context) == 4
            assert [sorted(map(str, targets[at : at + 4])) for at in range(0, 24, 4)] == [sorted(map(str, context))] * 6


@pytest.mark.slow
def test_the_same_seed_is_the_same_set_and_another_seed_is_not(tmp_path: Path) -> None:
    first, again, other = (
        build(BuildRequest(tmp_path / name, seed=seed, per_condition=1))
        for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    assert first.identity == again.identity != other.identity


def test_the_four_conditions_are_one_game_with_another_naming_and_other_colours(tmp_path: Path) -> None:
    made = build(BuildRequest(tmp_path / "set", 0, 2, ("lineup", *CONDITIONS), ("hard",)))
    contexts = {instance.instance_id: Context.model_validate(instance.payload) for instance in made.instances}
    pictures = {instance.instance_id: made.pictures(instance) for instance in made.instances}
    for number, condition in product(("hard-01", "hard-02"), CONDITIONS):
        lineup, context = (contexts[f"{category}-{number}"] for category in ("lineup", condition))
        naming, _, colours = condition.partition("_")
        assert (lineup.naming, context) == ("", lineup.model_copy(update={"naming": naming}))
        for black, drawn in zip(
            *(pictures[f"{name}-{number}"].values() for name in ("lineup", condition)), strict=True
        ):
            assert (black.sha256 == drawn.sha256) == (colours == "black")
            inside = drawn.pixels[(black.pixels == 0).all(axis=2)]
            # Coral, gold, light sky blue, light pink, medium sea green, dark and light grey, by their CSS values.
            values = {"ff7f50", "ffd700", "87cefa", "ffb6c1", "3cb371", "a9a9a9", "d3d3d3"}
            assert {bytes(pixel).hex() for pixel in inside} == ({"000000"} if colours == "black" else values)


def test_a_category_of_another_game_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown category 'pie_graph'"):
        build(BuildRequest(tmp_path / "set", categories=("pie_graph",)))
    assert not (tmp_path / "set").exists()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_tangram_has_seven_exact_pieces_that_do_not_overlap(seed: int) -> None:
    tangram = make_tangram(random.Random(seed))
    assert tangram.pieces.keys() == PIECES.keys()
    assert sorted(round(area(corners), 9) for corners in tangram.pieces.values()) == [0.5, 0.5, 1, 1, 1, 2, 2]
    # Pieces drawn together cover as many pixels as pieces drawn apart, but for the seams, 8 pixels wide.
    corners = scale_to_pixels(tangram, 1024)
    covered = (draw_tangram(tangram, 1024).pixels < 128).all(axis=2).sum()
    assert isclose(covered, sum(map(area, corners.values())), rel_tol=0.16)
    assert all(0 < coordinate < 1024 for piece in corners.values() for point in piece for coordinate in point)


@needs_icca
@pytest.mark.slow
def test_imported_games_hold_what_people_said(tmp_path: Path) -> None:
    made = import_icca(ImportRequest(ICCA, tmp_path / "set"))
    first = made.instances[0]
    human = first.payload["human"]
    assert isinstance(human, list)
    assert human[0] == {
        "message": "A grown man is in a tuxedo is eating something",
        "chosen": "coco_val2014_000000334417",
    }
    assert first.licence == "LicenseRef-COCO-photographs"


@needs_icca
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: "\n".join(text.splitlines()[:20]), "trialNum: 19 rows"),
        (lambda text: text.replace("trialNum", "trial", 1), "column trialNum is missing"),
        (lambda text: text.replace(",0,0,", ",x,0,", 1), "row 1: trialNum: 'x' is not a number"),
        (lambda text: text.replace("A grown man is in a tuxedo is eating something", " ", 1), "row 1: msg: is empty"),
        (lambda text: text.replace("COCO_val2014_000000334417.jpg", "../../etc/passwd", 1), "is not a file name"),
        (
            lambda text: text.replace("COCO_val2014_000000334417.jpg", "COCO_val2014_000000473237.jpg", 1),
            "each of four pictures once",
        ),
        (lambda text: text.replace(",target,", ",nobody,", 1), "clickedObj: 'nobody'"),
    ],
)
def test_a_damaged_game_is_refused_in_one_line_and_nothing_is_written(
    tmp_path: Path, change: object, problem: str
) -> None:
    source = sorted(ICCA.iterdir())[0]
    shutil.copytree(source, tmp_path / "games" / source.name)
    table = next((tmp_path / "games").glob("*/*.csv"))
    table.write_text(change(table.read_text()))  # type: ignore[operator]
    with pytest.raises(InputError, match=problem) as refused:
        import_icca(ImportRequest(tmp_path / "games", tmp_path / "set"))
    assert str(tmp_path / "games") in refused.value.problem
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("kept", "problem"), [(3, "COCO_val2014_000000000004.jpg: targetImg names this picture"), (0, "is not there")]
)
def test_a_picture_that_is_not_there_is_named(tmp_path: Path, kept: int, problem: str) -> None:
    games = write_recorded_game(tmp_path / "games")
    for picture in sorted(games.glob("*/*.jpg"))[kept:]:
        picture.unlink()
    with pytest.raises(InputError, match=problem):
        import_icca(ImportRequest(games, tmp_path / "set"))
    assert not (tmp_path / "set").exists()


def test_rows_in_any_order_and_messages_that_look_like_nothing_are_taken(tmp_path: Path) -> None:
    games = write_recorded_game(tmp_path / "games")
    table = next(games.glob("*/*.csv"))
    head, *rows = table.read_text().replace("the big red circle on white", "NA", 1).splitlines()
    table.write_text("\n".join([head, *reversed(rows)]))
    human = import_icca(ImportRequest(games, tmp_path / "set")).instances[0].payload["human"]
    assert isinstance(human, list)
    assert human[0]["message"] == "NA"  # type: ignore[call-overload,index]


RECORDED, LOOKER = "{player: recorded, source: human}", "{player: looker}"
REASON = "the answers of the listener are recorded and do not depend on the speaker"
DECIDED = {"accuracy", "correct", "invalid"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """Six recorded games; people, a live speaker with recorded choices, a live listener with recorded messages."""
    user = Toy(tmp_path_factory.mktemp("played"), Path("nowhere"))
    for number in range(6):
        write_recorded_game(user.folder / "games", f"00{number}_game", wrong=(number,))
    user.run("instances", "import", "icca", "games", "--out", "set")
    for name, seats in (
        ("people", (RECORDED, RECORDED)), ("speaker", (LOOKER, RECORDED)), ("listener", (RECORDED, LOOKER)),
    ):  # fmt: skip
        text = MANIFEST.replace("name: people", f"name: {name}")
        for seat, player in zip(("speaker", "listener"), seats, strict=True):
            text = text.replace(f"{seat}: {RECORDED}", f"{seat}: {player}")
        user.run("play", user.manifest(name, text=text), "--instances", "set", "--out", f"runs/{name}")
    user.run("score", *(f"runs/{name}" for name in ("people", "speaker", "listener")))
    return user


def values(run: Path) -> dict[str, set[object]]:
    """The values of each measure, or the reason why there is none."""
    lines = [json.loads(line) for line in (run / "scores.jsonl").read_text().splitlines()]
    made: dict[str, set[object]] = {}
    for line in lines:
        made.setdefault(line["measure"], set()).add(line["reason"] if line["value"] is None else line["value"])
    return made


@pytest.mark.slow
def test_what_the_listener_decides_has_no_value_and_length_and_novelty_have(played: Toy) -> None:
    of_speaker, of_people = (values(played.folder / "runs" / name) for name in ("speaker", "people"))
    assert {measure for measure, found in of_speaker.items() if found == {REASON}} == DECIDED
    assert all(isinstance(value, float) for value in of_speaker["words"] | of_speaker["wnr"])
    # Of people's own games, recorded on both sides, the choices are theirs: each game has one wrong round of 24.
    assert of_people["accuracy"] == {23 / 24}
    assert all(isinstance(value, float) for value in values(played.folder / "runs/listener")["accuracy"])


@pytest.mark.slow
def test_such_a_run_has_no_rank_and_pushes_nobody_down(played: Toy) -> None:
    results = Results.from_runs([RunFolder(played.folder / "runs" / name) for name in ("speaker", "people")])
    people, speaker = results.board()
    assert (people.submission.run.slug, people.rank_low, people.rank_high) == ("people", 1, 1)
    assert (speaker.rank_low, speaker.cell.unranked, speaker.cell.unranked_words) == (None, "recorded", REASON)
    run_id = speaker.submission.run_id
    assert (speaker.cell.main.mean, results.mean(run_id, "accuracy").mean) == (None, None)
    assert results.mean(run_id, "words").mean is not None
    assert speaker.cell.played == 6


@pytest.mark.slow
def test_a_release_of_such_runs_is_checked_and_computed_again(played: Toy) -> None:
    played.run("release", "build", "--runs", "runs/speaker", "runs/people", "--instances", "set", "--out", "release")
    assert "release: 0 faults" in played.run("release", "check", "release", "--rescore")


def test_both_seats_recorded_are_people_themselves() -> None:
    people, looker = PlayerSpec(player="recorded", source="human"), PlayerSpec(player="looker")
    game = ReferenceGame()
    assert game.find_meaningless_measures({"speaker": people, "listener": people}) == {}
    assert game.find_meaningless_measures({"speaker": looker, "listener": looker}) == {}
    assert game.find_meaningless_measures({"speaker": people, "listener": looker}) == {}
    assert game.find_meaningless_measures({"speaker": looker, "listener": people}) == dict.fromkeys(DECIDED, REASON)


@pytest.mark.parametrize("place", [".", "src", "src/ICCA_data"])
def test_icca_is_found_from_the_root_of_its_repository(tmp_path: Path, place: str) -> None:
    write_recorded_game(tmp_path / "checkout/src/ICCA_data")
    (tmp_path / "checkout/README.md").write_text("# ICCA\n")
    made = import_icca(ImportRequest(tmp_path / "checkout" / place, tmp_path / "set"))
    assert [instance.instance_id for instance in made.instances] == ["icca-001_game"]


def test_a_folder_without_games_is_refused_with_the_places_that_were_tried(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no game: .* here or in src/ICCA_data or ICCA_data") as told:
        import_icca(ImportRequest(tmp_path, tmp_path / "set"))
    assert "checkout of github.com/lil-lab/ICCA" in told.value.remedy
