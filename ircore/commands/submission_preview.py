"""``ircore submission preview``: a site that shows the submission of a pull request, whose files are only data."""

from pathlib import Path

import click

from ircore.errors import InputError
from ircore.terminal import printable


@click.command("preview", short_help="A site that shows what a pull request adds.")
@click.argument("base")
@click.argument("head")
@click.option("--repo", default=".", type=click.Path(path_type=Path), help="Clone that has both, with their history.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make.")
@click.option(
    "--published", type=click.Path(path_type=Path), help="What ircore release pull made: the runs to stand beside."
)
def command(base: str, head: str, repo: Path, out: Path, published: Path | None) -> None:
    """Show the submission that commit HEAD adds or changes since it left BASE, as a site in --out.

    The manifest is read from git's objects and checked once more; nothing of the change is checked out or run.
    """
    from tempfile import TemporaryDirectory

    from ircore.plugins import load
    from ircore.submissions import MANIFEST, read_manifest
    from ircore.submissions.change import check_change
    from ircore.submissions.findings import errors
    from ircore.submissions.git import Repository

    change = check_change(repo, base, head)
    if not errors(change.findings) and not change.checked:
        click.echo("no manifest is added or changed: nothing to preview")
        return
    if errors(change.findings) or len(change.checked) != 1:
        raise InputError(f"{head[:12]}: not one valid submission", f"See: ircore submission check-change {base} {head}")
    slug = change.checked[0].slug
    objects = Repository(repo)
    blobs = [
        one for one in objects.blobs(change.head, f"submissions/{slug}") if one.entry.path.endswith(f"/{MANIFEST}")
    ]
    runs = sorted((published / "runs").iterdir()) if published and (published / "runs").is_dir() else []
    with TemporaryDirectory() as folder:
        place = Path(folder) / slug
        place.mkdir()
        (place / MANIFEST).write_bytes(next(objects.contents(blobs)))
        for line in load("previews", "site")(read_manifest(place), tuple(runs), out):
            click.echo(printable(line))
