"""``ircore submission commit``, ``pack`` and ``pin``, ``ircore maintain rescore``: transcripts of a submitter."""

import json
from collections.abc import Callable
from pathlib import Path

import click

from ircore.commands.options import PATH, POSITIVE, echo_either, find_published_runs, json_option, path_option
from ircore.commands.run_paths import run_to_read
from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.core.plugins import load_plugin
from ircore.core.terminal import make_printable
from ircore.players.submission import MANIFEST, find_folder
from ircore.runs.provenance import UNCOMMITTED
from ircore.seeing.ocr import find_missing_ocr_package
from ircore.submissions.commitments import commit_to
from ircore.submissions.rescoring.fetch import check_repository
from ircore.submissions.rescoring.packing import find_reference, name_transcripts, require_unnamed
from ircore.submissions.rescoring.packing import pack as pack_run
from ircore.submissions.rescoring.pictures import UNREAD
from ircore.submissions.rescoring.rescore import Rescored
from ircore.submissions.rescoring.rescore import rescore as rescore_submission

SHOWN = 20
"""Findings that are listed when transcripts are refused."""


@click.command("pack", short_help="Prepare the transcripts of a run for upload.")
@click.argument("run", type=PATH, callback=run_to_read)
@path_option("--out", "Folder to make.", required=True)
@click.option("--repo", metavar="ORG/NAME", help="Dataset repository that the transcripts will be uploaded to.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def pack(run: Path, out: Path, repo: str | None, as_json: bool) -> None:
    """Prepare the transcripts of RUN for upload, to be re-scored by the leaderboard.

    Every instance must have been played to its end. Pictures are encoded anew, from their pixels alone; keys and
    absolute paths are found. Scores stay away: they are computed again from the transcripts.
    """
    # Checked first: packing a large run takes minutes.
    if repo is not None:
        check_repository(repo, "--repo")
    packed = pack_run(run, out)
    files = len(packed.index.files) + 1
    if as_json:
        about = {"folder": str(out), "run": packed.run.run_id, "files": files, "bytes": packed.index.size}
        click.echo(json.dumps({**about, "removed": list(packed.removed)}, indent=2))
        return
    size = f"{packed.index.size / 1e6:,.1f} MB" if packed.index.size >= 1e5 else f"{packed.index.size:,} bytes"
    click.echo(f"{out}: {format_count(files, 'file')}, {size}")
    for leak in packed.removed:
        click.echo(make_printable(f"  taken out of an error message: {leak}"))
    place = repo or "ORG/NAME"
    click.echo(f"""
Rehearse what the maintainers will do, without the network:

  ircore maintain rescore submissions/{packed.run.slug} --transcripts {out} --out build/rehearsal

Upload it (after `hf auth login`), and name it in the manifest, commit and all:

  ircore submission pin submissions/{packed.run.slug} --repo {place} --packed {out}""")


@click.command("pin", short_help="Name uploaded transcripts in a manifest.")
@click.argument("path", type=PATH)
@click.option("--repo", required=True, metavar="ORG/NAME", help="Public dataset repository that holds the transcripts.")
@path_option("--packed", "Folder made by ircore submission pack, which is uploaded first.")
@click.option("--revision", metavar="SHA", help="Commit of the transcripts; the newest commit if not given.")
@click.option("--run", "run_id", metavar="ID", help="Run to name; not needed where the repository holds a single run.")
@click.option("--deadline", type=POSITIVE, default=120, show_default=True, help="Seconds that asking the Hub may take.")
def pin(path: Path, repo: str, packed: Path | None, revision: str | None, run_id: str | None, deadline: float) -> None:
    """Write repository, commit and run of the transcripts into the submission at PATH.

    With --packed they are uploaded first, into a repository that is made for everybody to read if there is none. Else
    the Hub is asked which commit is the newest, and whether the run there was packed.
    """
    folder = find_folder(path)
    # Nothing is published for a manifest that names transcripts already.
    require_unnamed(folder)
    if packed is not None:
        if revision is not None or run_id is not None:
            raise click.UsageError("--packed goes with neither --revision nor --run: both follow from the upload")
        run_id = _find_packed_run(packed)
        check_repository(repo, "--repo")
        upload: Callable[..., str] = load_plugin("releases", "upload_transcripts")
        revision = upload(packed, repo, lambda line: click.echo(make_printable(f"  {line}"), err=True))
    reference = find_reference(repo, revision, run_id, deadline)
    name_transcripts(folder, reference)
    click.echo(make_printable(f"{folder / MANIFEST}: names the run {reference.run}"))
    click.echo(make_printable(f"  at {reference.repo}, commit {reference.revision}"))
    click.echo(f"Next: ircore submission check {folder}", err=True)


def _find_packed_run(packed: Path) -> str:
    """Return the run in a folder made by ``ircore submission pack``."""
    runs = [index.parent.name for index in packed.glob("*/pack.json")]
    if len(runs) != 1:
        raise InputError(
            f"--packed: {packed}: holds {format_count(len(runs), 'packed run')}",
            "Name the folder that ircore submission pack made for this run alone.",
        )
    return runs[0]


@click.command("rescore", short_help="Check named transcripts, and keep them as a run.")
@click.argument("path", type=PATH)
@path_option("--out", "The run folder to make.", required=True)
@path_option("--instances", "The instance set that counts; the game's own, drawn anew, if not given.")
@path_option("--transcripts", "Packed transcripts here, for a rehearsal without the Hub.")
@click.option("--deadline", type=POSITIVE, default=3600, show_default=True, help="Seconds that fetching may take.")
@path_option("--published", "Folder made by ircore release pull: pictures of other pairs are flagged.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def rescore(
    path: Path,
    out: Path,
    instances: Path | None,
    transcripts: Path | None,
    deadline: float,
    published: Path | None,
    as_json: bool,
) -> None:
    """Fetch the transcripts that the submission at PATH names, check them, and keep them as a run.

    Hashes are checked, other instance sets refused, and the rules played again on every episode. An episode that
    cannot have happened is refused; an unlikely one is flagged for people to look at. Score the run afterwards:
    ircore score RUN
    """
    others = find_published_runs(published) if published is not None else ()
    try:
        rescored = rescore_submission(path, out, instances, transcripts, deadline, others)
    except InputError as error:
        show_faults(error)
        raise
    run = rescored.folder.run.run_id
    if as_json:
        about = {"run": run, "folder": str(out), "flags": [flag.model_dump() for flag in rescored.flags]}
        vouched = rescored.provenance.model_dump(mode="json", by_alias=True) if rescored.provenance else None
        click.echo(json.dumps({**about, "provenance": vouched}, indent=2))
        return
    whose = "re-scored" if rescored.provenance else "a rehearsal: nobody vouches for it"
    click.echo(f"{run}: {len(rescored.folder.read_endings())} episodes hold by the rules ({whose})")
    show_commitment(rescored)
    show_flags(rescored)
    if rescored.flags:
        click.echo(f"  {format_count(len(rescored.flags), 'finding')} for people to look at; none breaks a rule")
    click.echo(str(out))


def show_faults(error: InputError) -> None:
    """List the faults of refused transcripts if there are more than the error's own line names."""
    faults: tuple[str, ...] = getattr(error, "faults", ())
    # A single fault stands in the error's own line.
    for fault in faults[:SHOWN] if len(faults) > 1 else ():
        click.echo(make_printable(f"  {fault}"), err=True)


def show_commitment(rescored: Rescored) -> None:
    """Say whether a submitter could choose the run among several."""
    about = f"commitment: {rescored.committed.words}" if rescored.committed else UNCOMMITTED
    click.echo(make_printable(f"  {about}"))


def show_flags(rescored: Rescored, about: str = "") -> None:
    """List the findings in accepted transcripts that people should look at."""
    # Without OCR some findings cannot be made: an empty list would look like a clean one.
    if find_missing_ocr_package():
        click.echo(f"  {UNREAD}", err=True)
    for flag in rescored.flags:
        click.echo(make_printable(f"  {about}{flag.rule}: {flag.where}: {flag.what}"))


@click.command("commit", short_help="Commit to one run before it is played.")
@click.argument("path", type=PATH)
@path_option("--salt", "File of the secret number; SLUG.salt if not given.")
@click.option("--new", "renew", is_flag=True, help="Replace a commitment that stands there; everybody will see it.")
@json_option
def commit(path: Path, salt: Path | None, renew: bool, as_json: bool) -> None:
    """Write a commitment to one run into the manifest at PATH, before it is played.

    Seed and order of the run follow from a secret number in the file --salt, and from the commit by which the pull
    request is merged.
    """
    folder = find_folder(path)
    file = salt or Path(f"{folder.absolute().name}.salt")
    made = commit_to(folder, file, renew)
    text = make_printable(f"{folder}: commitment {made[:12]}; keep {file} secret until the run is published")
    echo_either(as_json, {"submission": folder, "commitment": made, "salt": file}, text)
