"""Families of models by name, with the patterns in ``model_families.yaml``."""

import re
from functools import cache
from importlib.resources import as_file, files


def find_model_family(model: str) -> str | None:
    """Return the family of a model, such as ``gpt`` for ``openai/gpt-5.2``; None for unknown names.

    Args:
        model: As its provider names it.
    """
    families = [
        (match.start(), name) for name, pattern in _load_patterns().items() if (match := pattern.search(model.lower()))
    ]
    # Where several families match, the one that is named first in the model's name counts.
    return min(families)[1] if families else None


@cache
def _load_patterns() -> dict[str, re.Pattern[str]]:
    # Inside, since results need the families of models only where a model judges.
    from ircore.core.strict_yaml import read_mapping

    with as_file(files("ircore.players") / "model_families.yaml") as path:
        families: dict[str, list[str]] = read_mapping(path, "Install the package again.", "")["families"]
    # The look-arounds keep a family's name from matching inside a longer word.
    return {name: re.compile(rf"(?<![a-z0-9])(?:{'|'.join(words)})(?![a-z])") for name, words in families.items()}
