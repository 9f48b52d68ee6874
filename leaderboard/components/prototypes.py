"""Components for scripts: ``<template>`` elements rendered by the components themselves, to be cloned and filled in.

A page that lets a script show more pairs, episodes or comparisons carries the prototypes that the script needs. The
script takes ``template[data-component=NAME]``, clones its content and sets texts and attributes; it writes no markup of
its own, so that a mark looks the same whether the page or the script shows it.
"""

from collections.abc import Callable, Mapping
from functools import cache

from markupsafe import Markup

from ircore.results.statistics.intervals import Estimate
from leaderboard.components.episodes import SAMPLE_SCENE, SAMPLE_XRAY, correction, picture, xray_overlay
from leaderboard.components.markup import macro
from leaderboard.components.players import player_glyph, render_player_names
from leaderboard.components.values import (
    badge,
    difference,
    difference_heat,
    dot,
    extremes,
    heat,
    missing,
    stacked,
    wins_bar,
)
from leaderboard.storage.pictures import Shown
from leaderboard.words import CORRECTION_WORDS

_SAMPLE = Estimate(1.0, 0.5, 1.5, 20)
"""Mean with an interval: the parts that depend on one are in the prototype, to be removed where they do not apply."""

_PROTOTYPES: Mapping[str, Callable[[], Markup]] = {
    "glyph": lambda: player_glyph(0, 0),
    # A space for the words that tell runs apart: empty words would leave their element out of the prototype.
    # With both marks of programs, too: the script removes what does not apply.
    "pair-name": lambda: render_player_names(("", ""), "#", 0, 0, " ", (True, True)),
    "pair-name-plain": lambda: render_player_names(("", ""), None, 0, 0, " ", (True, True)),
    "badge": lambda: badge(0.0),
    "badge-missing": lambda: badge(None),
    "missing": lambda: missing("reason"),
    "picture": lambda: picture(Shown("", "", 1, 1), "picture", ""),
    "correction": lambda: correction(next(iter(CORRECTION_WORDS))),
    "xray": lambda: xray_overlay(SAMPLE_SCENE, SAMPLE_XRAY),
    "heat": lambda: heat(0.0),
    "heat-missing": lambda: heat(None),
    "heat-difference": lambda: difference_heat(0.0, 0.0),
    "value": lambda: stacked(_SAMPLE),
    "difference": lambda: difference(_SAMPLE),
    "nothing-missing": lambda: extremes(0.0, 0.0),
    "dot": lambda: dot(_SAMPLE, None, -1, 1, 0),
    "wins": lambda: wins_bar(1, 1, 1),
}
"""Renderer of each prototype; scripts find the parts by class: ``.pair-describer bdi``, ``.half``, ``.whisker``."""


@cache  # the same on hundreds of pages
def prototypes(*names: str) -> Markup:
    """Return ``<template data-component=NAME>`` elements for scripts.

    Args:
        names: Keys of the prototypes that the page's scripts clone.
    """
    return Markup("").join(macro("prototype")(name, _PROTOTYPES[name]()) for name in names)
