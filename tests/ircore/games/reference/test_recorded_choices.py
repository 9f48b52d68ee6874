"""A speaker that meets people's recorded choices: these do not depend on its words, so they say nothing of it."""

import json
from pathlib import Path

import pytest
from recorded_reference import MANIFEST, write_recorded_game
from toy_games import Toy

from ircore.core.errors import InputError
from ircore.games.reference.game import ReferenceGame
from ircore.games.reference.icca import import_icca
from ircore.instances.requests import ImportRequest
from ircore.results.games import read_game_results
from ircore.runs.folder import RunFolder

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
    lines = [json.loads(line) for line in (run / "measures.jsonl").read_text().splitlines()]
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
    results = read_game_results([RunFolder(played.folder / "runs" / name) for name in ("speaker", "people")])
    people, speaker = results.board()
    assert (people.submission.run.slug, people.rank_low, people.rank_high) == ("people", 1, 1)
    assert (speaker.rank_low, speaker.cell.unranked, speaker.cell.unranked_words) == (None, "recorded", REASON)
    assert (speaker.cell.main.mean, speaker.cell.measures["accuracy"].mean) == (None, None)
    assert speaker.cell.measures["words"].mean is not None
    assert speaker.cell.played == 6


@pytest.mark.slow
def test_a_release_of_such_runs_is_checked_and_computed_again(played: Toy) -> None:
    played.run("release", "build", "--runs", "runs/speaker", "runs/people", "--instances", "set", "--out", "release")
    assert "release: 0 faults" in played.run("release", "check", "release", "--rescore")


def test_both_seats_recorded_are_people_themselves() -> None:
    from ircore.core.records import PlayerSpec

    people, looker = PlayerSpec(player="recorded", source="human"), PlayerSpec(player="looker")
    game = ReferenceGame()
    assert game.meaningless({"speaker": people, "listener": people}) == {}
    assert game.meaningless({"speaker": looker, "listener": looker}) == {}
    assert game.meaningless({"speaker": people, "listener": looker}) == {}
    assert game.meaningless({"speaker": looker, "listener": people}) == dict.fromkeys(DECIDED, REASON)


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
