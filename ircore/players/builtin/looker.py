"""The offline player of reference games: describes a picture among several, and finds a described picture.

It looks at pixels alone: what stands on the ground, its colour, form, size and where in the picture it lies. In the
speaker's seat it names a picture's features until no other picture has all of them, more fully the first time, and
keeps to the whole or adds parts where it is told to; in the listener's it chooses the picture with most of the features
that a message names. It knows drawn things, no photographs.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players.base import Captioned, ChoiceAnswer, PlayerError, Question, TextAnswer, refuse_settings
from ircore.players.traits import LOOKS_OFFLINE, THINKS_OFFLINE

Features = Mapping[str, str]
"""Phrases by kind of feature: ``{"colour": "red", "form": "circle", …}``, the most telling first."""

INK = 60
"""Difference from the ground's colour, summed over the channels, from which on a pixel counts as drawn."""

COLOURS = {
    "black": (0, 0, 0), "white": (255, 255, 255), "grey": (128, 128, 128), "red": (214, 40, 40),
    "orange": (247, 127, 0), "yellow": (255, 214, 10), "green": (42, 157, 74), "turquoise": (76, 201, 240),
    "blue": (29, 78, 216),
    "purple": (123, 44, 191), "pink": (255, 143, 177), "brown": (127, 79, 36),
}  # fmt: skip
PLACES = (
    "upper left", "top", "upper right", "left", "middle", "right", "lower left", "bottom", "lower right",
)  # fmt: skip
PART_COLOURS = COLOURS | {"light grey": (211, 211, 211)}
"""Colours of parts, of which a tangram has more greys than one."""

LARGE = 0.5
"""Share of the picture's side that a large thing reaches over."""

FULL, EMPTY = 0.45, 0.05
"""Share of a ninth of the thing's box above which it is full, below which it is empty."""

REMEMBERED = 512
_FIRST = 3
"""Features that are named of a picture the first time, at least."""

FORMS = ("circle", "square", "triangle", "pentagon", "hexagon", "star", "cross", "rectangle", "ellipse", "ring")
_PHRASES: dict[str, tuple[str, ...]] = {
    "form": FORMS,
    "colour": tuple(COLOURS),
    "fill": ("hollow", "filled"),
    "size": ("large", "small"),
    "proportion": ("broad", "tall", "compact"),
    **{place: (f"full at the {place}", f"empty at the {place}") for place in PLACES},
}


_COLOURED_PART = re.compile(rf"\b({'|'.join(PART_COLOURS)}) at the ({'|'.join(PLACES)})\b")
_NAMINGS = {"none of its parts": "whole", "its parts, too": "parts"}
"""What the speaker is to name, by words of the prompt that tell it."""


class LookerPlayer:
    """Takes either seat of a reference game, or any seat that answers with words or a choice about pictures.

    >>> import asyncio
    >>> def square(colour: str) -> Picture:
    ...     pixels = np.full((64, 64, 3), 255, np.uint8)
    ...     pixels[16:48, 16:48] = COLOURS[colour]
    ...     return Picture.from_pixels(pixels)
    >>> shown = (Captioned("Image A", square("red")), Captioned("Image B", square("blue")))
    >>> question = Question(1, "The blue square.", shown, choices=("A", "B"), answers="choice")
    >>> asyncio.run(LookerPlayer(PlayerSpec(player="looker")).answer(question)).choice
    'B'
    """

    TRAITS = LOOKS_OFFLINE

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def answer(self, question: Question) -> TextAnswer | ChoiceAnswer:
        """Describe the target that the prompt names, or choose the picture that best fits the prompt's last line.

        Raises:
            PlayerError: No pictures were shown, or the prompt names none of them as the target.
        """
        if not question.in_sight:
            raise PlayerError("rule_broken", "there are no pictures to look at")
        if question.answers == "choice":
            return ChoiceAnswer(_answer_choice(question))
        return TextAnswer(_answer_description(question))


class LiteralPlayer:
    """Takes the speaker's seat as the literal speaker of rational speech acts: it says what the target is.

    It does not ask which other pictures fit the same word, and says nothing of a thing that it has no word for, so that
    its episode is aborted. What a pair loses to it is what telling apart is worth (Frank & Goodman 2012).

    >>> LiteralPlayer(PlayerSpec(player="literal")).TRAITS.methods
    ('answer',)
    """

    TRAITS = THINKS_OFFLINE

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def answer(self, question: Question) -> TextAnswer:
        """Name the target's form, or else say that it is broad or tall, or where it is empty; or say nothing.

        Told to name the whole alone, say that it is broad, tall or compact where it has no form.

        Raises:
            PlayerError: The prompt names no picture that is shown.
        """
        _, shown = _find_target(question)
        features = find_features(shown.picture)
        words = [features.get(name, "") for name in ("form", "proportion", *PLACES)]
        if _find_naming(question) == "whole":
            return TextAnswer(words[0] or words[1])
        # That a thing is compact, or full somewhere, is true of most.
        return TextAnswer(next((word for word in words if word and not word.startswith(("compact", "full"))), ""))


def list_labels(pictures: Sequence[Captioned]) -> list[str]:
    """Return the label in each caption: its last word, without punctuation."""
    return [re.findall(r"\w+", shown.caption)[-1] for shown in pictures]


def select_telling_features(target: int, picture_features: Sequence[Features], least: int = 1) -> Features:
    """Return features of a picture that no other picture has all of, as few as a greedy choice finds.

    >>> select_telling_features(0, [{"colour": "red", "form": "circle"}, {"colour": "red", "form": "star"}])
    {'form': 'circle'}

    Args:
        target: Index of the picture.
        picture_features: Features of every picture.
        least: Least number of features to name, if the picture has as many.
    """
    own = picture_features[target]
    rivals = [features for place, features in enumerate(picture_features) if place != target]
    chosen: dict[str, str] = {}
    while len(chosen) < len(own) and (rivals or len(chosen) < least):
        left = [name for name in own if name not in chosen]
        best = max(left, key=lambda name: sum(features.get(name) != own[name] for features in rivals))
        chosen[best] = own[best]
        rivals = [features for features in rivals if features.get(best) == own[best]]
        if rivals and all(features.get(name) == own[name] for features in rivals for name in left):
            break  # nothing that is left tells them apart
    return {name: own[name] for name in own if name in chosen}


def format_features(features: Features) -> str:
    """Return features as a message: adjectives, the form, then places."""
    adjectives = [features[name] for name in ("size", "fill", "colour", "proportion") if name in features]
    noun = features.get("form", "figure" if adjectives else "")
    places = [phrase for name, phrase in features.items() if name in PLACES]
    return ", ".join(filter(None, [" ".join(filter(None, [*adjectives, noun])), *places]))


def find_features(picture: Picture) -> Features:
    """Return the features of a picture; each picture is examined once."""
    return _look(_compute_features, picture)


def find_part_colours(picture: Picture) -> Features:
    """Return the name of the commonest colour in each ninth of the thing's box, by place; none for empty ninths."""
    return _look(_compute_part_colours, picture)


def find_coloured_features(picture: Picture) -> Features:
    """Return the features of a picture; a thing in several colours is colourful, with ``red at the top`` as a place."""
    features, colours = find_features(picture), find_part_colours(picture)
    if len(set(colours.values())) < 2:
        return features
    parts = {place: f"{colour} at the {place}" for place, colour in colours.items()}
    return {**features, "colour": "colourful", **parts}


def _find_target(question: Question) -> tuple[str, Captioned]:
    """Return the label of the picture that the prompt names as the target, and the picture.

    Raises:
        PlayerError: It names none that is shown.
    """
    labels = list_labels(question.in_sight)
    target = _find_named_label(question.prompt, labels)
    if target is None:
        raise PlayerError("rule_broken", "the prompt names none of the pictures as the target")
    return target, question.in_sight[labels.index(target)]


def _answer_description(question: Question) -> str:
    target, _ = _find_target(question)
    labels = list_labels(question.in_sight)
    mentions = sum(_find_named_label(exchange.prompt, labels) == target for exchange in question.earlier)
    place, least, naming = labels.index(target), 1 if mentions else _FIRST, _find_naming(question)
    find = find_coloured_features if naming else find_features
    picture_features = [find(shown.picture) for shown in question.in_sight]
    if not naming:
        return format_features(select_telling_features(place, picture_features, least))
    wholes, parts = zip(*map(_split_features, picture_features), strict=True)
    whole = select_telling_features(place, wholes, least)
    return format_features(whole if naming == "whole" else {**whole, **select_telling_features(place, parts, least)})


def _split_features(features: Features) -> tuple[Features, Features]:
    """Return the features of the whole, and those of its parts."""
    whole, parts = ({name: features[name] for name in features if (name in PLACES) is place} for place in (False, True))
    return whole, parts


def _find_naming(question: Question) -> str:
    """Return what the speaker was told to name, ``whole`` or ``parts``; empty if it was not told."""
    prompts = "\n".join([*(exchange.prompt for exchange in question.earlier), question.prompt])
    return next((naming for words, naming in _NAMINGS.items() if words in prompts), "")


def _answer_choice(question: Question) -> str:
    description = question.prompt.rpartition("\n")[2].lower()
    parts, rest = _COLOURED_PART.findall(description), _COLOURED_PART.sub("", description)
    scores = [
        _score_fit(rest, find_features(shown.picture)) + _score_parts(parts, shown.picture)
        for shown in question.in_sight
    ]
    best = [label for label, score in zip(question.choices, scores, strict=False) if score == max(scores)]
    # The question's seed decides between equals, so that a run can be repeated.
    return Random(question.seed).choice(best or list(question.choices))


def _find_named_label(prompt: str, labels: Iterable[str]) -> str | None:
    """Return the label that stands last in a prompt."""
    words = [word for word in re.findall(r"\w+", prompt) if word in set(labels)]
    return words[-1] if words else None


def _score_fit(description: str, features: Features) -> int:
    """Return the number of named features that a picture has, minus the number that the picture lacks."""
    score = 0
    for name, phrases in _PHRASES.items():
        named = {phrase for phrase in phrases if re.search(rf"\b{phrase}\b", description)}
        if named:
            score += 1 if features.get(name) in named else -1
    return score


def _score_parts(parts: Sequence[tuple[str, str]], picture: Picture) -> int:
    """Return the number of parts, given by colour and place, that a picture has, minus the number that it lacks."""
    return 2 * sum(find_part_colours(picture).get(place) == colour for colour, place in parts) - len(parts)


@dataclass(unsafe_hash=True)
class _Key:
    """A picture as a key of the cache: equal if the bytes are."""

    sha256: str
    picture: Picture | None = field(compare=False)


def _look(compute: Callable[[_Key], Features], picture: Picture) -> Features:
    key = _Key(picture.sha256, picture)
    features = compute(key)
    # The cache keeps its keys; without this, they would keep the pictures alive.
    key.picture = None
    return features


@lru_cache(maxsize=REMEMBERED)
def _compute_features(key: _Key) -> Features:
    assert key.picture is not None  # noqa: S101 - set whenever it is not yet in the cache
    pixels, ink = _cut_out_thing(key.picture)
    if not ink.size:
        return {}
    size = key.picture.pixels.shape[:2]
    return _recognise_form(key.picture) | _describe_appearance(pixels[ink], ink, size) | _describe_ninths(ink)


@lru_cache(maxsize=REMEMBERED)
def _compute_part_colours(key: _Key) -> Features:
    assert key.picture is not None  # noqa: S101 - set whenever it is not yet in the cache
    pixels, ink = map(_cut_ninths, _cut_out_thing(key.picture))
    ninths = zip(PLACES, ink, pixels, strict=True)
    return {
        place: _name_part_colour(part[drawn]) for place, drawn, part in ninths if drawn.size and drawn.mean() >= EMPTY
    }


def _name_part_colour(colours: npt.NDArray[np.int32]) -> str:
    """Return the name of the commonest of some pixels' colours."""
    # As numbers, which are sorted in a tenth of the time.
    numbers = (colours[:, 0] << 16) | (colours[:, 1] << 8) | colours[:, 2]
    _, first, counts = np.unique(numbers, return_index=True, return_counts=True)
    differences = colours[first[counts.argmax()]] - np.array(list(PART_COLOURS.values()))
    return list(PART_COLOURS)[int((differences * differences).sum(axis=1).argmin())]


def _cut_out_thing(picture: Picture) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """Return the pixels of the box of what is drawn, and which of them are drawn; of an empty picture no pixels."""
    pixels = picture.pixels.astype(np.int32)
    ink = np.abs(pixels - _find_ground_colour(pixels)).sum(axis=2) > INK
    rows, columns = (np.flatnonzero(ink.any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        return pixels[:0, :0], ink[:0, :0]
    box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return pixels[box], ink[box]


def _cut_ninths(box: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    """Return the ninths of a thing's box, in the order of ``PLACES``."""
    return [ninth for row in np.array_split(box, 3) for ninth in np.array_split(row, 3, axis=1)]


def _find_ground_colour(pixels: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the colour that most pixels of the rim have."""
    rim = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    colours, counts = np.unique(rim, axis=0, return_counts=True)
    ground: npt.NDArray[np.int32] = colours[int(counts.argmax())]
    return ground


def _recognise_form(picture: Picture) -> dict[str, str]:
    """Return form and fill of a picture with a single shape of a known form; empty for others."""
    from ircore.players.builtin.classical.perceive import perceive_picture
    from ircore.seeing.percepts import Shape

    percepts = perceive_picture(picture).percepts
    if len(percepts) != 1 or not isinstance(percepts[0], Shape):
        return {}
    shape = percepts[0]
    form = {5: "pentagon", 6: "hexagon"}.get(len(shape.corners), shape.kind) if shape.kind == "regular" else shape.kind
    form = "cross" if form == "polygon" and len(shape.corners) == 12 else form
    fill = "hollow" if shape.colour is None else "filled"
    return {"form": form, "fill": fill} if form in FORMS else {}


def _describe_appearance(
    colours: npt.NDArray[np.int32], box: npt.NDArray[np.bool_], size: tuple[int, ...]
) -> dict[str, str]:
    middle = np.median(colours, axis=0)
    colour = min(COLOURS, key=lambda name: float(np.abs(middle - COLOURS[name]).sum()))
    high, wide = box.shape
    proportion = "broad" if 3 * wide > 4 * high else "tall" if 3 * high > 4 * wide else "compact"
    reach = max(high / size[0], wide / size[1])
    return {"colour": colour, "size": "large" if reach > LARGE else "small", "proportion": proportion}


def _describe_ninths(box: npt.NDArray[np.bool_]) -> dict[str, str]:
    """Return which ninths of the thing's box are full and which are empty."""
    phrases = {}
    for place, part in zip(PLACES, _cut_ninths(box), strict=True):
        share = float(part.mean()) if part.size else 0.0
        if share > FULL:
            phrases[place] = f"full at the {place}"
        elif share < EMPTY:
            phrases[place] = f"empty at the {place}"
    return phrases
