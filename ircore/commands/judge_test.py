"""``ircore judge-test``: a judge's card on graded edits."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ircore.commands.judging import check_keys, judging_options, read_judges, show_failures, tell_plan
from ircore.commands.options import PATH
from ircore.core.plain_words import format_count
from ircore.core.score_records import HUMAN, JudgeIdentity
from ircore.core.terminal import make_printable
from ircore.runs.folder import RunFolder
from ircore.scorers.judges.base import list_tasks
from ircore.scorers.judges.manifest import LoadedJudge, is_judge_file
from ircore.scorers.model_judges.runner import JudgingPlan, judge_runs
from ircore.scorers.ratings import HUMAN_JUDGE
from ircore.scorers.scoring import ScoringPlan, score_runs

if TYPE_CHECKING:
    from ircore.scorers.judge_test.card import JudgeCard
OUT = Path("build/judge-tests")


@click.command("judge-test")
@click.argument("judge", metavar="NAME|FILE")
@click.option("--out", type=PATH, help=f"Folder of the test.  [default: {OUT.as_posix()}/NAME]")
@click.option("--instances", type=PATH, help="Edit these targets instead of the benchmark's small set.")
@click.option("--limit", type=click.IntRange(min=1), help="Edit this many targets, of every condition in turn.")
@judging_options
@click.option("--json", "as_json", is_flag=True, help="Print the card as one JSON document.")
def command(
    judge: str,
    out: Path | None,
    instances: Path | None,
    limit: int | None,
    concurrency: int,
    deadline: float | None,
    max_cost: float | None,
    prices: Path | None,
    cache: Path | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Let a judge rate graded edits of targets whose order is known, and write its card.

    The judge is an installed one, a metric of single pictures, the file of a model, or `human` for people whose ratings
    were imported. The folder gets card.json and card.html; the same command goes on where it stopped.
    """
    from ircore.scorers.judge_test.card import compute_card, write_card, write_page
    from ircore.scorers.judge_test.test_run import compute_preference_card, load_judge_or_metric, open_test

    if dry_run and as_json:
        raise click.UsageError("--dry-run has no JSON form")
    models = read_judges([judge] if is_judge_file(judge) else [])
    name = models[0].name if models else _check_judge(judge)
    # A dry run asks nobody, so that its forecast needs no key.
    if not dry_run:
        check_keys(models)
    folder = out or OUT / name
    run = open_test(folder / "run", instances, limit)
    if dry_run:
        tell_plan([run], models, every_turn=True, prices_file=prices, preferences=False)
        return 0
    plan = JudgingPlan(True, concurrency, deadline, max_cost, prices, cache, preferences=False)
    if not models and name != HUMAN and "similarity" not in list_tasks(load_judge_or_metric(name)):
        # Such a judge rates no single picture, and is shown two instead.
        card, status = compute_preference_card(run, name), 0
    else:
        identity, status = _rate_edits(run, name, models, plan)
        card = compute_card(run, identity)
    write_card(folder / "card.json", card)
    write_page(folder / "card.html", card)
    click.echo(card.model_dump_json(indent=2, by_alias=True) if as_json else _format_card(card, folder))
    return status


def _check_judge(judge: str) -> str:
    """Return the name of an installed judge or metric that can be made, or of people; ``InputError`` for any other."""
    from ircore.scorers.judge_test.test_run import load_judge_or_metric

    if judge != HUMAN:
        load_judge_or_metric(judge)
    return judge


def _rate_edits(run: RunFolder, name: str, models: list[LoadedJudge], plan: JudgingPlan) -> tuple[JudgeIdentity, int]:
    """Let the judge rate the edits without a rating; return the judge's identity and the exit status."""
    if models:
        status = show_failures(judge_runs([run], models, plan))
        return models[0].identity_in(run), status
    if name == HUMAN:
        return HUMAN_JUDGE, 0
    score_runs([run], ScoringPlan((name,), (), every_turn=True, preferences=False))
    return run.judges()[name], 0


def _format_card(card: "JudgeCard", folder: Path) -> str:
    from ircore.scorers.judge_test.card import PASSING, format_percent

    pairs = format_count(card.pairs, "ordered pair")
    share = "no pairs" if card.share is None else f"{format_percent(card.share, 1)} of {pairs} right"
    verdict = "" if card.passed else f", fewer than {PASSING:.0%}: boards of this judge say so"
    lines = [
        f"{card.judge.name} on {format_count(card.targets, 'target')}, edited: {share}{'' if card.foreign else verdict}"
    ]
    if card.foreign is not None and card.foreign.share is not None:
        ends = f"{format_percent(card.foreign.low or 0.0, 1)} to {format_percent(card.foreign.high or 0.0, 1)}"
        words = f"{format_percent(card.foreign.share, 1)} ({ends}) of {format_count(card.foreign.pairs, 'pair')} right"
        lines.append(f"drawn by others: {words}{verdict}")
        lines += [
            f"  {family.mean:5.2f}  {family.title} (a person: {family.low:g} to {family.high:g})"
            for family in card.foreign.families
            if family.mean is not None
        ]
        lines.append("edits of the target's own picture:")
    lines += [f"  {score.mean:5.2f}  {score.title} ({score.targets})" for score in card.edits if score.mean is not None]
    lines += [
        f"  attack: {attack.title}: succeeded on {attack.succeeded} of {attack.targets}" for attack in card.attacks
    ]
    return make_printable("\n".join([*lines, f"card: {folder / 'card.html'}"]))
