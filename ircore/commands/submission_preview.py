"""``ircore submission preview``: a site that shows the submission of a pull request, whose files are only data."""

from collections.abc import Iterator
from pathlib import Path

import click

from ircore.commands.paths import published_runs
from ircore.core.errors import InputError, WorkError
from ircore.core.terminal import printable

DEADLINE = 600.0
"""Seconds that fetching transcripts may take."""

SHOWN = 20
"""Findings that are listed when transcripts are refused."""
by_option = click.option(
    "--by",
    type=click.Choice(["anybody", "maintainers"]),
    default="anybody",
    show_default=True,
    help="Who proposes it: maintainers may change several pairs, built-in ones and other files too.",
)


@click.command("preview", short_help="A site that shows what a pull request adds.")
@click.argument("base")
@click.argument("head")
@click.option("--repo", default=".", type=click.Path(path_type=Path), help="Clone that has both, with their history.")
@by_option
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make.")
@click.option(
    "--published",
    type=click.Path(path_type=Path),
    required=True,
    help="What ircore release pull made: the runs to stand beside.",
)
@click.option("--rescore", is_flag=True, help="Fetch the transcripts that it names, check and score them: its place.")
@click.option(
    "--instances", type=click.Path(path_type=Path), help="For --rescore: the set that counts; drawn if not given."
)
@click.option("--github", is_flag=True, help="Also write a summary where GITHUB_STEP_SUMMARY says.")
def command(
    base: str,
    head: str,
    repo: Path,
    by: str,
    out: Path,
    published: Path,
    rescore: bool,
    instances: Path | None,
    github: bool,
) -> None:
    """Show the submission that commit HEAD adds or changes since it left BASE, as a site in --out.

    The manifest is read from git's objects and checked once more; nothing of the change is checked out or run. With
    --rescore, transcripts that no rules allow are refused as they would be after the merge.
    """
    from tempfile import TemporaryDirectory

    from ircore.core.plugins import load
    from ircore.players.submission import read_manifest

    runs = published_runs(published)
    with TemporaryDirectory() as folder:
        place = _manifest(repo, base, head, by == "maintainers", Path(folder))
        if place is None:
            click.echo("not one manifest is added or changed: nothing to preview")
            return
        if rescore:
            runs = tuple(_with_rescored(runs, place, Path(folder), instances))
        lines = [printable(line) for line in load("previews", "site")(read_manifest(place), runs, out)]
    for line in lines:
        click.echo(line)
    click.echo(f"look   ircore site serve {out}")
    if github:
        _tell_github(lines)


def _manifest(repo: Path, base: str, head: str, by_maintainers: bool, folder: Path) -> Path | None:
    """Write the manifest that a change adds or alters into a folder of its own; None if there is none, or several."""
    from ircore.players.submission import MANIFEST
    from ircore.submissions.check.change import check_change
    from ircore.submissions.check.findings import errors
    from ircore.submissions.check.git_objects import Repository

    change = check_change(repo, base, head, by_maintainers)
    if errors(change.findings):
        raise InputError(f"{head[:12]}: not one valid submission", f"See: ircore submission check-change {base} {head}")
    if len(change.checked) != 1:
        return None
    objects, place = Repository(repo), folder / change.checked[0].slug
    path = f"submissions/{place.name}"
    blobs = [one for one in objects.blobs(change.head, path) if one.entry.path == f"{path}/{MANIFEST}"]
    place.mkdir()
    (place / MANIFEST).write_bytes(next(objects.contents(blobs)))
    return place


def _with_rescored(published: tuple[Path, ...], place: Path, folder: Path, instances: Path | None) -> Iterator[Path]:
    """Yield published runs, and the one that a submission's transcripts make, in the place of its former one.

    Beside it stand those of its own version of the benchmark: none, until such are published.
    """
    from ircore.runs.folder import RunFolder

    made = _rescored(place, folder, instances, published)
    if made is None:
        yield from published
        return
    ours = RunFolder.open(made).run
    for one in published:
        theirs = RunFolder.open(one).run
        same = (theirs.instance_set, theirs.prompts) == (ours.instance_set, ours.prompts)
        if same and theirs.slug != place.name:
            yield one
    yield made


def _rescored(place: Path, folder: Path, instances: Path | None, published: tuple[Path, ...]) -> Path | None:
    """Return the run that a submission's transcripts make, scored; nobody vouches for it. None if it has none."""
    from ircore.commands.main import run as ircore
    from ircore.players.submission import read_manifest
    from ircore.submissions.rescoring.fetch import fetch
    from ircore.submissions.rescoring.rescore import RefusedError, rescore

    reference = read_manifest(place).submission.transcripts
    if reference is None:
        return None
    fetched = fetch(reference, folder / "fetched", DEADLINE).parent
    try:
        made = rescore(place, folder / "run", instances, fetched, published=published)
    except InputError as error:
        for fault in error.faults[:SHOWN] if isinstance(error, RefusedError) else ():
            click.echo(printable(f"  {fault}"), err=True)
        # By the names that its submitter knows.
        problem = error.problem.replace(str(fetched), reference.repo).replace(str(place), f"submissions/{place.name}")
        raise type(error)(problem, error.remedy) from error
    click.echo(f"{reference.repo}: {len(made.folder.episodes())} episodes hold by the rules")
    for flag in made.flags:
        click.echo(printable(f"  for people to look at: {flag.rule}: {flag.where}: {flag.what}"))
    if ircore(["score", str(made.folder.path), "--every-turn"]):
        raise WorkError(f"{reference.repo}: its transcripts could not be scored", "See above.")
    return made.folder.path


def _tell_github(lines: list[str]) -> None:
    import os
    from html import escape

    if place := os.environ.get("GITHUB_STEP_SUMMARY"):
        text = escape("\n".join(lines))
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(f"### Preview\n\n<pre>{text}</pre>\n\nThe site is the artefact <code>preview</code>.\n")
