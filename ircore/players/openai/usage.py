"""Tokens and cost of a reply, from the fields and headers of the services that report them."""

from collections.abc import Mapping
from typing import Any

from ircore.players.calls import Tokens

COST_HEADER = "x-litellm-response-cost"
"""Header in which LiteLLM's proxy reports US dollars."""

XAI_TICKS = 10_000_000_000
"""Units of xAI's ``cost_in_usd_ticks`` in a US dollar."""

MOST_USD = 1e6
"""No answer costs as much; a larger figure is an error of the service."""

MOST_TOKENS = 10**15
"""No answer takes as many; nor can a larger figure be multiplied by a price."""


def tokens_of(usage: Any, headers: Mapping[str, str]) -> Tokens:
    """Return tokens and cost of a reply from any endpoint; unreadable values are None.

    Args:
        usage: The reply's ``usage``.
        headers: Headers of the reply, names in lower case or of any case if the mapping ignores it.
    """
    if not isinstance(usage, dict):
        return Tokens(cost_usd=_dollars(headers.get(COST_HEADER)))
    read = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    written = usage.get("completion_tokens_details") or usage.get("output_tokens_details")
    # DeepSeek counts what its cache held beside the details that OpenAI introduced.
    cached = read.get("cached_tokens") if isinstance(read, dict) else usage.get("prompt_cache_hit_tokens")
    return Tokens(
        prompt=_count(usage.get("prompt_tokens", usage.get("input_tokens"))),
        completion=_count(usage.get("completion_tokens", usage.get("output_tokens"))),
        reasoning=_count(written.get("reasoning_tokens")) if isinstance(written, dict) else None,
        cached=_count(cached),
        cost_usd=_reported(usage, headers),
    )


def _reported(usage: dict[str, Any], headers: Mapping[str, str]) -> float | None:
    """Return the US dollars that a service reports: OpenRouter and xAI in the usage, LiteLLM's proxy in a header."""
    cost, details = _dollars(usage.get("cost")), usage.get("cost_details")
    if cost is not None and usage.get("is_byok") and isinstance(details, dict):
        # With a key of the user's own, OpenRouter's cost is its fee alone; the provider bills the rest.
        cost += _dollars(details.get("upstream_inference_cost")) or 0.0
    if cost is None and (ticks := _count(usage.get("cost_in_usd_ticks"))) is not None:
        cost = ticks / XAI_TICKS
    return _dollars(headers.get(COST_HEADER)) if cost is None else cost


def _dollars(value: object) -> float | None:
    """Return a sum of money, also from the text of a header; None if it is none."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    known = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < MOST_USD
    return float(value) if known else None  # type: ignore[arg-type]


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS else None
