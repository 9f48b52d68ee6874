"""The page of all figures of all pairs, a page of each figure alone, and the files from which a reader chooses.

The page has the order in which the paper asks. ``data/figures/pairs.json`` names pairs, judges and categories, and what
can be chosen in which figure. Each choice of a judge and a category is a file that holds the whole figure, such as
``deltas-by-human-on-geometry.json``; a script takes the chosen pairs out of it (``assets/js/figure-parts.js``).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ircore.core.untrusted_text import format_one_line, make_visible
from leaderboard.charts.catalogue import OF_ALL, OF_JUDGE, build_choosable_figure, shorten_pair_names
from leaderboard.charts.costs import MOST_POINTS
from leaderboard.charts.data import MOST_PANELS, MOST_ROWS, ChartSubject, ConditionChoice
from leaderboard.charts.grammar import Missing, Sketch
from leaderboard.model.site import Page, Pair, Site
from leaderboard.model.site_judge import has_rated
from leaderboard.pages.board_views import BoardView, describe_view, view_path
from leaderboard.storage.output_folder import dump_compact
from leaderboard.theme import describer_class
from leaderboard.words import PROGRAM_MARK, format_category

FOLDER = "data/figures"
"""Folder of the files, relative to the site's root."""


@dataclass(frozen=True)
class Choices:
    """What a reader can choose in a figure besides some of its pairs.

    >>> Choices(12).judges
    ''
    """

    most: int
    """Maximum of chosen pairs."""

    usual: int = 0
    """Number of pairs, the best, that the figure shows by itself; 0 for the maximum."""

    every: bool = False
    """Whether all pairs can be shown at once."""

    judges: str = ""
    """``one`` if the figure is of one judge, ``all`` if of all judges or one, empty if of none."""

    categories: bool = False
    """Whether it can be of a category."""


CHOOSABLE = {
    "scores": Choices(MOST_ROWS, every=True, judges="all", categories=True),
    "deltas": Choices(MOST_ROWS, every=True, judges="all", categories=True),
    "preferences": Choices(MOST_ROWS, every=True, judges="all", categories=True),
    "convergence": Choices(MOST_ROWS, every=True, judges="one", categories=True),
    "categories": Choices(MOST_ROWS, MOST_PANELS, judges="one"),
    "trajectories": Choices(MOST_PANELS, judges="one", categories=True),
    "heat-maps": Choices(MOST_PANELS, judges="one"),
    "corrections": Choices(MOST_ROWS, every=True),
    "corrections-by-turn": Choices(MOST_PANELS),
    "lengths": Choices(MOST_PANELS),
    "novelty": Choices(MOST_PANELS),
    "costs": Choices(MOST_POINTS, every=True, judges="one", categories=True),
    "seconds": Choices(MOST_POINTS, every=True, judges="one", categories=True),
}
"""The figures in which a reader can choose, by kind."""


def build_figure_data_files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the files of the runs under the most common rules: path below the site's root, and text."""
    results = site.under()
    # In the order of the board, in which a reader looks for pairs.
    alike = shorten_pair_names([site.pairs[row.submission.run_id] for row in results.board(site.judge)])
    yield f"{FOLDER}/pairs.json", dump_compact(_index(site, list(alike.values()))) + "\n"
    subject = ChartSubject(results, alike, site.judge)
    for kind, choices in CHOOSABLE.items():
        draw = {**OF_ALL, **OF_JUDGE}[kind]
        judges = [judge for judge in results.judges if choices.judges == "all" or judge != site.judge]
        judges = judges if len(results.judges) > 1 else []
        for judge in (None, *(judges if choices.judges else ())):
            for category in (None, *(results.categories if choices.categories else ())):
                about = subject.chosen(judge or site.judge, ConditionChoice(category, alone=judge is not None))
                parts = (kind, judge and f"by-{judge}", category and f"on-{category}")
                name = "-".join(filter(None, parts))
                yield f"{FOLDER}/{name}.json", dump_compact(_build_figure(site, draw, about, choices)) + "\n"


def _build_figure(
    site: Site, draw: Callable[[ChartSubject], Sketch | Missing], about: ChartSubject, choices: Choices
) -> dict[str, Any]:
    sketch = draw(about)
    if isinstance(sketch, Missing):
        return {"missing": sketch.reason}
    return build_choosable_figure(sketch, about, choices.usual or choices.most, site.version)


def _index(site: Site, pairs: list[Pair]) -> dict[str, Any]:
    results = site.under()
    places = {pair.run_id: place for place, pair in enumerate(pairs)}
    return {
        "judge": site.judge,
        "judges": results.judges,
        "categories": [[category, format_category(category)] for category in results.categories],
        "pairs": [_list_names(pair) for pair in pairs],
        # The pairs of a judge's board, best first.
        "order": {judge: [places[row.submission.run_id] for row in results.board(judge)] for judge in results.judges},
        "figures": {kind: asdict(choices) for kind, choices in CHOOSABLE.items()},
        "about": {
            "rules": site.rule_sets[0].key,
            "game": site.game.name,
            "benchmark": site.version.words,
            "instance_set": results.instance_set,
            "ircore": ", ".join(sorted({submission.run.version for submission in results.submissions})),
        },
    }


def _list_names(pair: Pair) -> dict[str, Any]:
    """Return a pair's names and colour; the names are a stranger's words, so that scripts escape them."""
    return {
        "key": pair.key,
        "describer": make_visible(pair.describer),
        "names": [make_visible(name) for name in pair.names],
        "apart": make_visible(pair.apart),
        "hue": describer_class(pair.hue),
    }


SECTIONS = (
    ("similarity", "How close do pairs get?", ("scores", "categories")),
    ("refinement", "Does refinement help?", ("convergence", "deltas", "preferences")),
    ("turns", "Turn by turn", ("trajectories", "heat-maps")),
    ("budgets", "Token budgets", ("budget-scores", "budget-deltas", "budget-outcomes")),
    ("language", "What describers say", ("corrections", "corrections-by-turn", "lengths", "novelty")),
    ("judges", "What judges are worth", ("agreement", "ratings", "reliability")),
    ("effort", "What it takes", ("costs", "seconds", "variance")),
)
"""Anchor, heading and figures of each part."""

ALONE = "figure_alone"
"""Template of a page that holds one figure, without the site around it: other pages embed it."""

EMBEDDED = "embed"
"""Folder of these pages, relative to the site's root."""


def build_figures_page(site: Site) -> Page:
    """Return the page of figures."""
    sections = [
        {"id": name, "title": title, "charts": _select_figures(site, charts)} for name, title, charts in SECTIONS
    ]
    return Page(
        "figures",
        "Figures",
        "figures",
        {
            "sections": sections,
            "charts": tuple(chart for section in sections for chart in section["charts"]),
            "plays": FOLDER,
            "embedded": EMBEDDED,
            "words": describe_view(site, BoardView(site.judge, rules=site.rule_sets[0])),
            "others": [
                (judge, view_path(site, BoardView(judge, rules=site.rule_sets[0])))
                for judge in site.results.judges
                if judge != site.judge and has_rated(site.results, judge)
            ],
        },
        searchable=True,
        finding=_join_headlines,
        found_by="charts costs seconds",
    )


def _join_headlines(values: Mapping[str, Any]) -> str:
    """Return the headlines of a page's first figures that say something, without the mark of programs."""
    drawn = [figure.title for figure in values["figures_of"](values["charts"]) if not figure.missing]
    said = [title.replace(PROGRAM_MARK, "") for title in drawn if not title.endswith("?")]
    return format_one_line("; ".join(said[:3]), 300)


def build_figure_pages(site: Site) -> Iterator[Page]:
    """Yield the page of each figure alone."""
    for _, title, charts in SECTIONS:
        for chart in _select_figures(site, charts):
            values = {"heading": f"{title} Figure: {chart}", "charts": (chart,), "plays": FOLDER}
            yield Page(f"{EMBEDDED}/{chart}", f"Figure: {chart}", ALONE, values, finding=_join_headlines, cited=False)


def _select_figures(site: Site, charts: Sequence[str]) -> tuple[str, ...]:
    """Return the figures of a part: the figure of costs only where something costs."""
    # A figure of costs of local players alone would be empty.
    costs = any(cell.amounts["cost"].mean for cell in site.results.cells.values())
    return tuple(chart for chart in charts if chart != "costs" or costs)
