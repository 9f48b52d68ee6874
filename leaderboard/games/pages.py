"""The pages of a game: board, method, gallery, and one for each instance."""

from collections.abc import Iterator
from typing import Any

from ircore.core.game_records import GameInstance
from ircore.games.base import Measure
from ircore.results.statistics.intervals import Estimate
from leaderboard.games.section import GameSection
from leaderboard.site import Page, Site


def game_pages(site: Site) -> Iterator[Page]:
    """Yield the pages of every game that has results."""
    for section in site.games:
        title, folder = section.game.title, section.folder
        shared = {"section": section, "game": section.game}
        yield Page(f"{folder}/index", f"{title}: board", "game_board", {**shared, **_board(section)}, searchable=True)
        yield Page(f"{folder}/method", f"{title}: method", "game_method", shared)
        yield Page(f"{folder}/gallery", f"{title}: gallery", "game_gallery", {**shared, "thumbs": _thumbs(section)})
        for instance in section.instances:
            name = f"{folder}/{instance.instance_id}"
            values = {**shared, "instance": instance, **_instance(section, instance)}
            yield Page(name, f"{title}: {instance.instance_id}", "game_instance", values)


def _board(section: GameSection) -> dict[str, Any]:
    figures = [measure for measure in section.game.measures if measure.key in section.game.pages.figures]
    return {"table": section.board, "bars": [(measure, _bars(section, measure)) for measure in figures]}


def _bars(section: GameSection, measure: Measure) -> list[dict[str, Any]]:
    """Return a bar with its interval for each run, lengths in percent of the scale."""
    board = section.results.board()
    means = [row.cell.measures[measure.key] for row in board]
    tops = [mean.high or mean.mean or 0.0 for mean in means]
    low, high = measure.range or (0.0, max([*tops, 1e-9]))
    return [
        {
            "name": row.submission.run.slug,
            "mean": mean.mean,
            "bar": _percent(mean.mean, low, high),
            **_ends(mean, low, high),
        }
        for row, mean in zip(board, means, strict=True)
    ]


def _ends(mean: Estimate, low: float, high: float) -> dict[str, float | None]:
    return {"from": _percent(mean.low, low, high), "to": _percent(mean.high, low, high)}


def _percent(value: float | None, low: float, high: float) -> float | None:
    return None if value is None else round(100 * (value - low) / (high - low), 3)


def _thumbs(section: GameSection) -> list[dict[str, Any]]:
    return [
        {"instance": instance, "picture": next(iter(section.instance_pictures(instance).values()), None)}
        for instance in section.instances
    ]


def _instance(section: GameSection, instance: GameInstance) -> dict[str, Any]:
    """Return what an instance's page shows; pictures are named now, since they are encoded once for all pages."""
    root = "../../"
    drawn = [
        {"run": run, "episode": episode, "html": section.drawn(run, instance, episode, root)}
        for run, episode in section.episodes(instance)
    ]
    return {"pictures": section.instance_pictures(instance), "episodes": drawn}
