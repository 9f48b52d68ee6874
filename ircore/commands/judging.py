"""The part of ``ircore score`` that asks judges that are models."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from ircore.commands.options import PATH, POSITIVE
from ircore.core.errors import InputError, WorkError
from ircore.core.plain_words import format_count
from ircore.core.terminal import make_printable
from ircore.runs.folder import RunFolder
from ircore.scorers.judges.manifest import LoadedJudge, read_judge
from ircore.scorers.model_judges.forecast import ASSUMED, estimate_judging, format_estimate
from ircore.scorers.model_judges.items import plan_run
from ircore.scorers.model_judges.runner import JudgeReport, read_judge_prices
from ircore.scorers.scoring import ScoreCount

Command = TypeVar("Command", bound=Callable[..., Any])

ASKING = (
    click.option(
        "--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Questions at once to a model."
    ),
    click.option("--deadline", type=POSITIVE, metavar="SECONDS", help="Stop asking models after this time."),
    click.option("--max-cost", type=POSITIVE, metavar="USD", help="Stop asking models at this cost."),
    click.option("--prices", type=PATH, help="File of prices that are added to the built-in prices."),
)
"""The options of every command that asks models."""

OPTIONS = (
    *ASKING,
    click.option("--cache", type=PATH, help="Keep models' answers here, for all runs."),
    click.option(
        "--dry-run", is_flag=True, help="Print what models would be asked and what it may cost; score nothing."
    ),
)


def judging_options(command: Command) -> Command:
    """Add the options that concern judges that are models."""
    return _add_options(command, OPTIONS)


def model_judge_options(command: Command) -> Command:
    """Add the options of every command that asks models: how many questions at once, and when to stop."""
    return _add_options(command, ASKING)


def _add_options(command: Command, options: Sequence[Callable[[Any], Any]]) -> Command:
    # Backwards, since click puts the option that is added last first.
    for option in reversed(options):
        command = option(command)
    return command


def read_judges(files: Sequence[str]) -> list[LoadedJudge]:
    """Read the files of judges.

    Raises:
        InputError: One cannot be used, or two of them have one name.
    """
    judges = [read_judge(Path(file)) for file in dict.fromkeys(files)]
    # A score tells its judge by the name alone.
    by_name: dict[str, LoadedJudge] = {}
    for judge in judges:
        other = by_name.setdefault(judge.name, judge)
        if other is not judge:
            raise InputError(
                f"{judge.path}: name: {judge.name!r} is also that of {other.path}", "Give each judge a name of its own."
            )
    return judges


def check_keys(judges: Sequence[LoadedJudge]) -> None:
    """Check that each judge's key is in the environment, before any score is computed.

    Raises:
        InputError: A key is not in the environment.
    """
    for judge in judges:
        judge.make_player()


def tell_plan(
    runs: Sequence[RunFolder],
    judges: Sequence[LoadedJudge],
    every_turn: bool,
    prices_file: Path | None,
    preferences: bool = True,
    again: float | None = None,
) -> None:
    """Show which questions would be asked and their cost at most."""
    prices = read_judge_prices(runs, judges, prices_file)
    for judge in judges:
        for run in runs:
            run.check_judge(judge.identity_in(run))
        planned = [plan_run(run, judge, every_turn, preferences, again) for run in runs]
        click.echo(format_estimate(judge, estimate_judging(judge, planned, prices), prices))
    click.echo(ASSUMED if judges else "no model would be asked: all of this is computed")


def tell_counts(counts: dict[str, ScoreCount]) -> None:
    """Show the number of scores of each judge and metric, which add up to the number of all scores."""
    for name, count in counts.items():
        click.echo(make_printable(f"  {name}: {count.text()}"))


def show_failures(reports: Sequence[JudgeReport]) -> int:
    """Show failures and return the exit status.

    Raises:
        WorkError: A judge was stopped.
    """
    for report in reports:
        for line in report.failed[:5]:
            click.echo(make_printable(f"  {report.name}: {line}"), err=True)
        if report.failed:
            failed = format_count(len(report.failed), "judgement")
            click.echo(f"ircore: {report.name}: {failed} failed; the same command asks for them again", err=True)
        if report.losses.too_many:
            click.echo(make_printable(f"ircore: {report.losses.line(report.name)}"), err=True)
    # Judges behind one service stop for the same reason, which is said once.
    stops = {report.stopped.problem: report.stopped for report in reports if report.stopped is not None}
    if stops:
        raise WorkError("; ".join(stops), " ".join(dict.fromkeys(stop.remedy for stop in stops.values())))
    return 1 if any(report.failed or report.losses.too_many for report in reports) else 0
