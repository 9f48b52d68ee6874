"""Colours of charts and graphs: of the paper and of the data."""

import math
import random
from dataclasses import dataclass

from ircore.seeing.colours import compute_contrast


@dataclass(frozen=True)
class Paper:
    """The colours of a chart's background.

    >>> Paper("#ffffff", "#333333", "#ffffff", panel="#e9ecf1").surface
    '#e9ecf1'

    Attributes:
        background: Colour of the whole picture.
        ink: Colour of axes and texts.
        grid: Colour of gridlines.
        panel: Colour of the area between the axes, if different from the background.
    """

    background: str
    ink: str
    grid: str
    panel: str | None = None

    @property
    def surface(self) -> str:
        """The colour on which the data lies."""
        return self.panel or self.background


WHITE = Paper("#ffffff", "#222222", "#d9d9d9")

PAPERS: tuple[Paper, ...] = (
    WHITE,
    Paper("#ffffff", "#000000", "#c8c8c8"),
    Paper("#faf7f0", "#3b342c", "#ddd5c4"),
    Paper("#eef4fa", "#1f3349", "#c9d7e6"),
    Paper("#f1f7ee", "#263a26", "#cfdec8"),
    Paper("#fffbe8", "#3a3420", "#e8dfb8"),
    Paper("#fdf2f0", "#42282a", "#ecd3cf"),
    Paper("#f3f3f5", "#33333b", "#d2d2d8"),
    Paper("#1f2532", "#dbe2ec", "#3d475a"),
    Paper("#222222", "#e4e4e4", "#474747"),
)
"""Without a panel; the first two, plain white, are drawn half of the time."""

PANELLED: tuple[Paper, ...] = (
    Paper("#ffffff", "#333333", "#ffffff", panel="#e9ecf1"),
    Paper("#ffffff", "#2e2e2e", "#ffffff", panel="#ebebeb"),
    Paper("#f6f1e7", "#3b342c", "#e4dccb", panel="#fffdf8"),
    Paper("#e3ebf3", "#22384f", "#dce5ee", panel="#ffffff"),
)

QUALITATIVE: tuple[tuple[str, ...], ...] = (
    # matplotlib's default cycle, in which many printed charts come.
    ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"),
    # CSS: steelblue coral mediumseagreen goldenrod mediumpurple sienna slategray palevioletred navy teal.
    ("#4682b4", "#ff7f50", "#3cb371", "#daa520", "#9370db", "#a0522d", "#708090", "#db7093", "#000080", "#008080"),
    ("#e63946", "#1d70b8", "#2a9d4e", "#f4a261", "#6a4c93", "#00a6a6", "#8d5a2b", "#f2cf3e", "#ff66a3", "#3a3f52"),
    ("#4c6a92", "#b5654a", "#6b8f5e", "#d1a841", "#7d5a80", "#4fa09b", "#a39a86", "#c387a4", "#3d4450"),
    ("#7b3f00", "#c8712b", "#e3b862", "#6f8f3a", "#2f5d50", "#a8463c", "#b8a58a", "#44607a", "#5e2436"),
    ("#003f5c", "#2a78b0", "#2aa198", "#89c2d9", "#6a4fa3", "#1f7a3f", "#7bcf9b", "#8d99ae", "#b388dd"),
    ("#7a1f3d", "#d7372d", "#f78a1e", "#f9c22d", "#a0522d", "#e57399", "#5c4a72", "#d4a373", "#8f9779"),
    ("#4fc3f7", "#ffb74d", "#81c784", "#f06292", "#ba68c8", "#fff176", "#ff7043", "#90a4ff", "#d7ccc8"),
    ("#a3c4f3", "#f5a897", "#aedba4", "#f7d57e", "#b792e0", "#7fc9c4", "#c99b6d", "#f4a6cf", "#adb0ba"),
)
"""At least nine colours each, told apart at a glance."""

SHADES: tuple[tuple[str, ...], ...] = (
    ("#08306b", "#2a5b9c", "#5a8fc8", "#94bde0", "#c9dff1"),
    ("#0b3d2e", "#26704f", "#57a27a", "#97cbab", "#cfe8d6"),
    ("#4a1247", "#7a3b86", "#a873b3", "#cfaad6", "#e9d6ec"),
    ("#7a2600", "#b8500f", "#e5843a", "#f5b681", "#fbdfc6"),
    ("#1a1a1a", "#595959", "#8c8c8c", "#b8b8b8", "#e0e0e0"),
)
"""Five steps of one hue, dark to light; the last is grey, as in a black-and-white print."""


def pick_paper(rng: random.Random, panels: bool) -> Paper:
    """Draw a paper; ``panels`` allows an area between the axes that differs from the background."""
    if panels and rng.random() < 0.2:
        return rng.choice(PANELLED)
    return rng.choice(PAPERS[:2]) if rng.random() < 0.5 else rng.choice(PAPERS[2:])


def pick_colours(rng: random.Random, surface: str, count: int, contrast: float) -> list[str]:
    """Draw colours for the parts of one picture.

    Args:
        rng: Random generator.
        surface: Colour beneath.
        count: Number of different colours, 1–9.
        contrast: Least contrast with the surface; see ``compute_contrast``.

    Returns:
        Of one palette; shades of one hue stay in order, dark to light.
    """
    usable, shades = (
        [[colour for colour in palette if compute_contrast(colour, surface) >= contrast] for palette in palettes]
        for palettes in (QUALITATIVE, SHADES)
    )
    enough, enough_shades = ([palette for palette in kind if len(palette) >= count] for kind in (usable, shades))
    if enough_shades and rng.random() < 0.2:
        chosen = rng.choice(enough_shades)
        # From end to end of the palette, so that few shades lie far apart.
        return [chosen[round(index * (len(chosen) - 1) / max(1, count - 1))] for index in range(count)]
    return rng.sample(rng.choice(enough), count)


def mix_colours(first: str, second: str, share: float) -> str:
    """Return the colour that lies ``share`` of the way from the first colour to the second."""
    pairs = zip(bytes.fromhex(first[1:]), bytes.fromhex(second[1:]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def choose_readable_colour(colour: str) -> str:
    """Return white or near-black, whichever has the higher contrast on a colour."""
    return max(("#ffffff", "#1c1c1c"), key=lambda ink: compute_contrast(ink, colour))


SHAPE_COLOURS = (
    "#d62828",  # red
    "#f77f00",  # orange
    "#ffd60a",  # yellow
    "#8ac926",  # light green
    "#2a9d4a",  # green
    "#14532d",  # dark green
    "#17a2a2",  # teal
    "#4cc9f0",  # light blue
    "#1d4ed8",  # blue
    "#172554",  # navy
    "#7b2cbf",  # purple
    "#e01e9b",  # magenta
    "#ff8fb1",  # pink
    "#7f4f24",  # brown
    "#6c757d",  # grey
    "#111111",  # black
    "#ffffff",  # white
)

GROUND_COLOURS = (
    "#ffffff", "#f4f1de", "#e9ecef", "#fff3b0", "#d8f3dc", "#cfe8ff", "#ffe5ec", "#e7dcf7", "#ffd8be", "#c9d6df",
    "#3d405b", "#1b263b", "#2d3a2e",
)  # fmt: skip
"""Plain grounds: light ones and three dark ones."""


def measure_contrast(colour: str, other_colour: str) -> float:
    """Return how far apart two colours look, 0 to 1.

    Args:
        colour: ``#rrggbb``.
        other_colour: ``#rrggbb``.

    The weighted distance in RGB known as "redmean" (a low-cost approximation of perceived difference, T. Riemersma,
    compuphase.com), divided by its value for black and white.
    """
    first, second = bytes.fromhex(colour[1:]), bytes.fromhex(other_colour[1:])
    red, green, blue = ((a - b) / 255 for a, b in zip(first, second, strict=True))
    mean = (first[0] + second[0]) / 2 / 256
    square = (2 + mean) * red * red + 4 * green * green + (3 - mean) * blue * blue
    return math.sqrt(square / 9)


def select_distinct_colours(others: list[str], colours: tuple[str, ...], least: float = 0.3) -> list[str]:
    """Return the ``colours`` that are at least ``least`` away from each of ``others``."""
    return [colour for colour in colours if all(measure_contrast(colour, other) >= least for other in others)]
