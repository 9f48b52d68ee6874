"""A game in a package of its own, from manifest to pages: nothing in this repository names it.

The package ``toy_rps`` (rock, paper, scissors with pictures) is installed by pip into a folder of its own. Every
command below runs as a user's would.
"""

import json
from pathlib import Path

import pytest
from loaded_datasets import load_dataset
from toy_games import MANIFEST, Toy, installed

from dataset_card.data import load_table
from ircore.commands.main import run as ircore
from ircore.core.images import read_picture
from ircore.games.reasoning.build import DIMENSIONS
from ircore.instances.store import read_instances
from ircore.results.model import Results
from ircore.results.subsets import list_board_rows
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow


def test_the_game_is_listed_and_says_what_it_declares(toy: Toy) -> None:
    assert "rps             Rock, paper, scissors (signer, chooser)" in toy.run("games")
    declared = toy.json("games", "show", "rps")
    assert [(seat["name"], seat["answers"]) for seat in declared["seats"]] == [
        ("signer", "picture"),
        ("chooser", "choice"),
    ]
    assert declared["measures"][0]["key"] == "wins"


def test_the_set_is_of_the_game_and_no_other_is_played_on_it(toy: Toy) -> None:
    assert "signs" in toy.run("instances", "show", "instances")
    classical = Path(__file__).parents[2] / "submissions" / "builtin-classical-canvas"
    said = toy.run("play", classical, "--instances", "instances", "--out", "run", status=2)
    assert "instances of the game rps" in said
    assert "plays reconstruction" in said


def test_a_manifest_with_a_seat_too_few_is_refused_in_one_line(toy: Toy) -> None:
    lines = [line for line in MANIFEST.splitlines() if "chooser:" not in line]
    submission = toy.manifest("alone", text="\n".join(lines))
    said = toy.run("play", submission, "--instances", "instances", "--out", "run", status=2)
    assert "submission.yaml: chooser: is missing" in said
    assert not (toy.folder / "run").exists()


def test_runs_are_scored_by_the_games_own_measures_and_ranked_by_its_headline(toy: Toy) -> None:
    toy.run("play", toy.manifest("fair"), "--instances", "instances", "--out", "fair")
    perfect = toy.manifest("perfect", text=MANIFEST.replace(", slip: 3", ""))
    toy.run("play", perfect, "--instances", "instances", "--out", "perfect")
    # Of each episode: wins, rounds, and one value a round.
    assert "4 played episodes: 20 values, 20 new and 0 kept" in toy.run("score", "fair", "perfect")
    assert "20 values, 0 new and 20 kept" in toy.run("score", "fair")
    board = toy.json("results", "fair", "perfect")
    rows = [
        {cell: value for cell, value in row.items() if cell in ("rank", "submission", "wins")} for row in board["rows"]
    ]
    # The one that slips on every third question loses one of three rounds of every episode.
    assert [(row["submission"], round(row["wins"]["mean"], 6)) for row in rows] == [
        ("perfect", 1.0),
        ("fair", 0.666667),
    ]
    outcomes = toy.json("results", "fair", "perfect", "--table", "outcomes")["rows"]
    assert [(row["submission"], row["completed"], row["aborted"]) for row in outcomes] == [
        ("perfect", 4, 0),
        ("fair", 4, 0),
    ]
    said = toy.run("results", "fair", "--table", "trajectories", status=2)
    assert "the game rps has no such table" in said
    known = "board, leaderboard, comparisons, next, variance, effects, outcomes, rounds, at_k, normalised, players"
    assert f"Choose one of: {known}, published." in said
    assert "--judge gpt: does not apply to runs of the game rps" in toy.run(
        "results", "fair", "--judge", "gpt", status=2
    )
    toy.run("results", "fair", "perfect", "--out", "tables")
    assert len(list((toy.folder / "tables").iterdir())) == 12 * 4


def test_a_site_of_the_game_alone_has_every_page_that_its_declarations_ask_for(toy: Toy) -> None:
    players = ("steady", "sharp", 0), ("steady", "dull", 2), ("quick", "sharp", 0)
    for signer, chooser, slip in players:
        text = MANIFEST.replace("rps-signer,", f"rps-signer, model: {signer},")
        text = text.replace("rps-chooser,", f"rps-chooser, model: {chooser},").replace("slip: 3", f"slip: {slip}")
        name = f"{signer}-{chooser}"
        toy.run("play", toy.manifest(name, text=text), "--instances", "instances", "--out", f"runs/{name}")
    runs = [f"runs/{signer}-{chooser}" for signer, chooser, _ in players]
    toy.run("score", *runs)
    toy.run("site", "build", "--runs", *runs, "--out", "site")
    assert "nothing found" in toy.check("site")
    folder = toy.folder / "site" / "games" / "rps"
    pages = {path.relative_to(folder).with_suffix("").as_posix(): path.read_text() for path in folder.rglob("*.html")}
    kinds = "index", "boards/index", "compare", "matrix", "gallery/index", "pairs/steady-dull", "figures", "method"
    assert set(kinds) <= pages.keys()
    assert "Rock, paper, scissors</title>" in (toy.folder / "site" / "index.html").read_text()
    assert "<title>Not here – Rock, paper, scissors</title>" in (toy.folder / "site" / "404.html").read_text()
    # The one who slips on every second question loses one of three rounds.
    assert [row["wins"]["mean"] for row in toy.json("results", *runs)["rows"]] == [1, 1, pytest.approx(2 / 3)]
    assert "66.7" in pages["matrix"]
    # Of four places two players never met.
    assert pages["matrix"].count('class="matrix-score"') == 3
    assert pages["matrix"].count("this pair was not played") == 2  # in the tooltip, and for screen readers
    assert "The signer shows a sign as a picture." in pages["method"]
    curve = json.loads((toy.folder / "site" / "charts" / "game-rps-curve-1.json").read_text())
    lines = [trace for trace in curve["data"] if trace["mode"] == "lines+markers"]
    # Round by round: the second of three is the one that is slipped on.
    assert sorted(trace["y"] for trace in lines) == [[1, 0, 1], [1, 1, 1], [1, 1, 1]]
    assert 'href="../../../games/rps/gallery/signs-easy-01.html#steady-dull"' in pages["pairs/steady-dull"]
    boards = json.loads((toy.folder / "site" / "data" / "leaderboard.json").read_text())["rows"]
    assert {(row["game"], row["measure"]) for row in boards} == {("rps", "wins"), ("rps", "won"), ("rps", "rounds")}


def test_a_manifest_is_checked_by_what_the_game_declares(toy: Toy) -> None:
    text = MANIFEST.replace(', asked: "ASKED"', "").replace("name: Signer", "authors: [Kim]\nname: Signer")
    assert "valid" in toy.run("submission", "check", toy.manifest("sound", text=text))
    wrong = text.replace("rps-chooser", "rps-signer-two").replace("licence:", "rules: {rounds: 0}\nlicence:")
    said = toy.run("submission", "check", toy.manifest("wrong", text=wrong), status=2)
    assert "chooser.player: unknown player 'rps-signer-two'" in said
    assert "rules.rounds: must be at least 1" in said
    crowded = text.replace("licence:", "umpire: {player: rps-signer}\nlicence:")
    assert "umpire: unknown key" in toy.run("submission", "check", toy.manifest("third", text=crowded), status=2)


PAIR = Path(__file__).parents[2] / "submissions" / "builtin-captioner-sketch"


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed("toy_targets", tmp_path_factory)


@pytest.fixture
def user(tmp_path: Path, packages: Path) -> Toy:
    return Toy(tmp_path, packages)


def test_a_category_is_drawn_when_it_is_asked_for_and_played(user: Toy) -> None:
    asked = ["--category", "discs", "--category", "geometry", "--per-condition", "1", "--seed", "7"]
    user.run("instances", "build", *asked, "--out", "set")
    user.run("instances", "build", *asked, "--out", "again")
    made = read_instances(user.folder / "set")
    assert [(instance.category, instance.difficulty) for instance in made.instances] == [
        ("geometry", "easy"), ("geometry", "hard"), ("discs", "easy"), ("discs", "hard"),
    ]  # fmt: skip
    assert made.identity == read_instances(user.folder / "again").identity
    discs = {instance.difficulty: instance.scene for instance in made.instances if instance.category == "discs"}
    assert {name: len(scene.elements) for name, scene in discs.items() if scene} == {"easy": 1, "hard": 2}
    user.run("play", PAIR, "--instances", "set", "--category", "discs", "--out", "run")
    shown = json.loads(user.run("show", "run", "--json"))
    assert shown["episodes"] == 2


def test_a_category_with_kinds_of_its_own_goes_all_the_way_to_site_and_release(user: Toy) -> None:
    user.run("instances", "build", "--category", "clocks", "--per-condition", "3", "--seed", "7", "--out", "set")
    user.run("play", PAIR, "--instances", "set", "--out", "run")
    user.run("score", "run")
    assert json.loads((user.folder / "run/judges/verified.json").read_text())["categories"][-1] == "clocks"
    board = json.loads(user.run("results", "run", "--json"))
    assert "verified" in board["caption"]
    # Neither drawer nor describer of this pair knows clocks: what they show of one is little, and it is rated.
    facts = json.loads(user.run("results", "run", "--table", "facts", "--json"))
    kinds = {row["part"]: row["facts"] for row in facts["rows"] if row["difficulty"] == "hard"}
    assert kinds["text"] == 3 * 12
    user.run("site", "build", "--runs", "run", "--out", "site")
    assert "The hand at" in "".join(page.read_text() for page in (user.folder / "site").rglob("*.html"))
    user.run("release", "build", "--runs", "run", "--instances", "set", "--out", "release")
    assert "0 faults" in user.run("release", "check", "--no-load", "release")
    user.run("release", "pull", "release", "--out", "pulled")
    pulled = next((user.folder / "pulled").rglob("instances.jsonl"))
    assert '"kinds":{"dial":0.5,"hand":2.0}' in pulled.read_text()


def test_a_category_that_cannot_be_imported_stops_nothing_else(user: Toy) -> None:
    said = user.run("instances", "build", "--category", "torn", "--out", "set", status=1)
    assert "'category.torn' cannot be loaded" in said
    assert not (user.folder / "set").exists()
    user.run("instances", "build", "--category", "discs", "--per-condition", "1", "--out", "set")


def test_a_format_is_imported_by_its_name(user: Toy) -> None:
    (user.folder / "colours.txt").write_text("#ff0000\n#00ff00\n")
    user.run("instances", "import", "colours", "colours.txt", "--licence", "CC-BY-4.0", "--out", "set")
    made = read_instances(user.folder / "set")
    assert [(instance.instance_id, instance.category, instance.licence) for instance in made.instances] == [
        ("colour-01", "colours", "CC-BY-4.0"),
        ("colour-02", "colours", "CC-BY-4.0"),
    ]
    pictures = [read_picture(user.folder / "set" / instance.pictures["target"].image) for instance in made.instances]
    assert [picture.pixels[0, 0].tolist() for picture in pictures] == [[255, 0, 0], [0, 255, 0]]
    said = user.run("instances", "import", "colors", "colours.txt", "--out", "other", status=2)
    assert "Did you mean colours?" in said


SUBMISSIONS = Path(__file__).parents[2] / "submissions"
FLOOR = """{schema: 1, game: reasoning, name: floor, licence: CC0-1.0,
  drawer: {player: FLOOR}, reader: {player: FLOOR}}"""
SOLVED = {"quantity", "layout", "text", "jigsaw", "sudoku", "entity-named"}
"""Dimensions that solver and editor solve without exception; of the others they solve some."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One task of each dimension and difficulty; runs of the built-in players and the floors, scored."""
    folder = tmp_path_factory.mktemp("reasoning")
    done("instances", "build", "--game", "reasoning", "--per-condition", 1, "--out", folder / "tasks")
    places = [SUBMISSIONS / "solver-editor", SUBMISSIONS / "editor"]
    for floor in ("identity-editor", "random-editor"):
        places.append(folder / "submissions" / floor)
        places[-1].mkdir(parents=True)
        (places[-1] / "submission.yaml").write_text(FLOOR.replace("FLOOR", floor))
    for place in places:
        done("play", place, "--instances", folder / "tasks", "--out", folder / "runs" / place.name)
        done("score", folder / "runs" / place.name)
    return folder


def done(*words: object) -> None:
    assert ircore([str(word) for word in words]) == 0


def results(folder: Path) -> Results:
    return Results.from_runs([RunFolder(path) for path in sorted((folder / "runs").iterdir())])


def means(folder: Path, slug: str, measure: str) -> dict[str, float | None]:
    """Return the mean of a measure by dimension."""
    found = results(folder)
    run = next(run for run in found.every_run if run.run.slug == slug)
    return {name: found.mean(run.run.run_id, measure, category=name).mean for name in DIMENSIONS}


def test_solver_and_editor_solve_what_can_be_worked_out(folder: Path) -> None:
    verified = means(folder, "solver-editor", "verified")
    assert {name for name, mean in verified.items() if mean == 1} >= SOLVED
    assert verified["entity-described"] == 0  # it recognises things by name, not by description


def test_runs_with_and_without_thinking_are_conditions_of_their_own(folder: Path) -> None:
    """Each has ranks among runs by the same rules, and its own row where a submission played both."""
    rules = {row.submission.run.slug: row.submission.run.rules for row in list_board_rows(results(folder))}
    assert rules["solver-editor"] == {"thinking": True}
    assert all(not own.get("thinking") for slug, own in rules.items() if slug != "solver-editor")
    ranks = {row.submission.run.slug: row.rank_low for row in list_board_rows(results(folder))}
    assert (ranks["solver-editor"], ranks["editor"]) == (1, 1)


def test_without_thinking_nothing_is_worked_out(folder: Path) -> None:
    verified = means(folder, "editor", "verified")
    assert [verified[name] for name in ("quantity", "layout", "text")] == [0, 0, 0]
    assert [verified[name] for name in ("jigsaw", "sudoku", "entity-named")] == [1, 1, 1]


def test_an_untouched_picture_scores_nothing_and_floors_have_no_rank(folder: Path) -> None:
    verified = means(folder, "identity-editor", "verified")
    assert {name for name, mean in verified.items() if mean} <= {"recognition"}
    ranks = {row.submission.run.slug: row.rank_low for row in list_board_rows(results(folder))}
    assert ranks == {"solver-editor": 1, "editor": 1, "identity-editor": None, "random-editor": None}


def test_the_gap_is_between_drawing_and_recognising(folder: Path) -> None:
    drawn, recognised = (means(folder, "editor", measure) for measure in ("drawn", "recognised"))
    assert {name for name, mean in drawn.items() if mean is not None} == {"entity-named", "entity-described"}
    assert {name for name, mean in recognised.items() if mean is not None} == {"recognition"}


def test_a_table_has_both_scores_of_each_dimension(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    done("results", folder / "runs" / "identity-editor", "--table", "girbench", "--format", "json")
    rows = {row["dimension"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert list(rows) == list(DIMENSIONS)
    assert (rows["painting"]["tasks"], rows["painting"]["answered"]) == (2, 2)
    assert rows["painting"]["published"] == rows["painting"]["published_all"] == rows["painting"]["verified"] == 0
    assert rows["jigsaw"]["verified"] == 0
    assert rows["jigsaw"]["published"] is rows["jigsaw"]["each"] is None  # need a network for the FID
    assert rows["entity-named"]["published"] is None  # needs the weights of DINO


def test_the_runs_make_a_release_whose_transcripts_load(folder: Path, tmp_path: Path) -> None:
    runs = [folder / "runs" / name for name in ("solver-editor", "editor")]
    done("release", "build", "--runs", *runs, "--instances", folder / "tasks", "--out", tmp_path / "release")
    done("release", "check", "--no-load", tmp_path / "release")
    table = load_table(str(tmp_path / "release"), "scores")
    kept = {(row.run_id, row.episode_id, row.measure): row.note for row in table.dropna(subset=["note"]).itertuples()}
    said = {
        (run_id := RunFolder(path).run.run_id, f"{run_id}/{score.episode_id}", score.measure): score.note
        for path in runs
        for score in RunFolder(path).scores()
        if score.note
    }
    assert kept == said  # the verifier's reasons
    assert any("sudoku" in episode for _, episode, _ in said)
    steps = load_dataset(tmp_path / "release", "transcripts_reasoning", tmp=tmp_path / "cache")
    assert steps["rows"] == 2 * 2 * 9
    assert steps["first"]["game"] == "reasoning"
    assert {"told", "thought", "rendering", "choice", "missing"} <= set(steps["columns"])
