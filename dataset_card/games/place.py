"""Where a release of a game lies: a folder here, or a dataset on the Hub."""

from pathlib import Path

from dataset_card.games.release import CARD, is_game_release
from dataset_card.hub.pull import find_release
from dataset_card.releases.record import RELEASE, RUNS
from dataset_card.tables.schema import LEADERBOARD, SPLIT

PATTERNS = (RELEASE, RUNS, CARD, f"data/*/{SPLIT}-*.parquet")
"""All files of a release of a game."""


def game_release_at(place: str, revision: str | None = None) -> Path | None:
    """Return the folder of a release of a game other than reconstruction; None if the place has another release.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hub; a folder of that name goes first.
        revision: Tag, branch or commit on the Hub; the newest commit if None.

    Raises:
        InputError: There is no such folder and it cannot be a name on the Hub, or a folder is asked for a revision.
        WorkError: The Hub has no such dataset or revision, or cannot be reached.
    """
    # What it says of itself, and the smallest table, without which it would be no release.
    folder = find_release(place, revision, (RELEASE, LEADERBOARD.pattern))
    if not is_game_release(folder):
        return None
    # A folder of the Hub's cache is named by the commit: the rest is taken of the same.
    return folder if Path(place).is_dir() else find_release(place, folder.name, PATTERNS)
