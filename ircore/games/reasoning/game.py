"""The reasoning game as a plug-in: its declarations, and its rules as a single coroutine.

One task an episode: a picture is to be drawn or edited, or a thing in a picture to be recognised, and it takes a
thought to know what. Source of the dimensions: Li et al., *GIR-Bench* (2025).
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path

from pydantic import Field

from ircore.core.episode_records import TECHNICAL_REASONS, Rendering
from ircore.core.records import GameRules, derive_seed
from ircore.games.base import (
    Contrast,
    Ending,
    EpisodeSetup,
    Game,
    GameOutcome,
    GameWords,
    Instruments,
    Measured,
    Pages,
    PublishedFigure,
    Seat,
    SeatTable,
)
from ircore.games.master_words import TextPrompts, load_text_prompts
from ircore.games.reasoning.measures import MEASURES, measure_attempt, measure_choice
from ircore.games.reasoning.tasks import LONGEST, TaskAttempt, TaskRecord
from ircore.players.base import Captioned, ChoiceAnswer, PictureAnswer, PlayerError, Question, TextAnswer

SOURCE = "https://openreview.net/forum?id=4c1gAsVd9C"

_OVERALL: Mapping[str, Mapping[str, float]] = {
    "entities drawn, overall": {
        "SD-3.5-Large": 0.288, "Qwen-Image": 0.429, "BAGEL-7B": 0.295, "BAGEL-7B with thinking": 0.341,
        "Gemini-2.5-Flash-Image": 0.593, "GPT-Image-1": 0.689,
    },
    "generate, overall": {
        "FLUX.1-schnell": 0.159, "BAGEL-7B": 0.169, "BAGEL-7B with thinking": 0.276, "Gemini-2.5-Flash-Image": 0.399,
        "GPT-Image-1": 0.622,
    },
    "edit, overall": {
        "FLUX.1-Kontext-dev": 0.105, "BAGEL-7B": 0.098, "BAGEL-7B with thinking": 0.140,
        "Gemini-2.5-Flash-Image": 0.343, "GPT-Image-1": 0.351,
    },
    "quantity": {"BAGEL-7B": 0.056, "BAGEL-7B with thinking": 0.249},
    "layout": {"BAGEL-7B": 0.287, "BAGEL-7B with thinking": 0.460},
    "text": {"BAGEL-7B": 0.163, "BAGEL-7B with thinking": 0.120},
}  # fmt: skip
"""Scores by GIR-Bench's rules on its own instances, by model. Drawn entities are scored by DINOv3 features."""

_RECOGNISED: Mapping[str, float] = {"BAGEL-7B": 0.937, "BAGEL-7B with thinking": 0.968, "GPT-5": 0.994}
"""Accuracy of recognition."""


_ROWS = {"entities drawn, overall": "drawn", "quantity": "quantity", "layout": "layout", "text": "text"}
"""Measures and dimensions beside whose values the scores of a part stand."""

_WITH_AND_WITHOUT = ("BAGEL-7B", "BAGEL-7B with thinking")
"""The model that the paper reports with thinking and without it."""


def _list_published_figures() -> Iterator[PublishedFigure]:
    for part, scores in _OVERALL.items():
        for model, score in scores.items():
            row = _ROWS.get(part, "") if model in _WITH_AND_WITHOUT else ""
            yield PublishedFigure(f"{model}: {part}", "published", score, SOURCE, model if row else "", row=row)
    for model, accuracy in _RECOGNISED.items():
        row = "recognised" if model in _WITH_AND_WITHOUT else ""
        label = f"{model}: recognition, overall"
        yield PublishedFigure(label, "recognised", accuracy, SOURCE, model if row else "", row=row)


PUBLISHED = tuple(_list_published_figures())


class ReasoningRules(GameRules):
    """Rules of a run.

    >>> ReasoningRules().thinking
    False
    """

    thinking: bool = Field(
        default=False,
        strict=True,
        description="Whether a thinker reads the task first and tells the drawer in plain words what to draw.",
    )


PLACEHOLDERS = {"thinker": ("{task}",), "thought": ("{thought}",)}
"""The texts of ``prompt_texts`` by name, and what each must have a place for."""

UNCLEAR = "none of them"
"""The reader's choice that is recorded for words which name no choice."""

_METHOD = """\
A player is given a task whose answer is a picture or a choice. The task does not say what the picture must show; it \
has to be worked out, and a program verifies the answer.

The program counts, measures and reads the picture. The score is between 0 and 1, and the reasons are on the page of \
each task.

A missing or unreadable picture scores 0. GIR-Bench's own code leaves such pictures out; the share of tasks that were \
answered is a column.
"""

THINKER: Seat[Question, TextAnswer] = Seat("thinker", "Thinker", "the task and its picture", "text", when="thinking")
DRAWER: Seat[Question, PictureAnswer] = Seat(
    "drawer", "Drawer", "the task and its picture, or the thinker's words instead of the task", "picture"
)
READER: Seat[Question, ChoiceAnswer] = Seat("reader", "Reader", "a picture and the names of several things", "choice")


class ReasoningGame(Game[ReasoningRules]):
    """Draw, edit or recognise an answer that must be worked out first.

    >>> game = ReasoningGame()
    >>> [seat.name for seat in game.list_seats(ReasoningRules())], game.headline.key
    (['drawer', 'reader'], 'verified')
    """

    name = "reasoning"
    title = "Reasoning tasks"
    paper = "https://openreview.net/forum?id=4c1gAsVd9C"
    seats = (DRAWER, READER, THINKER)
    payload = TaskRecord
    rules = ReasoningRules
    step = TaskAttempt
    outcomes = (
        GameOutcome("answered", played=True),
        GameOutcome("missing", played=True),
        GameOutcome("aborted", played=False),
    )
    measures = MEASURES
    pages = Pages(
        columns=("right", "answered", "recognised", "drawn", "gap"),
        figures=("verified", "recognised", "drawn", "gap"),
        contrasts=(Contrast("verified", beside=("recognised", "drawn")),),
        stories=("verified",),
        matrix=("drawer", "reader"),
        compared="truth",
        compared_title="A right answer",
        words=GameWords("task", result="answer"),
        method=_METHOD,
        instance=(files(__package__) / "instance.html.j2").read_text(encoding="utf-8"),
        episode=(files(__package__) / "episode.html.j2").read_text(encoding="utf-8"),
        thumbnail="input",
    )
    published = PUBLISHED

    async def play(self, table: SeatTable, setup: EpisodeSetup[ReasoningRules]) -> Ending:
        """Play one episode; see ``ircore.games.base.Game.play``."""
        task: TaskRecord = setup.payload
        pictures = tuple(Captioned("the picture", setup.pictures[name]) for name in task.shown)
        prompt, thought = task.prompt, None
        try:
            if setup.rules.thinking and not task.choices:
                thought = await _ask_for_thought(table, setup, pictures)
                prompt = setup.prompts.words("thought", thought=thought)
            attempt = await _ask_for_attempt(table, setup, prompt, thought, pictures)
        except PlayerError as fault:
            # An outage says nothing about the player; the episode is played again and does not score 0.
            if fault.reason in TECHNICAL_REASONS:
                raise
            missing = TaskAttempt(told=prompt, thought=thought, missing=f"{fault.reason}: {fault.detail}"[:2000])
            return Ending("missing", (missing,))
        return Ending("missing" if attempt.missing else "answered", (attempt,))

    def measure(self, payload: TaskRecord, ending: Ending) -> Iterable[Measured]:
        """Compute the measures that need no picture; see ``measures``."""
        return measure_choice(payload, ending)

    def measure_pictures(self, payload: TaskRecord, ending: Ending, instruments: Instruments) -> Iterable[Measured]:
        """Let the dimension's verifier judge the answer; see ``measures``."""
        return measure_attempt(payload, ending, instruments)

    def draws_over(self, payload: TaskRecord) -> bool:
        """Return whether the drawer is shown a picture."""
        return bool(payload.shown) and not payload.choices

    def read_prompts(self, folder: Path | None) -> TextPrompts:
        """Read the prompts; see ``load_text_prompts``."""
        return load_text_prompts(TextPrompts, PLACEHOLDERS, __package__, folder)


async def _ask_for_thought(
    table: SeatTable, setup: EpisodeSetup[ReasoningRules], pictures: tuple[Captioned, ...]
) -> str:
    seed = derive_seed(setup.seed, 1, THINKER.name)
    question = Question(1, setup.prompts.words("thinker", task=setup.payload.prompt), pictures, seed=seed)
    thought = (await table.ask(THINKER, question)).text.strip()
    if not thought:
        raise PlayerError("answer_empty", "the thinker said nothing")
    if len(thought) > LONGEST:
        raise PlayerError("answer_format", f"a thought of {len(thought)} characters, {LONGEST} are read")
    return thought


async def _ask_for_attempt(
    table: SeatTable,
    setup: EpisodeSetup[ReasoningRules],
    prompt: str,
    thought: str | None,
    pictures: tuple[Captioned, ...],
) -> TaskAttempt:
    task: TaskRecord = setup.payload
    if task.choices:
        seed = derive_seed(setup.seed, 1, READER.name)
        chosen = await table.ask(READER, Question(1, prompt, pictures, task.choices, seed=seed, unclear=UNCLEAR))
        if chosen.choice == UNCLEAR:
            return TaskAttempt(told=prompt, missing="the answer names none of the choices", notes=chosen.notes)
        return TaskAttempt(told=prompt, choice=chosen.choice, notes=chosen.notes)
    drawn = await table.ask(DRAWER, Question(1, prompt, pictures, seed=derive_seed(setup.seed, 1, DRAWER.name)))
    return TaskAttempt(told=prompt, thought=thought, rendering=Rendering.of(drawn.picture), notes=drawn.notes)
