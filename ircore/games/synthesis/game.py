"""Rules of making targets, as an episode: so that every answer is recorded, resumed, cached and paid for as in games.

An episode is a condition, such as easy bar graphs; each of its figures takes a description and one or more programs. It
is no game that anybody plays for points, so it stands in no list of games.
"""

import asyncio
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from pydantic import Field

from ircore.core.episode_records import TECHNICAL_REASONS
from ircore.core.records import DIFFICULTIES, Difficulty, GameRules, Record, Sha256, derive_seed
from ircore.games.base import Ending, EpisodeSetup, Game, GameOutcome, Measure, Measured, Seat, SeatTable
from ircore.games.master_words import TextPrompts, load_text_prompts
from ircore.instances.synthesis.studio import DrawnProgram
from ircore.instances.targets import SYNTHETIC
from ircore.players.base import PlayerError, Question, Said, TextAnswer

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "describer": ("{kind}", "{earlier}"),
    "coder": ("{kind}", "{description}"),
    "coder_again": ("{reason}",),
    **{f"{category}_{difficulty}": () for category in SYNTHETIC for difficulty in DIFFICULTIES},
}
"""The texts of a set by name, and what each must have a place for."""

MOST_SUMMARY = 400
"""Characters of a summary that later prompts repeat."""

NAME = "synthesis"
DESCRIBER: Seat[Question, TextAnswer] = Seat("describer", "Describer", "the kind and summaries of earlier ones", "text")
CODER: Seat[Question, TextAnswer] = Seat("coder", "Coder", "the description, and faults of its programs", "text")


class SynthesisPrompts(TextPrompts):
    """The prompts of a run that makes targets.

    >>> prompts = load_synthesis_prompts(None)
    >>> "a red ball" in prompts.describer("simple_shapes", "easy", ["a red ball"])
    True
    """

    def describer(self, category: str, difficulty: str, earlier: Sequence[str]) -> str:
        """Return the words that ask for the description of a figure unlike earlier ones.

        Args:
            category: Category of the target.
            difficulty: ``easy`` or ``hard``.
            earlier: Summaries of all earlier figures of the condition.
        """
        listed = "\n".join(f"{number}. {summary}" for number, summary in enumerate(earlier, start=1))
        return self.words("describer", kind=self.texts[f"{category}_{difficulty}"], earlier=listed or "(none)")

    def coder(self, category: str, difficulty: str, description: str) -> str:
        """Return the words that ask for a program that draws a description."""
        return self.words("coder", kind=self.texts[f"{category}_{difficulty}"], description=description)

    def again(self, reason: str) -> str:
        """Return the words that ask for another program because of a fault in the last one."""
        return self.words("coder_again", reason=reason)


def load_synthesis_prompts(folder: Path | None) -> SynthesisPrompts:
    """Read the prompts; a folder replaces the built-in texts, see ``load_text_prompts``."""
    return load_text_prompts(SynthesisPrompts, PLACEHOLDERS, __package__, folder)


class FigurePlan(NamedTuple):
    """The description of a figure."""

    description: str
    summary: str


def find_plan(answer: str) -> FigurePlan | None:
    """Return the description and the summary in an answer; None if there is no description.

    >>> find_plan("<DESCRIPTION>A red circle.</DESCRIPTION><SUMMARY>One circle, red.</SUMMARY>")
    FigurePlan(description='A red circle.', summary='One circle, red.')
    """
    description = _find_between_tags("DESCRIPTION", answer)
    if not description:
        return None
    summary = _find_between_tags("SUMMARY", answer) or description
    two_lines = " / ".join(line.strip() for line in summary.splitlines() if line.strip())
    return FigurePlan(description, two_lines[:MOST_SUMMARY])


def find_program(answer: str) -> str | None:
    r"""Return the program in an answer: its longest block of code; None if there is none.

    >>> find_program("Here it is:\n```python\ndef draw():\n    ...\n```")
    'def draw():\n    ...\n'
    """
    # Models also put shell commands or examples in blocks; the program is the longest block.
    blocks = re.findall(r"```(?:[Pp]ython|py)?[ \t]*\n(.*?)```", answer, re.DOTALL)
    if blocks:
        return str(max(blocks, key=len))
    return answer if "def draw(" in answer and "```" not in answer else None


class SynthesisRules(GameRules):
    """Rules of making targets.

    >>> SynthesisRules().tries
    3
    """

    tries: int = Field(default=3, strict=True, ge=1, le=20, description="Programs that are asked for a figure.")


class FigureCondition(Record):
    """Product of an episode."""

    count: int = Field(ge=1, le=1000, description="Figures that are wanted.")


class FigureStep(Record):
    """A figure: its plan, and the programs that were written for it.

    >>> FigureStep(number=1, summary="A red circle.", programs=(), faults=("no program",)).key is None
    True
    """

    number: int = Field(ge=1, description="1-based number of the figure in its condition.")
    summary: str = Field(description="Two lines of the describer's; empty if its answer held no description.")
    description: str = ""
    programs: tuple[Sha256, ...] = Field(description="Keys of the programs that were drawn, in order.")
    faults: tuple[str, ...] = Field(description="Why each try but the last, accepted one was refused.")
    key: Sha256 | None = Field(default=None, description="Key of the accepted program; null if all were refused.")


class ProgramDrawer(Protocol):
    """Draws programs, each once.

    >>> from ircore.instances.synthesis.studio import DrawnFigures
    >>> drawer: ProgramDrawer = DrawnFigures(Path("figures"))
    """

    def draw(self, program: str, category: str, seed: int, earlier: dict[str, str]) -> DrawnProgram:
        """Return the result of a program; see ``DrawnFigures.draw``."""
        ...


class SynthesisGame(Game[SynthesisRules]):
    """One model describes a figure unlike all earlier ones; another writes the program that draws it.

    >>> from ircore.instances.synthesis.studio import DrawnFigures
    >>> [seat.name for seat in SynthesisGame(DrawnFigures(Path("figures"))).seats]
    ['describer', 'coder']

    Args:
        drawer: Draws the programs.
    """

    name = NAME
    title = "Making targets"
    seats = (DESCRIBER, CODER)
    payload = FigureCondition
    rules = SynthesisRules
    step = FigureStep
    outcomes = (GameOutcome("completed", played=True), GameOutcome("aborted", played=False))
    measures = (Measure("accepted", "Accepted figures", range=(0, 1)),)

    def __init__(self, drawer: ProgramDrawer) -> None:
        self._drawer = drawer
        # Each drawing is a process of its own; more of them than cores only wait and take memory.
        self._drawing = asyncio.Semaphore(os.cpu_count() or 1)

    async def play(self, table: SeatTable, setup: EpisodeSetup[SynthesisRules]) -> Ending:
        """Make the figures of a condition one after the other, since each must differ from all earlier figures."""
        steps: list[FigureStep] = []
        for number in range(1, setup.payload.count + 1):
            try:
                step = await self._play_figure(table, setup, number, steps)
            except PlayerError as refusal:
                # A refusal costs one figure; an outage is retried and must not be taken for a figure that failed.
                if refusal.reason in TECHNICAL_REASONS:
                    raise
                step = FigureStep(number=number, summary="", programs=(), faults=(str(refusal)[:500],))
            steps.append(step)
        return Ending("completed", tuple(steps))

    async def _play_figure(
        self, table: SeatTable, setup: EpisodeSetup[SynthesisRules], number: int, earlier: list[FigureStep]
    ) -> FigureStep:
        words: SynthesisPrompts = setup.prompts
        summaries = [step.summary for step in earlier if step.summary]
        category, difficulty = setup.instance.category, setup.instance.difficulty
        question = Question(number, words.describer(category, difficulty, summaries), seed=setup.seed)
        plan = find_plan((await table.ask(DESCRIBER, question)).text)
        if plan is None:
            return FigureStep(number=number, summary="", programs=(), faults=("the answer holds no description",))
        return await self._ask_for_programs(table, setup, plan, number, earlier)

    async def _ask_for_programs(
        self,
        table: SeatTable,
        setup: EpisodeSetup[SynthesisRules],
        plan: FigurePlan,
        number: int,
        earlier: list[FigureStep],
    ) -> FigureStep:
        """Ask for programs until a figure passes the checks, each time with the fault of the last one."""
        words: SynthesisPrompts = setup.prompts
        category, difficulty = setup.instance.category, setup.instance.difficulty
        exchanges: list[Said] = []
        programs: list[str] = []
        faults: list[str] = []
        taken = {format_figure_name(category, difficulty, step.number): step.key for step in earlier if step.key}
        prompt = words.coder(category, difficulty, plan.description)
        for attempt in range(1, setup.rules.tries + 1):
            # Numbers leave room for every try, so that a resumed run asks each question under its old number.
            step = (number - 1) * setup.rules.tries + attempt
            answer = await table.ask(CODER, Question(step, prompt, earlier=tuple(exchanges), seed=setup.seed))
            exchanges.append(Said(prompt, answer.text))
            program = find_program(answer.text)
            fault: str | None = "the answer holds no block of code"
            if program is not None:
                drawn = await self._draw_program(program, category, derive_seed(setup.seed, step), taken)
                programs.append(drawn.key)
                fault = drawn.fault
            if fault is None:
                return _build_step(number, plan, programs, faults, programs[-1])
            faults.append(fault)
            prompt = words.again(fault)
        return _build_step(number, plan, programs, faults, None)

    async def _draw_program(self, program: str, category: str, seed: int, taken: dict[str, str]) -> DrawnProgram:
        async with self._drawing:
            return await asyncio.to_thread(self._drawer.draw, program, category, seed, taken)

    def measure(self, payload: FigureCondition, ending: Ending) -> list[Measured]:
        """Return the share of the figures for which a program was accepted."""
        steps: tuple[FigureStep, ...] = ending.steps
        return [Measured("accepted", None, sum(step.key is not None for step in steps) / payload.count)]

    def read_prompts(self, folder: Path | None) -> SynthesisPrompts:
        """Read the words for both models."""
        return load_synthesis_prompts(folder)


def format_figure_name(category: str, difficulty: Difficulty, number: int) -> str:
    """Return the name of a figure, which becomes the instance's id, such as ``bar_graph-easy-01``."""
    return f"{category}-{difficulty}-{number:02d}"


def _find_between_tags(tag: str, text: str) -> str:
    match = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL | re.IGNORECASE)
    return match[1].strip() if match else ""


def _build_step(number: int, plan: FigurePlan, programs: list[str], faults: list[str], key: str | None) -> FigureStep:
    return FigureStep(
        number=number, summary=plan.summary, description=plan.description, programs=tuple(programs),
        faults=tuple(faults), key=key,
    )  # fmt: skip
