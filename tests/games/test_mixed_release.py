"""A release of several games, from runs to the Hub and back; the toy game lies outside the packages.

One pair plays two pictures of reconstruction, two submissions play four instances of rock, paper, scissors.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hub_clients import HubClient
from hub_server import HubServer, running_hub
from releases import contents, rewrite
from toy_games import MANIFEST, Toy

from dataset_card.releases.record import read_release
from dataset_card.tables.schema import JOINS

pytestmark = pytest.mark.slow

FAIR = MANIFEST.replace(', asked: "ASKED"', "")
PERFECT = FAIR.replace(", slip: 3", "")
PAIR = Path(__file__).parents[2] / "submissions" / "builtin-captioner-sketch"
REPO = "org/games"
SETS = ("--instances", "targets", "signs")

LOADING = """
import json, sys
import datasets
place = sys.argv[1]
names = datasets.get_dataset_config_names(place)
tables = {name: datasets.load_dataset(place, name, split="test") for name in names}
default = datasets.load_dataset(place, split="test")
print(json.dumps({
    "default": default.column_names == tables["transcripts"].column_names and len(default),
    "rows": {name: len(table) for name, table in tables.items()},
    "columns": {name: table.column_names for name, table in tables.items()},
    "games": {name: sorted(set(table["game"])) for name, table in tables.items() if "game" in table.column_names},
    "steps": [[row["sign"].size, row["choice"], row["won"]] for row in tables["transcripts_rps"]],
    "pictures": sum("rock" in row["picture_names"] for row in tables["instances"]),
    "joined": len(set(tables["episodes"]["instance_id"]) - set(tables["instances"]["instance_id"])),
}))
"""

GROWN = """
import json, sys
import datasets
table = datasets.load_dataset(sys.argv[1], "transcripts_rps", split="test")
print(json.dumps([[row[name] for name in ("thought", "tags", "second")] for row in table]))
"""

RESULTS = """
import json, sys
import ircore
from dataset_card.data import load_results, load_table, load_transcripts
place = sys.argv[1]
board = load_results(place, game="rps")
print(json.dumps({
    "wins": {row.submission.run.slug: board.mean(row.submission.run_id, "wins").mean for row in board.board()},
    "boards": [ircore.board(place)["submission"].tolist(), ircore.board(place, game="rps")["submission"].tolist()],
    "rounds": len(ircore.table(place, "rounds", game="rps")),
    "judges": list(load_results(place).judges),
    "steps": len(load_transcripts(place, game="rps")),
    "default": list(load_table(place).columns)[:2],
    "scores": sorted(set(load_table(place, "scores")["game"])),
}))
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, packages: Path) -> Path:
    """Instance sets and scored runs of both games, and a release of them; not to be changed."""
    toy = Toy(tmp_path_factory.mktemp("played"), packages)
    toy.run("instances", "build", "--game", "rps", "--per-condition", "4", "--out", "signs")
    asked = ["--per-condition", "1", "--category", "geometry"]
    toy.run("instances", "build", *asked, "--out", "targets")
    for name, text in (("fair", FAIR), ("perfect", PERFECT)):
        toy.run("play", toy.manifest(name, text=text), "--instances", "signs", "--out", f"runs/{name}")
    toy.run("play", PAIR, "--instances", "targets", "--out", "runs/pair")
    toy.run("score", "runs/pair", "--metric", "ssim")
    toy.run("score", "runs/fair", "runs/perfect")
    toy.run("release", "build", "--runs", "runs/pair", "runs/fair", "runs/perfect", *SETS, "--out", "release")
    return toy.folder


@pytest.fixture
def mixed(played: Path, tmp_path: Path, packages: Path) -> Toy:
    """Commands in a folder with those sets, runs and that release."""
    for name in ("signs", "targets", "runs", "release"):
        shutil.copytree(played / name, tmp_path / name)
    return Toy(tmp_path, packages)


@pytest.fixture
def hub(mixed: Toy) -> Iterator[HubServer]:
    """A Hub that the commands talk to."""
    with running_hub() as server:
        packages = mixed.environment["PYTHONPATH"]
        mixed.client = HubClient(server, mixed.folder / "hf", mixed.folder, PYTHONPATH=packages)
        yield server
        mixed.client.close()


def test_every_table_loads_with_the_games_in_their_columns(mixed: Toy) -> None:
    loaded = python(mixed, LOADING, "release")
    # Of rps: 4 instances; 2 runs of 4 episodes of 3 rounds; a value each for rounds and wins, and one for each round.
    assert loaded["rows"]["transcripts_rps"] == 2 * 4 * 3
    assert loaded["rows"]["episodes"] == 2 * 4 + 2
    assert loaded["rows"]["instances"] == 4 + 2
    of_one = {"transcripts_rps": "rps"} | dict.fromkeys(("transcripts", "facts", "judges"), "reconstruction")
    both = ["reconstruction", "rps"]
    assert loaded["games"] == {name: [of_one[name]] if name in of_one else both for name in loaded["columns"]}
    assert all(columns[0] == "game" for columns in loaded["columns"].values())
    of_no_run = {name for name, columns in loaded["columns"].items() if "rules" not in columns}
    assert of_no_run == {"instances", "measures", "judges"}
    assert loaded["joined"] == 0
    assert loaded["default"] == loaded["rows"]["transcripts"]
    assert loaded["pictures"] == 4
    assert all(size == [16, 16] for size, _, _ in loaded["steps"])
    # One run slips on every third round, the other on none.
    assert sum(won for _, _, won in loaded["steps"]) == 2 * 4 * 3 - 4


def test_a_release_has_the_same_columns_whatever_games_are_in_it(mixed: Toy) -> None:
    mixed.run("release", "build", "--runs", "runs/pair", "--instances", "targets", "--out", "alone")
    alone, both = (
        {table["name"]: table for table in json.loads((mixed.folder / name / "release.json").read_text())["tables"]}
        for name in ("alone", "release")
    )
    assert {name: both[name] for name in alone} == alone
    assert both.keys() - alone.keys() == {"transcripts_rps"}


def test_the_check_computes_the_values_of_every_game_again(mixed: Toy) -> None:
    said = mixed.run("release", "check", "--no-load", "release", "--rescore", "--run-card")
    card = (mixed.folder / "release" / "README.md").read_text(encoding="utf-8")
    assert "The chooser sees the picture and chooses what beats it." in card
    assert "| chooser | the picture that the signer showed | a choice |" in card
    assert "are in `calls`" in (mixed.folder / "release" / "DATASHEET.md").read_text(encoding="utf-8")
    assert "computed again: 3 runs, 10 episodes by the rules" in said
    assert "rounds 8" in said
    assert "won 24" in said
    assert "structural" in said
    assert ": 0 faults in" in said


def test_a_pulled_release_gives_the_same_runs_boards_and_release(mixed: Toy) -> None:
    assert "3 runs, 10 episodes" in mixed.run("release", "pull", "release", "--out", "pulled")
    pulled = mixed.folder / "pulled"
    assert sorted(path.name for path in pulled.iterdir()) == ["LICENSE.md", "instances", "instances_rps", "runs"]
    runs = {json.loads((path / "run.json").read_text())["slug"]: path for path in (pulled / "runs").iterdir()}
    assert mixed.run("score", runs["fair"], runs["perfect"]).count("20 values, 0 new and 20 kept") == 2
    for names in (("pair",), ("fair", "perfect")):
        slugs = ["builtin-captioner-sketch" if name == "pair" else name for name in names]
        now = mixed.json("results", *(runs[slug] for slug in slugs))["rows"]
        assert now == mixed.json("results", *(f"runs/{name}" for name in names))["rows"]
    sets = ("--instances", pulled / "instances", pulled / "instances_rps")
    mixed.run("release", "build", "--runs", *runs.values(), *sets, "--out", "rebuilt")
    assert contents(mixed.folder / "rebuilt") == contents(mixed.folder / "release")
    mixed.run("release", "pull", "release", "--out", "one", "--run", runs["fair"].name)
    assert sorted(path.name for path in (mixed.folder / "one").iterdir()) == ["LICENSE.md", "instances", "runs"]


def test_a_release_grows_from_the_previous_one_and_loses_withdrawn_runs(mixed: Toy) -> None:
    mixed.run("release", "build", "--runs", "runs/pair", "runs/fair", *SETS, "--out", "first")
    said = mixed.run("release", "build", "--runs", "runs/perfect", *SETS, "--former", "first", "--out", "second")
    assert "runs 1 added" in said
    assert "MB as they were" in said
    assert tables(mixed.folder / "second") == tables(mixed.folder / "release")
    gone = {"slug": "fair", "kind": "withdrawn", "reason": "a wrong seed", "date": "2100-01-01"}
    (mixed.folder / "gone.jsonl").write_text(json.dumps(gone))
    withdrawing = ("--former", "second", "--withdrawals", "gone.jsonl", "--out", "third")
    assert "1 withdrawn" in mixed.run("release", "build", *SETS, *withdrawing)
    assert "0 faults" in mixed.run("release", "check", "third", "--no-load")
    record = read_release(mixed.folder / "third")
    assert {part.run_id for part in record.parts if part.config == "transcripts_rps"} == {
        part.run_id for part in record.parts if part.run_id and part.run_id.startswith("perfect")
    }
    assert "Withdrawn: `fair" in (mixed.folder / "third" / "CHANGELOG.md").read_text()


def test_a_set_that_is_missing_is_named(mixed: Toy) -> None:
    further = ("--instances", "targets", "--former", "release", "--out", "out")
    said = mixed.run("release", "build", *further, status=2)
    assert "release: has runs of rps, whose instance set was not given" in said
    assert not (mixed.folder / "out").exists()


def run_games(release: Path) -> list[str]:
    return sorted(json.loads(line)["game"] for line in (release / "runs.jsonl").read_text().splitlines())


def test_a_pulled_folder_stands_for_the_sets_of_all_games(mixed: Toy) -> None:
    mixed.run("release", "pull", "release", "--out", "pulled")
    common = ("--runs", "pulled/runs", "--former", "release")
    mixed.run("release", "build", *common, "--instances", "pulled", "--out", "again")
    assert run_games(mixed.folder / "again") == ["reconstruction", "rps", "rps"]
    # A set that is named goes first, also where it is a newer one: of that game the former runs are left out.
    mixed.run("instances", "build", "--game", "rps", "--per-condition", "2", "--out", "newer")
    mixed.run("release", "build", "--former", "release", "--instances", "newer", "pulled", "--out", "next")
    assert run_games(mixed.folder / "next") == ["reconstruction"]
    # Playing again goes by the same sets.
    again = ("maintain", "reproduce", "pulled/runs", "--out", "played-again")
    said = mixed.run(*again, "--instances", "targets", status=2)
    assert "no set of rps is given" in said
    assert "3 of 3 runs played again" in mixed.run(*again, "--instances", "targets", "--instances", "pulled")
    said = mixed.run(*again, "--instances", "newer", "--instances", "pulled", status=2)
    assert "was not played on the set in newer" in said


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph", "ignore:The inplace keyword")
def test_croissant_and_plain_joins_return_the_rows_that_are_there(mixed: Toy) -> None:
    mlc, croissant = pytest.importorskip("mlcroissant"), str(mixed.folder / "release" / "croissant.json")
    names = [table.name for table in read_release(mixed.folder / "release").tables]
    tables = {name: pd.read_parquet(mixed.folder / "release" / "data" / name) for name in names}
    # Opened for each: an object that was read from once may repeat rows of the next table. Tables of a release of one
    # game are read row by row in test_release_card.py; these are the ones that other games share, or have alone.
    for name in ("instances", "scores", "transcripts_rps"):
        assert sum(1 for _ in mlc.Dataset(croissant).records(name)) == len(tables[name]), name
    for name, frame in tables.items():
        for key, owner in JOINS.items():
            if key in frame:
                assert len(frame.merge(tables[owner], on=key)) == len(frame), (name, owner)
    steps = tables["scores"].dropna(subset="step").query("game == 'rps'")
    assert len(steps.merge(tables["transcripts_rps"], on=["episode_id", "step"])) == len(steps) > 0


def test_a_set_that_nobody_played_stays_out(mixed: Toy) -> None:
    mixed.run("instances", "build", "--game", "rps", "--per-condition", "2", "--out", "fewer")
    twice = ("--instances", "signs", "fewer", "--out", "out")
    mixed.run("release", "build", "--runs", "runs/fair", *twice)
    assert len(read_release(mixed.folder / "out").games) == 1


def test_a_release_goes_to_the_hub_and_comes_back(mixed: Toy, hub: HubServer) -> None:
    for slug, name in (("fair", "first"), ("perfect", "second")):
        former = () if name == "first" else ("--former", REPO)
        mixed.run("release", "build", "--runs", "runs/pair", f"runs/{slug}", *SETS, *former, "--out", name)
        said = mixed.run("release", "push", name, "--repo", REPO)
        assert 'turns = load_dataset("org/games", split="test"' in said
    tree = hub.repos[REPO].tree
    assert sum(path.startswith("data/transcripts_rps/") for path in tree) == 2
    assert b"rounds" in tree["verification.json"].data
    assert f"{REPO}: 0 faults in" in mixed.run("release", "check", "--no-load", REPO)
    mixed.run("release", "pull", REPO, "--out", "pulled")
    pulled = sorted((mixed.folder / "pulled" / "runs").glob("*ai*-*"))
    games = [path for path in pulled if json.loads((path / "run.json").read_text())["game"] == "rps"]
    was = mixed.json("results", "runs/fair")["rows"]
    assert mixed.json("results", next(path for path in games if path.name.startswith("fair")))["rows"] == was

    # Built upon nothing, it would make the published runs vanish.
    mixed.run("release", "build", "--runs", "runs/perfect", "--instances", "signs", "--out", "other")
    refused = mixed.run("release", "push", "other", "--repo", REPO, status=1)
    assert "was not built upon the newest release there" in refused
    assert mixed.client is not None
    merged = mixed.client.run("release", "push", "other", "--repo", REPO, "--rebase").err
    assert "merged with the newest release there" in merged
    assert {part.config for part in read_release(mixed.folder / "other").parts} >= {"transcripts", "transcripts_rps"}


def test_results_and_tables_load_in_python(mixed: Toy) -> None:
    assert python(mixed, RESULTS, "release") == {
        "wins": {"perfect": 1.0, "fair": pytest.approx(2 / 3)},
        "boards": [["builtin-captioner-sketch"], ["perfect", "fair"]],
        # Two pairs, three rounds.
        "rounds": 6,
        "judges": ["structural", "verified"],
        "steps": 24,
        "default": ["game", "run_id"],
        "scores": ["reconstruction", "rps"],
    }


def upgraded(mixed: Toy, fields: str) -> None:
    """Install a version of the game whose steps have more fields than those of the release."""
    newer = mixed.folder / "newer"
    shutil.copytree(mixed.packages, newer)
    game = newer / "toy_rps" / "game.py"
    last = '    won: bool = Field(description="Whether that beats the sign.")\n'
    game.write_text(game.read_text().replace(last, last + fields))
    mixed.environment = {**mixed.environment, "PYTHONPATH": str(newer)}


def test_fields_that_a_step_gained_since_the_release_read_as_their_defaults(mixed: Toy) -> None:
    upgraded(
        mixed,
        '    thought: str = Field(default="none", description="What the chooser thought.")\n'
        '    tags: tuple[str, ...] = ("a", "b")\n'
        "    second: Rendering | None = None\n",
    )
    said = mixed.run("release", "check", "--no-load", "release", "--rescore")
    assert "computed again: metrics rounds 8, ssim 4, wins 8, won 24" in said
    assert "release: 0 faults" in said
    assert "not checked" not in said
    # A release that grows from it has the new columns, with the defaults in the rows of earlier runs.
    mixed.run("release", "build", "--runs", "runs/perfect", "--instances", "signs", "--out", "grown")
    loaded = python(mixed, GROWN, "grown")
    assert loaded == [["none", ["a", "b"], None]] * 4 * 3
    assert "grown: 0 faults" in mixed.run("release", "check", "--no-load", "grown", "--rescore")


def test_a_field_without_a_default_is_named_as_what_keeps_a_release_from_being_checked(mixed: Toy) -> None:
    upgraded(mixed, "    thought: str\n")
    said, _ = mixed.start("release", "check", "--no-load", "release", "--rescore").communicate()
    told = "the installed game declares other columns of transcripts_rps; the release lacks thought"
    assert f"rescoring: not tried, because rps: rows not compared with its records: {told}" in said
    assert "not installed" not in said


def test_without_the_game_a_release_loads_and_the_check_says_what_is_open(mixed: Toy) -> None:
    mixed.environment = {name: value for name, value in mixed.environment.items() if name != "PYTHONPATH"}
    said = mixed.run("release", "check", "--no-load", "release")
    assert "not checked: the game rps is not installed here: its rows are not compared" in said
    assert "0 faults" in said
    assert "3 runs" in mixed.run("release", "pull", "release", "--out", "pulled")


Row = dict[str, Any]


def _lose_a_round(rows: list[Row]) -> None:
    next(row for row in rows if row["won"])["won"] = False


def _win_more(rows: list[Row]) -> None:
    # Of another run than the first, in which a round is lost.
    row = next(row for row in reversed(rows) if (row["measure"], row["step"]) == ("won", 1))
    row["value"] = 0.25


def _lead(rows: list[Row]) -> None:
    next(row for row in rows if row["game"] == "rps")["mean"] = 0.25


def _mix(rows: list[Row]) -> None:
    next(row for row in rows if row["game"] == "reconstruction")["turns"] = 99


def test_changed_rows_are_found(mixed: Toy) -> None:
    """In the rows themselves, or, where they agree with each other, when values are computed again."""
    for options, changes in (
        ((), {"leaderboard": (_lead, "mean is 0.25, the records say")}),
        ((), {"episodes": (_mix, "turns is 99, the records say")}),
        (("--rescore",), {"transcripts_rps": (_lose_a_round, "step 1, won: is 1, computed again 0"),
                          "scores": (_win_more, "step 1, won: is 0.25, computed again")}),
    ):  # fmt: skip
        name = "-".join(changes)
        shutil.copytree(mixed.folder / "release", mixed.folder / name)
        configs = {config.name: config for config in read_release(mixed.folder / name).configs}
        for table, (change, _) in changes.items():
            rewrite(mixed.folder / name, configs[table], change)
        result = mixed.outcome("release", "check", name, "--no-load", *options).out
        assert [said for _, said in changes.values() if said not in result] == []


def python(toy: Toy, program: str, *words: str) -> Any:
    """Run a program in the folder of the commands; returns the JSON that it prints last."""
    environment = toy.environment | {
        "HF_DATASETS_CACHE": str(toy.folder / "cache"),
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    }
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, env=environment, cwd=toy.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def tables(release: Path) -> dict[str, bytes]:
    return {name: data for name, data in contents(release).items() if name.endswith(".parquet")}
