"""The runner: many episodes at once, every answer recorded before anything else happens.

Episodes are started in the order of the instance set and finished as far as possible before new ones are begun, so a
run stopped half-way has about half of its episodes complete. After a crash the same rules are played again from turn 1
with the recorded answers standing in for the players, up to the point where the record ends.
"""

import asyncio
import traceback
from collections import Counter
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from ircore import __version__
from ircore.errors import InputError, WorkError
from ircore.games.base import Game
from ircore.games.prompts import Prompts
from ircore.games.reconstruction import derived_seed
from ircore.images import Picture
from ircore.instances.store import InstanceSet
from ircore.players.base import (
    Describer,
    DescriberView,
    Generator,
    GeneratorView,
    PictureAnswer,
    PlayerError,
    TextAnswer,
)
from ircore.progress import Progress, progress
from ircore.records import TECHNICAL_REASONS, Episode, Instance, Rendering, Rules, Run
from ircore.runs import Call, CallKey, RunFolder, RunWriter
from ircore.submissions import LoadedSubmission

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Pair:
    """The two players of a run."""

    describer: Describer
    generator: Generator


@dataclass(frozen=True)
class PlayPlan:
    """What is to be played.

    Attributes:
        run: Identity of the run.
        instances: The set.
        selected: The instances of it to be played now.
        prompts: The game master's words.
        concurrency: Episodes at the same time, ≥ 1.
    """

    run: Run
    instances: InstanceSet
    selected: tuple[Instance, ...]
    prompts: Prompts
    concurrency: int


def make_run(
    loaded: LoadedSubmission, instances: InstanceSet, rules: Rules, prompts: Prompts, seed: int, game: str
) -> Run:
    """Return the identity of a run; its id depends on everything in it but the time."""
    from hashlib import sha256

    draft = Run(
        run_id=loaded.slug,
        game=game,
        slug=loaded.slug,
        submission=loaded.submission,
        instance_set=instances.identity,
        rules=rules,
        prompts=prompts.version,
        seed=seed,
        version=__version__,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    digest = sha256(draft.model_dump_json(exclude={"started", "run_id"}).encode()).hexdigest()[:8]
    return draft.model_copy(update={"run_id": f"{loaded.slug}-{digest}"})


def open_run(path: Path, run: Run, instances: InstanceSet) -> RunFolder:
    """Open the run folder to go on with, or make it.

    Raises:
        InputError: There is another run; the message names what differs.
    """
    if not (path / "run.json").is_file():
        return RunFolder.create(path, run, instances)
    folder = RunFolder.open(path)
    ours, theirs = (one.model_dump(exclude={"started", "run_id"}) for one in (run, folder.run))
    for field, value, other in _differences(ours, theirs):
        raise InputError(
            f"{path / 'run.json'}: {field}: this run was played with {_short(other)}, not {_short(value)}",
            "Choose another --out, or give the options that the run was begun with.",
        )
    return folder


def _differences(ours: dict[str, Any], theirs: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the dotted name and both values of each field that differs."""
    for field in ours | theirs:
        one, other = ours.get(field), theirs.get(field)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _differences(one, other, f"{prefix}{field}.")
        elif one != other:
            yield prefix + field, one, other


def play(plan: PlayPlan, folder: RunFolder, game: Game, pair: Pair) -> list[Episode]:
    """Play what is not finished yet.

    Returns:
        The episodes selected by the plan, finished ones included.

    Raises:
        WorkError: The run folder cannot be written.
        InputError: Another process works on the run.
    """
    with folder.lock(), RunWriter(folder) as writer:
        open_ones = [one for one in plan.selected if one.instance_id not in writer.finished]
        with progress(f"play {folder.run.slug}", len(open_ones)) as shown:
            asyncio.run(_play_all(plan, open_ones, writer, game, pair, shown))
        return [writer.finished[one.instance_id] for one in plan.selected]


async def _play_all(
    plan: PlayPlan, open_ones: Sequence[Instance], writer: RunWriter, game: Game, pair: Pair, shown: Progress
) -> None:
    """Let ``concurrency`` workers take episodes from one queue; the first failure stops all of them."""
    waiting = iter(open_ones)
    outcomes: Counter[str] = Counter()

    async def worker() -> None:
        for instance in waiting:
            target = plan.instances.target(instance)
            seats = _RecordedSeats(instance.instance_id, pair, writer)
            seed = derived_seed(plan.run.seed, instance.instance_id)
            episode = await game.play(instance, target, seats, plan.run.rules, plan.prompts, seed)
            writer.record_end(episode)
            outcomes[episode.outcome] += 1
            shown.advance(", ".join(f"{count} {name}" for name, count in sorted(outcomes.items())))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(plan.concurrency, len(open_ones))):
                group.create_task(worker())
    except BaseExceptionGroup as failures:
        # The other workers were cancelled because of the first failure, so that is the one to tell.
        raise failures.exceptions[0] from None


class _RecordedSeats:
    """Answers from the record where there is one; asks the player and records the answer where there is none."""

    def __init__(self, episode_id: str, pair: Pair, writer: RunWriter) -> None:
        self._episode_id = episode_id
        self._pair = pair
        self._writer = writer

    async def describe(self, view: DescriberView) -> TextAnswer:
        known = self._writer.known.get(CallKey(self._episode_id, view.turn, "describer"))
        if known is not None and known.text is not None:
            return TextAnswer(known.text, known.usage, known.seconds)
        answer, seconds = await self._timed("describer", view.turn, self._pair.describer.describe(view))
        # A lone surrogate cannot be written as UTF-8: replaced here, so that the game sees what the record holds.
        text = answer.text.encode(errors="replace").decode()
        self._writer.record_call(
            Call(
                episode_id=self._episode_id,
                turn=view.turn,
                role="describer",
                prompt=view.prompt,
                text=text,
                usage=answer.usage,
                seconds=seconds,
            )
        )
        return replace(answer, text=text, seconds=seconds)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        known = self._writer.known.get(CallKey(self._episode_id, view.turn, "generator"))
        if known is not None and known.rendering is not None:
            return PictureAnswer(
                self._writer.folder.rendering(known.rendering), known.notes, known.usage, known.seconds
            )
        answer, seconds = await self._timed("generator", view.turn, self._pair.generator.render(view))
        self._writer.record_call(
            Call(
                episode_id=self._episode_id,
                turn=view.turn,
                role="generator",
                rendering=_rendering(answer.picture),
                notes=answer.notes,
                usage=answer.usage,
                seconds=seconds,
            ),
            answer.picture,
        )
        return replace(answer, seconds=seconds)

    async def _timed(self, seat: str, turn: int, asked: Awaitable[Answer]) -> tuple[Answer, float]:
        """Wait for an answer; a player that breaks, as a plug-in may, stops the run with one line."""
        started = perf_counter()
        try:
            answer = await asked
        except (PlayerError, InputError):
            raise
        except Exception as error:
            raise WorkError(
                f"{self._episode_id}, turn {turn}: the {seat} broke with "
                f"{type(error).__name__}: {error} ({_place(error)})",
                "This is a fault of the player, not of the run: mend it and give the same command again.",
            ) from error
        return answer, round(perf_counter() - started, 4)


def _place(error: Exception) -> str:
    """Return file and line where an error was raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


def _rendering(picture: Picture) -> Rendering:
    return Rendering(sha256=picture.sha256, width=picture.width, height=picture.height)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def technical_failures(episodes: Sequence[Episode]) -> list[Episode]:
    """Return the episodes that say nothing about the pair because something technical failed."""
    return [one for one in episodes if one.abort_reason in TECHNICAL_REASONS]
