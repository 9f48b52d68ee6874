"""Runs of others in clembench's folders: each episode is played again by our rules from what its events record.

Of a round these are read: what the describer (``Player 1``) was told and answered, the picture that goes along with the
generator's (``Player 2``) answer, and when. The target is the first picture that the describer is shown. Messages are
parsed, tokens counted and outcomes decided as in any other run.
"""

import asyncio
import re
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from dataset_card.interchange.clembench import DESCRIBER, EXPERIMENT, GENERATOR, INTERACTIONS, MASTER
from dataset_card.interchange.clembench_files import ResultsFolder, parsed, read_document
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import (
    CATEGORIES,
    DIFFICULTIES,
    Episode,
    Instance,
    PlayerSpec,
    Rendering,
    Rules,
    Run,
    Submission,
)
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.rules import ReconstructionGame
from ircore.instances.store import InstanceSet
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, PlayerError, TextAnswer
from ircore.players.submission import LoadedSubmission
from ircore.runs.folder import Call
from ircore.runs.play import make_run, with_run_id

PLAYER = "clembench"
"""The player's name in the submission of such a run: no player of this project."""

UNSTATED = "LicenseRef-unstated"
"""The licence of what nobody stated one for."""

LONGEST_WAIT = 24 * 3600.0
"""Seconds between question and answer that are believed."""


class Action(BaseModel):
    """What an event is about."""

    type: str = ""
    content: Any = ""
    image: list[str] = Field(default_factory=list)


class LoggedEvent(BaseModel):
    """An event of ``interactions.json``, as far as it is read."""

    source: str = Field(alias="from")
    to: str
    timestamp: str = ""
    action: Action


class Interactions(BaseModel):
    """``interactions.json``, as far as it is read."""

    players: dict[str, dict[str, Any]] = Field(default_factory=dict)
    turns: list[list[LoggedEvent]]


class Replayed(NamedTuple):
    """An episode that was played again.

    Attributes:
        episode: As our rules see it.
        calls: What was answered.
        pictures: Its renderings by their SHA-256.
    """

    episode: Episode
    calls: tuple[Call, ...]
    pictures: dict[str, Picture]


def foreign_target(results: ResultsFolder, folder: Path) -> tuple[Instance, bytes]:
    """Return an instance of somebody else's folder and its picture, as a plain file.

    Raises:
        InputError: No picture was shown to the describer, or nothing says of which category it is.
    """
    path = folder / INTERACTIONS
    shown = [
        one for logged in _read(path).turns for event in logged if event.to == DESCRIBER for one in event.action.image
    ]
    if not shown:
        raise InputError(f"{path}: {DESCRIBER} was shown no picture", "The first one that it is shown is the target.")
    picture = Picture.from_untrusted(results.image(path, shown[0]), shown[0])
    document = read_document(folder / "instance.json")
    category, difficulty = _labels(folder, document)
    name = instance_name(folder)
    record = {
        "instance_id": name,
        "category": category,
        "difficulty": difficulty,
        "image": f"images/{name}.png",
        "sha256": picture.sha256,
        "width": picture.width,
        "height": picture.height,
        "source": document.get("source", f"clembench {folder.parent.name}/{folder.name}"),
        "licence": document.get("licence", UNSTATED),
    }
    return parsed(TypeAdapter(Instance), folder / "instance.json", record), picture.data


def foreign_run(results: ResultsFolder, instances: InstanceSet) -> Run:
    """Return the identity of somebody else's run: pair and rules as its files name them, when it began."""
    folders = played_folders(results)
    first = _read(folders[0] / INTERACTIONS)
    experiment = folders[0].parent / EXPERIMENT
    settings = read_document(experiment) if experiment.is_file() else {}
    known = {name: settings[name] for name in Rules.model_fields if name in settings}
    longest = max(len(_read(one / INTERACTIONS).turns) for one in folders)
    rules = parsed(TypeAdapter(Rules), experiment, {"max_turns": max(longest, Rules().max_turns)} | known)
    names = [str(first.players.get(seat, {}).get("model_name", "unknown"))[:300] for seat in (DESCRIBER, GENERATOR)]
    describer, generator = (PlayerSpec(player=PLAYER, model=name) for name in names)
    pair = Submission(
        schema_=1, name=" + ".join(names)[:300], describer=describer, generator=generator, licence=UNSTATED
    )
    slug = _slug("-".join(names))
    loaded = LoadedSubmission(slug, pair, results.pair)
    run = make_run(loaded, instances, rules, load_prompts("reconstruction"), 0, ReconstructionGame.name)
    times = [event.timestamp for logged in first.turns for event in logged if _moment(event.timestamp)]
    started = min(times, default=run.started)
    return with_run_id(run.model_copy(update={"prompts": "clembench", "version": "clembench", "started": started}))


def replay(results: ResultsFolder, folder: Path, instance: Instance, target: Picture, rules: Rules) -> Replayed:
    """Play an episode again.

    Raises:
        InputError: A file is damaged, or a picture is missing.
    """
    seats = _Recorded(results, folder / INTERACTIONS, instance.instance_id)
    prompts = load_prompts("reconstruction")
    episode = asyncio.run(ReconstructionGame().play(instance, target, seats, rules, prompts, 0))
    return Replayed(episode, tuple(seats.calls), seats.pictures)


def played_folders(results: ResultsFolder) -> list[Path]:
    """Return the folders of the instances that were played.

    Raises:
        InputError: None was.
    """
    found = [one for one in results.instances() if (one / INTERACTIONS).is_file()]
    if not found:
        raise InputError(f"{results.pair}: no instance was played", f"A played one has its {INTERACTIONS}.")
    return found


def instance_name(folder: Path) -> str:
    """Return the id of the instance in a folder, from its experiment and number."""
    return _slug(f"{folder.parent.name}-{folder.name.removeprefix('instance_')}")


class _Recorded:
    """Two players that answer as was recorded."""

    def __init__(self, results: ResultsFolder, path: Path, episode_id: str) -> None:
        self._results, self._path, self._episode_id = results, path, episode_id
        self._rounds = _read(path).turns
        self.calls: list[Call] = []
        self.pictures: dict[str, Picture] = {}

    async def describe(self, view: DescriberView) -> TextAnswer:
        asked, answered = self._exchange(view.turn, DESCRIBER)
        if answered is None:
            raise PlayerError("provider_error", f"Round {view.turn} records no answer of {DESCRIBER}.")
        text = str(answered.action.content)
        prompt = None if asked is None else str(asked.action.content)
        seconds = _seconds(asked, answered)
        call = Call(
            episode_id=self._episode_id, turn=view.turn, role="describer", prompt=prompt, text=text, seconds=seconds
        )
        self.calls.append(call)
        return TextAnswer(text, seconds=seconds)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        asked, answered = self._exchange(view.turn, GENERATOR)
        if answered is None or not answered.action.image:
            raise PlayerError("generator_no_image", f"Round {view.turn} records no picture of {GENERATOR}.")
        name = answered.action.image[0]
        picture = Picture.from_untrusted(self._results.image(self._path, name), name)
        seconds = _seconds(asked, answered)
        drawn = Rendering(sha256=picture.sha256, width=picture.width, height=picture.height)
        call = Call(episode_id=self._episode_id, turn=view.turn, role="generator", rendering=drawn, seconds=seconds)
        self.calls.append(call)
        self.pictures[picture.sha256] = picture
        return PictureAnswer(picture, seconds=seconds)

    def _exchange(self, turn: int, player: str) -> tuple[LoggedEvent | None, LoggedEvent | None]:
        """Return what a player was told last before its answer of a round, and the answer."""
        events = self._rounds[turn - 1] if turn <= len(self._rounds) else []
        asked = next((one for one in events if (one.source, one.to) == (MASTER, player)), None)
        return asked, next((one for one in events if one.source == player), None)


def _read(path: Path) -> Interactions:
    try:
        return Interactions.model_validate(read_document(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(one) for one in first["loc"])
        raise InputError(f"{path}: {where}: {first['msg']}", "Give a file as clembench writes it.") from error


def _labels(folder: Path, document: dict[str, Any]) -> tuple[str, str]:
    """Return category and difficulty: as the instance says, else as in the experiment's name ``bar_graph_easy``."""
    words = _slug(folder.parent.name)
    category = document.get("category") or next((one for one in CATEGORIES if one in words), None)
    difficulty = document.get("difficulty") or next((one for one in DIFFICULTIES if one in words), None)
    if category is None or difficulty is None:
        raise InputError(
            f"{folder}: nothing says which category and difficulty it is of",
            "Write both into instance.json, or name the experiment like bar_graph_easy.",
        )
    return str(category), str(difficulty)


def _seconds(asked: LoggedEvent | None, answered: LoggedEvent) -> float:
    """Return the time between question and answer; 0 where it is not recorded or cannot be."""
    first, last = _moment(asked.timestamp if asked else ""), _moment(answered.timestamp)
    if first is None or last is None or (first.tzinfo is None) != (last.tzinfo is None):
        return 0.0
    seconds = (last - first).total_seconds()
    return round(seconds, 4) if 0 <= seconds <= LONGEST_WAIT else 0.0


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _slug(text: str) -> str:
    return (re.sub(r"[^a-z0-9_.]+", "-", text.lower()).strip("-._") or "unnamed")[:80]
