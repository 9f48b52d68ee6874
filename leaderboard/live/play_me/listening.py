"""A listener's place at a reference game: several pictures, a message about one of them, and a choice."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ircore.core.errors import InputError
from ircore.instances.store import InstanceSet, read_instances
from ircore.runs.folder import RUN_FILE, RunFolder
from leaderboard.live.play_me.describer_seat import Table

_CAPTION = re.compile(r"^shown-(\d+)\.png: Picture (\w+):$", re.MULTILINE)
_MESSAGE = re.compile(r"^Round (\d+)\. Which picture is meant by this message: (.*)$", re.MULTILINE)
_RIGHT, _WRONG = "That was right.", re.compile(r"That was wrong: picture (\w+) was meant\.")


@dataclass
class ListeningTable(Table):
    """Contents of the page for a run in which a person listens.

    >>> ListeningTable(Path("nowhere")).question is None
    True
    """

    PAGE: ClassVar[str] = "listen.html"
    ASKED: ClassVar[str] = "choice"

    @cached_property
    def contexts(self) -> InstanceSet:
        """The contexts, each with its pictures."""
        read = read_instances(self.folder / "instances")
        if read.game != "reference":
            raise InputError(f"{self.folder}: its instances are no contexts", "Give --out another folder.")
        return read

    def as_dict(self) -> dict[str, Any]:
        """Return the state as JSON."""
        question, mine, best = self.question, self._find_run("run"), self._find_run("best")
        ended = {} if mine is None else {episode.episode_id: episode for episode in mine.episodes()}
        others = {} if best is None else {episode.episode_id: episode for episode in best.episodes()}
        return {
            "total": len(self.contexts.instances),
            "ended": [
                {
                    "instance": name,
                    "rounds": len(episode.steps),
                    "mine": _count_right(episode),
                    "best": _count_right(others[name]) if name in others else None,
                }
                for name, episode in ended.items()
            ],
            "finished": len(ended) == len(self.contexts.instances),
            "question": None if question is None else self._describe_question(question),
        }

    def _find_run(self, name: str) -> RunFolder | None:
        try:
            run = RunFolder(self.folder / name) if (self.folder / name / RUN_FILE).is_file() else None
        except InputError:
            return None
        return run if run is not None and run.game == "reference" else None

    def _describe_question(self, question: Path) -> dict[str, Any] | None:
        """Return a question: its pictures by label, the message, and how the last answer was."""
        try:
            words = (question / "instructions.txt").read_text(encoding="utf-8")
        except OSError:
            return None  # still being written
        captions, messages = _CAPTION.findall(words), _MESSAGE.findall(words)
        if not captions or not messages:
            return None
        pictures = {label: f"{question.name}/shown-{number}.png" for number, label in captions}
        # Only what precedes the last question can be about the last answer.
        before = words[: words.rfind(f"Round {messages[-1][0]}. Which")]
        wrong = _WRONG.findall(before)
        last = "" if not wrong and _RIGHT not in before else before.strip().splitlines()[-1]
        return {
            "name": question.name,
            "round": int(messages[-1][0]),
            "message": messages[-1][1],
            "pictures": pictures,
            "feedback": last if last == _RIGHT or _WRONG.fullmatch(last) else "",
        }


def _count_right(episode: Any) -> int:
    """Return the rounds of an episode in which the choice was right."""
    return sum(bool(step.get("correct")) for step in episode.steps)
