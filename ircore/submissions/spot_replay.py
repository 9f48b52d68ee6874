"""Spot replay: maintainers play a few episodes of a submitter's transcripts again, and compare the scores.

Which episodes follows from a commit that nobody knew when the transcripts were handed in. A submitter who chose the
best of several answers, or edited some, is found out where the models can be asked: the replay is worse than what was
published by more than chance explains.
"""

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.games.base import list_messages
from ircore.games.registry import load_game, require_support
from ircore.results.tables.model import Column, Table, Value
from ircore.runs.folder import RunFolder
from ircore.runs.play import open_run
from ircore.runs.provenance import Flag
from ircore.runs.session import PlayPlan
from ircore.runs.setup import make_players
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.submissions.channel_test import compute_final_scores, play_all
from ircore.submissions.reproduce import build_submission

SHARE = 0.05
"""Share of the episodes that are played again."""

LEAST = 7
"""Episodes at least: of three no test tells two points (docs/commit-to-a-run.md)."""

LEVEL = 0.01
"""Probability below which a difference in the submitter's favour is no chance."""

LEAST_DIFFERENCE = 0.5
"""Points, 0–10, by which the replay must be worse on average: smaller differences mislead nobody."""

RULE = "replay_is_worse"
"""Rule of the finding about a run whose replay is worse."""

COLUMNS = (
    Column("episode", "episode", "The episode that was played again.", digits=None),
    Column("published", "published", "Score of the published final picture.", "0–10", "higher", 1),
    Column("replay", "replay", "Score of the final picture of the replay.", "0–10", "higher", 1),
    Column("same_words", "same words", "Whether every message is the same.", digits=None),
)


@dataclass(frozen=True)
class SpotReplay:
    """Published and replayed scores of some episodes.

    >>> alike = SpotReplay({"a": (8.0, 8.1), "b": (6.0, 6.2), "c": (7.0, 6.6)}, same_words=frozenset({"a"}))
    >>> alike.flag is None, round(alike.difference, 2)
    (True, 0.03)
    >>> SpotReplay({"a": (9.0, 3.0), "b": (8.5, 3.1), "c": (9.1, 2.9)}).flag.rule
    'replay_is_worse'
    """

    scores: dict[str, tuple[float, float]]
    """Published and replayed score, 0–10, by episode."""

    same_words: frozenset[str] = frozenset()
    """Episodes in which every message is the same."""

    @property
    def difference(self) -> float:
        """Mean of published minus replayed score, in points."""
        return sum(first - second for first, second in self.scores.values()) / len(self.scores)

    @property
    def chance(self) -> float:
        """Probability of such a difference if replay and publication are alike: paired t-test, one-sided.

        Source: Student, The probable error of a mean, Biometrika 6 (1908).
        """
        from scipy.stats import ttest_rel

        published, replayed = zip(*self.scores.values(), strict=True)
        if len(set(map(float.__sub__, published, replayed))) == 1:  # no spread: the test is not defined
            return 0.0 if self.difference > 0 else 1.0
        return float(ttest_rel(published, replayed, alternative="greater").pvalue)

    @property
    def flag(self) -> Flag | None:
        """The grave finding about a run whose replay is worse; None for others."""
        if self.difference < LEAST_DIFFERENCE or self.chance >= LEVEL:
            return None
        episodes = format_count(len(self.scores), "episode is", "episodes are")
        problem = f"played again, {episodes} {self.difference:.1f} points worse (p = {self.chance:.2g})"
        return Flag(rule=RULE, where="the run", what=problem)

    @property
    def table(self) -> Table:
        """Return the scores as a table, a row an episode."""
        rows = tuple(
            (Value(name), Value(first), Value(second), Value("yes" if name in self.same_words else "no"))
            for name, (first, second) in self.scores.items()
        )
        played = f"{format_count(len(rows), 'episode')} played again"
        words = f"{played}; published minus replay {self.difference:+.2f}, p = {self.chance:.2g}."
        return Table("spot-replay", "Spot replay", words, COLUMNS, rows)


def select_episodes(names: Iterable[str], run_id: str, commit: str, share: float = SHARE) -> list[str]:
    """Return the episodes that are played again: the lowest by SHA-256 of commit, run and episode.

    Args:
        names: Episodes of the run.
        run_id: The run.
        commit: A commit that was made after the transcripts were handed in.
        share: Share of the episodes, 0–1; ``LEAST`` at least.

    >>> len(select_episodes([f"target-{number}" for number in range(140)], "a-run", "0" * 40))
    7
    """
    # By hash: nobody can choose the episodes, and everybody can compute which they are.
    known = sorted(names, key=lambda name: hashlib.sha256(f"{commit} {run_id} {name}".encode()).digest())
    return known[: max(LEAST, math.ceil(share * len(known)))]


def replay_spots(
    run: RunFolder,
    out: Path,
    commit: str,
    share: float = SHARE,
    judge: str = "structural",
    concurrency: int = 4,
    max_cost: float | None = None,
) -> SpotReplay:
    """Play some episodes of a run again with its players, rules and seed, and score both.

    Args:
        run: A run of a game that supports it, scored by the judge.
        out: Folder of the replay: created, or resumed if it exists.
        commit: A commit that was made after the transcripts were handed in.
        share: Share of the episodes, 0–1.
        judge: A computed judge.
        concurrency: Episodes at the same time.
        max_cost: US dollars that the replay may cost; no limit if None.

    Raises:
        InputError: The run is of another game or other prompts, the judge has not rated it, or a key is missing.
        WorkError: A player failed for a technical reason, or the cost reached its limit.
    """
    require_support("spot replay", run.game, str(run.path))
    published = compute_final_scores(run, judge)
    names = select_episodes(published, run.run.run_id, commit, share)
    if len(names) < LEAST:
        remedy = f"Score the run with: ircore score {run.path} --every-turn"
        raise InputError(f"{run.path}: {judge} has rated {len(names)} of its episodes", remedy)
    replayed = _play_again(run, names, out, concurrency, max_cost)
    score_runs([replayed], ScoringPlan(judges=(judge,), metrics=(), preferences=False))
    again = compute_final_scores(replayed, judge)
    same = _list_messages(run).items() & _list_messages(replayed).items()
    return SpotReplay({name: (published[name], again[name]) for name in names}, frozenset(name for name, _ in same))


def _play_again(run: RunFolder, names: list[str], out: Path, concurrency: int, max_cost: float | None) -> RunFolder:
    game = load_game(run.game)
    prompts = game.read_prompts(None)
    if prompts.version != run.run.prompts:
        problem = f"{run.path}: was played with the prompts {run.run.prompts}"
        raise InputError(problem, "Use the version that has them.")
    chosen = {episode.instance_id for episode in run.episodes() if episode.episode_id in names}
    selected = run.instances.instances.select(chosen)
    folder = open_run(out, run.run, run.instances, selected)
    plan = PlayPlan(run.run, run.instances, selected, prompts, concurrency, only=frozenset(names))
    play_all(plan, folder, game, make_players(game, build_submission(run)), max_cost)
    return folder


def _list_messages(run: RunFolder) -> dict[str, tuple[str, ...]]:
    """Return the messages of each episode."""
    game = load_game(run.game)
    return {
        episode.episode_id: tuple(message.text for message in list_messages(game, episode))
        for episode in run.episodes()
    }
