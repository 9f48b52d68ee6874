"""``ircore score``: judges and metrics on the renderings of runs."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote
from time import monotonic
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ircore.commands.judging import check_keys, judging_options, read_judges, show_failures, tell_counts, tell_plan
from ircore.commands.next_steps import NEXT
from ircore.commands.options import PATH, executor_options, find_scheduler, open_runs
from ircore.commands.run_paths import find_runs_to_change
from ircore.core.errors import InputError, WorkError
from ircore.core.plain_words import format_count
from ircore.core.plugins import list_available, list_builtin
from ircore.core.score_records import HUMAN
from ircore.core.terminal import make_printable
from ircore.games.base import Game
from ircore.games.registry import has_rated_pictures, load_game
from ircore.results.agreement import measure_retests, pair_answers
from ircore.results.ranking import UnrankedRun, list_unranked_runs
from ircore.runs.folder import RunFolder
from ircore.scorers.judges.manifest import LoadedJudge, is_judge_file
from ircore.scorers.model_judges.runner import JudgeReport, JudgingPlan, judge_runs
from ircore.scorers.scoring import JUDGES, METRICS, ScoringPlan, ScoringSummary, build_cluster_scorer, score_runs
from ircore.seeing.ocr import find_missing_reader_package

if TYPE_CHECKING:
    from ircore.scorers.game_measures import MeasureCounts

FOR_ANY_GAME = frozenset({"as_json", "dry_run"})
"""Options of ``ircore score`` that runs of every game take."""

OF_JUDGES = frozenset({"judges", "every_turn", "concurrency", "deadline", "max_cost", "prices", "cache"})
"""Options that runs of every game with pictures to rate take, if a judge is named."""


def select_runs_to_judge(runs: Sequence[RunFolder], judges: Sequence[str], mixed: bool) -> list[RunFolder]:
    """Return the runs whose pictures the named judges rate, and say of which games nothing can be rated.

    Args:
        runs: Runs of games that measure their headline themselves.
        judges: As named by ``--judge``.
        mixed: Whether runs whose headline judges give are given too.

    Raises:
        InputError: Judges are named, and nothing of the given runs can be rated.
    """
    if not judges:
        return []
    has_pictures = {run.game: _has_pictures(run) for run in runs}
    without = " and ".join(sorted(game for game, has in has_pictures.items() if has is False))
    rated = [run for run in runs if has_pictures[run.game]]
    problem = f"--judge: nothing of the game {without} can be rated: it names no pictures to compare"
    if without and not rated and not mixed:
        raise InputError(problem, "Leave out --judge: the game's own measures are computed.")
    if without:
        click.echo(make_printable(problem), err=True)
    return rated


def _has_pictures(run: RunFolder) -> bool | None:
    """Return whether pictures of a run can be rated; None for a broken game, told where its measures are computed."""
    try:
        return has_rated_pictures(_load_run_game(run))
    except WorkError:
        return None


def is_judged(run: RunFolder) -> bool:
    """Return whether judges give the headline of a run's game; not of a broken game, which is told of later."""
    try:
        return _load_run_game(run).is_judged
    except WorkError:
        return False


def limit_options(runs: Sequence[RunFolder], mixed: bool, judged: bool) -> None:
    """Say which options that were given by hand do not apply to runs whose headline the game measures.

    Args:
        runs: Runs of games that measure their headline themselves.
        mixed: Whether runs whose headline judges give are given too, which take the options.
        judged: Whether a judge is named.

    Raises:
        InputError: No given run can take them.
    """
    context = click.get_current_context()
    stated = [
        option.opts[0]
        for option in context.command.params
        if isinstance(option, click.Option)
        and option.name not in FOR_ANY_GAME | (OF_JUDGES if judged else set())
        and context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
    ]
    if not stated:
        return
    games = " and ".join(sorted({run.game for run in runs}))
    if not mixed:
        raise InputError(
            f"{stated[0]}: does not apply to runs of the game {games}",
            f"Leave out {' and '.join(stated)}: the game's own measures are computed.",
        )
    limit = f"for runs that judges rate alone; of the game {games} the game's own measures are computed"
    click.echo(make_printable(f"{', '.join(stated)}: {limit}"), err=True)


def tell_game_plan(runs: Sequence[RunFolder], judged: bool) -> None:
    """Show which measures would be computed of how many episodes; judges, if any is named, tell their own plans."""
    from ircore.games.base import is_played

    for run in runs:
        game = _load_run_game(run)
        count = sum(is_played(game, episode) for episode in run.episodes())
        keys = ", ".join(measure.key for measure in game.measures if measure.needs in ("steps", "pictures"))
        line = f"{run.run.run_id} ({run.game}): of {format_count(count, 'played episode')} it would compute {keys}"
        click.echo(make_printable(line if judged else f"{line}; no model would be asked"))


def score_games(runs: Sequence[RunFolder]) -> "list[tuple[RunFolder, MeasureCounts]]":
    """Compute the measures of runs, and return each run with its counts; runs of broken games are left out."""
    from ircore.scorers.game_measures import score_game_run

    measured = []
    for run in runs:
        try:
            measured.append((run, score_game_run(run, _load_run_game(run))))
        except WorkError as error:
            # A game whose package is broken must not hold up the runs of the others.
            click.echo(make_printable(f"ircore: {run.path} is left out: {error.problem}\n  {error.remedy}"), err=True)
    return measured


def tell_measured(measured: "Sequence[tuple[RunFolder, MeasureCounts]]") -> None:
    """Show the counts of each run in a line."""
    for run, counts in measured:
        click.echo(
            f"{run.run.run_id} ({run.game}): {format_count(counts.episodes, 'played episode')}: "
            f"{format_count(counts.new + counts.kept, 'value')}, {counts.new:,} new and {counts.kept:,} kept"
        )
        if counts.absent:
            said = f"no played episode has {', '.join(counts.absent)}, which the game {run.game} declares"
            click.echo(make_printable(f"{run.run.run_id}: {said}"), err=True)


def _load_run_game(run: RunFolder) -> Game[Any]:
    return load_game(run.game, f"{run.path}/run.json: game")


def _refuse_people(_context: click.Context, _parameter: click.Parameter, judges: tuple[str, ...]) -> tuple[str, ...]:
    """Return the judges to ask; people, whose ratings are imported, are refused even if a plug-in has that name."""
    if HUMAN in judges:
        raise InputError(
            "--judge human: people are not asked here", "Import ratings: ircore ratings import FILE --run RUN"
        )
    return judges


def _parse_share(_context: click.Context, _parameter: click.Parameter, typed: str | None) -> float | None:
    """Read a share above 0 and at most 1, such as 10% or 0.1."""
    if typed is None:
        return None
    digits, percent = typed.removesuffix("%"), typed.endswith("%")
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", digits):
        raise InputError(f"--again {typed}: not a share", "Write it as 10% or 0.1.")
    share = float(digits) / 100 if percent else float(digits)
    if not 0 < share <= 1:
        raise InputError(f"--again {typed}: must be above 0 and at most 1", "Write it as 10% or 0.1.")
    return share


@click.command("score")
@click.argument("runs", type=PATH, nargs=-1, required=True, callback=find_runs_to_change)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="NAME|FILE",
    callback=_refuse_people,
    help="Judge to ask instead of structural and verified: an installed judge, or a model's file; may be repeated.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Metric to compute instead of all built-in metrics; may be repeated.",
)
@click.option("--every-turn", is_flag=True, help="Score every rendering, not only the first and the final rendering.")
@click.option("--facts", is_flag=True, help="Also measure which facts messages state and renderings show.")
@click.option(
    "--again",
    metavar="SHARE",
    callback=_parse_share,
    help="Only: let models rate a share of what they have rated a second time, such as 10%, and say how far they agree "
    "with themselves. Kept apart from the scores.",
)
@executor_options
@judging_options
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one JSON document.")
def command(
    runs: tuple[Path, ...],
    judges: tuple[str, ...],
    metrics: tuple[str, ...],
    every_turn: bool,
    facts: bool,
    again: float | None,
    executor: str,
    scheduler: str | None,
    concurrency: int,
    deadline: float | None,
    max_cost: float | None,
    prices: Path | None,
    cache: Path | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Score the first and the final rendering of every played episode of RUNS.

    Scores that exist are kept and never computed again; the same command goes on where it stopped. Runs of other games
    than reconstruction are scored by the game's own measures; with --judge, their pictures are rated too.
    """
    if dry_run and as_json:
        raise click.UsageError("--dry-run has no JSON form")
    begun = monotonic()
    models = read_judges([judge for judge in judges if is_judge_file(judge)])
    installed = tuple(judge for judge in judges if not is_judge_file(judge))
    plan = ScoringPlan(installed if judges else JUDGES, metrics or METRICS, every_turn)
    if again is not None:
        return _run_retest(
            runs,
            models,
            installed,
            JudgingPlan(every_turn, concurrency, deadline, max_cost, prices, None, again=again),
            dry_run,
            as_json,
        )
    opened = open_runs(runs)
    folders = [folder for folder in opened if is_judged(folder)]
    games = [folder for folder in opened if folder not in folders]
    rated: list[RunFolder] = [*folders, *select_runs_to_judge(games, judges, mixed=bool(folders))]
    if games:
        limit_options(games, mixed=bool(folders), judged=bool(judges))
    if dry_run:
        tell_game_plan(games, judged=bool(judges))
        if rated:
            tell_plan(rated, models, every_turn, prices)
        return 0
    # Before the computed scores, which may take minutes: a missing key shows at once.
    check_keys(models)
    address = find_scheduler(executor, scheduler)
    measured = score_games(games)
    if not as_json:
        tell_measured(measured)
    by_run = {run.run.run_id: counts._asdict() for run, counts in measured}
    if not rated:
        if as_json:
            click.echo(json.dumps(by_run, indent=2))
        return int(len(measured) < len(games))
    asked = JudgingPlan(every_turn, concurrency, deadline, max_cost, prices, cache)
    done = score_runs(rated, plan, elsewhere=build_cluster_scorer(address) if address is not None else None)
    reports = judge_runs(rated, models, asked) if models else []
    _tell_others(plan, with_metrics=bool(folders))
    if facts:
        _measure_facts(folders, models, asked)
    if not done.episodes and not games:
        # Results would send back to here.
        place = "{runs}" if len(runs) == 1 else quote(str(runs[0]))
        click.get_current_context().meta[NEXT] = f"ircore show {place}"
        click.echo("nothing to score: no episode was played to a rendering", err=True)
    unranked = list_unranked_runs(folders, [*plan.judges, *(judge.name for judge in models)])
    seconds = round(monotonic() - begun, 2)
    _tell(done, reports, unranked, every_turn, seconds, {"games": by_run} if games else {}, as_json)
    return show_failures(reports) or int(len(measured) < len(games))


def _run_retest(
    runs: tuple[Path, ...],
    models: list[LoadedJudge],
    installed: tuple[str, ...],
    plan: JudgingPlan,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Let models rate a share of what they have rated a second time, and say how far they agree with themselves."""
    if not models or installed:
        named = f"--judge {installed[0]}: " if installed else ""
        raise InputError(
            f"--again: {named}only models are asked a second time; what is computed comes out the same",
            "Name the file of a model: --judge FILE",
        )
    opened = open_runs(runs)
    if dry_run:
        tell_plan(opened, models, plan.every_turn, plan.prices, again=plan.again)
        return 0
    check_keys(models)
    reports = judge_runs(opened, models, plan)
    answers = [answer for run in opened for answer in pair_answers(run)]
    agreements = [agreement for judge in models for agreement in measure_retests(answers, judge.name)]
    if as_json:
        document = {
            "new": {report.name: report.count.new for report in reports},
            "failed": {report.name: len(report.failed) for report in reports},
            "retests": [asdict(agreement) for agreement in agreements],
        }
        click.echo(json.dumps(document, indent=2))
        return show_failures(reports)
    for report in reports:
        click.echo(make_printable(f"{report.name}: {format_count(report.count.new, 'second rating')} now"))
    for agreement in agreements:
        click.echo(make_printable(f"  {agreement.text()}"))
    if not agreements:
        click.echo("nothing was rated twice: score the runs by this judge first", err=True)
    return show_failures(reports)


def _tell(
    done: ScoringSummary,
    reports: list[JudgeReport],
    unranked: list[UnrankedRun],
    every_turn: bool,
    seconds: float,
    games: dict[str, Any],
    as_json: bool,
) -> None:
    counts = {**done.counts, **{report.name: report.count for report in reports}}
    new, known, without = (
        sum(getattr(count, name) for count in counts.values()) for name in ("new", "kept", "new_without")
    )
    done = replace(done, new=new, kept=known, unavailable=without, counts=counts)
    if as_json:
        failed = {report.name: len(report.failed) for report in reports}
        lost = {report.name: dict(report.losses.reasons) for report in reports}
        gaps = {"unranked": [asdict(gap) for gap in unranked]}
        document = {**asdict(done), "failed": failed, "lost": lost, **gaps, **games, "seconds": seconds}
        click.echo(json.dumps(document, indent=2))
        return
    missing = sum(sum(count.without.values()) for count in counts.values())
    lacking = f"; {missing:,} without a value" if missing else ""
    click.echo(
        f"{format_count(done.episodes, 'played episode')} of {format_count(done.runs, 'run')}: "
        f"{format_count(new + known, 'score')}, "
        f"{new:,} new and {known:,} kept{lacking} ({seconds:.1f} s)"
    )
    tell_counts(counts)
    for name, count in counts.items():
        if words := count.unread_words(find_missing_reader_package()):
            click.echo(make_printable(f"  {name}: {words}"), err=True)
    rendered = "every rendering" if every_turn else "the first and the final rendering"
    click.echo(f"Scored: {rendered} of each episode; a preference is between first and final. Kept: there before.")
    for gap in unranked:
        click.echo(make_printable(f"  {gap.judge}: no rank for {gap.run}: {gap.words}"), err=True)


def _measure_facts(runs: list[RunFolder], judges: list[LoadedJudge], plan: JudgingPlan) -> None:
    """Measure which facts of drawn targets the messages state and the renderings show, and say how many turns.

    The grammar of the built-in players reads the messages, and so does every judge that is a model.
    """
    from ircore.scorers.stated_facts import ask_said, measure_said

    count = measure_said(runs)
    passed = (
        f"; {format_count(count.without_scene, 'episode')} of targets that were not drawn"
        if count.without_scene
        else ""
    )
    turns = format_count(count.new + count.kept, "turn")
    click.echo(f"facts: {turns}, {count.new:,} new and {count.kept:,} kept{passed}", err=True)
    for judge in judges:
        readings = ask_said(runs, judge, plan)
        lost = f", {format_count(readings.unreadable, 'answer')} not readable" if readings.unreadable else ""
        failed = f", {readings.failed} failed: the same command asks again" if readings.failed else ""
        click.echo(
            make_printable(f"facts: {judge.name} read {format_count(readings.read, 'new turn')}{lost}{failed}"),
            err=True,
        )


def _tell_others(plan: ScoringPlan, with_metrics: bool) -> None:
    """Say which judges and, where they can be asked for, metrics of other packages were not asked for."""
    # Code of other packages runs only if it is named: a package must not change scores by being installed.
    judges = list_available("judges").keys() - list_builtin("judges") - set(plan.judges)
    metrics = list_available("metrics").keys() - list_builtin("metrics") - set(plan.metrics) if with_metrics else ()
    others = [*(f"--judge {name}" for name in judges), *(f"--metric {name}" for name in metrics)]
    if others:
        click.echo(make_printable(f"also installed, and asked by name: {', '.join(sorted(others))}"), err=True)
