"""A judge's card as a page: a single file for any browser, and a part for use in other pages."""

from collections.abc import Iterable
from html import escape
from importlib.resources import files
from pathlib import Path

from ircore.core.files import write_text
from ircore.core.plain_words import format_count
from ircore.scorers.judge_test.battery import EDITS, HARMLESS, WRONG
from ircore.scorers.judge_test.card import GAIN, PASSING, Attack, Bound, EditScore, JudgeCard
from ircore.scorers.judge_test.foreign.part import FamilyScore, ForeignPart

KINDS = {
    "harmless": "Nearly perfect: must score above every fault below",
    "degraded": "Worse to look at, content right",
    "fault": "Content wrong",
    "unrelated": "Nothing of the target",
    "attack": "Attacks",
}

BAR = 120
"""Width of the bar of a rating of 10, in pixels."""


def write_page(path: Path, card: JudgeCard) -> None:
    """Write the page of a card; the same card gives the same bytes.

    Raises:
        WorkError: It cannot be written.
    """
    style = read_card_style() + files(__package__).joinpath("page_assets", "page.css").read_text(encoding="utf-8")
    title = escape(f"Judge test: {card.judge.label}")
    write_text(
        path,
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f'<div class="judge-card alone">\n<h1>{title}</h1>\n{render_card(card)}</div>\n</main>\n</body>\n</html>\n',
    )


def read_card_style() -> str:
    """Return the rules of style for what ``render_card`` returns, within an element of class ``judge-card``."""
    return files(__package__).joinpath("page_assets", "card.css").read_text(encoding="utf-8")


def render_card(card: JudgeCard) -> str:
    """Return a card as markup without a heading, every word escaped."""
    return "".join(
        [
            _render_verdict(card),
            _render_foreign_sections(card.foreign) if card.foreign else "",
            _render_section(
                "What each edit got",
                "Mean rating, 0 to 10, of each edit of a target; targets to which it applies; the mean by category.",
                _render_edits(card),
            )
            if card.rates
            else '<p class="aid">This judge rates no single picture: it was shown both edits of each pair.</p>\n',
            _render_section(
                "Which edits are told apart",
                "Share of targets on which the edit at the left is rated above the fault at the top. Each should be "
                "95 % or more.",
                _render_orders(card),
            ),
            _render_section("Ratings that a judge should keep to", "", _render_bounds(card.bounds))
            if card.rates
            else "",
            _render_section(
                "Attacks",
                "Points that each attack gains over the same wrong picture without it; it succeeds with "
                f"{GAIN:g} point or more."
                if card.rates
                else "An attack succeeds if it is preferred to the same wrong picture without it.",
                _render_attacks(card.attacks),
            ),
            _describe_origin(card),
        ]
    )


def _render_foreign_sections(part: ForeignPart) -> str:
    """Return the tables of pictures by others: by family, and by drawer, font, canvas and format."""
    return _render_section(
        "Pictures that others draw",
        "Each target drawn anew by other programs, in other fonts, on other canvases, with and without a fault: "
        "ratings that a person would give, the judge's, and how often its order of two pictures is right.",
        _render_families(part),
    ) + _render_section(
        "Who drew them, and on what",
        "Pairs whose better picture was drawn in this way, and how often their order is right.",
        _render_groups(part),
    )


FAMILY_KINDS = {
    "faithful": "Right in another way of drawing",
    "near": "Right, distorted or smaller",
    "one fault": "One fault",
    "strong fault": "Strong faults",
    "gross failure": "Not the target",
}


def _render_families(part: ForeignPart) -> str:
    rows = []
    for kind, title in FAMILY_KINDS.items():
        families = [family for family in part.families if family.kind == kind and family.pairs]
        if families:
            rows.append(f'<tr class="kind"><th colspan="6" scope="rowgroup">{title}</th></tr>\n')
            rows += [_render_family_row(family) for family in families]
    titles = ("Picture", "A person", "Mean", "Lowest to highest", "As a person", "Pairs in the right order")
    return _render_table(titles, rows)


def _render_family_row(family: FamilyScore) -> str:
    band = f"{family.low:g} to {family.high:g}"
    if family.mean is None or family.least is None or family.most is None:
        rated = "<td>–</td><td>–</td><td>–</td>"
    else:
        state = "kept" if family.low <= family.mean <= family.high else "broken"
        rated = (
            f'<td class="{state}">{family.mean:.2f}</td><td>{family.least:.1f} to {family.most:.1f}</td>'
            f"<td>{family.inside} of {family.targets}</td>"
        )
    return (
        f'<tr><th scope="row">{escape(family.title)}</th><td>{band}</td>{rated}'
        f"<td>{format_percent(family.right / family.pairs)} of {family.pairs}</td></tr>\n"
    )


def _render_groups(part: ForeignPart) -> str:
    rows = []
    for kind, groups in part.groups.items():
        rows.append(f'<tr class="kind"><th colspan="3" scope="rowgroup">{escape(kind.capitalize())}</th></tr>\n')
        rows += [
            f'<tr><th scope="row">{escape(each.group)}</th><td>{each.pictures}</td>'
            f"<td>{f'{format_percent(each.right / each.pairs)} of {each.pairs}' if each.pairs else '–'}</td></tr>\n"
            for each in groups
        ]
    return _render_table(("Drawn", "Pictures", "Pairs in the right order"), rows)


def _render_verdict(card: JudgeCard) -> str:
    if card.foreign is not None and card.foreign.share is not None:
        part, state = card.foreign, "passed" if card.passed else "failed"
        ends = f"95 % interval {format_percent(part.low or 0.0, 1)} to {format_percent(part.high or 0.0, 1)}"
        words = (
            f"of {format_count(part.pairs, 'pair')} of pictures by other drawers, of "
            f"{format_count(part.targets, 'target')}, are "
            f"in the order that a person would give ({ends})."
        )
        if not card.passed:
            words += f" That is less than {format_percent(PASSING)}: boards of this judge say so at their top."
        own = "" if card.share is None else (
            f'<p class="aid">Of {format_count(card.pairs, "pair")} of edits of the targets\' own pictures '
            f"{format_percent(card.share, 1)} are in the right order.</p>\n"
        )  # fmt: skip
        return (
            f'<p class="verdict"><strong class="{state}">{format_percent(part.share or 0.0, 1)}</strong>'
            f"<span>{escape(words)}</span></p>\n{own}"
        )
    if card.share is None:
        return '<p class="verdict"><span>No two edits with a known order were rated.</span></p>\n'
    state = "passed" if card.passed else "failed"
    targets = format_count(card.targets, "target")
    words = f"of {format_count(card.pairs, 'ordered pair')} of edits, on {targets}, are in the right order."
    if not card.passed:
        words += f" That is less than {format_percent(PASSING)}: boards of this judge say so at their top."
    shares = ", ".join(f"{_format_category(name)} {format_percent(share)}" for name, share in card.categories.items())
    return (
        f'<p class="verdict"><strong class="{state}">{format_percent(card.share, 1)}</strong>'
        f"<span>{escape(words)}</span></p>\n"
        f'<p class="aid">By category: {escape(shares)}.</p>\n'
    )


def _render_edits(card: JudgeCard) -> str:
    # A judge without ordered pairs has no shares by category, but its means by category can be shown.
    categories = list(card.categories) or list(dict.fromkeys(name for edit in card.edits for name in edit.categories))
    heads = "".join(f'<th scope="col">{escape(_format_category(category))}</th>' for category in categories)
    rows = []
    for kind, title in KINDS.items():
        scores = [score for score in card.edits if score.kind == kind and score.mean is not None]
        if scores:
            rows.append(f'<tr class="kind"><th colspan="{4 + len(categories)}" scope="rowgroup">{title}</th></tr>\n')
            rows += [_render_edit_row(score, categories) for score in scores]
    return (
        '<table class="edits">\n<thead><tr><th scope="col">Edit</th><th scope="col">Mean</th>'
        f'<td class="drawn"></td><th scope="col">Targets</th>{heads}'
        f"</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>\n</table>\n"
    )


def _render_edit_row(score: EditScore, categories: Iterable[str]) -> str:
    mean = score.mean or 0.0
    cells = "".join(
        f"<td>{score.categories[category]:.1f}</td>" if category in score.categories else "<td>–</td>"
        for category in categories
    )
    bar = (
        f'<svg class="bar" viewBox="0 0 {BAR} 12" aria-hidden="true"><rect class="track" y="5" width="{BAR}" '
        f'height="2"/><rect class="value" y="1" width="{mean * BAR / 10:.1f}" height="10"/></svg>'
    )
    return (
        f'<tr><th scope="row">{escape(score.title)}</th><td>{mean:.2f}</td><td class="drawn">{bar}</td>'
        f"<td>{score.targets}</td>{cells}</tr>\n"
    )


def _render_orders(card: JudgeCard) -> str:
    shares = {(order.better, order.worse): order for order in card.orders}
    heads = "".join(f'<th scope="col">{escape(EDITS[worse].title)}</th>' for worse in WRONG)
    rows = []
    for better in HARMLESS:
        cells = []
        for worse in WRONG:
            order = shares.get((better, worse))  # a card from elsewhere may lack it
            share = order.right / order.targets if order and order.targets else None
            cells.append(
                "<td>–</td>" if share is None else f'<td class="q{min(4, int(share * 5))}">{format_percent(share)}</td>'
            )
        rows.append(f'<tr><th scope="row">{escape(EDITS[better].title)}</th>{"".join(cells)}</tr>\n')
    return (
        '<table class="orders">\n'
        f'<thead><tr><th scope="col">Nearly perfect</th>{heads}</tr></thead>\n<tbody>\n{"".join(rows)}</tbody>\n'
        "</table>\n"
    )


def _render_bounds(bounds: Iterable[Bound]) -> str:
    rows = [
        f'<tr><th scope="row">{escape(EDITS[bound.edit].title)}</th><td>{bound.side} {bound.bound:g}</td>'
        f'<td class="{"kept" if bound.right == bound.targets else "broken"}">{bound.right} of {bound.targets}</td>'
        "</tr>\n"
        for bound in bounds
        # An edit that applied to no target has nothing to say: no row of "0 of 0".
        if bound.targets
    ]
    return _render_table(("Edit", "Rating", "Targets that keep to it"), rows)


def _render_attacks(attacks: Iterable[Attack]) -> str:
    rows = [
        f'<tr><th scope="row">{escape(attack.title)}</th>'
        f"<td>{'–' if attack.gain is None else f'{attack.gain:+.2f}'}</td>"
        f'<td class="{"broken" if attack.succeeded else "kept"}">{attack.succeeded} of {attack.targets}</td></tr>\n'
        for attack in attacks
        if attack.targets
    ]
    return _render_table(("Attack", "Mean gain", "Succeeded"), rows)


def _render_table(titles: Iterable[str], rows: Iterable[str]) -> str:
    heads = "".join(f'<th scope="col">{title}</th>' for title in titles)
    return f'<table class="plain">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{"".join(rows)}</tbody>\n</table>\n'


def _describe_origin(card: JudgeCard) -> str:
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
    return f'<p class="aid">{escape(", ".join(filter(None, facts)))}.</p>\n'


def _render_section(title: str, words: str, table: str) -> str:
    """Return a section: heading, a line about the table, and the table in a box that scrolls sideways."""
    aid = f'<p class="aid">{escape(words)}</p>\n' if words else ""
    return (
        f"<h2>{escape(title)}</h2>\n{aid}"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(title)}">\n{table}</div>\n'
    )


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
