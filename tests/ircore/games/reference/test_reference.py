"""Rules of reference games, by scripted seats and by the structure of ICCA's 132 golden prompts."""

import asyncio
import csv
import json
import os
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from known_values import known
from pydantic import ValidationError
from target_instances import instance_by_hand

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.games.base import Ending, EpisodeSetup, Seat, SeatTable
from ircore.games.master_words import TextPrompts
from ircore.games.reference.game import PLACEHOLDERS, ReferenceGame
from ircore.games.reference.records import (
    PRESETS,
    SEEDS,
    Context,
    HumanRound,
    ReferenceRules,
    Round,
    draw_listener_orders,
    list_labels,
)
from ircore.players.base import ChoiceAnswer, PlayerError, Question, TextAnswer
from ircore.players.spoken_answers import find_choice

NAMES = ("red", "green", "blue", "white")
PICTURES = {name: Picture.from_pixels(Drawing(16, 16, name).pixels) for name in NAMES}
TWO_REPETITIONS = Context(context=NAMES, targets=(*NAMES, *reversed(NAMES)), seed=5)


@dataclass
class Scripted:
    """Seats that answer by functions, and every question that they were asked."""

    listen: Callable[[Question], ChoiceAnswer]
    speak: Callable[[Question], str] = lambda question: f"picture {question.step}"
    asked: list[tuple[str, Question]] = field(default_factory=list)

    async def ask(self, seat: Seat[Any, Any], question: Question) -> Any:
        self.asked.append((seat.name, question))
        return TextAnswer(self.speak(question)) if seat.name == "speaker" else self.listen(question)

    def questions(self, seat: str) -> list[Question]:
        return [question for name, question in self.asked if name == seat]


def always(choice: str, *notes: str) -> Callable[[Question], ChoiceAnswer]:
    return lambda question: ChoiceAnswer(choice, notes)


def saying(words: str) -> Callable[[Question], ChoiceAnswer]:
    """Return a listener whose words are read as every player's are."""

    def listen(question: Question) -> ChoiceAnswer:
        choice = find_choice(words, question)
        assert choice is not None
        return ChoiceAnswer(*choice)

    return listen


def played(seats: Scripted, rules: ReferenceRules, context: Context = TWO_REPETITIONS) -> Ending:
    game = ReferenceGame()
    instance = instance_by_hand("reference", "colours", context.model_dump(mode="json"))
    setup = EpisodeSetup(instance, context, PICTURES, rules, game.read_prompts(None), seed=1)
    return asyncio.run(game.play(cast(SeatTable, seats), setup))


def test_the_context_is_shown_once_and_the_history_tells_the_rest() -> None:
    seats = Scripted(always("A"))
    ending = played(seats, ReferenceRules())
    assert (ending.outcome, len(ending.steps)) == ("completed", 8)
    for seat in ("speaker", "listener"):
        first, second, *_, last = seats.questions(seat)
        assert [len(question.pictures) for question in (first, second, last)] == [4, 0, 0]
        assert len(last.earlier) == 7
        assert [len(said.pictures) for said in last.earlier] == [4, 0, 0, 0, 0, 0, 0]
        assert last.in_sight == first.pictures


@pytest.mark.parametrize(("naming", "end"), [("whole", "name none of its parts."), ("parts", "name its parts, too.")])
def test_the_speakers_first_prompt_says_what_to_name_where_the_context_does(naming: str, end: str) -> None:
    for told, words in (("", []), (naming, [f"Say what the target looks like as a whole, and {end}"])):
        seats = Scripted(always("A"))
        played(seats, ReferenceRules(), TWO_REPETITIONS.model_copy(update={"naming": told}))
        first, *others = [question.prompt for question in [*seats.questions("speaker"), *seats.questions("listener")]]
        assert first.split("\n\n")[1:-1] == words
        assert not any("as a whole" in prompt for prompt in others)


def test_without_history_every_round_is_alone() -> None:
    seats = Scripted(always("A"))
    played(seats, ReferenceRules(preset="L2"))
    for question in seats.questions("listener"):
        assert (len(question.pictures), question.earlier) == (4, ())
        assert "That was" not in question.prompt


@pytest.mark.parametrize(("preset", "pictures"), [("L1", 32), ("L3", 4), ("L4", 32), ("L5", 4), ("L6", 4)])
def test_as_many_pictures_stand_before_the_last_answer_as_in_the_paper(preset: Any, pictures: int) -> None:
    seats = Scripted(always("A"))
    played(seats, ReferenceRules(preset=preset))
    last = seats.questions("listener")[-1]
    assert sum(len(said.pictures) for said in last.earlier) + len(last.pictures) == pictures


def test_the_misled_of_l7_are_shown_pictures_in_their_last_repetition() -> None:
    context = Context(context=NAMES, targets=NAMES * 6, seed=5)
    seats = Scripted(always("A"))
    played(seats, ReferenceRules(preset="L7"), context)
    last = seats.questions("listener")[-1]
    assert sum(len(said.pictures) for said in last.earlier) + len(last.pictures) == 20


def test_feedback_says_right_or_wrong_and_an_invalid_answer_learns_nothing_of_the_target() -> None:
    answers = iter(
        [ChoiceAnswer("A"), ChoiceAnswer("A"), ChoiceAnswer("invalid", ("I am not sure",)), *[ChoiceAnswer("A")] * 5]
    )
    seats = Scripted(lambda question: next(answers))
    ending = played(seats, ReferenceRules())
    rounds: list[Any] = list(ending.steps)
    feedback = [question.prompt.split("\n\n")[0] for question in seats.questions("listener")[1:4]]
    labels = dict(zip(rounds[0].labelled, "ABCD", strict=True))
    for played_round, words in zip(rounds[:2], feedback, strict=False):
        right = labels[played_round.target] == "A"
        assert words == (
            "That was right." if right else f"That was wrong: picture {labels[played_round.target]} was meant."
        )
    assert feedback[2] == "That was no valid answer. Answer with one of A, B, C, D."
    assert (rounds[2].chosen, rounds[2].correct) == (None, False)
    assert seats.questions("listener")[3].earlier[2].answer == "I AM NOT SURE"
    assert seats.questions("speaker")[3].prompt.startswith("The listener gave no valid answer.")


@pytest.mark.parametrize(("words", "label"), [("A", "A"), ("a", "A"), (" B ", "B"), ("d\n", "D")])
def test_a_label_counts_in_any_letter_case_and_with_blanks_around_it(words: str, label: str) -> None:
    ending = played(Scripted(saying(words)), ReferenceRules())
    for step in ending.steps:
        answered = cast(Round, step)
        assert (answered.answer, answered.chosen) == (label, answered.labelled["ABCD".index(label)])


CYRILLIC_A, WIDE_A = "\u0410", "\uff21"
REFUSAL = "I'm sorry, but I can't help with identifying images."


@pytest.mark.parametrize(
    "words", ["A.", "Image C", "AB", "A B", "E", "", "  ", "1", "(A)", CYRILLIC_A, WIDE_A, REFUSAL]
)
def test_other_words_are_no_label_and_tell_nobody_the_target(words: str) -> None:
    seats = Scripted(saying(words))
    ending = played(seats, ReferenceRules())
    assert (ending.outcome, len(ending.steps)) == ("completed", 8)
    for step in ending.steps:
        answered = cast(Round, step)
        assert (answered.answer, answered.chosen, answered.correct) == ("invalid", None, False)
    for question in seats.questions("listener")[1:]:
        assert question.prompt.startswith("That was no valid answer. Answer with one of A, B, C, D.\n\n")
        assert [said.answer for said in question.earlier] == [words.strip().upper()] * len(question.earlier)
    for question in seats.questions("speaker")[1:]:
        assert question.prompt.startswith("The listener gave no valid answer.")


def test_masked_pictures_show_nothing() -> None:
    seats = Scripted(always("A"))
    played(seats, ReferenceRules(masked=True))
    shown = seats.questions("listener")[0].pictures
    assert {captioned.picture.sha256 for captioned in shown}.isdisjoint(picture.sha256 for picture in PICTURES.values())
    assert len({captioned.picture.sha256 for captioned in shown}) == 1
    assert {captioned.picture.sha256 for captioned in seats.questions("speaker")[0].pictures} == {
        picture.sha256 for picture in PICTURES.values()
    }


def test_speaker_and_listener_see_the_same_pictures_under_labels_of_their_own() -> None:
    seats = Scripted(always("A"))
    ending = played(seats, ReferenceRules())
    first: Any = ending.steps[0]
    speaker, listener = seats.questions("speaker")[0], seats.questions("listener")[0]
    assert [shown.picture for shown in speaker.pictures] == [PICTURES[name] for name in NAMES]
    assert [shown.picture for shown in listener.pictures] == [PICTURES[name] for name in first.labelled]
    assert speaker.prompt.endswith("Round 1: the target is picture A.")


def test_a_message_is_inserted_as_it_is_whatever_it_pretends() -> None:
    seats = Scripted(always("A"), speak=lambda question: "Round 9: the target is picture {label}. {labels}")
    played(seats, ReferenceRules())
    assert seats.questions("listener")[0].prompt.endswith(
        "this message: Round 9: the target is picture {label}. {labels}"
    )


def test_a_message_that_names_a_label_is_no_answer() -> None:
    # The speaker's labels are not the listener's: naming one is a poor message, and nothing else.
    seats = Scripted(always("A"), speak=lambda question: "B")
    ending = played(seats, ReferenceRules())
    assert {step.answer for step in cast(tuple[Round, ...], ending.steps)} == {"A"}


@pytest.mark.parametrize(("message", "reason"), [("  ", "answer_empty"), ("x" * 5000, "answer_format")])
def test_a_speaker_that_says_nothing_or_no_end_ends_the_episode(message: str, reason: str) -> None:
    ending = played(Scripted(always("A"), speak=lambda question: message), ReferenceRules())
    assert (ending.outcome, ending.reason, ending.steps) == ("aborted", reason, ())


def test_people_are_taken_from_the_record() -> None:
    human = (HumanRound(message="the red one", chosen="green"), HumanRound(message="the green one", chosen=None))
    context = Context(context=NAMES, targets=NAMES, seed=5, human=human)
    game = ReferenceGame()
    setup: Any = EpisodeSetup(None, context, PICTURES, ReferenceRules(), game.read_prompts(None))  # type: ignore[arg-type]
    speaker, listener = game.seats
    first, second, third = (Question(step, "") for step in (1, 2, 3))
    assert game.find_recorded_answer(speaker, first, setup, "human") == TextAnswer("the red one")
    chosen: Any = game.find_recorded_answer(listener, first, setup, "human")
    orders = played(Scripted(always("A")), ReferenceRules(), context).steps
    order: Any = orders[0]
    assert order.labelled["ABCD".index(chosen.choice)] == "green"
    assert game.find_recorded_answer(listener, second, setup, "human") == ChoiceAnswer("invalid")
    for question, source in ((third, "human"), (first, "a-model")):
        with pytest.raises(PlayerError):
            game.find_recorded_answer(speaker, question, setup, source)


SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[4].parent / "shared" / "data")
ICCA = SHARED / "lang" / "icca"
GOLDEN = ICCA / "transcripts"
CONTEXT = ("w", "x", "y", "z")


def test_labels_stay_where_nothing_shuffles() -> None:
    orders = draw_listener_orders(CONTEXT, 24, 3, ReferenceRules())
    assert len({order.labelled for order in orders}) == 1
    assert all(order.shown == order.labelled for order in orders)


def test_every_round_has_its_own_order_where_pictures_change_places() -> None:
    orders = draw_listener_orders(CONTEXT, 24, 3, ReferenceRules(shuffle=True))
    assert len({order.labelled for order in orders}) > 10
    assert all(sorted(order.labelled) == sorted(CONTEXT) for order in orders)


def test_only_a_misleading_round_shows_other_pictures_at_the_labels_that_count() -> None:
    orders = draw_listener_orders(CONTEXT, 24, 3, ReferenceRules(preset="L7"))
    moved = [number for number, order in enumerate(orders, start=1) if order.shown != order.labelled]
    assert set(moved) <= {21, 22, 23, 24}
    assert moved


def test_masked_pictures_stand_in_the_speakers_order() -> None:
    (first, *_) = draw_listener_orders(CONTEXT, 24, 3, ReferenceRules(masked=True))
    assert first.labelled == CONTEXT


def test_labels_are_letters_or_numbers() -> None:
    assert list_labels(3, ReferenceRules()) == ("A", "B", "C")
    assert list_labels(3, ReferenceRules(labels="numbers")) == ("1", "2", "3")


def test_a_rule_that_contradicts_its_preset_is_refused() -> None:
    assert ReferenceRules.model_validate({"preset": "L1", "shuffle": True}).pictures == "every_round"
    with pytest.raises(ValidationError, match="shuffle is True in the preset L1"):
        ReferenceRules.model_validate({"preset": "L1", "shuffle": False})


@pytest.mark.skipif(not GOLDEN.is_dir(), reason="needs ICCA's golden transcripts")
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_orders_are_those_of_the_published_program(preset: str) -> None:
    seeds = random.Random(0).sample(range(1000), 54)
    paths = sorted(GOLDEN.glob(f"*_{preset}.json"))
    for path in paths:
        played = json.loads(path.read_text())
        context = sorted(played["trials"][0]["label_order"])
        random.Random(played["game_index"]).shuffle(context)
        assert played.get("speaker_image_order") in (None, context)
        orders = draw_listener_orders(context, 24, seeds[played["game_index"]], ReferenceRules(preset=preset))
        assert [list(order.labelled) for order in orders] == [trial["label_order"] for trial in played["trials"]]
        assert [list(order.shown) for order in orders] == [trial["shown_order"] for trial in played["trials"]]
        labels = list_labels(4, ReferenceRules())
        for trial, order in zip(played["trials"], orders, strict=True):
            assert trial["gold_label"] in labels
            assert order.labelled
    assert len(paths) == 12


# Words of the game master that say nothing but what a round holds, in the form into which the published ones are read.
MARKS = dict.fromkeys(PLACEHOLDERS, "") | {
    "listener_round": "<said {message}>", "listener_right": "<right>", "listener_wrong": "<wrong {label}>",
    "listener_invalid": "<invalid>", "speaker_round": "<target {label}>", "speaker_right": "<right {chosen}>",
    "speaker_wrong": "<wrong {chosen}>", "speaker_invalid": "<invalid>",
}  # fmt: skip
PUBLISHED = (
    (r"<img:(.+?)(?:\.jpg)?>", "picture {}"),
    (r"[Ww]hich image is this message referring to: (.*?)\?(?: Output.*|<.*)?$", "<said {}>"),
    (r"target is Image ([A-D])", "<target {}>"), (r"listener correctly answered Image ([A-D])", "<right {}>"),
    (r"listener mistakenly answered Image ([A-D])", "<wrong {}>"),
    (r"listener didn't give a valid answer", "<invalid>"), (r"(?:^|: )Correct\b", "<right>"),
    (r"(?:^|: )Wrong.* Image ([A-D])", "<wrong {}>"), (r"(?:^|: )Invalid answer", "<invalid>"),
)  # fmt: skip


class Transcript(NamedTuple):
    """A published transcript with the messages of its game."""

    content: dict[str, Any]
    messages: list[str]
    context: tuple[str, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(stem(trial["label_order"]["ABCD".index(trial["gold_label"])]) for trial in self.content["trials"])


def stem(file: str) -> str:
    return Path(file).stem.lower()


def read(path: Path) -> Transcript:
    content = json.loads(path.read_text())
    with next((ICCA / "games" / content["game"]).glob("*.csv")).open(encoding="utf-8", newline="") as table:
        rows = sorted(csv.DictReader(table), key=lambda row: int(row["trialNum"]))
    names = sorted(content["trials"][0]["label_order"])
    random.Random(content["game_index"]).shuffle(names)
    return Transcript(content, [row["msg"].strip() for row in rows], tuple(map(stem, names)))


class FromTranscript:
    """The scripted players of the transcripts, and every question that they were asked."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self.asked: dict[str, list[Question]] = {"speaker": [], "listener": []}

    async def ask(self, seat: Seat[Any, Any], question: Question) -> Any:
        self.asked[seat.name].append(question)
        if seat.name == "speaker":
            return TextAnswer(self._transcript.messages[question.step - 1])
        choice = known(find_choice(self._transcript.content["trials"][question.step - 1]["scripted_answer"], question))
        return ChoiceAnswer(*choice)


def replayed(transcript: Transcript, preset: Any) -> tuple[FromTranscript, dict[str, str], list[Round]]:
    """Play a transcript's game; returns the questions, the names of pictures by hash, and the rounds."""
    shown = {name: picture(number) for number, name in enumerate(transcript.context)}
    seed = random.Random(0).sample(range(SEEDS), 54)[transcript.content["game_index"]]
    context = Context(context=transcript.context, targets=transcript.targets, seed=seed)
    seats, game = FromTranscript(transcript), ReferenceGame()
    prompts = TextPrompts("marks", MARKS)
    setup: Any = EpisodeSetup(None, context, shown, ReferenceRules(preset=preset), prompts)  # type: ignore[arg-type]
    ending = asyncio.run(game.play(cast(SeatTable, seats), setup))
    return seats, {shown[name].sha256: name for name in shown}, cast(list[Round], list(ending.steps))


def picture(number: int) -> Picture:
    return Picture.from_pixels(Drawing(8, 8, ("red", "green", "blue", "white")[number]).pixels)


def events_of(question: Question, names: dict[str, str]) -> list[str]:
    """What a player has before it when it answers: pictures, messages, targets and feedback, in order of rounds."""
    turns = [*((said.prompt, said.pictures) for said in question.earlier), (question.prompt, question.pictures)]
    events = []
    for prompt, pictures in turns:
        parts = known(re.fullmatch(r"\s*(<(?:right|wrong|invalid).*?>)?\s*(<.*>)\s*", prompt, re.DOTALL))
        shown = [f"picture {names.get(captioned.picture.sha256, 'mask')}" for captioned in pictures]
        events += [*filter(None, [parts[1]]), *shown, parts[2]]
    return events


def strings(value: Any) -> Iterator[str]:
    """Every text of a published prompt, in order; answers are left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif value.get("role") != "assistant":
        for key in ("content", "text", "image_url", "source", "url", "data"):
            if key in value:
                yield from strings(value[key])


def published_events(prompt: Any) -> list[str]:
    events = []
    for text in strings(prompt):
        for pattern, form in PUBLISHED:
            match = re.search(pattern, text.strip(), re.DOTALL)
            if match:
                value = match[1] if match.groups() else ""
                events.append(form.format(stem(value) if form.startswith("picture") else value))
                break
    return events


@pytest.mark.slow
@pytest.mark.skipif(not GOLDEN.is_dir(), reason="needs ICCA's golden transcripts")
@pytest.mark.parametrize("model", ["GPT", "Gemini", "Claude", "IDEFICS"])
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_every_round_is_shown_as_in_the_published_program(preset: str, model: str) -> None:
    paths = sorted(GOLDEN.glob(f"*_{model}_{preset}.json"))
    assert len(paths) == 3
    seat = "listener" if preset.startswith("L") else "speaker"
    for path in paths:
        transcript = read(path)
        seats, names, rounds = replayed(transcript, preset)
        for key, question in ((f"{seat}_prompt_trial_{number}", number - 1) for number in (1, 2)):
            if key in transcript.content:
                assert events_of(seats.asked[seat][question], names) == published_events(transcript.content[key])
        last = published_events(transcript.content[f"{seat}_prompt_last"])
        assert events_of(seats.asked[seat][-1], names) == last
        assert sum(event.startswith(("<said", "<target")) for event in last) == (1 if preset == "L2" else 24)
        right = [step.correct for step in rounds]
        shares = [sum(right[at : at + 4]) / 4 for at in range(0, 24, 4)]
        assert shares == transcript.content["accuracy_per_repetition"]
