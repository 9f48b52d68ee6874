"""Entries that the search field finds before documents: pairs, players, boards, targets and other pages.

``data/find.json`` holds them all; episodes are not listed: a script puts them together from a pair and a target.
"""

from collections.abc import Iterable, Iterator, Sequence

from ircore.core.untrusted_text import format_one_line
from leaderboard.model.alt_texts import describe_target_picture
from leaderboard.model.site import Page, Site
from leaderboard.pages.players import player_paths
from leaderboard.storage.output_folder import dump_compact
from leaderboard.words import format_category

FILE = "data/find.json"
"""Path of the file, relative to the site's root."""

_LONGEST = 120
"""Characters of a name or of words to find it by."""

Entry = list[str]
"""Kind (``pair``, ``describer``, ``generator``, ``board``, ``target``, ``page``), title, further words to find it by,
address relative to the site's root; of a pair its key and of a target its id, too."""

_FOLDERS = ("boards/", "games/", "judges/")
"""Folders whose pages are listed by their titles."""

_MANY = frozenset({"board", "player_board", "matrix"})
"""Templates of pages that every condition has; of another game's, those of all instances alone are listed."""

_WHOLE = ("/index", "/matrix")
"""How their paths end."""


def build_search_file(site: Site | None, pages: Sequence[Page]) -> Iterator[tuple[str, str]]:
    """Yield the file of entries.

    Args:
        site: Results of the reconstruction game; None for a site of other games alone.
        pages: All pages that templates write.
    """
    entries = [*(() if site is None else list_site_entries(site)), *list_page_entries(pages)]
    yield FILE, dump_compact({"entries": entries}) + "\n"


def list_site_entries(site: Site) -> Iterator[Entry]:
    """Yield pairs in the order of the board, then players, then targets."""
    for row in site.results.board(site.judge):
        pair = site.pairs[row.submission.run_id]
        title = f"{pair.describer} + {pair.generator}" + (f", {pair.apart}" if pair.apart else "")
        yield [
            "pair",
            _shorten_line(title),
            _shorten_line(f"{pair.result.slug} {pair.result.name}"),
            f"pairs/{pair.key}.html",
            pair.key,
        ]
    for (role, label), path in player_paths(site).items():
        yield [role, _shorten_line(label), role, f"{path}.html"]
    for gallery in site.galleries.values():
        instance = gallery.instance
        words = f"{format_category(instance.category)} {instance.instance_id} {describe_target_picture(instance)}"
        yield [
            "target",
            gallery.title,
            _shorten_line(words),
            f"gallery/{instance.instance_id}.html",
            instance.instance_id,
        ]


def list_page_entries(pages: Iterable[Page]) -> Iterator[Entry]:
    """Yield boards and other pages that templates write."""
    for page in pages:
        # Matrices of single conditions and pages of targets would crowd out the other pages.
        single = page.path.startswith("games/") and page.template in _MANY and not page.path.endswith(_WHOLE)
        if (page.path.startswith(_FOLDERS) and not single) or page.found_by is not None:
            kind = _find_kind(page.path)
            words = "leaderboard" if kind == "board" else page.found_by or ""
            # Titles of a game's instances do not say their ids, by which files name them.
            if kind == "target":
                words = page.path.rpartition("/")[2]
            yield [kind, _shorten_line(page.title), words, f"{page.path}.html"]


def _find_kind(path: str) -> str:
    """Return the kind of a page by its place among the pages of its game, which have the same tree in every game."""
    if path.startswith("games/"):
        path = path.split("/", 2)[2]
    folder, _, name = path.partition("/")
    if folder == "boards":
        return "board"
    return {"pairs": "pair", "gallery": "target"}.get(folder, "page") if name not in {"", "index"} else "page"


def _shorten_line(text: str) -> str:
    return format_one_line(text, _LONGEST)
