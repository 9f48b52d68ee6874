"""What a run amounts to, in numbers: the answer of ``ircore show``."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, get_args

from ircore.calls import usage_of
from ircore.records import Outcome, Role, Run, Usage
from ircore.runs import Call, Failure, RunFolder


def summarise(folder: RunFolder) -> dict[str, Any]:
    """Count what happened in a run.

    Returns:
        ``run`` (its identity), ``planned`` and ``episodes`` (in the set; ended), ``outcomes``, ``abort_reasons``,
        ``turns``, ``requests`` by role and ``failed_requests`` among them (whether the answer came later or not),
        ``tokens`` (``messages`` by the game's tokenizer; the rest as providers count
        them), ``seconds`` (sum of waiting for answers) and ``cost_usd`` (null where no provider reports it).
    """
    episodes = folder.episodes()
    calls = list(folder.calls().values())
    outcomes = Counter(one.outcome for one in episodes)
    failures = folder.failures()
    asked: list[Call | Failure] = [*calls, *failures]
    usages = [call.usage for call in calls] + [usage_of(failure.attempts) for failure in failures]
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    return {
        "run": _identity(folder.run),
        "planned": len(folder.instances.instances),
        "episodes": len(episodes),
        "outcomes": {name: outcomes[name] for name in get_args(Outcome)},
        "abort_reasons": dict(Counter(one.abort_reason for one in episodes if one.abort_reason)),
        "turns": sum(len(one.turns) for one in episodes),
        "requests": {role: _requests(asked, role) for role in get_args(Role)},
        "failed_requests": dict(
            Counter(try_.kind for one in asked for try_ in one.attempts if try_.kind != "answered")
        ),
        "tokens": {
            "messages": sum(turn.message_tokens for one in episodes for turn in one.turns),
            **{kind: _total(usages, kind) for kind in ("prompt_tokens", "completion_tokens", "reasoning_tokens")},
        },
        "seconds": round(sum(call.seconds for call in calls), 3),
        "cost_usd": round(sum(costs), 6) if costs else None,
    }


def _identity(run: Run) -> dict[str, Any]:
    return run.model_dump(mode="json", by_alias=True)


def _requests(asked: Iterable[Call | Failure], role: str) -> int:
    usages = (one.usage if isinstance(one, Call) else usage_of(one.attempts) for one in asked if one.role == role)
    return sum(usage.requests for usage in usages)


def _total(usages: Iterable[Usage], kind: str) -> int:
    return sum(getattr(usage, kind) or 0 for usage in usages)
