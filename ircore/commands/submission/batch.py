"""``ircore submission evaluate-pending`` and ``paid``: all that waits, in one go, resumed with what was paid for."""

from pathlib import Path
from shutil import copytree, rmtree
from time import monotonic
from typing import NamedTuple

import click

from ircore.commands.options import PATH, PATH_OR_EMPTY, POSITIVE, option_words, path_option, published_runs, run_nested
from ircore.commands.submission.group import channel_option, spot_option
from ircore.core.errors import InputError, WorkError
from ircore.core.terminal import printable
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.submission import read_manifest
from ircore.submissions.batch import chosen, goes_on, is_finished, spent
from ircore.submissions.check.reports import add_step_summary
from ircore.submissions.github import GitHub
from ircore.submissions.paid_answers import bring_back
from ircore.submissions.pending_submissions import pending_submissions
from ircore.submissions.season_gaps import write_season_gaps
from ircore.submissions.seasons import committed_set
from ircore.submissions.secret_slice import SLICES, no_gaps


@click.command("evaluate-pending", short_help="Play or re-score all that waits, in one go.")
@click.argument("folder", default="submissions", type=PATH)
@click.option(
    "--only", default="", metavar="SLUG,…", help="Submissions to evaluate, separated by commas; all that wait if empty."
)
@path_option("--instances", "The instance set; pairs of other games are left out.", required=True)
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
    instances: Path,
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

    The exit status is 0 if a pair was finished. The same command goes on with what is in --out: no
    answer there is asked or paid for again.
    """
    if (secret is None) != (gaps is None):
        raise click.UsageError("--secret and --gaps go together")
    current = read_instances(instances)
    if secret is not None and gaps is not None and not gaps.exists():
        write_season_gaps(gaps, no_gaps(committed_set(secret), current.identity))
    waiting = [each.slug for each in pending_submissions(folder, published_runs(published), current)]
    slugs = chosen([name.strip() for name in only.split(",") if name.strip()], waiting)
    words = option_words(
        {
            "--instances": instances, "--published": published, "--concurrency": concurrency, "--judges": judges,
            "--prices": prices, "--secret": secret, "--gaps": gaps, "--price-bound": price_bound or None,
        }
    )  # fmt: skip
    words += ["--channel-test"] if channel else []
    words += ["--spot-replay"] if spot else []
    # An artefact of an earlier job may hold runs of manifests that have changed since.
    _drop_former(folder, out, slugs, current)
    slices = None if secret is None else secret / SLICES
    limits = _Limits(max_cost, None if deadline is None else monotonic() + deadline, slices)
    failed = [slug for slug in slugs if not _evaluated(folder / slug, out, words, limits, current)]
    done = [slug for slug in slugs if slug not in failed and is_finished(out / slug)]
    _keep([out / slug for slug in done], finished)
    _tell(done, [slug for slug in slugs if slug not in done])
    return 0 if done else 1


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
            others = sum(map(spent, sorted(runs)))
            if others >= self.max_cost:
                raise WorkError(f"{others:.2f} US$ of {self.max_cost:g} US$ are spent", "Give a larger --max-cost.")
            words += ["--max-cost", f"{self.max_cost - others:.6f}"]
        if self.until is not None:
            if (seconds := self.until - monotonic()) <= 0:
                raise WorkError("the time is up", "Give the same command again.")
            words += ["--deadline", f"{seconds:.0f}"]
        return words


def _evaluated(pair: Path, out: Path, words: list[str], limits: _Limits, instances: InstanceSet) -> bool:
    """Evaluate a pair within the rest of the limits; return whether that succeeded, and show why not."""
    click.echo(printable(f"\n{pair.name}"), err=True)
    game = read_manifest(pair).submission.game
    # One set is given for all pairs, and a pair plays only the sets of its own game.
    if game != instances.game:
        click.echo(f"  plays the game {game}: evaluate it by itself, on a set of that game", err=True)
        return False
    try:
        run_nested(
            ["submission", "evaluate", str(pair), "--out", str(out / pair.name), *words, *limits.left(pair, out)]
        )
    except InputError as error:
        click.echo(printable(f"  {pair.name}: {error.problem}"), err=True)
        return False
    return True


def _drop_former(folder: Path, out: Path, slugs: list[str], instances: InstanceSet) -> None:
    """Remove the runs that are not gone on with: of other pairs, manifests or sets than now."""
    for run in sorted(out.glob("*")):
        if run.is_dir() and not (run.name in slugs and goes_on(run, folder / run.name, instances)):
            rmtree(run)


def _keep(runs: list[Path], finished: Path) -> None:
    finished.mkdir(parents=True, exist_ok=True)
    for run in runs:
        copytree(run, finished / run.name, dirs_exist_ok=True)


def _tell(done: list[str], left: list[str]) -> None:
    """Print the evaluated and the waiting pairs, on the page of the workflow's run too."""
    lines = [f"{len(done)} evaluated{': ' if done else ''}{', '.join(done)}"]
    if left:
        lines.append(f"{len(left)} still wait: {', '.join(left)}; what was answered is kept for the next time")
    for line in lines:
        click.echo(printable(line))
    add_step_summary("### Evaluation\n\n" + "".join(f"* {line}\n" for line in lines))


@click.command("paid", short_help="Bring back answers that an earlier job has paid for.")
@click.argument("folder", default="submissions", type=PATH)
@path_option("--instances", "The instance set that is played; pairs of other games are left out.", required=True)
@path_option("--out", "Folder of run folders to make, each with the answers that are paid for.", required=True)
def paid(folder: Path, instances: Path, out: Path) -> None:
    """Make the runs of the submissions in FOLDER anew, with answers from artefacts of earlier jobs, cut off or not.

    For a job of GitHub's. Nothing but answers of models is taken from an artefact: no scores, no word on who played.
    """
    lines = list(bring_back(GitHub.of_job(), folder, read_instances(instances), out))
    for line in lines or ["no earlier answers are kept"]:
        click.echo(printable(line))
