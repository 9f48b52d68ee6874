"""``ircore release``: build, check, push and pull a dataset release."""

import os
from pathlib import Path
from typing import Literal

import click

from ircore.commands.options import PATH_OR_EMPTY, SeveralPathsCommand, echo_json, json_option
from ircore.commands.run_paths import find_results_to_read
from ircore.core.collector import keep_freed_memory, pause_collector
from ircore.core.plain_words import format_count
from ircore.core.terminal import make_printable


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Build, check, publish and bring back a dataset release."""
    keep_freed_memory()


@command.command(cls=SeveralPathsCommand)
@click.option(
    "--runs",
    multiple=True,
    metavar="RUN...",
    type=click.Path(path_type=Path),
    callback=find_results_to_read,
    help="Runs or folders of runs: several after one --runs, or one each. With --former, new and changed runs are "
    "enough.",
)
@click.option(
    "--instances",
    multiple=True,
    metavar="DIR...",
    type=click.Path(path_type=Path),
    help="Instance set of a game, after one --instances or one each, where it is not to be taken from a run that holds "
    "the whole set. A folder made by release pull stands for its sets of all other games.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make.")
@click.option(
    "--former", metavar="DIR|REPO", help="Previous release: its runs stay, and files of unchanged runs are reused."
)
@click.option(
    "--withdrawals",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Runs to remove, one JSON record per line, each with its reason; a line that concerns no run is an error.",
)
@click.option("--previews", is_flag=True, help="Also make a table of the turns with small pictures.")
@click.option(
    "--season",
    type=PATH_OR_EMPTY,
    metavar="FILE",
    help="Gaps to a season, from: ircore maintain season gap … --out FILE, or season slice. Gaps of the previous "
    "release stay. Empty for none.",
)
@click.option(
    "--date", metavar="YYYY-MM-DD", help="Date of the release; by default the date of its newest run or decision."
)
@json_option
@pause_collector()
def build(
    runs: tuple[Path, ...],
    instances: tuple[Path, ...],
    out: Path,
    former: str | None,
    withdrawals: Path | None,
    previews: bool,
    season: Path | None,
    date: str | None,
    as_json: bool,
) -> None:
    """Make a dataset of runs of any games: Parquet tables with embedded pictures, and a card.

    The folder is what load_dataset reads; it appears when it is complete. REPO is ORG/NAME on the Hugging Face Hub, or
    ORG/NAME@TAG.
    """
    # In the commands, so that a page of help appears before any large library is imported.
    from dataset_card.hub.pull import find_previous
    from dataset_card.releases.build import BuildPlan, build_release
    from ircore.core.submission_records import read_withdrawals
    from ircore.submissions.seasons import read_season_gaps

    previous = None if former is None else find_previous(former)
    plan = BuildPlan(
        previous=None if previous is None else previous.folder,
        previous_commit=None if previous is None else previous.commit,
        withdrawals=None if withdrawals is None else read_withdrawals(withdrawals),
        date=date,
        previews=previews,
        season=None if season is None else read_season_gaps(season),
    )
    built = build_release(runs, instances, out, plan)
    if as_json:
        tables = [{"name": table.config.name, "rows": table.rows, "bytes": table.file_bytes} for table in built.written]
        echo_json({"release": str(out), "tables": tables, "remarks": list(built.lines())})
        return
    width = max(12, *(len(table.config.name) for table in built.written))
    for table in built.written:
        click.echo(
            f"{table.config.name:<{width}} {format_count(table.rows, 'row'):>13} {table.file_bytes / 1e6:>9.2f} MB"
        )
    for line in built.lines():
        click.echo(make_printable(line))
    click.echo(f"{out}  (load_dataset reads this folder)")


@command.command()
@click.argument("place", metavar="DIR|REPO")
@click.option("--no-load", is_flag=True, help="Do not load the release with datasets, which takes several seconds.")
@click.option("--run-card", is_flag=True, help="Run the code of the card, if this version wrote it.")
@click.option(
    "--rescore",
    metavar="[SHARE]",
    is_flag=False,
    flag_value="100%",
    help="Also compute judges, metrics and rules again from the pictures and messages: of all episodes, or of a share "
    "of each run's (0.25 or 25%). After DIR.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Seed of the draw of a share; a new seed by default."
)
@json_option
def check(place: str, no_load: bool, run_card: bool, rescore: str | None, seed: int | None, as_json: bool) -> int:
    """Check that a release is complete, consistent, safe to publish, and loads.

    REPO is ORG/NAME or ORG/NAME@REVISION on the Hugging Face Hub. One line a fault; exit status 1 if there is any.
    """
    return _check(place, not no_load, run_card, rescore, seed, as_json)


@command.command()
@click.argument("place", metavar="DIR|REPO")
@click.option("--no-load", is_flag=True, help="Do not load the release with datasets, which takes several seconds.")
@json_option
def verify(place: str, no_load: bool, as_json: bool) -> int:
    """Let a release prove itself: check it, and compute all scores again that need nobody's word.

    The same as ircore release check with --rescore. REPO is ORG/NAME or ORG/NAME@REVISION on the Hugging Face Hub.
    """
    return _check(place, not no_load, run_card=False, rescore="100%", seed=None, as_json=as_json)


def _check(place: str, load: bool, run_card: bool, rescore: str | None, seed: int | None, as_json: bool) -> int:
    """Check a release and show its faults; return the exit status."""
    from secrets import randbits

    from dataset_card.hub.full_check import check_release_fully

    draw = None
    if rescore is not None:
        from dataset_card.checking.rescore import parse_share
        from dataset_card.checking.rescored_run import Draw

        # Nobody who changes a release may know beforehand which episodes will be drawn.
        draw = Draw(parse_share(rescore), randbits(32) if seed is None else seed)
    report = check_release_fully(place, load, run_card, os.cpu_count() or 1, draw)
    if as_json:
        document = {"rows": report.rows, "pictures": report.pictures, "faults": report.faults}
        echo_json({**document, "rescored": report.rescored, "not_checked": report.not_checked})
        return 1 if report.faults else 0
    for fault in report.faults:
        click.echo(make_printable(fault))
    for line in report.rescored:
        click.echo(make_printable(line))
    for line in report.not_checked:
        click.echo(make_printable(f"not checked: {line}"))
    faults = format_count(len(report.faults), "fault")
    click.echo(
        f"{make_printable(place)}: {faults} in {format_count(report.rows, 'row')} and "
        f"{format_count(report.pictures, 'picture')}"
    )
    return 1 if report.faults else 0


@command.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--repo", required=True, metavar="ORG/NAME", help="Dataset on the Hugging Face Hub; created if it does not exist."
)
@click.option(
    "--revision", metavar="TAG", help="Tag of the release, never moved afterwards; by default the release's name."
)
@click.option("--private", "visibility", flag_value="private", help="Refuse if the dataset is public already.")
@click.option("--public", "visibility", flag_value="public", help="Make it public once everything is there.")
@click.option("--rebase", is_flag=True, help="Merge the newest release there into DIR first, if DIR lacks it.")
@click.option("--dry-run", is_flag=True, help="Check, and list what would change.")
@click.option("--message", metavar="TEXT", help="Message of the commits.")
@json_option
def push(
    folder: Path,
    repo: str,
    revision: str | None,
    visibility: Literal["private", "public"] | None,
    rebase: bool,
    dry_run: bool,
    message: str | None,
    as_json: bool,
) -> None:
    """Publish a release on the Hugging Face Hub, with a tag.

    The release must have been built upon the newest one there, so that nothing published is lost. A new dataset is
    private unless --public is given. The token comes from HF_TOKEN or "hf auth login"; with HF_OIDC_RESOURCE set, from
    the CI's identity (trusted publishing). The same command again goes on where it stopped.
    """
    from dataset_card.hub.push import PushPlan, format_loading_code, preview_push, push_release

    plan = PushPlan(repo, revision, visibility, message, rebase)
    if dry_run:
        changes = preview_push(folder, plan)
        if as_json:
            echo_json({"repo": repo, "pushed": False, "changes": changes})
        for line in () if as_json else changes:
            click.echo(make_printable(line))
        return
    pushed = push_release(folder, plan, lambda line: click.echo(make_printable(line), err=True))
    if as_json:
        echo_json({"repo": pushed.repo, "pushed": True, "tag": pushed.tag, "commit": pushed.commit})
    for line in () if as_json else format_loading_code(pushed):
        click.echo(line)


@command.command()
@click.argument("place", metavar="REPO|DIR")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make.")
@click.option("--revision", metavar="TAG", help="Tag, branch or commit on the Hub; the newest commit if not given.")
@click.option("--run", "run_id", metavar="ID", help="Run to bring back; all runs if not given.")
@json_option
def pull(place: str, out: Path, revision: str | None, run_id: str | None, as_json: bool) -> None:
    """Bring a release back to an instance set and run folders.

    From a folder or from the Hugging Face Hub. Everything is checked first; then site, release and every number can be
    made anew, and the runs scored by other judges.
    """
    from dataset_card.hub.pull import find_release, pull_release

    pulled = pull_release(find_release(place, revision), out, run_id)
    if as_json:
        counts = {"episodes": pulled.episodes, "scores": pulled.scores}
        echo_json({"runs": [str(run) for run in pulled.runs], "instances": str(pulled.instances), **counts})
        return
    runs = format_count(len(pulled.runs), "run")
    click.echo(f"{runs}, {format_count(pulled.episodes, 'episode')}, {format_count(pulled.scores, 'score')}")
    click.echo(str(out))


@command.command("eval")
@click.argument("place", metavar="DIR|REPO")
@click.option("--repo", metavar="ORG/NAME", help="Dataset on the Hub that holds the release, if a folder is given.")
@click.option("--judge", required=True, metavar="NAME", help="Judge whose ratings are used.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make.")
@json_option
def eval_(place: str, repo: str | None, judge: str, out: Path, as_json: bool) -> None:
    """Write results of single models in the files that the Hub reads for benchmarks.

    REPO is ORG/NAME or ORG/NAME@REVISION. Only where every describer was played with every generator by the same rules:
    scores of this game are of pairs. Makes eval.yaml for the dataset, and .eval_results/*.yaml for each model.
    """
    from dataset_card.eval_results import Source, write_eval_results
    from dataset_card.hub.pull import find_release
    from ircore.core.errors import InputError

    here = Path(place).is_dir()
    name, _, revision = (repo or "", "", "") if here else place.partition("@")
    if not name:
        raise InputError(
            f"{place}: a folder does not say where its release is on the Hub", "Name the dataset: --repo ORG/NAME"
        )
    folder = find_release(place if here else name, revision or None)
    players = write_eval_results(folder, Source(name, None if here else folder.name, judge), out)
    if as_json:
        means = [{"role": player.role, "name": player.label, "mean": player.score.mean} for player in players]
        echo_json({"folder": out, "players": means})
        return
    for player in players:
        click.echo(make_printable(f"{player.role:<10} {player.score.mean:>5.2f}  {player.label}"))
    click.echo(f"{out}  (eval.yaml for the dataset, .eval_results for each model; see docs/release.md)")
