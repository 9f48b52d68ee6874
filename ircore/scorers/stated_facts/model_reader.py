"""Reading messages by a judge that is a model: which facts they state, asked through the engine of every run.

The judge sees the messages and the facts in plain sentences, and no picture. Every question and its answer is in the
run's ``judgements.jsonl``; what was answered is never asked again.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import files

from ircore.core.journal import Recorder
from ircore.core.progress import show_progress
from ircore.core.records import Instance
from ircore.games.base import list_messages
from ircore.games.registry import load_game
from ircore.players.base import JudgeError, JudgeView, JudgingPlayer
from ircore.players.calls import ProviderStopError
from ircore.runs.costs.limit import CostLimit, NoMoreError
from ircore.runs.engine import Engine
from ircore.runs.folder import RunFolder
from ircore.runs.judge_answers import AnswerError
from ircore.runs.judge_questions import JudgementEntry, JudgementWriter, JudgeQuestion, read_judgements
from ircore.scorers.judges.manifest import LoadedJudge
from ircore.scorers.model_judges.runner import JudgementInquiry, JudgingPlan, read_judge_prices
from ircore.scorers.stated_facts.said_turns import SaidTurn, add_said, read_said, select_latest_turns
from ircore.scorers.verification.scene_facts.scene import list_facts

PROMPT = files("ircore.scorers.stated_facts").joinpath("prompt_texts", "facts.txt").read_text(encoding="utf-8")

VERSION = f"facts-{hashlib.sha256(PROMPT.encode()).hexdigest()[:8]}"
"""Of the prompt: another one is another reading."""

# From the first to the last brace: models write 'Here it is: {"stated": [1, 2], "named": [2]}' or a fence around it.
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


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
        >>> from ircore.scorers.stated_facts.said_turns import SaidTurn
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


def _list_unread_turns(run: RunFolder, judge: str) -> Iterator[ReadTurn]:
    """Yield the turns of a run that the judge has not read with this prompt."""
    turns = read_said(run)
    done = {
        (turn.episode_id, turn.turn, turn.rendering)
        for turn in select_latest_turns(turns, judge)
        if turn.version == VERSION
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
            prompts=VERSION,
            episode_id=self.item.turn.episode_id,
            turn=self.item.turn.turn,
            task="facts",
            target=self.item.instance.pictures["target"].sha256,
            shown=(),
        )


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
    return turn.model_copy(update={"reader": reader, "version": VERSION, "stated": stated, "named": named})


def _format_letters(numbers: object, count: int, name: str) -> str:
    # The exact type: True and False are whole numbers to isinstance.
    if not isinstance(numbers, list) or not all(type(number) is int and 1 <= number <= count for number in numbers):
        raise AnswerError(f"{name} is no list of numbers from 1 to {count}")
    return "".join("1" if number in numbers else "0" for number in range(1, count + 1))
