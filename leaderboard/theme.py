"""Colours, markers and layout of every figure and page, in light and in dark, and which players have a colour.

What a colour means is the same everywhere: a describer is a hue, a generator is a marker and a line style, a judge is a
neutral tone; similarity 0–10 runs along one sequential map and ΔQ along a diverging one centred on zero. Seven hues are
told apart; of more describers families or the best have them. Pages use the CSS variables and classes of
``build_stylesheet``; figures name a colour by its ``token``, which the browser looks up among the same variables, so
that a figure follows the reader's scheme without being made twice.

Colours are sRGB, written ``#rrggbb``; they are mixed in Oklab, so that steps look even, and brought to the contrast
that WCAG asks for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ircore.core.plain_words import form_plural
from ircore.seeing.colours import compute_contrast, linearise

ACCENT = {False: "#4a3fa3", True: "#b7aeff"}
"""The one colour of links and focus, by whether the scheme is dark."""

NEUTRALS: dict[str, tuple[str, str]] = {
    "background": ("#ffffff", "#16181d"),
    "surface": ("#f6f6f4", "#1f2229"),
    "text": ("#1b1b20", "#e8e8ec"),
    "muted": ("#5a5b66", "#a6a9b4"),
    "hairline": ("#dadbe0", "#363a44"),
    "context": ("#c4c5cc", "#4b505c"),
    "zero": ("#7a7b86", "#888c98"),
    "warning": ("#8a4b00", "#e6ac5c"),
}
"""Light and dark: page, raised areas, words, secondary words, rules, lines in the background, zero lines, warnings."""

OKABE_ITO = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442")
"""The hues of Okabe and Ito (2008, "Color Universal Design"), those that read well on white first; no black, which
would be a judge's."""

GENERATOR_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "star", "x")
"""Plotly's names, in the order of the generators."""

GENERATOR_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
"""Plotly's names of the line styles, in the order of the generators."""

GENERATOR_PATHS = {
    "circle": "M-.8 0A.8 .8 0 1 0 .8 0A.8 .8 0 1 0-.8 0Z",
    "square": "M-.75-.75H.75V.75H-.75Z",
    "diamond": "M0-1L1 0L0 1L-1 0Z",
    "triangle-up": "M0-.9L.95 .75H-.95Z",
    "cross": "M-.3-.9H.3V-.3H.9V.3H.3V.9H-.3V.3H-.9V-.3H-.3Z",
    "triangle-down": "M0 .9L.95-.75H-.95Z",
    "star": "M0-1L.27-.36L.95-.31L.43 .14L.59 .81L0 .45L-.59 .81L-.43 .14L-.95-.31L-.27-.36Z",
    "x": "M-.85-.45L-.45-.85L0-.4L.45-.85L.85-.45L.4 0L.85 .45L.45 .85L0 .4L-.45 .85L-.85 .45L-.4 0Z",
}
"""The same markers as SVG paths in the box from −1 to 1, for pictures that are no Plotly figures."""

SCORE_RANGE = (0.0, 10.0)
"""Domain of the sequential map: the similarity scale, whatever values occur."""

DELTA_RANGE = (-5.0, 5.0)
"""Domain of the diverging map; a larger ΔQ has the colour of the end."""

SCORE_STOPS = {
    False: ("#f6f4e4", "#cfe4bf", "#8fc9ac", "#4d9fa6", "#2d6d92", "#223f70"),
    True: ("#222a3c", "#264b70", "#2c7390", "#4b9ea2", "#92cdac", "#e6f1c6"),
}
"""Equally spaced colours from 0 to 10: the further from the page's own colour, the more similar."""

DELTA_STOPS = {
    False: ("#8c510a", "#d8a860", "#f3f2ee", "#74bdb2", "#01665e"),
    True: ("#e0a355", "#8a5a1c", "#2a2d34", "#1d7168", "#5cc7b8"),
}
"""Equally spaced colours from −5 to 5: brown is worse, teal is better."""

SHARE_STOPS = {
    False: ("#f4f3f8", "#d3ceec", "#a49ad9", "#6f62bd", "#3b2f8a"),
    True: ("#23232d", "#3a3667", "#5d549f", "#938bd3", "#d8d4fb"),
}
"""Equally spaced colours of shares from 0 to 1: how often, never how good."""

SHARE_STEPS = 20
"""Steps of the map of shares as CSS: five percent each."""

SCORE_STEPS = 20
"""Steps of the sequential map as CSS: half a point each."""

DELTA_STEPS = 20
"""Steps of the diverging map as CSS: half a point each; the middle one is zero."""

CONVERGENCE_TOKENS = {
    "improved": "improved",
    "stable": "stable",
    "regressed": "regressed",
    "no_refinement": "unrefined",
}
"""Colour token of each convergence outcome."""

_OUTCOMES: dict[str, tuple[str, str]] = {
    "improved": ("#3d998c", "#3aa093"),
    "stable": ("#b9bac2", "#7b7f8b"),
    "regressed": ("#c08436", "#c8893a"),
    "unrefined": ("#e6e6ea", "#3a3e48"),
}

_JUDGES = (("#2a2a30", "#e8e8ec"), ("#62636d", "#b3b6c0"), ("#8c8d97", "#858994"))

FONT_FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
"""Font stack of fonts that readers' systems have: no font is fetched."""

FONT_SIZE = 12
"""Font size in figures, CSS pixels."""

NARROW = 560
"""Width in CSS pixels below which a figure takes its narrow layout."""

UNCOLOURED = -1
"""Number of the neutral colour of players that have none of their own."""


def token(name: str) -> str:
    """Return the CSS variable of a colour's token, for figures; the browser looks up its value."""
    return f"var(--irc-{name})"


def describer_token(index: int, use: Literal["", "-text", "-band"] = "") -> str:
    """Return the token of a describer's hue.

    Args:
        index: Number of the colour, from 0; below 0 for the neutral colour of describers without one.
        use: Nothing for marks, ``-text`` for words, ``-band`` for the area of an interval.
    """
    return token(f"{describer_class(index)}{use}")


def describer_colour(index: int, dark: bool = False) -> str:
    """Return a describer's hue for marks: at least 3 : 1 against the page (WCAG 2.2, 1.4.11).

    Args:
        index: Position among the describers, from 0; after the seventh the hues begin anew.
        dark: For the dark scheme.
    """
    # The published hues are not all dark enough for white: yellow would be lost on a page.
    return raise_contrast(OKABE_ITO[index % len(OKABE_ITO)], neutral("background", dark), 3.0)


def describer_text_colour(index: int, dark: bool = False) -> str:
    """Return a describer's hue for words: at least 4.5 : 1 against page and raised areas (WCAG 2.2, 1.4.3)."""
    # Words stand on both grounds, so the hue is brought to the contrast on one, then on the other.
    colour = raise_contrast(OKABE_ITO[index % len(OKABE_ITO)], neutral("background", dark), 4.5)
    return raise_contrast(colour, neutral("surface", dark), 4.5)


def generator_symbol(index: int) -> str:
    """Return Plotly's name of a generator's marker; ``index`` counts from 0 and begins anew after the eighth."""
    return GENERATOR_SYMBOLS[index % len(GENERATOR_SYMBOLS)]


def generator_path(index: int) -> str:
    """Return a generator's marker as an SVG path in the box from −1 to 1."""
    return GENERATOR_PATHS[generator_symbol(index)]


def generator_dash(index: int) -> str:
    """Return Plotly's name of a generator's line style; ``index`` counts from 0 and begins anew after the sixth."""
    return GENERATOR_DASHES[index % len(GENERATOR_DASHES)]


def judge_colour(index: int, dark: bool = False) -> str:
    """Return a judge's neutral tone; ``index`` counts from 0 and begins anew after the third."""
    return _JUDGES[index % len(_JUDGES)][dark]


def judge_token(index: int) -> str:
    """Return the token of a judge's neutral tone; ``index`` counts from 0 and begins anew after the third."""
    return token(f"judge-{index % len(_JUDGES) + 1}")


def neutral(name: str, dark: bool = False) -> str:
    """Return one of ``NEUTRALS`` in a scheme; KeyError for an unknown name."""
    return NEUTRALS[name][dark]


def choose_ink(colour: str) -> str:
    """Return black or white, whichever reads better on ``colour``: never under 4.5 : 1.

    The product of the two contrasts is 21 on any colour, so the larger is at least √21 ≈ 4.58.
    """
    return max("#000000", "#ffffff", key=lambda ink: compute_contrast(ink, colour))


def describer_class(index: int) -> str:
    """Return the CSS class that gives a describer's hue; ``index`` counts from 0 and begins anew after the seventh.

    A number below 0 stands for the neutral colour of describers without a hue.
    """
    return f"describer-{index % len(OKABE_ITO) + 1 if index >= 0 else 0}"


def score_class(value: float) -> str:
    """Return the CSS class that gives a cell the colours of a similarity, to the nearest half point."""
    return f"score-{_find_step(value, SCORE_RANGE, SCORE_STEPS)}"


def delta_class(value: float) -> str:
    """Return the CSS class that gives a cell the colours of a ΔQ, to the nearest half point."""
    return f"delta-{_find_step(value, DELTA_RANGE, DELTA_STEPS)}"


def score_ink_token(value: float) -> str:
    """Return the token of the ink for words on the colour of a similarity."""
    return token(f"{score_class(value)}-ink")


def score_scale() -> list[list[float | str]]:
    """Return the sequential map as a Plotly colour scale of tokens."""
    return [[step / SCORE_STEPS, token(f"score-{step}")] for step in range(SCORE_STEPS + 1)]


def share_ink_token(share: float) -> str:
    """Return the token of the ink for words on the colour of a share, 0–1."""
    return token(f"share-{_find_step(share, (0.0, 1.0), SHARE_STEPS)}-ink")


def share_scale() -> list[list[float | str]]:
    """Return the map of shares as a Plotly colour scale of tokens."""
    return [[step / SHARE_STEPS, token(f"share-{step}")] for step in range(SHARE_STEPS + 1)]


def list_variables(dark: bool = False) -> dict[str, str]:
    """Return every colour of a scheme by its token's name."""
    tokens = {"accent": ACCENT[dark]}
    tokens.update({name: pair[dark] for name, pair in (NEUTRALS | _OUTCOMES).items()})
    # Counts stand inside the bars of outcomes, so each colour has an ink.
    tokens.update({f"{name}-ink": choose_ink(pair[dark]) for name, pair in _OUTCOMES.items()})
    grey, page = neutral("muted", dark), neutral("background", dark)
    tokens |= {"describer-0": grey, "describer-0-text": neutral("text", dark), "describer-0-band": mix(page, grey, 0.2)}
    for index in range(len(OKABE_ITO)):
        tokens[f"describer-{index + 1}"] = describer_colour(index, dark)
        tokens[f"describer-{index + 1}-text"] = describer_text_colour(index, dark)
        tokens[f"describer-{index + 1}-band"] = mix(neutral("background", dark), describer_colour(index, dark), 0.2)
    tokens.update({f"judge-{index + 1}": judge_colour(index, dark) for index in range(len(_JUDGES))})
    for name, stops, steps in (
        ("score", SCORE_STOPS[dark], SCORE_STEPS),
        ("delta", DELTA_STOPS[dark], DELTA_STEPS),
        ("share", SHARE_STOPS[dark], SHARE_STEPS),
    ):
        for step in range(steps + 1):
            colour = interpolate(stops, step / steps)
            tokens[f"{name}-{step}"] = colour
            tokens[f"{name}-{step}-ink"] = choose_ink(colour)
    return tokens


def build_stylesheet() -> str:
    """Return the CSS that pages include: the variables of both schemes and the classes that use them.

    ``.describer-N`` sets ``--hue`` and ``--hue-text``; ``.score-N`` and ``.delta-N`` colour a heat cell and its words.
    """
    light = _format_rule(':root, [data-md-color-scheme="default"]', list_variables())
    dark = _format_rule('[data-md-color-scheme="slate"]', list_variables(dark=True))
    # On paper every page is light.
    paper = "@media print {\n" + _format_rule('[data-md-color-scheme="slate"]', list_variables()) + "\n}"
    return "\n".join([light, dark, paper, *_list_classes()]) + "\n"


def interpolate(stops: Sequence[str], position: float) -> str:
    """Return the colour at a position along equally spaced stops, mixed in Oklab so that steps look even.

    Args:
        stops: At least two colours.
        position: 0 is the first stop, 1 the last; anything outside takes the nearer end.
    """
    place = min(1.0, max(0.0, position)) * (len(stops) - 1)
    # Position 1 belongs to the last interval: there is no stop after the last.
    index = min(int(place), len(stops) - 2)
    return mix(stops[index], stops[index + 1], place - index)


def mix(colour: str, other_colour: str, share: float) -> str:
    """Return ``colour`` with a share (0–1) of ``other_colour``, mixed in Oklab."""
    pairs = zip(_convert_to_oklab(colour), _convert_to_oklab(other_colour), strict=True)
    lightness, a, b = (first + (second - first) * share for first, second in pairs)
    return _convert_from_oklab(lightness, a, b)


def raise_contrast(colour: str, against: str, wanted: float) -> str:
    """Return ``colour``, darkened or lightened just enough to reach a contrast ratio against another.

    Args:
        colour: Where to begin; returned as it is if it has the contrast already.
        against: What it will stand on.
        wanted: Contrast ratio, at most what black or white reaches.
    """
    # Towards the end that contrasts more, or a mid grey could never reach the ratio.
    pole = max("#000000", "#ffffff", key=lambda end: compute_contrast(end, against))
    candidates = (mix(colour, pole, step / 50) for step in range(51))
    return next((candidate for candidate in candidates if compute_contrast(candidate, against) >= wanted), pole)


@dataclass(frozen=True)
class Hues:
    """Numbers of the colours of describers, and the meaning of a colour.

    Example:
        >>> hues = assign_hues(["a-1", "b-1"], best_first=["b-1", "a-1"])
        >>> hues.number("b-1"), hues.words
        (1, 'Colour stands for the describer')
    """

    numbers: Mapping[str, int]
    """By label; 0-based, ``UNCOLOURED`` for none."""

    words: str
    """What a colour stands for; names of families may be strangers' words, so escape them."""

    def number(self, label: str) -> int:
        """Return the number of a describer's colour."""
        return self.numbers.get(label, UNCOLOURED)


def find_family(label: str) -> str:
    """Return the first word of a model's name, after its organisation if one is named.

    >>> find_family("gpt-5.2-mini"), find_family("google/Gemini-3-pro"), find_family("qwen3:8b")
    ('gpt', 'gemini', 'qwen3')
    """
    name = label.rpartition("/")[2].lower()
    return re.split(r"[-_: .]", name)[0] or name


def assign_hues(labels: Sequence[str], best_first: Sequence[str], seat: str = "describer") -> Hues:
    """Give colours to players: to each, or where they are more than the hues to families, or to the best.

    Args:
        labels: Every player, in the order in which colours are given.
        best_first: The same in the order of the board.
        seat: Their seat, in words.
    """
    if len(labels) <= len(OKABE_ITO):
        numbers = {label: number for number, label in enumerate(labels)}
        return Hues(numbers, f"Colour stands for the {seat}")
    families = sorted({find_family(label) for label in labels})
    # A single family would give every player the same colour.
    if 1 < len(families) <= len(OKABE_ITO):
        words = f"Colour stands for the first word of the {seat}’s name ({', '.join(families)})"
        return Hues({label: families.index(find_family(label)) for label in labels}, words)
    chosen = [label for label in best_first if label in labels][: len(OKABE_ITO)]
    numbers = {label: chosen.index(label) if label in chosen else UNCOLOURED for label in labels}
    return Hues(numbers, f"Colours: the {len(chosen)} best {form_plural(seat)}")


def describe_shape(players: int, seat: str = "generator") -> str:
    """Return the meaning of a shape in words, for a number of players of a seat.

    >>> describe_shape(4), describe_shape(10)
    ('shape for the generator', 'shapes of generators repeat after eight')
    """
    alone = players <= len(GENERATOR_SYMBOLS)
    return f"shape for the {seat}" if alone else f"shapes of {form_plural(seat)} repeat after eight"


def _list_classes() -> Iterator[str]:
    for index in range(len(OKABE_ITO) + 1):
        hue, text = f"var(--irc-describer-{index})", f"var(--irc-describer-{index}-text)"
        yield f".describer-{index} {{ --hue: {hue}; --hue-text: {text}; }}"
    for name, steps in (("score", SCORE_STEPS), ("delta", DELTA_STEPS)):
        for step in range(steps + 1):
            colour, ink = f"var(--irc-{name}-{step})", f"var(--irc-{name}-{step}-ink)"
            # A link's own colour would win over that of a class alone.
            yield f".{name}-{step}, .irg a.{name}-{step} {{ background-color: {colour}; color: {ink}; }}"
            if name == "score":
                yield f".fill-{name}-{step} {{ fill: {colour}; }}"


def _format_rule(selector: str, colours: dict[str, str]) -> str:
    return "\n".join([f"{selector} {{", *(f"  --irc-{name}: {value};" for name, value in colours.items()), "}"])


def _find_step(value: float, domain: tuple[float, float], steps: int) -> int:
    low, high = domain
    return round(min(1.0, max(0.0, (value - low) / (high - low))) * steps)


def _encode(value: float) -> int:
    clipped = min(1.0, max(0.0, value))
    return round(255 * (clipped * 12.92 if clipped <= 0.0031308 else 1.055 * clipped ** (1 / 2.4) - 0.055))


def _convert_to_oklab(colour: str) -> tuple[float, float, float]:
    """Convert to Oklab (Ottosson 2020, "A perceptual color space for image processing")."""
    red, green, blue = linearise(colour)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _convert_from_oklab(lightness: float, a: float, b: float) -> str:
    """Convert from Oklab, colours outside sRGB being clipped; same source."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short
    green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short
    blue = -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short
    return f"#{_encode(red):02x}{_encode(green):02x}{_encode(blue):02x}"
