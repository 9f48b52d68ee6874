"""Two players that need no service."""

import asyncio
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.players.base import ChoiceAnswer, PictureAnswer, Question, Traits
from toy_rps.game import BEATS
from toy_rps.instances import COLOURS

KNOWN = ("delay_s", "asked", "slip")


class _Slow:
    """What both have in common.

    Args:
        spec: ``parameters.delay_s``: seconds before each answer; ``parameters.asked``: a file that gets a line a
            question; ``parameters.slip``: every so-manieth question is answered wrongly.
    """

    TRAITS = Traits(needs="nothing", parameters=KNOWN)

    def __init__(self, spec: PlayerSpec) -> None:
        for name in spec.parameters:
            if name not in KNOWN:
                raise InputError(f"parameters.{name}: unknown", f"Known: {', '.join(KNOWN)}.")
        self._delay = float(str(spec.parameters.get("delay_s", 0)))
        self._asked = spec.parameters.get("asked")
        self._slip = int(str(spec.parameters.get("slip", 0)))

    async def _wait(self, seat: str, question: Question) -> None:
        if self._asked:
            with Path(str(self._asked)).open("a") as file:
                file.write(f"{seat} {question.step} {question.seed}\n")
        await asyncio.sleep(self._delay)


class Signer(_Slow):
    """Shows the sign as it is."""

    async def answer(self, question: Question) -> PictureAnswer:
        """Answer with the picture that was shown."""
        await self._wait("signer", question)
        return PictureAnswer(question.pictures[0].picture)


class Chooser(_Slow):
    """Tells signs by their colour."""

    async def answer(self, question: Question) -> ChoiceAnswer:
        """Choose what beats the sign."""
        await self._wait("chooser", question)
        red, green, blue = (int(value) for value in question.pictures[0].picture.pixels[8, 8])
        sign = COLOURS[red, green, blue]
        slipped = self._slip and question.step % self._slip == 0
        return ChoiceAnswer(sign if slipped else BEATS[sign])
