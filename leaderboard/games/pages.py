"""The pages of a game: board, players, matrix, gallery, figures, method, and a page per run and instance."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ircore.core.episode_records import Episode
from ircore.core.game_records import rule_word
from ircore.core.records import Instance
from ircore.core.untrusted_text import one_line
from ircore.games.base import Game, Measure
from ircore.instances.withheld_pictures import ways_to_get
from leaderboard.components.amounts import amount_columns
from leaderboard.components.model_facts import player_words
from leaderboard.games.board import (
    board_lines,
    board_measures,
    drawn,
    heat_columns,
    matrix,
    measure,
    players,
    scale_ends,
    similarity,
    value_digits,
)
from leaderboard.games.entries import Entry
from leaderboard.games.episodes import episode_html, instance_html, register_pictures
from leaderboard.games.figures import curve_charts
from leaderboard.games.section import GameSection
from leaderboard.model.site import Page
from leaderboard.words.findings import lead_words, measured_words, place_words
from leaderboard.words.labels import category_title, number

_TABS = (
    ("index", "Board"),
    ("players", "Players"),
    ("matrix", "Matrix"),
    ("gallery", "Gallery"),
    ("figures", "Figures"),
    ("method", "Method"),
)
"""Pages of every section, with the words of their links."""


def game_pages(sections: Sequence[GameSection]) -> Iterator[Page]:
    """Yield the pages of every game that has results; their pictures are registered at once."""
    for section in sections:
        register_pictures(section)
        yield from _section_pages(section)
        for entry in section.entries:
            values = {"entry": entry, **_run_values(section, entry)}
            page = _page(section, f"runs/{entry.key}", one_line(entry.name), "run", "index", values)
            yield replace(page, finding=_place)
        for instance in section.instances:
            path = section.instance_path(instance).removeprefix(f"{section.folder}/")
            # Every episode is rendered by the game's template: too much to do here, before the work is divided.
            later = partial(_instance_values, section, instance)
            title = section.titles[instance.instance_id]
            yield _page(section, path, title, "instance", "gallery", {"instance": instance}, later)


def _section_pages(section: GameSection) -> Iterator[Page]:
    """Yield the pages that the row of a section's links names."""
    curves = curve_charts(section)
    figures = {"figures": _figures(section), "curves": curves, "own_charts": curves}
    yield replace(_page(section, "index", "board", "board", "index", _board_values(section)), finding=_lead)
    seats = {"seats": players(section)}
    yield replace(_page(section, "players", "players", "players", "players", seats), finding=_best_players)
    # A game of one seat has no pairs to cross.
    if section.crossed is not None:
        yield _page(section, "matrix", "matrix", "matrix", "matrix", {"matrix": matrix(section)})
    yield _page(section, "gallery", "gallery", "gallery", "gallery", {"groups": _groups(section)})
    yield _page(section, "figures", "figures", "figures", "figures", figures)
    method = [paragraph.strip() for paragraph in section.game.pages.method.split("\n\n") if paragraph.strip()]
    yield _page(section, "method", "method", "method", "method", {"paragraphs": method})


def _page(
    section: GameSection,
    name: str,
    words: str,
    template: str,
    tab: str,
    values: dict[str, Any],
    later: Any = None,
) -> Page:
    """Return a page of a game's section, with the values that all pages of the section share.

    Args:
        section: The game.
        name: Path below the section's folder, without suffix.
        words: What follows the game's title in the title of the page.
        template: Name of the template after ``game_``.
        tab: Page that the row of links marks as current.
        values: Values of this page.
        later: As ``Page.later``.
    """
    shared = {
        "section": section,
        "game": section.game,
        "taken_seats": section.seats,
        "tab": tab,
        "tabs": [entry for entry in _TABS if entry[0] != "matrix" or section.crossed is not None],
        "drawn": drawn,
        "digits": value_digits(section.game.headline),
        "measure_titles": {shown.key: shown.title for shown in section.game.measures},
        "ends": scale_ends(section.game.headline, ()),
    }
    title = f"{section.game.title}: {words}"
    return Page(f"{section.folder}/{name}", title, f"game_{template}", {**shared, **values}, name == "index", later)


def _lead(values: Mapping[str, Any]) -> str:
    """Return which run leads the board of a game."""
    section: GameSection = values["section"]
    return lead_words([entry.row for entry in section.entries], one_line(section.entries[0].name, 80), "run")


def _place(values: Mapping[str, Any]) -> str:
    """Return the rank and the main score of a run."""
    entry: Entry = values["entry"]
    return place_words(entry.row, entry.rivals)


def _best_players(values: Mapping[str, Any]) -> str:
    """Return the best player of each seat by the headline measure."""
    game: Game[Any] = values["game"]
    best = [(group["seat"], group["players"][0]) for group in values["seats"] if group["players"]]
    sentences = [
        f"best {seat.title.lower()}: {one_line(player.label, 60)}, {game.headline.title} "
        f"{measured_words(player.mean, values['digits'])}"
        for seat, player in best
        if player.mean.mean is not None
    ]
    return "; ".join(sentences)


_PLOTTED = 12
"""Columns of measures and categories beside which the intervals of main scores are drawn; more leave no room."""


def _board_values(section: GameSection) -> dict[str, Any]:
    lines, measures, heats = board_lines(section), board_measures(section), heat_columns(section)
    return {
        "lines": lines,
        "measures": [(shown, value_digits(shown)) for shown in measures],
        "amounts": amount_columns(section.game, (line.entry.cell for line in lines)),
        "heat_columns": heats,
        "plotted": len(measures) + len(heats) <= _PLOTTED,
        "levels": list(dict.fromkeys(difficulty for _, difficulty in section.conditions)),
    }


def _figures(section: GameSection) -> list[dict[str, Any]]:
    """Return a chart per drawn measure: a dot with its interval for each run, overall and by category."""
    figures = [measure(section, key) for key in section.game.pages.figures or (section.game.headline.key,)]
    return [{"measure": shown, "digits": value_digits(shown), **_dots(section, shown)} for shown in figures]


def _dots(section: GameSection, measure: Measure) -> dict[str, Any]:
    categories: list[str | None] = [None, *(section.categories if len(section.categories) > 1 else ())]
    rows = [
        {
            "entry": entry,
            "means": [section.results.mean(entry.run_id, measure.key, category) for category in categories],
        }
        for entry in section.entries
    ]
    ends = scale_ends(measure, [mean for row in rows for mean in row["means"]])  # type: ignore[attr-defined]
    return {"headings": [category_title(category) if category else "All" for category in categories],
            "rows": rows, "ends": ends}  # fmt: skip


def _groups(section: GameSection) -> list[dict[str, Any]]:
    """Return the instances by category and difficulty, each with the least and the greatest headline of all runs."""
    finals = [entry.measured.values(section.game.headline) for entry in section.entries]
    return [
        {
            "category": category,
            "difficulty": difficulty,
            "instances": [
                _thumbnail(section, instance, [run[name] for run in finals if (name := instance.instance_id) in run])
                for instance in section.instances
                if (instance.category, instance.difficulty) == (category, difficulty)
            ],
        }
        for category, difficulty in section.conditions
    ]


def _thumbnail(section: GameSection, instance: Instance, values: Sequence[float]) -> dict[str, Any]:
    return {
        "instance": instance,
        "path": section.instance_path(instance),
        "picture": section.thumbnail(instance),
        "low": min(values, default=None),
        "high": max(values, default=None),
    }


def _run_values(section: GameSection, entry: Entry) -> dict[str, Any]:
    # The command is there to be copied into a shell.
    run, folder = entry.measured.run, shlex.quote(f"submissions/{entry.measured.run.slug}")
    taken = run.submission.players
    return {
        "measures": [
            {"measure": shown, "mean": (mean := entry.mean(shown)), "digits": value_digits(shown),
             "ends": scale_ends(shown, [mean])}
            for shown in section.game.measures
        ],
        "conditions": [
            {"title": f"{category_title(category)}, {difficulty}",
             "mean": section.results.mean(entry.run_id, section.game.headline.key, category, difficulty),
             "links": _links(section, entry, category, difficulty)}
            for category, difficulty in section.conditions
        ],
        "settings": [
            ("Name", run.submission.name),
            *(
                (seat.title, player_words(spec) if (spec := taken.get(seat.name)) else label)
                for seat, label in zip(section.seats, entry.players, strict=True)
            ),
            *((f"Rule {name}", rule_word(value)) for name, value in run.rules.items()),
            ("Authors", ", ".join(run.submission.authors) or "– (none named)"),
            ("Licence", run.submission.licence),
            ("Seed" if run.repeats == 1 else "Seeds", ", ".join(map(str, run.seeds))),
            ("Instance set", run.instance_set),
            ("Run", run.run_id),
            ("Played", f"{run.started}, ircore {run.version}"),
        ],
        "commands": [f"ircore play {folder} --instances INSTANCES --out {run.slug}", f"ircore score {run.slug}"],
    }  # fmt: skip


def _links(section: GameSection, entry: Entry, category: str, difficulty: str) -> list[dict[str, Any]]:
    """Return the episodes of a condition, each with its value of the headline."""
    values = entry.measured.values(section.game.headline)
    instances = {instance.instance_id: instance for instance in section.instances}
    digits = value_digits(section.game.headline)
    return [
        {
            "path": section.instance_path(instances[episode.instance_id]),
            "value": similarity(section.game.headline, value := values.get(episode.episode_id)),
            "title": f"{section.titles[episode.instance_id]}: {episode.outcome}"
            + ("" if value is None else f", {number(value)}"),
            "text": "" if value is None else number(value, digits),
        }
        for episode in entry.measured.episodes
        if (episode.category, episode.difficulty) == (category, difficulty)
    ]


def _instance_values(section: GameSection, instance: Instance) -> dict[str, Any]:
    """Return an instance and its episodes, rendered by the game's templates."""
    root = "../" * (section.instance_path(instance).count("/"))
    ids = [other.instance_id for other in section.instances]
    place = ids.index(instance.instance_id)
    return {
        "shown": instance_html(section, instance, root),
        "ways_to_get": ways_to_get([instance]),
        "before": section.instances[place - 1] if place else None,
        "after": section.instances[place + 1] if place + 1 < len(ids) else None,
        "episodes": [
            _episode(section, entry, instance, episode, root) for entry, episode in section.episodes(instance)
        ],
    }


def _episode(section: GameSection, entry: Entry, instance: Instance, episode: Episode, root: str) -> dict[str, Any]:
    headline = section.game.headline
    value = entry.measured.values(headline).get(episode.episode_id)
    return {
        "entry": entry,
        "episode": episode,
        "value": value,
        "similarity": similarity(headline, value),
        "html": episode_html(section, entry, instance, episode, root),
    }
