"""An answer to a ready question: a sentence with its interval, the table behind it, and episodes to look at."""

from dataclasses import dataclass

from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.intervals import number


@dataclass(frozen=True)
class Line:
    """A row of the table behind an answer."""

    label: str
    """A player, a category, a target or a pair of judges; of players a stranger's words."""

    value: Estimate


@dataclass(frozen=True)
class Answer:
    """The answer to a question.

    Example:
        >>> line = Line("easy", Estimate(7.0, 6.0, 8.0, 21))
        >>> Answer("hard", "Is hard harder?", "Yes.", "Difficulty", "0–10", (line,), episodes=()).lines[0].value.n
        21
    """

    key: str
    """Name in addresses."""

    question: str
    sentence: str
    """One sentence with its interval; holds labels of players, so escape it."""

    about: str
    """Title of the table's first column."""

    unit: str
    """Unit of the table's values."""

    lines: tuple[Line, ...]
    """The table behind the sentence."""

    episodes: tuple[tuple[str, str], ...]
    """Run and instance of the episodes to look at."""

    order: str = ""
    """Which episodes these are, in words."""


def interval(value: Estimate, digits: int = 1, unit: str = "") -> str:
    """Return an estimate in words: its mean with its interval and n.

    >>> interval(Estimate(9.125, 8.0, 9.9, 12))
    '9.1 (95 % interval 8.0 to 9.9, n = 12)'
    """
    if value.mean is None:
        return "unknown"
    ends = (
        ""
        if value.low is None or value.high is None
        else f"95 % interval {number(value.low, digits)} to {number(value.high, digits)}, "
    )
    return f"{number(value.mean, digits)}{unit} ({ends}n = {value.n:,})"
