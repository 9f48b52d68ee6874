"""The sample players as another package would bring them: slow, and writing down every question that reaches them.

``parameters``: ``asked``, the file for the questions, and ``seconds`` an answer takes.
"""

import asyncio
import os
from pathlib import Path

from installed_packages import install_package
from samples import BlockGenerator, CentreDescriber

from ircore.core.records import PlayerSpec
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, PlayerError, TextAnswer


class SlowDescriber(CentreDescriber):
    """Says what the sample describer says."""

    async def describe(self, view: DescriberView) -> TextAnswer:
        await ask(self.spec, f"describer {view.target.sha256} {view.turn}")
        return await super().describe(view)


class SlowGenerator(BlockGenerator):
    """Draws what the sample generator draws."""

    async def render(self, view: GeneratorView) -> PictureAnswer:
        await ask(self.spec, f"generator {'|'.join((*view.earlier, view.message))} {view.turn}")
        return await super().render(view)


class UnwillingDescriber:
    """Never answers."""

    def __init__(self, spec: PlayerSpec) -> None: ...

    async def describe(self, view: DescriberView) -> TextAnswer:
        raise PlayerError("describer_refused", f"not even with {len(view.target.data)} bytes")


class LocalModel(UnwillingDescriber):
    """Breaks as a model on a graphics card may."""

    async def describe(self, view: DescriberView) -> TextAnswer:
        raise MemoryError("no room on the card")


async def ask(spec: PlayerSpec, question: str) -> None:
    """Write the question down in one call, with the process that was asked, then wait as for a model."""
    with Path(str(spec.parameters["asked"])).open("a") as file:
        file.write(f"{os.getpid()} {question}\n")
    await asyncio.sleep(float(str(spec.parameters["seconds"])))


def install(folder: Path) -> None:
    """Make the players known by name to every process that has ``folder`` in its path."""
    players = {
        "slow-describer": "SlowDescriber",
        "slow-generator": "SlowGenerator",
        "unwilling": "UnwillingDescriber",
        "local-model": "LocalModel",
    }
    lines = [f"{name} = slow_pair:{player}" for name, player in players.items()]
    install_package(folder, "slow-pair", "\n".join(("[ircore.players]", *lines, "")))
