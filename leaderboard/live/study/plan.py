"""The plan of a study: its targets, an order of them for each participant, and the attention checks."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from ircore.core.errors import InputError
from ircore.core.files import read_json
from ircore.core.records import Line, PlayerSpec, Record

PLAN = "study.json"
WORDS = ("river", "garden", "window", "market", "summer", "bridge", "candle", "forest")
"""Words that attention checks ask for."""

Code = Annotated[str, StringConstraints(pattern=r"^p[0-9]{2,4}$")]


class Check(Record):
    """An attention check: a word to be typed after some targets."""

    after: int = Field(ge=1, description="Targets that have ended before it.")
    word: Line


class Session(Record):
    """Targets and attention checks of one participant."""

    code: Code
    order: tuple[str, ...] = Field(description="Ids of all targets in the order in which they are shown.")
    checks: tuple[Check, ...]


class Study(Record):
    """A study as it was built.

    >>> generator, sessions = PlayerSpec(player="canvas"), plan_sessions(["a"], 1, 0)
    >>> made = Study(consent="Yes?", generator=generator, max_turns=5, sessions=sessions)
    >>> made.session("p01").order
    ('a',)
    """

    schema_: Literal[1] = Field(default=1, alias="schema")
    consent: str = Field(max_length=20_000)
    generator: PlayerSpec
    max_turns: int = Field(ge=1, le=100)
    sessions: tuple[Session, ...]

    def session(self, code: str) -> Session:
        """Return a participant's session.

        Raises:
            InputError: There is no such participant.
        """
        for session in self.sessions:
            if session.code == code:
                return session
        codes = f"{self.sessions[0].code} to {self.sessions[-1].code}"
        raise InputError(f"--participant {code}: not in this study", f"Name one of {codes}.")


def balance_orders(count: int) -> list[list[int]]:
    """Return orders of ``count`` things in which each stands at every place equally often.

    After E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments", Austral.
    J. Sci. Res. A 2 (1949): for an even number each also follows every other equally often; for an odd number the
    mirrored orders are added, so that this holds for all of them together.

    >>> balance_orders(4)
    [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]
    """
    first = [(step + 1) // 2 if step % 2 else (count - step // 2) % count for step in range(count)]
    rows = [[(place + shift) % count for place in first] for shift in range(count)]
    return rows if count % 2 == 0 else rows + [row[::-1] for row in rows]


def plan_sessions(targets: Sequence[str], participants: int, seed: int) -> tuple[Session, ...]:
    """Return a session for each participant: balanced orders, and an attention check after each third of the targets.

    Args:
        targets: Ids.
        participants: How many.
        seed: Of the numbering of targets and the words of the checks.
    """
    rng = random.Random(seed)
    # The design fixes orders of numbers; which target has which number is left to chance.
    shuffled = rng.sample(list(targets), len(targets))
    orders = balance_orders(len(targets))
    after = sorted({max(1, len(targets) // 3), max(1, 2 * len(targets) // 3)}) if len(targets) > 1 else []
    return tuple(
        Session(
            code=f"p{number + 1:02d}",
            order=tuple(shuffled[place] for place in orders[number % len(orders)]),
            checks=tuple(
                Check(after=count, word=word) for count, word in zip(after, rng.sample(WORDS, len(after)), strict=True)
            ),
        )
        for number in range(participants)
    )


def read_study(folder: Path) -> Study:
    """Read the plan of a study.

    Raises:
        InputError: The folder holds no study.
    """
    plan = read_json(folder / PLAN, 10_000_000, "Name a folder that ircore study build wrote.")
    try:
        return Study.model_validate(plan)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{folder / PLAN}: {where}: {first['msg']}", "Build the study anew.") from error
