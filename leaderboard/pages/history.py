"""History of ranks: the place at which each pair entered the board, and the moves of pairs between versions.

A merge adds a run, and the scores of a run never change; so the board after each merge follows from the runs that had
begun by then.
"""

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

from ircore.core.plain_words import format_count
from ircore.core.untrusted_text import format_one_line
from ircore.results.episodes import average_final_scores
from ircore.results.next_episodes import pair_differences
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.model import Column, Table, Value
from leaderboard.charts.catalogue import Chart, make_page_chart
from leaderboard.charts.entries import sketch_entries
from leaderboard.charts.places import sketch_versions
from leaderboard.frozen_boards.archive import FrozenBoard
from leaderboard.model.site import Gallery, Page, Pair, Site
from leaderboard.pages.version_moves import VersionTrack, build_tracks, describe_moves
from leaderboard.words import describe_interval, format_signed, number, rank

TELLING = 2
"""Episodes named that moved a pair past the pair behind it."""

SHOWN = 20
"""Rows of a table that are open; further rows are folded."""

_MAIN = Column("main_score", "main", "Mean of 10 × score, what the pair did not play counting 0.", "0–100", "higher", 1,
               estimated=True)  # fmt: skip


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
    """Targets on which it leads the pair behind it by most, with the difference in points of 10; none where the
    comparisons cannot tell the two apart."""

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
    return Page(path, title, "history", {"site": site}, searchable=True, later=partial(_collect_values, site, frozen))


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


def _build_neighbour(site: Site, run_id: str) -> NextPair:
    return NextPair(site.pairs[run_id], site.results.cell(run_id, site.judge).main)


def _find_telling_targets(site: Site, pair: Pair, behind: Pair) -> tuple[tuple[Gallery, float], ...]:
    """Return the targets on which a pair leads another by most."""
    own, others = _collect_finals(site, pair), _collect_finals(site, behind)
    leads = {instance: own[instance] - others[instance] for instance in own.keys() & others.keys()}
    # Targets on which the pair does not lead cannot have moved the pair forward.
    most = sorted((name for name in leads if leads[name] > 0), key=lambda name: (-leads[name], name))[:TELLING]
    return tuple((site.galleries[instance], leads[instance]) for instance in most)


def _collect_finals(site: Site, pair: Pair) -> dict[str, float]:
    return average_final_scores(site.results.episodes[pair.run_id], site.judge)


def _collect_values(site: Site, frozen: Sequence[FrozenBoard]) -> dict[str, Any]:
    versions = [site.version.name or "unreleased", *(board.record.name for board in frozen)]
    entered, moved = list(list_entries(site).values()), build_tracks(site, frozen)
    own = [entry for entry in entered if entry.pair.result.rules == site.rule_sets[0]]
    charts = [_make_entries_chart(site, own), *([_make_versions_chart(versions, moved)] if frozen else [])]
    return {"versions": versions, "tracks": moved, "open_rows": SHOWN, "own_charts": charts, "entered": entered[::-1]}


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
