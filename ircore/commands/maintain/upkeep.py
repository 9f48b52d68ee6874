"""``ircore maintain pending``, ``evaluate``, ``links``, ``reproduce`` and ``setup``: looking after a leaderboard.

Pending submissions are played or re-scored, links are tried, published runs are reproduced, and the settings of the
repository on GitHub are listed with those that are missing.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

import click

from ircore.commands.options import (
    PATH,
    POSITIVE,
    channel_option,
    echo_json,
    find_published_runs,
    format_options,
    json_option,
    path_option,
    run_nested,
    spot_option,
)
from ircore.commands.run_paths import find_runs_to_read
from ircore.core.errors import InputError, WorkError
from ircore.core.plain_words import format_count
from ircore.core.terminal import make_printable
from ircore.core.untrusted_text import escape_markdown
from ircore.games.registry import has_rated_pictures, load_game
from ircore.instances.store import is_pulled, read_sets
from ircore.players.submission import LoadedSubmission, list_manifests, read_manifest
from ircore.runs.costs.prices import RunPrices, read_prices
from ircore.runs.folder import RUN_FILE, RunFolder
from ircore.runs.provenance import read_provenance
from ircore.seeing.ocr import find_missing_ocr_package
from ircore.submissions.branches import find_clone_root
from ircore.submissions.check.reports import add_step_output, add_step_summary
from ircore.submissions.github import GitHub, list_repository_settings
from ircore.submissions.paid_answers import WORKFLOW, add_kept_judgements, keep_judgements
from ircore.submissions.pending_work import (
    PendingWork,
    choose_pending,
    collect_pending_work,
    compute_spent,
    list_unpriced,
    read_merged_submissions,
    write_bounds,
)
from ircore.submissions.reproduce import is_played_offline, list_differences
from ircore.submissions.rescoring.fetch import find_dead_links, list_links
from ircore.submissions.rescoring.pictures import UNREAD, format_findings
from ircore.submissions.rescoring.rescore import flag_run
from ircore.submissions.texts import split_names

LEAST_LEFT = 1e-6
"""US dollars of a limit on cost that is used up: the first question past it ends play."""

SHOWN = 20
"""Episodes that ``reproduce`` lists."""

_folder = click.argument("folder", default="submissions", type=PATH)

API = "https://api.github.com"


@click.command("pending", short_help="Show what waits, what it would cost, what is held and disputed.")
@_folder
@path_option("--published", "Folder of the published runs, made by ircore release pull.", required=True)
@click.option(
    "--instances",
    type=PATH,
    multiple=True,
    help="Set that counts for its game, may be repeated: decides the cost, and which runs are of an earlier version.",
)
@path_option("--prices", "File of prices that are added to the built-in prices.")
@click.option("--only", default="", metavar="SLUG,…", help="Of what waits, these submissions; all if empty.")
@click.option(
    "--github", is_flag=True, help="For a job: tell the next job how many wait, and the page what they would cost."
)
@json_option
def pending(
    folder: Path,
    published: Path,
    instances: tuple[Path, ...],
    prices: Path | None,
    only: str,
    github: bool,
    as_json: bool,
) -> None:
    """Show what waits for maintainers: submissions in FOLDER to be evaluated, held runs, and open disputes.

    The site has a page of the same. A job that was started by schedule tells the next one that nothing waits while an
    earlier evaluation waits for its approval.
    """
    list_manifests(folder)  # refuses a folder without any submission
    sets = read_sets([*instances, *([published] if is_pulled(published) else [])]).values()
    work = collect_pending_work(read_merged_submissions(folder), find_published_runs(published), sets, prices)
    slugs, left_out = choose_pending(split_names(only), [waiting.slug for waiting in work.waiting])
    work = work._replace(waiting=tuple(waiting for waiting in work.waiting if waiting.slug in slugs))
    if github:
        _tell_job(work, left_out)
    if as_json:
        echo_json(work.as_dict())
        return
    for waiting in work.waiting:
        click.echo(make_printable(f"{waiting.slug}: {waiting.what}; {waiting.forecast.text}"))
    for run in work.held:
        first = run.flags[0]
        more = f", and {len(run.flags) - 1} more" if len(run.flags) > 1 else ""
        click.echo(
            make_printable(f"{run.slug}: {run.run_id} is held: {first.rule} at {first.where}: {first.what}{more}")
        )
    for disputed in work.disputed:
        about = disputed.run_id or "all runs"
        click.echo(make_printable(f"{disputed.slug}: {about}: disputed since {disputed.date}: {disputed.reason}"))
    if work.waiting:
        click.echo(
            f"{format_count(len(work.waiting), 'evaluation')}: {work.cost}; start the workflow evaluate", err=True
        )
    if not any(work):
        click.echo("nothing is waiting")


@click.command("evaluate", short_help="Play or re-score a merged pair, then score it.")
@click.argument("path", type=PATH)
@path_option("--instances", "The instance set.", required=True)
@path_option("--out", "The run folder: created, or resumed if it exists.", required=True)
@path_option("--judges", "A folder of judges (*.yaml), asked beside structural and verified.")
@path_option("--published", "Folder made by ircore release pull: pictures of other pairs are flagged.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Episodes at once.")
@click.option("--max-cost", type=POSITIVE, metavar="USD", help="Stop playing at this cost.")
@path_option("--prices", "File of prices that are added to the built-in prices.")
@click.option(
    "--price-bound",
    type=POSITIVE,
    metavar="USD",
    help="Highest price of a million tokens, for models without a price (an image counts as a thousand).",
)
@click.option("--deadline", type=POSITIVE, metavar="SECONDS", help="Stop playing after this time.")
@path_option(
    "--secret",
    "Folder of a season, made by season begin: ten of its pictures are played too, and stay secret; with --gaps.",
)
@path_option("--gaps", "File that the gap between public and secret pictures is added to.")
@channel_option
@spot_option
def evaluate(
    path: Path,
    instances: Path,
    out: Path,
    judges: Path | None,
    published: Path | None,
    concurrency: int,
    max_cost: float | None,
    prices: Path | None,
    price_bound: float | None,
    deadline: float | None,
    channel: bool,
    spot: bool,
    secret: Path | None,
    gaps: Path | None,
) -> None:
    """Check the merged submission at PATH, play it or re-score the transcripts that it names, and score the run.

    The maintainers vouch for the run. Each command is shown before it is run; each can be given by hand.
    """
    # Before anything is paid for.
    if (secret is None) != (gaps is None):
        raise click.UsageError("--secret and --gaps go together")
    judge_options = _judge_options(judges)
    if published is not None:
        find_published_runs(published)  # refuses a folder without runs
    # Hosts are looked up now: a name may have come to lead into this network since the merge.
    run_nested(["submission", "check", str(path), "--resolve"])
    loaded = read_manifest(path)
    if loaded.submission.transcripts is None:
        # A limit on cost cannot be kept with a model whose price nobody knows.
        if max_cost is not None:
            prices = _write_bounded_prices(loaded, prices, price_bound, out)
        more = format_options({"--max-cost": max_cost, "--prices": prices, "--deadline": deadline})
        play = ["play", str(path), "--instances", str(instances), "--out", str(out)]
        run_nested([*play, "--as-maintainers", "--only-outside", "--concurrency", str(concurrency), *more])
        _show_findings(out, published)
    else:
        # Anew, whatever lies there: a folder does not tell who re-scored it.
        _clear(loaded, out)
        beside = {"--instances": instances, "--out": out, "--published": published}
        run_nested(["maintain", "rescore", str(path), *format_options(beside)])
    if added := add_kept_judgements(out):
        click.echo(f"  {format_count(added, 'answer')} of judges taken from an earlier evaluation", err=True)
    _summarise(loaded.slug, out)
    # Measures that the game takes itself are of every step anyway.
    game = load_game(loaded.submission.game)
    every_turn = ["--every-turn"] if game.is_judged else []
    run_nested(["score", str(out), *every_turn])
    if secret is not None and "secret slice" in game.supports:
        left = None if max_cost is None else max(max_cost - compute_spent(out), LEAST_LEFT)
        options = {"--secret": secret, "--gaps": gaps, "--max-cost": left, "--prices": prices}
        _play_slice(loaded, ["maintain", "season", "slice", str(path), str(out), *format_options(options)])
    if channel and "channel test" in game.supports:
        _test_channel(out, published)
    if spot and loaded.submission.transcripts is not None and "spot replay" in game.supports:
        _play_again(loaded, out, max_cost)
    # Judges that are models come last: their answers cost money, and the computed scores are there without them.
    if judge_options and has_rated_pictures(game):
        run_nested(["score", str(out), *judge_options])


@click.command("links", short_help="Ask whether every link still leads somewhere.")
@_folder
@json_option
def links(folder: Path, as_json: bool) -> None:
    """Request every link and transcript that the submissions in FOLDER name; withdrawn submissions are left out.

    One line for each link that leads nowhere; exit status 1 if there is any.
    """
    # Refuses a folder without manifests, of which no link would be dead.
    list_manifests(folder)
    asked = [submission for submission in read_merged_submissions(folder) if submission.status != "withdrawn"]
    named = [link for submission in asked for link in list_links(submission.loaded)]
    dead = find_dead_links(named)
    if as_json:
        echo_json({"asked": len(named), "dead": [{**link._asdict(), "problem": problem} for link, problem in dead]})
    for link, problem in () if as_json else dead:
        click.echo(make_printable(f"{link.slug}: {link.field}: {link.address}: {problem}"))
    if dead:
        raise WorkError(f"links that lead nowhere: {len(dead)} of {len(named)}", "Ask the submitters for new ones.")
    if not as_json:
        click.echo(f"{format_count(len(named), 'link')} of {format_count(len(asked), 'submission')}, none is dead")


@click.command("reproduce", short_help="Play published offline pairs again.")
@click.argument("runs", nargs=-1, required=True, type=PATH, callback=find_runs_to_read)
@click.option(
    "--instances",
    type=PATH,
    multiple=True,
    help="Instance set that the runs of its game must have been played on; may be repeated. A folder made by release "
    "pull stands for its sets of all other games.",
)
@path_option("--out", "Folder to make for the new runs.", required=True)
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N instances of the set.")
@json_option
def reproduce(
    runs: tuple[Path, ...],
    instances: tuple[Path, ...],
    out: Path,
    limit: int | None,
    as_json: bool,
) -> None:
    """Play the runs of RUNS with offline players again, and compare every answer and every picture.

    Exit status 1 if anything differs.
    """
    folders = [RunFolder(path) for path in runs]
    sets = read_sets(instances)
    for folder in folders if sets else ():
        of_game = [str(known.folder) for known in sets.values() if known.game == folder.game]
        if not of_game:
            raise InputError(f"{folder.path}: no set of {folder.game} is given", "Name it with a further --instances.")
        if folder.run.instance_set not in sets:
            remedy = "Build the set that counts, or evaluate it anew if it is of an earlier version."
            raise InputError(f"{folder.path}: was not played on the set in {' or '.join(of_game)}", remedy)
    offline = [folder for folder in folders if is_played_offline(folder.run)]
    lines = [line for folder in offline for line in list_differences(folder, out / folder.run.run_id, limit)]
    if as_json:
        echo_json({"runs": len(folders), "played_again": len(offline), "differences": lines})
    for line in () if as_json else lines[:SHOWN]:
        click.echo(make_printable(line))
    if lines:
        differing = format_count(len(lines), "episode differs", "episodes differ")
        raise WorkError(f"{differing} from what was published", "See what changed in the players.")
    if not as_json:
        click.echo(
            f"{len(offline)} of {format_count(len(folders), 'run')} played again: the same words and the same pictures"
        )


@click.command("setup", short_help="Check the settings of the repository on GitHub.")
@click.option("--check", "checking", is_flag=True, help="Read the settings through GitHub's API.")
@click.option("--repo", metavar="ORG/NAME", help="The repository; GITHUB_REPOSITORY if not given.")
@json_option
def setup(checking: bool, repo: str | None, as_json: bool) -> None:
    """Say which settings of the repository are missing that the workflows rely on; docs/maintain.md has the order.

    --check needs the token of an administrator, for reading alone, in GITHUB_TOKEN.
    """
    if not checking:
        raise InputError("nothing is changed by this command", "Give --check; docs/maintain.md says how to set up.")
    name, token = repo or os.environ.get("GITHUB_REPOSITORY", ""), os.environ.get("GITHUB_TOKEN", "")
    if not token:
        raise InputError("GITHUB_TOKEN is not set", "Set it to a token of an administrator: gh auth token prints one.")
    service = GitHub(os.environ.get("GITHUB_API_URL", API), name, token)
    settings = list(list_repository_settings(service, find_clone_root(Path.cwd())))
    missing = [setting for setting in settings if not setting.is_met]
    if as_json:
        echo_json({"settings": [setting._asdict() for setting in settings], "missing": len(missing)})
    for setting in () if as_json else settings:
        mark = "ok      " if setting.is_met else "missing "
        click.echo(make_printable(f"{mark} {setting.name}{'' if setting.is_met else f'  ({setting.place})'}"))
    if missing:
        raise WorkError(f"{format_count(len(missing), 'setting')} missing", "docs/maintain.md, Set up a repository.")
    if not as_json:
        click.echo("trusted publishing on the Hub cannot be read: see docs/maintain.md, step 9", err=True)


def _tell_job(work: PendingWork, left_out: Sequence[str]) -> None:
    """Tell the next job of a workflow how many evaluations wait, and its page what they are and cost."""
    asked = GitHub.of_job().list_unapproved(WORKFLOW) if os.environ.get("GITHUB_EVENT_NAME") == "schedule" else []
    lines = [f"{waiting.slug}: {waiting.what}; {waiting.forecast.text}" for waiting in work.waiting]
    lines += [f"{name[:80]}: skipped, since it does not wait" for name in left_out]
    if asked:
        lines = [f"evaluation {asked[0]} waits for an approval already: approve that one"]
        click.echo(lines[0])
    head = (
        f"### {format_count(len(work.waiting), 'evaluation')}: {work.cost}\n\n"
        if work.waiting
        else "### Nothing waits\n\n"
    )
    add_step_summary(head + "".join(f"* {escape_markdown(line)}\n" for line in lines))
    add_step_output("waiting", "0" if asked else str(len(work.waiting)))


def _clear(loaded: LoadedSubmission, out: Path) -> None:
    """Remove an earlier run of a submission that is re-scored, but for answers of judges, which cost money.

    Raises:
        InputError: The folder holds a run of another submission.
    """
    if not (out / RUN_FILE).is_file():
        return
    earlier = RunFolder(out).run
    if earlier.slug != loaded.slug:
        raise InputError(f"{out}: holds a run of {earlier.slug}", "Choose another --out.")
    keep_judgements(out)
    rmtree(out)


def _test_channel(out: Path, published: Path | None) -> None:
    """Give a run's words to the built-in canvas, and record what it finds; too few dialogues say nothing."""
    with TemporaryDirectory() as folder:
        words = ["maintain", "channel-test", str(out), "--out", folder, "--record"]
        _try("channel test", [*words, *format_options({"--published": published})])


def _try(name: str, words: list[str]) -> None:
    """Give a command whose failure is shown and holds nothing up."""
    try:
        run_nested(words)
    except InputError as error:
        click.echo(make_printable(f"  {name}: {error.problem}"), err=True)


def _play_slice(loaded: LoadedSubmission, words: list[str]) -> None:
    """Play ten secret pictures; where others played the pair, models that cannot be asked here are no fault."""
    if loaded.submission.transcripts is None:
        run_nested(words)
    elif missing := _list_missing_keys(loaded):
        click.echo(make_printable(f"  secret pictures: no key here for {', '.join(missing)}"), err=True)
    else:
        _try("secret pictures", words)


def _list_missing_keys(loaded: LoadedSubmission) -> list[str]:
    """Return the variables of a pair's keys that this machine has not; of a model without a key, its name."""
    named = {spec.api_key_env or spec.label for spec in loaded.submission.players.values() if spec.model is not None}
    return sorted(name for name in named if not os.environ.get(name))


def _play_again(loaded: LoadedSubmission, out: Path, max_cost: float | None) -> None:
    """Play some episodes of a re-scored run again, and record a worse replay; keys that are not here are no fault."""
    if missing := _list_missing_keys(loaded):
        click.echo(make_printable(f"  spot replay: no key here for {', '.join(missing)}"), err=True)
        return
    limit = format_options({"--max-cost": max_cost})
    with TemporaryDirectory() as folder:
        words = ["maintain", "spot-replay", str(out), "--out", folder, "--record", "--only-outside", *limit]
        _try("spot replay", words)


def _show_findings(out: Path, published: Path | None) -> None:
    """Record and show unlikely findings in a run that was played here."""
    if find_missing_ocr_package():
        click.echo(f"  {UNREAD}", err=True)
    for flag in flag_run(out, find_published_runs(published) if published is not None else ()):
        click.echo(make_printable(f"  {flag.rule}: {flag.where}: {flag.what}"), err=True)


def _summarise(slug: str, out: Path) -> None:
    """Write the findings in a run to the page of the workflow's run, where one looks before the run is published."""
    provenance = read_provenance(out)
    if provenance is not None and provenance.flags:
        pictures = f"Pictures: the pair's page on the site, pairs/{slug}.html#findings.\n\n"
        add_step_summary(f"## {slug}\n\n{format_findings(provenance.flags)}\n{pictures}")


def _write_bounded_prices(loaded: LoadedSubmission, prices: Path | None, bound: float | None, out: Path) -> Path | None:
    """Return the table of prices by which a limit on cost can be kept, with a bound for models without a price.

    Raises:
        InputError: A price is not known, and nobody gives a bound.
    """
    models = list_unpriced(RunPrices(read_prices(prices), loaded.submission).seats.values())
    if models and bound is None:
        if not sys.stdin.isatty():
            remedy = "Give --price-bound USD: what a million tokens cost at most; or prices with --prices FILE."
            raise InputError(f"--max-cost: no price of {' and '.join(models)} is known", remedy)
        question = f"US$ that a million tokens of {' and '.join(models)} cost at most"
        bound = click.prompt(question, type=POSITIVE, err=True)
    if not models or bound is None:
        return prices  # every price is known
    return write_bounds(loaded.submission, bound, prices, out.with_name(f"{out.name}~prices.yaml"))


def _judge_options(folder: Path | None) -> list[str]:
    if folder is not None and not folder.is_dir():
        raise InputError(f"{folder}: no such folder", "Name the folder of the judges, or leave --judges out.")
    return [word for file in sorted(folder.glob("*.yaml") if folder else ()) for word in ("--judge", str(file))]
