"""Players and pairs: glyphs, names, and how far their rows can be trusted.

A describer is a colour and a generator a shape, on every page.
"""

from functools import lru_cache
from urllib.parse import quote

from markupsafe import Markup

from ircore.core.untrusted_text import make_visible
from ircore.submissions.decisions import Decision
from leaderboard.components.markup import REMEMBERED, macro
from leaderboard.model.site import Pair
from leaderboard.model.trust import Tier
from leaderboard.theme import describer_class, generator_path
from leaderboard.words.untrusted_text import render_untrusted


@lru_cache(maxsize=REMEMBERED)
def player_glyph(hue: int | None = None, shape: int | None = None) -> Markup:
    """Return the marker of a pair, of a describer (a disc in its colour) or of a generator (its shape, neutral).

    Args:
        hue: Number of the describer's colour, 0-based; None for a generator alone.
        shape: Number of the generator's shape, 0-based; None for a describer alone.
    """
    colour = "neutral" if hue is None else describer_class(hue)
    return macro("player_glyph")(colour, "" if shape is None else generator_path(shape))


def pair_name(pair: Pair, root: str | None) -> Markup:
    """Return a pair's name behind its marker.

    Args:
        pair: The pair.
        root: Relative address of the site's root; None for a name without a link.
    """
    href = None if root is None else f"{root}{quote(pair.path)}.html"
    players = tuple(filter(None, (pair.describer, pair.generator)))
    return render_player_names(players, href, pair.hue, pair.shape, pair.apart, pair.programs)


def program_mark() -> Markup:
    """Return the mark behind the name of a player that is a program of this project, explained by its tooltip."""
    return macro("program_mark")()


def _colour(hue: int | None) -> str:
    return "" if hue is None else f" {describer_class(hue)}"


def player_name(label: str, href: str, hue: int | None, shape: int | None, program: bool = False) -> Markup:
    """Return the name of a player behind its mark, linked to its page.

    Args:
        label: Label of the player; may be a stranger's words.
        href: Address of its page.
        hue: Number of a describer's colour, 0-based; None for a generator.
        shape: Number of a generator's shape, 0-based; None for a describer.
        program: Whether it is a program of this project.
    """
    return macro("player_name")(_colour(hue), player_glyph(hue, shape), render_untrusted(label), href, program)


@lru_cache(maxsize=REMEMBERED)
def render_player_names(
    players: tuple[str, ...],
    href: str | None,
    hue: int | None,
    shape: int | None,
    apart: str = "",
    programs: tuple[bool, ...] = (),
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
    return macro("player_names")(
        _colour(hue),
        player_glyph(hue, shape),
        [render_untrusted(player) for player in players],
        (*programs, *[False] * len(players)),
        href,
        apart,
    )


def tier_badge(tier: Tier) -> Markup:
    """Return the badge of a trust tier, explained by its tooltip."""
    return macro("tier_badge")(tier)


def dispute(step: Decision, pair: Pair, root: str) -> Markup:
    """Return the badge of a disputed pair, which leads to the reason.

    Args:
        step: The dispute.
        pair: The pair.
        root: Relative address of the site's root.
    """
    href, title = f"{root}{quote(pair.path)}.html#history", f"since {step.date}: {make_visible(step.reason)}"
    return macro("dispute")(href, title)


def render_own_family(title: str) -> Markup:
    """Return the dagger of a judge that rates a describer of its own model family; ``title`` explains it."""
    return macro("own_family")(title)
