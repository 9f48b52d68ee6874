"""Turning a page into HTML that our templates alone write.

A stranger's text passes through an autoescaping environment of our own and never through Markdown or through the
theme's templates, which do not escape.
"""

from collections.abc import Callable, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined

from ircore.core.plain_words import form_plural, format_count
from ircore.core.records import format_rule_value
from ircore.core.untrusted_text import format_one_line, make_visible
from ircore.players.traits import describe_programs
from ircore.results.statistics.intervals import MINIMUM_PICTURES, are_too_few, clear_of
from ircore.results.tables import formats
from ircore.results.tables.intervals import count_money_digits
from ircore.results.tables.pairs import list_remedies
from leaderboard import theme
from leaderboard.charts.catalogue import Chart, Drawn
from leaderboard.components import (
    board_cells,
    board_rows,
    episodes,
    fact_list,
    heat_map,
    matrix_cells,
    model_facts,
    players,
    plots,
    prototypes,
    values,
    xray,
)
from leaderboard.components.xray_data import dump_xray
from leaderboard.model.site import Page, Site
from leaderboard.model.trust import find_tier
from leaderboard.storage.build_cache import hash_program
from leaderboard.words import labels
from leaderboard.words.marked_messages import CORRECTION_WORDS
from leaderboard.words.untrusted_text import escape_untrusted, render_untrusted


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
        self, site: Site | None, charts: Mapping[str, Chart | Drawn], below: Callable[[Page], str] = lambda _: ""
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
        made = render_block(page.template, {**self._shared, "page": page, "root": page.root, **page.values})
        whole = f"{made}{self._below(page)}"
        return '<div class="irg">\n' + "\n".join(filter(None, map(str.strip, whole.splitlines()))) + "\n</div>\n"


def render_block(template: str, values: Mapping[str, Any]) -> str:
    """Return a template rendered with some values."""
    return _make_environment().get_template(f"{template}.html.j2").render(**values)


def read_templates() -> None:
    """Read all templates: once, before several processes do."""
    for name in _make_environment().list_templates():
        _make_environment().get_template(name)


@cache
def _make_environment() -> Environment:
    # Jinja's select_autoescape would leave *.html.j2 unescaped; True escapes everything.
    # Templates do not change while a site is built, so none is looked at a second time.
    environment = Environment(
        loader=PackageLoader("leaderboard"),
        autoescape=True,
        # A misspelt value stops the build; by default Jinja would print nothing in its place.
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
        bytecode_cache=_make_bytecode_cache(),
    )
    environment.filters.update(
        stranger=render_untrusted,
        inert=escape_untrusted,
        visible=make_visible,
        one_line=format_one_line,
        rule_word=format_rule_value,
        counted=format_count,
        plural=form_plural,
        number=labels.number,
        signed=labels.format_signed,
        scale_end=labels.scale_end,
        percent=labels.format_share,
        interval=labels.describe_interval,
        category=labels.format_category,
        short=labels.shorten_category,
        judge_name=labels.judge_name,
    )
    environment.globals.update(
        c=_collect_components(),
        remedies=list_remedies,
        open_words=labels.open_words,
        rank=labels.rank,
        clear_of=clear_of,
        too_few=are_too_few,
        shown=formats.format_value,
        interval=formats.format_interval,
        score_class=theme.score_class,
        delta_class=theme.delta_class,
        generator_path=theme.generator_path,
        describer_class=theme.describer_class,
        xray_json=dump_xray,
        OUTCOMES=labels.OUTCOMES,
        CONVERGENCES=labels.CONVERGENCES,
        REASONS=labels.REASONS,
        MISSING=labels.MISSING,
        PROGRAM_MARK=labels.PROGRAM_MARK,
        program_words=describe_programs,
        RANK=values.RANK,
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
        fact_list,
        heat_map,
        matrix_cells,
        model_facts,
        players,
        plots,
        prototypes,
        values,
        xray,
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
