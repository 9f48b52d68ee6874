"""A release of a game back to an instance set and run folders."""

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from dataset_card.games.check import GameReport, check_game_release
from dataset_card.games.release import read_game_release
from dataset_card.tables.parquet import read_table
from ircore.core.errors import WorkError
from ircore.core.files import new_folder, write_bytes
from ircore.core.game_records import GameEpisode, GameInstance, GameRun, GameScore
from ircore.core.images import Picture
from ircore.core.plugins import unknown
from ircore.core.records import Rendering
from ircore.instances.store import GameInstanceSet, write_game_instances
from ircore.runs.events import Entry, GameEnd
from ircore.runs.folder import GameRunFolder, create_run
from ircore.runs.writer import RunWriter

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


class PulledGame(NamedTuple):
    """What was written."""

    runs: tuple[Path, ...]
    episodes: int
    scores: int


def pull_game_release(release: Path, out: Path, run_id: str | None = None) -> PulledGame:
    """Write the instance set and the runs of a release below ``out``, which appears only when it is complete.

    The release is a stranger's: everything in it is checked before anything is written.

    Raises:
        InputError: There is no such run, or ``out`` holds something.
        WorkError: The release has faults, or the place cannot be written.
    """
    report = check_game_release(release, load=False)
    if report.faults:
        raise WorkError(
            f"{release}: {report.faults[0]} ({len(report.faults)} in all)", f"See: ircore release check {release}"
        )
    runs = [run for run in report.runs if run_id in (None, run.run_id)]
    if not runs:
        raise unknown("run", str(run_id), [run.run_id for run in report.runs])
    with new_folder(out) as folder:
        instances = write_game_instances(folder / "instances", _instances(release))
        if instances.identity != runs[0].instance_set:
            raise WorkError(f"{release}: its instances are not the set that its runs name")
        pictures = _step_pictures(release)
        done = [_write_run(folder / "runs" / run.run_id, run, instances, report, pictures) for run in runs]
    paths = tuple(out / "runs" / run.run_id for run in runs)
    return PulledGame(paths, sum(one[0] for one in done), sum(one[1] for one in done))


def _instances(release: Path) -> Iterator[tuple[GameInstance, dict[str, bytes]]]:
    record = read_game_release(release)
    config = next(config for config in record.configs if config.name == "instances").config()
    for _, row in read_table(release, config):
        instance = GameInstance.model_validate_json(str(row["record"]))
        pictures: dict[str, bytes] = {}
        for name, picture in instance.pictures.items():
            _refuse_unsafe(instance.instance_id, picture.image)
            cell: Any = row[f"picture_{name}"]
            pictures[name] = bytes(cell["bytes"])
        yield instance, pictures


def _refuse_unsafe(instance_id: str, image: str) -> None:
    """Refuse a file name that would leave the set's folder."""
    path = PurePosixPath(image)
    plain = path.as_posix() == image and "\\" not in image and path.suffix.lower() in SUFFIXES
    if not plain or path.is_absolute() or any(part.startswith(".") for part in path.parts):
        raise WorkError(f"instance {instance_id}: {image!r} is no file name to write to")


def _step_pictures(release: Path) -> dict[str, bytes]:
    """Return the pictures of all steps by SHA-256."""
    record = read_game_release(release)
    config = next(config for config in record.configs if config.default).config()
    pictures: dict[str, bytes] = {}
    for _, row in read_table(release, config):
        for column in config.images:
            cell: Any = row[column.name]
            if cell is not None:
                pictures[str(row[f"{column.name}_sha256"])] = bytes(cell["bytes"])
    return pictures


def _write_run(
    path: Path, run: GameRun, instances: GameInstanceSet, report: GameReport, pictures: dict[str, bytes]
) -> tuple[int, int]:
    """Write a run folder; returns how many episodes and values it has."""
    folder = create_run(path, run, instances)
    if not isinstance(folder, GameRunFolder):
        raise TypeError("a run of another game")
    steps: dict[str, list[dict[str, Any]]] = {}
    for row in report.tables[f"transcripts_{run.game}"]:
        if row["run_id"] == run.run_id:
            steps.setdefault(row["episode_id"], []).append(json.loads(row["record"]))
    episodes = [
        GameEpisode(
            **{
                name: row[name]
                for name in ("episode_id", "instance_id", "category", "difficulty", "outcome", "abort_reason")
            },
            detail=row["abort_detail"],
            steps=tuple(steps.get(row["episode_id"], [])),
        )
        for row in report.tables["episodes"]
        if row["run_id"] == run.run_id
    ]
    for rendering in {one for episode in episodes for step in episode.steps for one in _renderings(step)}:
        picture = Picture.from_own_file(pictures[rendering.sha256], rendering.width, rendering.height)
        write_bytes(folder.rendering_path(rendering.sha256), picture.data)
    with RunWriter(folder) as writer:
        writer.record([Entry(GameEnd(episode=episode)) for episode in episodes])
    scores = [
        GameScore(**{name: row[name] for name in ("episode_id", "measure", "step", "value", "reason")})
        for row in report.tables["scores"]
        if row["run_id"] == run.run_id
    ]
    folder.keep_measured(scores)
    return len(episodes), len(scores)


def _renderings(step: dict[str, Any]) -> Iterator[Rendering]:
    for value in step.values():
        if isinstance(value, dict) and value.keys() == {"sha256", "width", "height"}:
            yield Rendering.model_validate(value)
