"""Tokens and costs as services report them, in the fields and headers that they document."""

from typing import Any

import pytest

from ircore.players.openai.usage import tokens_of


@pytest.mark.parametrize(
    ("usage", "read", "written", "reasoning", "cached"),
    [
        (
            {"prompt_tokens": 2006, "completion_tokens": 300, "prompt_tokens_details": {"cached_tokens": 1920},
             "completion_tokens_details": {"reasoning_tokens": 128}},
            2006, 300, 128, 1920,
        ),
        (
            {"input_tokens": 75, "output_tokens": 1186, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 1024}},
            75, 1186, 1024, 0,
        ),
        (
            {"prompt_tokens": 50, "completion_tokens": 9, "prompt_cache_hit_tokens": 40},
            50, 9, None, 40,
        ),
        ({"prompt_tokens": -1, "completion_tokens": "9", "prompt_tokens_details": []}, None, None, None, None),
        ({"prompt_tokens": True}, None, None, None, None),
        ({"prompt_tokens": 10**400, "completion_tokens": 7}, None, 7, None, None),
        (None, None, None, None, None),
    ],
)  # fmt: skip
def test_tokens(usage: Any, read: int | None, written: int | None, reasoning: int | None, cached: int | None) -> None:
    tokens = tokens_of(usage, {})
    assert (tokens.prompt, tokens.completion, tokens.reasoning, tokens.cached) == (read, written, reasoning, cached)


@pytest.mark.parametrize(
    ("usage", "headers", "dollars"),
    [
        ({"cost": 0.0042}, {}, 0.0042),  # OpenRouter
        ({"cost": 0.001, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.02}}, {}, 0.021),
        ({"cost": 0.02, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.02}}, {}, 0.02),
        ({"prompt_tokens": 5, "cost_in_usd_ticks": 37_500_000}, {}, 0.00375),  # xAI
        ({"prompt_tokens": 5}, {"x-litellm-response-cost": "5.1e-05"}, 5.1e-05),  # LiteLLM's proxy
        (None, {"x-litellm-response-cost": "0.04"}, 0.04),
        ({"cost": "free"}, {"x-litellm-response-cost": "None"}, None),
        ({"cost": -1}, {"x-litellm-response-cost": "nan"}, None),
        ({"cost": float("inf")}, {}, None),
        ({"cost": True}, {}, None),
    ],
)
def test_reported_costs(usage: Any, headers: dict[str, str], dollars: float | None) -> None:
    assert tokens_of(usage, headers).cost_usd == (None if dollars is None else pytest.approx(dollars))
