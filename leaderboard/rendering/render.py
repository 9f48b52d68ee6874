"""Turning a page into HTML that our templates alone write, and describing it for search engines and previews.

A stranger's text passes through an autoescaping environment of our own and never through Markdown or through the
theme's templates, which do not escape. The description of a page is its heading, and its finding or first words.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from html import unescape
from itertools import islice
from types import SimpleNamespace
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemBytecodeCache

from ircore.core.plain_words import form_plural, format_count
from ircore.core.records import format_rule_value
from ircore.core.untrusted_text import format_one_line, make_visible
from ircore.players.traits import describe_programs
from ircore.results.statistics.intervals import MINIMUM_PICTURES, are_too_few, clear_of
from ircore.results.tables import formats
from ircore.results.tables.formats import count_money_digits
from ircore.results.tables.pairs import list_remedies
from leaderboard import theme, words
from leaderboard.charts.catalogue import Chart, RenderedFigure
from leaderboard.components import (
    board_cells,
    board_rows,
    episodes,
    matrix_cells,
    players,
    prototypes,
    values,
)
from leaderboard.components.episodes import dump_xray
from leaderboard.components.markup import macro, make_environment
from leaderboard.model.site import Page, Site
from leaderboard.model.trust import find_tier
from leaderboard.storage.build_cache import hash_program
from leaderboard.words import CORRECTION_WORDS, render_untrusted


class Renderer:
    """Renders the pages of one site.

    Args:
        site: Results of the reconstruction game; None for a site of other games alone.
        charts: Every chart by its id; a page names those that it has room for.
        below: HTML that stands below the content of a page.

    Example:
        >>> Renderer(None, charts={}) is not None
        True
    """

    def __init__(
        self,
        site: Site | None,
        charts: Mapping[str, Chart | RenderedFigure],
        below: Callable[[Page], str] = lambda _: "",
    ) -> None:
        self._below = below
        self._shared = {
            "site": site,
            "figures_of": lambda names: [charts[name] for name in names if name in charts],
        }

    def finding(self, page: Page) -> str:
        """Return the finding of a page in a sentence; empty for a page that declares none."""
        return page.finding({**self._shared, **page.complete().values}) if page.finding else ""

    def block(self, page: Page) -> str:
        """Return the HTML of a page, without blank lines."""
        # Late values are computed here, in the process that writes the page, and are gone with the page.
        page = page.complete()
        content = render_block(page.template, {**self._shared, "page": page, "root": page.root, **page.values})
        made = render_block("page", {"content": content, "below": self._below(page)})
        return "\n".join([*filter(None, map(str.strip, made.splitlines())), ""])


def render_block(template: str, values: Mapping[str, Any]) -> str:
    """Return a template rendered with some values."""
    return _make_environment().get_template(f"{template}.html.j2").render(**values)


def read_templates() -> None:
    """Read all templates: once, before several processes do."""
    macro("missing")
    for name in _make_environment().list_templates():
        _make_environment().get_template(name)


@cache
def _make_environment() -> Environment:
    environment = make_environment(_make_bytecode_cache())
    environment.filters.update(
        stranger=render_untrusted,
        visible=make_visible,
        one_line=format_one_line,
        rule_word=format_rule_value,
        counted=format_count,
        plural=form_plural,
        number=words.number,
        signed=words.format_signed,
        scale_end=words.scale_end,
        lower_title=words.lower_title,
        percent=words.format_share,
        interval=words.describe_interval,
        category=words.format_category,
        short=words.shorten_category,
        judge_name=words.judge_name,
    )
    environment.globals.update(
        c=_collect_components(),
        remedies=list_remedies,
        open_words=words.open_words,
        rank=words.rank,
        clear_of=clear_of,
        too_few=are_too_few,
        shown=formats.format_value,
        interval=formats.format_interval,
        describer_class=theme.describer_class,
        xray_json=dump_xray,
        OUTCOMES=words.OUTCOMES,
        REASONS=words.REASONS,
        MISSING=words.MISSING,
        PROGRAM_MARK=words.PROGRAM_MARK,
        program_words=describe_programs,
        MINIMUM_PICTURES=MINIMUM_PICTURES,
        CORRECTION_WORDS=CORRECTION_WORDS,
        tier_of=find_tier,
        money_digits=count_money_digits,
    )
    return environment


def _make_bytecode_cache() -> BytecodeCache | None:
    """Return Jinja's cache of compiled templates, in the user's private temporary folder; None if there can be none.

    Compiled templates hold results of the filters above, so that another state of the program has files of its own.
    """
    try:
        return FileSystemBytecodeCache(pattern=f"ircore-{hash_program()[:16]}-%s.cache")
    except (OSError, RuntimeError):  # no place to write to, or another user's folder has the name
        return None


def _collect_components() -> SimpleNamespace:
    """Return every component by name, as templates call it: ``c.NAME``."""
    modules = (
        board_cells,
        board_rows,
        episodes,
        matrix_cells,
        players,
        prototypes,
        values,
    )
    return SimpleNamespace(
        **{
            name: component
            for module in modules
            for name, component in vars(module).items()
            # Names that a module only imports are no components of its own.
            if callable(component) and component.__module__ == module.__name__ and not name.startswith("_")
        }
    )


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
