"""Packages that an extra of this one brings, asked for before they are imported."""

from importlib.util import find_spec

from ircore.core.errors import InputError


def need_packages(who: str, extra: str, *packages: str) -> None:
    """Refuse to go on unless packages are installed; ``who`` needs them, ``extra`` brings them.

    >>> need_packages("the player openai", "models", "no_such_package")
    Traceback (most recent call last):
    ...
    ircore.core.errors.InputError: the player openai needs the package no_such_package, which is not installed
    Install it with: pip install "ircore[models]"
    """
    for package in packages:
        if find_spec(package) is None:
            raise InputError(
                f"{who} needs the package {package}, which is not installed",
                f'Install it with: pip install "ircore[{extra}]"',
            )
