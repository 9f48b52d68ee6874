"""A person's place at the game: questions and answers through the folder of the player ``human``, and live scores."""

import hashlib
import json
import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.images import ImageError, Picture, read_picture
from ircore.core.records import Instance
from ircore.instances.store import InstanceSet, read_instances
from ircore.runs.folder import RUN_FILE, RunFolder
from ircore.scorers.verification.score import Verification, verify_picture

LONGEST = 5000
"""Characters of a message."""

MOST_WRONG = 12
"""Facts that are wrong, of those that are listed."""


@dataclass
class Table:
    """What the page shows of a run in which a person describes.

    >>> Table(Path("nowhere")).question is None
    True

    Attributes:
        folder: Holds ``instances``, ``desk`` (the player's folder), ``run``, and ``best``: a built-in pair's run.
    """

    folder: Path
    lock: threading.Lock = field(default_factory=threading.Lock)
    _checked: dict[tuple[str, str], Verification] = field(default_factory=dict)

    @cached_property
    def instances(self) -> InstanceSet:
        """The targets."""
        return read_instances(self.folder / "instances")

    @cached_property
    def _by_target(self) -> dict[str, Instance]:
        return {instance.sha256: instance for instance in self.instances.instances}

    @property
    def question(self) -> Path | None:
        """The folder of the question that waits for an answer; None while the generator draws, or when all is over."""
        asked = (self.folder / "desk").glob("describer-*/instructions.txt")
        waiting = [path.parent for path in asked if not (path.parent / "answer.txt").exists()]
        return max(waiting, key=lambda path: path.stat().st_mtime) if waiting else None

    def answer(self, name: str, text: str) -> bool:
        """Answer the question that waits; False if it is another one, or the answer is empty or too long."""
        question = self.question
        if question is None or question.name != name or not 0 < len(text.strip()) <= LONGEST:
            return False
        write_text(question / "answer.txt", text.strip() + "\n")
        return True

    def file(self, question: str, name: str) -> Path | None:
        """Return a picture of a question; None if there is none of this name."""
        path = self.folder / "desk" / question / name
        is_own = Path(question).name == question and Path(name).name == name and name.endswith(".png")
        return path if is_own and path.is_file() else None

    def as_dict(self) -> dict[str, Any]:
        """Return the state as JSON."""
        question, mine, best = self.question, self._run("run"), self._run("best")
        ended = {} if mine is None else {episode.episode_id: episode for episode in mine.episodes()}
        return {
            "total": len(self.instances.instances),
            "ended": [self._compared(mine, best, episode) for episode in ended.values()] if mine is not None else [],
            "finished": len(ended) == len(self.instances.instances),
            "question": None if question is None else self._shown(question),
        }

    def _run(self, name: str) -> RunFolder | None:
        try:
            return RunFolder(self.folder / name) if (self.folder / name / RUN_FILE).is_file() else None
        except InputError:
            return None

    def _shown(self, question: Path) -> dict[str, Any] | None:
        """Return a question: its target, renderings and what is wrong with the last of them."""
        try:
            target = read_picture(question / "target.png")
            names = sorted((path.name for path in question.glob("rendering-*.png")), key=_number)
            last = read_picture(question / names[-1]) if names else None
        except ImageError:
            return None  # still being written
        instance = self._by_target.get(hashlib.sha256((question / "target.png").read_bytes()).hexdigest())
        if instance is None:
            return None
        return {
            "name": question.name,
            "instance": instance.instance_id,
            "category": instance.category,
            "difficulty": instance.difficulty,
            "turn": len(names) + 1,
            "target": f"{question.name}/target.png",
            "renderings": [f"{question.name}/{name}" for name in names],
            "checked": None if last is None else self._facts(instance, target, last),
        }

    def _facts(self, instance: Instance, target: Picture, rendering: Picture) -> dict[str, Any] | None:
        verification = self._verified(instance, target, rendering)
        if verification is None:
            return None
        wrong = sorted(
            (checked for checked in verification.facts if checked.verdict == "fails"),
            key=lambda checked: -checked.fact.weight,
        )
        return {
            "score": verification.score,
            "right": sum(checked.verdict == "holds" for checked in verification.facts),
            "wrong": len(wrong),
            "sentences": [checked.fact.sentence for checked in wrong[:MOST_WRONG]],
        }

    def _verified(self, instance: Instance, target: Picture, rendering: Picture) -> Verification | None:
        if instance.scene is None:
            return None
        key = (instance.instance_id, rendering.sha256)
        if key not in self._checked:
            self._checked[key] = verify_picture(target, instance.scene, rendering)
        return self._checked[key]

    def _compared(self, mine: RunFolder, best: RunFolder | None, episode: Episode) -> dict[str, Any]:
        others = {} if best is None else {other.episode_id: other for other in best.episodes()}
        other = others.get(episode.episode_id)
        return {
            "instance": episode.episode_id,
            "turns": len(episode.rendered_turns),
            "outcome": episode.outcome,
            "mine": self._final(mine, episode),
            "best": None if best is None or other is None else self._final(best, other),
        }

    def _final(self, run: RunFolder, episode: Episode) -> float | None:
        """Return the verified score of an episode's last rendering; None if there is none."""
        drawn = [turn.rendering for turn in episode.rendered_turns if turn.rendering is not None]
        if not drawn:
            return None
        instance = next(iter(self.instances.instances.named({episode.instance_id})))
        verification = self._verified(instance, self.instances.target(instance), run.rendering(drawn[-1]))
        return None if verification is None else verification.score


def _number(name: str) -> int:
    return int(name.removeprefix("rendering-").removesuffix(".png"))


def write_pair(folder: Path, generator: dict[str, Any]) -> Path:
    """Write the manifest of the pair of a person and a generator, and return its path."""
    seats = {
        "describer": {
            "player": "human",
            "parameters": {"folder": str(folder / "desk"), "poll_s": 0.1, "timeout_s": 86_400},
        },
        "generator": generator,
    }
    name = f"human + {generator.get('model') or generator['player']}"
    path = folder / "pair" / "submission.yaml"
    write_text(path, json.dumps({"schema": 1, "name": name, "licence": "CC0-1.0", **seats}, indent=2) + "\n")
    return path
