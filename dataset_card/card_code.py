"""The Python code of a card: written here once, printed by the template, compared by ``release check``, run by tests.

A card that comes from elsewhere may hold any code. Only blocks that are word for word ours are ever executed.
"""

import re
import subprocess
import sys
from pathlib import Path

from ircore.errors import WorkError

PLACE = "ORG/NAME"
"""What the code of a card calls the dataset until it has a place on the Hub; a path of the folder does as well."""

TURNS = f'''from datasets import load_dataset

turns = load_dataset("{PLACE}", split="test")  # or the path of this folder
turns[0]["message"], turns[0]["target"], turns[0]["rendering"]
'''

TABLES = f'''from datasets import load_dataset

scores = load_dataset("{PLACE}", "scores", split="test")
episodes = load_dataset("{PLACE}", "episodes", split="test")
episodes[0]["outcome"], episodes[0]["final_rendering"]
'''

STREAM = f'''import gc

from datasets import load_dataset

rows = iter(load_dataset("{PLACE}", split="test", streaming=True))
first = next(rows)
del rows  # an open stream can keep Python from exiting
gc.collect()
first["target"].size, first["message"]
'''

FOLDER = """import pandas as pd

board = pd.read_parquet("data/leaderboard")
overall = board.query("category == 'all' and difficulty == 'all'")
overall[["name", "judge", "mean", "low", "high", "n"]]
"""

BLOCKS = (TURNS, TABLES, STREAM, FOLDER)
"""In the order of the card."""

SECONDS = 600
"""How long the code of a card may take."""

_BLOCK = re.compile(r"^```[ \t]*(?:python|py)\b[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE | re.IGNORECASE)


def code_blocks(card: str) -> list[str]:
    """Return the Python blocks of a card."""
    return _BLOCK.findall(card)


def differing_blocks(card: str) -> list[str]:
    """Say which Python blocks of a card are not those of this version, and which of these are missing."""
    found = code_blocks(card)
    faults = [f"Python block {number} is not one of ours" for number, one in enumerate(found, 1) if one not in BLOCKS]
    return faults + [
        f"Python block {number} of ours is missing" for number, one in enumerate(BLOCKS, 1) if one not in found
    ]


def run_blocks(place: str, folder: Path) -> list[str]:
    """Run our own blocks, each in a process of its own inside the release's folder; return what went wrong.

    Args:
        place: What to load: the folder, or ``ORG/NAME``.
        folder: The release here.

    Raises:
        WorkError: No process can be started.
    """
    faults = []
    for number, block in enumerate(BLOCKS, 1):
        code = block.replace(f'"{PLACE}"', repr(place))
        try:
            done = subprocess.run(  # noqa: S603 - our own code alone
                [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            faults.append(f"Python block {number} did not end within {SECONDS} s")
            continue
        except OSError as error:
            raise WorkError(f"the card's code cannot be run ({error.strerror})") from error
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            faults.append(f"Python block {number} failed: {last}")
    return faults
