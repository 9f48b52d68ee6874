"""``ircore maintain withdraw`` and the like write a decision; ``history`` and ``decisions`` read them."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click
from pydantic import ValidationError

from ircore.commands.options import PATH, SeveralPathsCommand
from ircore.commands.run_paths import find_runs_to_read
from ircore.core.errors import InputError
from ircore.core.files import read_table, write_text
from ircore.core.plain_words import format_count
from ircore.core.plugins import build_unknown_name_error
from ircore.core.submission_records import Run, TranscriptsReference, Withdrawal, format_decisions
from ircore.core.terminal import make_printable
from ircore.core.validation import describe_validation_error
from ircore.instances.benchmark import RETIRED, RetiredTarget, list_versions_of_set, retire_target
from ircore.instances.store import read_instances
from ircore.players.submission import MANIFEST, find_folder, list_manifests, read_manifest
from ircore.runs.folder import RunFolder
from ircore.submissions.decisions import (
    DECISIONS,
    Decision,
    Kind,
    add_decision,
    find_status,
    list_withdrawals,
    read_decisions,
)
from ircore.submissions.texts import find_text_faults

_reason = click.option("--reason", required=True, metavar="TEXT", help="One line that everybody may read.")
_run = click.option("--run", "run_id", metavar="ID", help="Only this published run; all published runs if not given.")
_date = click.option("--date", metavar="YYYY-MM-DD", help="Day of the decision; today if not given.")


def _build_decision_command(name: str) -> click.Command:
    """Return the command that adds a decision, such as ``withdraw``."""
    words = read_table("ircore.commands", "menu")["decisions"][name]
    kind: Kind = words["kind"]

    @click.command(name, help=words["text"], short_help=words["short"])
    @click.argument("path", type=PATH)
    @_reason
    @_run
    @_date
    def command(path: Path, reason: str, run_id: str | None, date: str | None) -> None:
        _add(path, kind, reason, run_id, date)

    return command


clear, correct, dispute, reinstate, settle, withdraw = map(
    _build_decision_command, ("clear", "correct", "dispute", "reinstate", "settle", "withdraw")
)


@click.command("update", short_help="Name new transcripts; the earlier stay on its page.")
@click.argument("path", type=PATH)
@click.option("--revision", required=True, metavar="SHA", help="The commit of the new transcripts.")
@click.option("--transcripts-run", metavar="ID", help="Run of the new transcripts, if it has another id.")
@_reason
@_run
@_date
def update(
    path: Path, revision: str, transcripts_run: str | None, reason: str, run_id: str | None, date: str | None
) -> None:
    """Name new transcripts in the submission at PATH and keep the earlier reference among its decisions."""
    folder = find_folder(path)
    earlier = read_manifest(folder).submission.transcripts
    if earlier is None:
        raise InputError(f"{folder}: names no transcripts", "Name the first ones with: ircore submission pin")
    if not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise InputError(f"--revision: {revision!a} is no commit", "Give its 40 hexadecimal digits in lower case.")
    if revision == earlier.revision and transcripts_run in (None, earlier.run):
        raise InputError(f"--revision: {folder.name} names this commit already", "Name the new one.")
    text = (folder / MANIFEST).read_text("utf-8")
    # Replaced as text: a YAML library would drop the submitter's comments and order.
    changed = _replace_text(text, earlier.revision, revision, folder)
    if transcripts_run is not None and transcripts_run != earlier.run:
        changed = _replace_text(changed, earlier.run, transcripts_run, folder)
    write_text(folder / MANIFEST, changed)
    try:
        read_manifest(folder)
        _add(folder, "updated", reason, run_id, date, earlier)
    except InputError:
        write_text(folder / MANIFEST, text)
        raise


@click.command("history", short_help="Show what was decided about a pair.")
@click.argument("path", type=PATH)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def history(path: Path, as_json: bool) -> None:
    """Show what was decided about the submission at PATH since it was merged."""
    folder = find_folder(path)
    taken = read_decisions(folder)
    if as_json:
        records = [decision.model_dump(mode="json", exclude_none=True) for decision in taken]
        click.echo(json.dumps({"status": find_status(taken), "history": records}, indent=2))
        return
    click.echo(f"{folder.name}: {find_status(taken)}{'' if taken else ', nothing was decided since it was merged'}")
    for decision in taken:
        about = decision.run_id or "all runs"
        click.echo(make_printable(f"  {decision.date}  {decision.kind:<10}  {about}: {decision.reason}"))


@click.command("decisions", cls=SeveralPathsCommand, short_help="Collect all decisions for a release.")
@click.argument("folder", default="submissions", type=PATH)
@click.option("--out", type=PATH, required=True, help="File to write.")
@click.option(
    "--runs",
    multiple=True,
    metavar="RUN...",
    type=PATH,
    callback=find_runs_to_read,
    help="Runs that are published or will be: decisions that concern none of them are left out, unless they take out a "
    "run by its name.",
)
def decisions(folder: Path, out: Path, runs: tuple[Path, ...]) -> None:
    """Collect what was withdrawn, corrected, disputed, reinstated or cleared in FOLDER, for a release."""
    # A release takes an empty file for word that no dispute is open.
    list_manifests(folder)
    taken = tuple(list_withdrawals(folder))
    if runs:
        known = [RunFolder(path).run for path in runs]
        # The last word on a run that is named: a mistyped name is taken back by its reinstatement.
        last = {(decision.slug, decision.run_id): decision for decision in taken if decision.run_id is not None}
        idle = [decision for decision in taken if not _is_needed(decision, known, last)]
        taken = tuple(decision for decision in taken if decision not in idle)
        for decision in idle:
            about = f"{decision.slug}: {decision.kind} on {decision.date}"
            click.echo(make_printable(f"left out: {about}: concerns no run here"), err=True)
    write_text(out, format_decisions(taken))
    click.echo(f"{out}: {len(taken)} withdrawn, corrected, reinstated or disputed")


def _is_needed(decision: Withdrawal, runs: Sequence[Run], last: Mapping[tuple[str, str], Withdrawal]) -> bool:
    """Return whether a release must know a decision: it concerns a run, or takes out one that it names.

    A submission may be withdrawn before anybody played it, and transcripts may be updated before they were re-scored.
    A run that is named and not here was taken out by an earlier release, or its name is mistyped: the release tells.
    """
    named = None if decision.run_id is None else last.get((decision.slug, decision.run_id))
    return any(map(decision.concerns, runs)) or (decision.removes and named is not None and named.removes)


def _replace_text(text: str, old: str, new: str, folder: Path) -> str:
    """Replace a text that occurs exactly once in a manifest; comments and order stay."""
    if text.count(old) != 1:
        raise InputError(f"{folder}: {old} does not stand in submission.yaml once", "Edit the file by hand.")
    return text.replace(old, new)


def _add(
    path: Path,
    kind: Kind,
    reason: str,
    run_id: str | None,
    date: str | None,
    superseded: TranscriptsReference | None = None,
) -> None:
    folder = find_folder(path)
    day = date or datetime.now(UTC).date().isoformat()
    try:
        decision = Decision(date=day, kind=kind, reason=reason, run_id=run_id, former=superseded)
    except ValidationError as error:
        problem = describe_validation_error(error).replace("run_id", "run")
        raise InputError(f"--{problem}", "Give the option another value.") from error
    taken = add_decision(folder, decision)
    click.echo(f"{folder / DECISIONS}: {format_count(len(taken), 'decision')}; {folder.name} is {find_status(taken)}")
    click.echo("Next: commit it, and open a pull request; the next release and site follow it.", err=True)


@click.command("retire", short_help="Let a wrong target count on no board any more.")
@click.argument("target")
@click.option("--instances", type=PATH, required=True, help="The set that the target is of.")
@_reason
@click.option("--version", metavar="NAME", help="Version of the benchmark that goes without it.")
@_date
def retire(target: str, instances: Path, reason: str, version: str | None, date: str | None) -> None:
    """Declare that TARGET, an instance's id, counts on no board any more: its scene, answer or difficulty is wrong.

    Set and runs stay as they are. The declaration is a line in the project, which the next release and site follow.
    """
    known = read_instances(instances)
    if target not in known.instances.ids:
        raise build_unknown_name_error("target", target, known.instances.ids, str(instances))
    if version is None and (released := list_versions_of_set(known.identity)):
        problem = f"--version: is missing, and the set is of the released version {released[-1]}"
        raise InputError(problem, "Name the version that goes without the target, such as 2026.2.")
    day = date or datetime.now(UTC).date().isoformat()
    fields = {"instance_set": known.identity, "instance_id": target, "version": version, "date": day, "reason": reason}
    if fault := next(find_text_faults(("reason",), reason), None):
        raise InputError(f"--reason: {fault.problem}", fault.remedy)
    try:
        gone = RetiredTarget.model_validate(fields)
    except ValidationError as error:
        raise InputError(f"--{describe_validation_error(error)}", "Give the option another value.") from error
    retire_target(gone)
    click.echo(f"{RETIRED}: {target} of the set {known.identity[:12]} is retired")
    click.echo("Next: commit it, and open a pull request; the next release and site follow it.", err=True)
