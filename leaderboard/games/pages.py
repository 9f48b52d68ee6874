"""The pages of a game: start, boards, matrices, gallery, figures, method, and a page per run and instance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from ircore.core.episode_records import Episode, repeat_id
from ircore.core.records import Instance
from ircore.core.untrusted_text import format_one_line
from ircore.games.base import Measure
from ircore.instances.store import describe_ways_to_get
from ircore.results.model import BoardRow
from ircore.results.statistics.intervals import are_too_few
from ircore.results.tables.pairs import describe_ties
from leaderboard.charts.catalogue import Chart
from leaderboard.charts.grammar import drop_weak_interval
from leaderboard.components.episodes import dump_marks
from leaderboard.games.contrasts import make_contrast_charts
from leaderboard.games.episodes import (
    draw_compared_scene,
    find_compared_picture,
    find_replayed_measure,
    register_pictures,
    render_episode,
    render_instance,
)
from leaderboard.games.figures import compute_similarity, get_measure, make_curve_charts, scale_ends
from leaderboard.games.run_pages import collect_run_values, describe_place, find_worst_episodes
from leaderboard.model.section import GameSection, RulesBoard
from leaderboard.model.site import Page, Pair
from leaderboard.pages.ask import build_ask_page
from leaderboard.pages.board_views import describe_leader
from leaderboard.pages.boards import build_board_pages
from leaderboard.pages.feed import build_changes_page
from leaderboard.pages.history import build_history_page
from leaderboard.pages.matrix import build_matrix_pages
from leaderboard.pages.pair_comparison import compare_page
from leaderboard.pages.players import build_player_board_pages
from leaderboard.words import choose_digits, format_category

_BOARDS = "boards/index"
"""Name of the row's entry for boards, which leads to the one that every run is on."""

_TABS = (
    ("index", "Start"),
    (_BOARDS, "Board"),
    ("matrix", "Matrix"),
    ("compare", "Compare"),
    ("gallery/index", "Gallery"),
    ("figures", "Figures"),
    ("pairs/index", "Players"),
    ("ask", "Ask"),
    ("history", "History"),
    ("method", "Method"),
)
"""Pages of every section, with the words of their links."""

_CROSSED = frozenset({"matrix"})
"""Those that a game has only if two of its seats are crossed."""

_TOP = 5
"""Rows of the board on a game's first page."""

_RULES = 3
"""Sets of rules whose boards a game's first page tells about."""

_SHOWN = 6
"""Instances on a game's first page."""


def build_game_pages(sections: Sequence[GameSection]) -> Iterator[Page]:
    """Yield the pages of every game that has results; their pictures are registered at once."""
    for section in sections:
        register_pictures(section)
        yield from _build_section_pages(section)
        for pair in section.ranked:
            values = {"pair": pair, "row": section.row(pair), **collect_run_values(section, pair)}
            page = _build_page(section, f"pairs/{pair.key}", format_one_line(pair.name), "run", "pairs/index", values)
            yield replace(page, finding=describe_place)
        for instance in section.instances:
            # Every episode is rendered by the game's template: too much to do here, before the work is divided.
            later = partial(_collect_instance_values, section, instance)
            title = section.titles[instance.instance_id]
            name = f"gallery/{instance.instance_id}"
            yield _build_page(section, name, title, "instance", "gallery/index", {"instance": instance}, later)


def _build_section_pages(section: GameSection) -> Iterator[Page]:
    """Yield the pages that the row of a section's links names."""
    curves, contrasts = make_curve_charts(section), make_contrast_charts(section)
    charts = (*contrasts, *curves)
    figures = {"figures": _build_figures(section), "curves": curves, "contrasts": contrasts, "own_charts": charts}
    stories = {"stories": _select_stories(section, charts)}
    start = _build_page(section, "index", "start", "start", "index", stories, partial(_collect_start_values, section))
    yield replace(start, finding=_get_lead)
    shared: tuple[tuple[str, Iterator[Page]], ...] = (
        (_BOARDS, chain(build_board_pages(section), build_player_board_pages(section))),
        ("matrix", build_matrix_pages(section) if section.results.crossed is not None else iter(())),
        ("compare", iter([compare_page(section)])),
        ("ask", iter([build_ask_page(section)])),
        ("history", iter([build_history_page(section), build_changes_page(section)])),
    )
    for tab, pages in shared:
        for page in pages:
            yield replace(page, values={**_collect_shared_values(section, tab), **page.values})
    seats = {"seats": _list_players(section)}
    yield _build_page(section, "pairs/index", "players", "players", "pairs/index", seats)
    groups = _group_instances(section)
    yield _build_page(
        section,
        "gallery/index",
        "gallery",
        "gallery",
        "gallery/index",
        {"groups": groups, "worst": find_worst_episodes(section, _SHOWN)},
    )
    yield _build_page(section, "figures", "figures", "figures", "figures", figures)
    method = [paragraph.strip() for paragraph in section.game.pages.method.split("\n\n") if paragraph.strip()]
    yield replace(_build_page(section, "method", "method", "method", "method", {"paragraphs": method}), cited=False)


def _select_stories(section: GameSection, charts: Sequence[Chart]) -> list[Chart]:
    """Return the charts of the first page: of each measure with a story its curve, or else its contrast.

    A curve from the first step to the last ends where the board's means do: only beside figures of the paper, which
    stand at steps, the one by step is shown.
    """
    pages, known = section.game.pages, {chart.id: chart for chart in charts if not chart.missing}
    names = {contrast.measure: f"contrast-{place}" for place, contrast in enumerate(pages.contrasts, 1)}
    at_steps = {figure.measure for figure in section.game.published if figure.place}
    ordered = sorted(
        enumerate(pages.curves, 1), key=lambda entry: entry[1].normalised != (entry[1].measure in at_steps)
    )
    curves = {curve.measure: f"curve-{place}" for place, curve in ordered}
    ids = (f"game-{section.game.name}-{({**names, **curves})[key]}" for key in pages.stories)
    return [known[name] for name in ids if name in known]


def _collect_shared_values(section: GameSection, tab: str) -> dict[str, Any]:
    """Return the values that all pages of a section share.

    Args:
        section: The game.
        tab: Page that the row of links marks as current.
    """
    return {
        "site": section,
        "section": section,
        "game": section.game,
        "tab": tab,
        "tabs": [
            (name, title, section.whole_board if name == _BOARDS else section.path(name))
            for name, title in _TABS
            if name not in _CROSSED or section.results.crossed is not None
        ],
        "drawn": drop_weak_interval,
        "digits": choose_digits(section.game.headline),
        "measure_titles": {shown.key: shown.title for shown in section.game.measures},
        "ends": scale_ends(section.game.headline, ()),
    }


def _build_page(
    section: GameSection,
    name: str,
    words: str,
    template: str,
    tab: str,
    values: dict[str, Any],
    later: Any = None,
) -> Page:
    """Return a page of a game's section.

    Args:
        section: The game.
        name: Path below the section's folder, without suffix.
        words: What follows the game's title in the title of the page.
        template: Name of the template after ``game_``.
        tab: Page that the row of links marks as current.
        values: Values of this page.
        later: As ``Page.later``.
    """
    title = f"{section.game.title}: {words}"
    everything = {**_collect_shared_values(section, tab), **values}
    return Page(section.path(name), title, f"game_{template}", everything, name == "index", later)


def _get_lead(values: Mapping[str, Any]) -> str:
    """Return which run leads the board of a game."""
    return str(values["lead"])


def _collect_start_values(section: GameSection) -> dict[str, Any]:
    """Return what the game's boards say, and the instances on which runs differ most, or episodes that went worst."""
    groups = _group_instances(section)
    differ = [thumb for group in groups for thumb in group["instances"] if thumb["low"] != thumb["high"]]
    # Of equal spreads the lowest comes first.
    differ.sort(key=lambda thumb: (thumb["low"] - thumb["high"], thumb["low"]))
    return {
        "most": _TOP,
        "lead": " ".join(_describe_lead(section, board) for board in section.boards[:_RULES]),
        "differ": [thumb for thumb in differ if thumb["picture"]][:_SHOWN],
        "worst": [] if differ else find_worst_episodes(section, _SHOWN),
    }


def _describe_lead(section: GameSection, board: RulesBoard) -> str:
    """Return in sentences who leads the board of some rules and how far its runs can be told apart; empty without."""
    best = section.pairs[board.rows[0].submission.run_id]
    apart = describe_ties(section.under(board.rules).standings[None, None, section.judge], f"{section.noun}s")
    said = describe_leader(section, section.judge, board.rows, best.name, section.noun, apart)
    return f"With {board.label}: {said}" if said and board.label else said


def _list_players(section: GameSection) -> list[dict[str, Any]]:
    """Return the labels of each seat's players, each with its runs and their rows, the best by main score first."""
    rows = [(pair, section.row(pair)) for pair in section.ranked]
    rows.sort(key=lambda entry: -(entry[1].cell.main.mean or 0.0))
    players = []
    for seat in section.seats:
        runs: dict[str, list[tuple[Pair, BoardRow]]] = {}
        for pair, row in rows:
            spec = pair.result.run.submission.players.get(seat.name)
            # A seat that the rules of a run leave empty has no player.
            if spec is not None:
                runs.setdefault(spec.label, []).append((pair, row))
        players.append({"seat": seat, "players": list(runs.items())})
    return players


def _build_figures(section: GameSection) -> list[dict[str, Any]]:
    """Return a chart per drawn measure: a dot with its interval for each run, overall and by category."""
    figures = [get_measure(section, key) for key in section.game.pages.figures or (section.game.headline.key,)]
    return [{"measure": shown, "digits": choose_digits(shown), **_build_dots(section, shown)} for shown in figures]


def _build_dots(section: GameSection, measure: Measure) -> dict[str, Any]:
    results = section.results
    several = results.categories if len(results.categories) > 1 else ()
    # A category in which no run has a value has no column.
    categories: list[str | None] = [
        None,
        *(
            category
            for category in several
            if any(results.mean(pair.run_id, measure.key, category).mean is not None for pair in section.ranked)
        ),
    ]
    rows = [
        {
            "pair": pair,
            "means": [results.mean(pair.run_id, measure.key, category) for category in categories],
        }
        for pair in section.ranked
    ]
    means = [mean for row in rows for mean in row["means"]]  # type: ignore[attr-defined]
    few = any(mean.mean is not None and are_too_few(mean.n) for mean in means)
    return {"headings": [format_category(category) if category else "All" for category in categories],
            "rows": rows, "ends": scale_ends(measure, means), "few": few}  # fmt: skip


def _group_instances(section: GameSection) -> list[dict[str, Any]]:
    """Return the instances by category, each with the least and the greatest headline of all runs."""
    finals: dict[str, list[float]] = {}
    for pair in section.ranked:
        run = section.get_run(pair)
        values = run.values(section.game.headline)
        for episode in run.episodes:
            if episode.episode_id in values:
                finals.setdefault(episode.instance_id, []).append(values[episode.episode_id])
    return [
        {
            "category": category,
            "instances": [
                _build_thumbnail(section, instance, finals.get(instance.instance_id, ()))
                for instance in section.instances
                if instance.category == category
            ],
        }
        for category in section.results.categories
    ]


def _build_thumbnail(section: GameSection, instance: Instance, values: Sequence[float]) -> dict[str, Any]:
    return {
        "instance": instance,
        "path": section.instance_path(instance),
        "picture": section.thumbnail(instance),
        "low": min(values, default=None),
        "high": max(values, default=None),
    }


def _collect_instance_values(section: GameSection, instance: Instance) -> dict[str, Any]:
    """Return an instance and its episodes, rendered by the game's templates."""
    root = "../" * (section.instance_path(instance).count("/"))
    ids = [other.instance_id for other in section.instances]
    place = ids.index(instance.instance_id)
    return {
        "shown": render_instance(section, instance, root),
        "compared": find_compared_picture(section, instance),
        "marks": dump_marks(draw_compared_scene(section, instance.instance_id)),
        "replayed": find_replayed_measure(section),
        "ways_to_get": describe_ways_to_get([instance]),
        "before": section.instances[place - 1] if place else None,
        "after": section.instances[place + 1] if place + 1 < len(ids) else None,
        "episodes": [
            _collect_episode(section, pair, instance, episode, root) for pair, episode in section.episodes(instance)
        ],
    }


def _collect_episode(
    section: GameSection, pair: Pair, instance: Instance, episode: Episode, root: str
) -> dict[str, Any]:
    headline = section.game.headline
    value = section.get_run(pair).values(headline).get(episode.episode_id)
    return {
        "pair": pair,
        "key": repeat_id(pair.key, episode.repeat),
        "episode": episode,
        "value": value,
        "similarity": compute_similarity(headline, value),
        "html": render_episode(section, pair, instance, episode, root),
    }
