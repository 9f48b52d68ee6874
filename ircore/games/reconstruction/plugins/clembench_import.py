"""``ircore import clembench``: clembench's folders to a run folder.

A folder that ``ircore export clembench`` wrote comes back as the same run: identity, answers, episodes, scores and
judges. Its statements in clembench's fields and in ours must agree.

Episodes of any other folder are played again by our rules from their events. Of a round these are read: what the
describer (``Player 1``) was told and answered, the picture that goes along with the generator's (``Player 2``) answer,
and when. The target is the first picture that the describer is shown. Messages are parsed, tokens counted and outcomes
decided as in any other run.
"""

import asyncio
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.files import write_bytes, write_new_folder
from ircore.core.images import Picture
from ircore.core.plain_words import format_moment
from ircore.core.records import DIFFICULTIES, Instance, PictureFile, PlayerSpec, Record
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run, Submission
from ircore.games.base import EpisodeSetup
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.plugins.clembench import (
    DESCRIBER,
    EXPERIMENT,
    GENERATOR,
    INSTANCE,
    INTERACTIONS,
    MASTER,
    OURS,
    RUN,
    Played,
    ResultsFolder,
    build_interactions,
    collect_answers,
    list_places,
    pair_folder,
    parse_record,
    read_document,
)
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import CATEGORIES, RECONSTRUCTION, Rules
from ircore.instances.store import UNSTATED, InstanceSet, write_instances
from ircore.players.submission import LoadedSubmission
from ircore.runs.answers import RecordedTable
from ircore.runs.episode import record_ending
from ircore.runs.events import Call, CallKey, End, Event, EventEntry, Failure
from ircore.runs.folder import RunFolder, RunWriter, create_run
from ircore.runs.play import add_run_id, make_run

PLAYER = "clembench"
"""Name of the player in the submission of an imported run: no player of this project."""

LONGEST_WAIT = 24 * 3600.0
"""Longest plausible time between question and answer, seconds; longer times count as unknown."""


def read_foreign_target(results: ResultsFolder, folder: Path) -> tuple[Instance, dict[str, Picture]]:
    """Return the instance and target picture of a foreign folder.

    Raises:
        InputError: No picture was shown to the describer, or nothing says of which category it is.
    """
    path = folder / INTERACTIONS
    shown = [
        image
        for logged in _read_replayed(path).turns
        for event in logged
        if event.to == DESCRIBER
        for image in event.action.image
    ]
    if not shown:
        raise InputError(
            f"{path}: {DESCRIBER} was shown no picture", "The first picture that it is shown is the target."
        )
    picture = Picture.read_untrusted(results.image(path, shown[0]), shown[0])
    document = read_document(folder / "instance.json")
    category, difficulty = _read_labels(folder, document)
    name = format_instance_name(folder)
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
    return parse_record(TypeAdapter(Instance), folder / "instance.json", record), {"target": picture}


def build_foreign_run(results: ResultsFolder, instances: InstanceSet) -> Run:
    """Return the identity of an imported run: pair, rules and start from the files."""
    folders = list_played_folders(results)
    first = _read_replayed(folders[0] / INTERACTIONS)
    experiment = folders[0].parent / EXPERIMENT
    settings = read_document(experiment) if experiment.is_file() else {}
    known = {name: settings[name] for name in Rules.model_fields if name in settings}
    longest = max(len(_read_replayed(folder / INTERACTIONS).turns) for folder in folders)
    # Episodes may end before the limit, so the longest one gives only a lower bound for the limit.
    rules = parse_record(TypeAdapter(Rules), experiment, {"max_turns": max(longest, Rules().max_turns)} | known)
    names = [str(first.players.get(seat, {}).get("model_name", "unknown"))[:300] for seat in (DESCRIBER, GENERATOR)]
    names = [rules.remove_rules_key(name) for name in names]  # exported by this project, its own part taken out
    describer, generator = (PlayerSpec(player=PLAYER, model=name) for name in names)
    pair = Submission(
        schema_=1, name=" + ".join(names)[:300], describer=describer, generator=generator, licence=UNSTATED
    )
    slug = _format_slug("-".join(names))
    loaded = LoadedSubmission(slug, pair, results.pair)
    run = make_run(loaded, instances, rules, load_prompts("reconstruction"), 0)
    times = (_parse_moment(event.timestamp) for logged in first.turns for event in logged)
    started = min((format_moment(moment) for moment in times if moment is not None), default=run.started)
    return add_run_id(run.model_copy(update={"prompts": "clembench", "version": "clembench", "started": started}))


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


def replay_episode(
    results: ResultsFolder, folder: Path, instance: Instance, target: Picture, rules: Rules
) -> _Replayed:
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
    episode = record_ending(game, instance, asyncio.run(game.play(table, setup)))
    # An answer that our rules did not ask for, such as one after the end, is no part of the episode.
    calls = tuple(call for key, call in recorded.calls.items() if key in table.asked)
    drawn = {call.rendering.sha256 for call in calls if call.rendering is not None}
    if not isinstance(episode, Episode):
        raise TypeError("an episode of another game")
    return _Replayed(episode, calls, {sha256: pictures[sha256] for sha256 in pictures if sha256 in drawn})


def list_played_folders(results: ResultsFolder) -> list[Path]:
    """Return the folders of the instances that were played.

    Raises:
        InputError: None was.
    """
    folders = [folder for folder in results.instances() if (folder / INTERACTIONS).is_file()]
    if not folders:
        raise InputError(f"{results.pair}: no instance was played", f"A played instance has a file {INTERACTIONS}.")
    return folders


def format_instance_name(folder: Path) -> str:
    """Return the id of the instance in a folder, from the experiment and number."""
    return _format_slug(f"{folder.parent.name}-{folder.name.removeprefix('instance_')}")


def import_run(folder: Path, out: Path) -> RunFolder:
    """Make a run folder from a results folder of clembench, after all checks have passed.

    Args:
        folder: The results folder, or that of one pair in it.
        out: The run folder to make; it must not exist or be empty.

    Raises:
        InputError: It holds no such run, several, or one whose files do not fit together; or ``out`` holds something.
        WorkError: The place cannot be written.
    """
    results = ResultsFolder(folder)
    ours = read_document(results.pair / RUN).get(OURS) if (results.pair / RUN).is_file() else None
    identity = None if ours is None else _read_identity(results, ours)
    with tempfile.TemporaryDirectory(prefix="ircore-import-") as temporary:
        targets = _read_foreign_targets(results) if identity is None else _read_targets(results)
        instances = write_instances(Path(temporary) / "instances", targets, CATEGORIES)
        read = _read_foreign(results, instances) if identity is None else _read_results(results, instances, identity)
        return _write_run(out, read, instances)


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
    rounds = _read_replayed(path).turns
    # A round more than recorded: there the rules may ask once more, and meet a failure.
    for turn in range(1, len(rounds) + 2):
        events = rounds[turn - 1] if turn <= len(rounds) else []
        answers = (_read_description(events), _read_rendering(results, path, events, pictures))
        for role, call in zip(("describer", "generator"), answers, strict=True):
            key = CallKey(episode_id, turn, role)
            if call is None:
                failures.append(_build_missing_failure(key))
            else:
                calls[key] = Call(episode_id=episode_id, turn=turn, role=role, **call)
    return _Transcript(calls, tuple(failures), pictures)


def _read_description(events: list[_LoggedEvent]) -> dict[str, Any] | None:
    question, answered = _find_exchange(events, DESCRIBER)
    if answered is None:
        return None
    prompt = None if question is None else str(question.action.content)
    return {"prompt": prompt, "text": str(answered.action.content), "seconds": _compute_seconds(question, answered)}


def _read_rendering(
    results: ResultsFolder, path: Path, events: list[_LoggedEvent], pictures: dict[str, Picture]
) -> dict[str, Any] | None:
    question, answered = _find_exchange(events, GENERATOR)
    if answered is None or not answered.action.image:
        return None
    name = answered.action.image[0]
    picture = Picture.read_untrusted(results.image(path, name), name)
    pictures[picture.sha256] = picture
    return {"rendering": Rendering.of(picture), "seconds": _compute_seconds(question, answered)}


def _build_missing_failure(key: CallKey) -> Failure:
    if key.role == "describer":
        reason, answer = "provider_error", f"answer of {DESCRIBER}"
    else:
        reason, answer = "generator_no_image", f"picture of {GENERATOR}"
    return Failure.model_validate(
        {**key._asdict(), "reason": reason, "detail": f"Round {key.turn} records no {answer}."}
    )


def _find_exchange(events: list[_LoggedEvent], player: str) -> tuple[_LoggedEvent | None, _LoggedEvent | None]:
    """Return the question to a player and the player's answer in a round; None where the events lack them."""
    question = next((event for event in events if (event.source, event.to) == (MASTER, player)), None)
    return question, next((event for event in events if event.source == player), None)


def _read_replayed(path: Path) -> _Interactions:
    try:
        return _Interactions.model_validate(read_document(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{path}: {where}: {first['msg']}", "Give a file as clembench writes it.") from error


def _read_labels(folder: Path, document: dict[str, Any]) -> tuple[str, str]:
    """Return category and difficulty from the instance, else from the experiment's name, such as ``bar_graph_easy``."""
    words = _format_slug(folder.parent.name)
    category = document.get("category") or next((name for name in CATEGORIES if name in words), None)
    difficulty = document.get("difficulty") or next((name for name in DIFFICULTIES if name in words), None)
    if category is None or difficulty is None:
        raise InputError(
            f"{folder}: category and difficulty are not stated",
            "Write both into instance.json, or name the experiment like bar_graph_easy.",
        )
    return str(category), str(difficulty)


def _compute_seconds(question: _LoggedEvent | None, answered: _LoggedEvent) -> float:
    """Return the seconds between question and answer; 0 if times are missing or implausible."""
    first, last = _parse_moment(question.timestamp if question else ""), _parse_moment(answered.timestamp)
    # Python subtracts no time without a zone from a time with a zone.
    if first is None or last is None or (first.tzinfo is None) != (last.tzinfo is None):
        return 0.0
    seconds = (last - first).total_seconds()
    return round(seconds, 4) if 0 <= seconds <= LONGEST_WAIT else 0.0


def _parse_moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _format_slug(text: str) -> str:
    return (re.sub(r"[^a-z0-9_.]+", "-", text.lower()).strip("-._") or "unnamed")[:80]


class _OurRun(Record):
    """Fields of this project in ``run.json``."""

    run: Run
    judges: tuple[JudgeIdentity, ...] = ()


class _OurEpisode(Record):
    """Fields of this project in ``interactions.json``."""

    episode: Episode
    asked: tuple[Event, ...] = Field(default=(), description="Answers and failures, in the order in which they came.")
    scores: tuple[Score, ...] = ()


@dataclass(frozen=True)
class _Imported:
    """A run read from a results folder.

    Attributes:
        run: Identity of the run.
        episodes: Episodes in the order of the instance set, with questions and answers.
        judges: Identities of the judges.
        pictures: Every rendering by its SHA-256.
    """

    run: Run
    episodes: tuple[_OurEpisode, ...]
    judges: tuple[JudgeIdentity, ...]
    pictures: Mapping[str, Picture]


def _read_targets(results: ResultsFolder) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    for place in results.instances():
        path = place / INSTANCE
        document = read_document(path)
        instance = _refuse_unsafe(path, parse_record(TypeAdapter(Instance), path, document.get(OURS)))
        data = results.image(path, document.get("target_image"))
        file = instance.pictures["target"]
        yield instance, {"target": Picture.from_own_file(data, file, f"{path}: target", "Export the run again.")}


def _read_foreign_targets(results: ResultsFolder) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    return (read_foreign_target(results, place) for place in list_played_folders(results))


def _read_foreign(results: ResultsFolder, instances: InstanceSet) -> _Imported:
    run = build_foreign_run(results, instances)
    folders = {format_instance_name(place): place for place in list_played_folders(results)}
    episodes: list[_OurEpisode] = []
    pictures: dict[str, Picture] = {}
    for instance in instances.instances:
        played = replay_episode(
            results, folders[instance.instance_id], instance, instances.picture(instance, "target"), Rules.of(run)
        )
        episodes.append(_OurEpisode(episode=played.episode, asked=played.calls))
        pictures |= played.pictures
    return _Imported(run, tuple(episodes), (), pictures)


def _read_identity(results: ResultsFolder, document: object) -> _OurRun:
    """Return our part of ``run.json``; pair and rules must match the folder's name."""
    identity = parse_record(TypeAdapter(_OurRun), results.pair / RUN, document)
    if results.pair.name != (name := pair_folder(identity.run)):
        raise InputError(f"{results.pair}: its {RUN} states another pair or other rules", f"Call it {name}.")
    return identity


def _read_results(results: ResultsFolder, instances: InstanceSet, identity: _OurRun) -> _Imported:
    if identity.run.instance_set != instances.identity:
        where = results.pair / RUN
        raise InputError(f"{where}: its instances are not the set that it names", "Export the run again.")
    located = list_places(identity.run, instances.instances)
    episodes: list[_OurEpisode] = []
    pictures: dict[str, Picture] = {}
    for instance in instances.instances:
        place = located[instance.instance_id]
        path = results.root / place.folder / INTERACTIONS
        if not path.is_file():
            continue
        document = read_document(path)
        episode = parse_record(TypeAdapter(_OurEpisode), path, document.get(OURS))
        played = Played(identity.run, instance, episode.episode, collect_answers(_list_calls(episode)), place)
        _check_events(path, played, document)
        pictures |= _read_renderings(results, path, played)
        episodes.append(episode)
    return _Imported(identity.run, tuple(episodes), identity.judges, pictures)


def _list_calls(episode: _OurEpisode) -> Iterator[Call | Failure]:
    return (event for event in episode.asked if not isinstance(event, End))


def _check_events(path: Path, played: Played, document: dict[str, Any]) -> None:
    """Refuse an episode whose events and records disagree."""
    # In a run of this game an episode is named after its instance.
    if (played.episode.episode_id, played.episode.instance_id) != (played.instance.instance_id,) * 2:
        raise InputError(f"{path}: is the episode of another instance", "Export the run again.")
    # Both statements are kept in one file, and nobody could say which of two different ones was played.
    for key, value in build_interactions(played).items():
        if document.get(key) != value:
            raise InputError(
                f"{path}: {key} differs from the records under {OURS!r}",
                f"Export the run again, or take {OURS!r} out of all files to have it played from its events.",
            )


def _read_renderings(results: ResultsFolder, path: Path, played: Played) -> dict[str, Picture]:
    pictures = {}
    for rendering in played.episode.renderings.values():
        data = results.image(path, played.place.image(f"{rendering.sha256}.png"))
        where = f"{path}: rendering {rendering.sha256[:12]}…"
        pictures[rendering.sha256] = Picture.from_own_file(data, rendering, where, "Export the run again.")
    return pictures


def _write_run(out: Path, imported: _Imported, instances: InstanceSet) -> RunFolder:
    with write_new_folder(out) as folder:
        run = create_run(folder, imported.run, instances)
        for sha256, picture in imported.pictures.items():
            write_bytes(run.rendering_path(sha256), picture.data)
        with RunWriter(run) as writer:
            for episode in imported.episodes:
                writer.record(
                    [*(EventEntry(event) for event in _list_calls(episode)), EventEntry(End(episode=episode.episode))]
                )
        scores = [score for episode in imported.episodes for score in episode.scores]
        if scores:
            run.add_scores(scores)
        for judge in imported.judges:
            run.keep_judge(judge)
    return RunFolder(out)


def _refuse_unsafe(path: Path, instance: Instance) -> Instance:
    """Refuse a file name that would leave the folder of the set."""
    for file in instance.pictures.values():
        name = PurePosixPath(file.image)
        if name.is_absolute() or ".." in name.parts or "\\" in file.image or name.as_posix() != file.image:
            raise InputError(f"{path}: image {file.image[:120]!r} is not a safe file name", "Restore it.")
    return instance
