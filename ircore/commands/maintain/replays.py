"""``ircore maintain channel-test`` and ``spot-replay``: parts of a submitter's run are played again.

The channel test asks whether a pair's words carry the picture to a neutral generator; a spot replay plays a few
episodes once more.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import click

from ircore.commands.options import PATH, POSITIVE, find_published_runs, path_option
from ircore.core.errors import InputError
from ircore.core.terminal import make_printable
from ircore.games.registry import require_support
from ircore.players.builtin_pairs import find_submission_place
from ircore.players.submission import MANIFEST, LoadedSubmission, read_manifest
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.formats import Format, render
from ircore.results.tables.model import Column, Table, Value
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import record_findings
from ircore.submissions.channel_messages import ByList, ByModel
from ircore.submissions.channel_test import RULES, AskedGenerator, ChannelPlan, ChannelResult, find_drawer
from ircore.submissions.channel_test import run_channel_test as tested
from ircore.submissions.reproduce import is_offline
from ircore.submissions.services import refuse_internal as guard
from ircore.submissions.spot_replay import RULE
from ircore.submissions.spot_replay import replay_spots as replayed

NEUTRAL = Path("classical+canvas")
"""The pair whose generator is the neutral one."""


@click.command("channel-test", short_help="Give a pair's words to a neutral generator.")
@click.argument("runs", nargs=-1, required=True, type=PATH)
@path_option("--out", "Folder for the neutral generator's runs: created, or resumed if it exists.", required=True)
@click.option(
    "--generator", type=PATH, default=NEUTRAL, show_default=True, help="Pair whose generator is the neutral generator."
)
@path_option(
    "--paraphraser", "Manifest whose describer, a chat model, paraphrases; by default synonyms are used, offline."
)
@click.option("--own/--no-own", "own", default=None, help="Ask the pair's own generator too; by default if offline.")
@click.option("--judge", default="structural", show_default=True, help="Computed judge that compares.")
@click.option("--episodes", type=click.IntRange(min=2), help="Number of episodes, at most; all if not given.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Episodes at once.")
@click.option("--max-cost", type=POSITIVE, metavar="USD", help="Cost limit of each of the four runs that are made.")
@path_option("--published", "Folder made by ircore release pull: what other pairs get right untold is no finding.")
@click.option("--record", "recording", is_flag=True, help="Record the findings, which hold the run.")
@click.option("--format", "form", default="text", show_default=True, type=click.Choice(["text", "json", "csv"]))
def channel_test(
    runs: tuple[Path, ...],
    out: Path,
    generator: Path,
    paraphraser: Path | None,
    own: bool | None,
    judge: str,
    episodes: int | None,
    concurrency: int,
    max_cost: float | None,
    published: Path | None,
    recording: bool,
    form: Format,
) -> None:
    """Give the messages of scored RUNS, paraphrases of them, and messages about other targets to a neutral generator.

    A pair that shares a code book scores well, and its words are worth nothing to anybody else: its score collapses. A
    pair that copies its targets, or speaks in code, draws labels, values, sizes and angles that no message states.
    """
    pair = read_manifest(find_submission_place(generator))
    require_support("channel test", pair.submission.game, str(pair.path))
    neutral = find_drawer(pair)
    words = ByList() if paraphraser is None else ByModel(read_manifest(find_submission_place(paraphraser)))
    folders, results = [RunFolder(path) for path in runs], []
    others = () if published is None else tuple(map(RunFolder, find_published_runs(published)))
    for folder in folders:
        asking = ChannelPlan(
            neutral, words, _find_own_generator(folder, own), judge, episodes, concurrency, max_cost, others
        )
        result = tested(folder, asking, out / folder.run.run_id)
        results.append(result)
        if recording:
            record_findings(folder.path, RULES, result.flags)
        for flag in result.flags:
            click.echo(make_printable(f"{folder.run.slug}: {flag.where}: {flag.what}"), err=True)
    click.echo(
        render(build_channel_table(folders, results, judge, neutral.pair.submission.label_of("generator")), form),
        nl=False,
    )


def _find_own_generator(folder: RunFolder, asked: bool | None) -> AskedGenerator | None:
    """Return the own generator of a run's pair if it is to be asked."""
    submission = folder.run.submission
    # Unless it is asked for, a generator behind a service is left out: its pictures cost money.
    if asked is False or (asked is None and not is_offline(submission.players["generator"])):
        return None
    return find_drawer(LoadedSubmission(folder.run.slug, submission, folder.path / MANIFEST))


NO_SCENES = "nobody wrote down what the targets show"
NOT_ASKED = "the pair's own generator cannot be asked here"

_SCORES: Mapping[str, tuple[str, str]] = {
    "own": ("own", "Mean score of the pair's own final pictures."),
    "same": ("same words", "Mean score of the neutral generator, given the same messages."),
    "paraphrase": ("paraphrased", "Mean score of the neutral generator, given paraphrases of the messages."),
    "other": ("other words", "Mean score of the neutral generator, given the messages about other targets."),
    "own_paraphrase": ("own, paraphrased", "Mean score of the pair's own generator, given the paraphrases."),
}
_SHARES: Mapping[str, tuple[str, str]] = {
    "same": ("kept, same words", "Share of the pair's gain over other words that the same messages keep."),
    "paraphrase": ("kept, paraphrased", "Share that paraphrases keep with the neutral generator."),
    "own_paraphrase": ("kept by own", "Share that paraphrases keep with the pair's own generator."),
}

COLUMNS = (
    Column("run_id", "Run", "The run.", digits=None, audience="programs"),
    Column("pair", "pair", "Describer + generator.", digits=None),
    Column("verdict", "verdict", "carried, collapsed, or too little to tell.", digits=None),
    *(Column(key, title, text, "0–10", "higher", 1, estimated=True) for key, (title, text) in _SCORES.items()),
    *(Column(f"kept_{key}", title, text, "", "higher", 2, estimated=True) for key, (title, text) in _SHARES.items()),
    Column(
        "unstated", "untold", "Share of labels, values, sizes and angles that are right and untold.", "", "lower", 2
    ),
)


def build_channel_table(runs: Sequence[RunFolder], results: Sequence[ChannelResult], judge: str, neutral: str) -> Table:
    """Return the results of channel tests, a row a run.

    Args:
        runs: The runs.
        results: Of each run, in the same order.
        judge: Whose scores.
        neutral: Label of the neutral generator.
    """
    rows = tuple(
        (
            Value(run.run.run_id),
            Value(" + ".join(spec.label for spec in run.run.submission.players.values())),
            Value(result.verdict),
            *(_build_value(result.scores.get(key)) for key in _SCORES),
            *(_build_value(result.shares.get(key)) for key in _SHARES),
            Value(result.unstated.share, missing=None if result.unstated.asked else NO_SCENES),
        )
        for run, result in zip(runs, results, strict=True)
    )
    words = f"Final pictures judged by {judge}; the neutral generator is {neutral}."
    return Table("channel-test", "Channel test", words, COLUMNS, rows)


def _build_value(estimate: Estimate | None) -> Value:
    return Value(None, missing=NOT_ASKED) if estimate is None else Value.of(estimate)


@click.command("spot-replay", short_help="Play a few episodes of a submitter's run again.")
@click.argument("run", type=PATH)
@path_option("--out", "Folder of the replay: created, or resumed if it exists.", required=True)
@click.option(
    "--share",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="Share of the episodes that are played again; at least 7 episodes.",
)
@click.option(
    "--commit",
    metavar="SHA",
    help="Commit that decides which episodes are played; by default the commit that re-scored the run.",
)
@click.option("--judge", default="structural", show_default=True, help="Computed judge that compares.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Episodes at once.")
@click.option("--max-cost", type=POSITIVE, metavar="USD", help="Stop at this cost.")
@click.option("--only-outside", is_flag=True, help="Connect to public addresses only: for strangers' pairs.")
@click.option("--record", "recording", is_flag=True, help="Record a worse replay as a finding, which holds the run.")
@click.option("--format", "form", default="text", show_default=True, type=click.Choice(["text", "json", "csv"]))
def spot_replay(
    run: Path,
    out: Path,
    share: float,
    commit: str | None,
    judge: str,
    concurrency: int,
    max_cost: float | None,
    only_outside: bool,
    recording: bool,
    form: Format,
) -> None:
    """Play some episodes of the scored RUN again with its own players, and compare the scores.

    The keys of the services must be set. Which episodes are played follows from a commit that nobody knew when the
    transcripts were handed in.
    """
    folder = RunFolder(run)
    provenance = folder.provenance()
    drawn_by = commit or (provenance and provenance.commit)
    if not drawn_by:
        raise InputError("--commit: is missing, and the run names none", "Name a commit made after the hand-in.")
    with guard() if only_outside else nullcontext():
        result = replayed(folder, out, drawn_by, share, judge, concurrency, max_cost)
    if recording:
        record_findings(run, {RULE}, [] if result.flag is None else [result.flag])
    click.echo(render(result.table, form), nl=False)
    if result.flag is not None:
        click.echo(make_printable(f"{run}: {result.flag.what}"), err=True)
