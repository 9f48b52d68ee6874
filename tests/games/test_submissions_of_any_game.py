"""What is done with submissions and runs, done for a game from outside: nothing below knows reconstruction's seats."""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toy_games import MANIFEST, Toy

pytestmark = pytest.mark.slow

SOUND = MANIFEST.replace(', asked: "ASKED"', "").replace("name: Signer", "authors: [Kim]\nname: Signer")
CHOOSER = "{player: rps-chooser, parameters: {delay_s: DELAY, slip: 3}}"
RECORDED = SOUND.replace(CHOOSER, "{player: recorded, source: human}")


def play(toy: Toy, submission: Path, out: str, *more: str) -> Path:
    toy.run("play", submission, "--instances", "instances", "--out", out, *more)
    return toy.folder / out


def events_of(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal.read_text().splitlines()]


def without_times(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in event.items() if key != "seconds"} for event in events]


def test_shards_of_any_game_are_joined(toy: Toy) -> None:
    submission = toy.manifest("fair", text=SOUND)
    whole = play(toy, submission, "whole", "--concurrency", "1")
    shards = [play(toy, submission, f"shards/{part}", "--shard", f"{part}/2", "--concurrency", "1") for part in (1, 2)]
    toy.run("score", *shards, whole)
    missing = toy.run("merge", shards[0], "--out", "half", status=2)
    assert "shard 2/2: not given" in missing
    assert "fair: 4 episodes of 2 shards" in toy.run("merge", *shards, "--out", "joined")
    joined = toy.folder / "joined"
    assert without_times(events_of(joined / "journal.jsonl")) == without_times(events_of(whole / "journal.jsonl"))
    # The values of its measures come along: nothing is left to compute.
    assert ", 0 new and " in toy.run("score", "joined")
    assert without_times(toy.json("results", "joined")["rows"]) == without_times(toy.json("results", "whole")["rows"])


@pytest.fixture
def packed(toy: Toy) -> Path:
    """Packed transcripts of a played pair; ``submissions/fair`` is its manifest."""
    play(toy, toy.manifest("fair", text=SOUND), "run")
    said = toy.run("submission", "pack", "run", "--out", "packed")
    assert "packed: 6 files" in said  # index, run, journal, three signs
    return toy.folder / "packed"


def rescore(toy: Toy, out: str, status: int = 0) -> str:
    words = ["maintain", "rescore", "submissions/fair", "--instances", "instances", "--transcripts", "packed"]
    return toy.run(*words, "--out", out, status=status)


def test_transcripts_of_any_game_are_rescored(toy: Toy, packed: Path) -> None:
    assert packed.is_dir()
    said = rescore(toy, "again")
    assert "4 episodes hold by the rules" in said
    # Signs are shown as they were given: no finding of a copy.
    assert "of_target" not in said
    toy.run("score", "run", "again")
    assert toy.json("results", "again")["rows"] == toy.json("results", "run")["rows"]


def alter(packed: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the events of packed transcripts as a forger would: the index names the new file's hash."""
    (folder,) = (path for path in packed.iterdir() if path.is_dir())
    journal = folder / "journal.jsonl"
    events = events_of(journal)
    for event in events:
        change(event)
    journal.write_text("".join(json.dumps(event) + "\n" for event in events))
    index = json.loads((folder / "pack.json").read_text())
    (entry,) = (file for file in index["files"] if file["path"] == "journal.jsonl")
    data = journal.read_bytes()
    entry |= {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "pack.json").write_text(json.dumps(index))


def test_an_answer_that_was_altered_is_refused(toy: Toy, packed: Path) -> None:
    def win(event: dict[str, Any]) -> None:
        if event["event"] == "end":
            for step in event["episode"]["steps"]:
                step["won"] = True

    alter(packed, win)
    said = rescore(toy, "again", status=2)
    # The third answer of each of the four episodes is wrong on purpose.
    assert "step 3: won is True; by the rules it is False" in said
    assert "4 findings in all" in said
    assert not (toy.folder / "again").exists()


def test_recorded_answers_are_those_of_the_instances(toy: Toy) -> None:
    """Otherwise a submitter could exchange what people answered."""
    play(toy, toy.manifest("fair", text=RECORDED), "run")
    toy.run("submission", "pack", "run", "--out", "packed")
    assert "4 episodes hold by the rules" in rescore(toy, "again")

    def choose_paper(event: dict[str, Any]) -> None:
        if event["event"] == "call" and event["role"] == "chooser":
            event["choice"] = "paper"

    alter(toy.folder / "packed", choose_paper)
    assert "step 1: the chooser's answer is not the recorded one" in rescore(toy, "third", status=2)


def test_transcripts_of_other_players_are_refused(toy: Toy, packed: Path) -> None:
    assert packed.is_dir()
    manifest = toy.folder / "submissions" / "fair" / "submission.yaml"
    manifest.write_text(manifest.read_text().replace("slip: 3", "slip: 2"))
    assert "chooser: the transcripts were played with" in rescore(toy, "again", status=2)
    manifest.write_text(manifest.read_text().replace("licence:", "rules: {rounds: 2}\nlicence:"))
    assert "rules: the transcripts were played with" in rescore(toy, "again", status=2)


def published(toy: Toy) -> Path:
    """Publish the run of ``submissions/fair``, played by the maintainers."""
    run = play(toy, toy.folder / "submissions" / "fair", "published/runs/fair", "--as-maintainers")
    toy.run("score", run)
    return run


def test_a_pair_waits_until_its_run_is_published(toy: Toy) -> None:
    toy.manifest("fair", text=SOUND)
    (toy.folder / "published" / "runs").mkdir(parents=True)
    assert "fair: to be played: no run of it is published" in toy.run(
        "maintain", "pending", "submissions", "--published", "published"
    )
    published(toy)
    assert toy.run("maintain", "pending", "submissions", "--published", "published") == "nothing is waiting\n"
    manifest = toy.folder / "submissions" / "fair" / "submission.yaml"
    manifest.write_text(manifest.read_text().replace("slip: 3", "slip: 2"))
    said = toy.run("maintain", "pending", "submissions", "--published", "published")
    assert "its players or rules changed since; before that, ircore maintain correct --run fair-" in said


def test_offline_players_of_any_game_are_played_again(toy: Toy) -> None:
    toy.manifest("fair", text=SOUND)
    run = published(toy)
    again = ["maintain", "reproduce", run, "--instances", "instances"]
    assert "1 of 1 run played again" in toy.run(*again, "--out", "again")
    journal = run / "journal.jsonl"
    events = events_of(journal)
    end = next(event for event in events if event["event"] == "end")
    end["episode"]["steps"][0]["choice"] = "rock" if end["episode"]["steps"][0]["choice"] != "rock" else "paper"
    journal.write_text("".join(json.dumps(event) + "\n" for event in events))
    process = toy.start(*again, "--out", "third")
    out, errors = process.communicate()
    assert process.returncode == 1
    assert f"{end['episode']['episode_id']}: step 1: another choice than was published" in out
    assert "1 episode differs" in errors


def test_a_season_of_any_game_is_committed_to_and_revealed(toy: Toy) -> None:
    begin = ["maintain", "season", "begin", "spring", "--game", "rps", "--per-condition", "2"]
    assert "2 pictures; commitment " in toy.run(*begin, "--out", "secret", "--publish", "spring.json")
    toy.run("maintain", "season", "reveal", "secret", "--publish", "spring.json")
    verify = ["maintain", "season", "verify", "spring.json", "--instances"]
    assert "the set is the one that was committed to" in toy.run(*verify, "secret/instances")
    assert "not the set of season spring" in toy.run(*verify, "instances", status=2)


def test_transcripts_of_any_game_are_updated_and_a_pair_withdrawn(toy: Toy) -> None:
    reference = f"transcripts: {{repo: kim/rounds, revision: {'a' * 40}, run: fair-01234567}}\n"
    pair = toy.manifest("fair", text=SOUND + reference)
    update = ["maintain", "update", pair, "--revision", "b" * 40, "--reason", "two rounds were lost"]
    assert "1 decision; fair is active" in toy.run(*update)
    assert f"revision: {'b' * 40}" in (pair / "submission.yaml").read_text()
    assert "2 decisions; fair is withdrawn" in toy.run("maintain", "withdraw", pair, "--reason", "a wrong model")
    steps = toy.json("maintain", "history", pair)["history"]
    former = [(step["kind"], step.get("former", {}).get("revision")) for step in steps]
    assert former == [("updated", "a" * 40), ("withdrawn", None)]
    assert "2 withdrawn, corrected" in toy.run("maintain", "decisions", "submissions", "--out", "withdrawals.jsonl")


def git(toy: Toy, *words: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=toy.folder, capture_output=True, check=True)


def test_a_change_is_checked_and_previewed(toy: Toy) -> None:
    git(toy, "init", "-q", "-b", "main")
    git(toy, "commit", "-q", "--allow-empty", "-m", "nothing yet")
    toy.manifest("fair", text=SOUND)
    git(toy, "add", "submissions")
    git(toy, "commit", "-qm", "the pair")
    assert "fair: valid for rps" in toy.run("submission", "check-change", "HEAD~1", "HEAD")
    pair = Path(__file__).parents[2] / "submissions" / "builtin-captioner-sketch"
    asked = ["--per-condition", "1", "--category", "geometry", "--difficulty", "easy"]
    toy.run("instances", "build", *asked, "--out", "targets")
    toy.run("play", pair, "--instances", "targets", "--out", "published/runs/pair")
    toy.run("score", "published/runs/pair")
    said = toy.run("maintain", "preview", "HEAD~1", "HEAD", "--published", "published", "--out", "site")
    assert "place  none yet: maintainers play it once it is merged" in said
    page = (toy.folder / "site" / "pairs" / "fair.html").read_text()
    assert "Rock, paper, scissors" in page
    assert "rps-signer" in page
    assert "ircore play submissions/fair" in page
    assert "nothing found" in toy.check("site")
    # The same page in the site itself, beside the pairs that were played.
    words = ["site", "build", "--runs", "published/runs/pair", "--submissions", "submissions", "--out", "site"]
    shutil.rmtree(toy.folder / "site")
    toy.run(*words)
    assert "rps-signer" in (toy.folder / "site" / "pairs" / "fair.html").read_text()
    published(toy)
    toy.run("site", "build", "--runs", "published/runs/pair", "published/runs/fair", *words[4:])
    # Played, it stands on the board of its game.
    assert not (toy.folder / "site" / "pairs" / "fair.html").exists()
