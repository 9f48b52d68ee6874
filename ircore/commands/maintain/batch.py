"""``ircore maintain evaluate-pending`` and ``paid``: all that waits, in one go, resumed with what was paid for."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from shutil import copytree, rmtree
from time import monotonic
from typing import NamedTuple

import click

from ircore.commands.options import (
    PATH,
    PATH_OR_EMPTY,
    POSITIVE,
    channel_option,
    find_published_runs,
    format_options,
    path_option,
    run_nested,
    sets_option,
    spot_option,
)
from ircore.core.errors import InputError, WorkError
from ircore.core.records import DEFAULT_GAME
from ircore.core.terminal import make_printable
from ircore.core.untrusted_text import escape_markdown
from ircore.instances.store import InstanceSet, read_sets, set_of_game
from ircore.players.submission import list_manifests, read_manifest
from ircore.submissions.check.reports import add_step_output, add_step_summary
from ircore.submissions.github import GitHub
from ircore.submissions.paid_answers import JOB, WORKFLOW, bring_back
from ircore.submissions.pending_work import (
    can_go_on,
    choose_pending,
    compute_spent,
    find_waiting_submissions,
    is_finished,
    read_merged_submissions,
)
from ircore.submissions.seasons import SLICES, build_empty_gaps, read_committed_set, write_season_gaps
from ircore.submissions.texts import split_names


@click.command("evaluate-pending", short_help="Play or re-score all that waits, in one go.")
@click.argument("folder", default="submissions", type=PATH)
@click.option(
    "--only", default="", metavar="SLUG,…", help="Submissions to evaluate, separated by commas; all that wait if empty."
)
@sets_option
@path_option("--published", "Folder of published runs, made by ircore release pull.", required=True)
@path_option("--out", "Folder of run folders: missing runs are created, unfinished runs resumed.", required=True)
@path_option("--finished", "Folder to make, with the complete runs, ready to be published.", required=True)
@path_option("--judges", "A folder of judges (*.yaml), asked beside structural and verified.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Episodes at once.")
@click.option("--max-cost", type=POSITIVE, metavar="USD", help="Stop playing at this cost of all pairs together.")
@path_option("--prices", "File of prices that are added to the built-in prices.")
@click.option(
    "--price-bound", metavar="USD", default="", help="Highest price of a million tokens, for models without a price."
)
@click.option("--deadline", type=POSITIVE, metavar="SECONDS", help="Stop playing after this time.")
@click.option(
    "--secret",
    type=PATH_OR_EMPTY,
    help="Folder of a season, made by season begin: ten of its pictures are played too, and stay secret; with --gaps. "
    "Empty for none.",
)
@click.option(
    "--gaps",
    type=PATH_OR_EMPTY,
    help="File for the gaps between public and secret pictures, of the pairs evaluated now.",
)
@channel_option
@spot_option
def evaluate_pending(
    folder: Path,
    only: str,
    instances: tuple[Path, ...],
    published: Path,
    out: Path,
    finished: Path,
    judges: Path | None,
    concurrency: int,
    max_cost: float | None,
    prices: Path | None,
    price_bound: str,
    deadline: float | None,
    channel: bool,
    spot: bool,
    secret: Path | None,
    gaps: Path | None,
) -> int:
    """Evaluate the submissions in FOLDER that wait, one after the other; a pair that fails holds up no other.

    Each is played on the set of its game. The exit status is 0 if a pair was finished, or none of those asked for
    waits. The same command goes on with what is in --out: no answer there is asked or paid for again.
    """
    if (secret is None) != (gaps is None):
        raise click.UsageError("--secret and --gaps go together")
    sets = read_sets(instances)
    if secret is not None and gaps is not None and not gaps.exists():
        write_season_gaps(
            gaps, build_empty_gaps(read_committed_set(secret), set_of_game(sets.values(), DEFAULT_GAME).identity)
        )
    list_manifests(folder)  # refuses a folder without any submission
    waiting = find_waiting_submissions(read_merged_submissions(folder), find_published_runs(published), sets.values())
    slugs, left_out = choose_pending(split_names(only), [each.slug for each in waiting])
    words = format_options(
        {
            "--published": published, "--concurrency": concurrency, "--judges": judges,
            "--prices": prices, "--secret": secret, "--gaps": gaps, "--price-bound": price_bound or None,
        }
    )  # fmt: skip
    words += ["--channel-test"] if channel else []
    words += ["--spot-replay"] if spot else []
    # An artefact of an earlier job may hold runs of manifests that have changed since.
    _drop_former(folder, out, slugs, sets)
    slices = None if secret is None else secret / SLICES
    limits = _Limits(max_cost, None if deadline is None else monotonic() + deadline, slices)
    failed = [slug for slug in slugs if not _evaluate_pair(folder / slug, out, words, limits, sets)]
    done = [slug for slug in slugs if slug not in failed and is_finished(out / slug)]
    _keep([out / slug for slug in done], finished)
    _tell(done, [slug for slug in slugs if slug not in done], left_out)
    add_step_output("finished", str(len(done)))
    return 0 if done or not slugs else 1


class _Limits(NamedTuple):
    """Limits of all pairs together: US dollars, and the time on the monotonic clock at which play stops."""

    max_cost: float | None
    until: float | None
    slices: Path | None = None
    """Folder of the pairs' runs on secret pictures, which cost money too."""

    def left(self, pair: Path, out: Path) -> list[str]:
        """Return the options that limit a pair to the rest of the limits.

        Raises:
            WorkError: Nothing is left.
        """
        words = []
        if self.max_cost is not None:
            runs = [run for run in out.glob("*") if run.is_dir() and run.name != pair.name]
            runs += [] if self.slices is None else self.slices.glob("*/run")
            # Read from the runs anew for each pair: a run that failed half-way has cost money, too.
            others = sum(map(compute_spent, sorted(runs)))
            if others >= self.max_cost:
                raise WorkError(f"{others:.2f} US$ of {self.max_cost:g} US$ are spent", "Give a larger --max-cost.")
            words += ["--max-cost", f"{self.max_cost - others:.6f}"]
        if self.until is not None:
            if (seconds := self.until - monotonic()) <= 0:
                raise WorkError("the time is up", "Give the same command again.")
            words += ["--deadline", f"{seconds:.0f}"]
        return words


def _evaluate_pair(pair: Path, out: Path, words: list[str], limits: _Limits, sets: Mapping[str, InstanceSet]) -> bool:
    """Evaluate a pair within the rest of the limits; return whether that succeeded, and show why not."""
    click.echo(make_printable(f"\n{pair.name}"), err=True)
    try:
        instances = set_of_game(sets.values(), read_manifest(pair).submission.game)
        places = ["--instances", str(instances.folder), "--out", str(out / pair.name)]
        run_nested(["maintain", "evaluate", str(pair), *places, *words, *limits.left(pair, out)])
    except InputError as error:
        click.echo(make_printable(f"  {pair.name}: {error.problem}"), err=True)
        return False
    return True


def _drop_former(folder: Path, out: Path, slugs: list[str], sets: Collection[str]) -> None:
    """Remove the runs that are not gone on with: of other pairs, manifests or sets than now."""
    for run in sorted(out.glob("*")):
        if run.is_dir() and not (run.name in slugs and can_go_on(run, folder / run.name, sets)):
            rmtree(run)


def _keep(runs: list[Path], finished: Path) -> None:
    finished.mkdir(parents=True, exist_ok=True)
    for run in runs:
        copytree(run, finished / run.name, dirs_exist_ok=True)


def _tell(done: list[str], left: list[str], idle: list[str]) -> None:
    """Print the evaluated, the waiting and the skipped pairs, on the page of the workflow's run too."""
    lines = [f"{len(done)} evaluated{': ' if done else ''}{', '.join(done)}"]
    if left:
        lines.append(f"{len(left)} still wait: {', '.join(left)}; what was answered is kept for the next time")
    if idle:
        lines.append(f"{len(idle)} skipped, since they do not wait: {', '.join(name[:80] for name in idle)}")
    for line in lines:
        click.echo(make_printable(line))
    add_step_summary("### Evaluation\n\n" + "".join(f"* {escape_markdown(line)}\n" for line in lines))


@click.command("paid", short_help="Bring back answers that an earlier job has paid for.")
@click.argument("folder", default="submissions", type=PATH)
@sets_option
@path_option("--out", "Folder of run folders to make, each with the answers that are paid for.", required=True)
def paid(folder: Path, instances: tuple[Path, ...], out: Path) -> None:
    """Make the runs of the submissions in FOLDER anew, with answers from artefacts of earlier jobs, cut off or not.

    For a job of GitHub's, which stops here while another evaluation plays: both would pay for the same answers. Nothing
    but answers of models is taken from an artefact: no scores, no word on who played.
    """
    service = GitHub.of_job()
    if others := service.playing(WORKFLOW, JOB, os.environ.get("GITHUB_RUN_ID", "")):
        raise WorkError(f"evaluation {others[0]} is under way", "Start this one again once that one has ended.")
    lines = list(bring_back(service, folder, read_sets(instances).values(), out))
    for line in lines or ["no earlier answers are kept"]:
        click.echo(make_printable(line))
