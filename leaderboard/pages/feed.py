"""Changes of the boards as a page, an Atom feed and a JSON feed, all from the same list."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ircore.core.plain_words import format_count
from ircore.core.untrusted_text import format_one_line
from ircore.instances.benchmark import BenchmarkVersion
from ircore.results.cells import Cell
from ircore.submissions.decisions import Decision
from ircore.submissions.pending_work import MergedSubmission
from leaderboard.model.site import Page, Pair, Site
from leaderboard.pages.history import Entered
from leaderboard.pages.history import list_entries as entered_pairs
from leaderboard.words import describe_estimate, describe_unrated, number, rank

NAME = "Image Reconstruction Game"

_ATOM = "http://www.w3.org/2005/Atom"
_NEWEST = 100
"""Maximum of entries in the feeds; the page lists all changes."""

_OPEN = 12
"""Changes that are open on the page; older changes are folded by month."""


@dataclass(frozen=True)
class FeedEntry:
    """Entry of the feeds.

    >>> change = FeedEntry("2026-05-04T00:00:00Z", "New pair", "12 episodes.", "pairs/a.html", "urn:a")
    >>> change.pair is None
    True
    """

    when: str
    """ISO 8601 in UTC."""

    title: str
    """May hold a stranger's words, so escape it."""

    words: str
    """A further sentence."""

    path: str
    """Page about it, relative to the site's root."""

    identity: str
    """The same in every build, as a URN."""

    pair: Pair | None = None
    """The new pair; None for other kinds of change."""

    brief: str = ""
    """Of a new pair, what stands beside its name on the page: one line; empty for other kinds of change."""


def list_changes(site: Site) -> tuple[FeedEntry, ...]:
    """Return the changes, newest first: benchmark releases, new pairs, versions of ircore that played them first.

    A change has the date on which the run began, or the benchmark was released, which is recorded with it; the date of
    a build is not a change.
    """
    entries: list[FeedEntry] = []
    released: set[str] = set()
    entered = entered_pairs(site)
    for pair in sorted(site.pairs.values(), key=lambda pair: (_format_time(pair.result.run.started), pair.run_id)):
        version = pair.result.run.version
        if version not in released:
            released.add(version)
            entries.append(_build_release_entry(site, version, pair.result.run.started))
        entries.append(_describe_new_pair(site, pair, entered.get(pair.run_id)))
    steps = ((submitted, step) for submitted in site.submitted for step in submitted.decisions)
    entries += [_build_decision_entry(site, submitted, step) for submitted, step in steps if _is_of(site, submitted)]
    entries += [_describe_release(version) for version in site.former]
    if site.version.released:
        entries.append(_describe_release(site.version.released, site))
    # Reversed first, so that among changes of the same moment the one added last stands first.
    entries.reverse()
    # Sorting is stable: changes of the same moment keep their order.
    return tuple(sorted(entries, key=lambda change: change.when, reverse=True))


def build_changes_page(site: Site) -> Page:
    """Return the page of changes: the newest day by day, older ones folded by month."""
    path, title = site.path("changes"), f"{site.title_prefix}What changed"
    return Page(
        path, title, "changes", {"site": site}, searchable=True, later=partial(_group_changes, site), found_by="news"
    )


def _group_changes(site: Site) -> Mapping[str, Any]:
    listed = list_changes(site)
    months = groupby(listed[_OPEN:], key=lambda change: change.when[:7])
    folded = [(month, list(of_month)) for month, of_month in months]
    return {
        "days": _group_by_day(listed[:_OPEN]),
        "months": [
            (datetime.fromisoformat(f"{month}-01").strftime("%B %Y"), len(of_month), _group_by_day(of_month))
            for month, of_month in folded
        ],
    }


def _group_by_day(listed: Sequence[FeedEntry]) -> list[tuple[str, list[FeedEntry]]]:
    """Return changes by day, in their order."""
    return [(day, list(of_day)) for day, of_day in groupby(listed, key=lambda change: change.when[:10])]


def build_feed_files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield path and text of both feeds of a game."""
    entries = list_changes(site)
    name = site.game.title if site.folder else NAME
    yield site.path("feed.atom"), render_atom(entries, site.results.instance_set, site.address, site.folder, name)
    yield site.path("feed.json"), render_json_feed(entries, site.address, site.folder, name)


def render_atom(entries: Sequence[FeedEntry], identity: str, address: str, folder: str = "", name: str = NAME) -> str:
    """Return an Atom 1.0 feed (RFC 4287).

    Args:
        entries: Newest first.
        identity: Identity of the instance set, the same in every build.
        address: The site's absolute address, ending in a slash; empty for links relative to the feed's own address,
            and without the link to itself, which has to be absolute to be of use.
        folder: Folder of the game's pages, ending in a slash; empty for the site's root.
        name: Title of the site or of the game; may be a plug-in's words.
    """
    # Without an address links are relative to the feed, which lies in the folder of its game.
    base = address or "../" * folder.count("/")
    feed = Element("feed", {"xmlns": _ATOM, "xml:lang": "en"})
    for tag, text in (("title", f"{name}: what changed"), ("id", _make_urn(f"feed {identity}"))):
        SubElement(feed, tag).text = text
    # Atom demands a date even of a feed without entries; the date of the build would change with every build.
    SubElement(feed, "updated").text = entries[0].when if entries else "1970-01-01T00:00:00Z"
    SubElement(SubElement(feed, "author"), "name").text = NAME
    SubElement(feed, "link", {"rel": "alternate", "type": "text/html", "href": f"{base}{folder}changes.html"})
    if address:
        # A link of the feed to itself has to be absolute to be of use.
        SubElement(feed, "link", {"rel": "self", "type": "application/atom+xml", "href": f"{address}{folder}feed.atom"})
    for change in entries[:_NEWEST]:
        entry = SubElement(feed, "entry")
        for tag, text in (
            ("title", change.title),
            ("id", change.identity),
            ("updated", change.when),
            ("published", change.when),
        ):
            SubElement(entry, tag).text = text
        SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": f"{base}{change.path}"})
        SubElement(entry, "content", {"type": "text"}).text = change.words
    indent(feed)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(feed, encoding="unicode") + "\n"


def render_json_feed(entries: Sequence[FeedEntry], address: str, folder: str = "", name: str = NAME) -> str:
    """Return a JSON Feed 1.1; its addresses must be absolute, so without ``address`` they are left out.

    Args:
        entries: Newest first.
        address: The site's absolute address, ending in a slash, or empty.
        folder: As for ``render_atom``.
        name: As for ``render_atom``.
    """
    feed: dict[str, Any] = {"version": "https://jsonfeed.org/version/1.1", "title": f"{name}: what changed"}
    if address:
        feed |= {"home_page_url": f"{address}{folder}changes.html", "feed_url": f"{address}{folder}feed.json"}
    feed |= {
        "language": "en",
        "authors": [{"name": NAME}],
        "items": [_build_item(change, address) for change in entries[:_NEWEST]],
    }
    return json.dumps(feed, ensure_ascii=False, indent=1) + "\n"


def _build_item(change: FeedEntry, address: str) -> dict[str, Any]:
    url = {"url": f"{address}{change.path}"} if address else {}
    return {
        "id": change.identity,
        **url,
        "title": change.title,
        "content_text": change.words,
        "date_published": change.when,
    }


def _describe_new_pair(site: Site, pair: Pair, entered: Entered | None) -> FeedEntry:
    cell = site.results.cell(pair.run_id, site.judge)
    apart = f" ({format_one_line(pair.apart)})" if pair.apart else ""
    players = " + ".join(format_one_line(label, 80) for label in (pair.describer, pair.generator) if label)
    judged = f", judged by {site.judge}" if site.game.is_judged else ""
    return FeedEntry(
        when=_format_time(pair.result.run.started),
        title=f"New {site.noun}: {players}{apart}",
        words=f"{_describe_result(site, cell)}{judged}." + (f" {entered.words}" if entered else ""),
        path=f"{pair.path}.html",
        identity=_make_urn(f"pair {pair.run_id}"),
        pair=pair,
        brief=_format_entry(cell, entered),
    )


def _format_entry(cell: Cell, entered: Entered | None) -> str:
    """Return the main score and the rank at which a pair entered, in a line."""
    main = "no main score yet" if cell.main.mean is None else f"main score {number(cell.main.mean, 1)}"
    if cell.main.mean is not None and cell.main.low is not None and cell.main.high is not None:
        main += f" ({number(cell.main.low, 1)} to {number(cell.main.high, 1)})"
    if cell.unranked:
        return f"{main}; no rank: {cell.unranked_words}"
    return f"{main}, entered with rank {rank(*entered.ranks)} of {entered.pairs}" if entered and entered.ranks else main


def _describe_result(site: Site, cell: Cell) -> str:
    """Return the counts of played and rated episodes and the main score, in words."""
    counts = (
        f"{cell.played} of {format_count(cell.episodes, 'episode')} played, {cell.rated} of {cell.applicable} rated"
    )
    missing = "".join(f", {words}" for _, words in describe_unrated(cell))
    if cell.main.mean is None:
        return f"{counts}{missing}; no main score yet"
    reached = f"main score {describe_estimate(cell.main, 1)}"
    if cell.score.mean is not None and site.game.is_judged:
        reached += f", score {number(cell.score.mean)}"
    return f"{counts}{missing}; {reached}" + (f"; no rank: {cell.unranked_words}" if cell.unranked else "")


def _build_release_entry(site: Site, version: str, started: str) -> FeedEntry:
    version = format_one_line(version, 40)
    return FeedEntry(
        when=_format_time(started),
        title=f"First {site.noun} played with ircore {version}",
        words=f"Instance set {site.results.instance_set[:12]}. Numbers of different sets are never mixed.",
        path=f"{site.path('boards/index')}.html",
        identity=_make_urn(f"version {site.results.instance_set} {version}"),
    )


def _is_of(site: Site, submitted: MergedSubmission) -> bool:
    """Return whether a game's pages tell of an entry; the root's tell of entries of games without pages, too."""
    game = submitted.loaded.submission.game
    return bool(game == site.game.name or not (site.folder or game in site.other_games))


def _build_decision_entry(site: Site, submitted: MergedSubmission, step: Decision) -> FeedEntry:
    players = " + ".join(spec.label for spec in submitted.loaded.submission.players.values())
    return FeedEntry(
        when=_format_time(f"{step.date}T00:00:00+00:00"),
        title=f"{step.kind.capitalize()}: {format_one_line(players, 160)}",
        words=format_one_line(step.reason),
        path=f"{site.page_of(submitted.slug)}.html",
        identity=_make_urn(f"step {submitted.slug} {step.date} {step.kind} {step.run_id}"),
    )


def _describe_release(version: BenchmarkVersion, shown_by: Site | None = None) -> FeedEntry:
    """Return the release of a version; the site that shows it live tells who moved since the version before."""
    about = f" {format_one_line(version.notes, 200)}" if version.notes else ""
    if shown_by is not None and shown_by.moved:
        about += f" {shown_by.moved}"
    return FeedEntry(
        when=_format_time(version.date),
        title=f"Benchmark {version.name} released",
        words=f"Instance set {version.instance_set[:12]}; scores of other versions are not comparable.{about}",
        path=_version_path(version, shown_by),
        identity=_make_urn(f"benchmark {version.name} {version.instance_set}"),
    )


def _version_path(version: BenchmarkVersion, shown_by: Site | None) -> str:
    """Return the page about a version: the list of versions, or the board of a game that has no list of them."""
    if shown_by is None:
        return f"versions/{version.name}/index.html"
    return f"{shown_by.path('boards/index')}.html" if shown_by.folder else "versions/index.html"


def _format_time(text: str) -> str:
    """Return a time as RFC 3339 in UTC, as both feeds require; unreadable times become a date long ago."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return "1970-01-01T00:00:00Z"
    read = read if read.tzinfo else read.replace(tzinfo=UTC)
    return read.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _make_urn(name: str) -> str:
    return uuid5(NAMESPACE_URL, f"image-reconstruction-game {name}").urn
