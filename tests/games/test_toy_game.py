"""A game in a package of its own, from manifest to pages: nothing in this repository names it.

The package ``toy_rps`` (rock, paper, scissors with pictures) is installed by pip into a folder of its own. Every
command below runs as a user's would.
"""

import json
from pathlib import Path

import pytest
from toy_games import MANIFEST, Toy

pytestmark = pytest.mark.slow


def test_the_game_is_listed_and_says_what_it_declares(toy: Toy) -> None:
    assert "rps             Rock, paper, scissors (signer, chooser)" in toy.run("games")
    declared = toy.json("games", "show", "rps")
    seats = [(seat["name"], seat["answers"]) for seat in declared["seats"]]
    assert seats == [("signer", "picture"), ("chooser", "choice")]
    assert declared["measures"][0]["key"] == "wins"


def test_the_set_is_of_the_game_and_no_other_is_played_on_it(toy: Toy) -> None:
    assert "signs" in toy.run("instances", "show", "instances")
    classical = Path(__file__).parents[2] / "submissions" / "builtin-classical-canvas"
    said = toy.run("play", classical, "--instances", "instances", "--out", "run", status=2)
    assert "instances of the game rps" in said
    assert "plays reconstruction" in said


def test_runs_are_scored_by_the_games_own_measures_and_ranked_by_its_headline(toy: Toy) -> None:
    toy.run("play", toy.manifest("fair"), "--instances", "instances", "--out", "fair")
    perfect = toy.manifest("perfect", text=MANIFEST.replace(", slip: 3", ""))
    toy.run("play", perfect, "--instances", "instances", "--out", "perfect")
    # Of each episode: wins, rounds, and one value a round.
    assert "4 played episodes: 20 values, 20 new and 0 kept" in toy.run("score", "fair", "perfect")
    assert "20 values, 0 new and 20 kept" in toy.run("score", "fair")
    board = toy.json("results", "fair", "perfect")
    wins = [(row["submission"], round(row["wins"]["mean"], 6)) for row in board["rows"]]
    # The one that slips on every third question loses one of three rounds of every episode.
    assert wins == [("perfect", 1.0), ("fair", 0.666667)]
    rows = toy.json("results", "fair", "perfect", "--table", "outcomes")["rows"]
    outcomes = [(row["submission"], row["completed"], row["aborted"]) for row in rows]
    assert outcomes == [("perfect", 4, 0), ("fair", 4, 0)]
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
    # Round by round: the second of three is the one that is slipped on; the two that are right have one line.
    assert sorted(trace["y"] for trace in lines) == [[1, 0, 1], [1, 1, 1]]
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
    alone = toy.manifest("alone", text="\n".join(line for line in text.splitlines() if "chooser:" not in line))
    said = toy.run("play", alone, "--instances", "instances", "--out", "run", status=2)
    assert "submission.yaml: chooser: is missing" in said
    assert not (toy.folder / "run").exists()
