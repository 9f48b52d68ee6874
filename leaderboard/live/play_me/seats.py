"""Seats that a person takes, a describer's, a generator's and a listener's, and the server of the page to play on.

A describer's questions and answers go through the folder of the player ``human``, and the page shows live scores. A
generator sees a describer's message, and draws or types a description. A listener in a reference game sees several
pictures and a message about one of them, and chooses.
"""

import asyncio
import base64
import binascii
import re
import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.files import write_bytes, write_text
from ircore.core.images import MAX_BYTES, ImageError, Picture, read_picture
from ircore.core.records import Instance
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.base import Generator, GeneratorView
from ircore.runs.folder import RUN_FILE, RunFolder
from ircore.scorers.verification.score import Verification, verify_picture
from leaderboard.live.loopback import LoopbackHandler, serve_locally

LONGEST = 5000
"""Characters of a message."""

MOST_WRONG = 12
"""Facts that are wrong, of those that are listed."""

DATA = "data:image/png;base64,"
MOST_WORDS = 40
"""Descriptions that are typed for one drawing."""

_CAPTION = re.compile(r"^shown-(\d+)\.png: Picture (\w+):$", re.MULTILINE)
_MESSAGE = re.compile(r"^Round (\d+)\. Which picture is meant by this message: (.*)$", re.MULTILINE)
_RIGHT, _WRONG = "That was right.", re.compile(r"That was wrong: picture (\w+) was meant\.")

PAGE = Path(__file__).parent / "page"
MOST_DRAWN = 4 * 1024 * 1024
"""Bytes of a request's body that holds a drawing."""


@dataclass
class DescriberTable:
    """Contents of the page for a run in which a person describes.

    >>> DescriberTable(Path("nowhere")).question is None
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
            names = sorted((path.name for path in question.glob("rendering-*.png")), key=_parse_turn)
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
        instance = next(iter(self.instances.instances.select({episode.instance_id})))
        verification = self._verified(instance, self.instances.picture(instance, "target"), run.rendering(drawn[-1]))
        return None if verification is None else verification.score


@dataclass
class DrawingTable(DescriberTable):
    """Contents of the page for a run in which a person draws.

    >>> DrawingTable(Path("nowhere")).question is None
    True

    Attributes:
        generator: Draws what a person types instead of drawing; None if nobody does.
    """

    PAGE: ClassVar[str] = "draw.html"
    ASKED: ClassVar[str] = "generator"

    generator: Generator | None = field(default=None, repr=False)

    def is_answered(self, question: Path) -> bool:
        """Return whether a question has its answer."""
        return (question / "picture.png").exists()

    def take(self, posted: dict[str, Any]) -> bool:
        """Take a drawing: JSON with ``question`` and ``picture``, a PNG as a data address.

        Raises:
            ValueError: A field is missing, or no picture.
        """
        if not all(isinstance(posted.get(key), str) for key in ("question", "picture")):
            raise ValueError("question and picture are needed")
        drawn, question = decode_data_address(posted["picture"]), self.question
        # The page may still show a question that was answered in another tab.
        if question is None or question.name != posted["question"]:
            return False
        write_bytes(question / "picture.png", drawn.data)
        return True

    async def drawn(self, posted: dict[str, Any]) -> str:
        """Return the generator's drawing of typed descriptions, as a data address.

        Args:
            posted: JSON with ``texts``, all descriptions so far.

        Raises:
            ValueError: There are no such texts, or nobody draws.
        """
        texts = posted.get("texts")
        if self.generator is None or not isinstance(texts, list) or not 0 < len(texts) <= MOST_WORDS:
            raise ValueError("texts are needed")
        if not all(isinstance(text, str) and 0 < len(text.strip()) <= LONGEST for text in texts):
            raise ValueError("texts are needed")
        view = GeneratorView(len(texts), texts[-1], tuple(texts[:-1]), None, 0, "")
        answer = await self.generator.render(view)
        return DATA + base64.b64encode(answer.picture.data).decode()

    def _describe_question(self, question: Path) -> dict[str, Any] | None:
        """Return a question: the message, the person's last drawing, and its score, but nothing of the target."""
        try:
            message = (question / "message.txt").read_text(encoding="utf-8").strip()
            previous = read_picture(question / "previous.png") if (question / "previous.png").exists() else None
        except (ImageError, OSError):
            return None  # still being written
        turn = int(question.name.split("-")[2])
        instance = self._find_target(turn, message)
        checked = None
        if previous is not None and instance is not None:
            checked = self._verified(instance, self.instances.picture(instance, "target"), previous)
        return {
            "name": question.name,
            "turn": turn,
            "message": message,
            "previous": None if previous is None else f"{question.name}/previous.png",
            "score": None if checked is None else checked.score,
            "width": None if instance is None else instance.pictures["target"].width,
            "height": None if instance is None else instance.pictures["target"].height,
        }

    def _find_target(self, turn: int, message: str) -> Instance | None:
        """Return the target that a message is about, by the run's record; None if the record lags behind."""
        run = self._run("run")
        ended = {episode.episode_id for episode in run.episodes()} if run is not None else set()
        for call in run.calls().values() if run is not None else ():
            said = call.role == "describer" and call.turn == turn and message in (call.text or "")
            # Two targets may have had the same message; only one episode is still being played.
            if said and call.episode_id not in ended:
                return next(iter(self.instances.instances.select({call.episode_id})), None)
        return None

    def target(self, name: str) -> Path | None:
        """Return the file of a target whose episode has ended, for the page to show beside the drawing."""
        run = self._run("run")
        ended = {episode.episode_id: episode for episode in run.episodes()} if run is not None else {}
        if name not in ended:
            return None
        instance = next(iter(self.instances.instances.select({ended[name].instance_id})))
        return self.instances.folder / instance.pictures["target"].image


def decode_data_address(address: str) -> Picture:
    """Return the picture of a data address.

    Raises:
        ValueError: It is no PNG, or too large.
    """
    # Base64 is a third longer than its bytes: twice the limit is surely too large, and is not decoded.
    if not address.startswith(DATA) or len(address) > 2 * MAX_BYTES:
        raise ValueError("no picture")
    try:
        return Picture.read_untrusted(base64.b64decode(address.removeprefix(DATA), validate=True), "the drawing")
    except (binascii.Error, ImageError, InputError) as error:
        raise ValueError("no picture") from error


@dataclass
class ListeningTable(DescriberTable):
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


class PlayHandler(LoopbackHandler):
    """Answers with the page, the state of the game, and pictures; takes messages, drawings and choices.

    >>> PlayHandler.is_allowed("127.0.0.1:8000", "http://127.0.0.1:8000")
    True
    """

    def __init__(self, *args: Any, table: DescriberTable, **options: Any) -> None:
        self._table = table
        if isinstance(table, DrawingTable):
            # A drawing is a PNG in Base64, much longer than any message.
            self.most_posted = MOST_DRAWN
        super().__init__(*args, directory=str(PAGE), **options)

    def do_GET(self) -> None:  # noqa: N802 - the base class's name
        """Answer a request."""
        if self.refuse():
            return
        path = unquote(urlsplit(self.path).path)
        if path == "/state.json":
            with self._table.lock:
                state = self._table.as_dict()
            self.send_json(state)
        elif path.startswith("/picture/"):
            question, _, name = path.removeprefix("/picture/").partition("/")
            self.send_own(self._table.file(question, name))
        elif path.startswith("/target/") and isinstance(self._table, DrawingTable):
            self.send_own(self._table.target(path.removeprefix("/target/")))
        else:
            self.send_own(PAGE / (self._table.PAGE if path == "/" else Path(path).name))

    def do_POST(self) -> None:  # noqa: N802 - the base class's name
        """Take an answer, or draw the typed words; JSON with the fields that the seat's table reads."""
        if self.refuse():
            return
        said = self.read_posted()
        path = urlsplit(self.path).path
        try:
            if not isinstance(said, dict):
                raise ValueError("an object is needed")
            if path == "/drawn" and isinstance(self._table, DrawingTable):
                self.send_json({"picture": asyncio.run(self._table.drawn(said))})
                return
            with self._table.lock:
                taken = self._table.take(said)
        except ValueError:
            self.send_error(400)
            return
        self.send_json({"taken": taken})


def serve_table(table: DescriberTable, port: int) -> AbstractContextManager[str]:
    """Serve while the block runs; yields the address; raises as ``serving``."""
    return serve_locally(partial(PlayHandler, table=table), port)


def _parse_turn(name: str) -> int:
    return int(name.removeprefix("rendering-").removesuffix(".png"))


def _count_right(episode: Any) -> int:
    """Return the rounds of an episode in which the choice was right."""
    return sum(bool(step.get("correct")) for step in episode.steps)
