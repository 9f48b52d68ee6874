"""The part of a judge's card about pictures that others draw: what was tested, and how often the order was kept.

Known beforehand is which family of pictures lies above which; the project's judge has aims beside it.
"""

import random
from collections.abc import Callable, Iterable, Mapping
from math import fsum, sqrt
from typing import Annotated, NamedTuple

from pydantic import Field

from ircore.core.records import Line, Name, Record
from ircore.scorers.judge_test.drawers import DrawingStyle, classify_font
from ircore.scorers.judge_test.foreign_families import FAMILIES, FamilyKind

Ratings = Mapping[str, float]
"""Ratings 0–10 of one target's pictures by family."""


class KnownOrder(NamedTuple):
    """Two families of which a person puts the first above the second, whatever the target."""

    better: str
    worse: str


def _list_known_orders() -> tuple[KnownOrder, ...]:
    orders = []
    for better, good in FAMILIES.items():
        for worse, bad in FAMILIES.items():
            # Faults are drawn in the style of the faithful picture: nothing but the fault tells the two apart.
            same_style = better == "faithful" and bad.kind in {"one fault", "strong fault"}
            if better != worse and (good.low >= bad.high or same_style):
                orders.append(KnownOrder(better, worse))
    return tuple(orders)


ORDERS = _list_known_orders()
"""Every known order: of families whose bands do not overlap, and of the faithful picture and each fault."""


def check_orders(ratings: Ratings) -> dict[KnownOrder, bool]:
    """Return for each known order of which both pictures were rated whether the ratings keep it."""
    return {
        order: ratings[order.better] > ratings[order.worse]
        for order in ORDERS
        if order.better in ratings and order.worse in ratings
    }


def compute_family_means(targets: Iterable[Ratings]) -> dict[str, float]:
    """Return the mean rating of each family that has one."""
    values: dict[str, list[float]] = {}
    for ratings in targets:
        for name, rating in ratings.items():
            values.setdefault(name, []).append(rating)
    return {name: fsum(ratings) / len(ratings) for name, ratings in values.items()}


DRAWS = 2000
"""Resamples of the bootstrap."""

Share = Annotated[float, Field(ge=0, le=1)]
Rating = Annotated[float, Field(ge=0, le=10)]


class FamilyScore(Record):
    """What a judge gave to one family of pictures."""

    family: Name
    title: Line
    kind: FamilyKind
    low: Rating = Field(description="Least rating that a person would give.")
    high: Rating = Field(description="Greatest one.")
    targets: int = Field(ge=0, description="Targets whose picture has a rating.")
    mean: Rating | None = Field(description="Mean rating; null if there is none.")
    least: Rating | None
    most: Rating | None
    inside: int = Field(ge=0, description="Ratings that a person would give.")
    pairs: int = Field(ge=0, description="Couples with a known order of which one picture is of this family.")
    right: int = Field(ge=0, description="Of these, in the right order.")


class GroupScore(Record):
    """How often the order is kept where the better picture was drawn in one way, such as by one drawer."""

    group: Line
    pictures: int = Field(ge=0)
    pairs: int = Field(ge=0)
    right: int = Field(ge=0)


class ForeignPart(Record):
    """A judge's ratings of pictures by drawers, in fonts and on canvases that are not the targets' own."""

    targets: int = Field(ge=1)
    pairs: int = Field(ge=0, description="Couples with a known order.")
    right: int = Field(ge=0)
    share: Share | None = Field(description="Share of couples in the right order; null if there are none.")
    low: Share | None = Field(description="Lower end of its 95 % interval, over targets.")
    high: Share | None
    families: tuple[FamilyScore, ...]
    groups: dict[Name, tuple[GroupScore, ...]] = Field(description="By drawers, fonts, canvases and formats.")


GROUPS: dict[str, Callable[[DrawingStyle], str]] = {
    "drawers": lambda style: style.drawer,
    "fonts": lambda style: classify_font(style.font),
    "canvases": lambda style: f"{style.canvas[0]} × {style.canvas[1]}",
    "formats": lambda style: f"JPEG {style.quality}" if style.quality else "PNG",
}


def compute_foreign_part(
    verdicts: Mapping[str, Mapping[KnownOrder, bool]],
    ratings: Mapping[str, Ratings],
    styles: Mapping[str, Mapping[str, DrawingStyle]],
) -> ForeignPart | None:
    """Return the part of a card; None if no picture with a known order was looked at.

    Args:
        verdicts: By target, whether the judge keeps each order.
        ratings: By target and family; empty of a judge that only prefers.
        styles: How the pictures of each target were drawn, by family.
    """
    asked = {target: orders for target, orders in verdicts.items() if orders}
    if not asked:
        return None
    pairs, right = sum(map(len, asked.values())), sum(sum(orders.values()) for orders in asked.values())
    low, high = compute_interval([(sum(orders.values()), len(orders)) for orders in asked.values()])
    return ForeignPart(
        targets=len(asked), pairs=pairs, right=right, share=round(right / pairs, 4), low=low, high=high,
        families=tuple(_compute_family_score(name, asked.values(), ratings.values()) for name in FAMILIES),
        groups={kind: tuple(_compute_group_scores(group, asked, styles)) for kind, group in GROUPS.items()},
    )  # fmt: skip


def compute_interval(targets: list[tuple[int, int]]) -> tuple[float, float]:
    """Return the 95 % interval of a share, with targets as what varies: couples of one target resemble each other.

    Percentiles of the bootstrap over targets (Efron and Tibshirani 1993, chapter 13), always the same; where all or
    none are right nothing varies, and it is Wilson's score interval with targets as tries (Wilson 1927, JASA 22).

    Args:
        targets: Couples in the right order and all couples, of each target.

    >>> compute_interval([(9, 10)] * 4)
    (0.9, 0.9)
    >>> compute_interval([(10, 10)] * 4)
    (0.5101, 1.0)
    """
    share = sum(right for right, _ in targets) / sum(pairs for _, pairs in targets)
    count = len(targets)
    if share in {0.0, 1.0}:
        z = 1.959964
        centre, half = (share + z * z / (2 * count)), z * sqrt(z * z / (4 * count * count))
        low, high = ((centre + side * half) / (1 + z * z / count) for side in (-1, 1))
        return round(max(0.0, low), 4), round(min(1.0, high), 4)
    rng = random.Random(0)
    drawn = []
    for _ in range(DRAWS):
        sample = rng.choices(targets, k=count)
        drawn.append(sum(right for right, _ in sample) / sum(pairs for _, pairs in sample))
    drawn.sort()
    return round(drawn[round(0.025 * (DRAWS - 1))], 4), round(drawn[round(0.975 * (DRAWS - 1))], 4)


def _compute_family_score(
    name: str, verdicts: Iterable[Mapping[KnownOrder, bool]], ratings: Iterable[Ratings]
) -> FamilyScore:
    family = FAMILIES[name]
    values = [given[name] for given in ratings if name in given]
    rightly = [right for orders in verdicts for order, right in orders.items() if name in order]
    return FamilyScore(
        family=name, title=family.title, kind=family.kind, low=family.low, high=family.high, targets=len(values),
        mean=round(fsum(values) / len(values), 4) if values else None,
        least=round(min(values), 4) if values else None, most=round(max(values), 4) if values else None,
        inside=sum(family.low <= value <= family.high for value in values), pairs=len(rightly), right=sum(rightly),
    )  # fmt: skip


def _compute_group_scores(
    group: Callable[[DrawingStyle], str],
    verdicts: Mapping[str, Mapping[KnownOrder, bool]],
    styles: Mapping[str, Mapping[str, DrawingStyle]],
) -> Iterable[GroupScore]:
    pictures: dict[str, int] = {}
    rightly: dict[str, list[bool]] = {}
    for target, orders in verdicts.items():
        for style in styles[target].values():
            pictures[group(style)] = pictures.get(group(style), 0) + 1
        for order, right in orders.items():
            rightly.setdefault(group(styles[target][order.better]), []).append(right)
    for name, count in sorted(pictures.items()):
        yield GroupScore(group=name, pictures=count, pairs=len(rightly.get(name, ())), right=sum(rightly.get(name, ())))
