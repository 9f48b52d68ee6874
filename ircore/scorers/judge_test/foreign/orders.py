"""What is known of scores of foreign pictures: which family lies above which, and the aims of the project's judge."""

from collections.abc import Iterable, Mapping
from math import fsum
from typing import NamedTuple

from ircore.scorers.judge_test.foreign.families import FAMILIES, FamilyKind

Ratings = Mapping[str, float]
"""Ratings 0–10 of one target's pictures by family."""


class KnownOrder(NamedTuple):
    """Two families of which a person puts the first above the second, whatever the target."""

    better: str
    worse: str


def _known() -> tuple[KnownOrder, ...]:
    orders = []
    for better, good in FAMILIES.items():
        for worse, bad in FAMILIES.items():
            # Faults are drawn in the style of the faithful picture: nothing but the fault tells the two apart.
            same_style = better == "faithful" and bad.kind in {"one fault", "strong fault"}
            if better != worse and (good.low >= bad.high or same_style):
                orders.append(KnownOrder(better, worse))
    return tuple(orders)


ORDERS = _known()
"""Every known order: of families whose bands do not overlap, and of the faithful picture and each fault."""


class Aim(NamedTuple):
    """An aim and what was measured."""

    title: str
    measured: str
    is_met: bool


def right_orders(ratings: Ratings) -> dict[KnownOrder, bool]:
    """Return for each known order of which both pictures were rated whether the ratings keep it."""
    return {
        order: ratings[order.better] > ratings[order.worse]
        for order in ORDERS
        if order.better in ratings and order.worse in ratings
    }


def aims(targets: Iterable[Ratings]) -> list[Aim]:
    """Return the aims for the judge that decides ranks, and whether ratings of targets reach them."""
    known = list(targets)
    verdicts = [right for ratings in known for right in right_orders(ratings).values()]

    def share(kind: FamilyKind, low: float, high: float, names: Iterable[str] = ()) -> tuple[float, int]:
        values = [
            rating
            for ratings in known
            for name, rating in ratings.items()
            if FAMILIES[name].kind == kind and (not names or name in names)
        ]
        inside = sum(low <= value <= high for value in values)
        return (inside / len(values) if values else 1.0), len(values)

    kept = sum(verdicts) / len(verdicts) if verdicts else 1.0
    found = [Aim("order kept in ≥ 97 % of couples", f"{kept:.2%} of {len(verdicts)}", kept >= 0.97)]
    for title, kind, low, high, least in (
        ("faithful pictures 8–10 in ≥ 95 %", "faithful", 8.0, 10.0, 0.95),
        ("one fault ≤ 9.7 in ≥ 90 %", "one fault", 0.0, 9.7, 0.9),
        ("strong faults ≤ 7", "strong fault", 0.0, 7.0, 1.0),
        ("gross failures ≤ 2", "gross failure", 0.0, 2.0, 1.0),
    ):
        inside, count = share(kind, low, high)  # type: ignore[arg-type]
        found.append(Aim(title, f"{inside:.1%} of {count}", inside >= least))
    means = family_means(known)
    worst = max(
        ((means[order.worse] - means[order.better], order) for order in ORDERS
         if order.better in means and order.worse in means),
        default=None,
    )  # fmt: skip
    if worst:
        gap, order = worst
        found.append(
            Aim(
                "no couple of families wrong by > 1 on the mean",
                f"{order.worse} − {order.better} = {gap:+.2f}",
                gap <= 1,
            )
        )
    return found


def family_means(targets: Iterable[Ratings]) -> dict[str, float]:
    """Return the mean rating of each family that has one."""
    values: dict[str, list[float]] = {}
    for ratings in targets:
        for name, rating in ratings.items():
            values.setdefault(name, []).append(rating)
    return {name: fsum(ratings) / len(ratings) for name, ratings in values.items()}
