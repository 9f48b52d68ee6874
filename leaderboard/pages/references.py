"""Ceilings and floors beside pairs: the scores of reference describers with the same generator, drawn as lines."""

from dataclasses import dataclass

from ircore.results.model import Results
from leaderboard.model.site import Pair, Site
from leaderboard.pages.board_views import BoardView, select_view_results


@dataclass(frozen=True)
class _ReferenceLine:
    """A reference describer with one generator under the rules of a pair."""

    describer: str
    """Its name, such as ``scene``."""

    generator: str
    """May be a stranger's words, so escape it."""

    value: float
    """Ten times its mean score, 0–100: of what it played, since photographs have no scene to be told."""


def list_pair_references(site: Site, view: BoardView, pair: Pair) -> tuple[_ReferenceLine, ...]:
    """Return the references of a pair: with the same generator, under the same rules, best first."""
    if not site.game.is_judged:
        return ()
    run, key = pair.result.run, (view.category, view.difficulty, view.judge)
    lines = []
    for reference in site.results.references:
        other, cell = reference.submission.run, reference.cells.get(key)
        same = other.submission.players["generator"] == run.submission.players["generator"] and other.rules == run.rules
        if same and cell is not None and cell.score.mean is not None:
            lines.append(_ReferenceLine(reference.submission.describer, pair.generator, 10 * cell.score.mean))
    return tuple(sorted(lines, key=lambda line: -line.value))


def list_board_references(site: Site, view: BoardView) -> list[_ReferenceLine]:
    """Return every reference line of a board, each once."""
    results: Results = select_view_results(site, view)
    lines = [
        line
        for submission in results.submissions
        for line in list_pair_references(site, view, site.pairs[submission.run_id])
    ]
    # Several describers share a generator, and each of these pairs has the same references.
    return list(dict.fromkeys(lines))
