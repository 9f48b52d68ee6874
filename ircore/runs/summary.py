"""A run in numbers: the answer of ``ircore show``."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from ircore.core.episode_records import UNKNOWN_COST, Episode, EpisodeCost, list_renderings
from ircore.games.base import Game
from ircore.games.registry import find_step_word, load_installed_games
from ircore.runs.costs.prices import Asked, RunPrices, load_run_prices
from ircore.runs.costs.totals import Totals, compute_episode_costs
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder
from ircore.runs.judge_questions import JudgeQuestion, read_judgements

MESSAGE_TOKENS = "message_tokens"
"""Field of a game's steps that counts the tokens of a message, by the tokenizer of this project."""


def summarise(folder: RunFolder, prices: RunPrices | None = None) -> dict[str, Any]:
    """Count outcomes, turns, requests, tokens and cost of a run of any game.

    Args:
        folder: The run.
        prices: Prices of the run; by default the prices that it was played with.

    Returns:
        ``run`` (its identity), ``planned`` and ``episodes`` (of the set; ended), ``unfinished`` (without a result yet:
        never ended, or failed for a technical reason and not declared final), ``outcomes``, ``abort_reasons``,
        ``turns`` (or what the game calls its steps, such as ``rounds``), ``requests`` by seat and ``failed_requests``
        among them by fault (whether the answer came later or not), ``served`` by seat (answers of each model as the
        service named it, with its fingerprint), ``tokens`` (``messages`` where the game's steps count
        them; the rest as providers count them), ``images`` and ``images_perhaps_billed`` (besides
        them, by requests that failed), ``seconds`` (sum of waiting for answers), ``cost_usd`` (as providers report it,
        else by prices; null where nothing is known), ``cost_known`` (whether it covers every answer), ``per_episode``
        (``episode_id``, ``outcome``, ``turns`` as above, and the same sums for each) and ``judging`` (the same sums
        for the judges that are models, each apart under ``per_judge``; their requests are ``requests.judge``). All
        other sums are the players' own.

        A run that was pulled from a release has no answers as they came: its requests, and its tokens as providers
        count them, are null; images, seconds and cost are those of its episodes, as far as its steps tell.
    """
    prices = prices or load_run_prices(folder)
    episodes = tuple(folder.ended().values())
    questions = folder.questions()
    summary = _build_summary(folder, episodes, questions, prices)
    # Steps without questions: the run came from a release, which has no answers as they came.
    if not questions and any(episode.steps for episode in episodes):
        summary |= _summarise_pulled(folder, episodes, summary)
    return summary


def _build_summary(
    folder: RunFolder, episodes: Sequence[Episode], questions: Sequence[Call | Failure], prices: RunPrices
) -> dict[str, Any]:
    outcomes = Counter(episode.outcome for episode in episodes)
    planned = len(folder.instances.instances) * folder.run.repeats
    sums = Totals.of(questions, prices).as_dict()
    attempts = (attempt.kind for question in questions for attempt in question.attempts)
    summary = {
        "run": folder.run.model_dump(mode="json", by_alias=True),
        "planned": planned,
        "episodes": len(episodes),
        # A technical failure has ended and is not finished: it is played again.
        "unfinished": planned - sum(episode.finished for episode in episodes),
        # Declared outcomes come first, and are listed also where they did not occur.
        "outcomes": {name: outcomes[name] for name in dict.fromkeys([*_list_outcomes(folder), *outcomes])},
        "abort_reasons": dict(Counter(episode.abort_reason for episode in episodes if episode.abort_reason)),
        f"{find_step_word(folder.game)}s": sum(len(episode.steps) for episode in episodes),
        **sums,
        "requests": {
            seat: Totals.of((question for question in questions if question.role == seat), prices).requests
            for seat in folder.run.submission.players
        },
        "failed_requests": dict(Counter(kind for kind in attempts if kind != "answered")),
        "served": count_served_models(questions),
        "per_episode": _summarise_episodes(folder, episodes, questions, prices),
    }
    game = _find_game(folder)
    if game is not None and MESSAGE_TOKENS in game.step.model_fields:
        # Messages are counted by one tokenizer for all models, unlike what providers count.
        written = sum(int(str(step[MESSAGE_TOKENS])) for episode in episodes for step in episode.steps)
        summary["tokens"] = {"messages": written, **sums["tokens"]}
    judging = _summarise_judging(read_judgements(folder), prices)
    summary["requests"]["judge"] = judging["requests"]
    summary["judging"] = judging
    return summary


def count_served_models(questions: Sequence[Call | Failure]) -> dict[str, dict[str, int]]:
    """Count by seat the answers of each model, as services name the models that answered; seats without any left out.

    Args:
        questions: Questions of a run.
    """
    served: dict[str, Counter[str]] = defaultdict(Counter)
    for question in questions:
        served[question.role].update(attempt.served for attempt in question.attempts if attempt.served)
    return {seat: dict(names.most_common()) for seat, names in served.items() if names}


def _list_outcomes(folder: RunFolder) -> Sequence[str]:
    """Return the outcomes that a game declares; an empty list if the game is not installed."""
    game = _find_game(folder)
    return [outcome.name for outcome in game.outcomes] if game else []


def _find_game(folder: RunFolder) -> Game[Any] | None:
    """Return the game of a run; None if it is not installed."""
    return load_installed_games()[0].get(folder.game)


def _summarise_pulled(folder: RunFolder, episodes: Sequence[Episode], summary: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the summary that differ for a run with episodes but without recorded answers."""
    costs, steps = compute_episode_costs(folder), f"{find_step_word(folder.game)}s"
    unknown = dict.fromkeys(("prompt_tokens", "completion_tokens", "reasoning_tokens"))
    judged = summary["requests"]["judge"]
    return {
        **_sum_pulled(episodes, costs),
        "requests": {**dict.fromkeys(summary["requests"]), "judge": judged},
        "failed_requests": None,
        "tokens": {**summary["tokens"], **unknown},
        "per_episode": [
            {
                "episode_id": episode.episode_id,
                "outcome": episode.outcome,
                steps: len(episode.steps),
                "requests": None,
                "tokens": unknown,
                **_sum_pulled([episode], costs),
            }
            for episode in episodes
        ],
    }


def _sum_pulled(episodes: Sequence[Episode], costs: Mapping[str, EpisodeCost]) -> dict[str, Any]:
    of_episodes = [costs.get(episode.episode_id, UNKNOWN_COST) for episode in episodes]
    seconds = [cost.seconds for cost in of_episodes if cost.seconds is not None]
    known = [cost.usd for cost in of_episodes if cost.usd is not None]
    return {
        "images": sum(len(list_renderings(episode)) for episode in episodes),
        "images_perhaps_billed": None,
        # Null where the release does not say how long answers took.
        "seconds": round(fsum(seconds), 3) if len(seconds) == len(episodes) else None,
        "cost_usd": round(fsum(known), 6) if known else None,
        "cost_known": len(known) == len(episodes),
    }


def _summarise_judging(questions: Sequence[JudgeQuestion], prices: RunPrices) -> dict[str, Any]:
    by_judge: dict[str, list[Asked]] = defaultdict(list)
    for question in questions:
        by_judge[question.judge].append(question)
    per_judge = {name: Totals.of(own, prices).as_dict() for name, own in sorted(by_judge.items())}
    return {**Totals.of(questions, prices).as_dict(), "per_judge": per_judge}


def _summarise_episodes(
    folder: RunFolder, episodes: Sequence[Episode], questions: Sequence[Call | Failure], prices: RunPrices
) -> list[dict[str, Any]]:
    """Return the sums of every begun episode; an episode that has not ended has no outcome."""
    by_episode: dict[str, list[Call | Failure]] = defaultdict(list)
    for question in questions:
        by_episode[question.episode_id].append(question)
    outcomes = {episode.episode_id: episode.outcome for episode in episodes}
    # Once for all episodes, since finding a game takes longer than adding up an episode.
    steps = f"{find_step_word(folder.game)}s"
    return [
        {
            "episode_id": name,
            "outcome": outcomes.get(name),
            steps: max(question.turn for question in by_episode[name]),
            **Totals.of(by_episode[name], prices).as_dict(),
        }
        for name in by_episode
    ]
