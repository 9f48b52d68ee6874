"""The game master's words: text files, replaceable with ``--prompts DIR``, versioned by their hash."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from ircore.core.prompt_files import prompts_version, read_prompts

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "describer_first": ("{token_budget}",),
    "describer_later": ("{token_budget}",),
    "generator_later": ("{earlier}", "{message}"),
}
"""The texts of a set by name, and what each must have a place for."""

ANEW: dict[str, tuple[str, ...]] = {
    "generator_redraw": ("{earlier}", "{message}"),
    "rewriter": ("{earlier}", "{message}"),
}
"""Texts of generators that draw anew. A folder of prompts may leave them out: the built-in ones then hold."""


@dataclass(frozen=True)
class Prompts:
    """The prompts of a run.

    >>> prompts = load_prompts("reconstruction")
    >>> prompts.generator("Move the circle up.", earlier=["A red circle."]).count("A red circle.")
    1

    Attributes:
        version: Name of the set and a hash of its texts: part of a result's identity.
        describer_first: For turn 1, with ``{token_budget}`` where the budget goes.
        describer_later: For later turns, likewise.
        generator_later: For later turns, with ``{earlier}`` and ``{message}`` where the describer's messages go; on
            turn 1 the generator reads the message alone.
        generator_redraw: The same for a generator that draws anew, without its last rendering.
        rewriter: The same for a rewriter model, which merges the messages into one prompt.
    """

    version: str
    describer_first: str
    describer_later: str
    generator_later: str
    generator_redraw: str
    rewriter: str

    def describer(self, turn: int, token_budget: int) -> str:
        """Return the words that the describer reads at a turn (1-based)."""
        text = self.describer_first if turn == 1 else self.describer_later
        return text.replace("{token_budget}", str(token_budget))

    def generator(
        self, message: str, earlier: Sequence[str], mode: Literal["edit", "redraw", "rewrite"] = "edit"
    ) -> str:
        """Return the words for a generator that reads a single text.

        Args:
            message: The describer's message of this turn.
            earlier: Its messages of all earlier turns, oldest first; none on turn 1.
            mode: How later turns are drawn, see ``Rules.drawing``; for ``rewrite`` the words go to the rewriter.
        """
        if not earlier:
            return message
        numbered = "\n\n".join(f"{number}. {text}" for number, text in enumerate(earlier, start=1))
        text = {"edit": self.generator_later, "redraw": self.generator_redraw, "rewrite": self.rewriter}[mode]
        # One pass over the template: braces in a describer's message must not be filled in turn.
        places = {"{earlier}": numbered, "{message}": message}
        return re.sub(r"\{earlier\}|\{message\}", lambda place: places[place[0]], text)


def load_prompts(game: str, folder: Path | None = None) -> Prompts:
    """Read the prompts of a game.

    Args:
        game: Name of the game.
        folder: A folder with ``describer_first.txt``, ``describer_later.txt`` and ``generator_later.txt``, and
            ``generator_redraw.txt`` or ``rewriter.txt`` if they are to differ; the built-in ones if None.

    Raises:
        InputError: A file is missing, too large, not UTF-8, or lacks a place for what it must tell.
    """
    built_in = files(f"ircore.games.{game}") / "prompt_texts"
    own = {name: places for name, places in ANEW.items() if folder is not None and (folder / f"{name}.txt").is_file()}
    texts = read_prompts(PLACEHOLDERS | own, built_in, folder, "--prompts")
    # The built-in texts of ANEW belong to a version of the package, so that versions from before them stay the same.
    version = prompts_version(list(texts.values()), folder)
    anew = read_prompts({name: ANEW[name] for name in ANEW if name not in own}, built_in, None, "--prompts")
    return Prompts(version, **texts, **anew)
