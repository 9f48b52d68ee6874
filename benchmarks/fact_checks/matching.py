"""Which drawn thing stands for which stated fact."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from fact_checks.canvas_view import Checks, Drawn, Fact, items, whole
from fact_checks.charts import CHARTS
from fact_checks.forms import FORMS, shape
from ircore.players.builtin.canvas.shapes import Canvas


def checked(facts: Sequence[Fact], canvas: Canvas) -> list[tuple[Fact, Checks]]:
    """Return every fact with what of it is in the picture; each drawn thing stands for one fact of its kind only."""
    drawn, result = Drawn(canvas), []
    for kind in dict.fromkeys(str(fact["is"]) for fact in facts):
        alike = [fact for fact in facts if fact["is"] == kind]
        check, things = (FORMS | CHARTS).get(kind, (shape, items))
        if things is whole:
            result += [(fact, check(fact, drawn.canvas, drawn)) for fact in alike]
            continue
        candidates = list(things(drawn))
        table = [[check(fact, thing, drawn) for thing in candidates] for fact in alike]
        for fact, row, column in _assigned(alike, table):
            nothing = dict.fromkeys(check(fact, None, drawn), False)
            result.append((fact, table[row][column] if column is not None else nothing))
    return result


def _assigned(facts: list[Fact], table: list[list[Checks]]) -> list[tuple[Fact, int, int | None]]:
    """Give each fact the thing that has most of it, no thing twice; a thing of another kind has nothing."""
    scores = np.array([[sum(checks.values()) if _is_there(checks) else -1 for checks in row] for row in table])
    best: dict[int, int] = {}
    if scores.size:
        rows, columns = linear_sum_assignment(-scores)
        best = {int(row): int(col) for row, col in zip(rows, columns, strict=True) if scores[row, col] > 0}
    return [(fact, row, best.get(row)) for row, fact in enumerate(facts)]


def _is_there(checks: Checks) -> bool:
    return next(iter(checks.values()), False)
