"""History of ranks: where each pair entered the board, and how pairs moved between versions of the benchmark.

A merge adds a run, and the scores of a run never change; so the board after each merge follows from the runs that had
begun by then.

Boards of former versions were frozen: they hold means of categories and difficulties, not episodes. Their scores are of
other targets, so versions are never compared by score, but by rank and by how far a pair stands above or below the mean
of the pairs that stand on both boards. What is said of a move names the conditions that moved the pair most.
"""

from bisect import insort
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import fmean
from typing import Any, NamedTuple

from ircore.core.plain_words import format_count
from ircore.core.untrusted_text import format_one_line
from ircore.results.episodes import average_final_scores
from ircore.results.next_episodes import pair_differences
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.model import Column, Table, Value
from leaderboard.charts.catalogue import Chart, make_page_chart
from leaderboard.charts.places import sketch_entries, sketch_versions
from leaderboard.frozen_boards import ALL, FrozenBoard
from leaderboard.model.site import Gallery, Page, Pair, Site
from leaderboard.words import describe_interval, format_category, format_signed, number, rank

TELLING = 2
"""Episodes named that moved a pair past the pair behind it."""

SHOWN = 20
"""Rows of a table that are open; further rows are folded."""

_MAIN = Column("main_score", "main", "Mean of 10 × score, what the pair did not play counting 0.", "0–100", "higher", 1,
               estimated=True)  # fmt: skip

MOST_CONDITIONS = 2
"""Maximum of conditions named that moved a pair."""

MOST_MOVED = 5
"""Maximum of pairs named in a sentence on a version."""

Name = tuple[str, str]
"""Describer and generator."""

Condition = tuple[str, str]
"""Category and difficulty."""


class NextPair(NamedTuple):
    """The pair next to another on the board.

    >>> NextPair(None, Estimate(71.2, 65.0, 78.0, 42)).main.mean
    71.2
    """

    pair: Pair
    main: Estimate
    """Its main score, 0–100."""

    @property
    def words(self) -> str:
        """The pair with its main score; holds labels of players."""
        name = format_one_line(self.pair.players, 120)
        return f"{name} ({number(self.main.mean, 1)}, {describe_interval(self.main, 1)})"


@dataclass(frozen=True)
class Entered:
    """Where a pair entered the board.

    >>> Entered(None, 2, 9, Estimate(90.6, 88.0, 93.0, 42), ahead=None, behind=None, telling=(), ranks=(1, 7)).beaten
    2
    """

    pair: Pair
    place: int
    """Place by main score, 1-based."""

    pairs: int
    """Pairs with a main score under the same rules, this one counted."""

    main: Estimate
    """Main score, 0–100."""

    ahead: NextPair | None
    """Pair next in front, among those that were there by then."""

    behind: NextPair | None
    """Pair next behind, likewise."""

    telling: tuple[tuple[Gallery, float], ...]
    """Targets on which it leads the pair behind it by most, with the difference as ``Site.factor`` shows it; none where
    the comparisons cannot tell the two apart."""

    ranks: tuple[int, int] | None = None
    """Best and worst rank that today's comparisons allow among the pairs that were there; None without a rank."""

    noun: str = "pair"
    """What a row of its board is called, see ``Site.noun``."""

    @property
    def beaten(self) -> int:
        """Number of pairs than which it is better by the board's comparisons: those that surely stand behind it."""
        return max(0, self.pairs - self.ranks[1]) if self.ranks else 0

    @property
    def words(self) -> str:
        """The entry in words, for a page and for feeds; holds labels of players."""
        place = f"place {self.place} of {self.pairs} by main score"
        said = (
            f"It entered with rank {rank(*self.ranks)} of {self.pairs}, {place}"
            if self.ranks
            else f"It entered at {place}"
        )
        if self.ahead:
            said += f", behind {self.ahead.words}"
        if not self.behind:
            return f"{said}."
        said += f"{' and' if self.ahead else ','} ahead of {self.behind.words}"
        better = (
            f"it is better than {format_count(self.beaten, self.noun)} by the board's comparisons"
            if self.beaten
            else (f"the comparisons tell it from no {self.noun} behind it")
        )
        lead = " and ".join(f"{gallery.title.lower()} ({format_signed(points, 1)})" for gallery, points in self.telling)
        return f"{said}; {better}." + (f" What moved it past that {self.noun} most: {lead}." if lead else "")


@lru_cache(maxsize=8)  # asked for by this page, by the page of changes and by the feeds, of each game
def list_entries(site: Site) -> dict[str, Entered]:
    """Return where each pair with a main score entered the board, by run_id, in the order of the runs' beginnings."""
    made: dict[str, Entered] = {}
    boards: dict[str, list[tuple[float, str]]] = {}
    compared = {rules.key: pair_differences(site.under(rules), site.judge) for rules in site.rule_sets}
    # Runs that began at the same moment are ordered by id, so that every build tells the same history.
    for pair in sorted(site.pairs.values(), key=lambda pair: (pair.result.run.started, pair.run_id)):
        cell = site.results.cell(pair.run_id, site.judge)
        # Too few pictures deny a rank but not a place by main score; every other reason keeps a pair off the board.
        if cell.main.mean is None or cell.unranked not in {None, "too_few"}:
            continue
        # Main scores under different rules are not comparable, so each set of rules has a board of its own.
        key = pair.result.rules.key
        board = boards.setdefault(key, [])
        # Main scores are negated because insort sorts upwards and the best pair stands first.
        insort(board, (-cell.main.mean, pair.run_id))
        at = board.index((-cell.main.mean, pair.run_id))
        behind = _build_neighbour(site, board[at + 1][1]) if at + 1 < len(board) else None
        ahead = _build_neighbour(site, board[at - 1][1]) if at else None
        differences = compared[key]
        # Where the two may be equal, no target has moved the one past the other.
        apart = behind is not None and differences is not None and differences.tells(pair.run_id, behind.pair.run_id)
        telling = _find_telling_targets(site, pair, behind.pair) if behind and apart else ()
        # The comparisons of today's board, with one error rate for all its pairs, are strict enough for a smaller one.
        ranks = differences.ranks(pair.run_id, [run_id for _, run_id in board]) if differences else None
        made[pair.run_id] = Entered(pair, at + 1, len(board), cell.main, ahead, behind, telling, ranks, site.noun)
    return made


def build_history_page(site: Site, frozen: Sequence[FrozenBoard] = ()) -> Page:
    """Return the page of ranks over versions and merges.

    Args:
        site: Results of a game.
        frozen: Boards of former versions, newest first; only the game in the site's root has any.
    """
    path, title = site.path("history"), f"{site.title_prefix}Ranks over time"
    return Page(
        path,
        title,
        "history",
        {"site": site},
        searchable=True,
        later=partial(_collect_values, site, frozen),
        found_by="history",
    )


def describe_newest_moves(site: Site, frozen: Sequence[FrozenBoard]) -> str:
    """Return who moved from the version before to the newest, in words; empty without a version before."""
    return describe_moves(build_tracks(site, frozen), frozen[0].record.name) if frozen else ""


def build_entries_table(entered: Sequence[Entered]) -> Table:
    """Return where pairs entered the board as a table, in this order."""
    columns = (
        Column("entry", "entry", "Number in the order in which the runs began.", digits=0),
        Column("day", "day", "Day on which the run began.", digits=None),
        Column("run_id", "Run", "The run.", digits=None, audience="programs"),
        Column("pair", "pair", "Its players.", digits=None),
        _MAIN,
        Column("place", "entered at", "Place by main score among the pairs that were there by then.", digits=0),
        Column(
            "rank_low", "best rank", "Best rank that the intervals allow among them.", "", "lower", 0, nullable=True
        ),
        Column("rank_high", "worst rank", "Worst rank that they allow.", "", "lower", 0, nullable=True),
    )
    rows = tuple(
        (
            Value(order),
            Value(entry.pair.result.run.started[:10]),
            Value(entry.pair.run_id),
            Value(entry.pair.players),
            Value.of(entry.main),
            Value(entry.place),
            *(Value.or_missing(end, "no rank") for end in entry.ranks or (None, None)),
        )
        for order, entry in enumerate(entered, start=1)
    )
    return Table("entries", "Main scores over merges", "Pairs as their runs began.", columns, rows)


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


def build_versions_table(versions: Sequence[str], moved: Sequence[VersionTrack]) -> Table:
    """Return the places of pairs over versions as a table; pairs without a main score have no place.

    Args:
        versions: Names of the versions, the oldest first.
        moved: Every pair over the versions.
    """
    columns = (
        Column("version", "version", "Version of the benchmark.", digits=None),
        Column("describer", "describer", "Who described.", digits=None),
        Column("generator", "generator", "Who drew.", digits=None),
        Column("place", "place", "Place by main score.", "", "lower", 0),
        Column("rank_low", "best rank", "Best rank that the intervals allow.", "", "lower", 0, nullable=True),
        Column("rank_high", "worst rank", "Worst rank that they allow.", "", "lower", 0, nullable=True),
        _MAIN,
    )
    rows: list[tuple[Value, ...]] = []
    for at, version in enumerate(versions, start=1):
        # Tracks have the newest version first.
        there = [(track.name, standing) for track in moved if (standing := track.standings[-at]) is not None]
        scored = [(name, standing) for name, standing in there if standing.main.mean is not None]
        scored.sort(key=lambda entry: (-(entry[1].main.mean or 0), entry[0]))
        for place, (name, standing) in enumerate(scored, start=1):
            ranks = (Value.or_missing(end, "no rank") for end in (standing.low, standing.high))
            rows.append((Value(version), *map(Value, name), Value(place), *ranks, Value.of(standing.main)))
    return Table("versions", "Places over versions", "Pairs by main score.", columns, tuple(rows))


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


def _build_neighbour(site: Site, run_id: str) -> NextPair:
    return NextPair(site.pairs[run_id], site.results.cell(run_id, site.judge).main)


def _find_telling_targets(site: Site, pair: Pair, behind: Pair) -> tuple[tuple[Gallery, float], ...]:
    """Return the targets on which a pair leads another by most."""
    own, others = _collect_finals(site, pair), _collect_finals(site, behind)
    leads = {instance: own[instance] - others[instance] for instance in own.keys() & others.keys()}
    # Targets on which the pair does not lead cannot have moved the pair forward.
    most = sorted((name for name in leads if leads[name] > 0), key=lambda name: (-leads[name], name))[:TELLING]
    return tuple((site.galleries[instance], site.factor * leads[instance]) for instance in most)


def _collect_finals(site: Site, pair: Pair) -> dict[str, float]:
    return average_final_scores(site.results.episodes[pair.run_id], site.judge)


def _collect_values(site: Site, frozen: Sequence[FrozenBoard]) -> dict[str, Any]:
    versions = [site.version.name or "unreleased", *(board.record.name for board in frozen)]
    entered, moved = list(list_entries(site).values()), build_tracks(site, frozen)
    own = [entry for entry in entered if entry.pair.result.rules == site.rule_sets[0]]
    charts = [_make_entries_chart(site, own), *([_make_versions_chart(versions, moved)] if frozen else [])]
    return {"versions": versions, "tracks": moved, "open_rows": SHOWN, "own_charts": charts, "entered": entered[::-1],
            "left_out": len(site.results.submissions) - len(entered)}  # fmt: skip


def _make_entries_chart(site: Site, entered: Sequence[Entered]) -> Chart:
    """Draw main scores over merges, of pairs under the same rules."""
    top = sum(row.top for row in site.under().board(site.judge))
    name = f"game-{site.game.name}-entries" if site.folder else "entries"
    return make_page_chart(name, "entries", sketch_entries(build_entries_table(entered), site.pairs, top, site.noun))


def _make_versions_chart(versions: Sequence[str], moved: Sequence[VersionTrack]) -> Chart:
    """Draw places over versions, the oldest first."""
    names = list(reversed(versions))
    pairs = {track.name: track.pair for track in moved if track.pair is not None}
    return make_page_chart("versions", "versions", sketch_versions(build_versions_table(names, moved), names, pairs))


@dataclass(frozen=True)
class _Board:
    """The overall board of a version, and the main scores under its conditions."""

    standings: Mapping[Name, VersionPlace]
    """Best first."""

    means: Mapping[Condition, Mapping[Name, float]]
    """Main scores, 0–100, by condition."""


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
