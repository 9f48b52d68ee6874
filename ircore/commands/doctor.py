"""``ircore doctor``: does a submission work, does a judge?"""

from collections.abc import Mapping
from pathlib import Path
from shlex import quote

import click

from ircore.commands.completion import complete_submissions
from ircore.commands.next_steps import NEXT
from ircore.commands.options import PATH, echo_json, json_option
from ircore.core.records import PlayerSpec
from ircore.core.terminal import make_printable, style_text
from ircore.games.registry import load_game, require_support
from ircore.players.builtin_pairs import find_submission_place
from ircore.players.examination import PlayerFinding
from ircore.players.submission import LoadedSubmission, read_manifest
from ircore.runs.setup import check_seats, merge_rules
from ircore.scorers.judges.manifest import is_judge_manifest, read_judge
from ircore.submissions.doctor import (
    COLUMNS,
    DeepReport,
    examine_describer,
    examine_judge,
    examine_seat,
    format_table_line,
    report_on_generator,
    write_mended,
)


@click.command("doctor")
@click.argument("submission", type=PATH, shell_complete=complete_submissions)
@click.option(
    "--timeout", type=click.FloatRange(1, 3600), default=120, show_default=True, help="Seconds that an answer may take."
)
@click.option("--deep", is_flag=True, help="Probe the services with some thirty questions more.")
@click.option("--out", type=PATH, help="With --deep: write a manifest that works into this folder.")
@json_option
def command(submission: Path, timeout: float, deep: bool, out: Path | None, as_json: bool) -> int:
    """Ask the players of SUBMISSION two tiny questions each, and say which of them work.

    SUBMISSION is a folder, its submission.yaml, or a built-in pair such as classical+canvas.

    SUBMISSION may also be the file of a judge that is a model: it is asked one question about two pictures.

    The describer is shown a small picture, then a second one; the generator is asked for a picture, then for a
    correction of it. Of other games each seat is asked one question. With a paid service this costs a few cents.

    --deep asks a describer behind a service for ten pictures, the full answer, usage, seeds, the same answer twice and
    errors, says which rules and parameters follow, and prints a line for the table of services in the docs.
    """
    if out is not None and not deep:
        raise click.UsageError("--out needs --deep")
    if deep and as_json:
        raise click.UsageError("--deep has no JSON form")
    if is_judge_manifest(submission):
        judge = read_judge(submission)
        click.get_current_context().meta[NEXT] = f"ircore score RUN --judge {quote(str(submission))}"
        return _tell({"judge": judge.spec}, {"judge": [examine_judge(judge, timeout, _say)]}, as_json)
    loaded = read_manifest(find_submission_place(submission))
    game = load_game(loaded.submission.game, f"{loaded.path}: game")
    rules = merge_rules(game, loaded, {})
    check_seats(game, loaded, rules)
    if deep:
        return _probe_services(loaded, timeout, out)
    players = loaded.submission.players
    asked = game.list_seats(rules)
    seats = {seat.name: players[seat.name] for seat in asked}
    return _tell(seats, {seat.name: examine_seat(loaded, seat, timeout, _say) for seat in asked}, as_json)


def _tell(players: Mapping[str, PlayerSpec], findings: dict[str, list[PlayerFinding]], as_json: bool) -> int:
    """Show the findings about players by seat; return the exit status, 1 if a question failed."""
    if not as_json:
        return max(_show(seat, players[seat], findings[seat]) for seat in findings)
    echo_json(
        {
            seat: {"player": players[seat].label, "findings": [finding._asdict() for finding in findings[seat]]}
            for seat in findings
        }
    )
    return 0 if all(finding.works for seat in findings.values() for finding in seat) else 1


def _say(line: str) -> None:
    click.echo(make_printable(line), err=True)


def _probe_services(loaded: LoadedSubmission, timeout: float, out: Path | None) -> int:
    """Probe the services of a pair; show findings, the manifest's changes and the line for the table of services."""
    require_support("deep examination", loaded.submission.game, str(loaded.path))
    describing, drawing = load_game(loaded.submission.game).seats
    describer, generator = (loaded.submission.players[seat.name] for seat in (describing, drawing))
    if describer.player == "openai":
        seen = examine_describer(describer, timeout)
        if all(finding.works for finding in seen.findings):
            seen.findings += examine_seat(loaded, describing, timeout, _say)
    else:
        seen = DeepReport("describer", examine_seat(loaded, describing, timeout, _say))
    drawn = report_on_generator(examine_seat(loaded, drawing, timeout, _say))
    _show("describer", describer, seen.findings)
    _show("generator", generator, drawn.findings)
    reports = (seen, drawn)
    changes = {name: rule for report in reports for name, rule in report.rules.items()}
    said = [f"rules.{name}: {rule}" for name, rule in changes.items()]
    said += [
        f"{report.seat}.parameters.{name}: {value}" for report in reports for name, value in report.parameters.items()
    ]
    click.echo(make_printable("needs      " + (", ".join(said) or "nothing that the manifest does not state")))
    if out is not None:
        click.echo(make_printable(f"manifest   {write_mended(loaded, reports, out)}"))
    click.echo(make_printable(f"table      | {' | '.join(COLUMNS)} |\n           {format_table_line(loaded, reports)}"))
    return _compute_probe_status(seen.findings, drawn.findings, changes)


def _compute_probe_status(seen: list[PlayerFinding], drawn: list[PlayerFinding], changes: dict[str, str]) -> int:
    """Return 0 if the pair works with the changes that were found, else 1."""
    # Questions that may fail, and the rule of a manifest under which they are never asked.
    helped = {"ten pictures": "history", "correction": "drawing"}
    failed = [finding.question for finding in (*seen, *drawn) if not finding.works]
    return 0 if all(helped.get(question) in changes for question in failed) else 1


def _show(seat: str, spec: PlayerSpec, findings: list[PlayerFinding]) -> int:
    """Show the findings about a player; return the exit status, 1 if a question failed."""
    click.echo(make_printable(f"{seat:<10} {spec.label}{f' at {spec.base_url}' if spec.base_url else ''}"))
    for finding in findings:
        verdict = style_text("works", "green") if finding.works else style_text("FAILS", "red")
        click.echo(f"  {verdict}  {make_printable(f'{finding.question}: {finding.detail}')}")
        if finding.remedy:
            click.echo(make_printable(f"         {finding.remedy}"))
    return 0 if all(finding.works for finding in findings) else 1
