"""A season as maintainers run it: committed to, measured, probed, played, revealed, published, shown on the board.

Every step is a command of ``ircore``; the Hub and the model that is probed are servers on loopback.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_clients import Outcome
from hub_server import HubServer
from openai_server import serving

from ircore.instances.store import read_instances

pytestmark = pytest.mark.slow

Run = Callable[..., Outcome]
REPO = "org/season-2027-spring"
PAIR = Path(__file__).parents[3] / "submissions" / "builtin-captioner-sketch"
JUDGE = "schema: 1\nname: asked\nlabel: Asked\nplayer: openai\nmodel: m\nbase_url: URL\napi_key_env: TEST_API_KEY\n"


@pytest.mark.timeout(300)
def test_a_season_is_committed_to_played_and_published_with_its_proof(
    tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    def done(*words: object, **variables: str) -> str:
        outcome = ircore_on(*words, **variables)
        assert outcome.code == 0, outcome.err
        return outcome.out

    secret, published = tmp_path / "secret", tmp_path / "2027-spring.json"
    season = ("submission", "season")
    # The set is drawn in secret; the commitment is all that is published.
    done(*season, "begin", "2027-spring", "--out", secret, "--publish", published, "--per-condition", 1)
    kept = read_instances(secret / "instances")
    assert kept.identity not in published.read_text(encoding="utf-8")
    # Before anybody plays: is hard harder, and does the model of a pair know a target?
    statistics = json.loads(done("instances", "stats", secret / "instances", "--json"))
    assert not statistics["near_duplicates"]
    with serving() as server:
        server.judge = lambda _: "NO"
        (tmp_path / "judge.yaml").write_text(JUDGE.replace("URL", server.base_url), encoding="utf-8")
        probe = ("instances", "probe", secret / "instances", "--judge", tmp_path / "judge.yaml")
        done(*probe, "--out", tmp_path / "probe", TEST_API_KEY="sk-planted")
    assert json.loads((tmp_path / "probe" / "probe.json").read_text(encoding="utf-8"))["suspicious"] == []
    # A pair plays the public set and the secret one.
    done("instances", "build", "--out", tmp_path / "public", "--per-condition", 1, "-c", "bar_graph", "-c", "geometry")
    for name, targets in (("p", tmp_path / "public"), ("s", secret / "instances")):
        done("play", PAIR, "--instances", targets, "--out", tmp_path / name)
        done("score", tmp_path / name)
    # The season is over: the set is revealed, pushed, and anybody who pulls it can check it against the commitment.
    done(*season, "reveal", secret, "--publish", published)
    back = done("instances", "push", secret / "instances", "--repo", REPO)
    tag = back.split("--revision ")[1].split()[0]
    done("instances", "pull", REPO, "--revision", tag, "--out", tmp_path / "pulled")
    said = done(*season, "verify", published, "--instances", tmp_path / "pulled")
    assert "the set is the one that was committed to" in said
    # The gap of the pair is a column of the public board, with the proof.
    gaps = tmp_path / "gaps.json"
    done(*season, "gap", published, "--public", tmp_path / "p", "--secret", tmp_path / "s", "--out", gaps)
    (gap,) = json.loads(gaps.read_text(encoding="utf-8"))["gaps"]
    assert gap["mean"] == pytest.approx(main_score(done, tmp_path / "p") - main_score(done, tmp_path / "s"))
    done("site", "build", "--runs", tmp_path / "p", "--out", tmp_path / "site", "--season", gaps)
    board = (tmp_path / "site" / "boards" / "index.html").read_text(encoding="utf-8")
    assert "season 2027-spring" in board
    # The release of the public runs holds the gaps, and a check verifies them; the next release carries them on.
    build = ("release", "build", "--instances", tmp_path / "public")
    done(*build, "--runs", tmp_path / "p", "--season", gaps, "--out", tmp_path / "with-gaps")
    assert ": 0 faults in" in done("release", "check", tmp_path / "with-gaps", "--no-load")
    done(*build, "--former", tmp_path / "with-gaps", "--out", tmp_path / "next")
    for release in (tmp_path / "with-gaps", tmp_path / "next"):
        assert json.loads((release / "season_gaps.json").read_text(encoding="utf-8")) == json.loads(gaps.read_text())
    forged = (tmp_path / "next" / "season_gaps.json").read_text().replace(kept.identity, "0" * 64)
    (tmp_path / "next" / "season_gaps.json").write_text(forged)
    refused = ircore_on("release", "check", tmp_path / "next", "--no-load")
    assert refused.code == 1
    assert "season_gaps.json: season 2027-spring: the published identity and salt" in refused.out + refused.err
    # The runs on the season's set make a release of their own, which is checked as any other.
    done(
        "release", "build", "--runs", tmp_path / "s", "--instances", tmp_path / "pulled", "--out", tmp_path / "release"
    )
    assert ": 0 faults in" in done("release", "check", tmp_path / "release", "--no-load")


def main_score(done: Callable[..., str], run: Path) -> float:
    """Return the main score of the only run on a board."""
    (row,) = json.loads(done("results", run, "--judge", "verified", "--json"))["rows"]
    return float(row["main_score"]["mean"])
