"""Parts of an episode: pictures, and messages with the words that correct marked."""

from collections.abc import Mapping

from markupsafe import Markup, escape

from ircore.core.counted import counted
from ircore.results.language.lexicon import Correction
from leaderboard.components.markup import safe
from leaderboard.storage.pictures import Shown
from leaderboard.words.marked_messages import CORRECTION_WORDS, Marked, Segment
from leaderboard.words.untrusted_text import inert

_CLASSES: Mapping[Correction, str] = {name: f"fix fix-{name}" for name in CORRECTION_WORDS}


def picture(shown: Shown, alt: str, root: str, kind: str = "", eager: bool = False) -> Markup:
    """Return a picture.

    Args:
        shown: Its files.
        alt: Its content, in words.
        root: Relative address of the site's root.
        kind: Its class.
        eager: Whether it is fetched at once, rather than when it comes into view.
    """
    # A picture on another server has an absolute address, which must not get the site's root.
    large = shown.large if "://" in shown.large else root + shown.large
    priority = 'fetchpriority="high"' if eager else 'loading="lazy" decoding="async"'
    return safe(
        f'<img class="{kind}" src="{root}{shown.small}" data-large="{escape(large)}" width="{shown.width}" '
        f'height="{shown.height}" {priority} alt="{escape(alt)}">'
    )


def comparable(picture: Markup, key: str, place: int, score: float | None) -> Markup:
    """Return a rendering that ``gallery.js`` lays another picture over.

    Args:
        picture: The rendering, as ``picture`` returns it.
        key: Key of the run that drew it.
        place: Its place among the renderings of its episode, 1-based.
        score: Value, 0–10, that a replay draws over the steps; None without.
    """
    rated = "" if score is None else f' data-score="{score:.3f}"'
    return safe(f'<span class="drawing" id="{escape(key)}~{place}" data-turn="{place}"{rated}>{picture}</span>')


def withheld(alt: str) -> Markup:
    """Return a place holder for a picture that must not be published.

    Args:
        alt: Content of the picture, in words.
    """
    return safe(f'<span class="no-picture withheld" role="img" aria-label="{escape(alt)}, not published"></span>')


def message(marked: Marked) -> Markup:
    """Return a describer's message with the words that correct marked."""
    more = f' <span class="muted">… and {counted(marked.left_out, "more character")}, in the dataset</span>'
    pieces = "".join(map(_segment, marked.segments))
    return safe(f'<bdi dir="auto">{pieces}</bdi>{more if marked.left_out else ""}')


def _segment(segment: Segment) -> str:
    text = inert(segment.text)
    if not segment.corrections:
        return text
    names = ", ".join(CORRECTION_WORDS[name] for name in segment.corrections)
    return f'<mark class="{_CLASSES[segment.corrections[0]]}" title="{names}">{text}</mark>'


def correction(name: Correction) -> Markup:
    """Return the name of a category of corrections on its tint."""
    return safe(f'<span class="{_CLASSES[name]}">{CORRECTION_WORDS[name]}</span>')
