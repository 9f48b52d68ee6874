"""The judge whose scores lead the site."""

from collections.abc import Iterator

from ircore.core.errors import InputError
from ircore.results.cells import Cell
from ircore.results.headline import find_headline, sort_judges
from ircore.results.model import Results


def has_rated(results: Results, judge: str, category: str | None = None, difficulty: str | None = None) -> bool:
    """Return whether a judge rates final renderings, rather than only compares them with the first ones.

    A measure of the game itself always does, even where no episode has a value. So does a judge that was left nothing
    to rate, since no episode was played.

    Args:
        results: The runs to look at.
        judge: Name of the judge.
        category: One category, or None for all.
        difficulty: One difficulty, or None for both.
    """
    if not results.game.is_judged:
        return True

    def cells() -> Iterator[Cell]:
        # One by one: of the first pair it is known most times.
        return (results.cell(submission.run_id, judge, category, difficulty) for submission in results.submissions)

    return any(cell.score.n for cell in cells()) or not any(cell.played for cell in cells())


def select_site_judge(results: Results, wanted: str | None = None) -> str:
    """Return the judge shown on the front page and on every page with room for a single judge.

    Args:
        results: Results of all runs on the site.
        wanted: A judge's name; None for the headline judge (``ircore.results.headline``).

    Raises:
        InputError: The judge wanted rated nothing here, or none has rated similarity.
    """
    # A game that measures its headline itself has one board, by that measure.
    if not results.game.is_judged:
        return find_headline(results)
    rated = sort_judges(results)
    if wanted is not None and wanted not in rated:
        known = ", ".join(sorted(rated)) or "none"
        raise InputError(f"{wanted}: no such judge rated similarity in these runs", f"Give --judge one of: {known}.")
    # Judges that only compared renderings remain where none rated similarity.
    return wanted or (rated or results.judges)[0]
