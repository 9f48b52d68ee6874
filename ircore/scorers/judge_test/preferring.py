"""The judge test of a judge that rates no single picture: the judge sees both edits of each ordered pair."""

import os
from pathlib import Path
from typing import NamedTuple

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.progress import tracked
from ircore.core.workers import in_order
from ircore.games.reconstruction.records import renderings_of
from ircore.runs.folder import RunFolder
from ircore.scorers.judge_test.battery import ATTACKS, EDIT_OF, EDITS, ORDERS, VERSION, Order
from ircore.scorers.judge_test.card import (
    Attack,
    JudgeCard,
    by_family,
    order_shares,
    share_of,
    shares_by_category,
    styles_of,
)
from ircore.scorers.judge_test.foreign.orders import ORDERS as FOREIGN_ORDERS
from ircore.scorers.judge_test.foreign.orders import KnownOrder
from ircore.scorers.judge_test.foreign.part import foreign_part
from ircore.scorers.judges.base import identity_of
from ircore.scorers.material import installed_judge


class _Work(NamedTuple):
    """A target to be worked on, with everything that a worker process needs."""

    run: Path
    episode: Episode
    judge: str


class _Preferred(NamedTuple):
    """Preferences of a judge among the edits of one target."""

    orders: dict[Order, bool]
    """Whether it keeps to each order; those on which it says nothing are left out."""

    attacks: dict[str, bool]
    """Whether it prefers each attack to the same picture without it."""

    foreign: dict[KnownOrder, bool]
    """Whether it keeps to each order of pictures by others."""


def preferred_card(run: RunFolder, name: str) -> JudgeCard:
    """Return the card of an installed judge that only prefers; computed anew at each call.

    Raises:
        InputError: It says nothing of any pair, or a picture is damaged.
    """
    identity = identity_of(name, installed_judge(name))
    episodes = [episode for episode in run.episodes() if identity.rates(episode.category)]
    works = [_Work(run.path, episode, name) for episode in episodes]
    computed = in_order(_preferred, works, min(os.cpu_count() or 1, len(works)))
    by_target = dict(
        zip((episode.episode_id for episode in episodes), tracked(computed, "comparing", len(works)), strict=True)
    )
    orders_by_target = {target: preferred.orders for target, preferred in by_target.items() if preferred.orders}
    if not orders_by_target:
        raise InputError(f"{run.path}: the judge {name} preferred nothing of this test", "Name another judge.")
    orders = order_shares(orders_by_target.values())
    attacks = [preferred.attacks for preferred in by_target.values()]
    return JudgeCard(
        battery=VERSION, judge=identity, instance_set=run.run.instance_set, targets=len(orders_by_target), unrated=0,
        edits=(), orders=orders, bounds=(), attacks=tuple(_attack(attacks, edit) for edit in ATTACKS),
        categories=shares_by_category(orders_by_target, {episode.episode_id: episode.category for episode in episodes}),
        share=share_of(orders),
        foreign=foreign_part(
            {target: preferred.foreign for target, preferred in by_target.items()}, {}, styles_of(run, by_target)
        ),
    )  # fmt: skip


def _attack(attacks: list[dict[str, bool]], edit: str) -> Attack:
    succeeded = [attack[edit] for attack in attacks if edit in attack]
    return Attack(edit=edit, title=EDITS[edit].title, targets=len(succeeded), gain=None, succeeded=sum(succeeded))


def _preferred(work: _Work) -> _Preferred:
    """Compare the edits of one target; runs in a process of its own."""
    run, judge = RunFolder(work.run), installed_judge(work.judge)
    instance = next(known for known in run.instances.instances if known.instance_id == work.episode.instance_id)
    target = run.instances.picture(instance, "target")
    pictures = {EDIT_OF[turn]: run.rendering(rendering) for turn, rendering in renderings_of(work.episode).items()}
    by_others = by_family(pictures)

    def preferred(first: str, final: str) -> float | None:
        if first not in pictures or final not in pictures:
            return None
        return judge.prefer(target, pictures[first], pictures[final]).value

    # The worse edit takes the place of the first rendering, so the right answer is 1.
    orders = {order: preferred(order.worse, order.better) for order in ORDERS}
    attacks = {attack: preferred(without, attack) for attack, without in ATTACKS.items()}
    foreign = {
        order: judge.prefer(target, by_others[order.worse], by_others[order.better]).value == 1
        for order in FOREIGN_ORDERS
        if order.better in by_others and order.worse in by_others
    }
    return _Preferred(
        {
            order: value == 1 or (not order.strict and value == 0.5)
            for order, value in orders.items()
            if value is not None
        },
        {attack: value == 1 for attack, value in attacks.items() if value is not None},
        foreign,
    )
