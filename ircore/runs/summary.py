"""What a run amounts to, in numbers: the answer of ``ircore show``."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any, get_args

from ircore.core.records import Episode, Outcome, Role, Run
from ircore.runs.costs.prices import Asked, RunPrices, prices_of_run
from ircore.runs.costs.totals import Totals
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder
from ircore.runs.judge_questions import JudgeQuestion, read_judgements


def summarise(folder: RunFolder, prices: RunPrices | None = None) -> dict[str, Any]:
    """Count what happened in a run.

    Args:
        folder: The run.
        prices: What its answers cost; by default those that it was played with.

    Returns:
        ``run`` (its identity), ``planned`` and ``episodes`` (in the set; ended), ``unfinished`` (without a result yet:
        never ended, or failed for a technical reason and not declared final), ``outcomes``, ``abort_reasons``,
        ``turns``, ``requests`` by role and ``failed_requests`` among them by fault (whether the answer came later or
        not), ``tokens`` (``messages`` by the game's tokenizer; the rest as providers count them), ``images`` and
        ``images_perhaps_billed`` (besides them, by requests that failed), ``seconds`` (sum of waiting for answers),
        ``cost_usd`` (as providers report it, else by prices; null where nothing is known), ``cost_known`` (whether it
        covers every answer), ``per_episode`` (``episode_id``, ``outcome``, ``turns`` and the same sums for each) and
        ``judging`` (the same sums for the judges that are models, each apart under ``per_judge``). All sums but
        ``requests.judge`` and ``judging`` are the pair's own.

        A run that was pulled from a release has no answers as they came: its requests, and its tokens as providers
        count them, are null; images, seconds and cost are those of its episodes.
    """
    prices = prices or prices_of_run(folder)
    episodes = folder.episodes()
    asked: list[Call | Failure] = [*folder.calls().values(), *folder.failures()]
    if not asked and any(one.turns for one in episodes):
        return _of_pulled(folder, episodes, prices)
    return _summary(folder, episodes, asked, prices)


def _of_pulled(folder: RunFolder, episodes: Sequence[Episode], prices: RunPrices) -> dict[str, Any]:
    """Return the summary of a run that has episodes and no answers."""
    from ircore.runs.costs.episode_costs import episode_costs

    costs = episode_costs(folder)
    summary = _summary(folder, episodes, (), prices)
    unknown = dict.fromkeys(("prompt_tokens", "completion_tokens", "reasoning_tokens"))
    return {
        **summary,
        **_pulled_sums(episodes, costs),
        "requests": {**dict.fromkeys(get_args(Role)), "judge": summary["requests"]["judge"]},
        "failed_requests": None,
        "tokens": {**summary["tokens"], **unknown},
        "per_episode": [
            {
                "episode_id": one.episode_id,
                "outcome": one.outcome,
                "turns": len(one.turns),
                "requests": None,
                "tokens": unknown,
                **_pulled_sums([one], costs),
            }
            for one in episodes
        ],
    }


def _pulled_sums(episodes: Sequence[Episode], costs: Mapping[str, float | None]) -> dict[str, Any]:
    found = [costs.get(one.episode_id) for one in episodes]
    known = [cost for cost in found if cost is not None]
    return {
        "images": sum(len(one.rendered_turns) for one in episodes),
        "images_perhaps_billed": None,
        "seconds": round(fsum(turn.seconds for one in episodes for turn in one.turns), 3),
        "cost_usd": round(fsum(known), 6) if known else None,
        "cost_known": len(known) == len(found),
    }


def _summary(
    folder: RunFolder, episodes: Sequence[Episode], asked: Sequence[Call | Failure], prices: RunPrices
) -> dict[str, Any]:
    judging = _judging(read_judgements(folder), prices)
    outcomes = Counter(one.outcome for one in episodes)
    sums = Totals.of(asked, prices).as_dict()
    return {
        "run": _identity(folder.run),
        "planned": len(folder.instances.instances),
        "episodes": len(episodes),
        "unfinished": len(folder.instances.instances) - sum(one.finished for one in episodes),
        "outcomes": {name: outcomes[name] for name in get_args(Outcome)},
        "abort_reasons": dict(Counter(one.abort_reason for one in episodes if one.abort_reason)),
        "turns": sum(len(one.turns) for one in episodes),
        **sums,
        "requests": {
            **{role: _requests(asked, role, prices) for role in get_args(Role)},
            "judge": judging["requests"],
        },
        "failed_requests": dict(
            Counter(try_.kind for one in asked for try_ in one.attempts if try_.kind != "answered")
        ),
        "tokens": {
            "messages": sum(turn.message_tokens for one in episodes for turn in one.turns),
            **sums["tokens"],
        },
        "per_episode": _per_episode(episodes, asked, prices),
        "judging": judging,
    }


def _judging(questions: Sequence[JudgeQuestion], prices: RunPrices) -> dict[str, Any]:
    by_judge: dict[str, list[Asked]] = defaultdict(list)
    for one in questions:
        by_judge[one.judge].append(one)
    per_judge = {name: Totals.of(asked, prices).as_dict() for name, asked in sorted(by_judge.items())}
    return {**Totals.of(questions, prices).as_dict(), "per_judge": per_judge}


def _identity(run: Run) -> dict[str, Any]:
    return run.model_dump(mode="json", by_alias=True)


def _requests(asked: Sequence[Call | Failure], role: str, prices: RunPrices) -> int:
    return Totals.of((one for one in asked if one.role == role), prices).requests


def _per_episode(
    episodes: Sequence[Episode], asked: Sequence[Call | Failure], prices: RunPrices
) -> list[dict[str, Any]]:
    """Return the sums of every episode that was begun; one that has not ended has no outcome."""
    questions: dict[str, list[Call | Failure]] = defaultdict(list)
    for one in asked:
        questions[one.episode_id].append(one)
    ended = {one.episode_id: one for one in episodes}
    return [
        {
            "episode_id": name,
            "outcome": ended[name].outcome if name in ended else None,
            "turns": max(one.turn for one in questions[name]),
            **Totals.of(questions[name], prices).as_dict(),
        }
        for name in questions
    ]
