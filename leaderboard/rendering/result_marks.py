"""Results of a pair as every page shows them: main score first, then quality, episodes played and episodes rated.

See ``marks``. A board's own cells, with attributes for sorting and export, are in ``board_marks``.
"""

from markupsafe import Markup, escape

from ircore.results.model import BoardRow, Cell
from ircore.results.tables.board import why_no_rank
from leaderboard.labels import NOT_RATED, rank, unrated_words
from leaderboard.rendering.marks import dot, missing, safe, score

MAIN = (0.0, 100.0)
"""Ends of the main score's scale."""

NO_MAIN = "none of what was played is rated"
"""Reason given where a pair has no main score."""


def main_score(cell: Cell) -> Markup:
    """Return the main score, 0–100, with its interval."""
    return score(cell.main, NO_MAIN, 1, ends=has_gaps(cell))


def quality(cell: Cell) -> Markup:
    """Return the score of what was played and rated, 0–10, with its interval."""
    return score(cell.score, ends=has_gaps(cell))


def has_gaps(cell: Cell) -> bool:
    """Return whether episodes are unfinished or unrated: then intervals reach much farther to one side."""
    return bool(cell.unfinished) or cell.rated < cell.applicable


def main_dot(cell: Cell, hue: int | None = None, labelled: bool = True) -> Markup:
    """Return the main score on its scale; see ``marks.dot``."""
    return dot(cell.main, hue, *MAIN, labelled=labelled)


def played(cell: Cell) -> Markup:
    """Return how many episodes were played, of all."""
    return safe(f'<span class="value">{cell.played}/{cell.episodes}</span>')


def rated(cell: Cell) -> Markup:
    """Return how many played renderings are rated, of those that the judge rates, and what became of the others."""
    if not cell.played:
        return missing("nothing was played")
    counts = f"{cell.rated}/{cell.applicable}" if cell.applicable else "n/a"
    title = f"{cell.rated} rated of {cell.applicable} that the judge rates, of {cell.played} played"
    return safe(f'<span class="value" title="{title}">{counts}</span>{unrated(cell)}')


def unrated(cell: Cell) -> Markup:
    """Return what became of the played renderings that are not rated; nothing if all are."""
    return safe("".join(f' <span class="half {kind}">{words}</span>' for kind, words in unrated_words(cell)))


def rank_of(row: BoardRow) -> Markup:
    """Return the ranks that a pair may have, or that it has none."""
    if row.rank_low is None:
        return missing(f"no rank: {why_no_rank(row)}")
    return safe(rank(row.rank_low, row.rank_high))


def no_rank(row: BoardRow) -> Markup:
    """Return in words why a pair has no rank; nothing if it has one."""
    if row.rank_low is not None:
        return safe("")
    return safe(f'<span class="no-rank"><strong>No rank:</strong> {escape(why_no_rank(row))}</span>')


def empty_heat(cell: Cell) -> tuple[str, str]:
    """Return what stands in a small cell without a score, and why: what is missing differs from what does not apply."""
    if not cell.played:
        text, why = NOT_RATED["unfinished" if cell.unfinished == cell.episodes else "unplayed"]
        return text, f"{why}, {cell.episodes} {'episode' if cell.episodes == 1 else 'episodes'}"
    kinds = [kind for kind, _ in unrated_words(cell)]
    text, why = NOT_RATED["pending" if "pending" in kinds else kinds[0]]
    return text, f"{why}, {cell.played} played"
