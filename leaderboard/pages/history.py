"""History of ranks: where each pair entered the board, what moved it there, and how pairs moved between versions.

A merge adds a run, and the scores of a run never change; so the board after each merge follows from the runs that had
begun by then. Boards of former versions are those that were frozen: their scores are of other targets, so movements
between versions compare places and not scores.
"""

from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from leaderboard.model.site import Gallery, Page, Pair, Site
from leaderboard.versions.archive import FrozenBoard
from leaderboard.versions.frozen import ALL
from leaderboard.words.labels import rank, signed
from leaderboard.words.untrusted_text import one_line

TELLING = 2
"""Episodes named that moved a pair past the pair behind it."""


@dataclass(frozen=True)
class Entered:
    """Where a pair entered the board.

    >>> Entered(pair=None, place=1, pairs=3, main=90.6, ahead=None, behind=None, telling=()).moved
    2
    """

    pair: Pair
    place: int
    """Place by main score, 1-based."""

    pairs: int
    """Pairs with a main score under the same rules, this one counted."""

    main: float
    """Main score, 0–100."""

    ahead: Pair | None
    """Pair next in front."""

    behind: Pair | None
    """Pair next behind."""

    telling: tuple[tuple[Gallery, float], ...]
    """Targets on which it leads the pair behind it by most, with the difference in points of 10."""

    @property
    def moved(self) -> int:
        """Number of pairs that moved down one place."""
        return self.pairs - self.place

    @property
    def words(self) -> str:
        """The entry in words, for a page and for feeds; holds labels of players."""
        said = f"It entered at place {self.place} of {self.pairs} by main score"
        if self.ahead:
            said += f", behind {_name(self.ahead)}"
        if not self.behind:
            return f"{said}."
        said += f"{' and' if self.ahead else ','} ahead of {_name(self.behind)}"
        down = "1 pair moved" if self.moved == 1 else f"{self.moved} pairs moved"
        lead = " and ".join(f"{gallery.title.lower()} ({signed(points, 1)})" for gallery, points in self.telling)
        return f"{said}; {down} down." + (f" What moved it past that pair most: {lead}." if lead else "")


def _name(pair: Pair) -> str:
    return one_line(f"{pair.describer} + {pair.generator}", 120)


def entries(site: Site) -> dict[str, Entered]:
    """Return where each pair with a main score entered the board, by run_id, in the order of the runs' beginnings."""
    made: dict[str, Entered] = {}
    boards: dict[str, list[tuple[float, str]]] = {}
    # Runs that began at the same moment are ordered by id, so that every build tells the same history.
    for pair in sorted(site.pairs.values(), key=lambda pair: (pair.result.run.started, pair.run_id)):
        cell = site.results.cell(pair.run_id, site.judge)
        # Too few pictures deny a rank but not a place by main score; every other reason keeps a pair off the board.
        if cell.main.mean is None or cell.unranked not in {None, "too_few"}:
            continue
        # Main scores under different rules are not comparable, so each set of rules has a board of its own.
        board = boards.setdefault(pair.result.run.rules.key, [])
        # Main scores are negated because insort sorts upwards and the best pair stands first.
        insort(board, (-cell.main.mean, pair.run_id))
        at = board.index((-cell.main.mean, pair.run_id))
        behind = site.pairs[board[at + 1][1]] if at + 1 < len(board) else None
        ahead = site.pairs[board[at - 1][1]] if at else None
        telling = _telling(site, pair, behind) if behind else ()
        made[pair.run_id] = Entered(pair, at + 1, len(board), cell.main.mean, ahead, behind, telling)
    return made


def _telling(site: Site, pair: Pair, behind: Pair) -> tuple[tuple[Gallery, float], ...]:
    """Return the targets on which a pair leads another by most."""
    own, others = _finals(site, pair), _finals(site, behind)
    leads = {instance: own[instance] - others[instance] for instance in own.keys() & others.keys()}
    # Targets on which the pair does not lead cannot have moved the pair forward.
    most = sorted((name for name in leads if leads[name] > 0), key=lambda name: (-leads[name], name))[:TELLING]
    return tuple((site.galleries[instance], leads[instance]) for instance in most)


def _finals(site: Site, pair: Pair) -> dict[str, float]:
    judged = ((result.episode.instance_id, site.judged(result)) for result in site.results.episodes[pair.run_id])
    return {instance: given.final for instance, given in judged if given is not None and given.final is not None}


@dataclass(frozen=True)
class Standing:
    """A pair's place on the overall board of a version.

    >>> Standing(low=2, high=4, main=71.5).words
    '2–4'
    """

    low: int | None
    high: int | None
    main: float | None

    @property
    def words(self) -> str:
        """The rank, as a range."""
        return "none" if self.low is None else rank(self.low, self.high)


@dataclass(frozen=True)
class Track:
    """A pair over the versions.

    >>> Track(("a", "b"), (Standing(1, 1, 90.0), None)).words
    'new'
    """

    name: tuple[str, str]
    """Describer and generator."""

    standings: tuple[Standing | None, ...]
    """The newest version first; None where the pair did not stand on the board."""

    @property
    def words(self) -> str:
        """How the pair moved from the version before to the newest, in words.

        >>> Track(("a", "b"), (Standing(1, 1, 90.0), Standing(3, 3, 50.0))).words
        'up from 3 to 1'
        """
        now, before = (*self.standings, None)[:2]
        if now is None or before is None:
            return "new" if now else "no longer there"
        if now.low is None or before.low is None or now.high is None or before.high is None:
            return "without a rank in one of them"
        # Ranges that overlap may be the same rank, so the pair is not said to have moved.
        if now.low <= before.high and before.low <= now.high:
            return f"not clearly moved ({before.words} to {now.words})"
        return f"{'up' if now.low < before.low else 'down'} from {before.words} to {now.words}"


def tracks(site: Site, frozen: Sequence[FrozenBoard]) -> tuple[Track, ...]:
    """Return every pair of the current board over the versions, in the order of the current board.

    Args:
        site: Shows the newest version.
        frozen: Boards of former versions, newest first.
    """
    boards = [_live(site), *(_frozen(board, site.judge) for board in frozen)]
    names = dict.fromkeys(name for board in boards for name in board)
    return tuple(Track(name, tuple(board.get(name) for board in boards)) for name in names)


_Board = dict[tuple[str, str], Standing]


def _live(site: Site) -> _Board:
    board: _Board = {}
    for row in site.under().board(site.judge):
        pair = site.pairs[row.submission.run_id]
        standing = Standing(row.rank_low, row.rank_high, row.cell.main.mean)
        # Several runs may have the same players: the first row is the best and stands for the players.
        board.setdefault((pair.describer, pair.generator), standing)
    return board


def _frozen(board: FrozenBoard, judge: str) -> _Board:
    """Return the overall standings of a frozen board by a judge; rows that lack a field are passed over."""
    overall = (ALL, ALL, judge)
    rows = [row for row in board.rows if tuple(map(row.get, ("category", "difficulty", "judge"))) == overall]
    return {
        (describer, generator): Standing(_whole(row, "rank_low"), _whole(row, "rank_high"), _main(row))
        # In reverse, so that the best of several runs of the same players overwrites the others, as on the live board.
        for row in reversed(rows)
        for describer, generator in [(row.get("describer"), row.get("generator"))]
        # Frozen boards are files of older formats, whose fields may be missing or of another type.
        if isinstance(describer, str) and isinstance(generator, str)
    }


def _whole(row: Mapping[str, Any], name: str) -> int | None:
    value = row.get(name)
    return value if isinstance(value, int) else None


def _main(row: Mapping[str, Any]) -> float | None:
    value = row.get("main_score_mean")
    return float(value) if isinstance(value, int | float) else None


def history_page(site: Site, frozen: Sequence[FrozenBoard]) -> Page:
    """Return the page of ranks over versions and merges."""
    versions = [site.version.name or "unreleased", *(board.record.name for board in frozen)]
    later = partial(_values, site, frozen)
    return Page("history", "Ranks over time", "history", {"versions": versions}, searchable=True, later=later)


def _values(site: Site, frozen: Sequence[FrozenBoard]) -> dict[str, Any]:
    return {"entered": list(reversed(entries(site).values())), "tracks": tracks(site, frozen)}
