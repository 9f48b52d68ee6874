"""The ways a command ends badly: bad input, failed work, a signal.

The first two carry text for people: one line of what and where, one line of what to do.
"""

from typing import Any, ClassVar


class InputError(Exception):
    """Wrong usage or bad input.

    >>> error = InputError("rules.yaml: max_turns: must be at least 1", "Mend this field.")
    >>> error.problem, error.remedy
    ('rules.yaml: max_turns: must be at least 1', 'Mend this field.')

    Args:
        problem: The fault, naming the file and the field.
        remedy: The user's next step, a sentence; empty when the problem names it already.
    """

    status = 2

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        if remedy:
            self.add_note(remedy)  # shown below a traceback, such as in a notebook

    def __reduce__(self) -> tuple[type["InputError"], tuple[str, str], dict[str, Any]]:
        """Carry problem, remedy and further attributes across a process boundary."""
        return (type(self), (self.problem, self.remedy), self.__dict__)


class StoppedError(SystemExit):
    """A signal stops the command; not to be mistaken for a plug-in that exits.

    >>> StoppedError(143).code
    143
    """

    last: "ClassVar[StoppedError | None]" = None
    """The one that ends this command: what it was raised in may have made another error of it, without a cause."""


class WorkError(InputError):
    """The input was fine but the work failed, for instance on a full disk.

    >>> WorkError("run: cannot be written (No space left on device)").status
    1
    """

    status = 1
