"""Decisions about a merged submission, and a few episodes of its run that maintainers play again."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from invented import invented_set
from known_values import known
from openai_server import OpenAIServer, serving
from pairs import play_pair, served_pair
from samples import sample_instances, sample_run
from transcripts import REVISION, write_manifest

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.submission_records import read_withdrawals
from ircore.players.submission import read_manifest
from ircore.runs.events import CallKey, Failure
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import make_provenance, read_provenance, write_provenance
from ircore.submissions import paid_answers
from ircore.submissions.check.change import check_tree
from ircore.submissions.decisions import (
    DECISIONS,
    Decision,
    add_decision,
    find_status,
    list_withdrawals,
    parse_decisions,
    read_decisions,
)
from ircore.submissions.seasons import CommittedSeason, select_slice
from ircore.submissions.spot_replay import SpotReplay, select_episodes


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    folder = tmp_path / "submissions" / "centre-block"
    write_manifest(folder, {"repo": "me/mine", "revision": REVISION, "run": "centre-block-01234567"})
    return folder


def command(*words: str | Path) -> int:
    return ircore(["maintain", *(str(word) for word in words)])


def test_nothing_has_happened_yet(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("history", pair) == 0
    assert capsys.readouterr().out == "centre-block: active, nothing was decided since it was merged\n"
    assert list(list_withdrawals(pair.parent)) == []


def test_a_dispute_is_marked_and_settled(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("dispute", pair, "--reason", "the pictures look traced", "--date", "2026-11-01") == 0
    assert find_status(read_decisions(pair)) == "disputed"
    (disputed,) = list_withdrawals(pair.parent)
    assert (disputed.kind, disputed.slug, disputed.removes) == ("disputed", "centre-block", False)
    assert command("settle", pair, "--reason", "played again with the same result", "--date", "2026-11-05") == 0
    assert find_status(read_decisions(pair)) == "active"
    assert list(list_withdrawals(pair.parent)) == []
    capsys.readouterr()
    assert command("settle", pair, "--reason", "once more") == 2
    assert "Nothing is disputed." in capsys.readouterr().err


def test_a_dispute_about_all_runs_is_not_settled_for_one(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("dispute", pair, "--reason", "r") == 0
    assert command("settle", pair, "--reason", "r", "--run", "one") == 2
    assert capsys.readouterr().err.endswith("no dispute about one to settle\n  Disputed: all runs, without --run.\n")


@pytest.mark.parametrize("kind", ["withdraw", "dispute"])
def test_what_was_done_is_not_done_again(pair: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(kind, pair, "--reason", "r") == 0
    before = (pair / DECISIONS).read_bytes()
    out, err = capsys.readouterr()
    assert "decisions.yaml: 1 decision; centre-block is " in out
    assert "open a pull request" in err
    assert command(kind, pair, "--reason", "r") == 2
    assert "all runs: " in capsys.readouterr().err
    assert (pair / DECISIONS).read_bytes() == before


def test_in_its_own_folder_a_submission_is_called_by_its_name(
    pair: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(pair)
    for path in (".", "submission.yaml"):
        assert command("history", path) == 0
        assert capsys.readouterr().out.startswith("centre-block: active")


@pytest.mark.parametrize(("reason", "problem"), [("", "--reason: is empty"), ("a\nb", "--reason: must be one line")])
def test_a_reason_is_one_line(pair: Path, reason: str, problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("withdraw", pair, "--reason", reason) == 2
    assert problem in capsys.readouterr().err


@pytest.mark.slow
def test_a_withdrawn_pair_leaves_the_next_release(tmp_path: Path, pair: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    assert command("withdraw", pair, "--reason", "a wrong model was named") == 0
    assert find_status(read_decisions(pair)) == "withdrawn"
    assert command("decisions", pair.parent, "--out", tmp_path / "w.jsonl") == 0
    (item,) = read_withdrawals(tmp_path / "w.jsonl")
    assert item.removes
    assert item.concerns(RunFolder(run.path).run)


@pytest.mark.slow
def test_decisions_about_no_run_are_left_out_unless_they_name_one(
    tmp_path: Path, pair: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pair may be withdrawn before anybody played it; a named run that is not there may be mistyped."""
    run = sample_run(tmp_path / "runs" / "run", sample_instances(tmp_path / "instances"))
    other = tmp_path / "submissions" / "other"
    shutil.copytree(pair, other)
    assert command("withdraw", other, "--reason", "never played") == 0
    assert command("update", pair, "--revision", "f" * 40, "--reason", "two episodes had failed") == 0
    assert command("dispute", pair, "--reason", "is it so") == 0
    for name in ("mistyped", "taken-back"):
        assert command("correct", pair, "--reason", "a broken server", "--run", f"centre-block-{name}") == 0
    assert command("reinstate", pair, "--reason", "no such run", "--run", "centre-block-taken-back") == 0
    out = tmp_path / "w.jsonl"
    assert command("decisions", pair.parent, "--out", out) == 0
    assert len(read_withdrawals(out)) == 6
    capsys.readouterr()
    assert command("decisions", pair.parent, "--runs", tmp_path / "runs", "--out", out) == 0
    kept = [(item.slug, item.kind, item.run_id) for item in read_withdrawals(out)]
    assert kept == [("centre-block", "disputed", None), ("centre-block", "corrected", "centre-block-mistyped")]
    assert read_withdrawals(out)[0].concerns(RunFolder(run.path).run)
    told = capsys.readouterr().err
    assert "left out: other: withdrawn on " in told
    assert told.count("concerns no run here") == 4


def test_an_update_names_new_transcripts_and_keeps_the_old_reference(pair: Path) -> None:
    manifest = (pair / "submission.yaml").read_text()
    new = "f" * 40
    assert (
        command("update", pair, "--revision", new, "--reason", "two episodes had failed", "--run", "centre-block-ab")
        == 0
    )
    named = known(read_manifest(pair).submission.transcripts)
    assert named.revision == new
    assert (pair / "submission.yaml").read_text() == manifest.replace(REVISION, new)
    (decision,) = read_decisions(pair)
    assert known(decision.former).revision == REVISION
    (run,) = list_withdrawals(pair.parent)
    assert (run.kind, run.run_id) == ("corrected", "centre-block-ab")


@pytest.mark.slow
def test_an_update_that_cannot_be_changes_nothing(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = (pair / "submission.yaml").read_text()
    assert command("update", pair, "--revision", "main", "--reason", "x") == 2
    assert "--revision: 'main' is no commit" in capsys.readouterr().err
    assert command("update", pair, "--revision", REVISION, "--reason", "x") == 2
    assert "names this commit already" in capsys.readouterr().err
    assert command("update", pair, "--revision", "e" * 40, "--reason", "x\ny") == 2
    assert (pair / "submission.yaml").read_text() == manifest
    assert not (pair / DECISIONS).exists()
    write_manifest(pair, None)
    assert command("update", pair, "--revision", "e" * 40, "--reason", "x") == 2
    assert "names no transcripts" in capsys.readouterr().err


@pytest.mark.slow
def test_an_update_takes_out_the_runs_of_the_former_transcripts_and_no_other(tmp_path: Path, pair: Path) -> None:
    """The new transcripts were played before they could be named: the day of the update says nothing of them."""
    former = read_manifest(pair).submission
    assert command("update", pair, "--revision", "f" * 40, "--reason", "two episodes had failed") == 0
    (item,) = list_withdrawals(pair.parent)
    known = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances")).run
    assert item.concerns(known.model_copy(update={"submission": former}))
    assert not item.concerns(known.model_copy(update={"submission": read_manifest(pair).submission}))


@pytest.mark.slow
def test_a_withdrawn_pair_comes_back_and_both_decisions_stay(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("reinstate", pair, "--reason", "r") == 2
    assert "all runs: not withdrawn" in capsys.readouterr().err
    assert command("withdraw", pair, "--reason", "a wrong model was named", "--date", "2026-11-01") == 0
    assert command("reinstate", pair, "--reason", "it was the right one", "--date", "2026-11-02") == 0
    assert find_status(read_decisions(pair)) == "active"
    assert [entry.kind for entry in read_decisions(pair)] == ["withdrawn", "reinstated"]
    kinds = [(entry.kind, entry.removes) for entry in list_withdrawals(pair.parent)]
    assert kinds == [("withdrawn", True), ("reinstated", False)]
    assert command("reinstate", pair, "--reason", "r") == 2
    assert command("withdraw", pair, "--reason", "for good", "--date", "2026-11-03") == 0
    assert find_status(read_decisions(pair)) == "withdrawn"


def test_one_run_comes_back_if_it_was_taken_off(pair: Path) -> None:
    assert command("correct", pair, "--reason", "a broken server", "--run", "one") == 0
    assert find_status(read_decisions(pair)) == "active"
    assert [run.run_id for run in list_withdrawals(pair.parent)] == ["one"]
    assert command("reinstate", pair, "--reason", "the server was whole", "--run", "two") == 2
    assert command("reinstate", pair, "--reason", "the server was whole", "--run", "one") == 0
    assert command("reinstate", pair, "--reason", "once more", "--run", "one") == 2


GOOD = {"date": "2026-11-01", "kind": "disputed", "reason": "r"}


@pytest.mark.parametrize(
    ("decisions", "problem"),
    [
        ([{"date": "2026-11-01"}], "decisions.0.kind"),
        ([{**GOOD, "date": "2026-02-30"}], "decisions.0.date"),
        ([{**GOOD, "kind": "deleted"}], "decisions.0.kind"),
        ([{**GOOD, "reason": "a\nb"}], "decisions.0.reason"),
        ([{**GOOD, "more": 1}], "decisions.0.more"),
        ("none", "decisions: "),
        ([{**GOOD, "date": "2026-11-02"}, GOOD], "decisions[1]: dated before the one above"),
    ],
)
def test_decisions_that_cannot_be(decisions: object, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_decisions(json.dumps({"decisions": decisions}).encode(), "x")
    assert problem in caught.value.problem
    assert "\n" not in caught.value.problem


def test_the_file_is_checked_with_all_submissions(pair: Path) -> None:
    add_decision(pair, Decision(date="2026-11-02", kind="disputed", reason="r"))
    assert [finding for finding in check_tree(pair.parent).findings if finding.level == "error"] == []
    with (pair / DECISIONS).open("a") as file:
        file.write("more: 1\n")
    (fault,) = [finding for finding in check_tree(pair.parent).findings if finding.level == "error"]
    assert fault.file == str(pair / DECISIONS)


def test_a_decision_before_the_last_one(pair: Path) -> None:
    add_decision(pair, Decision(date="2026-11-02", kind="disputed", reason="r"))
    with pytest.raises(InputError, match="is before its last decision"):
        add_decision(pair, Decision(date="2026-11-01", kind="settled", reason="r"))


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


def test_a_question_that_was_answered_after_all_was_not_refused() -> None:
    """Of the episodes a and b, which failed, b was asked once more and answered."""
    failures = [
        Failure(episode_id=name, turn=1, role="describer", reason=reason, detail="no", attempts=())
        for name, reason in (("a", "describer_refused"), ("b", "describer_refused"), ("c", "provider_error"))
    ]
    folder: Any = SimpleNamespace(failures=lambda: failures)
    instances = {name: SimpleNamespace(instance_id=name) for name in "abc"}
    known: Any = SimpleNamespace(instances=SimpleNamespace(select=lambda names: [instances[name] for name in names]))
    calls: Any = {CallKey("b", 1, "describer"): "an answer"}
    assert [failure.episode_id for failure, _ in paid_answers._find_refusals(folder, calls, known)] == ["a"]


def test_a_slice_is_of_as_many_conditions_as_there_are() -> None:
    """Of two categories and two difficulties with three pictures each."""
    committed = CommittedSeason(None, invented_set(3, ("geometry", "photos")), "ab" * 32)  # type: ignore[arg-type]
    for number in range(5):
        chosen = select_slice(committed, f"run-{number}", 4)
        assert len({(instance.category, instance.difficulty) for instance in chosen}) == 4
