"""``ircore import clembench``: clembench's folders to a run folder.

A folder that ``ircore export clembench`` wrote comes back as the same run: identity, answers, episodes, scores and
judges. Its statements in clembench's fields and in ours must agree. Any other folder of this game is played
again by the rules from what its events record (``clembench_replay``).
"""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import Field, TypeAdapter

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.files import new_folder, write_bytes
from ircore.core.images import Picture
from ircore.core.records import Instance, Record
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run
from ircore.games.reconstruction.plugins.clembench import (
    INSTANCE,
    INTERACTIONS,
    OURS,
    RUN,
    Played,
    answers,
    interactions,
    pair_folder,
    places,
)
from ircore.games.reconstruction.plugins.clembench_files import ResultsFolder, parsed, read_document
from ircore.games.reconstruction.plugins.clembench_replay import (
    foreign_run,
    foreign_target,
    instance_name,
    played_folders,
    replay,
)
from ircore.games.reconstruction.records import CATEGORIES, Rules
from ircore.instances.store import InstanceSet, write_instances
from ircore.runs.events import Call, End, Entry, Event, Failure
from ircore.runs.folder import RunFolder, create_run
from ircore.runs.writer import RunWriter


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
    identity = None if ours is None else _identity(results, ours)
    with tempfile.TemporaryDirectory(prefix="ircore-import-") as temporary:
        targets = _foreign_targets(results) if identity is None else _targets(results)
        instances = write_instances(Path(temporary) / "instances", targets, CATEGORIES)
        read = _read_foreign(results, instances) if identity is None else _read(results, instances, identity)
        return _write(out, read, instances)


def _targets(results: ResultsFolder) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    for place in results.instances():
        path = place / INSTANCE
        document = read_document(path)
        instance = _refuse_unsafe(path, parsed(TypeAdapter(Instance), path, document.get(OURS)))
        data = results.image(path, document.get("target_image"))
        file = instance.pictures["target"]
        yield instance, {"target": Picture.from_own_file(data, file, f"{path}: target", "Export the run again.")}


def _foreign_targets(results: ResultsFolder) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    return (foreign_target(results, place) for place in played_folders(results))


def _read_foreign(results: ResultsFolder, instances: InstanceSet) -> _Imported:
    run = foreign_run(results, instances)
    folders = {instance_name(place): place for place in played_folders(results)}
    episodes: list[_OurEpisode] = []
    pictures: dict[str, Picture] = {}
    for instance in instances.instances:
        played = replay(
            results, folders[instance.instance_id], instance, instances.picture(instance, "target"), Rules.of(run)
        )
        episodes.append(_OurEpisode(episode=played.episode, asked=played.calls))
        pictures |= played.pictures
    return _Imported(run, tuple(episodes), (), pictures)


def _identity(results: ResultsFolder, document: object) -> _OurRun:
    """Return our part of ``run.json``; pair and rules must match the folder's name."""
    identity = parsed(TypeAdapter(_OurRun), results.pair / RUN, document)
    if results.pair.name != (name := pair_folder(identity.run)):
        raise InputError(f"{results.pair}: its {RUN} states another pair or other rules", f"Call it {name}.")
    return identity


def _read(results: ResultsFolder, instances: InstanceSet, identity: _OurRun) -> _Imported:
    if identity.run.instance_set != instances.identity:
        where = results.pair / RUN
        raise InputError(f"{where}: its instances are not the set that it names", "Export the run again.")
    located = places(identity.run, instances.instances)
    episodes: list[_OurEpisode] = []
    pictures: dict[str, Picture] = {}
    for instance in instances.instances:
        place = located[instance.instance_id]
        path = results.root / place.folder / INTERACTIONS
        if not path.is_file():
            continue
        document = read_document(path)
        episode = parsed(TypeAdapter(_OurEpisode), path, document.get(OURS))
        played = Played(identity.run, instance, episode.episode, answers(_calls(episode)), place)
        _compare(path, played, document)
        pictures |= _renderings(results, path, played)
        episodes.append(episode)
    return _Imported(identity.run, tuple(episodes), identity.judges, pictures)


def _calls(episode: _OurEpisode) -> Iterator[Call | Failure]:
    return (event for event in episode.asked if not isinstance(event, End))


def _compare(path: Path, played: Played, document: dict[str, Any]) -> None:
    """Refuse an episode whose events and records disagree."""
    # In a run of this game an episode is named after its instance.
    if (played.episode.episode_id, played.episode.instance_id) != (played.instance.instance_id,) * 2:
        raise InputError(f"{path}: is the episode of another instance", "Export the run again.")
    # Both statements are kept in one file, and nobody could say which of two different ones was played.
    for key, value in interactions(played).items():
        if document.get(key) != value:
            raise InputError(
                f"{path}: {key} differs from the records under {OURS!r}",
                f"Export the run again, or take {OURS!r} out of all files to have it played from its events.",
            )


def _renderings(results: ResultsFolder, path: Path, played: Played) -> dict[str, Picture]:
    pictures = {}
    for rendering in played.episode.renderings.values():
        data = results.image(path, played.place.image(f"{rendering.sha256}.png"))
        where = f"{path}: rendering {rendering.sha256[:12]}…"
        pictures[rendering.sha256] = Picture.from_own_file(data, rendering, where, "Export the run again.")
    return pictures


def _write(out: Path, imported: _Imported, instances: InstanceSet) -> RunFolder:
    with new_folder(out) as folder:
        run = create_run(folder, imported.run, instances)
        for sha256, picture in imported.pictures.items():
            write_bytes(run.rendering_path(sha256), picture.data)
        with RunWriter(run) as writer:
            for episode in imported.episodes:
                writer.record([*(Entry(event) for event in _calls(episode)), Entry(End(episode=episode.episode))])
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
