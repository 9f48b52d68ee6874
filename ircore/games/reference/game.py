"""The reference game as a plug-in: its declarations, its rules as a single coroutine, and the papers' figures.

A context of k pictures; in every round a speaker describes the target and a listener chooses. With one round it is
KiloGram's game (Ji et al., EMNLP 2022, section 6), with each picture as the target again and again it is ICCA's (Hua
and Artzi, COLM 2024, section 3). Figures of both papers are shown beside ours as reported.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import derive_seed
from ircore.games.base import (
    Contrast,
    Curve,
    Ending,
    EpisodeSetup,
    Game,
    GameOutcome,
    GameWords,
    Measured,
    Pages,
    PublishedFigure,
    Seat,
    SeatTable,
)
from ircore.games.master_words import TextPrompts, load_text_prompts
from ircore.games.reference.measures import MEASURES, format_mean_words, measure_rounds
from ircore.games.reference.records import (
    INVALID,
    Context,
    ContextOrder,
    ReferenceRules,
    Round,
    draw_listener_orders,
    find_preset,
    list_labels,
)
from ircore.players.base import Captioned, ChoiceAnswer, PlayerError, Question, Said, TextAnswer

ICCA = "https://arxiv.org/abs/2408.01417"
KILOGRAM = "https://arxiv.org/abs/2211.16492"

_PEOPLE_GAMES = "https://github.com/hawkrobe/continual-adaptation"

_PEOPLE: Mapping[str, Sequence[tuple[float, float, float]]] = {
    "correct": (
        (0.96759, 0.9444, 0.9861), (0.98611, 0.9676, 1), (0.99074, 0.9769, 1), (0.98611, 0.9630, 1),
        (0.99074, 0.9769, 1), (0.99537, 0.9861, 1),
    ),
    "message_words": (
        (7.889, 6.72, 9.16), (5.273, 4.56, 6.00), (4.259, 3.69, 4.85), (3.741, 3.24, 4.26), (3.468, 2.98, 3.99),
        (3.231, 2.77, 3.72),
    ),
    "message_wnr": (
        (0.2938, 0.243, 0.347), (0.1975, 0.139, 0.272), (0.1480, 0.102, 0.202), (0.1562, 0.096, 0.229),
        (0.1147, 0.064, 0.177),
    ),
}  # fmt: skip
"""Mean, and ends of the 95 % interval, of people by repetition, up to the sixth, by measure.

Measured on the 54 published games that ICCA took its people's messages from (``data/human-human`` of the source);
intervals by 10,000 bootstrap resamples of games. The paper prints the last accuracy alone, 99.54 %.
"""

_BY_REPETITION: Mapping[str, Mapping[int, float]] = {
    "GPT-4, L1": {1: 88.9, 5: 92.5, 6: 91.2},
    "GPT-4, L2": {1: 87.5, 6: 83.8},
    "GPT-4, L3": {6: 100.0},
    "Gemini, L2": {1: 80.2, 6: 78.8},
    "LLaVA, L2": {1: 72.7, 6: 71.3},
    "Claude, L2": {1: 57.4, 6: 55.5},
    "Claude, L3": {6: 100.0},
    "IDEFICS, L1": {1: 46.8},
    "IDEFICS, L2": {1: 45.8},
}
"""Accuracy in per cent by repetition, as the text of ICCA's paper reports it."""

_MISLED = {"GPT-4": (99.5, 27.3), "Claude": (98.6, 22.2), "IDEFICS": (87.5, 69.4)}
"""Accuracy in per cent under L7 before the misleading rounds and in them."""

_TANGRAMS = {
    "people, whole + black": 47.7,
    "people, parts + black": 49.1,
    "people, whole + color": 49.5,
    "people, parts + color": 63.0,
    "chance, ten tangrams": 10.0,
}
"""Accuracy in per cent of people on KiloGram's development split, ten pictures."""

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "speaker_simple": (),
    "speaker_gricean": (),
    "speaker_explicit": (),
    "speaker_consistent": (),
    "speaker_whole": (),
    "speaker_parts": (),
    "speaker_round": ("{label}",),
    "speaker_right": (),
    "speaker_wrong": ("{chosen}",),
    "speaker_invalid": (),
    "listener": ("{labels}",),
    "listener_masked": ("{labels}",),
    "listener_round": ("{message}",),
    "listener_right": (),
    "listener_wrong": ("{label}",),
    "listener_invalid": ("{labels}",),
}
"""The texts of a set by name, and what each must have a place for."""

GREY = "#808080"

LONGEST_MESSAGE = 4000
"""Characters of a message; people's longest has 185."""

_METHOD = """\
In every round a speaker sees several pictures and is told which one is the target. A listener sees the same pictures \
in an order of its own, reads the speaker's message, and says which one is meant.

Afterwards both learn whether the answer was right. Where every picture is the target again and again, partners may \
come to an agreement: people's messages get shorter and keep their words.

In KiloGram's conditions there is one round about ten tangrams, black or in seven colours, and the speaker is told to \
name the whole alone, or its parts, too.

People's recorded choices do not depend on what another speaker says: a speaker that meets them has no accuracy and \
no rank, only length and novelty of its messages.

Rules have ICCA's names. L3 is usual: the listener is shown the pictures once, and both remember earlier rounds. L1: \
the pictures are shown again in every round, in a new order; L2: in every round, and nobody remembers; L4: in every \
round. L5: the listener sees grey pictures. L6 and L7: in the first round, or in four late ones, the pictures stand at \
wrong labels. S1 to S4 are L3 with a speaker that is told ever more about being brief.
"""
"""How the game is played, for the page on its method."""

SPEAKER: Seat[Question, TextAnswer] = Seat(
    "speaker",
    "Speaker",
    "the pictures, which of them is the target, and how the listener did before",
    "text",
    recorded=True,
)
LISTENER: Seat[Question, ChoiceAnswer] = Seat(
    "listener",
    "Listener",
    "the pictures in an order of its own, the message, and whether it was right before",
    "choice",
    recorded=True,
    decides=("accuracy", "correct", "invalid"),
)


def _list_published_figures() -> Iterator[PublishedFigure]:
    for key, means in _PEOPLE.items():
        # The novelty of a first message is not defined.
        for place, (value, low, high) in enumerate(means, 7 - len(means)):
            label = f"people in 54 published games, repetition {place}"
            yield PublishedFigure(label, key, value, _PEOPLE_GAMES, "people", place, low=low, high=high)
    for series, curve in _BY_REPETITION.items():
        for place, percent in curve.items():
            label, (who, _, preset) = f"{series}, repetition {place}", series.partition(", ")
            yield PublishedFigure(label, "correct", round(percent / 100, 4), ICCA, who, place, preset)
    for model, (before, misled) in _MISLED.items():
        yield PublishedFigure(f"{model}, L7, before misleading rounds", "accuracy", round(before / 100, 4), ICCA)
        yield PublishedFigure(f"{model}, L7, misleading rounds", "accuracy", round(misled / 100, 4), ICCA)
    for label, percent in _TANGRAMS.items():
        who, _, condition = label.partition(", ")
        row = condition.replace(" + ", "_") if who == "people" else ""
        yield PublishedFigure(label, "accuracy", round(percent / 100, 4), KILOGRAM, who if row else "", row=row)


PUBLISHED = tuple(_list_published_figures())


def mask_pictures(pictures: Mapping[str, Picture]) -> dict[str, Picture]:
    """Return a grey picture of the same size for each."""
    return {name: _build_grey_picture(picture.width, picture.height) for name, picture in pictures.items()}


class ReferenceGame(Game[ReferenceRules]):
    """Reference game: a speaker describes the target among several pictures, a listener chooses a picture.

    >>> game = ReferenceGame()
    >>> [seat.name for seat in game.seats], game.headline.key
    (['speaker', 'listener'], 'accuracy')
    """

    name = "reference"
    title = "Reference games"
    paper = "https://arxiv.org/abs/2408.01417"
    seats = (SPEAKER, LISTENER)
    payload = Context
    rules = ReferenceRules
    step = Round
    outcomes = (GameOutcome("completed", played=True), GameOutcome("aborted", played=False))
    measures = MEASURES
    pages = Pages(
        columns=("words", "wnr"),
        figures=("accuracy", "words"),
        curves=(
            Curve("correct", over="repetition"),
            Curve("message_words", over="repetition"),
            Curve("message_wnr", over="repetition"),
        ),
        contrasts=(Contrast("accuracy"),),
        stories=("message_words", "correct", "accuracy"),
        words=GameWords("context", "understand", "understood"),
        method=_METHOD,
        instance=(files(__package__) / "instance.html.j2").read_text(encoding="utf-8"),
        episode=(files(__package__) / "episode.html.j2").read_text(encoding="utf-8"),
    )
    published = PUBLISHED

    async def play(self, table: SeatTable, setup: EpisodeSetup[ReferenceRules]) -> Ending:
        """Play one episode; see ``ircore.games.base.Game.play``."""
        match, dialogue = _build_match(setup), _Dialogue()
        try:
            for number in range(1, len(match.targets) + 1):
                await _play_round(number, match, dialogue, table)
        except PlayerError as fault:
            return Ending("aborted", tuple(dialogue.rounds), fault.reason, fault.detail)
        return Ending("completed", tuple(dialogue.rounds))

    def name_setting(self, rules: ReferenceRules) -> str:
        """Return ICCA's name of the rules, such as ``L2``."""
        return find_preset(rules)

    def measure(self, payload: Context, ending: Ending) -> Iterable[Measured]:
        """Measure the rounds; see ``measures``."""
        return measure_rounds(ending.steps, len(payload.context))

    def name_thumbnail(self, payload: Context) -> str:
        """Return the first target."""
        return payload.targets[0]

    def collect_shown_values(self, payload: Context, ending: Ending | None) -> Mapping[str, Any]:  # noqa: ARG002 - of every context alike
        """Return the function that the template of an episode gives each repetition's mean length by."""
        return {"number_of_words": format_mean_words}

    def find_recorded_answer(
        self, seat: Seat[Any, Any], question: Question, setup: EpisodeSetup[ReferenceRules], source: str
    ) -> TextAnswer | ChoiceAnswer:
        """Return people's recorded message or choice of this round.

        Raises:
            PlayerError: Nothing is recorded of this source and round.
        """
        context: Context = setup.payload
        if source != "human" or question.step > len(context.human):
            raise PlayerError("provider_error", f"nothing is recorded of {source!r} in round {question.step}")
        recorded = context.human[question.step - 1]
        if seat.name == SPEAKER.name:
            return TextAnswer(recorded.message)
        match = _build_match(setup)
        order = match.orders[question.step - 1]
        # People sometimes gave no usable answer; it is recorded as the invalid choice.
        if recorded.chosen is None:
            return ChoiceAnswer(INVALID)
        return ChoiceAnswer(match.labels[order.labelled.index(recorded.chosen)])

    def list_recorded_steps(self, payload: Context) -> tuple[Round, ...]:
        """Return the recorded rounds that an imported context holds; empty where no choice of a person is recorded.

        People's pictures have no order here: the data do not say how they were shown.
        """
        if any(human.chosen is None for human in payload.human):
            return ()  # people's messages alone, as KiloGram's
        return tuple(
            Round(
                repetition=number // len(payload.context) + 1,
                target=target,
                labelled=payload.context,
                shown=payload.context,
                message=human.message,
                answer=cast(str, human.chosen),
                chosen=human.chosen,
                correct=human.chosen == target,
            )
            # Not every target need have a recorded round.
            for number, (human, target) in enumerate(zip(payload.human, payload.targets, strict=False))
        )

    def read_prompts(self, folder: Path | None) -> TextPrompts:
        """Read the prompts; see ``load_text_prompts``."""
        return load_text_prompts(TextPrompts, PLACEHOLDERS, __package__, folder)


@cache
def _build_grey_picture(width: int, height: int) -> Picture:
    return Picture.from_pixels(Drawing(width, height, GREY).pixels)


@dataclass
class _Dialogue:
    """Questions and answers of each seat so far, and the rounds."""

    speaker: list[Said] = field(default_factory=list)
    listener: list[Said] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)


@dataclass(frozen=True)
class _Match:
    """Setup, labels, targets and orders, which stay the same in an episode."""

    setup: EpisodeSetup[ReferenceRules]
    labels: tuple[str, ...]
    targets: tuple[str, ...]
    orders: tuple[ContextOrder, ...]

    @property
    def context(self) -> Context:
        context: Context = self.setup.payload
        return context

    def words(self, name: str, **places: object) -> str:
        prompts: TextPrompts = self.setup.prompts
        return prompts.words(name, count=len(self.labels), labels=", ".join(self.labels), **places)

    def caption_pictures(self, names: Sequence[str], pictures: Mapping[str, Picture]) -> tuple[Captioned, ...]:
        return tuple(
            Captioned(f"Picture {label}:", pictures[name]) for label, name in zip(self.labels, names, strict=True)
        )


def _build_match(setup: EpisodeSetup[ReferenceRules]) -> _Match:
    context: Context = setup.payload
    rules = setup.rules
    targets = context.targets[: rules.repetitions * len(context.context)]
    orders = draw_listener_orders(context.context, len(targets), context.seed, rules)
    return _Match(setup, list_labels(len(context.context), rules), targets, orders)


async def _play_round(number: int, match: _Match, dialogue: _Dialogue, table: SeatTable) -> None:
    """Let the speaker describe the target and the listener choose."""
    to_describe = _build_speaker_question(number, match, dialogue)
    spoken = await table.ask(SPEAKER, to_describe)
    message = spoken.text.strip()
    if not message:
        raise PlayerError("answer_empty", f"round {number}: the speaker said nothing")
    if len(message) > LONGEST_MESSAGE:
        raise PlayerError(
            "answer_format", f"round {number}: a message of {len(message)} characters, {LONGEST_MESSAGE} are read"
        )
    to_choose = _build_listener_question(number, message, match, dialogue)
    heard = await table.ask(LISTENER, to_choose)
    dialogue.rounds.append(_build_round(number, message, heard, match))
    if match.setup.rules.history:
        dialogue.speaker.append(Said(to_describe.prompt, message, to_describe.pictures))
        # An invalid answer is told back in the listener's own words, which the notes hold.
        answer = heard.notes[0].upper() if heard.choice == INVALID and heard.notes else heard.choice
        dialogue.listener.append(Said(to_choose.prompt, answer, to_choose.pictures))


def _build_round(number: int, message: str, heard: ChoiceAnswer, match: _Match) -> Round:
    order, target = match.orders[number - 1], match.targets[number - 1]
    chosen = None if heard.choice == INVALID else order.labelled[match.labels.index(heard.choice)]
    return Round(
        repetition=(number - 1) // len(match.labels) + 1,
        target=target,
        labelled=order.labelled,
        shown=order.shown,
        message=message,
        answer=heard.choice,
        chosen=chosen,
        correct=chosen == target,
    )


def _build_speaker_question(number: int, match: _Match, dialogue: _Dialogue) -> Question:
    context = match.context.context
    label = match.labels[context.index(match.targets[number - 1])]
    # Without history nothing is remembered, so every round is the first one to its players.
    alone = not dialogue.speaker
    opening = _format_speaker_opening(match) if alone else _format_speaker_feedback(match, dialogue)
    return Question(
        step=number,
        prompt="\n\n".join([*opening, match.words("speaker_round", round=number, label=label)]),
        pictures=match.caption_pictures(context, match.setup.pictures) if alone else (),
        earlier=tuple(dialogue.speaker),
        seed=derive_seed(match.setup.seed, number, SPEAKER.name),
    )


def _build_listener_question(number: int, message: str, match: _Match, dialogue: _Dialogue) -> Question:
    rules, pictures, order = match.setup.rules, match.setup.pictures, match.orders[number - 1]
    alone = not dialogue.listener
    name = "listener_masked" if rules.masked else "listener"
    opening = [match.words(name)] if alone else _format_listener_feedback(match, dialogue)
    shown: tuple[Captioned, ...] = ()
    # A misleading round shows its own order, even where pictures are otherwise shown once.
    if alone or rules.pictures == "every_round" or number in rules.misleading:
        shown = match.caption_pictures(order.shown, mask_pictures(pictures) if rules.masked else pictures)
    return Question(
        step=number,
        prompt="\n\n".join([*opening, match.words("listener_round", round=number, message=message)]),
        pictures=shown,
        choices=match.labels,
        earlier=tuple(dialogue.listener),
        seed=derive_seed(match.setup.seed, number, LISTENER.name),
        unclear=INVALID,
        exact=True,
    )


def _format_speaker_opening(match: _Match) -> list[str]:
    """Return how the game is played, and what the speaker is to name where the context says so."""
    names = filter(None, (match.setup.rules.speaker, match.context.naming))
    return [match.words(f"speaker_{name}") for name in names]


def _format_speaker_feedback(match: _Match, dialogue: _Dialogue) -> list[str]:
    last = dialogue.rounds[-1]
    if last.chosen is None:
        return [match.words("speaker_invalid")]
    chosen = match.labels[match.context.context.index(last.chosen)]
    return [match.words("speaker_right" if last.correct else "speaker_wrong", chosen=chosen)]


def _format_listener_feedback(match: _Match, dialogue: _Dialogue) -> list[str]:
    """Return the feedback on the listener's last answer; after an invalid answer the target is not told."""
    last = dialogue.rounds[-1]
    if last.chosen is None:
        return [match.words("listener_invalid")]
    if last.correct:
        return [match.words("listener_right")]
    return [match.words("listener_wrong", label=match.labels[last.labelled.index(last.target)])]
