"""Any bytes whatever get a verdict: no crash, no endless work, no message that is unclear or could do something.

``keeps_promises`` holds the assertions; ``tests/fuzz/manifests.py`` looks for such bytes for as long as it is told to.
"""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as some
from manifest_attacks import GOOD
from manifest_promises import SEEDS, keeps_promises

pytestmark = [pytest.mark.attack, pytest.mark.slow]

TEXTS = some.text(max_size=40) | some.sampled_from(
    ["\u202e", "{{x}}", "=1+1", "https://127.0.0.1", "a\nb", "\ud800", "~"]
)
VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | TEXTS | some.dates() | some.datetimes(),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(TEXTS | some.integers(), inner, max_size=4),
    max_leaves=12,
)
SPECS = some.fixed_dictionaries(
    {"player": some.sampled_from(["openai", "canvas", "classical", "openai-images", "human", "replay"]) | VALUES},
    optional=dict.fromkeys(("model", "revision", "base_url", "api_key_env", "parameters", "extra"), TEXTS | VALUES),
)
MANIFESTS = some.fixed_dictionaries(
    {"schema": some.just(1) | VALUES, "name": TEXTS, "describer": SPECS | VALUES, "generator": SPECS},
    optional={
        **dict.fromkeys(("rules", "authors", "hardware", "dates", "transcripts", "licence", "x"), VALUES),
        "links": some.dictionaries(TEXTS, TEXTS, max_size=3) | VALUES,
    },
)


@settings(deadline=None)
@given(some.binary(max_size=2000))
def test_any_bytes(data: bytes) -> None:
    keeps_promises(data)


@settings(max_examples=100, deadline=None)
@given(MANIFESTS)
def test_any_values_in_the_right_places(manifest: dict[str, object]) -> None:
    keeps_promises(yaml.safe_dump(manifest, allow_unicode=True).encode(errors="surrogatepass"))


@settings(max_examples=300, deadline=None)
@given(some.sampled_from(SEEDS), some.integers(0, 4000), some.integers(0, 60), some.binary(max_size=12))
def test_attacks_with_a_part_replaced(seed: bytes, start: int, length: int, new: bytes) -> None:
    keeps_promises(seed[:start] + new + seed[start + length :])


@settings(deadline=None)
@given(
    some.lists(some.sampled_from(GOOD.splitlines()), max_size=20),
    some.text(alphabet=" \t\n:-?[]{}&*!|>%@`'\"#,", max_size=30),
)
def test_lines_in_any_order_with_signs_that_mean_something(lines: list[str], signs: str) -> None:
    keeps_promises("\n".join([*lines, signs]).encode())
