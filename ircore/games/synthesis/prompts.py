"""Words for the models that make targets: text files, replaceable with ``--prompts DIR``, versioned by their hash."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ircore.core.prompt_files import prompts_version, read_prompts
from ircore.core.records import CATEGORIES, DIFFICULTIES

SYNTHETIC = tuple(category for category in CATEGORIES if category != "photos")
"""Categories that programs draw."""

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "describer": ("{kind}", "{earlier}"),
    "coder": ("{kind}", "{description}"),
    "coder_again": ("{reason}",),
    **{f"{category}_{difficulty}": () for category in SYNTHETIC for difficulty in DIFFICULTIES},
}
"""The texts of a set by name, and what each must have a place for."""


@dataclass(frozen=True)
class SynthesisPrompts:
    """The prompts of a run that makes targets.

    >>> prompts = load_synthesis_prompts(None)
    >>> "a red ball" in prompts.describer("simple_shapes", "easy", ["a red ball"])
    True

    Attributes:
        version: Name of the set and a hash of its texts.
        texts: The texts by name, as in ``PLACEHOLDERS``.
    """

    version: str
    texts: Mapping[str, str]

    def describer(self, category: str, difficulty: str, earlier: Sequence[str]) -> str:
        """Return the words that ask for the description of a figure unlike earlier ones.

        Args:
            category: Category of the target.
            difficulty: ``easy`` or ``hard``.
            earlier: Summaries of all earlier figures of the condition.
        """
        listed = "\n".join(f"{number}. {summary}" for number, summary in enumerate(earlier, start=1))
        return self._filled("describer", kind=self.texts[f"{category}_{difficulty}"], earlier=listed or "(none)")

    def coder(self, category: str, difficulty: str, description: str) -> str:
        """Return the words that ask for a program that draws a description."""
        return self._filled("coder", kind=self.texts[f"{category}_{difficulty}"], description=description)

    def again(self, reason: str) -> str:
        """Return the words that ask for another program because of a fault in the last one."""
        return self._filled("coder_again", reason=reason)

    def _filled(self, name: str, **values: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda place: values.get(place[1], place[0]), self.texts[name])


def load_synthesis_prompts(folder: Path | None) -> SynthesisPrompts:
    """Read the prompts.

    Args:
        folder: A folder with a file ``NAME.txt`` for each of ``PLACEHOLDERS``; the built-in ones if None.

    Raises:
        InputError: A file is missing, too large, not UTF-8, or lacks a place for what it must tell.
    """
    texts = read_prompts(PLACEHOLDERS, files("ircore.games.synthesis") / "prompt_texts", folder, "--prompts")
    return SynthesisPrompts(prompts_version(list(texts.values()), folder), texts)
