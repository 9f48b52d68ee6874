"""``ircore submission pack``: a run, ready for upload to a dataset repository of one's own."""

from pathlib import Path

import click

from ircore.core.terminal import printable


@click.command("pack", short_help="Prepare the transcripts of a run for upload.")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make.")
@click.option("--repo", metavar="ORG/NAME", help="The dataset repository it will be uploaded to.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(run: Path, out: Path, repo: str | None, as_json: bool) -> None:
    """Prepare the transcripts of RUN for upload, to be re-scored by the leaderboard.

    Pictures are encoded anew where they hold anything but pixels; keys and absolute paths are found. Scores stay away:
    they are computed again from the transcripts.
    """
    from ircore.submissions.rescoring.fetch import check_repository
    from ircore.submissions.rescoring.packing import pack

    if repo is not None:
        check_repository(repo, "--repo")
    packed = pack(run, out)
    if as_json:
        import json

        files = len(packed.index.files) + 1
        about = {"folder": str(out), "run": packed.run.run_id, "files": files, "bytes": packed.index.size}
        more = {"encoded": packed.encoded, "removed": list(packed.removed), "unfinished": packed.unfinished}
        click.echo(json.dumps({**about, **more}, indent=2))
        return
    size = f"{packed.index.size / 1e6:,.1f} MB" if packed.index.size >= 1e5 else f"{packed.index.size:,} bytes"
    click.echo(f"{out}: {len(packed.index.files) + 1:,} files, {size}; {packed.encoded} pictures encoded anew")
    for one in packed.removed:
        click.echo(printable(f"  taken out of an error message: {one}"))
    if packed.unfinished:
        click.echo(f"  {packed.unfinished} instances are not played to their end: play on before you upload", err=True)
    place = repo or "ORG/NAME"
    click.echo(f"""
Rehearse what the maintainers will do, without the network:

  ircore submission rescore submissions/{packed.run.slug} --transcripts {out} --out build/rehearsal

Upload it (the repository must be public, and `hf auth login` done):

  hf upload {place} {out} . --repo-type dataset

Then name it in the manifest, commit and all:

  ircore submission pin submissions/{packed.run.slug} --repo {place}""")
