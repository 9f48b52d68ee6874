"""Players and pairs: glyphs, names, and how far their rows can be trusted.

A describer is a colour and a generator a shape, on every page.
"""

from urllib.parse import quote

from markupsafe import Markup, escape

from ircore.submissions.history import Step
from leaderboard.components.markup import HIDDEN, safe
from leaderboard.site import Pair
from leaderboard.text import stranger, visible
from leaderboard.theme import describer_class, generator_path
from leaderboard.tiers import Tier

_BOX = 'viewBox="-1.2 -1.2 2.4 2.4"'


def player_glyph(hue: int | None = None, shape: int | None = None) -> Markup:
    """Return the marker of a pair, of a describer (a disc in its colour) or of a generator (its shape, neutral).

    Args:
        hue: Number of the describer's colour, 0-based; None for a generator alone.
        shape: Number of the generator's shape, 0-based; None for a describer alone.
    """
    colour = " neutral" if hue is None else f" {describer_class(hue)}"
    drawn = '<circle r=".8"></circle>' if shape is None else f'<path d="{generator_path(shape)}"></path>'
    return safe(f'<svg class="glyph{colour}" {_BOX} {HIDDEN}>{drawn}</svg>')


def pair_name(pair: Pair, root: str | None) -> Markup:
    """Return a pair's name behind its marker.

    Args:
        pair: The pair.
        root: Relative address of the site's root; None for a name without a link.
    """
    href = None if root is None else f"{root}pairs/{pair.key}.html"
    return pair_names(pair.describer, pair.generator, href, pair.hue, pair.shape, pair.apart)


def pair_names(describer: str, generator: str, href: str | None, hue: int, shape: int, apart: str = "") -> Markup:
    """Return the names of two players behind the marker of their pair.

    Args:
        describer: Label of the describer.
        generator: Label of the generator.
        href: Address that the names lead to; None for no link.
        hue: Number of the describer's colour, 0-based.
        shape: Number of the generator's shape, 0-based.
        apart: Words that tell pairs of the same players apart; empty for none.
    """
    names = (
        f'<span class="pair-describer">{stranger(describer)}</span><span class="pair-plus"> + </span>'
        f'<span class="pair-generator">{stranger(generator)}</span>'
    )
    if href is not None:
        names = f'<a class="pair-link" href="{escape(href)}">{names}</a>'
    more = f' <span class="pair-apart">{escape(apart)}</span>' if apart else ""
    return safe(
        f'<span class="pair {describer_class(hue)}">{player_glyph(hue, shape)}<span class="pair-names">{names}{more}'
        "</span></span>"
    )


def tier_badge(tier: Tier) -> Markup:
    """Return the badge of a trust tier, explained by its tooltip."""
    return safe(f'<span class="tier tier-{tier.key}" title="{escape(tier.description)}">{tier.label}</span>')


def dispute(step: Step, pair: str, root: str) -> Markup:
    """Return the badge of a disputed pair, which leads to the reason.

    Args:
        step: The dispute.
        pair: Key of the pair.
        root: Relative address of the site's root.
    """
    href, title = f"{root}pairs/{quote(pair)}.html#history", f"since {step.date}: {visible(step.reason)}"
    return safe(f' <a class="tier tier-disputed" href="{escape(href)}" title="{escape(title)}">disputed</a>')


def own_family(title: str) -> Markup:
    """Return the dagger of a judge that rates a describer of its own model family; ``title`` explains it."""
    return safe(f'<abbr class="own-family" title="{escape(title)}">†</abbr>')
