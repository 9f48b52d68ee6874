"""``ircore maintain preview``: a site that shows the submission of a pull request, whose files are only data."""

import os
from collections.abc import Iterator
from html import escape
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, mkdtemp

import click

from ircore.commands.main import run as ircore
from ircore.commands.options import PATH, by_option, find_published_runs, path_option, published_option
from ircore.commands.submission.transcripts import show_commitment, show_faults, show_flags
from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import load_plugin
from ircore.core.terminal import make_printable
from ircore.games.registry import load_game
from ircore.instances.store import read_sets, set_of_game
from ircore.players.submission import MANIFEST, read_manifest
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import make_provenance, read_provenance, write_provenance
from ircore.submissions.check.change import check_change
from ircore.submissions.check.entries import GitRepository
from ircore.submissions.check.reports import add_step_summary
from ircore.submissions.findings import select_errors
from ircore.submissions.rescoring.fetch import fetch
from ircore.submissions.rescoring.pictures import format_findings, write_evidence
from ircore.submissions.services import explain_self_reported

DATASET: str | None = None
"""The project's dataset on the Hub, ``ORG/NAME``: maintainers write it here once it is published."""

DATASET_VARIABLE = "DATASET"
"""Environment variable that names another dataset; the workflows set it."""

DEADLINE = 600.0
"""Seconds that fetching transcripts may take."""


@click.command("preview", short_help="A site that shows what a pull request adds.")
@click.argument("base")
@click.argument("head")
@click.option("--repo", default=".", type=PATH, help="Clone that has both commits, with their history.")
@by_option
@path_option("--out", "Folder to make.", required=True)
@published_option
@click.option(
    "--rescore",
    is_flag=True,
    help="Fetch, check and score the transcripts that the manifest names, to show the pair's place.",
)
@click.option(
    "--instances",
    type=PATH,
    multiple=True,
    help="For --rescore: set that counts for its game, may be repeated; drawn if not given.",
)
@click.option("--github", is_flag=True, help="Also write a summary where GITHUB_STEP_SUMMARY says.")
def preview(
    base: str,
    head: str,
    repo: Path,
    by: str,
    out: Path,
    published: str | None,
    rescore: bool,
    instances: tuple[Path, ...],
    github: bool,
) -> None:
    """Show the submission that commit HEAD adds or changes since it left BASE, as a site in --out.

    The manifest is read from git's objects and checked once more; nothing of the change is checked out or run. With
    --rescore, transcripts that no rules allow are refused as they would be after the merge.
    """
    runs = fetch_published_runs(published)
    # Nothing of the pull request stays on the machine: its files are a stranger's.
    with TemporaryDirectory() as folder:
        place = _write_manifest(repo, base, head, by == "maintainers", Path(folder))
        if place is None:
            click.echo("not one manifest is added or changed: nothing to preview")
            return
        published_before = runs
        if rescore:
            runs = tuple(_replace_rescored(runs, place, Path(folder), instances))
        lines = [make_printable(line) for line in load_plugin("previews", "site")(read_manifest(place), runs, out)]
        findings = _write_findings(Path(folder) / "run", published_before, out)
    for line in lines:
        click.echo(line)
    click.echo(f"look   ircore site serve {out}")
    if github:
        # The lines hold names from the manifest, which may be HTML.
        text = escape("\n".join(lines))
        add_step_summary(f"### Preview\n\n<pre>{text}</pre>\n\nThe site is the artefact <code>preview</code>.\n\n")
        add_step_summary(findings)


def _write_findings(run: Path, published: tuple[Path, ...], out: Path) -> str:
    """Write the findings in a re-scored run with their pictures into the preview, and return them as Markdown."""
    provenance = read_provenance(run) if run.is_dir() else None
    if provenance is None:
        return ""
    return format_findings(provenance.flags, write_evidence(run, provenance.flags, published, out))


def fetch_published_runs(published: str | None) -> tuple[Path, ...]:
    """Return the published runs, fetched if need be.

    Args:
        published: A folder that ``ircore release pull`` made, or a dataset; the project's dataset if None.

    Raises:
        InputError: There are none there, or no dataset is known.
        WorkError: They cannot be fetched.
    """
    if published is not None and (published.count("/") != 1 or Path(published).exists()):
        return find_published_runs(Path(published))
    name = find_dataset_name(published)
    if name is None:
        remedy = f"Name it with --published ORG/NAME, or in the environment variable {DATASET_VARIABLE}."
        raise InputError("no dataset of published runs is known", remedy)
    scratch = Path(mkdtemp(prefix="ircore-"))
    # The Hub's client keeps the files that it fetched: the next preview does not fetch them again.
    click.get_current_context().call_on_close(lambda: rmtree(scratch, ignore_errors=True))
    folder = scratch / "published"
    if status := ircore(["release", "pull", name, "--out", str(folder)]):
        kind = WorkError if status == 1 else InputError
        raise kind(f"{name}: the published runs cannot be fetched", "See above.")
    return find_published_runs(folder)


def render_preview(path: Path, runs: tuple[Path, ...], published: str | None, out: Path) -> Iterator[str]:
    """Show a submission here as a site, and yield the lines that say its place.

    Args:
        path: The submission.
        runs: Scored runs to stand beside published runs; alone if no dataset is known or named.
        published: A folder or dataset of published runs; the project's dataset if None.
        out: The folder to make.
    """
    loaded = read_manifest(path)
    own = {(run.run.slug, run.game) for run in map(RunFolder, runs)}
    beside = fetch_published_runs(published) if published or find_dataset_name() else ()
    others = [run for run in beside if ((about := RunFolder(run).run).slug, about.game) not in own]
    for line in load_plugin("previews", "site")(loaded, (*others, *runs), out):
        yield make_printable(line)


def _write_manifest(repo: Path, base: str, head: str, by_maintainers: bool, folder: Path) -> Path | None:
    """Write the manifest that a change adds or alters into a new folder; None unless the change has exactly one."""
    change = check_change(repo, base, head, by_maintainers)
    if select_errors(change.findings):
        raise InputError(f"{head[:12]}: not one valid submission", f"See: ircore submission check-change {base} {head}")
    if len(change.checked) != 1:
        return None
    objects, place = GitRepository(repo), folder / change.checked[0].slug
    path = f"submissions/{place.name}"
    # From git's objects: the files of a stranger's branch are never checked out.
    blobs = [blob for blob in objects.blobs(change.head, path) if blob.entry.path == f"{path}/{MANIFEST}"]
    place.mkdir()
    (place / MANIFEST).write_bytes(next(objects.contents(blobs)))
    return place


def _replace_rescored(
    published: tuple[Path, ...], place: Path, folder: Path, instances: tuple[Path, ...]
) -> Iterator[Path]:
    """Yield the published runs, with a submission's re-scored run in place of its published run.

    Of the same game only runs of the same version of the benchmark stand beside it: none, until such are published.
    """
    rescored = _find_rescored(place, folder, instances, published)
    if rescored is None:
        yield from published
        return
    ours = RunFolder(rescored).run
    for path in published:
        other = RunFolder(path).run
        same = (other.instance_set, other.prompts) == (ours.instance_set, ours.prompts)
        if other.game != ours.game or (same and other.slug != place.name):
            yield path
    yield rescored


def _find_rescored(place: Path, folder: Path, sets: tuple[Path, ...], published: tuple[Path, ...]) -> Path | None:
    """Return the scored run of a submission's transcripts, with its findings, which decide about its rank.

    None without transcripts that will be scored.
    """
    from ircore.submissions.rescoring.rescore import rescore

    submission = read_manifest(place).submission
    reference = submission.transcripts
    if reference is None or explain_self_reported(submission):
        return None
    instances = set_of_game(read_sets(sets).values(), submission.game).folder if sets else None
    fetched = fetch(reference, folder / "fetched", DEADLINE).parent
    try:
        rescored = rescore(place, folder / "run", instances, fetched, published=published)
    except InputError as error:
        show_faults(error)
        # By the names that its submitter knows.
        problem = error.problem.replace(str(fetched), reference.repo).replace(str(place), f"submissions/{place.name}")
        raise type(error)(problem, error.remedy) from error
    click.echo(make_printable(f"{reference.repo}: {len(rescored.folder.read_endings())} episodes hold by the rules"))
    show_flags(rescored, "for people to look at: ")
    show_commitment(rescored)
    origin = (place / MANIFEST, reference, rescored.flags, rescored.committed)
    write_provenance(rescored.folder.path, make_provenance(*origin))
    # Measures that the game takes itself are of every step anyway.
    every_turn = ["--every-turn"] if load_game(submission.game).is_judged else []
    if ircore(["score", str(rescored.folder.path), *every_turn]):
        raise WorkError(f"{reference.repo}: its transcripts could not be scored", "See above.")
    return rescored.folder.path


def find_dataset_name(stated: str | None = None) -> str | None:
    """Return the dataset of published results; None if none is known.

    Args:
        stated: What the user named, which counts before the environment's and the project's.

    >>> find_dataset_name("org/results")
    'org/results'
    """
    return stated or os.environ.get(DATASET_VARIABLE) or DATASET
