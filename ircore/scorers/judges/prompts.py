"""Prompts of judges that are models: text files, replaceable by a judge's manifest, versioned by their hash.

Nothing of what describers wrote is ever in them, nor who made a picture: a judge sees pictures.
"""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from ircore.core.images import Picture
from ircore.core.prompt_files import prompts_version, read_prompts
from ircore.players.base import Captioned

_REPAIR = ("{problem}", "{form}")
RATINGS = {"similarity": (), "preference": (), "repair": _REPAIR}
"""The texts of a judge that rates, by name, and what each must have a place for."""
FACTS = {"facts": ("{sentences}",), "repair": _REPAIR}
"""The texts of a judge that checks facts."""

Asks = Literal["ratings", "facts"]
"""What a judge is asked: how alike two pictures are, or which sentences are true of one."""

PAIR = ("Picture A, the original:", "Picture B:")
TRIPLET = ("The original:", "Picture A:", "Picture B:")
ALONE = ("The picture:",)
"""Words before each picture."""


@dataclass(frozen=True)
class JudgePrompts:
    """The prompts of a judge.

    Attributes:
        version: Name of the set and a hash of its texts and captions: part of the judge's identity.
        similarity: Asks for a whole number 0–10 for a pair of pictures.
        preference: Asks for A or B.
        facts: Asks which numbered sentences (``{sentences}``) are true of a picture.
        repair: Says what was wrong with an answer (``{problem}``) and what it must look like (``{form}``).

    Example:
        >>> words = JudgePrompts("mine", "Rate 0 to 10.", "Which is nearer?", "Again: {problem}. Answer as {form}.")
        >>> words.version
        'mine'
    """

    version: str
    similarity: str = ""
    preference: str = ""
    repair: str = ""
    facts: str = ""

    def repaired(self, problem: str, form: str) -> str:
        """Return the request for repair to a judge whose answer cannot be used."""
        # The problem last: it quotes the model's answer, in which a "{form}" must not be filled in.
        return self.repair.replace("{form}", form).replace("{problem}", problem)


def load_judge_prompts(folder: Path | None = None, asks: Asks = "ratings") -> JudgePrompts:
    """Read the prompts of a judge.

    Args:
        folder: A folder with ``similarity.txt``, ``preference.txt`` and ``repair.txt``, or with ``facts.txt`` and
            ``repair.txt``; the built-in ones if None.
        asks: What it is asked.

    Raises:
        InputError: A file is missing, too large, not UTF-8, empty, or lacks a place for what it must tell.
    """
    places, captions = (FACTS, ALONE) if asks == "facts" else (RATINGS, (*PAIR, *TRIPLET))
    texts = read_prompts(places, files("ircore.scorers.judges") / "prompt_texts", folder, "prompts: of the judge")
    return JudgePrompts(prompts_version([*texts.values(), *captions], folder), **texts)


def captioned(*pictures: Picture) -> tuple[Captioned, ...]:
    """Return pictures with their captions: target and one rendering, or two; one rendering alone for facts."""
    captions = {1: ALONE, 2: PAIR, 3: TRIPLET}[len(pictures)]
    return tuple(map(Captioned, captions, pictures))
