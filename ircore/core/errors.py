"""The two ways a command ends badly.

Both carry text for people: one line of what and where, one line of what to do.
"""

from typing import Any


class InputError(Exception):
    """Wrong usage or bad input (exit status 2).

    Args:
        problem: What is wrong, naming the file and the field.
        remedy: What the user can do about it, one sentence; empty when the problem says it already.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        if remedy:
            self.add_note(remedy)  # shown below a traceback, such as in a notebook

    def __reduce__(self) -> tuple[type["InputError"], tuple[str, str], dict[str, Any]]:
        """Keep both parts, and what else it carries, when the error crosses a process boundary."""
        return (type(self), (self.problem, self.remedy), self.__dict__)


class WorkError(InputError):
    """The input was fine but the work failed (exit status 1), such as a full disk."""
