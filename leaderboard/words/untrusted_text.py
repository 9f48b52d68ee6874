"""A stranger's text as HTML that does nothing: messages and manifests are data, never markup."""

from markupsafe import Markup, escape

from ircore.core.untrusted_text import make_visible


def render_untrusted(text: str) -> Markup:
    """Return a stranger's text as HTML that does nothing: escaped, hidden characters shown, direction isolated.

    Line breaks become character references, so that the text never adds a line to the page's source.
    """
    return Markup(f'<bdi dir="auto">{escape_untrusted(text)}</bdi>')  # noqa: S704 - inert escapes


def escape_untrusted(text: str) -> Markup:
    """Return a piece of a stranger's text as HTML that does nothing, for use within a ``bdi`` that holds all pieces."""
    safe = str(escape(make_visible(text))).replace("\n", "&#10;").replace("\t", "&#9;")
    return Markup(safe)  # noqa: S704 - escaped one line above
