"""A describer's place at the game: questions and answers through the folder of the player ``human``; live scores."""

import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

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
    """Contents of the page for a run in which a person describes.

    >>> Table(Path("nowhere")).question is None
    True

    Attributes:
        folder: Holds ``instances``, ``desk`` (the player's folder), ``run``, and ``best``: a built-in pair's run.
        order: Ids of targets in the order in which they are shown; the rest follow as they are asked.
    """

    PAGE: ClassVar[str] = "describe.html"
    """The page of this seat."""
    ASKED: ClassVar[str] = "describer"
    """How the folders of this seat's questions begin."""

    folder: Path
    order: tuple[str, ...] = ()
    lock: threading.Lock = field(default_factory=threading.Lock)
    _checked: dict[tuple[str, str], Verification] = field(default_factory=dict)

    @cached_property
    def instances(self) -> InstanceSet:
        """The targets."""
        return read_instances(self.folder / "instances")

    @cached_property
    def _by_target(self) -> dict[str, Instance]:
        return {instance.pictures["target"].sha256: instance for instance in self.instances.instances}

    @property
    def question(self) -> Path | None:
        """The folder of the question that waits for an answer; None while the generator draws, or when all is over."""
        instructions = (self.folder / "desk").glob(f"{self.ASKED}-*/instructions.txt")
        waiting = [path.parent for path in instructions if not self.is_answered(path.parent)]
        return min(waiting, key=self._place) if waiting else None

    def is_answered(self, question: Path) -> bool:
        """Return whether a question has its answer."""
        return (question / "answer.txt").exists()

    def _place(self, question: Path) -> tuple[int, float]:
        """Return the place of a question among the waiting ones: by the order of targets, then the newest first."""
        instance = self._find_instance(question) if self.order else None
        known = instance is not None and instance.instance_id in self.order
        at = self.order.index(instance.instance_id) if instance is not None and known else len(self.order)
        return at, -(question / "instructions.txt").stat().st_mtime

    def _find_instance(self, question: Path) -> Instance | None:
        """Return the target of a question; None while it is still being written."""
        try:
            return self._by_target.get(read_picture(question / "target.png").sha256)
        except ImageError:
            return None

    def take(self, posted: dict[str, Any]) -> bool:
        """Take the page's answer: JSON with ``question`` and ``text``; False if no such question waits.

        Raises:
            ValueError: A field is missing or of another type.
        """
        if not all(isinstance(posted.get(key), str) for key in ("question", "text")):
            raise ValueError("question and text are needed")
        return self.answer(posted["question"], posted["text"])

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
        # Both parts come from the address: neither may lead out of the desk, nor to texts and answers.
        is_own = Path(question).name == question and Path(name).name == name and name.endswith(".png")
        is_own = is_own and question.startswith(f"{self.ASKED}-")
        return path if is_own and path.is_file() else None

    def as_dict(self) -> dict[str, Any]:
        """Return the state as JSON."""
        question, mine, best = self.question, self._run("run"), self._run("best")
        ended = {} if mine is None else {episode.episode_id: episode for episode in mine.episodes()}
        return {
            "total": len(self.instances.instances),
            "ended": [self._compare_episode(mine, best, episode) for episode in ended.values()]
            if mine is not None
            else [],
            "finished": len(ended) == len(self.instances.instances),
            "question": None if question is None else self._describe_question(question),
        }

    def _run(self, name: str) -> RunFolder | None:
        try:
            return RunFolder(self.folder / name) if (self.folder / name / RUN_FILE).is_file() else None
        except InputError:
            return None

    def _describe_question(self, question: Path) -> dict[str, Any] | None:
        """Return a question: its target, its renderings and the faults of the last rendering."""
        try:
            target = read_picture(question / "target.png")
            names = sorted((path.name for path in question.glob("rendering-*.png")), key=_number)
            last = read_picture(question / names[-1]) if names else None
        except ImageError:
            return None  # still being written
        instance = self._find_instance(question)
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
            "checked": None if last is None else self._build_facts(instance, target, last),
        }

    def _build_facts(self, instance: Instance, target: Picture, rendering: Picture) -> dict[str, Any] | None:
        verification = self._verified(instance, target, rendering)
        if verification is None:
            return None
        # The heaviest errors first, since only some are listed.
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
        # The page asks for the state again and again, and checking a picture is slow.
        key = (instance.instance_id, rendering.sha256)
        if key not in self._checked:
            self._checked[key] = verify_picture(target, instance.scene, rendering)
        return self._checked[key]

    def _compare_episode(self, run: RunFolder, best: RunFolder | None, episode: Episode) -> dict[str, Any]:
        others = {} if best is None else {other.episode_id: other for other in best.episodes()}
        other = others.get(episode.episode_id)
        return {
            "instance": episode.episode_id,
            "turns": len(episode.renderings),
            "outcome": episode.outcome,
            "mine": self._find_final_score(run, episode),
            "best": None if best is None or other is None else self._find_final_score(best, other),
        }

    def _find_final_score(self, run: RunFolder, episode: Episode) -> float | None:
        """Return the verified score of an episode's last rendering; None if there is none."""
        drawn = [*episode.renderings.values()]
        if not drawn:
            return None
        instance = next(iter(self.instances.instances.named({episode.instance_id})))
        verification = self._verified(instance, self.instances.picture(instance, "target"), run.rendering(drawn[-1]))
        return None if verification is None else verification.score


def _number(name: str) -> int:
    return int(name.removeprefix("rendering-").removesuffix(".png"))
