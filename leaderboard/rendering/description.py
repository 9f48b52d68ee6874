"""The description of a page for search engines and previews: its heading, and its finding or first words."""

import re
from html import unescape
from itertools import islice

LONGEST = 200
"""Characters of a description."""

_HEADING = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.DOTALL)
_PARAGRAPH = re.compile(r"<(p|caption)\b(?![^>]*(?:legend|crumb|reading))[^>]*>(.*?)</\1>", re.DOTALL)
_FINDING = re.compile(r'<p class="finding[ "][^>]*>(.*?)</p>', re.DOTALL)
_LEAD = re.compile(r'<p class="(?:lead|filtered)"[^>]*>(.*?)</p>', re.DOTALL)
_CHOSEN = re.compile(r'<a class="chip"[^>]*aria-current="page"[^>]*>(.*?)</a>', re.DOTALL)
_TAG = re.compile(r"<(?:svg|script|style|template)\b.*?</(?:svg|script|style|template)>|<[^>]*>", re.DOTALL)
_LEFT_OUT = re.compile(r'<a class="headerlink".*?</a>|<abbr class="program".*?</abbr>', re.DOTALL)
"""What stands beside words and needs its tooltip."""


def describe_page(content: str, title: str = "", finding: str = "") -> str:
    """Return the description of a page as text, not escaped; empty for a page without words.

    Args:
        content: HTML of the page, from its heading on.
        title: Title of the page, which may tell it apart from pages with the same heading; empty for none.
        finding: What the page's numbers say, in a sentence; empty for the finding that stands in the page, or else its
            first words.

    >>> describe_page('<h1>Gallery</h1><p class="aid">Badges.</p><p class="lead">Every <em>target</em>.</p>')
    'Gallery: Every target.'
    >>> describe_page('<h1>Matrix</h1><p class="lead">Who?</p><p class="finding">Describers matter more.</p>')
    'Matrix: Describers matter more.'
    """
    heading = _HEADING.search(content)
    start = heading.end() if heading else 0
    title = _join_titles(_strip_markup(heading[1]) if heading else "", title)
    stated = _FINDING.search(content, start)
    if finding or stated:
        return _cut(": ".join(part for part in (title, finding or _strip_markup(stated[1] if stated else "")) if part))
    lead = _LEAD.search(content, start)
    first = (
        lead[1]
        if lead
        else next((text for text in _find_paragraphs(content, start) if len(_strip_markup(text)) > len(title)), "")
    )
    # The line of a board says in words which choices it shows.
    chosen = (
        "" if lead and "filtered" in lead[0][:20] else ", ".join(map(_strip_markup, _CHOSEN.findall(content, start)))
    )
    words = ": ".join(part for part in (title, chosen, _strip_markup(first)) if part)
    return _cut(words)


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def _join_titles(heading: str, title: str) -> str:
    longer, shorter = sorted((heading, title), key=len, reverse=True)
    return longer if shorter.lower() in longer.lower() else f"{heading}, {title[0].lower()}{title[1:]}"


def _find_paragraphs(content: str, start: int) -> list[str]:
    return [match[2] for match in islice(_PARAGRAPH.finditer(content, start), 8)]


def _strip_markup(html: str) -> str:
    words = " ".join(unescape(_TAG.sub(" ", _LEFT_OUT.sub("", html))).split())
    return re.sub(r" ([.,;:?!)])", r"\1", words)
