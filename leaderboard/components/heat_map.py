"""Heat maps of many pairs: a cell that leads to a pair, and a small map without words."""

from collections.abc import Sequence

from markupsafe import Markup

from ircore.core.untrusted_text import format_one_line
from ircore.results.statistics.intervals import are_too_few
from leaderboard.components.markup import macro
from leaderboard.components.matrix_cells import MatrixCell
from leaderboard.components.values import describe_empty_cell
from leaderboard.theme import score_class
from leaderboard.words.labels import MISSING, format_interval_width, number, rank

_TENTH = 10
"""Factor from the scale of the main score, 0-100, to that of the colours, 0-10."""


def map_cell(cell: MatrixCell, root: str, anchor: str, of_target: bool) -> Markup:
    """Return the cell of a pair on a heat map, linked to its episodes.

    Args:
        cell: The pair and its numbers.
        root: Relative address of the site's root.
        anchor: Anchor on the pair's page of the episodes behind its numbers.
        of_target: Whether the map is of one target, whose final scores it shows; else it shows main scores.
    """
    main = cell.cell.main
    value = cell.score if of_target else main.mean
    similarity = value if of_target or value is None else value / _TENTH
    who = f"{format_one_line(cell.pair.describer, 60)} + {format_one_line(cell.pair.generator, 60)}"
    if value is None:
        text, description = (MISSING, "not scored") if of_target else describe_empty_cell(cell.cell)
        colour = "none"
    else:
        text = number(value, 1 if of_target else 0)
        # A final score on one target is no mean, so that few pictures cannot make it unsure.
        colour = "few" if not of_target and are_too_few(main.n) else score_class(similarity or 0.0)
        width = "" if of_target else f" {format_interval_width(main, 1)}"
        description = f"{number(value, 1)}{width}" + (
            "" if of_target else f", rank {rank(cell.row.rank_low, cell.row.rank_high)}"
        )
    href = f"{root}{cell.pair.path}.html#{anchor}"
    return macro("map_cell")(colour, cell.pair.key, href, f"{who}: {description}", text)


def small_map(rows: Sequence[Sequence[float | None]]) -> Markup:
    """Return a heat map without words, one unit a cell; cells without a main score stay empty.

    Args:
        rows: Main scores, 0-100, row by row.
    """
    places: dict[str, list[str]] = {}
    for down, row in enumerate(rows):
        for along, value in enumerate(row):
            if value is not None:
                # One path for each colour instead of an element a cell keeps large maps small.
                places.setdefault(score_class(value / _TENTH), []).append(f"M{along} {down}h1v1h-1z")
    paths = [(colour, "".join(marks)) for colour, marks in places.items()]
    return macro("small_map")(max(map(len, rows), default=0), len(rows), paths)
