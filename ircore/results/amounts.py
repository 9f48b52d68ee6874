"""What episodes take: steps, tokens, seconds, messages over the budget, money.

A column is defined here once: what it is called, and its amount of an episode. Means with intervals, the boards of
every game, every format of a table, the pages and the releases follow from that.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ircore.core.episode_records import EpisodeCost
from ircore.results.column import Column, Which
from ircore.results.episodes import EpisodeResult

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


def _effort(key: str) -> AmountOf:
    """Return the function that reads a field of what an episode took by the game's own account."""
    return lambda result, _: getattr(result.effort, key)


AMOUNTS: tuple[Amount, ...] = (
    Amount(
        Column("steps", "steps", "Steps per played episode, such as turns with a rendering.", digits=1, estimated=True,
               implied="steps"),
        _effort("steps"),
    ),
    Amount(
        Column("episode_tokens", "tokens", "Tokens of the messages per played episode.", "", "lower", 0, estimated=True,
               implied="tokens"),
        _effort("tokens"),
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
        _effort("over_budget"),
        per=_effort("messages"),
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
