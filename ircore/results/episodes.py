"""Scores of one episode by judges and metrics: first and final score, their difference, the trajectory.

The share of the scores that the maintainers vouch for is counted beside them; the gallery shows it as a measure of
trust.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any, Literal, NamedTuple

from ircore.core.episode_records import TECHNICAL_REASONS, Episode, list_renderings
from ircore.core.score_records import HUMAN, Orders, Score, Task
from ircore.core.submission_records import Run
from ircore.games.base import Effort, Game, is_played, read_ending
from ircore.runs.provenance import Provenance

Convergence = Literal["improved", "stable", "regressed", "no_refinement"]

HIGHEST = 10.0
"""The best similarity."""

CONVERGENCES: tuple[Convergence, ...] = ("improved", "stable", "regressed", "no_refinement")
"""Changes between first and final rendering, in the order in which figures stack them."""

_NO_EFFORT = Effort(0)

_ByTurn = dict[int, Score]
"""Scores of one judge or annotator for one task."""

_ByTask = dict[Task, _ByTurn]

_Values = tuple[dict[int, float], dict[int, float]]
"""Similarity and preference by turn, where there is one."""


class Doubt(NamedTuple):
    """How far facts that could not be told leave a score open."""

    low: float
    """The score, 0–10, if everything that could not be told is wrong."""

    high: float
    """The score if everything is right."""

    undecided: float
    """Share of the facts, by weight, that could not be told, 0–1."""

    unread: bool
    """Whether labels were left unread, since no reader of texts was installed."""


@dataclass(frozen=True, slots=True)
class JudgedEpisode:
    """Ratings of one played episode by one judge.

    Example:
        >>> rated = JudgedEpisode("structural", first=6.0, final=9.0, delta=3.0, convergence="improved", preference=1.0,
        ...                       trajectory={1: 6.0, 2: 9.0})
        >>> rated.final - rated.first == rated.delta
        True
    """

    judge: str
    """The judge's name."""

    first: float | None
    """Similarity of the first rendering to the target, 0–10; None if the judge gave none."""

    final: float | None
    """Similarity of the last rendering, 0–10; equals ``first`` in an episode of one rendering."""

    delta: float | None
    """ΔQ = final − first, −10 to 10; None in an episode of one rendering, or if either is missing."""

    convergence: Convergence | None
    """``no_refinement`` for one rated rendering, else the sign of ``delta``; None if that cannot be known."""

    preference: float | None
    """1 if the final rendering is preferred to the first, 0 if the first, 0.5 for a tie; None if not asked."""

    trajectory: Mapping[int, float]
    """Similarity per turn (1-based), in the order of the turns; only turns that were scored."""

    orders: Orders | None = None
    """Preference of the judge in each order of showing the two renderings; None unless it was asked in both."""

    refusal: str | None = None
    """Reason of the judge for not rating the final rendering; None if it rated it, or has not answered yet."""

    doubt: Doubt | None = None
    """Interval of the final score where a judge of facts could not tell everything; None of other judges."""

    is_applicable: bool = True
    """Whether the headline says something of the run; see ``Game.find_meaningless_measures``."""


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """One episode with its ratings and metric values.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> (episodes,) = Results.from_runs([RunFolder(Path("run"))]).episodes.values()
        >>> [episode.episode.outcome for episode in episodes]
        ['converged', 'converged']
    """

    run_id: str
    """The run it belongs to."""

    slug: str
    """The submission's slug."""

    episode: Episode
    """The episode as played."""

    judged: Mapping[str, JudgedEpisode]
    """By judge; empty for an aborted episode, which does not count for quality. ``human`` is the mean of annotators."""

    metrics: Mapping[str, Mapping[int, float | None]]
    """By metric, then by turn (1-based); None where the metric has no value. Empty for an aborted episode."""

    annotations: Mapping[str, JudgedEpisode] = field(default_factory=dict)
    """Ratings of single people, by pseudonym; the scores of the judge ``human`` are their means."""

    metric_versions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Versions of each metric's definition that gave ``metrics``; empty string for a value that states none."""

    effort: Effort = _NO_EFFORT
    """What the episode took."""

    played: bool = True
    """Whether it counts as played."""

    @property
    def category(self) -> str:
        """Category of the target."""
        return self.episode.category

    @property
    def difficulty(self) -> str:
        """Difficulty of the target."""
        return self.episode.difficulty


def select_counting_scores(game: Game[Any], episodes: Iterable[Episode], scores: Iterable[Score]) -> Iterator[Score]:
    """Yield the scores that count, in the order of the episodes: those of episodes and renderings that are there.

    A score that was made before an episode was played anew is passed over. Of two scores of the same thing the later
    one counts.

    Args:
        game: Its game.
        episodes: Of one run.
        scores: Of the same run, in the order in which they were given.
    """
    latest: dict[str, dict[tuple[int, str, str, str, str], Score]] = {}
    for score in scores:
        # A later line takes the place of an earlier one about the same thing: of a picture that is gone it is not.
        about = score.step or 0, score.measure, score.by, score.annotator or "", score.rendering or ""
        latest.setdefault(score.episode_id, {})[about] = score
    for episode in episodes:
        of_episode = latest.get(episode.episode_id)
        if of_episode is None:
            continue
        drawn = _list_renderings(game, episode)
        # Sorted, because a run holds its scores in the order in which they happened to be made.
        for _, score in sorted(of_episode.items()):
            # The episode may have been played anew since: a score of its former rendering is of nothing here.
            if score.rendering is None or (score.step, score.rendering) in drawn:
                yield score


def judge_episodes(
    game: Game[Any], run_id: str, slug: str, episodes: Iterable[Episode], scores: Iterable[Score]
) -> tuple[EpisodeResult, ...]:
    """Join the episodes of a run with its scores, where judges give the headline.

    The judge ``human`` gives a rendering the mean of its annotators; what each of them gave is kept beside it.

    Args:
        game: Its game.
        run_id: The run's id.
        slug: The submission's slug.
        episodes: Of one run.
        scores: Of the same run, in the order in which they were given.

    Returns:
        One result an episode, in the order of ``episodes``.
    """
    by_episode: dict[str, list[Score]] = defaultdict(list)
    episodes = tuple(episodes)
    for score in select_counting_scores(game, episodes, scores):
        by_episode[score.episode_id].append(score)
    return tuple(
        _build_result(run_id, slug, episode, by_episode.get(episode.episode_id, []), _compute_effort(game, episode))
        for episode in episodes
    )


def join_headline_values(
    game: Game[Any], run: Run, episodes: Iterable[Episode], scores: Iterable[Score]
) -> tuple[EpisodeResult, ...]:
    """Join the episodes of a run with the values of its headline, where the game measures it.

    The headline takes the place of a judge's rating, on a scale from its worst value, 0, to its best, 10.

    Args:
        game: Its game.
        run: The run.
        episodes: Of the run.
        scores: Of the run.
    """
    headline = game.headline
    low, high = headline.range or (0.0, 1.0)
    # Turned, so that a higher final is better whatever the direction of the headline.
    worst, best = (low, high) if headline.direction == "higher" else (high, low)
    values: dict[str, list[float]] = defaultdict(list)
    reasons: dict[str, str] = {}
    for score in scores:
        if score.measure == headline.key and score.value is not None:
            values[score.episode_id].append(score.value)
        elif score.measure == headline.key:
            reasons[score.episode_id] = score.reason or ""
    meaningless = headline.key in game.find_meaningless_measures(run.submission.players)

    def rated(episode: Episode) -> EpisodeResult:
        own, counts = values.get(episode.episode_id), is_played(game, episode)
        final = HIGHEST * (fsum(own) / len(own) - worst) / (best - worst) if own and counts else None
        # A score without a value says why there is none: such an episode was asked about.
        refusal = None if final is not None else reasons.get(episode.episode_id)
        judged = JudgedEpisode(
            headline.key, None, final, None, None, None, {}, refusal=refusal, is_applicable=not meaningless
        )
        effort = _compute_effort(game, episode)
        return EpisodeResult(run.run_id, run.slug, episode, {headline.key: judged}, {}, effort=effort, played=counts)

    return tuple(map(rated, episodes))


def average_final_scores(results: Iterable[EpisodeResult], judge: str) -> dict[str, float]:
    """Return a judge's mean final score of each instance, 0–10, by instance_id; instances without one are left out."""
    finals: dict[str, list[float]] = {}
    for result in results:
        judged = result.judged.get(judge)
        if judged is not None and judged.final is not None:
            finals.setdefault(result.episode.instance_id, []).append(judged.final)
    return {name: fsum(values) / len(values) for name, values in finals.items()}


@dataclass(frozen=True)
class VouchedScores:
    """Counts of similarity scores: all, and the scores that the maintainers vouch for.

    >>> VouchedScores(3, 4).share
    0.75
    """

    vouched: int
    """Number of scores that the maintainers computed, or asked a judge for, themselves."""

    scores: int
    """Number of scores, one per judge and rendering; the mean of people counts as one."""

    @property
    def share(self) -> float | None:
        """Share of scores that the maintainers vouch for, 0–1; None without scores."""
        return self.vouched / self.scores if self.scores else None


def count_vouched_scores(result: EpisodeResult, provenance: Provenance | None) -> VouchedScores:
    """Count an episode's scores, and the scores that the maintainers vouch for.

    They vouch for a score if they vouch for its run, having played it or re-scored a submitter's transcripts,
    and if it was not brought in from elsewhere: people's ratings are imported from a file, so nobody here has seen them
    being given. What counts is where a score comes from, not whether it is right.

    Args:
        result: One episode.
        provenance: Where its run comes from; None if nobody vouches for it.
    """
    counts = {judge: len(judged.trajectory) for judge, judged in result.judged.items()}
    own = sum(count for judge, count in counts.items() if judge != HUMAN)
    return VouchedScores(own if provenance is not None else 0, sum(counts.values()))


def _list_renderings(game: Game[Any], episode: Episode) -> set[tuple[int | None, str]]:
    """Return the renderings of an episode: number of the step, and hash."""
    made = list_renderings(episode)
    # Read as the game's records only where the game numbers its steps by itself.
    if type(game).step_number is Game.step_number:
        return {(place, rendering.sha256) for place, rendering in made}
    steps = episode.steps_as(game.step)
    return {(game.step_number(place, steps[place - 1]), rendering.sha256) for place, rendering in made}


def _compute_effort(game: Game[Any], episode: Episode) -> Effort:
    # Steps that another version of the game played are counted, too, and need not be read for that.
    return (
        Effort(len(episode.steps))
        if type(game).measure_effort is Game.measure_effort
        else game.measure_effort(read_ending(game, episode))
    )


def _build_result(run_id: str, slug: str, episode: Episode, scores: list[Score], effort: Effort) -> EpisodeResult:
    # Scores that were given before an episode broke the rules do not count for quality.
    if not episode.played:
        return EpisodeResult(run_id, slug, episode, {}, {}, effort=effort, played=False)
    judges, people, metrics = _group_by_rater(scores)
    judged = {
        judge: _build_judged_episode(judge, episode, *_select_values(tasks), _find_refusal(episode, [tasks]))
        for judge, tasks in judges.items()
    }
    annotations = {
        name: _build_judged_episode(HUMAN, episode, *_select_values(people[name])) for name in sorted(people)
    }
    if people:
        refusal = _find_refusal(episode, people.values())
        judged[HUMAN] = _build_judged_episode(
            HUMAN, episode, *_average_values(map(_select_values, people.values())), refusal
        )
    return EpisodeResult(
        run_id=run_id,
        slug=slug,
        episode=episode,
        judged={judge: _add_details(judged[judge], judges.get(judge, {})) for judge in sorted(judged)},
        metrics={name: {turn: score.value for turn, score in turns.items()} for name, turns in metrics.items()},
        annotations=annotations,
        metric_versions={
            name: frozenset(score.version or "" for score in turns.values() if score.value is not None)
            for name, turns in metrics.items()
        },
        effort=effort,
    )


def _group_by_rater(scores: list[Score]) -> tuple[dict[str, _ByTask], dict[str, _ByTask], dict[str, _ByTurn]]:
    """Sort the scores of an episode's renderings by judge, by annotator, and by metric."""
    judges: dict[str, _ByTask] = {}
    people: dict[str, _ByTask] = {}
    metrics: dict[str, _ByTurn] = {}
    for score in scores:
        if score.task == "metric":
            metrics.setdefault(score.by, {})[score.picture[0]] = score
        elif score.annotator is not None:
            people.setdefault(score.annotator, {}).setdefault(score.task, {})[score.picture[0]] = score
        elif score.task != "game":
            judges.setdefault(score.by, {}).setdefault(score.task, {})[score.picture[0]] = score
    return judges, people, metrics


def _select_values(scores: _ByTask) -> _Values:
    similarity, preference = (
        {turn: score.value for turn, score in scores.get(task, {}).items() if score.value is not None}
        for task in ("similarity", "preference")
    )
    return similarity, preference


def _average_values(people: Iterable[_Values]) -> _Values:
    totals: tuple[dict[int, list[float]], dict[int, list[float]]] = ({}, {})
    for person in people:
        for values, own_values in zip(totals, person, strict=True):
            for turn, value in own_values.items():
                values.setdefault(turn, []).append(value)
    similarity, preference = (
        {turn: fsum(values) / len(values) for turn, values in trajectory.items()} for trajectory in totals
    )
    return similarity, preference


def _find_refusal(episode: Episode, judges: Iterable[_ByTask]) -> str | None:
    """Return the reason why no judge rated the final rendering; None while an answer is still awaited."""
    last = max(episode.renderings, default=None)
    answers = [] if last is None else [scores.get("similarity", {}).get(last) for scores in judges]
    reasons = [answer.reason for answer in answers if answer is not None and answer.reason is not None]
    # A technical failure is asked again; only a reason of the judge's own is a refusal.
    return next((reason for reason in reasons if reason.partition(":")[0] not in TECHNICAL_REASONS), None)


def _build_judged_episode(
    judge: str,
    episode: Episode,
    similarity: Mapping[int, float],
    preference: Mapping[int, float],
    refusal: str | None = None,
) -> JudgedEpisode:
    turns = [*episode.renderings]
    first = similarity.get(turns[0]) if turns else None
    final = similarity.get(turns[-1]) if turns else None
    # An episode of one rendering has no change, rather than a change of 0.
    delta = final - first if len(turns) > 1 and first is not None and final is not None else None
    return JudgedEpisode(
        judge=judge,
        first=first,
        final=final,
        delta=delta,
        # An episode that nobody rated is in no share of rated episodes, however many renderings it has.
        convergence=None if final is None else "no_refinement" if len(turns) == 1 else _classify_change(delta),
        preference=preference.get(turns[-1]) if len(turns) > 1 else None,
        trajectory={turn: similarity[turn] for turn in turns if turn in similarity},
        refusal=refusal if final is None else None,
    )


def _add_details(judged: JudgedEpisode, scores: _ByTask) -> JudgedEpisode:
    """Add the preference in each order, and the interval of the final score, where a judge gave them."""
    orders = [score.orders for score in scores.get("preference", {}).values() if score.orders is not None]
    if orders:
        judged = replace(judged, orders=orders[-1])
    rated = scores.get("similarity", {})
    # The last scored turn is the final one wherever there is a final score.
    final = rated[max(rated)] if rated and judged.final is not None else None
    if final is None or final.low is None or final.high is None or final.undecided is None:
        return judged
    return replace(judged, doubt=Doubt(final.low, final.high, final.undecided, final.unread))


def _classify_change(delta: float | None) -> Convergence | None:
    if delta is None:
        return None
    return "improved" if delta > 0 else "regressed" if delta < 0 else "stable"
