"""Instance sets, play and scores: calls for notebooks and scripts."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from typing import TypeVar

from ircore.games.registry import has_rated_pictures, load_game
from ircore.instances.requests import BuildRequest, find_builder
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.builtin_pairs import list_builtin_pairs
from ircore.runs.folder import RunFolder
from ircore.runs.play import make_run
from ircore.runs.play import play as play_episodes
from ircore.runs.session import PlayPlan
from ircore.runs.setup import begin_run, make_players, prepare
from ircore.scorers.game_measures import score_game_run
from ircore.scorers.scoring import JUDGES, METRICS, ScoringPlan, score_runs

T = TypeVar("T")

Place = str | PathLike[str]
"""A path as text or ``Path``."""

RunPlace = Place | RunFolder
"""A run: its folder's path, or the opened folder."""


def build_instances(
    out: Place,
    *,
    game: str = "reconstruction",
    seed: int = 0,
    per_condition: int = 10,
    categories: Sequence[str] = (),
    difficulties: Sequence[str] = (),
) -> InstanceSet:
    """Make an instance set in a new folder and return it.

    Args:
        out: The folder to make.
        game: Game of the set.
        seed: The same seed gives the same set to the pixel.
        per_condition: Instances for each category and difficulty, at least 1.
        categories: Categories to build; all if empty.
        difficulties: ``easy``, ``hard``; both if empty.

    Returns:
        The set; ``instances`` lists its targets, ``identity`` is its SHA-256.

    Raises:
        InputError: The folder is there already, or a game, category or difficulty is unknown.
        WorkError: The set cannot be written.

    Example:
        >>> shapes = ircore.build_instances("shapes", per_condition=1, categories=["simple_shapes"])
        >>> [(target.category, target.difficulty) for target in shapes.instances]
        [('simple_shapes', 'easy'), ('simple_shapes', 'hard')]
    """
    return find_builder(game)(BuildRequest(Path(out), seed, per_condition, tuple(categories), tuple(difficulties)))


def load_instances(folder: Place) -> InstanceSet:
    """Return the instance set in a folder; each picture is checked against its hash when it is read.

    Args:
        folder: A folder made by ``build_instances`` or ``ircore instances import``.

    Raises:
        InputError: There is no set, or it is damaged.

    Example:
        >>> targets = ircore.load_instances("targets")
        >>> len(targets.instances)
        2
        >>> pictures = targets.pictures(targets.instances[0])  # by name; of other games there may be several
        >>> pictures["target"].pixels.shape[2]  # red, green, blue
        3
    """
    return read_instances(Path(folder))


def pairs() -> list[str]:
    """Return the names of the built-in pairs, which play offline and need no key.

    Example:
        >>> ircore.pairs()
        ['captioner+canvas', 'captioner+sketch', 'classical+canvas', 'classical+sketch', 'plain+canvas']
    """
    return sorted(list_builtin_pairs())


def play(
    pair: Place,
    instances: Place,
    out: Place,
    *,
    rules: Mapping[str, object] | None = None,
    categories: Sequence[str] = (),
    difficulties: Sequence[str] = (),
    limit: int | None = None,
    concurrency: int = 4,
    seed: int = 0,
    repeats: int = 1,
    max_cost: float | None = None,
) -> RunFolder:
    """Let a pair play on an instance set; the same call again resumes where an earlier one stopped.

    Works inside a notebook too, whose own event loop is left alone.

    Args:
        pair: A submission's folder or manifest, or a built-in pair such as ``classical+canvas``.
        instances: Folder of the instance set.
        out: The run folder: created, or resumed if it exists.
        rules: Rules that hold instead of the submission's, such as ``{"token_budget": 50}``.
        categories: Only these; all if empty.
        difficulties: Only these; both if empty.
        limit: Only the first ``limit`` of the selected instances; all if None.
        concurrency: Episodes at once, at least 1.
        seed: For players that draw lots.
        repeats: Episodes of each instance, under the seeds ``seed``, ``seed + 1`` and so on.
        max_cost: US dollars at which playing stops; no limit if None.

    Returns:
        The run; ``episodes()`` lists what was played. An episode whose ``abort_reason`` is technical, such as a service
        that did not answer, is played again by the same call.

    Raises:
        InputError: A path, rule or player is unknown, or the run folder holds another run.
        WorkError: The run cannot be written, or has cost ``max_cost``.

    Example:
        >>> run = ircore.play("captioner+sketch", "targets", out="sketched", limit=1, rules={"max_turns": 1})
        >>> [episode.outcome for episode in run.episodes()]
        ['turn_limit']
    """
    loaded, game, played_set, stated = prepare(Path(pair), Path(instances), rules or {})
    prompts = game.read_prompts(None)
    run = make_run(loaded, played_set, stated, prompts, seed, repeats)
    selected = played_set.select(categories, difficulties)[:limit]
    plan = PlayPlan(run, played_set, selected, prompts, concurrency, None)
    with begin_run(plan, loaded, Path(out), max_cost=max_cost) as (folder, cost_limit):
        players = make_players(game, loaded)
        _outside_event_loops(lambda: play_episodes(plan, folder, game, players, cost_limit))
    return folder


def score(
    *runs: RunPlace,
    judges: Sequence[str] | None = None,
    metrics: Sequence[str] = METRICS,
    every_turn: bool = False,
    workers: int = 1,
) -> int:
    """Give runs the scores that they lack; scores that are there are kept.

    Args:
        runs: Runs of any games; games other than reconstruction compute measures of their own.
        judges: Installed judges that compute; models are asked by the command ``ircore score RUN --judge FILE``. Named
            judges rate the pictures of every game that has pictures to rate; if None, ``structural`` and ``verified``
            rate those of reconstruction.
        metrics: Installed image metrics, of reconstruction.
        every_turn: Whether every rendering is rated, not only the first and the final one.
        workers: Processes; scores do not depend on it. With more than one, a script needs ``if __name__ ==
            "__main__":``.

    Returns:
        How many scores are new.

    Raises:
        InputError: A judge or metric is unknown, or another process works on a run.
        WorkError: Scores cannot be written; those of earlier episodes are kept.

    Example:
        >>> ircore.score("run")  # was scored before
        0
    """
    opened = [open_run(run) for run in runs]
    new = 0
    rated: list[RunFolder] = []
    for run in opened:
        game = load_game(run.game, f"{run.path}/run.json: game")
        if game.is_judged:
            rated.append(run)
        else:
            new += score_game_run(run, game, workers).new
            rated += [run] if judges is not None and has_rated_pictures(game) else []
    if rated:
        plan = ScoringPlan(JUDGES if judges is None else tuple(judges), tuple(metrics), every_turn)
        new += score_runs(rated, plan, workers).new
    return new


def open_run(run: RunPlace) -> RunFolder:
    """Return a run folder, opened if only its path is given.

    Raises:
        InputError: It holds no readable run.
    """
    return run if isinstance(run, RunFolder) else RunFolder(Path(run))


def _outside_event_loops(work: Callable[[], T]) -> T:
    """Do work that starts an event loop; in a thread of its own where a loop runs already, as in a notebook."""
    # asyncio refuses a second loop in a thread in which one is running.
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()
