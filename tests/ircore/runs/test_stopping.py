"""Signals and failures while answers are under way: what is paid for is kept, and nothing more is asked."""

import asyncio
import signal
import time
from pathlib import Path

import pytest
from openai_server import serving
from pairs import begin_playing
from samples import BlockGenerator, CentreDescriber, sample_instances, sample_submission

from ircore.core.records import Rules
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.prompts import load_prompts
from ircore.players.base import DescriberView, TextAnswer
from ircore.players.calls import ProviderStopError
from ircore.runs.folder import RunFolder
from ircore.runs.play import make_run, open_run, play
from ircore.runs.session import PlayPlan

AT_ONCE = 8


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 3])
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_the_first_signal_waits_for_every_answer_under_way(
    tmp_path: Path, name: str, status: int, processes: int
) -> None:
    with serving(latency=1.0 * processes) as service:
        process = begin_playing(tmp_path, service, AT_ONCE, "--processes", str(processes))
        process.send_signal(getattr(signal, name))
        _, said = process.communicate(timeout=60)
        asked = service.count()
    assert process.returncode == status
    assert f"ircore: {name}: waiting for " in said
    assert said.splitlines()[-2:] == [f"ircore: stopped by {name}", "  Every answer is kept; the same command goes on."]
    assert len(RunFolder.open(tmp_path / "run").calls()) == asked  # every answer that was paid for
    if processes == 1:  # several begin one after the other, so that the first may ask again before the last begins
        assert asked == AT_ONCE  # none was sent after the signal
        assert "waiting for 8 answers under way" in said


@pytest.mark.slow
def test_the_second_signal_stops_the_wait(tmp_path: Path) -> None:
    with serving(latency=30.0) as service:
        process = begin_playing(tmp_path, service, AT_ONCE)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        while "once more stops at once" not in (line := process.stderr.readline()):
            assert line, "it ended without a word"
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=25)
    assert time.monotonic() - begun < 10
    assert process.returncode == 143
    assert RunFolder.open(tmp_path / "run").calls() == {}


@pytest.mark.slow
def test_a_provider_that_stops_one_episode_costs_no_answer_of_the_others(tmp_path: Path) -> None:
    class OneRefused(CentreDescriber):
        """The first question is refused at once; the others are answered a little later."""

        asked = 0

        async def describe(self, view: DescriberView) -> TextAnswer:
            OneRefused.asked += 1
            if OneRefused.asked == 1:
                raise ProviderStopError("the key is not valid", "Give another key.")
            await asyncio.sleep(0.2)
            return await super().describe(view)

    instances = sample_instances(tmp_path / "set")
    loaded, prompts = sample_submission(), load_prompts("reconstruction")
    run = make_run(loaded, instances, Rules(), prompts, seed=0)
    folder = open_run(tmp_path / "run", run, instances)
    plan = PlayPlan(run, instances, instances.instances, prompts, concurrency=4)
    spec = loaded.submission.describer
    players = {"describer": OneRefused(spec), "generator": BlockGenerator(spec)}
    with pytest.raises(ProviderStopError, match="the key is not valid"):
        play(plan, folder, ReconstructionGame(), players)
    assert [key.role for key in folder.calls()] == ["describer"] * 3
    assert OneRefused.asked == 4
