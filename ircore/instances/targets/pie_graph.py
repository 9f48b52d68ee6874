"""Pie charts: shares of a whole as wedges of a disc or of a ring."""

import itertools
import math
import random
from dataclasses import dataclass
from typing import Literal

from ircore.core import exact
from ircore.core.drawing import Anchor, Point, text_size
from ircore.core.records import Difficulty
from ircore.instances.targets.axes import draw_until_legible
from ircore.instances.targets.base import SIZE, Drawn, SceneDrawing, point_at_angle
from ircore.instances.targets.palettes import Paper, choose_readable_colour, measure_contrast, pick_colours, pick_paper
from ircore.instances.targets.topics import KINDS, pick_words

APART = 0.15
"""Least contrast between the colours of wedges side by side."""

Labels = Literal["none", "beside", "inside", "leader"]
"""Place of the names; a leader is a thin line from wedge to name."""


@dataclass(frozen=True)
class _Wedge:
    """A share: ``start`` and ``end`` in degrees clockwise from 3 o'clock; a pulled-out wedge has its own ``centre``."""

    word: str
    share: int
    colour: str
    start: float
    end: float
    centre: Point
    radius: float
    hole: float
    is_pulled: bool

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2


@dataclass(frozen=True)
class _Look:
    """How the pie looks; ``size`` is a share of the largest possible, ``ring`` the hole's share of the radius."""

    paper: Paper
    centre: Point
    size: float
    ring: float
    edge: str
    edge_width: float
    names: Labels
    percents: Labels
    font: float


def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw a pie chart; easy: 3–4 wedges, hard: 6–9, often as a ring, pulled out, or with names and percentages."""
    plan = _plan_easy if difficulty == "easy" else _plan_hard
    return draw_until_legible(lambda chance: _draw_pie(chance, *plan(chance)), rng)


def _plan_easy(rng: random.Random) -> tuple[list[int], _Look, int]:
    shares = _draw_shares(rng, rng.randint(3, 4), 12)
    names: Labels = rng.choice(("none", "beside", "beside", "inside"))
    percents: Labels = rng.choice(("none", "inside")) if names != "inside" else "none"
    return shares, _pick_look(rng, names, percents, 0.15), rng.randrange(len(shares)) if rng.random() < 0.15 else -1


def _plan_hard(rng: random.Random) -> tuple[list[int], _Look, int]:
    shares = _draw_shares(rng, rng.randint(6, 9), 4)
    names: Labels = rng.choice(("beside", "beside", "leader"))
    percents: Labels = rng.choice(("inside", "inside", "beside", "none"))
    return shares, _pick_look(rng, names, percents, 0.4), rng.randrange(len(shares)) if rng.random() < 0.4 else -1


def _draw_shares(rng: random.Random, count: int, least: int) -> list[int]:
    """Return different whole percentages that sum to 100, each at least ``least``, no two small ones together."""
    while True:
        cuts = sorted(rng.sample(range(1, 100), count - 1))
        shares = [high - low for low, high in itertools.pairwise([0, *cuts, 100])]
        neighbours = zip(shares, [*shares[1:], shares[0]], strict=True)
        apart = min(high - low for low, high in itertools.pairwise(sorted(shares)))
        if apart >= (3 if count < 5 else 1) and min(shares) >= least and all(a + b >= 12 for a, b in neighbours):
            return sorted(shares, reverse=True) if least > 10 and rng.random() < 0.3 else shares


def _pick_look(rng: random.Random, names: Labels, percents: Labels, rings: float) -> _Look:
    paper = pick_paper(rng, panels=False)
    is_ring = rng.random() < rings and names != "inside"
    return _Look(
        paper=paper,
        centre=(SIZE / 2 + rng.uniform(-10, 10), SIZE / 2 + rng.uniform(-12, 12)),
        size=rng.uniform(0.86, 1.0),
        ring=rng.choice((0.4, 0.5, 0.6)) if is_ring else 0.0,
        edge=paper.background if rng.random() < 0.7 else paper.ink,
        edge_width=rng.choice((1.5, 2.0, 3.0)),
        names=names,
        percents=percents,
        font=rng.choice((13.0, 14.0, 15.0)),
    )


def _compute_radius(look: _Look, words: list[str]) -> float:
    """Return the largest radius that leaves room for the widest label on either side, less some at chance."""
    room = SIZE / 2 - 32
    if look.names in ("beside", "leader"):
        labels = [word + (" 00%" if look.percents == "beside" else "") for word in words]
        room -= max(text_size(label, look.font)[0] for label in labels) + (26 if look.names == "leader" else 10)
    return look.size * min(room, 190.0)


def _draw_pie(rng: random.Random, shares: list[int], look: _Look, pulled: int) -> Drawn:
    scene = SceneDrawing(look.paper.background)
    wedges = _build_wedges(rng, shares, look, pulled)
    for wedge in wedges:
        _draw_wedge(scene, look, wedge)
    # After all wedges, or the next wedge would cover a label that reaches over.
    for wedge in wedges:
        _label_wedge(scene, look, wedge)
    return scene.finish()


def _build_wedges(rng: random.Random, shares: list[int], look: _Look, pulled: int) -> list[_Wedge]:
    topic = rng.choice([topic for topic in KINDS if len(topic.words) >= len(shares)])
    words = pick_words(rng, topic, len(shares))
    radius = _compute_radius(look, words)
    colours = _draw_colours(rng, look, len(shares))
    turn, wedges = rng.choice((-90.0, -90.0, 0.0, float(rng.randrange(0, 360, 15)))), []
    for index, (word, share, colour) in enumerate(zip(words, shares, colours, strict=True)):
        end = turn + share * 3.6
        away = radius * 0.1 if index == pulled else 0.0
        centre = point_at_angle(look.centre, away, (turn + end) / 2)
        wedges.append(_Wedge(word, share, colour, turn, end, centre, radius, radius * look.ring, index == pulled))
        turn = end
    return wedges


def _draw_colours(rng: random.Random, look: _Look, count: int) -> list[str]:
    """Draw colours of which no two neighbours, nor the last and the first, look alike."""
    # An edge in ink sets a pale wedge off from the paper, so less contrast does.
    least = 1.5 if look.edge == look.paper.background else 1.2
    while True:
        colours = pick_colours(rng, look.paper.background, count, least)
        if all(
            measure_contrast(colour, neighbour) >= APART
            for colour, neighbour in zip(colours, colours[1:] + colours[:1], strict=True)
        ):
            return colours


def _draw_wedge(scene: SceneDrawing, look: _Look, wedge: _Wedge) -> None:
    box = scene.drawing.wedge(
        wedge.centre, wedge.radius, wedge.start, wedge.end, wedge.colour, look.edge, look.edge_width, wedge.hole
    )
    start = wedge.start % 360
    scene.add(
        "wedge", box, wedge.colour, category=wedge.word, share=wedge.share, start=round(start, 4),
        end=round(start + wedge.share * 3.6, 4), centre=[round(at, 2) for at in wedge.centre],
        radius=round(wedge.radius, 2), hole=round(wedge.hole, 2), exploded=wedge.is_pulled, outline=look.edge,
        outline_width=look.edge_width,
    )  # fmt: skip


def _label_wedge(scene: SceneDrawing, look: _Look, wedge: _Wedge) -> None:
    percent = f"{wedge.share}%"
    inside = wedge.word if look.names == "inside" else percent if look.percents == "inside" else ""
    beside = [wedge.word] if look.names in ("beside", "leader") else []
    beside += [percent] if look.percents == "beside" else []
    if inside:
        _write_inside(scene, look, wedge, inside)
    if beside:
        _write_beside(scene, look, wedge, " ".join(beside))


def _write_inside(scene: SceneDrawing, look: _Look, wedge: _Wedge, text: str) -> None:
    """Write on the wedge where the wedge is wide enough."""
    # In a full pie beyond the middle of the radius, where a wedge is wider.
    distance = (wedge.hole + wedge.radius) / 2 if wedge.hole else wedge.radius * 0.68
    width, height = text_size(text, look.font)
    chord = 2 * distance * exact.sin(min(math.pi / 2, math.radians(wedge.share * 1.8)))
    at = point_at_angle(wedge.centre, distance, wedge.middle)
    if chord >= exact.hypot(width, height) + 4:
        ink = choose_readable_colour(wedge.colour)
        scene.text("wedge_label", at, text, look.font, ink, category=wedge.word, share=wedge.share)


def _write_beside(scene: SceneDrawing, look: _Look, wedge: _Wedge, text: str) -> None:
    reach = wedge.radius + (26 if look.names == "leader" else 10)
    at = point_at_angle(wedge.centre, reach, wedge.middle)
    if look.names == "leader":
        start = point_at_angle(wedge.centre, wedge.radius + 3, wedge.middle)
        end = point_at_angle(wedge.centre, reach - 5, wedge.middle)
        scene.line("leader", [start, end], look.paper.ink, 1.0, category=wedge.word)
    anchor = _choose_anchor(wedge.middle)
    scene.text(
        "wedge_label", at, text, look.font, look.paper.ink, anchor, category=wedge.word, share=wedge.share
    )  # fmt: skip


def _choose_anchor(angle: float) -> Anchor:
    """Return the side or corner of a text that is nearest to the middle of the pie."""
    across, down = exact.cos(math.radians(angle)), exact.sin(math.radians(angle))
    return ("m" if abs(across) < 0.25 else "l" if across > 0 else "r") + (
        "m" if abs(down) < 0.35 else "t" if down > 0 else "b"
    )
