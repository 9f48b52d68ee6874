"""ICCA's 132 golden prompts as structure: pictures, messages, targets and feedback of every round, not their words."""

import asyncio
import csv
import json
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from known_values import known

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.games.base import EpisodeSetup, Seat, Table
from ircore.games.master_words import TextPrompts
from ircore.games.reference.game import PLACEHOLDERS, ReferenceGame
from ircore.games.reference.records import Context, Round
from ircore.games.reference.rules import PRESETS, SEEDS, ReferenceRules
from ircore.players.base import ChoiceAnswer, Question, TextAnswer
from ircore.players.spoken_answers import find_choice

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[4].parent / "shared" / "data")
ICCA = SHARED / "lang" / "icca"
TRANSCRIPTS = ICCA / "transcripts"
pytestmark = pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="needs ICCA's golden transcripts")

# Words of the game master that say nothing but what a round holds, in the form into which the published ones are read.
MARKS = dict.fromkeys(PLACEHOLDERS, "") | {
    "listener_round": "<said {message}>", "listener_right": "<right>", "listener_wrong": "<wrong {label}>",
    "listener_invalid": "<invalid>", "speaker_round": "<target {label}>", "speaker_right": "<right {chosen}>",
    "speaker_wrong": "<wrong {chosen}>", "speaker_invalid": "<invalid>",
}  # fmt: skip
PUBLISHED = (
    (r"<img:(.+?)(?:\.jpg)?>", "picture {}"),
    (r"[Ww]hich image is this message referring to: (.*?)\?(?: Output.*|<.*)?$", "<said {}>"),
    (r"target is Image ([A-D])", "<target {}>"),
    (r"listener correctly answered Image ([A-D])", "<right {}>"),
    (r"listener mistakenly answered Image ([A-D])", "<wrong {}>"),
    (r"listener didn't give a valid answer", "<invalid>"),
    (r"(?:^|: )Correct\b", "<right>"),
    (r"(?:^|: )Wrong.* Image ([A-D])", "<wrong {}>"),
    (r"(?:^|: )Invalid answer", "<invalid>"),
)


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


class Scripted:
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


def replayed(transcript: Transcript, preset: Any) -> tuple[Scripted, dict[str, str], list[Round]]:
    """Play a transcript's game; returns the questions, the names of pictures by hash, and the rounds."""
    shown = {name: picture(number) for number, name in enumerate(transcript.context)}
    seed = random.Random(0).sample(range(SEEDS), 54)[transcript.content["game_index"]]
    context = Context(context=transcript.context, targets=transcript.targets, seed=seed)
    seats, game = Scripted(transcript), ReferenceGame()
    prompts = TextPrompts("marks", MARKS)
    setup: Any = EpisodeSetup(None, context, shown, ReferenceRules(preset=preset), prompts)  # type: ignore[arg-type]
    ending = asyncio.run(game.play(cast(Table, seats), setup))
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


@pytest.mark.parametrize("model", ["GPT", "Gemini", "Claude", "IDEFICS"])
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_every_round_is_shown_as_in_the_published_program(preset: str, model: str) -> None:
    paths = sorted(TRANSCRIPTS.glob(f"*_{model}_{preset}.json"))
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
