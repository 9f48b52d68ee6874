"""``ircore play``: let a submitted pair play the game."""

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import click

from ircore.commands.completion import complete_submissions
from ircore.commands.next_steps import NEXT
from ircore.commands.options import (
    PATH,
    POSITIVE,
    conditions_options,
    draw_own_set,
    echo_json,
    executor_options,
    find_scheduler,
    json_option,
    path_option,
    run_nested,
)
from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.files import BUILT_IN
from ircore.core.plain_words import format_count
from ircore.core.strict_yaml import YamlError, parse_value
from ircore.core.submission_records import MOST_REPEATS, Run
from ircore.core.terminal import make_printable
from ircore.games.base import Game, GamePrompts
from ircore.games.registry import load_game, require_support
from ircore.players.builtin_pairs import find_submission_place
from ircore.players.submission import LoadedSubmission, read_manifest
from ircore.players.traits import load_traits
from ircore.runs.answers import Cache
from ircore.runs.costs.forecast import PlannedPlay, describe_rate, estimate, format_estimate
from ircore.runs.costs.prices import RunPrices, load_run_prices, read_prices
from ircore.runs.folder import RUN_FILE, RunFolder, RunWriter
from ircore.runs.play import (
    ShardPart,
    add_run_id,
    check_part,
    declare_final,
    make_run,
    open_run,
    parse_shard,
    play,
    write_part,
)
from ircore.runs.processes import ProcessPool
from ircore.runs.provenance import compute_seed, sort_ids
from ircore.runs.session import PlayPlan
from ircore.runs.setup import Prepared, begin_run, make_players, prepare
from ircore.runs.summary import summarise
from ircore.submissions.commitments import find_opening, read_salt
from ircore.submissions.services import refuse_internal as guard
from ircore.submissions.services import refuse_self_reported


@click.command("play")
@click.argument("submission", type=PATH, shell_complete=complete_submissions)
@click.option("--instances", "instances_dir", type=PATH, help="The instance set; the game's own if not given.")
@click.option("--out", type=PATH, required=True, help="The run folder: created, or resumed if it exists.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Episodes at once.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N of the selected instances.")
@conditions_options
@click.option(
    "--token-budget", type=click.IntRange(1, 10_000), help="Tokens a message may have, instead of the rules'."
)
@click.option("--max-turns", type=click.IntRange(1, 100), help="Turns at most, instead of the rules'.")
@click.option(
    "--rule", "given_rules", multiple=True, metavar="NAME=VALUE", help="Any rule of the game; may be repeated."
)
@click.option(
    "--prompts",
    "prompts_dirs",
    type=PATH,
    multiple=True,
    help="Folder of prompts to use instead of the built-in prompts. Given several times (built-in names ours), "
    "the pair plays once with each, into a folder of --out each; ircore results OUT --table prompts compares.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed for players that draw random numbers.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1, MOST_REPEATS),
    default=1,
    show_default=True,
    metavar="N",
    help="Episodes of each instance, under the seeds S, S + 1, …",
)
@path_option("--salt", "Play by the manifest's commitment, whose salt is in this file.")
@click.option(
    "--processes", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes that play side by side."
)
@click.option(
    "--shard", "shard_text", metavar="I/N", help="Only part I of N of the selected instances; see ircore merge."
)
@click.option("--cache", "cache_dir", type=PATH, help="Keep describers' answers here, for all runs.")
@click.option("--cache-generators", is_flag=True, help="Keep pictures in --cache too: no new samples then.")
@click.option("--deadline", type=POSITIVE, metavar="SECONDS", help="Stop after this time.")
@click.option("--max-cost", type=POSITIVE, metavar="USD", help="Stop at this cost.")
@click.option("--prices", "prices_file", type=PATH, help="File of prices that are added to the built-in prices.")
@click.option("--as-maintainers", is_flag=True, help="Vouch for this run: for the maintainers' protected job.")
@click.option("--only-outside", is_flag=True, help="Connect to public addresses only: for strangers' pairs.")
@executor_options
@click.option("--dry-run", is_flag=True, help="Print what would be played and what it may cost; ask no player.")
@click.option("--final", is_flag=True, help="Play nothing more: an episode without a result counts as not played.")
@json_option
def command(
    submission: Path,
    instances_dir: Path | None,
    out: Path,
    concurrency: int,
    limit: int | None,
    categories: tuple[str, ...],
    difficulties: tuple[str, ...],
    token_budget: int | None,
    max_turns: int | None,
    given_rules: tuple[str, ...],
    prompts_dirs: tuple[Path, ...],
    seed: int,
    repeats: int,
    salt: Path | None,
    processes: int,
    shard_text: str | None,
    cache_dir: Path | None,
    cache_generators: bool,
    deadline: float | None,
    max_cost: float | None,
    prices_file: Path | None,
    as_maintainers: bool,
    only_outside: bool,
    executor: str,
    scheduler: str | None,
    dry_run: bool,
    final: bool,
    as_json: bool,
) -> int:
    """Let the players of SUBMISSION play its game on an instance set.

    SUBMISSION is a folder, its submission.yaml, or a built-in pair such as classical+canvas.

    The same command again resumes where it stopped; a finished run is left as it is. A run has no rank while episodes
    have no result; --final ends it for good. Without --instances the game's own set is drawn beside OUT, once.
    """
    if len(prompts_dirs) > 1:
        return _play_with_each(submission, prompts_dirs, out, as_json)
    address = find_scheduler(executor, scheduler)
    _refuse_together(only_outside, address is not None, processes, json_of_nothing=as_json and (dry_run or final))
    stated = _parse_rules(given_rules, token_budget=token_budget, max_turns=max_turns)
    loaded, game, instances, _ = prepared = prepare(submission, instances_dir or partial(draw_own_set, out), stated)
    run, prompts = _run(prepared, _find_prompts_folder(*prompts_dirs), seed, repeats, as_maintainers, salt)
    shard = None if shard_text is None else parse_shard(shard_text)
    selected = instances.select(categories, difficulties)
    if run.opening is not None:
        # A commitment fixes the order, and with it the instances that --limit leaves.
        selected = selected.in_order(sort_ids(run.opening, selected.ids))
    selected = selected[:limit]
    part = None if shard is None else ShardPart.of(shard, selected.ids)
    plan = PlayPlan(run, instances, selected[shard.places] if shard else selected, prompts, concurrency, deadline)
    if dry_run:
        return _show_forecast(plan, game, out, prices_file)
    if final:
        return _declare_final(plan, out, part)
    with guard() if only_outside else nullcontext():
        cache = _cache(cache_dir, cache_generators, loaded)
        status = _play(plan, game, loaded, out, max_cost, prices_file, part, cache, address, as_maintainers, processes)
    return _print_contents(status, out, as_json)


def _play_with_each(submission: Path, prompts_dirs: tuple[Path, ...], out: Path, as_json: bool) -> int:
    """Play the same command once with each folder of prompts, and return the worst exit status."""
    if as_json:
        raise click.UsageError("--json goes with one --prompts: several make several runs")
    context, names = click.get_current_context(), [folder.resolve().name for folder in prompts_dirs]
    if twice := sorted(name for name in {*names} if names.count(name) > 1):
        raise InputError(
            f"--prompts: two of these folders are called {twice[0]}",
            "Rename one of them: the runs are told apart by the names of the folders.",
        )
    game = load_game(read_manifest(find_submission_place(submission)).submission.game)
    require_support("comparison of prompts", game.name, "--prompts")
    # A fault in the last folder must not be found when the first has been played.
    for folder in prompts_dirs:
        game.read_prompts(_find_prompts_folder(folder))
    status = 0
    for folder, name in zip(prompts_dirs, names, strict=True):
        click.echo(f"prompts {name}:", err=True)
        given = {**context.params, "prompts_dirs": (folder,), "out": out / name}
        status = max(status, context.invoke(command, **given))
    return status


def _find_prompts_folder(folder: Path | None = None) -> Path | None:
    """Return the folder of prompts; None for the built-in ones, which ``built-in`` names where no such folder is."""
    return None if folder is None or (str(folder) == BUILT_IN and not folder.exists()) else folder


def _run(
    prepared: Prepared, prompts_dir: Path | None, seed: int, repeats: int, as_maintainers: bool, salt: Path | None
) -> tuple[Run, GamePrompts]:
    loaded, game, instances, rules = prepared
    # The maintainers cannot vouch for what answers on its submitter's machine.
    if as_maintainers:
        refuse_self_reported(loaded)
    prompts = game.read_prompts(prompts_dir)
    if salt is None:
        return make_run(loaded, instances, rules, prompts, seed, repeats), prompts
    # A seed of the submitter's choice is what a commitment rules out.
    if seed:
        raise click.UsageError("--seed goes not with --salt: the seed follows from the commitment")
    opening = find_opening(loaded, read_salt(salt))
    run = make_run(loaded, instances, rules, prompts, compute_seed(opening), repeats)
    return add_run_id(run.model_copy(update={"opening": opening})), prompts


def _print_contents(status: int, out: Path, as_json: bool) -> int:
    """Print the contents of a run as ``ircore show --json`` prints them, if asked for; return the exit status."""
    if not as_json:
        return status
    folder = RunFolder(out)
    echo_json(summarise(folder, load_run_prices(folder, None)))
    return status


def _refuse_together(only_outside: bool, on_cluster: bool, processes: int, json_of_nothing: bool) -> None:
    """Refuse options that exclude each other: ways to reach players, and JSON of a run that is not played."""
    if only_outside + on_cluster + (processes > 1) > 1:
        raise click.UsageError("--only-outside, --executor dask and --processes go with none of the others")
    if processes > 1 and sys.platform == "win32":
        raise InputError(
            "--processes: not on Windows, where one process cannot watch the pipes of others",
            "Leave it out, or play shards side by side: --shard 1/2 and --shard 2/2.",
        )
    if json_of_nothing:
        raise click.UsageError("--json goes with neither --dry-run nor --final")


def _cache(folder: Path | None, generators: bool, loaded: LoadedSubmission) -> Cache | None:
    if generators and folder is None:
        raise click.UsageError("--cache-generators needs --cache DIR")
    return Cache(folder, loaded.submission.players, generators) if folder else None


def _parse_rules(options: tuple[str, ...], **named: int | None) -> dict[str, object]:
    """Return the rules in options; YAML reads the values of ``--rule NAME=VALUE``."""
    rules: dict[str, object] = {name: value for name, value in named.items() if value is not None}
    for text in options:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise click.UsageError(f"--rule {text}: write NAME=VALUE")
        try:
            rules[name] = parse_value(value, "--rule")
        except YamlError as error:
            raise click.UsageError(f"--rule {text}: {error.detail}") from error
    return rules


def _show_forecast(plan: PlayPlan, game: Game[Any], out: Path, prices_file: Path | None) -> int:
    folder, finished = None, set()
    prices = RunPrices(read_prices(prices_file), plan.run.submission)
    # A run that was begun has finished episodes, and prices of its own.
    if (out / RUN_FILE).is_file():
        folder = open_run(out, plan.run, plan.instances)
        finished = set(RunWriter.finished_episodes(folder))
        prices = load_run_prices(folder, prices_file)
    left = [name for name in plan.episode_ids if name not in finished]
    done = len(plan.episode_ids) - len(left)
    click.echo(
        f"{plan.run.slug}: {len(left)} of {format_count(len(plan.episode_ids), 'episode')} to play, {done} finished"
    )
    rules = game.rules.model_validate(plan.run.rules)
    planned = PlannedPlay(game, plan.run.submission, rules, plan.prompts, plan.instances)
    of_instance = {name: len(set(left).intersection(plan.run.episode_ids([name]))) for name in plan.selected.ids}
    episodes = {name: count for name, count in of_instance.items() if count}
    click.echo(format_estimate(estimate(planned, episodes, prices), prices))
    if folder and (like_before := describe_rate(folder, prices, len(left))):
        click.echo(like_before)
    click.echo(f"  instance set {plan.run.instance_set[:12]}")
    return 0


def _declare_final(plan: PlayPlan, out: Path, part: ShardPart | None) -> int:
    if not (out / RUN_FILE).is_file():
        raise InputError(f"{out}: no run here", "Declare a run final that was begun: the same command without --final.")
    folder = open_run(out, plan.run, plan.instances)
    with folder.lock():
        check_part(folder, part)
        if part is not None:
            write_part(folder.path, part)
        given_up = declare_final(folder, plan.selected)
    click.echo(
        f"{plan.run.slug}: {format_count(given_up, 'episode')} declared final; they count as not played", err=True
    )
    return 0


def _play(
    plan: PlayPlan,
    game: Game[Any],
    loaded: LoadedSubmission,
    out: Path,
    max_cost: float | None,
    prices_file: Path | None,
    part: ShardPart | None,
    cache: Cache | None,
    scheduler: str | None,
    as_maintainers: bool,
    processes: int,
) -> int:
    players = make_players(game, loaded, scheduler)
    pool = ProcessPool(loaded, cache, processes) if processes > 1 else None
    with begin_run(
        plan, loaded, out, part=part, prices_file=prices_file, max_cost=max_cost, vouching=as_maintainers
    ) as (folder, cost_limit):
        episodes = play(plan, folder, game, players, cost_limit, cache, pool)
    status = tell_outcomes(plan, game, episodes)
    # A person wants to know at once; runs of models are scored by a command of its own.
    if any(load_traits(spec.player).needs == "person" for spec in loaded.submission.players.values()):
        score_person(out, game.name)
    return status


def tell_outcomes(plan: PlayPlan, game: Game[Any], episodes: Sequence[Episode]) -> int:
    """Say how the episodes of a plan ended, and return the exit status: 1 if some failed for technical reasons."""
    counts = ", ".join(
        f"{sum(episode.outcome == outcome.name for episode in episodes)} {outcome.name}" for outcome in game.outcomes
    )
    planned = format_count(len(plan.instances.instances) * plan.run.repeats, "episode")
    click.echo(f"{plan.run.slug}: {len(episodes)} of {planned}: {counts}", err=True)
    failed = [episode for episode in episodes if not episode.finished]
    for episode in failed[:5]:
        click.echo(make_printable(f"  {episode.episode_id}: {episode.abort_reason}: {episode.detail}"), err=True)
    if failed:
        click.echo(
            f"ircore: {format_count(len(failed), 'episode')} failed, so the run is incomplete and has no "
            f"rank; the same "
            "command plays them again, with --final it counts them as not played",
            err=True,
        )
    return 1 if failed else 0


def score_person(out: Path, game: str) -> None:
    """Score a run in which a person played, and show the person the score of every episode."""
    run_nested(["score", str(out)])
    # The scores are there, so the usual step after play is done.
    click.get_current_context().meta[NEXT] = "ircore results {out}"
    if not load_game(game).is_judged:
        run_nested(["results", str(out)])
        return
    scores = RunFolder(out).scores()
    for episode in RunFolder(out).episodes():
        final = max(episode.renderings, default=0)
        values = {
            score.by: f"{score.by} {score.value:.1f}"
            for score in scores
            if (score.episode_id, score.task, score.step) == (episode.episode_id, "similarity", final)
            and score.value is not None
        }
        said = ", ".join(values.values())
        click.echo(f"your score  {episode.episode_id}: {f'{said} of 10' if said else 'nothing was drawn'}", err=True)
