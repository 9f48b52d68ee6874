"""The judge test of a judge that rates no single picture, as of a metric: it sees both edits of each ordered pair."""

import os
from pathlib import Path
from typing import NamedTuple

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plugins import available
from ircore.core.progress import tracked
from ircore.core.score_records import JudgeKind, Task
from ircore.core.workers import in_order
from ircore.games.registry import load_game
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
from ircore.scorers.judges.base import Judge, Judgement, identity_of, preferred
from ircore.scorers.material import installed_judge
from ircore.scorers.metrics.base import Metric
from ircore.scorers.metrics.measure import load_metrics, measure
from ircore.scorers.rated_episodes import rated_episodes_of


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


class MetricJudge:
    """A metric as a judge of pairs: it prefers the picture with the better value; equal values are a tie."""

    kind: JudgeKind = "computed"
    tasks: frozenset[Task] = frozenset({"preference"})

    def __init__(self, metric: Metric) -> None:
        self.name, self.label, self.version = metric.name, f"{metric.title} (a metric)", metric.full_version
        self._metric = metric
        self._values: dict[tuple[str, str], Judgement] = {}

    def rate(self, target: Picture, image: Picture) -> Judgement:  # noqa: ARG002 - the protocol's arguments
        """Rate nothing: a metric's values have no common scale."""
        return Judgement(None, "the values of a metric are on no scale of 0 to 10")

    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        """Prefer the picture with the better value; without a value of both, none."""
        return preferred(self._value(target, first), self._value(target, final))

    def _value(self, target: Picture, image: Picture) -> Judgement:
        """Return a metric's value, negative where lower is better: each picture is in dozens of pairs."""
        key = (target.sha256, image.sha256)
        if key not in self._values:
            measured = measure(self._metric, target.pixels, image.pixels)
            sign = 1.0 if self._metric.higher_is_better else -1.0
            value = None if measured.value is None else sign * measured.value
            self._values[key] = Judgement(value, measured.reason)
        return self._values[key]


def judge_named(name: str) -> Judge:
    """Return an installed judge, or an installed metric as a judge of pairs.

    Raises:
        InputError: There is neither, it lacks what it needs, or it is a metric of sets of pictures.
    """
    if name in available("judges") or name not in available("metrics"):
        return installed_judge(name)
    metrics, lacking = load_metrics([name])
    if name in lacking:
        raise InputError(f"the metric {name} cannot be computed here: {lacking[name]}", "Name another metric.")
    if metrics[name].over == "set":
        raise InputError(f"the metric {name} has no value for single pictures", "Name another metric.")
    return MetricJudge(metrics[name])


def preferred_card(run: RunFolder, name: str) -> JudgeCard:
    """Return the card of an installed judge that only prefers, or of a metric; computed anew at each call.

    Raises:
        InputError: It says nothing of any pair, or a picture is damaged.
    """
    identity = identity_of(name, judge_named(name))
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
    run, judge = RunFolder(work.run), judge_named(work.judge)
    instance = next(known for known in run.instances.instances if known.instance_id == work.episode.instance_id)
    target = run.instances.picture(instance, "target")
    rated = next(rated_episodes_of(load_game(run.game), run.instances, [work.episode]))
    pictures = {EDIT_OF[turn]: run.rendering(rendering) for turn, rendering in rated.renderings.items()}
    by_others = by_family(pictures)

    def preference(first: str, final: str) -> float | None:
        if first not in pictures or final not in pictures:
            return None
        return judge.prefer(target, pictures[first], pictures[final]).value

    # The worse edit takes the place of the first rendering, so the right answer is 1.
    orders = {order: preference(order.worse, order.better) for order in ORDERS}
    attacks = {attack: preference(without, attack) for attack, without in ATTACKS.items()}
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
