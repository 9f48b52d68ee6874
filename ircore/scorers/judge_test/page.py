"""A judge's card as a page: a single file for any browser, and a part for use in other pages."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ircore.core.files import write_text
from ircore.core.plain_words import format_count
from ircore.scorers.judge_test.battery import EDITS, HARMLESS, WRONG
from ircore.scorers.judge_test.card import GAIN, PASSING, JudgeCard

if TYPE_CHECKING:
    from jinja2 import Environment

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


def format_percent(share: float, digits: int = 0) -> str:
    """Format a share, 0–1, as percent; a share below 1 is never rounded up to 100 %.

    >>> format_percent(0.9996, 1), format_percent(1, 1)
    ('99.9 %', '100.0 %')
    """
    rounded = round(100 * share, digits)
    # 99.96 % of the pairs must not read "100.0 %", which says that not one was wrong.
    return f"{100 - 10**-digits if rounded == 100 and share < 1 else rounded:.{digits}f} %"


def _format_category(name: str) -> str:
    return name.replace("_", " ")
