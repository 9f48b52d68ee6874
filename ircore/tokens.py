"""Counting the tokens of a message, offline and the same for every describer.

The tokenizer is ``o200k_base``, whose vocabulary ships inside the ``bpe-openai`` wheel. Models count with tokenizers
of their own; the game needs one count that is comparable between them.
"""

from functools import cache
from typing import Any

TOKENIZER = "o200k_base"


@cache
def _encoding() -> Any:
    import bpe_openai

    return bpe_openai.get_encoding(TOKENIZER)


def count_tokens(text: str) -> int:
    """Return the number of ``o200k_base`` tokens in ``text`` (special-token text counts as plain text)."""
    return len(_encoding().encode_ordinary(text))


def truncate_tokens(text: str, budget: int) -> str:
    """Return the longest start of ``text`` that has at most ``budget`` tokens, without a broken last character."""
    tokens = _encoding().encode_ordinary(text)
    if len(tokens) <= budget:
        return text
    return str(_encoding().decode(tokens[:budget])).rstrip("\N{REPLACEMENT CHARACTER} ")
