"""The battery as a run, with an episode for each target and a turn for each edit, so that any judge can rate it.

Model judges are asked through the engine of every run, with its journal, cache and limits of cost; people rate it with
the page of ``ircore annotate build``; computed judges score it in parallel. What was rated is never asked again.
"""

import os
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ircore import __version__
from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.progress import tracked
from ircore.core.records import DEFAULT_GAME, Instance, PlayerSpec
from ircore.core.submission_records import Run, Submission, game_field
from ircore.core.workers import in_order
from ircore.games.base import Game, Message
from ircore.games.registry import load_game, require_support
from ircore.instances.requests import BuildRequest, builder_of
from ircore.instances.store import InstanceSet, read_instances
from ircore.runs.events import End, Entry
from ircore.runs.folder import RUN_FILE, RunFolder, create_run
from ircore.runs.play import with_run_id
from ircore.runs.writer import RunWriter
from ircore.scorers.judge_test.battery import EDITS, FOREIGN, TURN_OF, VERSION, edits_of

PER_CONDITION = 3
"""Targets for each category and difficulty if no set is named: the benchmark's smaller set, of 42 pictures."""

SLUG = "judge-test"
"""Slug and player of a test's run: nobody played it, so it is on no board."""

STARTED = "1970-01-01T00:00:00+00:00"
"""A test has no time of play: made again, it is the same to the byte."""


class _Piece(NamedTuple):
    """A target to be worked on, with everything that a worker process needs."""

    instances: Path
    instance_id: str


class _Made(NamedTuple):
    """A target's edits as an episode, with their pictures."""

    episode: Episode
    pictures: tuple[Picture, ...]


def open_test(folder: Path, instances: Path | None = None, limit: int | None = None) -> RunFolder:
    """Return the run of a judge test, made or completed first.

    Args:
        folder: The run folder: made, or opened if it is there.
        instances: The instance set whose targets are edited; by default the benchmark's small set, drawn now.
        limit: Number of targets that are edited at least, of every condition in turn; all if None.

    Raises:
        InputError: The folder holds something else or a test of another battery or set, or a picture is damaged.
        WorkError: Something cannot be written.
    """
    if not (folder / RUN_FILE).is_file():
        _create(folder, instances)
    run = RunFolder(folder)
    _check(run, instances)
    wanted = evenly(run.instances.instances)[:limit]
    with run.lock(), RunWriter(run) as writer:
        lacking = [instance for instance in wanted if instance.instance_id not in writer.finished]
        _make(run, writer, lacking)
    return run


def evenly(instances: Iterable[Instance]) -> tuple[Instance, ...]:
    """Return instances in rounds: the first instance of every condition, then the second of each, and so on."""
    counts: dict[tuple[str, str], int] = {}
    places: list[tuple[int, int, Instance]] = []
    for instance in instances:
        condition = (instance.category, instance.difficulty)
        counts[condition] = counts.get(condition, 0) + 1
        places.append((counts[condition], len(places), instance))
    return tuple(instance for _, _, instance in sorted(places, key=lambda place: place[:2]))


def _create(folder: Path, instances: Path | None) -> None:
    if instances is not None:
        source = read_instances(instances)
        create_run(folder, _identity(source), source)
        return
    with tempfile.TemporaryDirectory() as temporary:
        drawn = builder_of(DEFAULT_GAME)(BuildRequest(Path(temporary) / "set", per_condition=PER_CONDITION))
        assert isinstance(drawn, InstanceSet)  # noqa: S101 - the builder of this game
        create_run(folder, _identity(drawn), drawn)


def _identity(instances: InstanceSet) -> Run:
    require_support("judge test", instances.game, "the instance set")
    game: Game[Any] = load_game(instances.game)
    nobody = PlayerSpec(player=SLUG)
    submission = Submission.model_validate({
        "schema": 1, "name": "Judge test", "licence": "CC0-1.0", **game_field(game.name),
        **{seat.name: nobody for seat in game.seats},
        "rules": game.battery_rules(len(TURN_OF)).model_dump(mode="json"),
    })  # fmt: skip
    return with_run_id(
        Run(
            run_id=SLUG,
            **game_field(game.name),
            slug=SLUG,
            submission=submission,
            instance_set=instances.identity,
            rules=submission.rules,
            prompts=f"battery-{VERSION}",
            seed=0,
            version=__version__,
            started=STARTED,
        )
    )


def _check(run: RunFolder, instances: Path | None) -> None:
    """Refuse a folder that holds another test."""
    wanted = _identity(read_instances(instances) if instances else run.instances)
    # The version too: another one may draw or edit a picture otherwise, and half of the battery would be of each.
    for field in ("slug", "instance_set", "prompts", "version"):
        own, other = getattr(run.run, field), getattr(wanted, field)
        if own != other:
            raise InputError(
                f"{run.path / RUN_FILE}: {field}: this folder holds {own[:20]}, not {other[:20]}",
                "Choose another --out: a test is made with one battery, set and version.",
            )


def _make(run: RunFolder, writer: RunWriter, lacking: list[Instance]) -> None:
    """Edit targets in parallel; the targets' episodes are written in order."""
    pieces = [_Piece(run.path / "instances", instance.instance_id) for instance in lacking]
    made = in_order(_edited, pieces, min(os.cpu_count() or 1, len(pieces)))
    for episode, pictures in tracked(made, "editing", len(pieces)):
        for picture in pictures:
            path = run.rendering_path(picture.sha256)
            # Equal edits share a file: renderings are named by their hash.
            if not path.exists():
                path.write_bytes(picture.data)
        writer.record([Entry(End(episode=episode))])


@lru_cache(maxsize=1)
def _opened(instances: Path) -> InstanceSet:
    return read_instances(instances)


def _edited(piece: _Piece) -> _Made:
    """Make the edits of one target; runs in a process of its own."""
    instances = _opened(piece.instances)
    instance = next(known for known in instances.instances if known.instance_id == piece.instance_id)
    pictures = edits_of(instances, instance).pictures
    # The edit's own number: where an edit does not apply, its turn is missing and the others keep theirs.
    answers = [
        (Message(TURN_OF[name], (EDITS | FOREIGN)[name].title), Rendering.of(picture))
        for name, picture in pictures.items()
    ]
    ending = load_game(instances.game).battery_ending(answers)
    episode = Episode(
        episode_id=instance.instance_id, instance_id=instance.instance_id, category=instance.category,
        difficulty=instance.difficulty, outcome=ending.outcome, steps=ending.steps,
    )  # fmt: skip
    return _Made(episode, tuple(pictures.values()))
