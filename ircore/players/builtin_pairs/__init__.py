"""The built-in pairs by name: they play offline, need no key and come with the package.

In the repository they are folders of ``submissions/``. A wheel holds them in this folder, where ``setup.py`` puts them.
"""

from pathlib import Path

from ircore.core.plugins import unknown

_PACKAGE = Path(__file__).resolve().parent

_PREFIX = "builtin-"


def builtin_pairs() -> dict[str, Path]:
    """Return the folders of the built-in pairs by name, such as ``classical+canvas``.

    >>> sorted(builtin_pairs())
    ['captioner+canvas', 'captioner+sketch', 'classical+canvas', 'classical+sketch', 'plain+canvas']
    """
    manifests = sorted(_folder().glob(f"{_PREFIX}*/submission.yaml"))
    return {path.parent.name.removeprefix(_PREFIX).replace("-", "+"): path.parent for path in manifests}


OTHER_GAMES = ("editor", "extractive", "looker", "solver-editor")
"""Built-in submissions of the other games, by the names of their folders."""


def submission_place(named: Path) -> Path:
    """Return the path of a submission: the given folder or manifest, or the folder of a named built-in submission.

    Args:
        named: A path, ``DESCRIBER+GENERATOR`` of a built-in pair, or a name of ``OTHER_GAMES``; a path that exists goes
            first.

    Raises:
        InputError: The name has the form of a built-in pair, but no built-in pair has it.
    """
    name = str(named)
    if named.exists() or named.name != name:
        return named
    if name in OTHER_GAMES:
        return _folder() / name
    if "+" not in name:
        return named
    pairs = builtin_pairs()
    if name not in pairs:
        raise unknown("built-in pair", name, list(pairs))
    return pairs[name]


def _folder() -> Path:
    packaged = _PACKAGE / "submissions"
    return packaged if packaged.is_dir() else _PACKAGE.parents[2] / "submissions"
