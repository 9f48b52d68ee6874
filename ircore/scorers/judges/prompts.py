"""Prompts of judges that are models: text files, replaceable by a judge's manifest, versioned by their hash.

Nothing of what describers wrote is ever in them, nor who made a picture: a judge sees pictures.
"""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ircore.core.images import Picture
from ircore.core.prompt_files import prompts_version, read_prompts
from ircore.players.base import Captioned

PLACEHOLDERS = {"similarity": (), "preference": (), "repair": ("{problem}", "{form}")}
"""The texts by name, and what each must have a place for."""

PAIR = ("Picture A, the original:", "Picture B:")
TRIPLET = ("The original:", "Picture A:", "Picture B:")
"""Words before each picture."""


@dataclass(frozen=True)
class JudgePrompts:
    """The prompts of a judge.

    Attributes:
        version: Name of the set and a hash of its texts and captions: part of the judge's identity.
        similarity: Asks for a whole number 0–10 for a pair of pictures.
        preference: Asks for A or B.
        repair: Says what was wrong with an answer (``{problem}``) and what it must look like (``{form}``).

    Example:
        >>> words = JudgePrompts("mine", "Rate 0 to 10.", "Which is nearer?", "Again: {problem}. Answer as {form}.")
        >>> words.version
        'mine'
    """

    version: str
    similarity: str
    preference: str
    repair: str

    def repaired(self, problem: str, form: str) -> str:
        """Return the request for repair to a judge whose answer cannot be used."""
        # The problem last: it quotes the model's answer, in which a "{form}" must not be filled in.
        return self.repair.replace("{form}", form).replace("{problem}", problem)


def load_judge_prompts(folder: Path | None = None) -> JudgePrompts:
    """Read the prompts of a judge.

    Args:
        folder: A folder with ``similarity.txt``, ``preference.txt`` and ``repair.txt``; the built-in ones if None.

    Raises:
        InputError: A file is missing, too large, not UTF-8, empty, or lacks a place for what it must tell.
    """
    texts = read_prompts(PLACEHOLDERS, files("ircore.scorers.judges") / "prompt_texts", folder, "prompts: of the judge")
    return JudgePrompts(prompts_version([*texts.values(), *PAIR, *TRIPLET], folder), **texts)


def captioned(*pictures: Picture) -> tuple[Captioned, ...]:
    """Return target and renderings with their captions: two pictures for task 1, three for task 2."""
    captions = PAIR if len(pictures) == len(PAIR) else TRIPLET
    return tuple(map(Captioned, captions, pictures))
