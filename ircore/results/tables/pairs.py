"""The columns that identify a row's pair, and captions that state a table's selection."""

from ircore.core.counted import counted
from ircore.results.conditions import under
from ircore.results.model import Results
from ircore.results.tables.model import Column, Value
from ircore.results.tables.names import condition_words, pair_names

PAIR_COLUMNS = (
    Column("run_id", "Run", "The run: one pair under one set of rules.", digits=None, audience="programs"),
    Column("submission", "Submission", "Slug of the pair.", digits=None, audience="programs"),
    Column("describer", "Describer", "Model that sees the target and writes.", digits=None, audience="programs"),
    Column("generator", "Generator", "Model that reads and draws.", digits=None, audience="programs"),
    Column("pair", "pair", "Describer + generator.", digits=None, audience="readers"),
)


def pair_values(results: Results) -> dict[str, tuple[Value, ...]]:
    """Return the entries of ``PAIR_COLUMNS`` by run id."""
    names = pair_names(results.submissions)
    return {
        submission.run_id: tuple(
            Value(text)
            for text in (
                submission.run_id,
                submission.slug,
                submission.describer,
                submission.generator,
                names[submission.run_id],
            )
        )
        for submission in results.submissions
    }


def caption(
    results: Results, judge: str | None = None, category: str | None = None, difficulty: str | None = None
) -> str:
    """Return a caption of a table's selection: condition, judge, episodes a pair and instance set."""
    size = len(under(results.instances, category, difficulty))
    game = results.game
    by = f"judged by {judge}" if game.is_judged else f"main score made of {game.headline.title}"
    judged = "" if judge is None else f", {by}"
    repeats = max(submission.run.repeats for submission in results.submissions)
    many = counted(size, "episode") if repeats == 1 else f"{counted(size, 'target')}, up to {repeats} episodes of each,"
    return (
        f"{condition_words(category, difficulty).capitalize()}{judged}; "
        f"{many} a pair; instance set {results.instance_set[:12]}."
    )
