"""Content of a site: pages, data files and pictures of the reconstruction game, of other games, or of both."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from ircore.core.errors import InputError
from ircore.core.journal import is_cut_off
from ircore.core.records import DEFAULT_GAME
from ircore.core.terminal import make_printable
from ircore.games.registry import load_game
from ircore.instances.benchmark import RECORDS, read_versions
from ircore.players.submission import LoadedSubmission
from ircore.results.benchmark_version import require_version
from ircore.scorers.judge_test.card import read_cards
from ircore.submissions.pending_work import MergedSubmission, list_unplayed, read_merged_submissions
from ircore.submissions.seasons import SEASON_GAPS
from leaderboard.building.sources import ABSENT
from leaderboard.frozen_boards import FrozenBoard, build_version_pages, read_archive
from leaderboard.gallery.fragments import FOLDER, Fragments, build_gallery_shards
from leaderboard.gallery.pages import build_gallery_pages
from leaderboard.gallery.same_words import build_same_words_files
from leaderboard.games.board_files import build_games_board_files, build_only_games_files
from leaderboard.games.pages import build_game_pages
from leaderboard.model.section import GameSection, build_game_sections, split_runs
from leaderboard.model.site import LEADERBOARD, Page, Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.ask import build_ask_page
from leaderboard.pages.beside_pairs import check_season
from leaderboard.pages.board_views import build_leaderboard_files
from leaderboard.pages.boards import build_board_pages
from leaderboard.pages.citation import build_badge_files, build_citation_page
from leaderboard.pages.feed import NAME, build_changes_page, build_feed_files
from leaderboard.pages.figures import build_figure_data_files, build_figure_pages, build_figures_page
from leaderboard.pages.history import build_history_page, describe_newest_moves
from leaderboard.pages.judges import METRICS_PATH as METRIC_AGREEMENT
from leaderboard.pages.judges import PATH as PEOPLE
from leaderboard.pages.judges import TITLE as PEOPLE_TITLE
from leaderboard.pages.judges import build_card_pages, build_metric_agreement_page, build_people_page, read_studies
from leaderboard.pages.limits import build_limits_page
from leaderboard.pages.maintainers_work import (
    build_pending_page,
    build_retired_pages,
    build_waiting_page,
    list_played_pages,
)
from leaderboard.pages.matrix import build_matrix_files, build_matrix_pages
from leaderboard.pages.metric_boards import build_metric_pages
from leaderboard.pages.naming import build_naming_page, list_nameable_pictures
from leaderboard.pages.overview import build_front_page, build_games_front_page
from leaderboard.pages.pair_comparison import Comparisons, build_against_files, compare_page
from leaderboard.pages.pairs import pair_pages
from leaderboard.pages.paper import build_paper_page
from leaderboard.pages.players import build_player_board_pages, build_player_pages
from leaderboard.pages.search_entries import build_search_file
from leaderboard.pages.targets import build_targets_page, build_try_page
from leaderboard.storage.build_cache import BuildCache
from leaderboard.storage.pictures import PictureBook


def _build_comparison_files(site: Site) -> Iterator[tuple[str, str]]:
    return Comparisons(site).files()


_BOARD_FILES = (build_against_files, _build_comparison_files, build_feed_files)
"""Makers of the data behind the boards of any game."""

Files = Callable[[], Iterable[tuple[str, str]]]
"""Function that makes files of data: paths below the site's root, and texts."""

GAMES = "Games of words and pictures"
"""Name of a site of several games, none of them the reconstruction game."""

_MANY = 8
"""Number of runs from which pages are written in several processes."""

_PIECES = 12
"""Number of pieces that the gallery's data are cut into."""

_LINKED = {
    "boards/index": "Leaderboard",
    "gallery/index": "Gallery",
    "pairs/index": "Pairs and players",
    "changes": "What changed",
    "compare": "Compare pairs",
    "figures": "Figures",
    METRIC_AGREEMENT: "How metrics agree",
    "limits": "What the numbers cannot tell",
    PEOPLE: PEOPLE_TITLE,
    "paper": "Published scores",
    "replay": "One episode, turn by turn",
    "try": "Try it",
}
"""Headings of the pages that hand-written pages link to; on a site without reconstruction runs they have no content."""


@dataclass(frozen=True)
class Options:
    """Choices for a site.

    Example:
        >>> Options(judge="structural").versions == RECORDS
        True
    """

    judge: str | None = None
    """Judge on pages with room for one; None for the choice of ``leaderboard.model.site_judge.select_site_judge``."""

    address: str = ""
    """Address of the site, absolute, ending in a slash, for feeds and badges; empty if unknown."""

    archive: Path | None = None
    """Folder of the frozen boards of former versions; None for none."""

    version: str | None = None
    """The benchmark version that the runs must be of; None for any."""

    originals: str = ""
    """Where the pictures to zoom into are published, ending in a slash; empty if the site holds them."""

    versions: Path = RECORDS
    """The benchmark's released versions, as ``ircore.results.benchmark_version`` reads them."""

    waiting: LoadedSubmission | None = None
    """A submission that the site is a preview of: every page says so, and it has a page even if it was not played."""

    submissions: Path | None = None
    """Folder of all merged submissions: submissions without a run are listed too, and histories shown."""

    judge_cards: Sequence[Path] = ()
    """Cards of judges (``ircore judge-test``) besides those that come with the project."""

    studies: Sequence[Path] = ()
    """Runs that people rated to hold judges against them, shown on the page of people alone."""

    names: Sequence[Path] = ()
    """Files of people's names for pictures, in KiloGram's layout, for a page on them."""

    season: Path | None = None
    """File of the gaps between the public set and a season's; None for those of the release behind the runs, if any."""


@dataclass(frozen=True)
class Content:
    """Everything that is written into a site.

    Example:
        >>> content = Content(None, (), PictureBook(), (), (), (), many=False)
        >>> content.game_boards
        []
    """

    site: Site | None
    """Results of the reconstruction game; None for a site of other games alone."""

    games: tuple[GameSection, ...]
    """Other games that have results."""

    pictures: PictureBook
    """Pictures that pages show."""

    pages: tuple[Page, ...]
    """Pages that templates write."""

    files: tuple[Files, ...]
    """Makers of data files that pages refer to, the slowest first."""

    frozen: tuple[FrozenBoard, ...]
    """Boards of former versions."""

    many: bool
    """Whether the work is worth several processes."""

    @property
    def marker(self) -> Mapping[str, Any]:
        """``benchmark``, ``instance_set`` and ``prompts`` of the boards, for the site's marker file."""
        if self.site is None:
            return {"benchmark": None, "instance_set": None, "prompts": None}
        return self.site.version.as_dict()

    @property
    def title(self) -> str:
        """Name of the site: the title of its only game, or a common title for several games."""
        if self.site is not None:
            return NAME
        return self.games[0].game.title if len(self.games) == 1 else GAMES

    @property
    def game_boards(self) -> list[tuple[str, str]]:
        """Title and path of the board of each other game, for the navigation."""
        return [(section.game.title, section.path("index")) for section in self.games]


def read_content(runs: Sequence[Path], options: Options, cache: BuildCache) -> Content:
    """Read runs and return the content of their site: boards, pairs and games.

    Args:
        runs: Run folders; those of one game are all on one instance set.
        options: Choices for the site.
        cache: Build cache of results of single runs.

    Raises:
        InputError: The runs cannot be shown together, or an option needs runs that are not there.
        WorkError: The disk is full.
    """
    ours, others = split_runs(runs)
    _report_cut_lines(runs)
    if not ours:
        _refuse_options(options)
    pictures = PictureBook(options.originals)
    submitted = () if options.submissions is None else read_merged_submissions(options.submissions)
    site, frozen = _read_site(ours, options, cache, pictures, submitted) if ours else (None, ())
    games = build_game_sections(others, pictures, submitted, options.address)
    if site is None and not games:
        raise InputError("no runs that can be shown", "Install the packages of their games, or mend them.")
    sections: tuple[Site, ...] = games if site is None else (site, *games)
    played = list_played_pages(site, games)
    for section in sections:
        section.played = played
    handed_in = tuple(_build_waiting_pages(site, games, submitted, options.waiting))
    own: list[Page] = []
    absent: list[Page] = []
    files: list[Files] = []
    if site is None:
        own += [build_games_front_page(games, handed_in), *build_game_pages(games), _build_prompts_page()]
        # Hand-written pages link to these, and MkDocs refuses links to missing pages.
        absent += [Page(path, heading, ABSENT, {"heading": heading}, cited=False) for path, heading in _LINKED.items()]
        files.append(partial(build_only_games_files, games, LEADERBOARD))
    else:
        site.other_games = frozenset(section.game.name for section in games)
        fragments = Fragments(site)
        # Also registers the pictures of all renderings, which processes started later could not tell each other.
        fragments.make()
        own += [*list_pages(site, games), *build_version_pages(site.version, frozen), build_history_page(site, frozen)]
        files += _list_file_makers(site, fragments)
    named = _build_naming_pages(site, games, options.names)
    pending = [build_pending_page(submitted, runs)] if submitted else []
    retired = [page for section in sections for page in build_retired_pages(section)]
    shown = (*own, *named, *handed_in, *pending, *retired)
    files.append(partial(build_games_board_files, games))
    files += [partial(make, section) for section in games for make in _BOARD_FILES]
    files.append(partial(build_search_file, site, shown))
    many = max(len(ours), len(others)) >= _MANY
    return Content(site, games, pictures, (*shown, *absent), tuple(files), frozen, many)


def _report_cut_lines(runs: Sequence[Path]) -> None:
    """Print a line for each file of a run whose last line was cut off, by a crash or on its way here."""
    for path in chain.from_iterable(sorted(run.glob("*.jsonl")) for run in runs):
        if is_cut_off(path):
            said = f"ircore: {path}: the last line is cut off and does not count. "
            remedy = "Restore the file from a copy, or play and score the run again: what is missing is added."
            print(make_printable(said + remedy), file=sys.stderr)


def _read_site(
    runs: Sequence[Path],
    options: Options,
    cache: BuildCache,
    pictures: PictureBook,
    submitted: Sequence[MergedSubmission],
) -> tuple[Site, tuple[FrozenBoard, ...]]:
    """Return the site of the reconstruction game, and the boards of its former versions."""
    released = read_versions(options.versions)
    site = Site(read_runs(runs, cache), options.judge, options.address, pictures, released, submitted)
    site.cache = cache
    site.cards = read_cards(site.results.judge_identities, options.judge_cards)
    site.studies = read_studies(options.studies)
    if options.version is not None:
        require_version(site.version, options.version, released)
    # A pulled release has the file of gaps beside its folder of runs.
    site.season = check_season(site, options.season, pulled=runs[0].parent.parent / SEASON_GAPS)
    frozen = () if options.archive is None else read_archive(options.archive, site.version)
    site.former = tuple(board.record for board in frozen)
    site.moved = describe_newest_moves(site, frozen)
    return site, frozen


def _refuse_options(options: Options) -> None:
    """Refuse options that only runs of the reconstruction game have: ignored, they would look as if followed."""
    asked = {
        "--judge": options.judge,
        "--version": options.version,
        "--archive": options.archive,
        "--season": options.season,
    }
    option = next((name for name, value in asked.items() if value is not None), None)
    if option is not None:
        raise InputError(
            f"{option}: applies to runs of the reconstruction game, and none is given",
            f"Leave {option} out, or add such a run.",
        )


def list_pages(site: Site, games: Sequence[GameSection] = ()) -> Iterator[Page]:
    """Yield every page that the results of a site have."""
    single = (
        build_front_page(site, games),
        build_paper_page(site),
        _build_prompts_page(),
        compare_page(site),
        build_limits_page(site),
    )
    asked, cited = build_ask_page(site), build_citation_page(site.version, site.address)
    several = (
        build_board_pages(site),
        build_metric_pages(site),
        build_matrix_pages(site),
        pair_pages(site),
        build_player_pages(site),
        build_player_board_pages(site),
        build_card_pages(site),
        build_figure_pages(site),
        build_gallery_pages(site),
        build_game_pages(games),
    )
    pages = (
        build_figures_page(site),
        build_metric_agreement_page(site),
        build_people_page(site),
        asked,
        cited,
        build_targets_page(site),
        build_try_page(site),
    )
    return chain(*several, single, (build_changes_page(site),), pages)


def _build_prompts_page() -> Page:
    prompts = load_game(DEFAULT_GAME).read_prompts(None)
    return Page("prompts", "Prompts", "prompts", {"prompts": prompts}, searchable=True, cited=False)


def _build_naming_pages(site: Site | None, games: Sequence[GameSection], names: Sequence[Path]) -> Iterator[Page]:
    """Yield the page on people's names for pictures if there are annotations."""
    if names:
        yield build_naming_page(names, list_nameable_pictures(site, games))


def _build_waiting_pages(
    site: Site | None,
    games: Sequence[GameSection],
    submitted: Sequence[MergedSubmission],
    previewed: LoadedSubmission | None,
) -> Iterator[Page]:
    """Yield the page of each submission without a run, the previewed submission first."""
    waiting = list_unplayed(submitted, list_played_pages(site, games))
    several = {submission.slug: (submission.loaded, submission.decisions) for submission in waiting}
    if previewed is not None:
        history = next((submission.decisions for submission in submitted if submission.slug == previewed.slug), ())
        several = {previewed.slug: (previewed, history), **several}
    pages = (build_waiting_page(site, games, loaded, history) for loaded, history in several.values())
    return (page for page in pages if page is not None)


def _list_file_makers(site: Site, fragments: Fragments) -> Iterator[Files]:
    """Yield the makers of the data files of the reconstruction game."""
    yield partial(build_leaderboard_files, site.results, site.version)
    for make in (build_matrix_files, build_figure_data_files, build_badge_files, *_BOARD_FILES):
        yield partial(make, site)
    yield partial(build_same_words_files, site, FOLDER)
    for piece in range(_PIECES):
        yield partial(build_gallery_shards, site, fragments, piece, _PIECES)
