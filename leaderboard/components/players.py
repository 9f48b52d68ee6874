"""Players and pairs: glyphs, names, how far their rows can be trusted, and what submitters state of their models.

A describer is a colour and a generator a shape, on every page. Statements about the models of a pair are settings,
organisation, weights, size, day, licence and price.
"""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from urllib.parse import quote

from markupsafe import Markup

from ircore.core.private_text import redact_leaks
from ircore.core.records import OWN_SERVER, ModelFacts, PlayerSpec
from ircore.core.untrusted_text import format_one_line, make_visible
from ircore.submissions.decisions import Decision
from leaderboard.components.markup import REMEMBERED, macro
from leaderboard.model.site import Pair
from leaderboard.model.trust import Tier
from leaderboard.theme import describer_class, generator_path
from leaderboard.words import render_untrusted

FACTS: Mapping[str, tuple[str, str, str, Callable[[ModelFacts], object]]] = {
    "organisation": ("Maker", "Organisation that made the model", "", lambda facts: facts.organisation),
    "weights": ("Weights", "Whether anybody can download the weights", "", lambda facts: facts.weights),
    "size": ("Size, B", "Thousands of millions of parameters", "10⁹ parameters", lambda facts: facts.parameters_b),
    "released": ("Released", "Day on which the model came out", "", lambda facts: facts.released),
    "model_licence": ("Licence", "Licence of the weights", "", lambda facts: facts.licence),
    "price": (
        "Price, US$",
        "What an episode costs in this seat, as stated",
        "US$ an episode",
        lambda facts: facts.usd_per_episode,
    ),
}
"""By key: heading, description, unit in files and value of each column; the describer's stands over the generator's."""


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


def player_name(label: str, href: str, hue: int | None, shape: int | None, program: bool = False) -> Markup:
    """Return the name of a player behind its mark, linked to its page.

    Args:
        label: Label of the player; may be a stranger's words.
        href: Address of its page.
        hue: Number of a describer's colour, 0-based; None for a generator.
        shape: Number of a generator's shape, 0-based; None for a describer.
        program: Whether it is a program of this project.
    """
    return macro("player_name")(
        _format_colour_class(hue), player_glyph(hue, shape), render_untrusted(label), href, program
    )


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
        _format_colour_class(hue),
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


def format_stated_fact(spec: PlayerSpec, key: str) -> str:
    """Return a stated fact about the model in a seat as text; empty if it is not stated."""
    value = None if spec.about is None else FACTS[key][-1](spec.about)
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def describe_weights(pair: Pair) -> str:
    """Return whether both models of a pair have open weights, as a menu above a board offers it; empty if unknown."""
    weights = [format_stated_fact(spec, "weights") for spec in pair.result.run.submission.players.values()]
    # One unknown is enough: neither menu entry would be true of the pair.
    return "" if "" in weights else "all open" if set(weights) == {"open"} else "some closed"


def format_makers(pair: Pair) -> str:
    """Return the organisations that made a pair's models, on one line; empty if none is stated."""
    # dict.fromkeys names an organisation once that made both models, and keeps the order of the seats.
    names = dict.fromkeys(
        format_stated_fact(spec, "organisation") for spec in pair.result.run.submission.players.values()
    )
    return " + ".join(format_one_line(name) for name in names if name)


def describe_model(about: ModelFacts) -> list[str]:
    """Return the statements about a model, in words."""
    size = None if about.parameters_b is None else f"{about.parameters_b:g} B parameters"
    price = None if about.usd_per_episode is None else f"US$ {about.usd_per_episode:g} an episode as stated"
    weights = f"{about.weights} weights" if about.weights else None
    released = f"released {about.released}" if about.released else None
    licence = f"weights under {about.licence}" if about.licence else None
    by = f"by {about.organisation}" if about.organisation else None
    return [words for words in (by, weights, size, released, licence, price) if words]


def describe_player(spec: PlayerSpec) -> str:
    """Return a player's label, revision, address and parameters from its manifest, in words."""
    parts = [spec.label if spec.model is None else f"{spec.model}, player {spec.player}"]
    if spec.revision:
        parts.append(f"revision {spec.revision}")
    if spec.base_url:
        own = spec.published.base_url == OWN_SERVER
        parts.append("at a server of its own" if own else f"at {spec.base_url}")
    if spec.parameters:
        # A pair that stays with its submitter may name folders of a machine.
        parts.append(f"with {redact_leaks(json.dumps(spec.parameters, sort_keys=True, ensure_ascii=False))}")
    if spec.about:
        parts += describe_model(spec.about)
    return ", ".join(parts)


def render_fact_cells(pair: Pair) -> Markup:
    """Return the cells of a board row with the facts about its models, for files under ``describer_KEY`` and so on."""
    players = pair.result.run.submission.players
    cells = []
    for key, (heading, *_) in FACTS.items():
        values = [(seat, format_one_line(format_stated_fact(spec, key), 40)) for seat, spec in players.items()]
        cells.append(macro("fact_cell")(heading, values))
    return Markup("").join(cells)


def _format_colour_class(hue: int | None) -> str:
    return "" if hue is None else f" {describer_class(hue)}"
