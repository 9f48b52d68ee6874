"""Plays the sample pair slowly and writes down every question asked: run as a script, to be killed at any moment.

Usage: slow_play.py INSTANCES RUN QUESTIONS SECONDS_PER_ANSWER
"""

import asyncio
import sys
from pathlib import Path

from samples import BlockGenerator, CentreDescriber, sample_run

from ircore.instances.store import read_instances
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, TextAnswer


class SlowDescriber(CentreDescriber):
    """Writes its question down, then takes its time."""

    async def describe(self, view: DescriberView) -> TextAnswer:
        await ask("describer", view.target.sha256, view.turn)
        return await super().describe(view)


class SlowGenerator(BlockGenerator):
    """The same for the generator; its message stands for the episode."""

    async def render(self, view: GeneratorView) -> PictureAnswer:
        await ask("generator", "|".join((*view.earlier, view.message)).replace(" ", "_"), view.turn)
        return await super().render(view)


async def ask(role: str, what: str, turn: int) -> None:
    """Write the question down in one call, then wait as for a model."""
    with questions.open("a") as file:
        file.write(f"{role} {what} {turn}\n")
    await asyncio.sleep(seconds)


if __name__ == "__main__":
    instances, folder, questions = read_instances(Path(sys.argv[1])), Path(sys.argv[2]), Path(sys.argv[3])
    seconds = float(sys.argv[4])
    sample_run(folder, instances, describer=SlowDescriber, generator=SlowGenerator, concurrency=3)
