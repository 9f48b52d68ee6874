"""Submitters' statements about the models of a pair: settings, organisation, weights, size, day, licence and price."""

import json
from collections.abc import Callable, Mapping

from markupsafe import Markup

from ircore.core.private_text import redact_leaks
from ircore.core.records import OWN_SERVER, ModelFacts, PlayerSpec
from ircore.core.untrusted_text import format_one_line
from leaderboard.components.markup import macro
from leaderboard.model.site import Pair

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
