"""Facts stated, drawn and corrected: for each turn, which facts of a drawn target were stated, and which were shown.

Messages are read by the grammar of the built-in players, or by a judge that is a model, asked through the engine of
every run. The judge sees the messages and the facts in plain sentences, and no picture. Every question and its answer
is in the run's ``judgements.jsonl``; what was answered is never asked again.
"""

import asyncio
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ircore.core.episode_records import Episode
from ircore.core.images import Picture
from ircore.core.journal import Recorder
from ircore.core.records import Instance, Scene
from ircore.core.score_records import VERIFIED, format_verdict_letter
from ircore.core.terminal import show_progress
from ircore.core.workers import map_in_order
from ircore.games.base import list_messages
from ircore.games.registry import load_game
from ircore.players.base import JudgeError, JudgeView, JudgingPlayer
from ircore.players.builtin_language import draw_messages
from ircore.players.calls import ProviderStopError
from ircore.runs.costs.limit import CostLimit, NoMoreError
from ircore.runs.engine import Engine
from ircore.runs.folder import GRAMMAR, RunFolder, SaidTurn, add_said, read_facts, read_said, select_latest_turns
from ircore.runs.judge_answers import AnswerError
from ircore.runs.judge_questions import JudgementEntry, JudgementWriter, JudgeQuestion, read_judgements
from ircore.scorers.judges.manifest import LoadedJudge
from ircore.scorers.model_judges.runner import JudgementInquiry, JudgingPlan, read_judge_prices
from ircore.scorers.scoring import RUNS_AT_ONCE
from ircore.scorers.verification.scene_facts import list_facts
from ircore.scorers.verification.score import VERSION as EYE
from ircore.scorers.verification.score import verify_picture

if TYPE_CHECKING:
    from ircore.scorers.verification.score import Verification

VERSION = f"1-eye-{EYE}"
"""Changes whenever the same turn may be read otherwise."""

_draw = lru_cache(maxsize=64)(draw_messages)

PROMPT = files(__package__).joinpath("stated_facts_prompt.txt").read_text(encoding="utf-8")

PROMPT_VERSION = f"facts-{hashlib.sha256(PROMPT.encode()).hexdigest()[:8]}"
"""Of the prompt: another one is another reading."""

# From the first to the last brace: models write 'Here it is: {"stated": [1, 2], "named": [2]}' or a fence around it.
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def format_verdicts(verification: "Verification") -> str:
    """Return the verdicts of a verification, one letter a fact."""
    return "".join(format_verdict_letter(checked.verdict, checked.fact.weight) for checked in verification.facts)


class GrammarReader:
    """Reads the turns of one episode.

    Args:
        instance: Its target's; it has a scene.
        target: The target.
        shown: Verdicts that are known already, by the hash of a rendering: a letter a fact, of this version of the eye.

    Example:
        >>> from pathlib import Path
        >>> from ircore.instances.store import read_instances
        >>> instances = read_instances(Path("targets"))
        >>> target = instances.picture(instances.instances[0], "target")
        >>> reading = GrammarReader(instances.instances[0], target).turn("e", 1, ["A red circle."], target)
        >>> set(reading.shown) <= set("01?")
        True
    """

    def __init__(self, instance: Instance, target: Picture, shown: Mapping[str, str] | None = None) -> None:
        assert instance.scene is not None  # noqa: S101 - the caller passes over what was not drawn
        self._scene: Scene = instance.scene
        self._target = target
        self._seen: dict[str, str] = dict(shown or {})

    def turn(self, episode_id: str, turn: int, messages: Sequence[str], rendering: Picture) -> SaidTurn:
        """Return the facts of a turn.

        Args:
            episode_id: The episode's.
            turn: 1-based.
            messages: Up to this turn, oldest first.
            rendering: Of this turn.
        """
        stated = self._read_stated_facts(tuple(messages))
        # Before the first message nothing is stated.
        before = self._read_stated_facts(tuple(messages[:-1])) if len(messages) > 1 else "0" * len(stated)
        alone = self._read_stated_facts((messages[-1],)) if len(messages) > 1 else stated
        return SaidTurn(
            episode_id=episode_id,
            turn=turn,
            rendering=rendering.sha256,
            reader=GRAMMAR,
            version=VERSION,
            stated=stated,
            named="".join(map(_find_named_facts, before, stated, alone)),
            shown=self._read_picture(rendering),
        )

    def _read_stated_facts(self, messages: tuple[str, ...]) -> str:
        return self._read_picture(_draw(messages))

    def _read_picture(self, picture: Picture) -> str:
        """Return the facts that a picture shows; equal pictures are analysed once."""
        if picture.sha256 not in self._seen:
            self._seen[picture.sha256] = format_verdicts(verify_picture(self._target, self._scene, picture))
        return self._seen[picture.sha256]


class _SaidCount(NamedTuple):
    """Counts of measured turns."""

    new: int
    """Turns that were measured."""

    kept: int
    """Turns that had been measured before."""

    without_scene: int
    """Played episodes that are passed over: their targets were not drawn."""


def measure_said(runs: Sequence[RunFolder], workers: int | None = None) -> _SaidCount:
    """Measure the turns of runs that have not been measured.

    Args:
        runs: Each one once.
        workers: Processes; as many as there are cores if None. The result does not depend on it.

    Raises:
        InputError: Another process works on a run, or a picture of it is damaged.
        WorkError: What was measured cannot be written; that of earlier episodes is kept.
    """
    works: list[tuple[RunFolder, _Work]] = []
    kept_count = without_scene = 0
    with ExitStack() as locks:
        for run in runs:
            locks.enter_context(run.lock())
            known = {
                (turn.episode_id, turn.turn, turn.rendering)
                for turn in select_latest_turns(read_said(run))
                if turn.version == VERSION
            }
            drawn = {instance.instance_id for instance in run.instances.instances if instance.scene is not None}
            shown = _read_stored_verdicts(run)
            for episode in run.episodes():
                if not episode.played:
                    continue
                if episode.instance_id not in drawn:
                    without_scene += 1
                # An episode is measured as a whole: each of its readings builds on all messages before it.
                elif list_turn_keys(episode) <= known:
                    kept_count += len(list_turn_keys(episode))
                else:
                    works.append((run, _Work(run.path, episode, shown.get(episode.episode_id, {}))))
        new = _measure_all(works, workers or os.cpu_count() or 1)
    return _SaidCount(new, kept_count, without_scene)


def list_turn_keys(episode: Episode) -> set[tuple[str, int, str]]:
    """Return episode, turn and rendering of each turn that has a message and a rendering."""
    return {(episode.episode_id, turn, rendering.sha256) for turn, rendering in episode.renderings.items()}


@dataclass(frozen=True)
class ReadTurn:
    """A turn that a judge is asked to read.

    Attributes:
        run: Its run.
        instance: Whose facts are asked about.
        turn: As the grammar read it.
        messages: Up to this turn, oldest first.

    Example:
        >>> from pathlib import Path
        >>> from ircore.runs.folder import RunFolder
        >>> from ircore.runs.folder import SaidTurn
        >>> run = RunFolder(Path("run"))
        >>> turn = SaidTurn(
        ...     episode_id="e", turn=1, rendering="a" * 64, reader="grammar", version="1",
        ...     stated="1", named="1", shown="1",
        ... )
        >>> ReadTurn(run, run.instances.instances[0], turn, ("A red circle.",)).messages
        ('A red circle.',)
    """

    run: RunFolder
    instance: Instance
    turn: SaidTurn
    messages: tuple[str, ...]

    @property
    def prompt(self) -> str:
        """The words of the question."""
        assert self.instance.scene is not None  # noqa: S101 - the grammar read it, so it has one
        facts = [fact.sentence for fact in list_facts(self.instance.scene)]
        messages = "\n".join(f"{number}. {message}" for number, message in enumerate(self.messages, start=1))
        listed = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(facts, start=1))
        return PROMPT.replace("{facts}", listed).replace("{messages}", messages)


@dataclass
class Readings:
    """Counts of one judge's readings.

    Attributes:
        name: Of the judge.
        read: Turns that were read.
        unreadable: Turns whose answer cannot be used.
        failed: Turns that were asked about in vain; the same command asks again.
    """

    name: str
    read: int = 0
    unreadable: int = 0
    failed: int = 0


def ask_said(runs: Sequence[RunFolder], judge: LoadedJudge, plan: JudgingPlan) -> Readings:
    """Let a judge read every turn that the grammar has read and this judge has not.

    Args:
        runs: Each one once, measured before (``measure_said``).
        judge: Who reads.
        plan: Concurrency, deadline, limit of cost and prices.

    Raises:
        InputError: A key is missing, another process works on a run, or a file of it is damaged.
        WorkError: Nothing can be written, the deadline is over, or the judge was stopped; every answer is kept.
    """
    player, readings = judge.make_player(), Readings(judge.name)
    with ExitStack() as locks:
        for run in runs:
            locks.enter_context(run.lock())
            run.keep_judge(judge.identity_in(run))
        items = [item for run in runs for item in _list_unread_turns(run, judge.name)]
        known = {question.asked_as: question for run in runs for question in read_judgements(run) if question.settled}
        cost_limit = CostLimit(read_judge_prices(runs, [judge], plan.prices), plan.max_cost)
        cost_limit.begin(
            [question for run in runs for question in read_judgements(run) if question.judge == judge.name]
        )
        with JudgementWriter() as writer, show_progress("reading", len(items)) as shown:
            engine = Engine(Recorder(writer), cost_limit, shown)
            session = _Session(judge, player, known, engine, readings)
            waiting = iter(items)
            workers = [session.worker(waiting) for _ in range(min(plan.concurrency, len(items)))]
            asyncio.run(engine.run(workers, plan.deadline, [player]))
    return readings


def parse_reading(turn: SaidTurn, reader: str, text: str) -> SaidTurn:
    """Return a turn as the judge's answer reads it; the facts shown are copied from the grammar's reading.

    Raises:
        AnswerError: The answer names no facts, or facts that there are not.

    >>> turn = SaidTurn(episode_id="a", turn=1, rendering="0" * 64, reader="grammar", version="1", stated="00",
    ...                 named="00", shown="1?")
    >>> parse_reading(turn, "gpt", '{"stated": [2], "named": []}').stated
    '01'
    """
    match = _OBJECT.search(text)
    try:
        answer = json.loads(match[0]) if match else None
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise AnswerError("it has no JSON object")
    count = len(turn.stated)
    stated, named = (_format_letters(answer.get(name), count, name) for name in ("stated", "named"))
    return turn.model_copy(update={"reader": reader, "version": PROMPT_VERSION, "stated": stated, "named": named})


def _find_named_facts(before: str, stated: str, alone: str) -> str:
    """Return whether a message is about a fact: the message states the fact or changes an earlier statement."""
    # Alone too: a message that repeats a fact changes nothing, but is about the fact.
    return "1" if alone == "1" or before != stated else "0"


class _Work(NamedTuple):
    """An episode to be measured, with everything that a worker process needs."""

    run: Path
    episode: Episode
    shown: dict[str, str]
    """Stored verdicts by the hash of the rendering, a letter a fact."""


def _read_stored_verdicts(run: RunFolder) -> dict[str, dict[str, str]]:
    """Return the verdicts that scoring stored, by episode and rendering; verdicts of another eye are left out."""
    verdicts: dict[str, dict[str, str]] = {}
    for line in read_facts(run):
        if line.judge == VERIFIED and line.version == EYE:
            verdicts.setdefault(line.episode_id, {})[line.rendering] = line.verdicts
    return verdicts


def _measure_all(works: Sequence[tuple[RunFolder, _Work]], workers: int) -> int:
    new = 0
    measured = map_in_order(_measure_episode, [work for _, work in works], min(workers, len(works)))
    with show_progress("facts", len(works)) as shown:
        for (run, _), turns in zip(works, measured, strict=True):
            add_said(run, turns)
            new += len(turns)
            shown.advance()
    return new


def _measure_episode(work: _Work) -> list[SaidTurn]:
    """Measure one episode; runs in a process of its own."""
    run, instances = _open_run(work.run)
    instance = instances[work.episode.instance_id]
    reader = GrammarReader(instance, run.instances.picture(instance, "target"), work.shown)
    spoken = {message.step: message.text for message in list_messages(load_game(run.game), work.episode)}
    messages: list[str] = []
    turns = []
    for turn, rendering in work.episode.renderings.items():
        messages.append(spoken.get(turn, ""))
        turns.append(reader.turn(work.episode.episode_id, turn, messages, run.rendering(rendering)))
    return turns


@lru_cache(maxsize=RUNS_AT_ONCE)
def _open_run(path: Path) -> tuple[RunFolder, dict[str, Instance]]:
    """Return a run and its instances by id; the last few runs of a worker process are kept."""
    run = RunFolder(path)
    return run, {instance.instance_id: instance for instance in run.instances.instances}


def _list_unread_turns(run: RunFolder, judge: str) -> Iterator[ReadTurn]:
    """Yield the turns of a run that the judge has not read with this prompt."""
    turns = read_said(run)
    done = {
        (turn.episode_id, turn.turn, turn.rendering)
        for turn in select_latest_turns(turns, judge)
        if turn.version == PROMPT_VERSION
    }
    by_key = {(turn.episode_id, turn.turn, turn.rendering): turn for turn in select_latest_turns(turns)}
    instances, game = {instance.instance_id: instance for instance in run.instances.instances}, load_game(run.game)
    for episode in run.episodes():
        spoken = {message.step: message.text for message in list_messages(game, episode)}
        messages: list[str] = []
        for turn, rendering in episode.renderings.items():
            messages.append(spoken.get(turn, ""))
            key = (episode.episode_id, turn, rendering.sha256)
            # Only turns that the grammar has read, since the facts shown are copied from its reading.
            if key in by_key and key not in done:
                yield ReadTurn(run, instances[episode.instance_id], by_key[key], tuple(messages))


@dataclass(frozen=True)
class _Session:
    """State that all workers share."""

    judge: LoadedJudge
    player: JudgingPlayer
    known: dict[str, JudgeQuestion]
    engine: Engine[JudgementEntry]
    readings: Readings

    async def worker(self, waiting: Iterator[ReadTurn]) -> None:
        for item in waiting:
            try:
                entry = await self.engine.settle(_FactInquiry(item.run.path, self.player, self.known, item, self.judge))
            # Every further question would fail in the same way.
            except (ProviderStopError, NoMoreError):
                raise
            except JudgeError:
                self.readings.failed += 1
                continue
            try:
                add_said(item.run, [parse_reading(item.turn, self.judge.name, entry.question.text or "")])
                self.readings.read += 1
            except AnswerError:
                self.readings.unreadable += 1
            self.engine.shown.advance(self.engine.cost_limit.note())


@dataclass(frozen=True)
class _FactInquiry(JudgementInquiry):
    """The question which facts the messages of a turn state."""

    item: ReadTurn
    judge: LoadedJudge

    @property
    def where(self) -> str:
        return f"{self.item.turn.episode_id}, turn {self.item.turn.turn}: the judge {self.judge.name}"

    @property
    def view(self) -> JudgeView:
        return JudgeView(self.item.prompt, ())

    @property
    def draft(self) -> JudgeQuestion:
        words = f"{self.judge.asked_as}{self.item.prompt}"  # messages and facts are among the words
        return JudgeQuestion(
            judge=self.judge.name,
            asked_as=hashlib.sha256(words.encode()).hexdigest(),
            prompts=PROMPT_VERSION,
            episode_id=self.item.turn.episode_id,
            turn=self.item.turn.turn,
            task="facts",
            target=self.item.instance.pictures["target"].sha256,
            shown=(),
        )


def _format_letters(numbers: object, count: int, name: str) -> str:
    # The exact type: True and False are whole numbers to isinstance.
    if not isinstance(numbers, list) or not all(type(number) is int and 1 <= number <= count for number in numbers):
        raise AnswerError(f"{name} is no list of numbers from 1 to {count}")
    return "".join("1" if number in numbers else "0" for number in range(1, count + 1))
