"""Turning a page into a Markdown file that holds one block of HTML, written by our templates alone.

A stranger's text passes through an autoescaping environment of our own and never through Markdown or through the
theme's templates, which do not escape.
"""

from collections.abc import Mapping
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined

from ircore.tables import formats
from leaderboard import labels, text, theme
from leaderboard.charts.catalogue import Chart
from leaderboard.gallery.marked import CORRECTION_WORDS
from leaderboard.rendering import board_marks, marks
from leaderboard.site import Page, Site
from leaderboard.tiers import tier_of

FRONT_END = "\n---\n\n"
"""What stands between the front matter of a page and its block."""


class Renderer:
    """Renders the pages of one site.

    Args:
        site: What the pages show.
        charts: Every chart by its id; a page names those that it has room for.
    """

    def __init__(self, site: Site, charts: Mapping[str, Chart]) -> None:
        self._environment = _environment()
        self._environment.globals.update(
            site=site, figures_of=lambda names: [charts[name] for name in names if name in charts]
        )

    def markdown(self, page: Page) -> str:
        """Return the Markdown source of a page: front matter and one HTML block without blank lines."""
        page = page.complete()
        template = self._environment.get_template(f"{page.template}.html.j2")
        block = template.render(page=page, root=page.root, **page.values)
        lines = (line.strip() for line in block.splitlines())
        return _front_matter(page) + '<div class="irg">\n' + "\n".join(line for line in lines if line) + "\n</div>\n"


def block(template: str, values: Mapping[str, Any]) -> str:
    """Return what a template makes of values alone, for a page that stands outside of any site."""
    return _environment().get_template(f"{template}.html.j2").render(**values)


def _front_matter(page: Page) -> str:
    meta: Mapping[str, Any] = {"title": page.title, "hide": ["navigation", "toc"]}
    if not page.searchable:
        meta = {**meta, "search": {"exclude": True}}
    return f"---\n{yaml.safe_dump(meta, allow_unicode=True).rstrip()}{FRONT_END}"


def _environment() -> Environment:
    # Jinja's select_autoescape would leave *.html.j2 unescaped; True escapes everything.
    environment = Environment(
        loader=PackageLoader("leaderboard"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters.update(
        stranger=text.stranger,
        inert=text.inert,
        visible=text.visible,
        one_line=text.one_line,
        number=labels.number,
        signed=labels.signed,
        percent=labels.percent,
        interval=labels.interval_words,
        category=labels.category_title,
        short=labels.category_short,
    )
    environment.globals.update(
        marks=marks,
        board_marks=board_marks,
        rank=labels.rank,
        shown=formats.shown,
        interval=formats.interval_shown,
        score_class=theme.score_class,
        delta_class=theme.delta_class,
        generator_path=theme.generator_path,
        describer_class=theme.describer_class,
        OUTCOMES=labels.OUTCOMES,
        CONVERGENCES=labels.CONVERGENCES,
        REASONS=labels.REASONS,
        MISSING=labels.MISSING,
        CORRECTION_WORDS=CORRECTION_WORDS,
        tier_of=tier_of,
    )
    return environment
