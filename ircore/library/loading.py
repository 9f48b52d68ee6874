"""Results, pictures and releases: calls for notebooks and scripts."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ircore.core.errors import InputError
from ircore.core.images import Loading
from ircore.core.plugins import build_unknown_name_error, load_plugin, require_packages
from ircore.library.playing import Place, RunPlace, open_run
from ircore.results.model import Order, Results
from ircore.results.tables.catalogue import TABLES, TableQuestion, find_table_entry
from ircore.results.tables.formats import list_flat_columns, list_flat_records
from ircore.results.tables.model import Table
from ircore.runs.folder import RUN_FILE, RunFolder
from ircore.scorers.metrics.base import LOADINGS, Measurement, load_metrics, load_pixels, measure

if TYPE_CHECKING:
    import pandas as pd
    from PIL.Image import Image

if TYPE_CHECKING:
    import pandas as pd


Source = RunPlace | Results | Results | Sequence[RunPlace]
"""Source of tables: a run, several runs, a release's place, or results."""


def load_results(*places: RunPlace, revision: str | None = None, game: str | None = None) -> Results:
    """Compute the results of runs, or of one release: every mean, interval and rank.

    Args:
        places: Scored runs, all of one game on one instance set; or one release, a folder or ``ORG/NAME`` on the
            Hugging Face Hub.
        revision: Tag, branch or commit of a release on the Hub; the newest commit if None.
        game: Of a release: the game; if None reconstruction where it was played, else the release's only game.

    Returns:
        The results: ``board``, ``compare``, ``cell`` and the episodes behind every number.

    Raises:
        InputError: A place is neither run nor release, or the runs do not go together.
        WorkError: The release has faults, or the Hub cannot be reached.

    Example:
        >>> results = ircore.load_results("run")
        >>> results.judges
        ('structural', 'verified')
        >>> ircore.load_results("release").board("verified") == results.board("verified")
        True
    """
    if len(places) == 1 and not _is_run(places[0]):
        loaded: Results = load_plugin("releases", "results")(str(places[0]), revision, game)
        return loaded
    if revision is not None:
        raise InputError(f"revision {revision!r}: runs have no revisions", "Remove the argument revision.")
    return Results.from_runs(map(open_run, places))


def board(
    source: Source,
    *,
    judge: str | None = None,
    category: str | None = None,
    difficulty: str | None = None,
    order: Order = "main",
    game: str | None = None,
) -> "pd.DataFrame":
    """Return the board: pairs ranked by their main score (0–100), in which an episode not played counts as 0.

    Args:
        source: A run of any game, several of one game, a release, or ``load_results(…)``.
        judge: Whose ratings; those of the headline judge if None: ``verified`` where it rated.
        category: Only this category; all if None.
        difficulty: ``easy`` or ``hard``; both if None.
        order: ``main``, which decides the ranks, or ``quality``: the score of what was played.
        game: Of a release: the game; if None reconstruction where it was played, else the release's only game.

    Returns:
        A row for each pair, best first. Ranks are ranges, ``rank_low`` to ``rank_high``, 1 for the best; missing for a
        pair without a rank. ``attrs`` holds the caption, units and descriptions of the columns.

    Raises:
        InputError: There is nothing to rank, or no such game, judge, category or difficulty.
        WorkError: A release has faults, or the Hub cannot be reached.

    Example:
        >>> board = ircore.board("run")
        >>> board["submission"].tolist()
        ['builtin-classical-canvas']
        >>> board.attrs["units"]["main_score_mean"]
        '0–100'
    """
    return table(source, "board", judge=judge, category=category, difficulty=difficulty, order=order, game=game)


def table(
    source: Source,
    name: str,
    *,
    judge: str | None = None,
    category: str | None = None,
    difficulty: str | None = None,
    order: Order = "main",
    game: str | None = None,
) -> "pd.DataFrame":
    """Return a table of results by its name.

    Args:
        source: A run, several of one game, a release, or ``load_results(…)``, which is quicker for several tables.
        name: One of ``tables()``; of runs of another game what ``ircore results RUN`` lists, such as ``at_k``.
        judge: Whose ratings, of tables of one judge; those of the headline judge if None.
        category: Only this category; all if None.
        difficulty: ``easy`` or ``hard``; both if None.
        order: Of boards, as in ``board``.
        game: Of a release, as in ``board``.

    Returns:
        The table in full precision, with the columns of ``ircore results --table NAME --format csv``: an estimate
        has ``…_mean``, ``…_low``, ``…_high`` (95 % interval) and ``…_n``.

    Raises:
        InputError: There is no such table, game, judge, category or difficulty.
        WorkError: A release has faults, or the Hub cannot be reached.

    Example:
        >>> outcomes = ircore.table("run", "outcomes")
        >>> len(outcomes)
        1
    """
    results = _results(source, game)
    entry = find_table_entry(name, "table", results.game)
    return as_frame(entry.table(results, TableQuestion(judge, category, difficulty, order)))


def tables() -> dict[str, str]:
    """Return the name of every table with a line about its contents.

    Example:
        >>> ircore.tables()["judges"]
        "every judge's mean score of each pair"
    """
    return {name: entry.description for name, entry in TABLES.items()}


def load_table(place: Place, name: str, *, revision: str | None = None, pictures: bool = False) -> "pd.DataFrame":
    """Return a table of a release as it was published; nothing is computed or checked again.

    Args:
        place: A folder, or ``ORG/NAME`` on the Hugging Face Hub.
        name: ``transcripts`` (of another game ``transcripts_GAME``), ``instances``, ``episodes``, ``scores``,
            ``leaderboard`` or ``previews``.
        revision: Tag, branch or commit on the Hub; the newest commit if None.
        pictures: Whether pictures come along, each a mapping with ``bytes`` and ``path``.

    Raises:
        InputError: There is no such release or table, or the table is damaged.
        WorkError: The Hub has no such dataset or revision, or cannot be reached.

    Example:
        >>> instances = ircore.load_table("release", "instances")
        >>> instances["difficulty"].tolist()
        ['easy', 'hard']
    """
    # By name, because this package never imports that of releases.
    frame: pd.DataFrame = load_plugin("releases", "table")(str(place), name, revision, pictures)
    return frame


def compare(
    target: Union[Place, "Image"],
    image: Union[Place, "Image"],
    metrics: Sequence[str] = (),
    *,
    loading: Loading = "upstream",
) -> dict[str, Measurement]:
    """Measure an image against a target by image metrics.

    Args:
        target: A path or a PIL image.
        image: A path or a PIL image; resized to the target where a metric needs equal sizes. ``brisque`` uses it alone.
        metrics: Names, such as ``ssim``; all that need no weights and no extra if empty.
        loading: ``upstream``: as published values were computed, EXIF orientation and alpha ignored, the image squashed
            to the target's size. ``native``: as a viewer shows the pictures, on white, proportions kept.

    Returns:
        By metric its ``value``, in the metric's unit, or None with the ``reason`` why there is none; and the metric's
        ``version`` and the ``loading``.

    Raises:
        InputError: A file cannot be read, or a metric or way of loading is unknown.

    Example:
        >>> from PIL import Image
        >>> white, black = Image.new("RGB", (64, 64), "white"), Image.new("RGB", (64, 64), "black")
        >>> ircore.compare(white, black, ["psnr"])["psnr"].value  # every pixel is 255 of 255 off: 0 dB
        0.0
        >>> round(ircore.compare(white, white, ["ssim"])["ssim"].value, 6)
        1.0
    """
    if loading not in LOADINGS:
        raise build_unknown_name_error("loading", loading, LOADINGS)
    loaded, lacking = load_metrics(metrics)
    target_pixels, image_pixels = load_pixels(_opened(target), loading), load_pixels(_opened(image), loading)
    measured = {name: measure(metric, target_pixels, image_pixels, loading) for name, metric in loaded.items()}
    return measured | {name: Measurement(None, reason) for name, reason in lacking.items()}


class ReleaseVerification(NamedTuple):
    """The result of ``verify`` for a release.

    >>> ReleaseVerification(faults=(), recomputed=("1 run",), not_checked=()).sound
    True
    """

    faults: tuple[str, ...]
    """One line each; none if everything agrees."""

    recomputed: tuple[str, ...]
    """Recomputed values, a line each."""

    not_checked: tuple[str, ...]
    """Parts that could not be checked, with the reason."""

    @property
    def sound(self) -> bool:
        """Whether there is no fault."""
        return not self.faults


def verify(
    release: Place, *, revision: str | None = None, share: float = 1.0, seed: int = 0, workers: int = 1
) -> ReleaseVerification:
    """Check a release, and compute its scores again from its pictures and messages.

    Args:
        release: A folder, or ``ORG/NAME`` on the Hugging Face Hub.
        revision: Tag, branch or commit on the Hub; the newest commit if None.
        share: Share of each run's episodes to compute again, above 0, up to 1.
        seed: Seed of the draw of a share; choose a seed that the makers of the release could not know.
        workers: Processes, as in ``score``.

    Returns:
        Faults and what was computed again.

    Raises:
        InputError: There is no such release, or ``share`` is out of range.
        WorkError: The Hub has no such dataset or revision, or cannot be reached.

    Example:
        >>> verification = ircore.verify("release")
        >>> verification.sound
        True
        >>> verification.recomputed[0]
        'computed again: 1 run, 2 episodes by the rules'
    """
    report: Any = load_plugin("releases", "verify")(str(release), revision, share, seed, workers)
    return ReleaseVerification(report.faults, report.rescored, report.not_checked)


def _is_run(place: RunPlace) -> bool:
    return isinstance(place, RunFolder) or (Path(place) / RUN_FILE).is_file()


def _results(source: Source, game: str | None) -> Results:
    if isinstance(source, Results):
        results = source
    else:
        # A text is a sequence, too, but names one place.
        places = source if isinstance(source, Sequence) and not isinstance(source, str) else (source,)
        results = load_results(*places, game=game)
    if game not in (None, results.game.name):
        raise InputError(f"game {game!r}: these are results of {results.game.name}", "Remove the argument game.")
    return results


def _opened(image: Union[Place, "Image"]) -> "Path | Image":
    return Path(image) if isinstance(image, str | PathLike) else image


def as_frame(table: Table) -> "pd.DataFrame":
    """Return a table as a DataFrame in full precision, with the columns of its CSV.

    Args:
        table: Any table.

    Returns:
        A row for each row; an estimate has four columns, as ``flat_columns`` names them. ``attrs`` holds ``title``,
        ``caption``, ``units`` and ``descriptions``, the last two by column.

    Raises:
        InputError: pandas is not installed.
    """
    require_packages("a DataFrame", "release", "pandas")
    import pandas as pd

    columns = list_flat_columns(table.columns, table.primary)
    frame = pd.DataFrame(list(list_flat_records(table)), columns=[flat.name for flat in columns])
    frame.attrs = {
        "title": table.title,
        "caption": table.caption,
        "units": {flat.name: flat.column.unit for flat in columns if flat.part != "n"},
        "descriptions": {flat.name: flat.column.description for flat in columns},
    }
    return frame
