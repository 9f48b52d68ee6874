"""The game master's words: text files, replaceable with ``--prompts DIR``, versioned by their hash."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ircore.errors import InputError

NAMES = ("describer_first", "describer_later")
PLACEHOLDER = "{token_budget}"
MAX_BYTES = 64 * 1024


@dataclass(frozen=True)
class Prompts:
    """The prompts of a run.

    Attributes:
        version: Name of the set and a hash of its texts: part of a result's identity.
        describer_first: For turn 1, with ``{token_budget}`` where the budget goes.
        describer_later: For later turns, likewise.
    """

    version: str
    describer_first: str
    describer_later: str

    def describer(self, turn: int, token_budget: int) -> str:
        """Return the words that the describer reads at a turn (1-based)."""
        text = self.describer_first if turn == 1 else self.describer_later
        return text.replace(PLACEHOLDER, str(token_budget))


def load_prompts(game: str, folder: Path | None = None) -> Prompts:
    """Read the prompts of a game.

    Args:
        game: Name of the game.
        folder: A folder with ``describer_first.txt`` and ``describer_later.txt``; the built-in ones if None.

    Raises:
        InputError: A file is missing, too large, not UTF-8, or does not tell the token budget.
    """
    texts = {name: _read(name, game, folder) for name in NAMES}
    digest = hashlib.sha256("\0".join(texts[name] for name in NAMES).encode()).hexdigest()[:12]
    name = "built-in" if folder is None else folder.resolve().name
    return Prompts(f"{name} {digest}", **texts)


def _read(name: str, game: str, folder: Path | None) -> str:
    if folder is None:
        source = files("ircore.games") / "prompt_texts" / game / f"{name}.txt"
        return source.read_text(encoding="utf-8").strip()
    path = folder / f"{name}.txt"
    try:
        data = path.read_bytes()
        text = data.decode().strip()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror})", "--prompts needs describer_first.txt and describer_later.txt."
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text", "Save it as UTF-8.") from error
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES // 1024} KiB", "Shorten it.")
    if PLACEHOLDER not in text:
        raise InputError(f"{path}: does not tell the token budget", f"Write {PLACEHOLDER} where the number goes.")
    return text
