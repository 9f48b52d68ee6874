"""The Python code of a card: written here once, printed by the template, compared by ``release check``, run by tests.

A card that comes from elsewhere may hold any code. Only blocks that are word for word ours are ever executed.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from dataset_card.tables.schema import is_transcripts, name_transcripts
from ircore.core.errors import WorkError
from ircore.core.records import DEFAULT_GAME

PLACE = "ORG/NAME"
"""Placeholder for the dataset's name in the code of a card; the path of the folder works as well."""

TURNS = f'''from datasets import load_dataset

turns = load_dataset("{PLACE}", split="test")
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
overall = board.query("category == 'all' and difficulty == 'all' and measure == 'main_score'")
overall[["game", "submission", "by", "mean", "low", "high", "n"]]
"""

_TURNS_TABLE = name_transcripts(DEFAULT_GAME)

BLOCKS = (TURNS, TABLES, STREAM, FOLDER)
"""Code about runs of reconstruction, in the order of the card."""

SECONDS = 600
"""How long the code of a card may take."""

# Wider than our own blocks, so that a block in another spelling is found and compared too.
_BLOCK = re.compile(r"^```[ \t]*(?:python|py)\b[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE | re.IGNORECASE)


def format_steps_code(table: str) -> str:
    """Return the code that loads the transcripts of another game.

    >>> print(format_steps_code("transcripts_reference"))
    from datasets import load_dataset
    <BLANKLINE>
    steps = load_dataset("ORG/NAME", "transcripts_reference", split="test")
    steps[0]
    <BLANKLINE>
    """
    return f"""from datasets import load_dataset

steps = load_dataset("{PLACE}", "{table}", split="test")
steps[0]
"""


def list_code_blocks(configs: Iterable[str]) -> tuple[str, ...]:
    """Return the Python blocks that the card of a release with these tables has, in their order."""
    names = list(configs)
    # Where there are turns, one table of each kind is enough to see how all load.
    return BLOCKS if _TURNS_TABLE in names else tuple(format_steps_code(name) for name in names if is_transcripts(name))


def find_differing_blocks(card: str, configs: Iterable[str]) -> list[str]:
    """Return a line for each Python block of a card that is not this version's, and for each block that is missing.

    Args:
        card: Text of the card.
        configs: Names of the release's tables.
    """
    blocks, ours = _BLOCK.findall(card), list_code_blocks(configs)
    faults = [
        f"Python block {number} is not one of ours" for number, block in enumerate(blocks, 1) if block not in ours
    ]
    return faults + [
        f"Python block {number} of ours is missing" for number, block in enumerate(ours, 1) if block not in blocks
    ]


def run_blocks(place: str, folder: Path, configs: Iterable[str]) -> list[str]:
    """Run the card's own blocks in a separate process inside the release's folder; return a line for each failure.

    Args:
        place: Dataset to load: the folder, or ``ORG/NAME``.
        folder: The release here.
        configs: Names of the release's tables.

    Raises:
        WorkError: No process can be started, or it takes too long.
    """
    # -P: nothing that lies in the folder is ever imported.
    command = [sys.executable, "-P", "-m", "dataset_card.card.code", place, *configs]
    try:
        done = subprocess.run(  # noqa: S603 - our own code alone
            command, cwd=folder, capture_output=True, encoding="utf-8", timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkError(
            f"the card's code cannot be run ({type(error).__name__})", "Try again, or leave --run-card out."
        ) from error
    if done.returncode != 0:
        # The last line of a traceback names the error.
        return [(done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:300]]
    # The last line, because the libraries that the blocks call may print too.
    faults: list[str] = json.loads(done.stdout.splitlines()[-1])
    return faults


def main(place: str, configs: Iterable[str]) -> None:
    """Run the card's own blocks and print the failures as a line of JSON."""
    faults = []
    for number, block in enumerate(list_code_blocks(configs), 1):
        try:
            # By repr, so that a quotation mark in the name of a folder ends no text.
            exec(block.replace(f'"{PLACE}"', repr(place)), {})  # noqa: S102 - our own code alone
        except Exception as error:  # noqa: BLE001 - whatever a reader would see is a finding
            faults.append(f"Python block {number} failed: {type(error).__name__}: {error}".splitlines()[0][:300])
    print(json.dumps(faults), flush=True)
    os._exit(0)  # open streams would keep the process


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
