"""The battery as a run, with an episode for each target and a turn for each edit, so that any judge can rate it.

Model judges are asked through the engine of every run, with its journal, cache and limits of cost; people rate it with
the page of ``ircore annotate build``; computed judges score it in parallel. What was rated is never asked again. A
judge that rates no single picture, such as a metric, sees both edits of each ordered pair.
"""

import os
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ircore import __version__
from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plugins import list_available
from ircore.core.records import DEFAULT_GAME, Instance, PlayerSpec
from ircore.core.score_records import JudgeKind, Task
from ircore.core.submission_records import Run, Submission, build_game_field
from ircore.core.terminal import track_progress
from ircore.core.workers import map_in_order
from ircore.games.base import Game, Message
from ircore.games.registry import load_game, require_support
from ircore.instances.requests import BuildRequest, find_builder
from ircore.instances.store import InstanceSet, read_instances
from ircore.runs.events import End, EventEntry
from ircore.runs.folder import RUN_FILE, RunFolder, RunWriter, create_run
from ircore.runs.play import add_run_id
from ircore.scorers.judge_test.battery import (
    ATTACKS,
    EDIT_OF,
    EDITS,
    FOREIGN,
    ORDERS,
    TURN_OF,
    VERSION,
    EditOrder,
    make_edits,
)
from ircore.scorers.judge_test.card import (
    Attack,
    JudgeCard,
    compute_category_shares,
    compute_order_shares,
    compute_right_share,
    read_styles,
    select_family_entries,
)
from ircore.scorers.judge_test.foreign_part import ORDERS as FOREIGN_ORDERS
from ircore.scorers.judge_test.foreign_part import KnownOrder, compute_foreign_part
from ircore.scorers.judges.base import Judge, Judgement, compare_ratings, describe_identity
from ircore.scorers.material import load_judge
from ircore.scorers.metrics.base import Metric, load_metrics, measure
from ircore.scorers.rated_episodes import iterate_rated_episodes

PER_CONDITION = 3
"""Targets for each category and difficulty if no set is named: the benchmark's smaller set, of 42 pictures."""

SLUG = "judge-test"
"""Slug and player of a test's run: nobody played it, so it is on no board."""

STARTED = "1970-01-01T00:00:00+00:00"
"""A test has no time of play: made again, it is the same to the byte."""


def open_test(folder: Path, instances: Path | None = None, limit: int | None = None) -> RunFolder:
    """Return the run of a judge test, made or completed first.

    Args:
        folder: The run folder: made, or opened if it is there.
        instances: The instance set whose targets are edited; by default the benchmark's small set, drawn now.
        limit: Number of targets that are edited at least, of every condition in turn; all if None.

    Raises:
        InputError: The folder holds something else or a test of another battery or set, or a picture is damaged.
        WorkError: Something cannot be written.
    """
    if not (folder / RUN_FILE).is_file():
        _create_run(folder, instances)
    run = RunFolder(folder)
    _check_same_test(run, instances)
    wanted = order_by_rounds(run.instances.instances)[:limit]
    with run.lock(), RunWriter(run) as writer:
        lacking = [instance for instance in wanted if instance.instance_id not in writer.finished]
        _write_episodes(run, writer, lacking)
    return run


def order_by_rounds(instances: Iterable[Instance]) -> tuple[Instance, ...]:
    """Return instances in rounds: the first instance of every condition, then the second of each, and so on."""
    counts: dict[tuple[str, str], int] = {}
    places: list[tuple[int, int, Instance]] = []
    for instance in instances:
        condition = (instance.category, instance.difficulty)
        counts[condition] = counts.get(condition, 0) + 1
        places.append((counts[condition], len(places), instance))
    return tuple(instance for _, _, instance in sorted(places, key=lambda place: place[:2]))


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
        return compare_ratings(self._compute_value(target, first), self._compute_value(target, final))

    def _compute_value(self, target: Picture, image: Picture) -> Judgement:
        """Return a metric's value, negative where lower is better: each picture is in dozens of pairs."""
        key = (target.sha256, image.sha256)
        if key not in self._values:
            measured = measure(self._metric, target.pixels, image.pixels)
            sign = 1.0 if self._metric.higher_is_better else -1.0
            value = None if measured.value is None else sign * measured.value
            self._values[key] = Judgement(value, measured.reason)
        return self._values[key]


def load_judge_or_metric(name: str) -> Judge:
    """Return an installed judge, or an installed metric as a judge of pairs.

    Raises:
        InputError: There is neither, it lacks what it needs, or it is a metric of sets of pictures.
    """
    if name in list_available("judges") or name not in list_available("metrics"):
        return load_judge(name)
    metrics, lacking = load_metrics([name])
    if name in lacking:
        raise InputError(f"the metric {name} cannot be computed here: {lacking[name]}", "Name another metric.")
    if metrics[name].over == "set":
        raise InputError(f"the metric {name} has no value for single pictures", "Name another metric.")
    return MetricJudge(metrics[name])


def compute_preference_card(run: RunFolder, name: str) -> JudgeCard:
    """Return the card of an installed judge that only prefers, or of a metric; computed anew at each call.

    Raises:
        InputError: It says nothing of any pair, or a picture is damaged.
    """
    identity = describe_identity(name, load_judge_or_metric(name))
    episodes = [episode for episode in run.episodes() if identity.rates(episode.category)]
    works = [_Work(run.path, episode, name) for episode in episodes]
    computed = map_in_order(_compare_edits, works, min(os.cpu_count() or 1, len(works)))
    by_target = dict(
        zip(
            (episode.episode_id for episode in episodes), track_progress(computed, "comparing", len(works)), strict=True
        )
    )
    orders_by_target = {target: preferred.orders for target, preferred in by_target.items() if preferred.orders}
    if not orders_by_target:
        raise InputError(f"{run.path}: the judge {name} preferred nothing of this test", "Name another judge.")
    orders = compute_order_shares(orders_by_target.values())
    attacks = [preferred.attacks for preferred in by_target.values()]
    return JudgeCard(
        battery=VERSION, judge=identity, instance_set=run.run.instance_set, targets=len(orders_by_target), unrated=0,
        edits=(), orders=orders, bounds=(), attacks=tuple(_count_attack(attacks, edit) for edit in ATTACKS),
        categories=compute_category_shares(
            orders_by_target, {episode.episode_id: episode.category for episode in episodes}),
        share=compute_right_share(orders),
        foreign=compute_foreign_part(
            {target: preferred.foreign for target, preferred in by_target.items()}, {}, read_styles(run, by_target)
        ),
    )  # fmt: skip


class _Piece(NamedTuple):
    """A target to be worked on, with everything that a worker process needs."""

    instances: Path
    instance_id: str


class _Made(NamedTuple):
    """A target's edits as an episode, with their pictures."""

    episode: Episode
    pictures: tuple[Picture, ...]


def _create_run(folder: Path, instances: Path | None) -> None:
    if instances is not None:
        source = read_instances(instances)
        create_run(folder, _build_run_identity(source), source)
        return
    with tempfile.TemporaryDirectory() as temporary:
        drawn = find_builder(DEFAULT_GAME)(BuildRequest(Path(temporary) / "set", per_condition=PER_CONDITION))
        assert isinstance(drawn, InstanceSet)  # noqa: S101 - the builder of this game
        create_run(folder, _build_run_identity(drawn), drawn)


def _build_run_identity(instances: InstanceSet) -> Run:
    require_support("judge test", instances.game, "the instance set")
    game: Game[Any] = load_game(instances.game)
    nobody = PlayerSpec(player=SLUG)
    submission = Submission.model_validate({
        "schema": 1, "name": "Judge test", "licence": "CC0-1.0", **build_game_field(game.name),
        **{seat.name: nobody for seat in game.seats},
        "rules": game.build_battery_rules(len(TURN_OF)).model_dump(mode="json"),
    })  # fmt: skip
    return add_run_id(
        Run(
            run_id=SLUG,
            **build_game_field(game.name),
            slug=SLUG,
            submission=submission,
            instance_set=instances.identity,
            rules=submission.rules,
            prompts=f"battery-{VERSION}",
            seed=0,
            version=__version__,
            started=STARTED,
        )
    )


def _check_same_test(run: RunFolder, instances: Path | None) -> None:
    """Refuse a folder that holds another test."""
    wanted = _build_run_identity(read_instances(instances) if instances else run.instances)
    # The version too: another one may draw or edit a picture otherwise, and half of the battery would be of each.
    for field in ("slug", "instance_set", "prompts", "version"):
        own, other = getattr(run.run, field), getattr(wanted, field)
        if own != other:
            raise InputError(
                f"{run.path / RUN_FILE}: {field}: this folder holds {own[:20]}, not {other[:20]}",
                "Choose another --out: a test is made with one battery, set and version.",
            )


def _write_episodes(run: RunFolder, writer: RunWriter, lacking: list[Instance]) -> None:
    """Edit targets in parallel; the targets' episodes are written in order."""
    pieces = [_Piece(run.path / "instances", instance.instance_id) for instance in lacking]
    made = map_in_order(_make_edits, pieces, min(os.cpu_count() or 1, len(pieces)))
    for episode, pictures in track_progress(made, "editing", len(pieces)):
        for picture in pictures:
            path = run.rendering_path(picture.sha256)
            # Equal edits share a file: renderings are named by their hash.
            if not path.exists():
                path.write_bytes(picture.data)
        writer.record([EventEntry(End(episode=episode))])


@lru_cache(maxsize=1)
def _load_instances(instances: Path) -> InstanceSet:
    return read_instances(instances)


def _make_edits(piece: _Piece) -> _Made:
    """Make the edits of one target; runs in a process of its own."""
    instances = _load_instances(piece.instances)
    instance = next(known for known in instances.instances if known.instance_id == piece.instance_id)
    pictures = make_edits(instances, instance).pictures
    # The edit's own number: where an edit does not apply, its turn is missing and the others keep theirs.
    answers = [
        (Message(TURN_OF[name], (EDITS | FOREIGN)[name].title), Rendering.of(picture))
        for name, picture in pictures.items()
    ]
    ending = load_game(instances.game).build_battery_ending(answers)
    episode = Episode(
        episode_id=instance.instance_id, instance_id=instance.instance_id, category=instance.category,
        difficulty=instance.difficulty, outcome=ending.outcome, steps=ending.steps,
    )  # fmt: skip
    return _Made(episode, tuple(pictures.values()))


class _Work(NamedTuple):
    """A target to be worked on, with everything that a worker process needs."""

    run: Path
    episode: Episode
    judge: str


class _Preferred(NamedTuple):
    """Preferences of a judge among the edits of one target."""

    orders: dict[EditOrder, bool]
    """Whether it keeps to each order; those on which it says nothing are left out."""

    attacks: dict[str, bool]
    """Whether it prefers each attack to the same picture without it."""

    foreign: dict[KnownOrder, bool]
    """Whether it keeps to each order of pictures by others."""


def _count_attack(attacks: list[dict[str, bool]], edit: str) -> Attack:
    succeeded = [attack[edit] for attack in attacks if edit in attack]
    return Attack(edit=edit, title=EDITS[edit].title, targets=len(succeeded), gain=None, succeeded=sum(succeeded))


def _compare_edits(work: _Work) -> _Preferred:
    """Compare the edits of one target; runs in a process of its own."""
    run, judge = RunFolder(work.run), load_judge_or_metric(work.judge)
    instance = next(known for known in run.instances.instances if known.instance_id == work.episode.instance_id)
    target = run.instances.picture(instance, "target")
    rated = next(iterate_rated_episodes(load_game(run.game), run.instances, [work.episode]))
    pictures = {EDIT_OF[turn]: run.rendering(rendering) for turn, rendering in rated.renderings.items()}
    by_others = select_family_entries(pictures)

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
