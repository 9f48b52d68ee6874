"""Colours in words and back: CSS names, hex, ``rgb()``, "dark/light/pale X", everyday names; how alike two are."""

import colorsys
import math
import re
from functools import cache, lru_cache

from PIL import ImageColor

from ircore.core import exact
from ircore.core.files import read_table

_TABLE = read_table("ircore.seeing", "colour_names")

MODIFIERS = ("dark", "light", "pale", "deep", "bright", "vivid", "soft", "dull", "medium", "muted", "pastel")
_BASIC = frozenset(
    {"red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "grey", "gray", "white", "black"}
)
"""Names that a second word says more closely: "denim blue" is denim, "grey blue" is between."""

_HEX = r"\#[0-9a-f]{6}"
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})\s*,?\s*(\d{1,3})\s*,?\s*(\d{1,3})[^()]{0,20}\)")
_ANY_HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3})(?![0-9a-z])")


def format_hex(red: int, green: int, blue: int) -> str:
    """Return ``#rrggbb`` of three values 0–255."""
    return f"#{red:02x}{green:02x}{blue:02x}"


def _read_css_names() -> dict[str, str]:
    """CSS names, also as they are written in two or three words ("light steel blue")."""
    names: dict[str, str] = {}
    for name, value in ImageColor.colormap.items():
        hexa = value if isinstance(value, str) else format_hex(*value[:3])
        for spelling in {name, name.replace("gray", "grey"), name.replace("grey", "gray")}:
            names[spelling] = hexa.lower()
            for spaced in _split_name(spelling):
                names[spaced] = hexa.lower()
    return names


def _split_name(name: str) -> list[str]:
    names = []
    for part in _TABLE["colour_parts"]["parts"]:
        if name.startswith(part) and len(name) > len(part):
            rest = name[len(part) :]
            names += [f"{part} {rest}", *(f"{part} {more}" for more in _split_name(rest))]
    return names


NAMES: dict[str, str] = {**_read_css_names(), **_TABLE["colours"]}


def replace_colour_words(text: str) -> str:
    """Write every colour in lower-case ``text`` as ``#rrggbb``; a name with a hex value beside it gives the hex."""
    text = _RGB.sub(lambda m: format_hex(*(min(255, int(part)) for part in m.groups())), text)
    text = _ANY_HEX.sub(lambda m: _expand_hex(m[1]), text)
    return _compile_pattern().sub(lambda m: m["b"] or m["c"] or parse_colour_name(m["d"]), text)


@cache
def parse_colour_name(words: str) -> str:
    """Return ``#rrggbb`` of a known name, with modifiers ("pale blue") or of two mixed ("grey blue")."""
    words = re.sub(r"[\s/]+", " ", words).strip()
    if words.startswith("very "):
        return _apply_modifier(parse_colour_name(words.removeprefix("very ")), "very " + words.split()[1])
    if words in NAMES:
        return NAMES[words]
    modifier, _, rest = words.partition(" ")
    if modifier in MODIFIERS:
        return _apply_modifier(parse_colour_name(rest), modifier)
    parts = words.split(" ")
    # The longest known name at the beginning: "light blue grey" is light blue and grey.
    first = next(size for size in range(len(parts), 0, -1) if " ".join(parts[:size]) in NAMES)
    shade, rest = " ".join(parts[:first]), " ".join(parts[first:])
    # "Lavender grey" lies between, but "charcoal grey" is charcoal: that is a grey of its own.
    is_between = (
        rest in {"grey", "gray"} and colorsys.rgb_to_hls(*(part / 255 for part in parse_hex(NAMES[shade])))[2] > 0.3
    )
    if rest in _BASIC and shade not in _BASIC and not is_between:
        return NAMES[shade]
    halves = parse_hex(NAMES[shade]), parse_hex(parse_colour_name(rest))
    return format_hex(*(round(math.fsum(pair) / 2) for pair in zip(*halves, strict=True)))


def parse_hex(colour: str) -> tuple[int, int, int]:
    """Return red, green, blue, 0–255, of ``#rrggbb``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@cache
def measure_difference(first: str, second: str) -> float:
    """Return the difference of two colours: 0 for the same, about 100 for black and white.

    The distance is Euclidean in CIE L*a*b* (ΔE*ab, CIE 1976, D65); it is cut to a third if both have the same
    everyday name, so that "red" finds #d62728.
    """
    distance = exact.dist(convert_to_lab(first), convert_to_lab(second))
    return distance / 3 if name_hue_family(first) == name_hue_family(second) else distance


@cache
def name_hue_family(colour: str) -> str:
    """Return the everyday name of a colour: black, white, grey, brown, pink, or one of seven hues."""
    red, green, blue = (part / 255 for part in parse_hex(colour))
    hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    chroma = max(red, green, blue) - min(red, green, blue)
    if chroma < 0.12:
        return "black" if light < 0.2 else "white" if light > 0.92 else "grey"
    degrees = hue * 360
    # Brown is dark orange, and pink is light red or purple: neither has a hue of its own.
    if 10 <= degrees < 45 and light < 0.45 and saturation < 0.9:
        return "brown"
    if (degrees >= 300 or degrees < 15) and light > 0.72:
        return "pink"
    bounds = ((15, "red"), (42, "orange"), (68, "yellow"), (165, "green"), (195, "cyan"), (255, "blue"),
              (315, "purple"), (340, "pink"))  # fmt: skip
    return next((name for bound, name in bounds if degrees < bound), "red")


def linearise(colour: str) -> tuple[float, float, float]:
    """Return red, green and blue, 0–1, without the transfer function of sRGB (IEC 61966-2-1)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else exact.power((part + 0.055) / 1.055, 2.4)
        for part in (channel / 255 for channel in parse_hex(colour))
    )
    return red, green, blue


def compute_luminance(colour: str) -> float:
    """Return the relative luminance of a colour, 0 (black) to 1 (white).

    Source: WCAG 2.2, "relative luminance" (ITU-R BT.709 weights).
    """
    red, green, blue = linearise(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def compute_contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21; the order does not matter.

    Source: WCAG 2.2, "contrast ratio": (L1 + 0.05) / (L2 + 0.05), L1 being the lighter.
    """
    dark, light = sorted((compute_luminance(first), compute_luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@cache
def convert_to_lab(colour: str) -> tuple[float, float, float]:
    """SRGB (IEC 61966-2-1) to CIE L*a*b* under D65."""
    red, green, blue = linearise(colour)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (exact.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@lru_cache(maxsize=65_536)
def compute_delta_e94(first: str, second: str) -> float:
    """Return the difference of two colours: ΔE*94 (CIE 116-1995, graphic arts), about 1 where just noticeable."""
    (light, a, b), (other_light, other_a, other_b) = convert_to_lab(first), convert_to_lab(second)
    chroma, other_chroma = exact.hypot(a, b), exact.hypot(other_a, other_b)
    off = chroma - other_chroma
    hue = max(0.0, (a - other_a) * (a - other_a) + (b - other_b) * (b - other_b) - off * off)
    grey = exact.hypot(light - other_light, off / (1 + 0.045 * chroma))
    return round(exact.hypot(grey, math.sqrt(hue) / (1 + 0.015 * chroma)), 6)


@cache
def list_exact_names() -> dict[str, str]:
    """Return the shortest CSS name of each colour that has a name, by #rrggbb."""
    names: dict[str, str] = {}
    # Sorted from the longest to the shortest name, so that the shortest one is the last to be kept.
    for name, value in sorted(ImageColor.colormap.items(), key=lambda entry: (-len(entry[0]), entry[0])):
        if "gray" not in name:
            # Pillow puts numbers in the place of a colour that anybody in this process has drawn with.
            names[value.lower() if isinstance(value, str) else "#{:02x}{:02x}{:02x}".format(*value)] = name
    return names


def find_shortest_name(colour: str) -> str:
    """Return the shortest exact name of a colour: its CSS name, else #rrggbb."""
    return list_exact_names().get(colour, colour)


def describe_colour(colour: str) -> str:
    """Return name and hex value: ``red (#d62728)``; only the CSS name if there is an exact name."""
    words = find_shortest_name(colour)
    return f"{name_colour(colour)} ({colour})" if words == colour else words


def name_colour(colour: str) -> str:
    """Return an everyday name, such as ``dark red``, for #rrggbb."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    chroma = max(red, green, blue) - min(red, green, blue)
    if chroma < 0.09:
        return _name_grey(lightness)
    if lightness < 0.09:
        return "black"
    name = _name_hue(hue * 360)
    # Dark orange is called brown, dark yellow olive.
    if name in {"orange", "yellow"} and lightness < 0.38:
        name = "brown" if hue * 360 < 48 else "olive"
    if name == "red" and lightness > 0.7:
        name = "pink"
    if chroma < 0.2 and saturation < 0.25:
        return f"{_name_shade(lightness)}grey" if chroma < 0.12 else f"{_name_shade(lightness)}{name}"
    return f"{_name_shade(lightness)}{name}"


def measure_rgb_distance(first: str, second: str) -> float:
    """Return the Euclidean distance of two colours in RGB, 0–441."""
    return float(exact.dist(parse_hex(first), parse_hex(second)))


@cache
def _compile_pattern() -> re.Pattern[str]:
    """Return the pattern of a colour in words, compiled with the first text: that takes long with so many names."""
    # The longest names first, since an alternation takes the first one that fits.
    plain = rf"(?:{'|'.join(sorted(NAMES, key=len, reverse=True))})(?![a-z])"
    mixed = rf"{plain}(?:[\s/]{plain})?"
    name = rf"(?:{mixed}|(?:very\s+)?(?:(?:{'|'.join(MODIFIERS)})\s+){{1,2}}{mixed})"
    return re.compile(
        rf"\b(?P<a>{name})\s*\(?\s*(?P<b>{_HEX})\)?|(?P<c>{_HEX})\s*\(\s*(?:{name})\s*\)"
        rf"|\b(?P<d>{name})(?:\s+colou?r(?:ed)?\b)?"
    )


def _expand_hex(digits: str) -> str:
    return "#" + ("".join(digit * 2 for digit in digits) if len(digits) == 3 else digits[:6])


def _apply_modifier(colour: str, modifier: str) -> str:
    hue, light, saturation = colorsys.rgb_to_hls(*(part / 255 for part in parse_hex(colour)))
    if modifier in {"dark", "deep"}:
        light *= 0.6
    elif modifier in {"light", "pale", "pastel", "soft"}:
        light += (1 - light) * (0.5 if modifier in {"light", "soft"} else 0.65)
    elif modifier in {"very light", "very pale", "very soft"}:
        light, saturation = light + (1 - light) * 0.7, saturation * 0.6
    elif modifier in {"very dark", "very deep"}:
        light *= 0.6
    elif modifier in {"bright", "vivid"} and saturation > 0:
        saturation = 1.0
    elif modifier in {"dull", "muted"}:
        saturation *= 0.5
    red, green, blue = colorsys.hls_to_rgb(hue, min(1.0, light), saturation)
    return format_hex(round(red * 255), round(green * 255), round(blue * 255))


def _name_grey(lightness: float) -> str:
    limits = ((0.12, "black"), (0.4, "dark grey"), (0.68, "grey"), (0.93, "light grey"))
    return next((name for limit, name in limits if lightness < limit), "white")


def _name_shade(lightness: float) -> str:
    return "dark " if lightness < 0.28 else "light " if lightness > 0.74 else ""


def _name_hue(degrees: float) -> str:
    limits = ((14, "red"), (42, "orange"), (68, "yellow"), (165, "green"), (188, "turquoise"), (255, "blue"),
              (292, "purple"), (335, "pink"))  # fmt: skip
    return next((name for limit, name in limits if degrees < limit), "red")
