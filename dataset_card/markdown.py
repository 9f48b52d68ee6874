"""Jinja2 for Markdown: templates escape every value but our own ``Markdown``."""

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from ircore.core.plain_words import format_count
from ircore.core.untrusted_text import format_plain_line

if TYPE_CHECKING:
    import jinja2

_MARKUP = re.compile(r"([\\`*_\[\]|~$])")
# What begins a list, a heading, or the line that makes one of the line above.
_AT_START = re.compile(r"^([-+#=]|\d+(?=[.)]))")


class Markdown(str):
    """Markdown of our own, which is printed without escaping.

    >>> escape_markdown("a < b"), isinstance(escape_markdown("a < b"), Markdown)
    ('a &lt; b', True)
    """

    __slots__ = ()


def escape_markdown(text: str, links: bool = False) -> Markdown:
    """Escape a stranger's text for a line of Markdown, so that no part of the text acts as markup.

    Args:
        text: Anything; runs of white space and control characters become one space.
        links: Whether web addresses may become links, as in the credit of a picture.
    """
    # The ampersand goes first, or else the entities made here would be escaped.
    line = _MARKUP.sub(r"\\\1", format_plain_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    if not links:
        # The Hub makes links of bare addresses and of mentions.
        line = line.replace("://", "&#58;//").replace("@", "&#64;").replace("www.", "www&#46;")
    return Markdown(_AT_START.sub(lambda match: f"&#{ord(match[0][0])};{match[0][1:]}", line))


def format_code_span(text: str) -> Markdown:
    """Return a stranger's text as code on a line; back-ticks in the text become apostrophes."""
    line = format_plain_line(text)
    # Inside of code nothing can be escaped, and a bar would end the cell of a table even there.
    return Markdown("`" + line.replace("`", "'").replace("|", "¦") + "`") if line else Markdown("–")


def format_counts(numbers: Mapping[str, int]) -> Markdown:
    """Return named numbers on a line, such as ```psnr`: 84, `ssim`: 84``; a dash for an empty mapping."""
    return Markdown(", ".join(f"{format_code_span(name)}: {number:,}" for name, number in numbers.items()) or "–")


def format_reasons(texts: Mapping[str, str]) -> Markdown:
    """Return named reasons on a line, the reasons escaped; a dash for an empty mapping."""
    return Markdown(
        "; ".join(f"{format_code_span(name)}: {escape_markdown(text)}" for name, text in texts.items()) or "–"
    )


def render(template: str, **values: Any) -> str:
    """Render a template of this package.

    Args:
        template: File name below ``templates``.
        **values: What the template may print; strings are escaped unless they are ``Markdown``.
    """
    return _make_environment().get_template(template).render(values)


@cache
def _make_environment() -> "jinja2.Environment":
    """Make the environment. HTML autoescaping is off, as the output is Markdown: ``_print_value`` escapes instead."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("dataset_card"),
        autoescape=False,  # noqa: S701 - see above
        finalize=_print_value,
        # A misspelt name in a template fails instead of printing nothing.
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["code"] = format_code_span
    environment.filters["credit"] = lambda text: escape_markdown(text, links=True)
    environment.filters["counted"] = format_count
    environment.filters["counts"] = format_counts
    environment.filters["reasons"] = format_reasons
    return environment


def _print_value(value: object) -> object:
    """Escape text; print a missing value as a dash and a number with at most two decimals."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}".replace("-", "−")
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, Markdown) else escape_markdown(str(value))
