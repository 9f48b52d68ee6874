"""Pages of frozen boards: within the site's shell, and stand-alone in the frozen folder."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ircore.core.untrusted_text import format_one_line
from ircore.instances.benchmark import BenchmarkVersion
from leaderboard.components.markup import Chip
from leaderboard.words import format_category

Row = Mapping[str, Any]
"""A row of ``leaderboard.json``."""

_FIELDS = ("judge", "category", "difficulty", "rules")
"""Fields that tell boards apart: pairs were ranked among pairs under the same rules."""

ALL = "all"
"""Entry of a row for all categories, and for both difficulties."""


@dataclass(frozen=True)
class _FrozenView:
    """Board of a former version."""

    name: str
    """Path of the board's page, without suffix: ``index``, or ``board-`` and a number."""

    judge: str
    """Judge of the board."""

    category: str
    """Category, or ``all``."""

    difficulty: str
    """Difficulty, or ``all``."""

    rules: str
    """Rules of its pairs, in words."""

    rows: tuple[Row, ...]
    """Best first, as they were."""

    @property
    def heading(self) -> str:
        """Title of the board."""
        categories = "All categories" if self.category == ALL else format_category(self.category)
        return categories if self.difficulty == ALL else f"{categories}, {self.difficulty}"


def list_frozen_views(rows: Sequence[Row]) -> tuple[_FrozenView, ...]:
    """Return every board among the rows of ``leaderboard.json``, the first overall board of the first judge first.

    Args:
        rows: Rows of the file, best first on each board; rows without a judge, a condition or rules are skipped.
    """
    rows_by_view: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows:
        judge, category, difficulty, rules = (str(row.get(name)) for name in _FIELDS)
        # The file is data from outside: a row of another shape is skipped, not trusted.
        if all(isinstance(row.get(name), str) for name in _FIELDS):
            rows_by_view.setdefault((judge, category, difficulty, rules), []).append(row)
    # Stable: apart from the overall boards, which come first, the order of the file stays.
    keys = sorted(rows_by_view, key=lambda key: (key[1] != ALL or key[2] != ALL, key[0]))
    return tuple(
        _FrozenView("index" if not number else f"board-{number}", *key, tuple(rows_by_view[key]))
        for number, key in enumerate(keys)
    )


def list_choices(views: Sequence[_FrozenView], shown: _FrozenView) -> Iterator[tuple[str, list[Chip]]]:
    """Yield links to the boards that differ from the shown board in a single choice, grouped by that choice."""
    for field in _FIELDS:
        others = [name for name in _FIELDS if name != field]
        alike = [view for view in views if all(getattr(view, name) == getattr(shown, name) for name in others)]
        links = [Chip(_format_choice(field, getattr(view, field)), view.name, view is shown) for view in alike]
        if len(links) > 1:
            yield field.capitalize(), links


def build_values(record: BenchmarkVersion, views: Sequence[_FrozenView], view: _FrozenView) -> dict[str, Any]:
    """Return the values of the template ``frozen`` for a board."""
    return {"record": record, "view": view, "choices": list(list_choices(views, view))}


def _format_choice(field: str, value: str) -> str:
    if field == "category":
        return "All" if value == ALL else format_category(value)
    if field == "difficulty":
        return "Both" if value == ALL else value.capitalize()
    return format_one_line(value, 100)
