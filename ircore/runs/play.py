"""The runner: many episodes at once, every answer recorded before anything else happens.

Episodes are started in the order of the instance set and finished as far as possible before new ones are begun, so a
run stopped half-way has about half of its episodes complete. After a crash the same rules are played again from turn 1
with the recorded answers standing in for the players, up to the point where the record ends.
"""

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from ircore import __version__
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.progress import Progress, progress
from ircore.core.recorder import Recorder
from ircore.core.records import TECHNICAL_REASONS, Episode, Instance, Rendering, Role, Rules, Run
from ircore.core.tokens import load_tokenizer
from ircore.games.base import Game
from ircore.games.reconstruction.prompts import Prompts
from ircore.games.reconstruction.rules import derived_seed
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
from ircore.players.calls import ProviderStopError
from ircore.players.guard import unbroken
from ircore.players.submission import LoadedSubmission
from ircore.runs.cache import Cache
from ircore.runs.costs.limit import CostLimitError, Watch
from ircore.runs.costs.prices import prices_of_run
from ircore.runs.folder import Call, CallKey, End, Entry, Failure, RunFolder, RunWriter

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
        deadline: Seconds after which play stops, whatever is under way; None for no limit.
    """

    run: Run
    instances: InstanceSet
    selected: tuple[Instance, ...]
    prompts: Prompts
    concurrency: int
    deadline: float | None = None


def make_run(
    loaded: LoadedSubmission, instances: InstanceSet, rules: Rules, prompts: Prompts, seed: int, game: str
) -> Run:
    """Return the identity of a run; its id depends on everything in it but the time."""
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
    return with_run_id(draft)


def with_run_id(run: Run) -> Run:
    """Return a run with the id that follows from everything in it but the time."""
    from hashlib import sha256

    digest = sha256(run.model_dump_json(exclude={"started", "run_id"}).encode()).hexdigest()[:8]
    return run.model_copy(update={"run_id": f"{run.slug}-{digest}"})


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


def play(
    plan: PlayPlan,
    folder: RunFolder,
    game: Game,
    pair: Pair,
    watch: Watch | None = None,
    cache: Cache | None = None,
) -> list[Episode]:
    """Play what is not finished yet.

    Args:
        plan: What is to be played.
        folder: The run folder.
        game: The rules.
        pair: The players.
        watch: Counts along, and may limit the cost.
        cache: Answers of other runs.

    Returns:
        The episodes selected by the plan, finished ones included; how they ended, not their turns, for which see
        ``RunFolder.episodes``.

    Raises:
        WorkError: The run folder cannot be written, or the deadline is over.
        CostLimitError: The run has cost as much as it may; every answer that was under way is recorded.
        InputError: Another process works on the run.
    """
    watch = watch or Watch(prices_of_run(folder))
    with folder.lock(), RunWriter(folder) as writer:
        watch.begin([*writer.known.values(), *folder.failures()])
        open_ones = [one for one in plan.selected if one.instance_id not in writer.finished]
        with progress(f"play {folder.run.slug}", len(open_ones)) as shown:
            load_tokenizer()
            asyncio.run(_play_all(plan, open_ones, game, _Session(pair, writer, Recorder(writer), watch, shown, cache)))
        if any(one.instance_id not in writer.finished for one in plan.selected):
            raise watch.stopped()
        return [writer.finished[one.instance_id] for one in plan.selected]


@dataclass(frozen=True)
class _Session:
    """What all episodes share while they are played."""

    pair: Pair
    writer: RunWriter
    recorder: Recorder[Entry]
    watch: Watch
    shown: Progress
    cache: Cache | None


async def _play_all(plan: PlayPlan, open_ones: Sequence[Instance], game: Game, session: _Session) -> None:
    """Let ``concurrency`` workers take episodes from one queue; the first failure stops all of them.

    At the cost limit each worker stops before its next question, so that every answer under way is still recorded.
    """
    waiting = iter(open_ones)

    async def worker() -> None:
        for instance in waiting:
            target = plan.instances.target(instance)
            seats = _RecordedSeats(instance.instance_id, session)
            seed = derived_seed(plan.run.seed, instance.instance_id)
            try:
                episode = await game.play(instance, target, seats, plan.run.rules, plan.prompts, seed)
            except CostLimitError:
                return
            session.recorder.record_soon(Entry(End(episode=episode)))
            # Without the turns, which would make memory grow with the run; they are on the disk.
            session.writer.finished[episode.episode_id] = episode.model_copy(update={"turns": ()})
            session.watch.ended(episode.outcome)
            session.shown.advance(session.watch.note())

    try:
        async with asyncio.timeout(plan.deadline), asyncio.TaskGroup() as group:
            for _ in range(min(plan.concurrency, len(open_ones))):
                group.create_task(worker())
    except TimeoutError as error:
        raise WorkError(
            f"stopped at the deadline of {plan.deadline:g} s", "Every answer is kept; the same command goes on."
        ) from error
    except BaseExceptionGroup as failures:
        # The other workers were cancelled because of the first failure, so that is the one to tell.
        raise failures.exceptions[0] from None
    finally:
        await session.recorder.close()
        for player in (session.pair.describer, session.pair.generator):
            if close := getattr(player, "close", None):
                await close()


class _RecordedSeats:
    """Answers from the record where there is one; asks the player and records the answer where there is none."""

    def __init__(self, episode_id: str, session: _Session) -> None:
        self._episode_id = episode_id
        self._pair = session.pair
        self._writer = session.writer
        self._recorder = session.recorder
        self._watch = session.watch
        self._shown = session.shown
        self._cache = session.cache

    async def describe(self, view: DescriberView) -> TextAnswer:
        known = self._writer.known.get(CallKey(self._episode_id, view.turn, "describer"))
        if known is not None and known.text is not None:
            return TextAnswer(known.text, known.usage, known.seconds)
        kept = self._cache.text(view) if self._cache else None
        answer, seconds = (kept, 0.0) if kept else await self._ask_describer(view)
        await self._record(
            Call(
                episode_id=self._episode_id,
                turn=view.turn,
                role="describer",
                prompt=view.prompt,
                text=answer.text,
                usage=answer.usage,
                seconds=seconds,
                attempts=answer.attempts,
            )
        )
        return replace(answer, seconds=seconds)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        known = self._writer.known.get(CallKey(self._episode_id, view.turn, "generator"))
        if known is not None and known.rendering is not None:
            folder = self._writer.folder
            folder.rendering(known.rendering)  # checked before it is relied on
            return PictureAnswer(folder.stored_rendering(known.rendering), known.notes, known.usage, known.seconds)
        kept = self._cache.picture(view) if self._cache else None
        answer, seconds = (kept, 0.0) if kept else await self._ask_generator(view)
        rendering = _rendering(answer.picture)
        await self._record(
            Call(
                episode_id=self._episode_id,
                turn=view.turn,
                role="generator",
                rendering=rendering,
                notes=answer.notes,
                usage=answer.usage,
                seconds=seconds,
                attempts=answer.attempts,
            ),
            answer.picture,
        )
        return replace(answer, picture=self._writer.folder.stored_rendering(rendering), seconds=seconds)

    async def _ask_describer(self, view: DescriberView) -> tuple[TextAnswer, float]:
        self._check_limit()
        answer, seconds = await self._timed("describer", view.turn, self._pair.describer.describe(view))
        # A lone surrogate cannot be written as UTF-8: replaced here, so that the game sees what the record holds.
        answer = replace(answer, text=answer.text.encode(errors="replace").decode())
        if self._cache:
            self._cache.keep_text(view, answer)
        return answer, seconds

    async def _ask_generator(self, view: GeneratorView) -> tuple[PictureAnswer, float]:
        self._check_limit()
        answer, seconds = await self._timed("generator", view.turn, self._pair.generator.render(view))
        if self._cache:
            self._cache.keep_picture(view, answer)
        return answer, seconds

    async def _timed(self, seat: Role, turn: int, asked: Awaitable[Answer]) -> tuple[Answer, float]:
        """Wait for an answer; a player that breaks stops the run."""
        started = perf_counter()
        self._watch.asking()
        try:
            answer = await unbroken(asked, f"{self._episode_id}, turn {turn}: the {seat}")
        except (PlayerError, ProviderStopError) as error:
            await self._record_failure(seat, turn, error)
            raise
        finally:
            self._watch.done_asking()
        return answer, round(perf_counter() - started, 4)

    def _check_limit(self) -> None:
        if not self._watch.may_ask():
            raise self._watch.stopped()

    async def _record(self, call: Call, picture: Picture | None = None) -> None:
        await self._recorder.record(Entry(call, picture))
        self._watch.asked(call)
        self._shown.refresh(self._watch.note)

    async def _record_failure(self, seat: Role, turn: int, error: PlayerError | ProviderStopError) -> None:
        failure = Failure(
            episode_id=self._episode_id,
            turn=turn,
            role=seat,
            reason=error.reason if isinstance(error, PlayerError) else "stopped",
            detail=str(error)[:2000],
            attempts=error.attempts,
        )
        await self._recorder.record(Entry(failure))
        self._watch.asked(failure)


def _rendering(picture: Picture) -> Rendering:
    return Rendering(sha256=picture.sha256, width=picture.width, height=picture.height)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def technical_failures(episodes: Sequence[Episode]) -> list[Episode]:
    """Return the episodes that say nothing about the pair because something technical failed."""
    return [one for one in episodes if one.abort_reason in TECHNICAL_REASONS]
