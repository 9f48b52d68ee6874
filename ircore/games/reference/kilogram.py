"""Imports KiloGram's reference games from its public files: ten tangrams, and a person's name for one of them.

Layout: a folder with the tangrams (``dataset/tangrams-svg``, ``tangrams-svg`` or ``svg``), the contexts as published in
``contexts.json`` or ``published_contexts.json``, and, for coloured pictures, annotations (``full.json``, ``dense.json``
or ``dense10.json``, here or in ``dataset``). Without contexts, contexts are drawn from the annotations by the recipe of
the published program.

Source: Ji et al., *Abstract Visual Reasoning with Tangram Shapes* (EMNLP 2022), section 6, and its published program.
"""

import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, StringConstraints, model_validator

from ircore.core.errors import InputError
from ircore.core.files import read_json
from ircore.core.images import Picture
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import Instance, Record, derive_seed
from ircore.core.validation import convert_validation_errors
from ircore.games.reference.naming import Annotation, read_annotations
from ircore.games.reference.records import CONDITIONS, PART_COLOURS, SEEDS, Context, HumanRound
from ircore.instances.requests import ImportRequest
from ircore.instances.store import KILOGRAM, InstanceSet, refuse_other_licence, write_instances
from ircore.instances.tangrams import draw_tangram_svg, read_tangram_svg

PICTURES = 10
"""Tangrams of a context."""

SEPARATOR = "#"
"""Stands between the names of a published text, so that no name may hold it."""

ImageName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,50}_[0-9]{1,6}$")]
Words = Annotated[str, StringConstraints(min_length=1, max_length=8100)]

SOURCE = "KiloGram (Ji et al. 2022), tangrams from Slocum (2003)"
MAX_BYTES = 64 * 1024**2
RESTORE = "Restore the file as it was published."
_PICTURE_FOLDERS = ("dataset/tangrams-svg", "tangrams-svg", "svg")
_CONTEXT_FILES = ("contexts.json", "published_contexts.json")
_ANNOTATION_FILES = tuple(
    f"{folder}{name}.json" for folder in ("dataset/", "") for name in ("full", "dense", "dense10")
)

_PLURALS = {"children", "feet", "geese", "men", "mice", "people", "teeth", "women"}
_ARTICLE = re.compile(r"an?\s+(?=\S)", re.IGNORECASE)
_VOWEL_SOUND = re.compile(
    r"(?!(?-i:UNKNOWN)|eu|on(e|ce)\b|uni|us[aeiu]|ut[aei])[aeiou]|hono|hour|heir|[fhlmnrsx]\b", re.IGNORECASE
)


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
        tangrams = [find_tangram_name(image).lower() for image in self.images]
        repeated = next((name for name in tangrams if tangrams.count(name) > 1), None)
        if repeated is not None:
            raise ValueError(f"images: the tangram {repeated} occurs twice")
        if not all(name.strip() for name in self.texts[0].split(SEPARATOR)):
            raise ValueError("texts: a name of the target is empty")
        return self


def find_tangram_name(image: str) -> str:
    """Return the tangram of an image's name.

    >>> find_tangram_name("page1-7_3")
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
            named = _parse_annotation(f"{tangram}_{number}", annotation)
            if named is not None:
                by_parts.setdefault(len(annotation.parts()), {}).setdefault(tangram, []).append(named)
    contexts = [
        context
        for _, tangrams in sorted(by_parts.items())
        for of_tangram in tangrams.values()
        for target in of_tangram
        if (context := _draw_context(target, tangrams)) is not None
    ]
    return contexts, sum(map(len, annotations.values())) - len(contexts)


def import_kilogram(request: ImportRequest) -> InstanceSet:
    """Make an instance set of one-shot games, with an instance for each context.

    The published lists begin with the target, so each is shuffled by the instance's seed. What a person called the
    target is recorded as the speaker's message; what listeners chose is not in the published files.

    Args:
        request: Its path is a folder of KiloGram's files, its category one of ``CONDITIONS``, the first if None.

    Raises:
        InputError: Another licence is given.
        InputError: A file is missing or wrong; the line names file, entry and field. Nothing is written.
    """
    refuse_other_licence(request.licence, KILOGRAM)
    condition = request.category or next(iter(CONDITIONS))
    if condition not in CONDITIONS:
        raise build_unknown_name_error("condition", condition, tuple(CONDITIONS), "--category")
    source = _Source(request.path, condition.endswith("color"))
    files = [path for name in _CONTEXT_FILES if (path := request.path / name).exists()]
    contexts = _read_contexts(files[0]) if files else _draw_contexts(source)
    return write_instances(request.out, _build_instances(contexts, source, condition, request))


def format_caption_with_parts(whole: str, parts: Sequence[str]) -> str:
    """Return the caption of the PARTS conditions, ``<whole> with <part>, …, and <part>``.

    The published program asks the package ``inflect`` for each article; this is a short rule in its place, which
    differs on rare plurals and sounds.

    >>> format_caption_with_parts("bat", ["ears", "open mouth", "head"])
    'a bat with ears, an open mouth, and a head'
    >>> format_caption_with_parts("axe", ["blade"])
    'an axe with a blade'

    Args:
        whole: Name of the whole; it gets an article, too.
        parts: Names of the parts, in order; the caption is the whole's name if there are none.
    """
    if not parts:
        return _add_article(whole)
    *others, last = map(_add_article, parts)
    listed = f"{', '.join(others)}, and {last}" if others else last
    return f"{_add_article(whole)} with {listed}"


class _Named(NamedTuple):
    """An annotation of a tangram with its number, and its text with the parts in a drawn order."""

    image: str
    whole: str
    text: str

    @property
    def tangram(self) -> str:
        return find_tangram_name(self.image)


def _parse_annotation(image: str, annotation: Annotation) -> _Named | None:
    """Return an annotation as contexts hold it, its parts in the order of pieces that are shuffled by its own seed."""
    # Sorted before the shuffle, since the order in a file must not change the drawn order.
    pieces = sorted(annotation.part)
    random.Random(derive_seed(0, image)).shuffle(pieces)
    names = [annotation.whole, *dict.fromkeys(annotation.part[piece] for piece in pieces)]
    if not pieces or not all(name.strip() and SEPARATOR not in name for name in names):
        return None
    return _Named(image, annotation.whole, SEPARATOR.join(names))


def _draw_context(target: _Named, tangrams: Mapping[str, Sequence[_Named]]) -> PublishedContext | None:
    """Draw the distractors of a target among the tangrams with annotations of as many parts; None if they are few."""
    rng = random.Random(derive_seed(1, target.image))
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


class _Source:
    """Files of a KiloGram folder, and the tangrams drawn so far."""

    def __init__(self, root: Path, coloured: bool) -> None:
        self.folder = _find_first(root, _PICTURE_FOLDERS, "folder of tangrams")
        self.root = root
        self.coloured = coloured
        self._pictures: dict[tuple[str, str], Picture] = {}

    @cached_property
    def annotations(self) -> Mapping[str, Sequence[Annotation]]:
        """Annotations of each tangram, of all files that are there; some of the published files hold the same ones."""
        _find_first(self.root, _ANNOTATION_FILES, "file of annotations, which colours and drawn contexts need")
        merged: dict[str, list[Annotation]] = {}
        for name in _ANNOTATION_FILES:
            if (self.root / name).is_file():
                for tangram, annotations in read_annotations(self.root / name).items():
                    known = merged.setdefault(tangram, [])
                    # Some of the published files hold the same annotations.
                    known += [annotation for annotation in annotations if annotation not in known]
        return merged

    def picture(self, image: str, text: str) -> Picture:
        """Return the drawn tangram; its parts are coloured in the text's order, or all black."""
        # Contexts share tangrams: a black one is drawn once, a coloured one once for each annotation.
        key = (image, text) if self.coloured else (find_tangram_name(image), "")
        if key not in self._pictures:
            shape = read_tangram_svg(self.folder / f"{find_tangram_name(image)}.svg")
            colours = self._find_colours(image, text) if self.coloured else {}
            self._pictures[key] = Picture.from_pixels(draw_tangram_svg(shape, colours).pixels)
        return self._pictures[key]

    def _find_colours(self, image: str, text: str) -> dict[str, str]:
        """Return the colour of each piece, by the person's annotation that has the text's names."""
        whole, *parts = text.split("#")
        for annotation in self.annotations.get(find_tangram_name(image), ()):
            # The published texts name no annotation, so the names themselves must find it.
            if annotation.whole == whole and annotation.part and set(annotation.part.values()) == set(parts):
                return {piece: PART_COLOURS[parts.index(name)] for piece, name in annotation.part.items()}
        raise InputError(
            f"{self.root}: no annotation of {find_tangram_name(image)} has the names {text[:100]!r}",
            "Add the file of annotations that the contexts were made from, or import a black condition.",
        )


def _build_instances(
    contexts: Sequence[PublishedContext], source: _Source, condition: str, request: ImportRequest
) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    counted: dict[str, int] = {}
    for published in contexts:
        # A target may have several contexts, which need ids of their own.
        counted[published.target] = counted.get(published.target, 0) + 1
        instance_id = f"kilogram-{published.target.lower()}-{counted[published.target]:02d}"
        # The published lists begin with the target, so every context is shuffled by a seed of its own.
        seed = derive_seed(0, instance_id)
        # A person's annotation is part of a coloured picture's name; its hash tells two of one number apart.
        drawn = {
            image.lower() if source.coloured else find_tangram_name(image).lower(): source.picture(image, text)
            for image, text in zip(published.images, published.texts, strict=True)
        }
        yield (
            Instance(
                instance_id=instance_id,
                category=condition,
                difficulty=request.difficulty or "hard",
                game="reference",
                payload=_build_payload(list(drawn), published.texts[0], condition, seed).model_dump(mode="json"),
                source=request.source or SOURCE,
                licence=KILOGRAM,
                seed=seed,
            ),
            drawn,
        )


def _build_payload(names: Sequence[str], text: str, condition: str, seed: int) -> Context:
    """Return the context in a drawn order; its target is the first of ``names``."""
    rng = random.Random(seed)
    whole, *parts = text.split("#")
    message = format_caption_with_parts(whole, parts) if CONDITIONS[condition] == "parts" else whole
    return Context(
        context=tuple(rng.sample(names, len(names))),
        targets=(names[0],),
        seed=rng.randrange(SEEDS),
        naming=CONDITIONS[condition],
        human=(HumanRound(message=message, chosen=None),),
    )


def _draw_contexts(source: _Source) -> list[PublishedContext]:
    """Draw a context for each annotation of a tangram with a picture; a line on stderr counts the others."""
    drawable = {
        tangram: annotations
        for tangram, annotations in source.annotations.items()
        if (source.folder / f"{tangram}.svg").is_file()
    }
    contexts, left_out = draw_contexts(drawable)
    missing = len(source.annotations) - len(drawable)
    print(
        f"no file of contexts: {len(contexts)} drawn, one for each annotation; {left_out} annotations left out, for "
        f"which there are no nine others with as many parts and other names; {missing} tangrams have no SVG file",
        file=sys.stderr,
    )
    if not contexts:
        raise InputError(
            f"{source.root}: no context of ten tangrams can be drawn",
            f"Add annotations with names of parts, or a file of contexts: {' or '.join(_CONTEXT_FILES)}.",
        )
    return contexts


def _read_contexts(path: Path) -> list[PublishedContext]:
    entries = read_json(path, MAX_BYTES, RESTORE)
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path}: is not a list of contexts", "Write [{target, images, texts}, …].")
    contexts = []
    for number, entry in enumerate(entries, start=1):
        with convert_validation_errors(f"{path}: context {number}", RESTORE):
            contexts.append(PublishedContext.model_validate(entry))
    return contexts


def _find_first(root: Path, names: Sequence[str], content: str) -> Path:
    for name in names:
        if (root / name).exists():
            return root / name
    raise InputError(f"{root}: holds no {content}", f"Add one of {', '.join(names)}.")


def _add_article(phrase: str) -> str:
    """Put "a" or "an" before a phrase that does not end in a plural; an article that is there is corrected."""
    bare = _ARTICLE.sub("", phrase, count=1) if _ARTICLE.match(phrase) else phrase
    if bare == phrase and _is_plural(phrase.split()[-1].lower() if phrase.split() else ""):
        return phrase
    return f"{'an' if _VOWEL_SOUND.match(bare) else 'a'} {bare}"


def _is_plural(word: str) -> bool:
    return word in _PLURALS or word.endswith("fish") or (word.endswith("s") and not word.endswith("ss"))
