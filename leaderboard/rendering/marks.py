"""Small marks with the same meaning on every page, written in Python because a site has tens of thousands of them.

``templates/_marks.html.j2`` and its like hand them on. Whatever may be a stranger's is escaped here.
"""

from collections.abc import Mapping
from functools import lru_cache

from markupsafe import Markup, escape

from ircore.games.reconstruction.language.lexicon import Correction
from ircore.results.statistics.intervals import Estimate
from leaderboard.labels import MISSING, interval_width, interval_words, number
from leaderboard.messages import CORRECTION_WORDS, Marked, Segment
from leaderboard.pictures import Shown
from leaderboard.site import Pair
from leaderboard.text import inert, stranger
from leaderboard.theme import describer_class, generator_path, score_class

_REMEMBERED = 16_384
"""Marks kept: a pair's score stands on its own page, on boards and on a dozen matrices."""


@lru_cache(maxsize=_REMEMBERED)
def missing(reason: str) -> Markup:
    """Return what stands where there is no value."""
    why = escape(reason)
    return safe(f'<span class="missing" title="{why}">{MISSING}<span class="sr-only"> ({why})</span></span>')


@lru_cache(maxsize=_REMEMBERED)
def score(estimate: Estimate, why: str = "no rated episode", digits: int = 2) -> Markup:
    """Return a mean with half the width of its interval, or with its ends; ``why`` says why there is none."""
    if estimate.mean is None:
        return missing(why)
    width = interval_width(estimate, digits)
    half = f' <span class="half">{width}</span>' if width else ""
    title = interval_words(estimate, digits)
    return safe(f'<span class="value" title="{title}">{number(estimate.mean, digits)}{half}</span>')


@lru_cache(maxsize=_REMEMBERED)
def dot(
    estimate: Estimate,
    hue: int | None = None,
    low: float = 0,
    high: float = 10,
    zero: float | None = None,
    labelled: bool = True,
) -> Markup:
    """Return a mean with its interval on a fixed scale, as a picture of 120 × 20 units; nothing where there is no mean.

    Args:
        estimate: What is drawn.
        hue: Of the describer's colour, 0-based; None for a neutral one.
        low: Lower end of the scale.
        high: Upper end.
        zero: Where a line stands; None for no line.
        labelled: Whether readers who do not see it are told the numbers; False where these stand beside it.
    """
    if estimate.mean is None:
        return safe("")
    whole = {name: 4 + 112 * (min(max(value, low), high) - low) / (high - low) for name, value in _ends(estimate)}
    line = "" if zero is None else f'<path class="zero" d="M{4 + 112 * (zero - low) / (high - low):.1f} 2V18"></path>'
    whisker = (
        f'<path class="whisker" d="M{whole["low"]:.1f} 10H{whole["high"]:.1f}"></path>'
        if "low" in whole and "high" in whole
        else ""
    )
    mean = f'<circle class="mean" cx="{whole["mean"]:.1f}" cy="10" r="4"></circle>'
    said = f'role="img" aria-label="{number(estimate.mean)}, {interval_words(estimate)}"'
    colour = "" if hue is None else f" {describer_class(hue)}"
    return safe(
        f'<svg class="dotplot{colour}" viewBox="0 0 120 20" {said if labelled else _HIDDEN}>'
        f'<path class="scale" d="M4 10H116M4 7V13M60 7V13M116 7V13"></path>{line}{whisker}{mean}</svg>'
    )


def _ends(estimate: Estimate) -> list[tuple[str, float]]:
    values = (("low", estimate.low), ("high", estimate.high), ("mean", estimate.mean))
    return [(name, value) for name, value in values if value is not None]


@lru_cache(maxsize=_REMEMBERED)
def badge(value: float | None, label: str = "") -> Markup:
    """Return a similarity, 0–10, on its colour; ``label`` is added to what it says of itself."""
    if value is None:
        return safe(
            f'<span class="badge none" title="not scored">{MISSING}<span class="sr-only"> (not scored)</span></span>'
        )
    title = f"similarity {number(value)} of 10{escape(label)}"
    return safe(f'<span class="badge {score_class(value)}" title="{title}">{number(value, 1)}</span>')


def glyph(pair: Pair) -> Markup:
    """Return a pair's marker: the describer's colour, the generator's shape."""
    shape = f'<path d="{generator_path(pair.shape)}"></path>'
    return safe(f'<svg class="glyph {describer_class(pair.hue)}" viewBox="-1.2 -1.2 2.4 2.4" {_HIDDEN}>{shape}</svg>')


def pair_name(pair: Pair, root: str | None) -> Markup:
    """Return a pair's name behind its marker.

    Args:
        pair: Whose.
        root: The way to the site's root; None for a name that leads nowhere.
    """
    names = (
        f'<span class="pair-describer">{stranger(pair.describer)}</span><span class="pair-plus"> + </span>'
        f'<span class="pair-generator">{stranger(pair.generator)}</span>'
    )
    if root is not None:
        names = f'<a class="pair-link" href="{root}pairs/{escape(pair.key)}.html">{names}</a>'
    apart = f' <span class="pair-apart">{escape(pair.apart)}</span>' if pair.apart else ""
    return safe(
        f'<span class="pair {describer_class(pair.hue)}">{glyph(pair)}<span class="pair-names">{names}{apart}'
        "</span></span>"
    )


def picture(shown: Shown, alt: str, root: str, kind: str = "", eager: bool = False) -> Markup:
    """Return a picture.

    Args:
        shown: Its files.
        alt: What it shows, in words.
        root: The way to the site's root.
        kind: Its class.
        eager: Whether it is fetched at once, rather than when it comes into view.
    """
    large = shown.large if "://" in shown.large else root + shown.large
    haste = 'fetchpriority="high"' if eager else 'loading="lazy" decoding="async"'
    return safe(
        f'<img class="{kind}" src="{root}{shown.small}" data-large="{escape(large)}" width="{shown.width}" '
        f'height="{shown.height}" {haste} alt="{escape(alt)}">'
    )


def message(marked: Marked) -> Markup:
    """Return a describer's message with the words that correct marked."""
    more = f' <span class="muted">… and {marked.left_out} more characters, in the dataset</span>'
    pieces = "".join(map(_segment, marked.segments))
    return safe(f'<bdi dir="auto">{pieces}</bdi>{more if marked.left_out else ""}')


def _segment(segment: Segment) -> str:
    text = inert(segment.text)
    return (
        f'<mark class="{_CLASSES[segment.corrections[0]]}" title="{_about(segment.corrections)}">{text}</mark>'
        if (segment.corrections)
        else text
    )


_CLASSES: Mapping[Correction, str] = {name: f"fix fix-{name}" for name in CORRECTION_WORDS}


def _about(corrections: tuple[Correction, ...]) -> str:
    return ", ".join(CORRECTION_WORDS[name] for name in corrections)


_HIDDEN = 'aria-hidden="true"'


def safe(html: str) -> Markup:
    """Return what was put together from numbers, our own words and what has been escaped, as HTML."""
    return Markup(html)  # noqa: S704 - see above
