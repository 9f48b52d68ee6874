"""Building an instance set: which pictures, from which seeds, drawn on all cores.

Every picture has a seed of its own, derived from the set's seed and its own place. So asking for more pictures, or for
fewer categories, never changes the ones that were there before.
"""

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import DIFFICULTIES, Difficulty, Instance, PictureFile
from ircore.core.terminal import track_progress
from ircore.core.workers import map_in_order
from ircore.games.reconstruction.records import CATEGORIES, RECONSTRUCTION
from ircore.instances.requests import BuildRequest, SetPlace
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.targets.categories import EDITIONS, draw_target, list_plugin_categories

LICENCE = "CC0-1.0"
"""Licence of drawn targets."""

MOST_PER_CONDITION = 1000
MOST_ATTEMPTS = 100
VARIED, VARIETY_ATTEMPTS = 12, 8
"""The first pictures of a condition are of different kinds, as far as that comes about in so many attempts each."""

WORTH_A_POOL = 16
"""Number of pictures from which other processes are worth their start-up time."""


@dataclass(frozen=True)
class SeededPlace(SetPlace):
    """The place of a picture in a set, which gives the picture its seed.

    >>> SeededPlace("bar_graph", "easy", 1).seed(0) == SeededPlace("bar_graph", "easy", 2).seed(0)
    False

    Attributes:
        edition: Edition of the builder; no part of the seed.
    """

    edition: int = 1

    def seed(self, set_seed: int, attempt: int = 0) -> int:
        """Return the picture's own seed: 48 bits of a SHA-256; each ``attempt`` has another."""
        words = f"{set_seed}/{self.category}/{self.difficulty}/{self.index}/{attempt}"
        return int.from_bytes(hashlib.sha256(words.encode()).digest()[:6])


class Made(NamedTuple):
    """A drawn instance: record, picture and, for variety, the kind of figure.

    >>> made = _draw_target(SeededPlace("geometry", "easy", 1), seed=7)
    >>> made.instance.instance_id, made.instance.seed
    ('geometry-easy-01', 7)
    """

    instance: Instance
    picture: Picture
    kind: str


def build_instances(
    out: Path, seed: int = 0, per_condition: int = 10, categories: Sequence[str] = (),
    difficulties: Sequence[str] = (), workers: int | None = None, edition: int = 1,
) -> InstanceSet:  # fmt: skip
    """Draw an instance set and write it to a folder.

    Args:
        out: The folder to make; it must not exist or be empty.
        seed: Seed of the whole set, 0 or more; the same seed gives the same bytes.
        per_condition: Pictures for each category and difficulty. Of photographs there may be fewer, which
            is said on stderr.
        categories: Categories to build; all of this package if empty.
        difficulties: Difficulties to build; both if empty.
        workers: Processes that draw; as many as there are cores if None. The result does not depend on it.
        edition: Which builders and photographs; see ``ircore.instances.targets.categories.EDITIONS``.

    Raises:
        InputError: An unknown category, difficulty or edition, a number out of range, or ``out`` holds something.
        WorkError: The folder cannot be written.
    """
    _check_names("category", categories, (*CATEGORIES, *list_plugin_categories()))
    _check_names("difficulty", difficulties, DIFFICULTIES)
    _check_names("edition", [str(edition)], tuple(map(str, EDITIONS)))
    if seed < 0:
        raise InputError(f"seed {seed} is negative", "Take a seed of 0 or more.")
    if not 1 <= per_condition <= MOST_PER_CONDITION:
        raise InputError(f"--per-condition {per_condition} is out of range", f"Take 1 to {MOST_PER_CONDITION}.")
    conditions = [
        (category, cast(Difficulty, difficulty))
        for category in (*CATEGORIES, *(name for name in list_plugin_categories() if name in categories))
        for difficulty in DIFFICULTIES
        if (not categories or category in categories) and (not difficulties or difficulty in difficulties)
    ]
    drawn = [condition for condition in conditions if condition[0] != "photos"]
    places = [SeededPlace(*condition, index, edition) for condition in drawn for index in range(1, per_condition + 1)]
    photos = [difficulty for category, difficulty in conditions if category == "photos"]
    return write_instances(out, _build_all(places, photos, seed, per_condition, workers, edition), CATEGORIES)


def build(request: BuildRequest) -> InstanceSet:
    """Draw an instance set for ``ircore instances build``; see ``build_instances``."""
    return build_instances(
        request.out, request.seed, request.per_condition, request.categories, request.difficulties,
        edition=request.edition,
    )  # fmt: skip


def _check_names(kind: str, names: Sequence[str], known: tuple[str, ...]) -> None:
    for name in names:
        if name not in known:
            raise build_unknown_name_error(kind, name, known)


def _build_all(
    places: list[SeededPlace],
    photos: list[Difficulty],
    seed: int,
    per_condition: int,
    workers: int | None,
    edition: int,
) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    made = _redraw_duplicates(_draw_targets(places, seed, workers), places, seed)
    for target in track_progress(made, "drawing", len(places)):
        yield target.instance, {"target": target.picture}
    for difficulty in photos:
        yield from _select_photographs(difficulty, per_condition, edition)


def _draw_targets(places: list[SeededPlace], seed: int, workers: int | None) -> Iterator[Made]:
    """Make the pictures in order, in other processes if there are enough of them."""
    count = min(workers or os.cpu_count() or 1, len(places))
    pieces = [(place, place.seed(seed)) for place in places]
    # The pictures are the same either way: each depends on its own seed alone.
    yield from map_in_order(_make_piece, pieces, count if len(places) >= WORTH_A_POOL else 1)


def _make_piece(piece: tuple[SeededPlace, int]) -> Made:
    return _draw_target(*piece)


def _draw_target(place: SeededPlace, seed: int) -> Made:
    drawn = draw_target(place.category, place.difficulty, seed, place.edition)
    picture = Picture.from_pixels(drawn.drawing.pixels)
    instance = Instance(
        instance_id=place.instance_id,
        category=place.category,
        difficulty=place.difficulty,
        game=RECONSTRUCTION,
        pictures={"target": PictureFile.of(f"images/{place.instance_id}.png", picture)},
        payload={"scene": drawn.scene.model_dump(mode="json")},
        source="procedural" if place.edition == 1 else f"procedural, edition {place.edition}",
        licence=LICENCE,
        seed=seed,
    )
    return Made(instance, picture, drawn.kind)


def _redraw_duplicates(made: Iterator[Made], places: list[SeededPlace], seed: int) -> Iterator[Made]:
    """Draw a picture, again from its next seed while the picture resembles an earlier one of its condition."""
    earlier_traits: set[tuple[str, str, str]] = set()
    for place, target in zip(places, made, strict=True):
        attempt = 0
        while _is_like(target, place, attempt, earlier_traits):
            attempt += 1
            if attempt > MOST_ATTEMPTS:
                raise WorkError(f"{place.instance_id}: no picture unlike the earlier ones in {attempt} attempts")
            # In this process, one by one: which attempt is taken depends on all pictures before.
            target = _draw_target(place, place.seed(seed, attempt))
        earlier_traits |= {
            (place.category, place.difficulty, trait)
            for trait in (target.instance.pictures["target"].sha256, target.kind)
        }
        yield target


def _is_like(target: Made, place: SeededPlace, attempt: int, earlier_traits: set[tuple[str, str, str]]) -> bool:
    """Return whether an earlier picture is the same or, while variety is wanted, of the same kind."""
    same = (place.category, place.difficulty, target.picture.sha256) in earlier_traits
    wants_variety = bool(target.kind) and place.index <= VARIED and attempt < VARIETY_ATTEMPTS
    return same or (wants_variety and (place.category, place.difficulty, target.kind) in earlier_traits)


def _select_photographs(
    difficulty: Difficulty, wanted: int, edition: int
) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    from ircore.instances.targets.photos import load_shots

    photographs = load_shots(difficulty, edition)
    if len(photographs) < wanted:
        print(
            f"photos/{difficulty}: {len(photographs)} of {wanted}: no more freely licensed photographs are shipped; "
            "add your own with `ircore instances import folder`",
            file=sys.stderr,
        )
    for index, shot in enumerate(photographs[:wanted], start=1):
        name = SeededPlace("photos", difficulty, index).instance_id
        yield (
            Instance(
                instance_id=name,
                category="photos",
                difficulty=difficulty,
                game=RECONSTRUCTION,
                pictures={"target": PictureFile.of(f"images/{name}.jpg", shot.picture)},
                source=f"{shot.photo.title}, by {shot.photo.author}; {shot.photo.source}",
                licence=shot.photo.licence,
            ),
            {"target": shot.picture},
        )
