"""Fonts of the foreign drawers: serif, sans, mono and hand, out of packages, so that every machine has the same."""

import importlib.util
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from PIL import ImageFont

from ircore.core.errors import InputError
from ircore.core.extras import install_words

FONTS = {
    "DejaVuSans": "", "DejaVuSans-Bold": "", "DejaVuSans-Oblique": "", "DejaVuSerif": "", "DejaVuSansMono": "",
    "STIXGeneral": "", "STIXGeneralBol": "", "STIXGeneralItalic": "", "cmr10": "", "cmss10": "", "cmtt10": "",
    "AmaticSC-Bold": "font_amatic_sc", "Intuitive": "font_intuitive", "Caladea-Regular": "font_caladea",
    "Caladea-Italic": "font_caladea", "FredokaOne-Regular": "font_fredoka_one",
    "HankenGrotesk-Regular": "font_hanken_grotesk", "Lato-Regular": "font_lato", "Manrope-Regular": "font_manrope",
    "Lato-Bold": "font_lato", "SourceSansPro-Regular": "font_source_sans_pro",
    "SourceSerifPro-Regular": "font_source_serif_pro", "SourceSerifPro-Semibold": "font_source_serif_pro",
}  # fmt: skip
"""Each font with the package that holds its file; none for those of matplotlib."""

KINDS = {
    "serif": ("DejaVuSerif", "STIXGeneral", "cmr10", "Caladea", "SourceSerifPro"),
    "mono": ("DejaVuSansMono", "cmtt10"),
    "hand": ("AmaticSC", "Intuitive"),
}
"""Beginnings of the names of fonts by kind; the others are sans."""

HAND = ("AmaticSC-Bold", "Intuitive")

NARROW = {"AmaticSC-Bold": 1.5, "Intuitive": 1.15}
"""Factors by which fonts of small letters are set larger, as anybody would."""

PLAIN = frozenset(map(ord, " ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,%()+"))

REMEDY = f"Install what foreign drawers need: {install_words('judge-test')}"


def kind_of(name: str) -> str:
    """Return whether a font is ``serif``, ``sans``, ``mono`` or ``hand``.

    >>> kind_of("Caladea-Italic"), kind_of("DejaVuSans-Bold")
    ('serif', 'sans')
    """
    return next((kind for kind, starts in KINDS.items() if name.startswith(starts)), "sans")


@cache
def font_path(name: str) -> Path:
    """Return the file of a font.

    Raises:
        InputError: Its package is not installed.
    """
    package = FONTS[name] or "matplotlib"
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise InputError(f"font {name}: the package {package} is not installed", REMEDY)
    folder = Path(found.origin).parent / ("files" if FONTS[name] else "mpl-data/fonts/ttf")
    return next(path for ending in ("ttf", "otf") if (path := folder / f"{name}.{ending}").is_file())


@cache
def _letters(name: str) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    letters = frozenset(FT2Font(str(font_path(name))).get_charmap())
    # Computer Modern has other signs than its table says from some places on: "°" would be drawn as "ß".
    return letters & PLAIN if name.startswith("cm") else letters


def fonts_with(letters: Iterable[str]) -> tuple[str, ...]:
    """Return the fonts that have every one of these letters."""
    wanted = {ord(letter) for letter in letters}
    return tuple(name for name in FONTS if wanted <= _letters(name))


@cache
def width_of(text: str, name: str) -> float:
    """Return how wide a text is in a font, in parts of the font's size."""
    return float(_large(name).getlength(text)) / 100


@cache
def _large(name: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(font_path(name)), 100)
