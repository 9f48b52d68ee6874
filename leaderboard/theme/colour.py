"""Arithmetic on sRGB colours written ``#rrggbb``: contrast, and mixing that looks even."""

from collections.abc import Sequence


def compute_luminance(colour: str) -> float:
    """Return the relative luminance of a colour, 0 (black) to 1 (white).

    Source: WCAG 2.2, "relative luminance" (the sRGB transfer function of IEC 61966-2-1, ITU-R BT.709 weights).
    """
    red, green, blue = _linearise(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def compute_contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21; the order does not matter.

    Source: WCAG 2.2, "contrast ratio": (L1 + 0.05) / (L2 + 0.05), L1 being the lighter.
    """
    dark, light = sorted((compute_luminance(first), compute_luminance(second)))
    return (light + 0.05) / (dark + 0.05)


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


def _linearise(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return _decode(red), _decode(green), _decode(blue)


def _decode(value: float) -> float:
    # Threshold and constants of the sRGB transfer function (IEC 61966-2-1).
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _encode(value: float) -> int:
    clipped = min(1.0, max(0.0, value))
    return round(255 * (clipped * 12.92 if clipped <= 0.0031308 else 1.055 * clipped ** (1 / 2.4) - 0.055))


def _convert_to_oklab(colour: str) -> tuple[float, float, float]:
    """Convert to Oklab (Ottosson 2020, "A perceptual color space for image processing")."""
    red, green, blue = _linearise(colour)
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
