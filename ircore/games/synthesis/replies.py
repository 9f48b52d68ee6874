"""Reading the answers of the two models: a description with its summary, and a program."""

import re
from typing import NamedTuple

MOST_SUMMARY = 400
"""Characters of a summary that later prompts repeat."""


class Plan(NamedTuple):
    """The description of a figure."""

    description: str
    summary: str


def plan_in(answer: str) -> Plan | None:
    """Return the description and the summary in an answer; None if there is no description.

    >>> plan_in("<DESCRIPTION>A red circle.</DESCRIPTION><SUMMARY>One circle, red.</SUMMARY>")
    Plan(description='A red circle.', summary='One circle, red.')
    """
    description = _between("DESCRIPTION", answer)
    if not description:
        return None
    summary = _between("SUMMARY", answer) or description
    two_lines = " / ".join(line.strip() for line in summary.splitlines() if line.strip())
    return Plan(description, two_lines[:MOST_SUMMARY])


def program_in(answer: str) -> str | None:
    r"""Return the program in an answer: its longest block of code; None if there is none.

    >>> program_in("Here it is:\n```python\ndef draw():\n    ...\n```")
    'def draw():\n    ...\n'
    """
    # Models also put shell commands or examples in blocks; the program is the longest block.
    blocks = re.findall(r"```(?:[Pp]ython|py)?[ \t]*\n(.*?)```", answer, re.DOTALL)
    if blocks:
        return str(max(blocks, key=len))
    return answer if "def draw(" in answer and "```" not in answer else None


def _between(tag: str, text: str) -> str:
    match = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL | re.IGNORECASE)
    return match[1].strip() if match else ""
