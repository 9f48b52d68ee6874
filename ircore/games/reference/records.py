"""Records of reference games: contexts of pictures, people's messages and choices, rounds, and the rules of a run.

ICCA's settings are presets of the rules. Source: Hua and Artzi, *Talk Less, Interact Better* (COLM 2024), sections 3
and 4 and its published program: listener settings L1–L7, speaker settings S1–S4.
"""

import random
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, StringConstraints, model_validator

from ircore.core.records import GameRules, Name, Record

INVALID = "invalid"
"""The listener's choice that is recorded for words which are no label."""

# Labels are the letters of the alphabet.
MOST_PICTURES = 26

Message = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
Naming = Literal["", "whole", "parts"]

CONDITIONS: dict[str, Naming] = {
    "whole_black": "whole", "whole_color": "whole", "parts_black": "parts", "parts_color": "parts",
}  # fmt: skip
"""KiloGram's conditions, and what the speaker names in each; the rest of a name says how the tangram is shown.

Source: Ji et al., *Abstract Visual Reasoning with Tangram Shapes* (EMNLP 2022), section 6.
"""

PART_COLOURS = ("coral", "gold", "lightskyblue", "lightpink", "mediumseagreen", "darkgrey", "lightgrey")
"""KiloGram's colours of a tangram's parts, in their order."""

PRESETS: dict[str, dict[str, Any]] = {
    "L1": {"pictures": "every_round", "shuffle": True},
    "L2": {"pictures": "every_round", "history": False},
    "L3": {},
    "L4": {"pictures": "every_round"},
    "L5": {"masked": True},
    "L6": {"misleading": (1,)},
    "L7": {"misleading": (21, 22, 23, 24)},
    "S1": {"speaker": "simple"},
    "S2": {"speaker": "gricean"},
    "S3": {"speaker": "explicit"},
    "S4": {"speaker": "consistent"},
}
"""Rules of each preset that differ from the defaults, which are L3; under S1–S4 the listener plays under L3, too."""

_USUAL = "L3"
"""Preset that is the defaults."""

SEEDS = 1000
"""A round's own seed is drawn from so many, as in the published program."""


class HumanRound(Record):
    """Message and choice of two people in a round.

    >>> HumanRound(message="the red house", chosen=None).chosen is None  # an answer that was no label
    True
    """

    message: Message = Field(description="What the speaker wrote.")
    chosen: Name | None = Field(description="The picture that the listener chose; null if none.")


class Context(Record):
    """The pictures that are told apart, and the target of each round.

    >>> Context(context=("dog", "cat"), targets=("dog", "cat", "dog", "cat")).targets[1]
    'cat'
    """

    context: tuple[Name, ...] = Field(
        min_length=2, max_length=MOST_PICTURES, description="Names of the pictures in the speaker's order."
    )
    # At most 100 repetitions of 26 pictures.
    targets: tuple[Name, ...] = Field(min_length=1, max_length=2600, description="The target of each round.")
    seed: int = Field(default=0, ge=0, description="What the listener's orders are drawn from.")
    naming: Naming = Field(
        default="",
        exclude_if=lambda value: not value,  # contexts that leave it to the speaker keep their bytes
        description="What the speaker is told to name: the whole alone, or its parts, too; left to it if empty.",
    )
    human: tuple[HumanRound, ...] = Field(default=(), description="What people said and chose, round by round.")

    @model_validator(mode="after")
    def _checked(self) -> "Context":
        names = set(self.context)
        if len(names) != len(self.context):
            raise ValueError("context names a picture twice")
        for number, name in enumerate(self.targets, start=1):
            if name not in names:
                raise ValueError(f"targets: round {number}: {name} is not in the context")
        for number, human in enumerate(self.human, start=1):
            if human.chosen is not None and human.chosen not in names:
                raise ValueError(f"human: round {number}: {human.chosen} is not in the context")
        return self


class Round(Record):
    """A round: target, message and choice.

    >>> names = ("dog", "cat")
    >>> Round(repetition=1, target="dog", labelled=names, shown=names, message="barks", answer="B", chosen="cat",
    ...       correct=False).chosen
    'cat'
    """

    repetition: int = Field(ge=1, description="How often every picture has been the target by now, this time included.")
    target: Name = Field(description="The picture that was to be described.")
    labelled: tuple[Name, ...] = Field(description="The listener's pictures in the order of their labels.")
    shown: tuple[Name, ...] = Field(description="The listener's pictures as they stood at the labels.")
    message: Message = Field(description="What the speaker said.")
    answer: str = Field(max_length=100, description="The label that the listener chose, or invalid.")
    chosen: Name | None = Field(description="The picture that it chose; null if its answer was not valid.")
    correct: bool = Field(description="Whether it is the target.")


class ReferenceRules(GameRules):
    """Rules of a run: pictures, history and words of speaker and listener, and the number of repetitions.

    >>> ReferenceRules(preset="L6").misleading
    (1,)
    """

    plain: ClassVar[Mapping[str, str | Mapping[Any, str]]] = {
        "repetitions": "each picture is the target {} times",
        "pictures": {"once": "pictures shown once", "every_round": "pictures shown in every round"},
        "shuffle": {True: "in a new order every round", False: "in one order"},
        "history": {True: "earlier rounds remembered", False: "nobody remembers earlier rounds"},
        "masked": {True: "the listener sees grey pictures", False: "the listener sees the pictures"},
        "misleading": "pictures at wrong labels in rounds {}",
        "speaker": {
            "simple": "the speaker is told no more", "gricean": "the speaker is told to be brief",
            "explicit": "the speaker is told to get shorter",
            "consistent": "the speaker is told to get shorter and to keep its words",
        },
        "labels": {"letters": "pictures called by letters", "numbers": "pictures called by numbers"},
    }  # fmt: skip

    preset: Literal["", "L1", "L2", "L3", "L4", "L5", "L6", "L7", "S1", "S2", "S3", "S4"] = Field(
        default="", description="A setting of ICCA, which sets the rules below; none if empty."
    )
    repetitions: int = Field(
        default=6, strict=True, ge=1, le=100, description="How often each picture of the context is the target."
    )
    pictures: Literal["once", "every_round"] = Field(
        default="once", description="When the listener is shown the context: in the first round, or in every round."
    )
    shuffle: bool = Field(
        default=False, strict=True, description="Whether the listener's pictures change places and labels every round."
    )
    history: bool = Field(
        default=True,
        strict=True,
        description="Whether earlier rounds and feedback are shown; without, every round is alone.",
    )
    masked: bool = Field(default=False, strict=True, description="Whether the listener sees grey pictures instead.")
    misleading: tuple[int, ...] = Field(
        default=(),
        max_length=100,
        description="Rounds, from 1, in which the listener's pictures stand at other labels than those that count.",
    )
    speaker: Literal["simple", "gricean", "explicit", "consistent"] = Field(
        default="simple",
        description="What the speaker is told: no more; to be brief; to get shorter; and to keep its words, too.",
    )
    labels: Literal["letters", "numbers"] = Field(default="letters", description="How pictures are called.")

    @model_validator(mode="before")
    @classmethod
    def _expanded(cls, stated: Any) -> Any:
        """Fill rules from the preset; refuse a stated rule that contradicts the preset."""
        if not isinstance(stated, dict) or stated.get("preset", "") not in PRESETS:
            return stated
        preset = PRESETS[stated["preset"]]
        for name, value in preset.items():
            # A manifest lists where the record holds a tuple.
            if name in stated and _convert_tuple(stated[name]) != _convert_tuple(value):
                raise ValueError(f"{name} is {value!r} in the preset {stated['preset']}; leave one of them out")
        return preset | stated


class ContextOrder(NamedTuple):
    """A listener's context in a round.

    >>> draw_listener_orders(("dog", "cat"), 3, 0, ReferenceRules())[0].shown == draw_listener_orders(
    ...     ("dog", "cat"), 3, 0, ReferenceRules())[2].shown  # without shuffling all rounds are alike
    True

    Attributes:
        labelled: Names of the pictures in the order of the labels that count.
        shown: Names of the pictures as they stand at the labels; differs from ``labelled`` in misleading rounds alone.
    """

    labelled: tuple[str, ...]
    shown: tuple[str, ...]


def list_labels(count: int, rules: ReferenceRules) -> tuple[str, ...]:
    """Return the labels of ``count`` pictures: A, B, … or 1, 2, … ."""
    return tuple(ascii_uppercase[:count]) if rules.labels == "letters" else tuple(map(str, range(1, count + 1)))


def draw_listener_orders(
    context: Sequence[str], rounds: int, seed: int, rules: ReferenceRules
) -> tuple[ContextOrder, ...]:
    """Return the listener's order in each round.

    The first draw gives every round a seed of its own; then the context is shuffled once, unless it is masked. Where
    pictures change places, each round shuffles that order with its own seed. In a misleading round (numbered from 1)
    the pictures are shuffled with its number as the seed, which may leave some in place.

    Args:
        context: Names of the pictures in the speaker's order.
        rounds: How many rounds are played.
        seed: Of the game.
        rules: Of the run.
    """
    rng = random.Random(seed)
    # A sample has no repeats, so it cannot be larger than the range; ICCA's own games have 24 rounds.
    seeds = rng.sample(range(max(SEEDS, rounds)), rounds)
    base = list(context)
    if not rules.masked:
        # The same generator goes on, as in the published program; a new one would give other orders.
        rng.shuffle(base)
    return tuple(_draw_order(base, own, number, rules) for number, own in enumerate(seeds, start=1))


def find_preset(rules: ReferenceRules) -> str:
    """Return the preset of ICCA that rules are, however they were stated; empty if they are none.

    >>> [find_preset(rules) for rules in (ReferenceRules(), ReferenceRules(preset="L2"), ReferenceRules(masked=True))]
    ['L3', 'L2', 'L5']
    """
    if rules.preset:
        return rules.preset
    # Length and labels of a game are no part of a preset.
    apart = {"preset", "repetitions", "labels"}
    stated = rules.model_dump(exclude=apart)
    names = (_USUAL, *(name for name in PRESETS if name.startswith("L")), *PRESETS)
    return next((name for name in names if ReferenceRules(preset=name).model_dump(exclude=apart) == stated), "")


def _convert_tuple(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _draw_order(base: Sequence[str], seed: int, number: int, rules: ReferenceRules) -> ContextOrder:
    labelled = _shuffle(base, seed) if rules.shuffle else tuple(base)
    # In a misleading round the labels that count stay, and only the pictures move.
    return ContextOrder(labelled, _shuffle(labelled, number) if number in rules.misleading else labelled)


def _shuffle(names: Sequence[str], seed: int) -> tuple[str, ...]:
    shuffled = list(names)
    random.Random(seed).shuffle(shuffled)
    return tuple(shuffled)
