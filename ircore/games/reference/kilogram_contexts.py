"""KiloGram's contexts of ten tangrams: the published record, and drawing contexts from annotations.

Source: Ji et al., *Abstract Visual Reasoning with Tangram Shapes* (EMNLP 2022), section 6, and its published program.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

from pydantic import Field, StringConstraints, model_validator

from ircore.core.records import Record
from ircore.core.seeds import derived_seed
from ircore.games.reference.language.annotations import Annotation

PICTURES = 10
"""Tangrams of a context."""

SEPARATOR = "#"
"""Stands between the names of a published text, so that no name may hold it."""

ImageName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,50}_[0-9]{1,6}$")]
Words = Annotated[str, StringConstraints(min_length=1, max_length=8100)]


class PublishedContext(Record):
    """A context as KiloGram publishes contexts: the target first.

    >>> images = tuple(f"page1-{number}_0" for number in range(10))
    >>> PublishedContext(target=images[0], images=images, texts=("bird#wing#head",) * 10).texts[0].split("#")[0]
    'bird'
    """

    target: ImageName = Field(description="Tangram and number of its annotation, such as page1-1_0.")
    images: tuple[ImageName, ...] = Field(min_length=PICTURES, max_length=PICTURES)
    texts: tuple[Words, ...] = Field(
        min_length=PICTURES, max_length=PICTURES, description="Whole and parts of each image, joined by #."
    )

    @model_validator(mode="after")
    def _checked(self) -> "PublishedContext":
        if self.images[0] != self.target:
            raise ValueError(f"images: {self.images[0]} is first, not the target {self.target}")
        tangrams = [tangram_of(image).lower() for image in self.images]
        repeated = next((name for name in tangrams if tangrams.count(name) > 1), None)
        if repeated is not None:
            raise ValueError(f"images: the tangram {repeated} occurs twice")
        if not all(name.strip() for name in self.texts[0].split(SEPARATOR)):
            raise ValueError("texts: a name of the target is empty")
        return self


class _Named(NamedTuple):
    """An annotation of a tangram with its number, and its text with the parts in a drawn order."""

    image: str
    whole: str
    text: str

    @property
    def tangram(self) -> str:
        return tangram_of(self.image)


def tangram_of(image: str) -> str:
    """Return the tangram of an image's name.

    >>> tangram_of("page1-7_3")
    'page1-7'
    """
    return image.partition("_")[0]


def draw_contexts(annotations: Mapping[str, Sequence[Annotation]]) -> tuple[list[PublishedContext], int]:
    """Draw a context for each annotation, as the published program does.

    Distractors have as many parts as the target, are different tangrams, and no two whole names are the same string.
    The same annotations give the same contexts on every machine.

    Args:
        annotations: By tangram.

    Returns:
        The contexts, and the number of annotations without one: names are empty or hold ``#``, no piece is named, or
        there are no nine distractors.
    """
    by_parts: dict[int, dict[str, list[_Named]]] = {}
    # Sorted, since the order of a file must not change which contexts are drawn.
    for tangram, of_tangram in sorted(annotations.items()):
        for number, annotation in enumerate(of_tangram):
            named = _named(f"{tangram}_{number}", annotation)
            if named is not None:
                by_parts.setdefault(len(annotation.parts()), {}).setdefault(tangram, []).append(named)
    contexts = [
        context
        for _, tangrams in sorted(by_parts.items())
        for of_tangram in tangrams.values()
        for target in of_tangram
        if (context := _drawn(target, tangrams)) is not None
    ]
    return contexts, sum(map(len, annotations.values())) - len(contexts)


def _named(image: str, annotation: Annotation) -> _Named | None:
    """Return an annotation as contexts hold it, its parts in the order of pieces that are shuffled by its own seed."""
    # Sorted before the shuffle, since the order in a file must not change the drawn order.
    pieces = sorted(annotation.part)
    random.Random(derived_seed(0, image)).shuffle(pieces)
    names = [annotation.whole, *dict.fromkeys(annotation.part[piece] for piece in pieces)]
    if not pieces or not all(name.strip() and SEPARATOR not in name for name in names):
        return None
    return _Named(image, annotation.whole, SEPARATOR.join(names))


def _drawn(target: _Named, tangrams: Mapping[str, Sequence[_Named]]) -> PublishedContext | None:
    """Draw the distractors of a target among the tangrams with annotations of as many parts; None if they are few."""
    rng = random.Random(derived_seed(1, target.image))
    # Names of pictures are put in lower case later, so names that differ in case alone would collide.
    others = [tangram for tangram in tangrams if tangram.lower() != target.tangram.lower()]
    rng.shuffle(others)
    chosen = [target]
    for tangram in others:
        candidate = rng.choice(tangrams[tangram])
        # Two pictures of one name would leave the listener no way to tell them apart.
        if candidate.whole not in {named.whole for named in chosen}:
            chosen.append(candidate)
        if len(chosen) == PICTURES:
            images, texts = zip(*((named.image, named.text) for named in chosen), strict=True)
            return PublishedContext(target=target.image, images=images, texts=texts)
    return None
