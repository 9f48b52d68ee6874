"""Runs that lack results: no rank until they are played or declared final, which journal and releases keep."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from samples import CentreDescriber, sample_instances, sample_run, sample_submission
from transcripts import hand_in

from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import build_release
from ircore.commands.main import run as ircore
from ircore.games.reconstruction.records import list_turns
from ircore.players.base import DescriberView, PlayerError, TextAnswer
from ircore.results.model import Results
from ircore.runs.folder import RunFolder
from ircore.runs.play import declare_final
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.submissions.rescoring.rescore import RefusedError, rescore

pytestmark = pytest.mark.slow

BUILT_IN = Path(__file__).parents[3] / "submissions" / "builtin-classical-canvas"


class BreakingDescriber(CentreDescriber):
    """Its provider is down on the second turn of the target ``breaks_on``."""

    breaks_on = ""

    async def describe(self, view: DescriberView) -> TextAnswer:
        if view.turn == 2 and view.target.sha256 == self.breaks_on:
            raise PlayerError("provider_error", "The server is down.")
        return await super().describe(view)


@pytest.fixture
def broken(tmp_path: Path) -> RunFolder:
    """Seven of eight instances were begun; the first one failed after a rendering."""
    instances = sample_instances(tmp_path / "set", 2)
    describer = BreakingDescriber(sample_submission().submission.players["describer"])
    describer.breaks_on = instances.instances[0].pictures["target"].sha256
    folder = sample_run(tmp_path / "broken", instances, limit=7, describer=describer, concurrency=1)
    score_runs([folder], ScoringPlan(metrics=()), workers=1)
    return folder


def board_of(*runs: RunFolder) -> Sequence[tuple[int | None, str | None]]:
    return [(row.rank_low, row.cell.unranked) for row in Results.from_runs(runs).board("structural")]


def test_declaring_a_run_final_gives_what_is_missing_the_outcome_not_played(broken: RunFolder) -> None:
    assert board_of(broken) == [(None, "incomplete")]
    before = broken.episodes()
    assert declare_final(broken, broken.instances.instances) == 2
    assert board_of(broken) == [(1, None)]
    failed, *played, never = broken.episodes()
    assert tuple(played) == before[1:]
    assert (failed.outcome, failed.abort_reason) == ("aborted", "given_up")
    assert failed.detail == "declared final; provider_error: The server is down."
    assert list_turns(failed) == list_turns(before[0])  # what there was of it stays to be seen
    assert (never.abort_reason, never.detail, list_turns(never)) == (
        "given_up",
        "declared final; never played to an end",
        (),
    )
    # Nothing was taken out of the journal, and a second time there is nothing left to declare.
    assert [event.episode for event in broken.events() if event.event == "end"][:1] == [before[0]]
    assert declare_final(broken, broken.instances.instances) == 0
    cell = Results.from_runs([broken]).cell(broken.run.run_id, "structural")
    assert cell.score.mean is not None
    assert cell.main_score == pytest.approx(10 * cell.score.mean * 6 / 8)


def test_a_final_run_stays_final_in_a_release_and_when_it_is_pulled(broken: RunFolder, tmp_path: Path) -> None:
    build_release([broken.path], broken.path / "instances", tmp_path / "open")
    declare_final(broken, broken.instances.instances)
    build_release([broken.path], broken.path / "instances", tmp_path / "final")
    for name, expected in (("open", (None, "incomplete")), ("final", (1, None))):
        pull_release(tmp_path / name, tmp_path / f"{name}-pulled")
        (path,) = (tmp_path / f"{name}-pulled" / "runs").iterdir()
        assert board_of(RunFolder(path)) == [expected]


def test_commands_say_that_a_run_is_incomplete_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instances = sample_instances(tmp_path / "set")
    common = ["play", str(BUILT_IN), "--instances", str(instances.folder), "--out", str(tmp_path / "run")]
    assert ircore([*common, "--final"]) == 2
    assert "no run here" in capsys.readouterr().err
    assert ircore([*common, "--limit", "3"]) == 0
    assert ircore(["show", str(tmp_path / "run")]) == 0
    shown = capsys.readouterr().out
    assert "1 of 4 episodes have no result yet, so the run is incomplete and has no rank" in shown
    assert "with --final it counts them as not played" in shown
    assert ircore(["score", str(tmp_path / "run"), "--metric", "psnr"]) == 0
    assert "structural: no rank for builtin-classical-canvas-" in capsys.readouterr().err
    assert ircore(["results", str(tmp_path / "run")]) == 0
    assert "no rank: incomplete: 1 of 4 episodes have no result yet" in capsys.readouterr().out

    assert ircore([*common, "--final"]) == 0
    assert "1 episode declared final; they count as not played" in capsys.readouterr().err
    assert ircore(["show", str(tmp_path / "run"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["unfinished"], summary["abort_reasons"]) == (0, {"given_up": 1})
    assert ircore(["results", str(tmp_path / "run")]) == 0
    assert "incomplete" not in capsys.readouterr().out


def test_transcripts_with_episodes_declared_final_hold_by_the_rules(tmp_path: Path) -> None:
    handed = hand_in(tmp_path)
    first = RunFolder(tmp_path / "run").episodes()[0].episode_id

    def give_up(lines: list[dict[str, object]]) -> None:
        kept = [line for line in lines if first in json.dumps(line)]
        lines[:] = [line for line in lines if line not in kept]
        (ended,) = (line for line in kept if line["event"] == "end")
        episode = {**dict(ended["episode"]), "outcome": "aborted", "abort_reason": "given_up", "steps": []}  # type: ignore[call-overload]
        lines.append({"event": "end", "episode": {**episode, "detail": "declared final; never played to an end"}})

    handed.edit(give_up)
    handed.tidy()
    made = rescore(handed.submission, tmp_path / "rescored", handed.instances, handed.packed)
    assert made.folder.episodes()[0].abort_reason == "given_up"


def test_an_episode_that_was_played_cannot_be_declared_final(tmp_path: Path) -> None:
    handed = hand_in(tmp_path)

    def give_up(lines: list[dict[str, object]]) -> None:
        ended = next(line for line in lines if line["event"] == "end")
        ended["episode"] |= {"outcome": "aborted", "abort_reason": "given_up", "detail": "declared final"}  # type: ignore[operator]

    handed.edit(give_up)
    with pytest.raises(RefusedError, match="was declared final, but by the rules it has a result: converged"):
        rescore(handed.submission, tmp_path / "rescored", handed.instances, handed.packed)
