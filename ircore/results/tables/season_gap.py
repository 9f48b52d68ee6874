"""The gap of each pair between a public set and a secret season: the gain from knowing the public targets."""

from ircore.core.errors import InputError
from ircore.games.reconstruction.records import Rules
from ircore.results.headline import VERIFIED
from ircore.results.model import Results
from ircore.results.statistics.intervals import difference_of
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import pair_columns, pair_values

COLUMNS = (
    Column("public", "public", "Main score on the public set.", "0–100", "higher", 1, estimated=True),
    Column("secret", "secret", "Main score on the season's set.", "0–100", "higher", 1, estimated=True),
    Column("gap", "public − secret", "Public minus secret main score.", "0–100", "lower", 1, True, estimated=True),
)


def season_gap_table(public: Results, secret: Results, judge: str, category: str | None = None) -> Table:
    """Return public and secret main score of every pair that played both sets by the same rules, and their difference.

    Args:
        public: Results on a public set.
        secret: Results on the season's set.
        judge: A judge of both.
        category: Only this category.

    Raises:
        InputError: The judge rated only one of the sets, the sets have other categories, or no pair played both.
    """
    for results in (public, secret):
        if judge not in results.judges:
            raise InputError(
                f"--judge {judge} has not rated instance set {results.instance_set[:12]}",
                "Score the runs of this set with the judge.",
            )
        if category is not None and category not in results.categories:
            raise InputError(
                f"instance set {results.instance_set[:12]} has no --category {category}",
                "Name a category of both sets.",
            )
    if category is None and judge != VERIFIED and public.categories != secret.categories:
        raise InputError(
            f"--judge {judge} rates {', '.join(public.categories)} there and {', '.join(secret.categories)} here",
            f"Name a category of both sets with --category, or take --judge {VERIFIED}.",
        )
    there = {(run.slug, Rules.of(run.run).key): run.run_id for run in secret.submissions}
    names, rows = pair_values(public), []
    for run in public.submissions:
        other = there.get((run.slug, Rules.of(run.run).key))
        if other is None:
            continue
        scores = public.cell(run.run_id, judge, category).main, secret.cell(other, judge, category).main
        rows.append((*names[run.run_id], *map(Value.of, (*scores, difference_of(*scores)))))
    if not rows:
        raise InputError("no pair played both sets by the same rules", "Play the same submission on both sets.")
    words = (
        f"{(category or 'All drawn targets').replace('_', ' ').capitalize()}, judged by {judge}; public set "
        f"{public.instance_set[:12]}, season's set {secret.instance_set[:12]}."
    )
    return Table("season-gap", "Public against secret", words, (*pair_columns(public), *COLUMNS), tuple(rows))
