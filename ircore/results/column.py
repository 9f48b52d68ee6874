"""Columns of tables, and the columns of what episodes take: steps, tokens, seconds, messages over the budget, money.

A column is defined once: what it is called, its unit, its direction, what it means, who gets it and, of what episodes
take, its amount of an episode. Means with intervals, the boards of every game, every format of a table, the pages and
the releases follow from that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ircore.core.episode_records import EpisodeCost
from ircore.results.episodes import EpisodeResult

Better = Literal["higher", "lower", "neither"]
"""Direction of a column that is better."""

Which = Literal["ended", "played", "rated", "refined"]
"""Episodes that have ended; of these not aborted; of these rated at the end; of these rated at both ends of several
turns."""

Audience = Literal["everyone", "readers", "pages", "programs"]
"""``readers``: people only, since programs have the same in other columns; ``pages``: everyone but a terminal, where
space is short; ``programs``: CSV, JSON and flat records only."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    >>> Column("delta", "ΔQ", "Final minus first score.", "0–10", "higher", signed=True).heading
    'ΔQ (0–10)'
    """

    key: str
    """Identifier in files, such as ``delta``."""

    title: str
    """Heading for people, without the unit."""

    description: str
    """Description of the column, in one sentence."""

    unit: str = ""
    """Unit or scale, such as ``0–10`` or ``US$``; empty for texts, and where the title says it."""

    better: Better = "neither"
    """Direction that is better."""

    digits: int | None = 2
    """Decimals shown to people; None for texts. Files for programs have full precision."""

    signed: bool = False
    """Whether positive numbers are shown with their sign, as differences are."""

    estimated: bool = False
    """Whether entries have an interval and n, so that flat files have four columns for this one."""

    nullable: bool = False
    """Whether entries that are no estimates may be missing."""

    audience: Audience = "everyone"
    """Who gets this column."""

    implied: str = ""
    """Unit that stands in files alone, since readers know it from the title, such as ``turns``."""

    @property
    def heading(self) -> str:
        """Title and unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


AmountOf = Callable[[EpisodeResult, EpisodeCost], float | None]
"""Function of an episode and of what it cost."""


@dataclass(frozen=True)
class Amount:
    """A column of boards with the mean of an amount over the episodes of a run.

    >>> words = Amount(Column("words", "words", "Words per played episode.", estimated=True),
    ...                lambda result, _: len((result.episode.detail or "").split()))
    >>> words.which, words.group
    ('played', 'effort')
    """

    column: Column
    """Heading, unit and meaning."""

    of: AmountOf
    """Returns the amount of an episode; None where nobody knows it."""

    per: AmountOf | None = None
    """What the sum over the episodes is divided by, for shares, 0–1; the number of episodes if None."""

    which: Which = "played"
    """Episodes that count: the played ones, or all that have ended."""

    missing: str = "no played episode"
    """Reason why a run has no mean."""

    whole: bool = False
    """Whether a run has no mean if the amount of one of its episodes is unknown."""

    group: str = "effort"
    """Group of columns that readers of a page show and hide together."""


def _make_effort_reader(key: str) -> AmountOf:
    """Return the function that reads a field of what an episode took by the game's own account."""
    return lambda result, _: getattr(result.effort, key)


AMOUNTS: tuple[Amount, ...] = (
    Amount(
        Column("steps", "steps", "Steps per played episode, such as turns with a rendering.", digits=1, estimated=True,
               implied="steps"),
        _make_effort_reader("steps"),
    ),
    Amount(
        Column("episode_tokens", "tokens", "Tokens of the messages per played episode.", "", "lower", 0, estimated=True,
               implied="tokens"),
        _make_effort_reader("tokens"),
        group="details",
    ),
    Amount(
        Column("seconds", "seconds", "Seconds that the players took to answer, per played episode.", "", "lower", 1,
               estimated=True, audience="pages", implied="seconds"),
        # By the game's own account where its steps have one; otherwise all answers count, failed ones too.
        lambda result, cost: cost.seconds if result.effort.seconds is None else result.effort.seconds,
        group="details",
    ),
    Amount(
        Column("over_budget", "over budget", "Share of messages over the token budget.", "0–1", "lower", estimated=True,
               audience="pages"),
        _make_effort_reader("over_budget"),
        per=_make_effort_reader("messages"),
        missing="no message",
        group="details",
    ),
    Amount(
        Column("cost", "cost", "US dollars per episode that has ended.", "US$", "lower", 4, estimated=True,
               audience="pages"),
        lambda _, cost: cost.usd,
        which="ended",
        missing="not known",
        # A mean over the known costs alone would pass for the cost of the pair.
        whole=True,
    ),
)  # fmt: skip
"""The amounts, in the order of their columns."""
