"""What a run amounts to, in numbers: the answer of ``ircore show``."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, get_args

from ircore.records import Outcome, Role, Run, Usage
from ircore.runs import Call, RunFolder


def summarise(folder: RunFolder) -> dict[str, Any]:
    """Count what happened in a run.

    Returns:
        ``run`` (its identity), ``planned`` and ``episodes`` (in the set; ended), ``outcomes``, ``abort_reasons``,
        ``turns``, ``requests`` by role, ``tokens`` (``messages`` by the game's tokenizer; the rest as providers count
        them), ``seconds`` (sum of waiting for answers) and ``cost_usd`` (null where no provider reports it).
    """
    episodes = folder.episodes()
    calls = list(folder.calls().values())
    outcomes = Counter(one.outcome for one in episodes)
    usages = [call.usage for call in calls]
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    return {
        "run": _identity(folder.run),
        "planned": len(folder.instances.instances),
        "episodes": len(episodes),
        "outcomes": {name: outcomes[name] for name in get_args(Outcome)},
        "abort_reasons": dict(Counter(one.abort_reason for one in episodes if one.abort_reason)),
        "turns": sum(len(one.turns) for one in episodes),
        "requests": {role: _requests(calls, role) for role in get_args(Role)},
        "tokens": {
            "messages": sum(turn.message_tokens for one in episodes for turn in one.turns),
            **{kind: _total(usages, kind) for kind in ("prompt_tokens", "completion_tokens", "reasoning_tokens")},
        },
        "seconds": round(sum(call.seconds for call in calls), 3),
        "cost_usd": round(sum(costs), 6) if costs else None,
    }


def _identity(run: Run) -> dict[str, Any]:
    return run.model_dump(mode="json", by_alias=True)


def _requests(calls: Iterable[Call], role: str) -> int:
    return sum(call.usage.requests for call in calls if call.role == role)


def _total(usages: Iterable[Usage], kind: str) -> int:
    return sum(getattr(usage, kind) or 0 for usage in usages)
