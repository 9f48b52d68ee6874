"""Words for the models that make targets: text files, replaceable with ``--prompts DIR``, versioned by their hash."""

from collections.abc import Sequence
from pathlib import Path

from ircore.core.records import DIFFICULTIES
from ircore.games.master_words import TextPrompts, load_text_prompts
from ircore.instances.readable_scenes import SYNTHETIC

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "describer": ("{kind}", "{earlier}"),
    "coder": ("{kind}", "{description}"),
    "coder_again": ("{reason}",),
    **{f"{category}_{difficulty}": () for category in SYNTHETIC for difficulty in DIFFICULTIES},
}
"""The texts of a set by name, and what each must have a place for."""


class SynthesisPrompts(TextPrompts):
    """The prompts of a run that makes targets.

    >>> prompts = load_synthesis_prompts(None)
    >>> "a red ball" in prompts.describer("simple_shapes", "easy", ["a red ball"])
    True
    """

    def describer(self, category: str, difficulty: str, earlier: Sequence[str]) -> str:
        """Return the words that ask for the description of a figure unlike earlier ones.

        Args:
            category: Category of the target.
            difficulty: ``easy`` or ``hard``.
            earlier: Summaries of all earlier figures of the condition.
        """
        listed = "\n".join(f"{number}. {summary}" for number, summary in enumerate(earlier, start=1))
        return self.words("describer", kind=self.texts[f"{category}_{difficulty}"], earlier=listed or "(none)")

    def coder(self, category: str, difficulty: str, description: str) -> str:
        """Return the words that ask for a program that draws a description."""
        return self.words("coder", kind=self.texts[f"{category}_{difficulty}"], description=description)

    def again(self, reason: str) -> str:
        """Return the words that ask for another program because of a fault in the last one."""
        return self.words("coder_again", reason=reason)


def load_synthesis_prompts(folder: Path | None) -> SynthesisPrompts:
    """Read the prompts; a folder replaces the built-in texts, see ``load_text_prompts``."""
    return load_text_prompts(SynthesisPrompts, PLACEHOLDERS, __package__, folder)
