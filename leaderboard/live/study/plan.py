"""The plan of a study, and a participant's place in it: consent first, then targets, with attention checks between.

A study has its targets in an order of their own for each participant.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError

from ircore.core.errors import InputError
from ircore.core.files import read_json, write_text
from ircore.core.records import Line, PlayerSpec, Record
from leaderboard.live.play_me.seats import DescriberTable

PLAN = "study.json"
WORDS = ("river", "garden", "window", "market", "summer", "bridge", "candle", "forest")
"""Words that attention checks ask for."""

Code = Annotated[str, StringConstraints(pattern=r"^p[0-9]{2,4}$")]

_UNTOLD = {"checked": None, "category": None, "difficulty": None, "instance": None}
"""Values that the page hides, since describers of the game are not shown them either."""
CONSENT, CHECKS = "consent.json", "checks.json"


class AttentionCheck(Record):
    """An attention check: a word to be typed after some targets."""

    after: int = Field(ge=1, description="Targets that have ended before it.")
    word: Line


class ParticipantSession(Record):
    """Targets and attention checks of one participant."""

    code: Code
    order: tuple[str, ...] = Field(description="Ids of all targets in the order in which they are shown.")
    checks: tuple[AttentionCheck, ...]


class BuiltStudy(Record):
    """A study as it was built.

    >>> generator, sessions = PlayerSpec(player="canvas"), plan_sessions(["a"], 1, 0)
    >>> made = BuiltStudy(consent="Yes?", generator=generator, max_turns=5, sessions=sessions)
    >>> made.session("p01").order
    ('a',)
    """

    schema_: Literal[1] = Field(default=1, alias="schema")
    consent: str = Field(max_length=20_000)
    generator: PlayerSpec
    max_turns: int = Field(ge=1, le=100)
    sessions: tuple[ParticipantSession, ...]

    def session(self, code: str) -> ParticipantSession:
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


def plan_sessions(targets: Sequence[str], participants: int, seed: int) -> tuple[ParticipantSession, ...]:
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
        ParticipantSession(
            code=f"p{number + 1:02d}",
            order=tuple(shuffled[place] for place in orders[number % len(orders)]),
            checks=tuple(
                AttentionCheck(after=count, word=word)
                for count, word in zip(after, rng.sample(WORDS, len(after)), strict=True)
            ),
        )
        for number in range(participants)
    )


def read_study(folder: Path) -> BuiltStudy:
    """Read the plan of a study.

    Raises:
        InputError: The folder holds no study.
    """
    plan = read_json(folder / PLAN, 10_000_000, "Name a folder that ircore study build wrote.")
    try:
        return BuiltStudy.model_validate(plan)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{folder / PLAN}: {where}: {first['msg']}", "Build the study anew.") from error


@dataclass
class StudyTable(DescriberTable):
    """Contents of the page for a participant: no scores and no facts, which models are not shown either.

    >>> from ircore.core.records import PlayerSpec
    >>> from leaderboard.live.study.plan import plan_sessions
    >>> made = plan_sessions(["a"], 1, 0)
    >>> study = BuiltStudy(consent="Yes?", generator=PlayerSpec(player="canvas"), max_turns=5, sessions=made)
    >>> StudyTable(Path("nowhere"), study=study, session=made[0]).has_consent
    False

    Attributes:
        study: The plan.
        session: The participant's part of it.
    """

    study: BuiltStudy | None = None
    session: ParticipantSession | None = None

    @property
    def has_consent(self) -> bool:
        """Whether the participant has agreed."""
        return (self.folder / CONSENT).exists()

    def as_dict(self) -> dict[str, Any]:
        """Return the state as JSON; nothing is asked before consent, nor while a check waits."""
        state = super().as_dict()
        check = self._find_waiting_check(len(state["ended"]))
        # Models are told no score while they play, so participants are told none.
        state["ended"] = [{**episode, "mine": None, "best": None} for episode in state["ended"]]
        waits = not self.has_consent or check is not None
        question = None if waits or state["question"] is None else {**state["question"], **_UNTOLD}
        consent = self.study.consent if self.study is not None and not self.has_consent else None
        study = {"consent": consent, "check": None if check is None or consent else check.word}
        return {**state, "question": question, "study": study}

    def take(self, posted: dict[str, Any]) -> bool:
        """Take consent, the word of a check, or an answer.

        Raises:
            ValueError: It is none of them.
        """
        if posted.get("consent") is True:
            write_text(self.folder / CONSENT, json.dumps({"consent": True}) + "\n")
            return True
        if isinstance(posted.get("check"), str):
            return self._take_check(posted["check"])
        if not self.has_consent:
            raise ValueError("consent comes first")
        return super().take(posted)

    def _find_waiting_check(self, ended: int) -> AttentionCheck | None:
        """Return the next check that is due and has no answer."""
        checks = self.session.checks if self.session is not None else ()
        answered = len(read_answers(self.folder))
        # Answers are counted, right or wrong: a check is asked once.
        due = [check for check in checks[answered:] if ended >= check.after]
        return due[0] if due else None

    def _take_check(self, word: str) -> bool:
        run = self._run("run")
        check = self._find_waiting_check(len(run.episodes()) if run is not None else 0)
        if check is None or not 0 < len(word.strip()) <= 100:
            return False
        checks = [*read_answers(self.folder), {"asked": check.word, "given": word.strip()}]
        write_text(self.folder / CHECKS, json.dumps(checks, indent=2) + "\n")
        return True


def read_answers(folder: Path) -> list[dict[str, str]]:
    """Return the answers to the attention checks of a participant's folder, each with the word that was asked for."""
    path = folder / CHECKS
    checks: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return checks


def is_passed(answer: dict[str, str]) -> bool:
    """Return whether an attention check was passed; letter case and marks around the word do not count."""
    return answer["given"].strip(" .\"'").casefold() == answer["asked"].casefold()
