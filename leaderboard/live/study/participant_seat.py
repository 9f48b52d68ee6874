"""A participant's place: consent first, then targets in the participant's order, with attention checks between."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ircore.core.files import write_text
from leaderboard.live.play_me.describer_seat import Table
from leaderboard.live.study.plan import Check, Session, Study

_UNTOLD = {"checked": None, "category": None, "difficulty": None, "instance": None}
"""Values that the page hides, since describers of the game are not shown them either."""
CONSENT, CHECKS = "consent.json", "checks.json"


@dataclass
class StudyTable(Table):
    """Contents of the page for a participant: no scores and no facts, which models are not shown either.

    >>> from ircore.core.records import PlayerSpec
    >>> from leaderboard.live.study.plan import plan_sessions
    >>> made = plan_sessions(["a"], 1, 0)
    >>> study = Study(consent="Yes?", generator=PlayerSpec(player="canvas"), max_turns=5, sessions=made)
    >>> StudyTable(Path("nowhere"), study=study, session=made[0]).has_consent
    False

    Attributes:
        study: The plan.
        session: The participant's part of it.
    """

    study: Study | None = None
    session: Session | None = None

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

    def _find_waiting_check(self, ended: int) -> Check | None:
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
