"""Runs of a game with the names, marks and ranks used on the game's pages."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ircore.core.game_records import rules_words
from ircore.core.submission_records import Run
from ircore.core.untrusted_text import one_line
from ircore.games.base import Measure
from ircore.players.traits import is_program
from ircore.results.model import BoardRow, Cell, Results
from ircore.results.played_run import PlayedRun
from ircore.results.statistics.intervals import Estimate
from ircore.results.subsets import board_rows, rivals, rules_apart
from ircore.results.tables.pairs import MOST_NAMES
from ircore.results.tables.ranks import why_no_rank
from leaderboard.theme.hues import hues_of
from leaderboard.words.labels import page_keys, rank


@dataclass(frozen=True)
class Entry:
    """A run of a game: a row of its board.

    Example:
        >>> entry = Entry(None, None, None, "1", "", "a", ("gpt-5.2", "looker"), "Looking", hue=0, shape=None, apart="")
        >>> entry.names
        ('gpt-5.2', 'looker')
    """

    results: Results = field(hash=False, repr=False)
    """Of all runs."""

    measured: PlayedRun = field(hash=False)
    """The run with its episodes and values."""

    row: BoardRow = field(hash=False)
    """Its row of the board of all instances."""

    rank: str | None
    """Ranks that paired comparisons of main scores allow, such as ``1–2``; None for a run without a rank."""

    no_rank: str
    """Reason why there is no rank; empty if there is one."""

    key: str
    """Name in addresses: the slug, or the run's id where two runs share a slug."""

    players: tuple[str, ...]
    """Label of the player in each seat that somebody took, in the game's order; may be a stranger's words."""

    submission: str
    """Name of the submission; may be a stranger's words."""

    hue: int
    """Number of the colour of the first seat's player, 0-based."""

    shape: int | None
    """Number of the shape of the second seat's player, 0-based; None for a game of one seat."""

    apart: str
    """Rules that are not the usual ones, and slug where several runs have the same names; else empty."""

    programs: tuple[bool, ...] = ()
    """For each of these players, whether it is a program of this project and no AI model."""

    rivals: int = 1
    """Runs that it is ranked among, itself included: those by the same rules."""

    @property
    def cell(self) -> Cell:
        """Numbers over all instances."""
        return self.row.cell

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.measured.run.run_id

    def mean(self, measure: Measure) -> Estimate:
        """Return the mean of a measure over all instances."""
        return self.results.mean(self.run_id, measure.key)

    @property
    def names(self) -> tuple[str, ...]:
        """Names by which pages know the run: the players, of more than two seats the submission's name."""
        return self.players if len(self.players) <= MOST_NAMES else (self.submission,)

    @property
    def marks(self) -> tuple[bool, ...]:
        """For each of these names, whether it stands for programs of this project alone."""
        return self.programs if len(self.players) <= MOST_NAMES else (all(self.programs),)

    @property
    def name(self) -> str:
        """These names on one line."""
        names = " + ".join(self.names)
        return f"{names} ({self.apart})" if self.apart else names


def entries_of(results: Results) -> tuple[Entry, ...]:
    """Return the runs of a game as entries, the best first."""
    board = board_rows(results)
    runs = {run.run.run_id: run for run in results.every_run}
    players = [_players(results, row.submission.run) for row in board]
    keys = page_keys([(measured.run.slug, measured.run.run_id) for measured in results.every_run])
    submissions = [row.submission.run.submission.name for row in board]
    names = [
        labels if len(labels) <= MOST_NAMES else (submission,)
        for labels, submission in zip(players, submissions, strict=True)
    ]
    # Runs that have one name are told apart by the slug behind it.
    rules = [rules_apart(results, row.submission.run) for row in board]
    # Rules may be a stranger's texts.
    others = [one_line(rules_words(apart), 80) for apart in rules]
    alike = Counter(zip(names, others, strict=True))
    seconds = _ordered(players, 1)
    hues = hues_of(_ordered(players, 0), list(dict.fromkeys(labels[0] for labels in players)))
    return tuple(
        Entry(
            results=results,
            measured=runs[run.run_id],
            row=row,
            rank=rank(row.rank_low, row.rank_high) if row.rank_low else None,
            no_rank="" if row.rank_low else why_no_rank(row),
            key=keys[run.run_id],
            players=labels,
            submission=submission,
            hue=hues.number(labels[0]),
            shape=seconds.index(labels[1]) if len(labels) > 1 else None,
            programs=tuple(
                (spec := run.submission.players.get(seat.name)) is not None and is_program(spec)
                for seat in results.seats
            ),
            apart=", ".join(filter(None, (run.slug if alike[named, other] > 1 else "", other))),
            rivals=rivals(results, run),
        )
        for row, labels, submission, named, other in zip(board, players, submissions, names, others, strict=True)
        for run in [row.submission.run]
    )


def _players(results: Results, run: Run) -> tuple[str, ...]:
    return tuple(run.submission.label_of(seat.name) for seat in results.seats)


def _ordered(players: Sequence[tuple[str, ...]], seat: int) -> list[str]:
    return sorted({labels[seat] for labels in players if len(labels) > seat})
