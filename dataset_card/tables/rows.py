"""Records to rows: generators that yield the rows of each config, in an order that only the content decides.

A row is a mapping of column names, as in ``schema``, to plain values. A picture is a ``PictureFile``, which is read
only when it is written, so that rows can be compared with those of a previous release without reading a picture; a row
that was read back from a release has an ``EmbeddedImage``.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypedDict

from dataset_card.tables.schema import TRANSCRIPTS, transcripts_name
from ircore.core.episode_records import UNKNOWN_COST, Episode, Rendering
from ircore.core.records import Instance
from ircore.games.reconstruction.records import RECONSTRUCTION, Turn, turns_of
from ircore.instances.store import InstanceSet
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.tables.board import leaderboard_table
from ircore.results.tables.formats import flat_records


@dataclass(frozen=True)
class PictureFile:
    """A picture of a row that is read when the row is written.

    >>> PictureFile("red.png", lambda: b"bytes of the file").load()
    b'bytes of the file'
    """

    path: str
    """File name of the picture, without folders."""

    load: Callable[[], bytes]
    """Reads the bytes of its file and checks the pixels."""


class EmbeddedImage(TypedDict):
    """A picture in a row: the file's own bytes, and a name without folders.

    >>> EmbeddedImage(bytes=b"bytes of the file", path="red.png")["path"]
    'red.png'
    """

    bytes: bytes
    path: str


Row = dict[str, object]

PLAIN_SCORE_FIELDS = (
    "step", "measure", "by", "value", "reason", "note", "annotator", "version", "loading", "undecided"
)  # fmt: skip
"""Fields of a score that are columns of the same name."""


def is_of_turns(game: str) -> bool:
    """Return whether a game's rows stand in the table of turns; those of other games stand in tables of their own."""
    return transcripts_name(game) == TRANSCRIPTS.name


OF_GAME: Row = {"game": RECONSTRUCTION}
"""Column with the game of a row."""


@dataclass(frozen=True)
class ReconstructionSource:
    """Instances, runs and results of reconstruction in a release.

    Attributes:
        instances: The instance set.
        runs: Played on it, in the order of ``results.submissions``.
        results: Computed from these runs.

    >>> from pathlib import Path
    >>> from ircore.runs.folder import RunFolder
    >>> run = PlayedRun(RunFolder(Path("run")))
    >>> source = ReconstructionSource(run.instances, (run,), Results.from_runs([run]))
    >>> len([*instance_rows(source.instances)])
    2
    """

    instances: InstanceSet
    runs: tuple[PlayedRun, ...]
    results: Results


def instance_rows(instances: InstanceSet) -> Iterator[Row]:
    """Yield the rows of ``instances``, in the order of the set."""
    for instance in instances.instances:
        yield OF_GAME | {
            "instance_id": instance.instance_id,
            "category": instance.category,
            "difficulty": instance.difficulty,
            "image": _target_file(instances, instance),
            "image_sha256": instance.pictures["target"].sha256,
            "width": instance.pictures["target"].width,
            "height": instance.pictures["target"].height,
            "scene": None
            if instance.scene is None
            else json.dumps(instance.payload["scene"], ensure_ascii=False, separators=(",", ":")),
            "source": instance.source,
            "licence": instance.licence,
            "seed": instance.seed,
            "file": instance.pictures["target"].image,
        }


def transcript_rows(instances: InstanceSet, run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``transcripts`` of a run: by instance and turn."""
    targets = {instance.instance_id: instance for instance in instances.instances}
    for episode in run.episodes:
        target = targets[episode.instance_id]
        shown: Row = {"target": _target_file(instances, target), "target_sha256": target.pictures["target"].sha256}
        for turn in turns_of(episode):
            yield of_episode(run, episode) | _of_pair(run) | shown | _of_turn(run, turn)


def episode_rows(_: InstanceSet, run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``episodes`` of a run: by instance."""
    for episode in run.episodes:
        cost = run.costs.get(episode.episode_id, UNKNOWN_COST)
        drawn = [turn.rendering for turn in turns_of(episode) if turn.rendering is not None]
        yield (
            of_episode(run, episode)
            | _of_pair(run)
            | {
                "outcome": episode.outcome,
                "abort_reason": episode.abort_reason,
                "abort_detail": episode.detail,
                "turns": len(turns_of(episode)),
                "renderings": len(drawn),
                "message_tokens": sum(turn.message_tokens for turn in turns_of(episode)),
                "seconds": cost.seconds,
                "cost_usd": cost.usd,
            }
            | picture_columns("first_rendering", run, drawn[0] if drawn else None)
            | picture_columns("final_rendering", run, drawn[-1] if drawn else None)
        )


def score_rows(run: PlayedRun, rules: str) -> Iterator[Row]:
    """Yield the rows of ``scores`` of a run of any game: by instance, step, measure, who gave it and annotator.

    Args:
        run: The run.
        rules: Key of its rules.
    """
    identity: Row = {"game": run.run.game, "run_id": run.run.run_id, "submission": run.run.slug, "rules": rules}
    episodes = {episode.episode_id: episode_columns(episode) for episode in run.episodes}
    for score in run.scores:
        yield (
            identity
            | episodes[score.episode_id]
            | {name: getattr(score, name) for name in PLAIN_SCORE_FIELDS}
            | {
                "rendering_sha256": score.rendering,
                "first_leading": score.orders and score.orders.first_leading,
                "final_leading": score.orders and score.orders.final_leading,
                "leniencies": list(score.leniencies),
                "lowest": score.low,
                "highest": score.high,
                "unread": score.unread if score.undecided is not None else None,
            }
        )


def leaderboard_rows(results: Results) -> Iterator[Row]:
    """Yield the rows of ``leaderboard``: by judge, category and difficulty (all first), then as the board ranks."""
    return ({"game": results.game.name} | row for row in flat_records(leaderboard_table(results)))


def episode_columns(episode: Episode) -> Row:
    """Return the columns that name the episode of a row."""
    return {name: getattr(episode, name) for name in ("episode_id", "instance_id", "category", "difficulty")}


def of_episode(run: PlayedRun, episode: Episode) -> Row:
    """Return the columns that name game, run, rules and episode of a row."""
    named: Row = {"run_id": run.run.run_id, "submission": run.run.slug, "rules": run.game.rules_of(run.run).key}
    return OF_GAME | named | episode_columns(episode)


def _target_file(instances: InstanceSet, instance: Instance) -> PictureFile:
    name = instance.pictures["target"].image.rpartition("/")[2]
    return PictureFile(name, partial(instances.picture_bytes, instance, "target"))


def _of_pair(run: PlayedRun) -> Row:
    pair = run.run.submission
    return {"describer": pair.players["describer"].label, "generator": pair.players["generator"].label}


def _of_turn(run: PlayedRun, turn: Turn) -> Row:
    drawn = turn.rendering
    return {
        "turn": turn.turn,
        "action": turn.action,
        "message": turn.message,
        "message_tokens": turn.message_tokens,
        "over_budget": turn.over_budget,
        "leniencies": list(turn.leniencies),
        "notes": list(turn.notes),
        "seconds": turn.seconds,
        "rendering_width": drawn and drawn.width,
        "rendering_height": drawn and drawn.height,
        **picture_columns("rendering", run, drawn),
    }


def picture_columns(name: str, run: PlayedRun, rendering: Rendering | None) -> Row:
    """Return the columns of a rendering: the picture and, beside it, the SHA-256 of its pixels.

    Args:
        name: Name of the picture's column.
        run: The run that holds the rendering.
        rendering: The rendering; None for empty columns.
    """
    if rendering is None:
        return {name: None, f"{name}_sha256": None}
    file = PictureFile(f"{rendering.sha256}.png", lambda: run.rendering(rendering).data)
    return {name: file, f"{name}_sha256": rendering.sha256}
