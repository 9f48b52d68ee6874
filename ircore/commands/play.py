"""``ircore play``: let a submitted pair play the game."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ircore.play import PlayPlan
    from ircore.submissions import LoadedSubmission

GAME = "reconstruction"


@click.command("play")
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--instances", "instances_dir", type=click.Path(path_type=Path), required=True, help="The instance set.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The run folder; made, or gone on with.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Episodes at once.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N of the selected instances.")
@click.option("--category", "categories", multiple=True, help="Only this category; may be repeated.")
@click.option("--difficulty", "difficulties", multiple=True, help="Only this difficulty; may be repeated.")
@click.option(
    "--token-budget", type=click.IntRange(1, 10_000), help="Tokens a message may have, instead of the rules'."
)
@click.option("--max-turns", type=click.IntRange(1, 100), help="Turns at most, instead of the rules'.")
@click.option("--prompts", "prompts_dir", type=click.Path(path_type=Path), help="Other prompts than the built-in ones.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="For players that draw lots.")
@click.option("--dry-run", is_flag=True, help="Say what would be played, ask nobody.")
def command(
    submission: Path,
    instances_dir: Path,
    out: Path,
    concurrency: int,
    limit: int | None,
    categories: tuple[str, ...],
    difficulties: tuple[str, ...],
    token_budget: int | None,
    max_turns: int | None,
    prompts_dir: Path | None,
    seed: int,
    dry_run: bool,
) -> int:
    """Let the pair of SUBMISSION (a folder or its submission.yaml) play the game on an instance set.

    The same command again resumes where it stopped; a finished run is left as it is.
    """
    from ircore.games.prompts import load_prompts
    from ircore.instances.store import read_instances
    from ircore.play import PlayPlan, make_run
    from ircore.submissions import read_submission

    loaded = read_submission(submission)
    instances = read_instances(instances_dir)
    given = {"token_budget": token_budget, "max_turns": max_turns}
    rules = loaded.submission.rules.model_copy(update={key: one for key, one in given.items() if one is not None})
    prompts = load_prompts(GAME, prompts_dir)
    run = make_run(loaded, instances, rules, prompts, seed, GAME)
    selected = instances.select(categories, difficulties)[:limit]
    plan = PlayPlan(run, instances, selected, prompts, concurrency)
    return _dry_run(plan, out) if dry_run else _play(plan, loaded, out)


def _dry_run(plan: "PlayPlan", out: Path) -> int:
    from ircore.play import open_run
    from ircore.runs import RUN_FILE, RunWriter

    finished = set()
    if (out / RUN_FILE).is_file():
        folder = open_run(out, plan.run, plan.instances)
        finished = set(RunWriter.finished_episodes(folder))
    left = [one for one in plan.selected if one.instance_id not in finished]
    most = len(left) * plan.run.rules.max_turns
    click.echo(f"{plan.run.slug}: {len(left)} of {len(plan.selected)} episodes to play, {len(finished)} finished")
    click.echo(f"  at most {most} describer and {most} generator requests; instance set {plan.run.instance_set[:12]}")
    return 0


def _play(plan: "PlayPlan", loaded: "LoadedSubmission", out: Path) -> int:
    from ircore.play import Pair, open_run, play, technical_failures
    from ircore.plugins import load
    from ircore.submissions import make_player

    pair = Pair(make_player(loaded, "describer"), make_player(loaded, "generator"))
    folder = open_run(out, plan.run, plan.instances)
    episodes = play(plan, folder, load("games", plan.run.game)(), pair)
    counts = ", ".join(
        f"{sum(one.outcome == outcome for one in episodes)} {outcome}"
        for outcome in ("converged", "turn_limit", "aborted")
    )
    click.echo(f"{plan.run.slug}: {len(episodes)} of {len(plan.instances.instances)} episodes: {counts}", err=True)
    failed = technical_failures(episodes)
    for episode in failed[:5]:
        click.echo(f"  {episode.episode_id}: {episode.abort_reason}: {episode.detail}", err=True)
    if failed:
        click.echo(f"ircore: {len(failed)} episodes failed; the same command plays them again", err=True)
    return 1 if failed else 0
