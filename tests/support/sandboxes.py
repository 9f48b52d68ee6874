"""Whether this machine can hold a sandbox, for tests that need one."""

from functools import cache
from importlib.util import find_spec

import pytest

from ircore.core.errors import InputError
from ircore.core.sandbox.probing import require_sandbox


@cache
def why_no_sandbox() -> str:
    """Return why no sandbox holds here; empty if one does."""
    try:
        require_sandbox()
    except InputError as error:
        return error.problem
    return ""


@pytest.fixture(scope="session")
def sandbox() -> None:
    """Skip a test where no sandbox holds."""
    if reason := why_no_sandbox():
        pytest.skip(reason)


@pytest.fixture(scope="session")
def drawing(sandbox: None) -> None:
    """Skip a test where no figure can be drawn in a sandbox."""
    if find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not installed (the extra synthesis)")
