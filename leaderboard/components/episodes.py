"""Parts of an episode: pictures, and messages with the words that correct marked."""

from collections.abc import Mapping

from markupsafe import Markup

from ircore.core.plain_words import format_count
from ircore.results.language.corrections import Correction
from leaderboard.components.markup import macro
from leaderboard.storage.pictures import Shown
from leaderboard.words.marked_messages import CORRECTION_WORDS, Marked, Segment
from leaderboard.words.untrusted_text import escape_untrusted

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
    return macro("picture")(kind, root + shown.small, large, shown.width, shown.height, eager, alt)


def render_comparable(picture: Markup, key: str, place: int, score: float | None) -> Markup:
    """Return a rendering that ``gallery.js`` lays another picture over.

    Args:
        picture: The rendering, as ``picture`` returns it.
        key: Key of the run that drew it.
        place: Its place among the renderings of its episode, 1-based.
        score: Value, 0–10, that a replay draws over the steps; None without.
    """
    return macro("comparable")(key, place, "" if score is None else f"{score:.3f}", picture)


def render_withheld(alt: str) -> Markup:
    """Return a place holder for a picture that must not be published.

    Args:
        alt: Content of the picture, in words.
    """
    return macro("withheld")(alt)


def message(marked: Marked) -> Markup:
    """Return a describer's message with the words that correct marked."""
    left_out = format_count(marked.left_out, "more character") if marked.left_out else ""
    return macro("message")(map(_render_segment, marked.segments), left_out)


def _render_segment(segment: Segment) -> tuple[str, str, Markup]:
    """Return the class and the names of the corrections that a piece was marked with, empty without, and its text."""
    colour = _CLASSES[segment.corrections[0]] if segment.corrections else ""
    return colour, ", ".join(CORRECTION_WORDS[name] for name in segment.corrections), escape_untrusted(segment.text)


def correction(name: Correction) -> Markup:
    """Return the name of a category of corrections on its tint."""
    return macro("correction")(_CLASSES[name], CORRECTION_WORDS[name])
