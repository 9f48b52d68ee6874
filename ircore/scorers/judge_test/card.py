"""A judge's card: its ratings of the graded edits, as a record, as a file and as a page.

Cards of this project's judges come with it; ``ircore judge-test`` makes cards of other judges.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import Field

from ircore.core.errors import InputError
from ircore.core.files import read_bounded, write_text
from ircore.core.plain_words import format_count
from ircore.core.records import Line, Name, Record, Sha256
from ircore.core.score_records import JudgeIdentity
from ircore.core.validation import convert_validation_errors
from ircore.runs.folder import RunFolder
from ircore.scorers.judge_test.battery import (
    ATTACKS,
    EDIT_OF,
    EDITS,
    HARMLESS,
    ORDERS,
    VERSION,
    WRONG,
    EditOrder,
    Kind,
    plan_foreign_pictures,
)
from ircore.scorers.judge_test.drawers import DrawingStyle
from ircore.scorers.judge_test.foreign_part import ForeignPart, check_orders, compute_foreign_part

if TYPE_CHECKING:
    from jinja2 import Environment

PASSING = 0.8
"""Share of ordered pairs that a judge must order right; boards of one below it say so."""

GAIN = 1.0
"""Points, of 10, by which an attack must raise a rating to have succeeded."""

# Cards come from strangers; those of this project's judges have some kilobytes.
MOST_BYTES = 16 * 1024 * 1024

Share = Annotated[float, Field(ge=0, le=1)]
T = TypeVar("T")

Rated = dict[str, float]
"""Ratings 0–10 of one target by edit."""

BOUNDS: tuple[tuple[str, Literal["at least", "at most"], float], ...] = (
    ("identity", "at least", 9.9),
    ("shift-5", "at least", 9.0),
    ("same-category", "at most", 4.0),
    ("blank", "at most", 0.5),
)
"""Ratings that every judge should keep to."""

KINDS = {
    "harmless": "Nearly perfect: must score above every fault below",
    "degraded": "Worse to look at, content right",
    "fault": "Content wrong",
    "unrelated": "Nothing of the target",
    "attack": "Attacks",
}

FAMILY_KINDS = {
    "faithful": "Right in another way of drawing",
    "near": "Right, distorted or smaller",
    "one fault": "One fault",
    "strong fault": "Strong faults",
    "gross failure": "Not the target",
}

BAR = 120
"""Width of the bar of a rating of 10, in pixels."""


class EditScore(Record):
    """Mean rating of one edit, over all targets and by category.

    Example:
        >>> blank = EditScore(edit="blank", title="blank", kind="unrelated", targets=2, mean=0.0, categories={})
        >>> blank.mean
        0.0
    """

    edit: Name
    title: Line = Field(description="For people.")
    kind: Kind
    targets: int = Field(ge=0, description="Targets whose edit has a rating.")
    mean: float | None = Field(description="Mean rating 0–10; null if there is none.")
    categories: dict[Name, float] = Field(description="Mean rating by category, where there is one.")


class Bound(Record):
    """A rating that an edit must reach, or must not exceed.

    Example:
        >>> bound = Bound(edit="identity", side="at least", bound=9.9, targets=36, right=36)
        >>> bound.right / bound.targets
        1.0
    """

    edit: Name
    side: Literal["at least", "at most"]
    bound: float = Field(ge=0, le=10)
    targets: int = Field(ge=0)
    right: int = Field(ge=0, description="Targets on which the rating keeps the bound.")


class Attack(Record):
    """Points that an attack gained over the same picture without the attack."""

    edit: Name
    title: Line
    targets: int = Field(ge=0)
    gain: float | None = Field(description="Mean points that it gained, of 10; null if nothing was rated.")
    succeeded: int = Field(ge=0, description=f"Targets on which it gained {GAIN:g} point or more.")


class _OrderShare(Record):
    """How often the judge puts two edits in the right order."""

    better: Name = Field(description="The edit that must be rated higher.")
    worse: Name
    strict: bool = Field(description="Whether equal ratings are wrong.")
    targets: int = Field(ge=0, description="Targets to which both edits apply.")
    right: int = Field(ge=0, description="Of these, in the right order.")


class JudgeCard(Record):
    """A judge's card. File ``card.json`` of a test.

    Example:
        >>> from importlib.resources import files
        >>> shipped = files("ircore.scorers.judge_test") / "cards" / "structural.json"
        >>> JudgeCard.model_validate_json(shipped.read_text()).judge.name
        'structural'
    """

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this format.")
    battery: Line = Field(description="Version of the graded edits.")
    judge: JudgeIdentity = Field(description="Who took the test.")
    instance_set: Sha256 = Field(description="Whose targets were edited.")
    targets: int = Field(ge=1, description="Targets that the judge rated.")
    unrated: int = Field(ge=0, description="Edits of these that have no rating.")
    edits: tuple[EditScore, ...]
    orders: tuple[_OrderShare, ...]
    bounds: tuple[Bound, ...]
    attacks: tuple[Attack, ...]
    categories: dict[Name, Share] = Field(description="Share of ordered pairs in the right order by category.")
    share: Share | None = Field(description="Share of ordered pairs in the right order; null if there are none.")
    foreign: ForeignPart | None = Field(
        default=None, description="Pictures by other drawers; null if the judge rated none, or none with a known order."
    )

    @property
    def quoted_share(self) -> float | None:
        """Share of couples in the right order that boards quote: of pictures by others, where there are any."""
        return self.share if self.foreign is None else self.foreign.share

    @property
    def passed(self) -> bool:
        """Whether the judge ordered enough couples right: of pictures by others, where there are any."""
        return self.quoted_share is not None and self.quoted_share >= PASSING

    @property
    def rates(self) -> bool:
        """Whether the judge rates single pictures; a judge that only prefers was shown both edits of each pair."""
        return any(edit.mean is not None for edit in self.edits)

    @property
    def pairs(self) -> int:
        """Ordered pairs that were compared."""
        return sum(order.targets for order in self.orders)


def compute_card(run: RunFolder, judge: JudgeIdentity) -> JudgeCard:
    """Return a judge's card from the ratings in a test's run; of people, the mean of all that rated an edit.

    Raises:
        InputError: The judge rated nothing of it, or the run is damaged.
    """
    rated = _read_ratings(run, judge.name)
    if not rated:
        raise InputError(
            f"{run.path}: the judge {judge.name} rated nothing of this test",
            "Name a judge that rates similarity of these categories; of people, import ratings first.",
        )
    orders_by_target = {target: _check_orders(ratings) for target, ratings in rated.items()}
    orders = compute_order_shares(orders_by_target.values())
    by_others = {target: select_family_entries(ratings) for target, ratings in rated.items()}
    episodes = {episode.episode_id: episode for episode in run.episodes() if episode.episode_id in rated}
    category_of = {name: episode.category for name, episode in episodes.items()}
    # Only of rated targets: a test that was stopped half-way counts its other targets as not asked, not as unrated.
    made = sum(len(episode.steps) for episode in episodes.values())
    return JudgeCard(
        battery=VERSION,
        judge=judge,
        instance_set=run.run.instance_set,
        targets=len(rated),
        unrated=made - sum(map(len, rated.values())),
        edits=tuple(_compute_edit_score(edit, rated, category_of) for edit in EDITS),
        orders=orders,
        bounds=tuple(_count_bound(rated.values(), *bound) for bound in BOUNDS),
        attacks=tuple(_measure_attack(rated.values(), edit, without) for edit, without in ATTACKS.items()),
        categories=compute_category_shares(orders_by_target, category_of),
        share=compute_right_share(orders),
        foreign=compute_foreign_part(
            {target: check_orders(ratings) for target, ratings in by_others.items()}, by_others, read_styles(run, rated)
        ),
    )


def select_family_entries(ratings: Mapping[str, T]) -> dict[str, T]:
    """Return what belongs to pictures by others, by family, out of what belongs to edits."""
    return {edit.removeprefix("foreign-"): value for edit, value in ratings.items() if edit.startswith("foreign-")}


def read_styles(run: RunFolder, targets: Iterable[str]) -> dict[str, dict[str, DrawingStyle]]:
    """Return how the foreign pictures of targets were drawn, by target and family."""
    wanted = set(targets)
    return {
        instance.instance_id: {
            name: plan.style for name, plan in plan_foreign_pictures(run.instances, instance).items()
        }
        for instance in run.instances.instances
        if instance.instance_id in wanted
    }


def write_card(path: Path, card: JudgeCard) -> None:
    """Write a card; the same card gives the same bytes.

    Raises:
        WorkError: It cannot be written.
    """
    write_text(path, card.model_dump_json(indent=2, by_alias=True) + "\n")


def read_card(path: Path) -> JudgeCard:
    """Read a card.

    Raises:
        InputError: The file is missing or no card.
    """
    remedy = "Make the card with: ircore judge-test"
    with convert_validation_errors(f"{path}: is not a judge's card", remedy):
        return JudgeCard.model_validate_json(read_bounded(path, MOST_BYTES, remedy, remedy))


def compute_order_shares(targets: Iterable[Mapping[EditOrder, bool]]) -> tuple[_OrderShare, ...]:
    """Return how often each order is kept to.

    Args:
        targets: For each target the orders that apply to it, and whether the judge keeps to them.
    """
    known = tuple(targets)
    shares = []
    for order in ORDERS:
        verdicts = [target[order] for target in known if order in target]
        shares.append(
            _OrderShare(
                better=order.better, worse=order.worse, strict=order.strict, targets=len(verdicts), right=sum(verdicts)
            )
        )
    return tuple(shares)


def compute_right_share(orders: Iterable[_OrderShare]) -> float | None:
    """Return the share of all ordered pairs that are in the right order; None without ordered pairs."""
    known = tuple(orders)
    pairs = sum(order.targets for order in known)
    return round(sum(order.right for order in known) / pairs, 4) if pairs else None


def compute_category_shares(
    targets: Mapping[str, Mapping[EditOrder, bool]], category_of: Mapping[str, str]
) -> dict[str, float]:
    """Return the share of ordered pairs in the right order by category, where there are any.

    Args:
        targets: By target, the orders that apply to it, and whether the judge keeps to them.
        category_of: The category of each target.
    """
    shares = {
        category: compute_right_share(
            compute_order_shares(orders for target, orders in targets.items() if category_of[target] == category)
        )
        for category in dict.fromkeys(category_of[target] for target in targets)
    }
    return {category: share for category, share in shares.items() if share is not None}


def read_cards(judges: Mapping[str, JudgeIdentity], card_files: Iterable[Path] = ()) -> dict[str, JudgeCard]:
    """Return the cards of judges by name, as far as there are any.

    Args:
        judges: Who the judges are, by name.
        card_files: Files of cards on top of those that come with this project.

    Raises:
        InputError: A file is no card, or of a judge that none of these is.
    """
    # A shipped card counts for the very version that it was made with; a later version is shown without a card.
    texts = (
        entry.read_bytes() for entry in files(__package__).joinpath("cards").iterdir() if entry.name.endswith(".json")
    )
    own = map(JudgeCard.model_validate_json, texts)
    cards = {card.judge.name: card for card in own if judges.get(card.judge.name) == card.judge}
    for path in card_files:
        card = read_card(path)
        if judges.get(card.judge.name) != card.judge:
            known = "another judge of that name" if card.judge.name in judges else "none of them"
            raise InputError(
                f"{path}: the card of {card.judge.name}; the runs were judged by {known}",
                "Make the card with the judge that scored the runs: ircore judge-test",
            )
        cards[card.judge.name] = card
    return cards


def write_page(path: Path, card: JudgeCard) -> None:
    """Write the page of a card; the same card gives the same bytes.

    Raises:
        WorkError: It cannot be written.
    """
    from markupsafe import Markup

    style = read_card_style() + files(__package__).joinpath("page_assets", "page.css").read_text(encoding="utf-8")
    page = _make_environment().get_template("page.html.j2")
    title = f"Judge test: {card.judge.label}"
    # Rules of style are ours, and the card's template has escaped every word.
    write_text(path, page.render(title=title, style=Markup(style), body=Markup(render_card(card))))  # noqa: S704


def read_card_style() -> str:
    """Return the rules of style for what ``render_card`` returns, within an element of class ``judge-card``."""
    return files(__package__).joinpath("page_assets", "card.css").read_text(encoding="utf-8")


def render_card(card: JudgeCard) -> str:
    """Return a card as markup without a heading, every word escaped."""
    families = card.foreign.families if card.foreign else ()
    # A judge without ordered pairs has no shares by category, but its means by category can be shown.
    categories = list(card.categories) or list(dict.fromkeys(name for edit in card.edits for name in edit.categories))
    return _make_environment().get_template("card.html.j2").render(
        card=card,
        families_by_kind=_group_by_kind(FAMILY_KINDS, [family for family in families if family.pairs]),
        categories=categories,
        edits_by_kind=_group_by_kind(KINDS, [score for score in card.edits if score.mean is not None]),
        # A card from elsewhere may lack a pair.
        shares={
            (order.better, order.worse): order.right / order.targets if order.targets else None for order in card.orders
        },
        origin=_list_origin(card),
        edits=EDITS, harmless=HARMLESS, wrong=WRONG, bar=BAR, gain=GAIN, passing=PASSING,
    )  # fmt: skip


def format_percent(share: float, digits: int = 0) -> str:
    """Format a share, 0–1, as percent; a share below 1 is never rounded up to 100 %.

    >>> format_percent(0.9996, 1), format_percent(1, 1)
    ('99.9 %', '100.0 %')
    """
    rounded = round(100 * share, digits)
    # 99.96 % of the pairs must not read "100.0 %", which says that not one was wrong.
    return f"{100 - 10**-digits if rounded == 100 and share < 1 else rounded:.{digits}f} %"


def _read_ratings(run: RunFolder, judge: str) -> dict[str, Rated]:
    """Return the judge's ratings by target and edit, in the order of the instance set."""
    values: dict[str, dict[str, list[float]]] = {}
    for score in run.scores():
        if score.by == judge and score.task == "similarity" and score.value is not None:
            values.setdefault(score.episode_id, {}).setdefault(EDIT_OF[score.picture[0]], []).append(score.value)
    return {
        episode.episode_id: {
            edit: _compute_mean(ratings) or 0.0 for edit, ratings in values[episode.episode_id].items()
        }
        for episode in run.episodes()
        if episode.episode_id in values
    }


def _compute_edit_score(edit: str, rated: Mapping[str, Rated], category_of: Mapping[str, str]) -> EditScore:
    by_category: dict[str, list[float]] = {}
    for target, ratings in rated.items():
        if edit in ratings:
            by_category.setdefault(category_of[target], []).append(ratings[edit])
    # Over the targets and not over the categories' means: a category of many targets weighs more.
    values = [value for values in by_category.values() for value in values]
    means = {category: _compute_mean(ratings) for category, ratings in by_category.items()}
    return EditScore(
        edit=edit, title=EDITS[edit].title, kind=EDITS[edit].kind, targets=len(values), mean=_compute_mean(values),
        categories={category: mean for category, mean in means.items() if mean is not None},
    )  # fmt: skip


def _check_orders(ratings: Rated) -> dict[EditOrder, bool]:
    """Return for each order whose two edits were rated whether the ratings keep the order."""
    return {
        order: ratings[order.better] > ratings[order.worse]
        or (not order.strict and ratings[order.better] == ratings[order.worse])
        for order in ORDERS
        if order.better in ratings and order.worse in ratings
    }


def _count_bound(targets: Iterable[Rated], edit: str, side: Literal["at least", "at most"], bound: float) -> Bound:
    values = [ratings[edit] for ratings in targets if edit in ratings]
    right = sum(value >= bound if side == "at least" else value <= bound for value in values)
    return Bound(edit=edit, side=side, bound=bound, targets=len(values), right=right)


def _measure_attack(targets: Iterable[Rated], edit: str, without: str) -> Attack:
    gains = [ratings[edit] - ratings[without] for ratings in targets if edit in ratings and without in ratings]
    succeeded = sum(gain >= GAIN for gain in gains)
    return Attack(
        edit=edit, title=EDITS[edit].title, targets=len(gains), gain=_compute_mean(gains), succeeded=succeeded
    )


def _compute_mean(values: list[float]) -> float | None:
    # Exact sums: the same ratings give the same card, in whatever order they were given.
    return round(fsum(values) / len(values), 4) if values else None


@cache
def _make_environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("ircore.scorers.judge_test", "page_assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=format_percent, counted=format_count, words=_format_category)
    return environment


def _group_by_kind(titles: dict[str, str], lines: list[Any]) -> list[tuple[str, list[Any]]]:
    """Return families or edits by the title of their kind; kinds without any are left out."""
    grouped = [(title, [line for line in lines if line.kind == kind]) for kind, title in titles.items()]
    return [(title, group) for title, group in grouped if group]


def _list_origin(card: JudgeCard) -> list[str]:
    judge = card.judge
    player = judge.player.label if judge.player else ""
    facts = [
        f"judge {judge.name} ({judge.kind})",
        f"version {judge.version}" if judge.version else "",
        f"model {player}" if player else "",
        f"prompts {judge.prompts}" if judge.prompts else "",
        f"battery {card.battery}",
        f"instance set {card.instance_set[:12]}",
        f"{card.unrated} edits without a rating" if card.unrated else "",
    ]
    return [fact for fact in facts if fact]


def _format_category(name: str) -> str:
    return name.replace("_", " ")
