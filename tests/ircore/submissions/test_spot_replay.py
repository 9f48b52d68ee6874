"""A few episodes of a submitter's run, played again by maintainers."""

import json
from pathlib import Path

import pytest
from known_values import known
from openai_server import OpenAIServer, serving
from pairs import play_pair, served_pair
from samples import sample_instances

from ircore.commands.main import run as ircore
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import make_provenance, read_provenance, write_provenance
from ircore.submissions.spot_replay import SpotReplay, select_episodes

COMMIT = "0" * 40


def test_which_episodes_are_played_follows_from_a_commit() -> None:
    names = [f"target-{number:03d}" for number in range(140)]
    drawn = select_episodes(names, "a-run", COMMIT)
    assert len(drawn) == 7
    assert drawn == select_episodes(reversed(names), "a-run", COMMIT)
    assert drawn != select_episodes(names, "a-run", "1" * 40)
    assert len(select_episodes(names[:10], "a-run", COMMIT)) == 7
    # Every episode is as likely as every other: of 7 × 400 draws each is due 20 times (σ 4.4).
    counts = dict.fromkeys(names, 0)
    for number in range(400):
        for name in select_episodes(names, "a-run", f"{number:040x}"):
            counts[name] += 1
    assert min(counts.values()) >= 4
    assert max(counts.values()) <= 42


@pytest.mark.parametrize(
    ("published", "replayed", "flagged"),
    [
        ([9.0, 8.5, 9.1], [3.0, 3.1, 2.9], True),
        ([9.0, 9.0, 9.0], [4.0, 4.0, 4.0], True),  # no spread at all
        ([8.0, 6.0, 7.0], [8.1, 6.2, 6.6], False),
        ([3.0, 3.1, 2.9], [9.0, 8.5, 9.1], False),  # the replay is better
        ([8.0, 6.0, 7.0], [7.7, 5.7, 6.7], False),  # surely worse, and by too little to mislead anybody
        ([9.0, 8.0, 2.0, 5.0], [3.0, 9.0, 4.0, 4.0], False),  # such a difference is chance
    ],
)
def test_only_a_replay_that_is_surely_and_much_worse_is_a_finding(
    published: list[float], replayed: list[float], flagged: bool
) -> None:
    scores = {f"episode-{place}": pair for place, pair in enumerate(zip(published, replayed, strict=True))}
    flag = SpotReplay(scores).flag
    assert (flag is not None) is flagged
    assert flag is None or flag.grave


def test_student_s_own_example() -> None:
    """Hours of sleep gained by two drugs (Student 1908, table): t = 4.06, two-sided p = .0028."""
    one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    other = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    scores = {f"patient-{place}": pair for place, pair in enumerate(zip(other, one, strict=True))}
    assert SpotReplay(scores).chance == pytest.approx(0.00283 / 2, abs=1e-5)


def published_run(folder: Path, service: OpenAIServer) -> Path:
    """A scored run of models behind a service, for which somebody vouches."""
    instances = sample_instances(folder / "set", per_condition=3)
    pair = served_pair(folder, service.base_url)
    assert play_pair(pair, instances, folder / "run") == 0
    assert ircore(["score", str(folder / "run"), "--every-turn"]) == 0
    write_provenance(folder / "run", make_provenance(pair))
    return folder / "run"


@pytest.mark.slow
def test_the_same_models_play_the_same_episodes_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(side=64) as service:
        run = published_run(tmp_path, service)
        words = ["maintain", "spot-replay", str(run), "--out", str(tmp_path / "replay"), "--commit", COMMIT]
        capsys.readouterr()
        assert ircore([*words, "--record", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["episode"] for row in rows} == set(select_episodes(scored(run), RunFolder(run).run.run_id, COMMIT))
    assert all(row["published"] == row["replay"] and row["same_words"] == "yes" for row in rows)
    provenance = known(read_provenance(run))
    assert provenance.flags == ()


def scored(run: Path) -> list[str]:
    return [episode.episode_id for episode in RunFolder(run).episodes()]


@pytest.mark.slow
def test_models_that_answer_otherwise_are_told_by_their_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(side=64) as service:
        run = published_run(tmp_path, service)
        service.turns = 1
        words = ["maintain", "spot-replay", str(run), "--out", str(tmp_path / "replay"), "--commit", COMMIT]
        capsys.readouterr()
        assert ircore([*words, "--format", "json"]) == 0
    assert {row["same_words"] for row in json.loads(capsys.readouterr().out)["rows"]} == {"no"}


@pytest.mark.attack
@pytest.mark.slow
def test_published_scores_that_the_models_do_not_reach_hold_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(side=64) as service:
        run = published_run(tmp_path, service)
        # The published pictures were better: as if the best of many had been handed in.
        text = (run / "scores.jsonl").read_text().splitlines()
        lines = [json.loads(line) for line in text]
        for line in lines:
            if line["measure"] == "similarity" and line["by"] == "structural" and line["value"] is not None:
                line["value"] = min(10.0, line["value"] + 3)
        (run / "scores.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        words = ["maintain", "spot-replay", str(run), "--out", str(tmp_path / "replay"), "--commit", COMMIT]
        assert ircore([*words, "--record"]) == 0
    assert "episodes are 3.0 points worse" in capsys.readouterr().err
    provenance = known(read_provenance(run))
    assert [flag.rule for flag in provenance.grave_flags] == ["replay_is_worse"]
