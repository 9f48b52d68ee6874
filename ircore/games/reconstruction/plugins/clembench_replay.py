"""Importing other people's runs in clembench's folders: episodes are played again by our rules from the events.

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

from ircore.core.days import written_moment
from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import DIFFICULTIES, Instance, PictureFile, PlayerSpec
from ircore.core.submission_records import Run, Submission
from ircore.games.base import EpisodeSetup
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.plugins.clembench import DESCRIBER, EXPERIMENT, GENERATOR, INTERACTIONS, MASTER
from ircore.games.reconstruction.plugins.clembench_files import ResultsFolder, parsed, read_document
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import CATEGORIES, RECONSTRUCTION, Rules
from ircore.instances.store import InstanceSet
from ircore.instances.withheld_pictures import UNSTATED
from ircore.players.submission import LoadedSubmission
from ircore.runs.episode import ended_episode
from ircore.runs.events import Call, CallKey, Failure
from ircore.runs.play import make_run, with_run_id
from ircore.runs.recorded_answers import RecordedTable

PLAYER = "clembench"
"""Name of the player in the submission of an imported run: no player of this project."""

LONGEST_WAIT = 24 * 3600.0
"""Longest plausible time between question and answer, seconds; longer times count as unknown."""


# BaseModel, because Record refuses unknown fields, and events of clembench have more fields than are read.
class _Action(BaseModel):
    """Action of an event."""

    type: str = ""
    content: Any = ""
    image: list[str] = Field(default_factory=list)


class _LoggedEvent(BaseModel):
    """The fields of an event of ``interactions.json`` that are read."""

    source: str = Field(alias="from")
    to: str
    timestamp: str = ""
    action: _Action


class _Interactions(BaseModel):
    """The fields of ``interactions.json`` that are read."""

    players: dict[str, dict[str, Any]] = Field(default_factory=dict)
    turns: list[list[_LoggedEvent]]


class _Replayed(NamedTuple):
    """An episode that was played again.

    Attributes:
        episode: The episode by our rules.
        calls: Recorded answers.
        pictures: Renderings by their SHA-256.
    """

    episode: Episode
    calls: tuple[Call, ...]
    pictures: dict[str, Picture]


def foreign_target(results: ResultsFolder, folder: Path) -> tuple[Instance, dict[str, Picture]]:
    """Return the instance and target picture of a foreign folder.

    Raises:
        InputError: No picture was shown to the describer, or nothing says of which category it is.
    """
    path = folder / INTERACTIONS
    shown = [
        image
        for logged in _read(path).turns
        for event in logged
        if event.to == DESCRIBER
        for image in event.action.image
    ]
    if not shown:
        raise InputError(
            f"{path}: {DESCRIBER} was shown no picture", "The first picture that it is shown is the target."
        )
    picture = Picture.from_untrusted(results.image(path, shown[0]), shown[0])
    document = read_document(folder / "instance.json")
    category, difficulty = _labels(folder, document)
    name = instance_name(folder)
    record = {
        "instance_id": name,
        "category": category,
        "difficulty": difficulty,
        # Pictures from outside are turned into PNG files, whatever they were.
        "game": RECONSTRUCTION,
        "pictures": {"target": PictureFile.of(f"images/{name}.png", picture)},
        "source": document.get("source", f"clembench {folder.parent.name}/{folder.name}"),
        "licence": document.get("licence", UNSTATED),
    }
    return parsed(TypeAdapter(Instance), folder / "instance.json", record), {"target": picture}


def foreign_run(results: ResultsFolder, instances: InstanceSet) -> Run:
    """Return the identity of an imported run: pair, rules and start from the files."""
    folders = played_folders(results)
    first = _read(folders[0] / INTERACTIONS)
    experiment = folders[0].parent / EXPERIMENT
    settings = read_document(experiment) if experiment.is_file() else {}
    known = {name: settings[name] for name in Rules.model_fields if name in settings}
    longest = max(len(_read(folder / INTERACTIONS).turns) for folder in folders)
    # Episodes may end before the limit, so the longest one gives only a lower bound for the limit.
    rules = parsed(TypeAdapter(Rules), experiment, {"max_turns": max(longest, Rules().max_turns)} | known)
    names = [str(first.players.get(seat, {}).get("model_name", "unknown"))[:300] for seat in (DESCRIBER, GENERATOR)]
    names = [rules.untagged(name) for name in names]  # exported by this project, its own part taken out
    describer, generator = (PlayerSpec(player=PLAYER, model=name) for name in names)
    pair = Submission(
        schema_=1, name=" + ".join(names)[:300], describer=describer, generator=generator, licence=UNSTATED
    )
    slug = _slug("-".join(names))
    loaded = LoadedSubmission(slug, pair, results.pair)
    run = make_run(loaded, instances, rules, load_prompts("reconstruction"), 0)
    times = (_moment(event.timestamp) for logged in first.turns for event in logged)
    started = min((written_moment(moment) for moment in times if moment is not None), default=run.started)
    return with_run_id(run.model_copy(update={"prompts": "clembench", "version": "clembench", "started": started}))


def replay(results: ResultsFolder, folder: Path, instance: Instance, target: Picture, rules: Rules) -> _Replayed:
    """Play an episode again.

    Raises:
        InputError: A file is damaged, or a picture is missing.
    """
    recorded = _read_episode(results, folder / INTERACTIONS, instance.instance_id)
    pictures, game = recorded.pictures, ReconstructionGame()
    table = RecordedTable(
        instance.instance_id, recorded.calls, recorded.failures, lambda rendering: pictures[rendering.sha256]
    )
    setup = EpisodeSetup(
        instance=instance, payload=None, pictures={"target": target}, rules=rules, prompts=load_prompts(game.name)
    )
    episode = ended_episode(game, instance, asyncio.run(game.play(table, setup)))
    # An answer that our rules did not ask for, such as one after the end, is no part of the episode.
    calls = tuple(call for key, call in recorded.calls.items() if key in table.asked)
    drawn = {call.rendering.sha256 for call in calls if call.rendering is not None}
    if not isinstance(episode, Episode):
        raise TypeError("an episode of another game")
    return _Replayed(episode, calls, {sha256: pictures[sha256] for sha256 in pictures if sha256 in drawn})


def played_folders(results: ResultsFolder) -> list[Path]:
    """Return the folders of the instances that were played.

    Raises:
        InputError: None was.
    """
    folders = [folder for folder in results.instances() if (folder / INTERACTIONS).is_file()]
    if not folders:
        raise InputError(f"{results.pair}: no instance was played", f"A played instance has a file {INTERACTIONS}.")
    return folders


def instance_name(folder: Path) -> str:
    """Return the id of the instance in a folder, from the experiment and number."""
    return _slug(f"{folder.parent.name}-{folder.name.removeprefix('instance_')}")


class _Transcript(NamedTuple):
    """Calls, failures and pictures in the events of an episode."""

    calls: dict[CallKey, Call]
    failures: tuple[Failure, ...]
    pictures: dict[str, Picture]


def _read_episode(results: ResultsFolder, path: Path, episode_id: str) -> _Transcript:
    """Return the answers of an episode; a round without an answer becomes a failure."""
    calls: dict[CallKey, Call] = {}
    failures: list[Failure] = []
    pictures: dict[str, Picture] = {}
    rounds = _read(path).turns
    # A round more than recorded: there the rules may ask once more, and meet a failure.
    for turn in range(1, len(rounds) + 2):
        events = rounds[turn - 1] if turn <= len(rounds) else []
        answers = (_described(events), _rendered(results, path, events, pictures))
        for role, call in zip(("describer", "generator"), answers, strict=True):
            key = CallKey(episode_id, turn, role)
            if call is None:
                failures.append(_missing(key))
            else:
                calls[key] = Call(episode_id=episode_id, turn=turn, role=role, **call)
    return _Transcript(calls, tuple(failures), pictures)


def _described(events: list[_LoggedEvent]) -> dict[str, Any] | None:
    question, answered = _exchange(events, DESCRIBER)
    if answered is None:
        return None
    prompt = None if question is None else str(question.action.content)
    return {"prompt": prompt, "text": str(answered.action.content), "seconds": _seconds(question, answered)}


def _rendered(
    results: ResultsFolder, path: Path, events: list[_LoggedEvent], pictures: dict[str, Picture]
) -> dict[str, Any] | None:
    question, answered = _exchange(events, GENERATOR)
    if answered is None or not answered.action.image:
        return None
    name = answered.action.image[0]
    picture = Picture.from_untrusted(results.image(path, name), name)
    pictures[picture.sha256] = picture
    return {"rendering": Rendering.of(picture), "seconds": _seconds(question, answered)}


def _missing(key: CallKey) -> Failure:
    if key.role == "describer":
        reason, answer = "provider_error", f"answer of {DESCRIBER}"
    else:
        reason, answer = "generator_no_image", f"picture of {GENERATOR}"
    return Failure.model_validate(
        {**key._asdict(), "reason": reason, "detail": f"Round {key.turn} records no {answer}."}
    )


def _exchange(events: list[_LoggedEvent], player: str) -> tuple[_LoggedEvent | None, _LoggedEvent | None]:
    """Return the question to a player and the player's answer in a round; None where the events lack them."""
    question = next((event for event in events if (event.source, event.to) == (MASTER, player)), None)
    return question, next((event for event in events if event.source == player), None)


def _read(path: Path) -> _Interactions:
    try:
        return _Interactions.model_validate(read_document(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{path}: {where}: {first['msg']}", "Give a file as clembench writes it.") from error


def _labels(folder: Path, document: dict[str, Any]) -> tuple[str, str]:
    """Return category and difficulty from the instance, else from the experiment's name, such as ``bar_graph_easy``."""
    words = _slug(folder.parent.name)
    category = document.get("category") or next((name for name in CATEGORIES if name in words), None)
    difficulty = document.get("difficulty") or next((name for name in DIFFICULTIES if name in words), None)
    if category is None or difficulty is None:
        raise InputError(
            f"{folder}: category and difficulty are not stated",
            "Write both into instance.json, or name the experiment like bar_graph_easy.",
        )
    return str(category), str(difficulty)


def _seconds(question: _LoggedEvent | None, answered: _LoggedEvent) -> float:
    """Return the seconds between question and answer; 0 if times are missing or implausible."""
    first, last = _moment(question.timestamp if question else ""), _moment(answered.timestamp)
    # Python subtracts no time without a zone from a time with a zone.
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
