"""How pairs moved between versions of the benchmark: places, rank ranges, and the conditions that moved a pair.

Boards of former versions were frozen: they hold means of categories and difficulties, not episodes. Their scores are of
other targets, so versions are never compared by score, but by rank and by how far a pair stands above or below the mean
of the pairs that stand on both boards.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from ircore.core.untrusted_text import format_one_line
from ircore.results.statistics.intervals import Estimate
from leaderboard.frozen_boards.archive import FrozenBoard
from leaderboard.frozen_boards.frozen_views import ALL
from leaderboard.model.site import Pair, Site
from leaderboard.words import format_category, format_signed, rank

MOST_CONDITIONS = 2
"""Maximum of conditions named that moved a pair."""

MOST_MOVED = 5
"""Maximum of pairs named in a sentence on a version."""

Name = tuple[str, str]
"""Describer and generator."""

Condition = tuple[str, str]
"""Category and difficulty."""


@dataclass(frozen=True)
class VersionPlace:
    """A pair's place on the overall board of a version.

    >>> VersionPlace(low=2, high=4, main=Estimate(71.5, 65.0, 78.0, 42)).words
    '2–4'
    """

    low: int | None
    """Best rank that the intervals allow; None for a pair without a rank."""

    high: int | None
    """Worst rank that they allow."""

    main: Estimate
    """Main score, 0–100."""

    @property
    def words(self) -> str:
        """The rank, as a range."""
        return "none" if self.low is None else rank(self.low, self.high)


@dataclass(frozen=True)
class Shift:
    """How a pair moved under a condition, against the pairs that stand on both boards.

    >>> Shift("pie_graph", "hard", before=-3.1, now=12.44).words
    'pie graphs, hard (from −3.1 to +12.4)'
    """

    category: str
    difficulty: str

    before: float
    """Main score less the mean of these pairs in the version before, in points of 100."""

    now: float
    """The same in the newest version."""

    @property
    def words(self) -> str:
        """The condition with both distances."""
        title = format_category(self.category).lower()
        return f"{title}, {self.difficulty} (from {format_signed(self.before, 1)} to {format_signed(self.now, 1)})"


@dataclass(frozen=True)
class VersionTrack:
    """A pair over the versions.

    >>> VersionTrack(("a", "b"), (VersionPlace(1, 1, Estimate(90.0, None, None, 4)), None)).words
    'new'
    """

    name: Name
    """Describer and generator."""

    standings: tuple[VersionPlace | None, ...]
    """The newest version first; None where the pair did not stand on the board."""

    pair: Pair | None = None
    """The pair of the newest version; None where it has none."""

    shifts: tuple[Shift, ...] = ()
    """Conditions that moved it most from the version before to the newest, if it moved; the largest shift first."""

    @property
    def moved(self) -> int:
        """1 for a pair that moved up from the version before, -1 for down, 0 where that cannot be said.

        >>> first, third = (VersionPlace(place, place, Estimate(50.0, None, None, 4)) for place in (1, 3))
        >>> VersionTrack(("a", "b"), (first, third)).moved, VersionTrack(("a", "b"), (third, first)).moved
        (1, -1)
        """
        now, before = (*self.standings, None)[:2]
        if now is None or before is None:
            return 0
        if now.low is None or before.low is None or now.high is None or before.high is None:
            return 0
        # Ranges that overlap may be the same rank, so the pair is not said to have moved.
        return int(now.high < before.low) - int(before.high < now.low)

    @property
    def words(self) -> str:
        """How the pair moved from the version before to the newest, in words.

        >>> first, third = (VersionPlace(place, place, Estimate(50.0, None, None, 4)) for place in (1, 3))
        >>> VersionTrack(("a", "b"), (first, third)).words
        'up from 3 to 1'
        """
        now, before = (*self.standings, None)[:2]
        if now is None or before is None:
            return "new" if now else "no longer there"
        if now.low is None or before.low is None:
            return "without a rank in one of them"
        if not self.moved:
            return f"not clearly moved ({before.words} to {now.words})"
        return f"{'up' if self.moved > 0 else 'down'} from {before.words} to {now.words}"

    @property
    def sentence_part(self) -> str:
        """The pair, how it moved, and the conditions that moved it, for a sentence; holds labels of players."""
        most = "; ".join(shift.words for shift in self.shifts)
        return f"{format_one_line(' + '.join(self.name), 120)} {self.words}" + (f", most in {most}" if most else "")


@dataclass(frozen=True)
class _Board:
    """The overall board of a version, and the main scores under its conditions."""

    standings: Mapping[Name, VersionPlace]
    """Best first."""

    means: Mapping[Condition, Mapping[Name, float]]
    """Main scores, 0–100, by condition."""


def build_tracks(site: Site, frozen: Sequence[FrozenBoard]) -> tuple[VersionTrack, ...]:
    """Return every pair of the current board over the versions, in the order of the current board.

    Args:
        site: Shows the newest version.
        frozen: Boards of former versions, newest first.
    """
    runs = _index_pairs(site)
    boards = [_read_live_board(site, runs), *(_read_frozen_board(board, site.judge) for board in frozen)]
    names = dict.fromkeys(name for board in boards for name in board.standings)
    made = (VersionTrack(name, tuple(board.standings.get(name) for board in boards), runs.get(name)) for name in names)
    return tuple(_add_shifts(track, *boards[:2]) if track.moved else track for track in made)


def describe_moves(moved: Sequence[VersionTrack], before: str) -> str:
    """Return who moved from the version before to the newest, in words; they hold labels of players.

    Args:
        moved: Every pair over the versions.
        before: Name of the version before.
    """
    movers = [track for track in moved if track.moved]
    parts = [track.sentence_part for track in movers[:MOST_MOVED]]
    if len(movers) > MOST_MOVED:
        parts.append(f"{len(movers) - MOST_MOVED} more moved")
    counted = Counter(track.words.split(" (")[0] for track in moved if not track.moved and any(track.standings[:2]))
    parts += [f"{count} {words}" for words, count in counted.items()]
    if any(track.shifts for track in movers[:MOST_MOVED]):
        parts.append("In brackets: points of 100 above or below the mean of the pairs on both boards")
    return f"Against {before}: {'. '.join(parts)}." if parts else ""


def _add_shifts(track: VersionTrack, now: _Board, before: _Board) -> VersionTrack:
    """Return a track with the conditions that moved its pair most in the direction in which it moved."""
    shifts: list[Shift] = []
    for (category, difficulty), means in now.means.items():
        earlier = before.means.get((category, difficulty), {})
        both = means.keys() & earlier.keys()
        if track.name in both:
            distances = (board[track.name] - fmean(board[name] for name in both) for board in (earlier, means))
            shifts.append(Shift(category, difficulty, *distances))
    # Conditions in which the pair moved the other way cannot have moved it this way.
    pushed = [shift for shift in shifts if (shift.now - shift.before) * track.moved > 0]
    pushed.sort(key=lambda shift: (-abs(shift.now - shift.before), shift.category, shift.difficulty))
    return VersionTrack(track.name, track.standings, track.pair, tuple(pushed[:MOST_CONDITIONS]))


def _index_pairs(site: Site) -> dict[Name, Pair]:
    """Return the pairs of the current board by name, best first."""
    runs: dict[Name, Pair] = {}
    for row in site.under().board(site.judge):
        pair = site.pairs[row.submission.run_id]
        # Several runs may have the same players: the first row is the best and stands for the players.
        runs.setdefault((pair.describer, pair.generator), pair)
    return runs


def _read_live_board(site: Site, runs: Mapping[Name, Pair]) -> _Board:
    results = site.under()
    rows = {row.submission.run_id: row for row in results.board(site.judge)}
    shown = {name: rows[pair.run_id] for name, pair in runs.items()}
    standings = {name: VersionPlace(row.rank_low, row.rank_high, row.cell.main) for name, row in shown.items()}
    means: dict[Condition, dict[Name, float]] = {}
    for category in results.categories:
        for difficulty in results.difficulties:
            for name, pair in runs.items():
                cell = results.cells.get((pair.run_id, category, difficulty, site.judge))
                if cell is not None and cell.main.mean is not None:
                    means.setdefault((category, difficulty), {})[name] = cell.main.mean
    return _Board(standings, means)


def _read_frozen_board(board: FrozenBoard, judge: str) -> _Board:
    """Return the board of a judge among pairs under the most common rules; rows that lack a field are passed over."""
    rows = [row for row in board.rows if row.get("judge") == judge]
    overall = [row for row in rows if (row.get("category"), row.get("difficulty")) == (ALL, ALL)]
    common = Counter(str(row.get("rules")) for row in overall).most_common(1)
    standings: dict[Name, VersionPlace] = {}
    means: dict[Condition, dict[Name, float]] = {}
    for row in (row for row in rows if str(row.get("rules")) == common[0][0]) if common else ():
        fields = [row.get(field) for field in ("describer", "generator", "category", "difficulty")]
        describer, generator, category, difficulty = (field if isinstance(field, str) else "" for field in fields)
        # Frozen boards are data from outside, whose fields may be missing or of another type.
        if not (describer and generator and category and difficulty):
            continue
        name, condition = (describer, generator), (category, difficulty)
        main = _get_main_score(row)
        # Of several runs of the same players the first is the best, as on the live board.
        if condition == (ALL, ALL):
            standings.setdefault(
                name, VersionPlace(_get_whole_number(row, "rank_low"), _get_whole_number(row, "rank_high"), main)
            )
        elif ALL not in condition and main.mean is not None:
            means.setdefault(condition, {}).setdefault(name, main.mean)
    return _Board(standings, means)


def _get_whole_number(row: Mapping[str, Any], name: str) -> int | None:
    value = row.get(name)
    return value if isinstance(value, int) else None


def _get_main_score(row: Mapping[str, Any]) -> Estimate:
    """Return the main score of a frozen row with its interval, as far as the file has them."""
    values = (row.get(f"main_score_{part}") for part in ("mean", "low", "high"))
    mean, low, high = (float(value) if isinstance(value, int | float) else None for value in values)
    return Estimate(mean, low, high, _get_whole_number(row, "main_score_n") or 0)
