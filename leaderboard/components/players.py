"""Players and pairs: glyphs, names, and how far their rows can be trusted.

A describer is a colour and a generator a shape, on every page.
"""

from collections.abc import Sequence
from urllib.parse import quote

from markupsafe import Markup, escape

from ircore.core.untrusted_text import visible
from ircore.submissions.decisions import Decision
from leaderboard.components.markup import HIDDEN, safe
from leaderboard.model.site import Pair
from leaderboard.model.trust import Tier
from leaderboard.theme import describer_class, generator_path
from leaderboard.words.labels import PROGRAM_MARK, PROGRAM_MEANING
from leaderboard.words.untrusted_text import stranger

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
    href = None if root is None else f"{root}{quote(pair.path)}.html"
    players = tuple(filter(None, (pair.describer, pair.generator)))
    return player_names(players, href, pair.hue, pair.shape, pair.apart, pair.programs)


def program_mark() -> Markup:
    """Return the mark behind the name of a player that is a program of this project, explained by its tooltip."""
    return safe(f'<abbr class="program" title="{PROGRAM_MEANING}">{PROGRAM_MARK}</abbr>')


def player_name(label: str, href: str, hue: int | None, shape: int | None, program: bool = False) -> Markup:
    """Return the name of a player behind its mark, linked to its page.

    Args:
        label: Label of the player; may be a stranger's words.
        href: Address of its page.
        hue: Number of a describer's colour, 0-based; None for a generator.
        shape: Number of a generator's shape, 0-based; None for a describer.
        program: Whether it is a program of this project.
    """
    colour = "" if hue is None else f" {describer_class(hue)}"
    name = f'<a class="pair-link" href="{escape(href)}"><span class="pair-describer">{stranger(label)}</span></a>'
    name += program_mark() if program else ""
    return safe(f'<span class="pair{colour}">{player_glyph(hue, shape)}<span class="pair-names">{name}</span></span>')


def player_names(
    players: Sequence[str],
    href: str | None,
    hue: int | None,
    shape: int | None,
    apart: str = "",
    programs: Sequence[bool] = (),
) -> Markup:
    """Return the names of players who play together, behind their marker.

    Args:
        players: Label of the player in each seat; the first stands over the others.
        href: Address that the names lead to; None for no link.
        hue: Number of the colour of the first player, 0-based; None for a neutral marker.
        shape: Number of the shape of the second player, 0-based; None for a disc.
        apart: Words that tell runs of the same players apart; empty for none.
        programs: For each seat, whether the player is a program of this project; empty for none.
    """
    marks = [program_mark() if program else "" for program in (*programs, *[False] * len(players))]
    first, *others = (f"{stranger(player)}{mark}" for player, mark in zip(players, marks, strict=False))
    names = f'<span class="pair-describer">{first}</span>' + "".join(
        f'<span class="pair-plus"> + </span><span class="pair-generator">{other}</span>' for other in others
    )
    if href is not None:
        names = f'<a class="pair-link" href="{escape(href)}">{names}</a>'
    more = f' <span class="pair-apart">{escape(apart)}</span>' if apart else ""
    colour = "" if hue is None else f" {describer_class(hue)}"
    return safe(
        f'<span class="pair{colour}">{player_glyph(hue, shape)}<span class="pair-names">{names}{more}</span></span>'
    )


def tier_badge(tier: Tier) -> Markup:
    """Return the badge of a trust tier, explained by its tooltip."""
    return safe(f'<span class="tier tier-{tier.key}" title="{escape(tier.description)}">{tier.label}</span>')


def dispute(step: Decision, pair: Pair, root: str) -> Markup:
    """Return the badge of a disputed pair, which leads to the reason.

    Args:
        step: The dispute.
        pair: The pair.
        root: Relative address of the site's root.
    """
    href, title = f"{root}{quote(pair.path)}.html#history", f"since {step.date}: {visible(step.reason)}"
    return safe(f' <a class="tier tier-disputed" href="{escape(href)}" title="{escape(title)}">disputed</a>')


def own_family(title: str) -> Markup:
    """Return the dagger of a judge that rates a describer of its own model family; ``title`` explains it."""
    return safe(f'<abbr class="own-family" title="{escape(title)}">†</abbr>')
