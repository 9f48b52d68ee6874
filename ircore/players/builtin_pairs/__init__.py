"""The built-in pairs by name: they play offline, need no key and come with the package.

In the repository they are folders of ``submissions/``. A wheel holds them in this folder, where ``setup.py`` puts them.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.plugins import build_unknown_name_error, list_available

_PACKAGE = Path(__file__).resolve().parent

_PREFIX = "builtin-"


def list_builtin_pairs() -> dict[str, Path]:
    """Return the folders of the built-in pairs by name, such as ``classical+canvas``.

    >>> sorted(list_builtin_pairs())
    ['captioner+canvas', 'captioner+sketch', 'classical+canvas', 'classical+sketch', 'plain+canvas']
    """
    manifests = sorted(_find_folder().glob(f"{_PREFIX}*/submission.yaml"))
    return {path.parent.name.removeprefix(_PREFIX).replace("-", "+"): path.parent for path in manifests}


OTHER_GAMES = ("editor", "extractive", "extractive-sketch", "literal", "looker", "looker-alone", "solver-editor")
"""Built-in submissions of the other games, by the names of their folders."""


def find_submission_place(named: Path) -> Path:
    """Return the path of a submission: the given folder or manifest, or the folder of a named built-in submission.

    Args:
        named: A path, ``DESCRIBER+GENERATOR`` of a built-in pair, or a name of ``OTHER_GAMES``; a path that exists goes
            first.

    Raises:
        InputError: Nothing is there, and the name is that of a player or of a pair, or nearly so.
    """
    name = str(named)
    if named.exists() or named.name != name:
        return named
    if name in OTHER_GAMES:
        return _find_folder() / name
    pairs = list_builtin_pairs()
    if name in pairs:
        return pairs[name]
    if "+" in name:
        raise _build_no_pair_error(name, pairs)
    _refuse_near_name(name, pairs)
    return named


def _build_no_pair_error(name: str, pairs: Mapping[str, Path]) -> InputError:
    """Return the error for ``DESCRIBER+GENERATOR`` of no built-in pair, with what the user meant to do."""
    describers, generators = ({pair.split("+")[seat] for pair in pairs} for seat in (0, 1))
    describer, _, generator = name.partition("+")
    if f"{generator}+{describer}" in pairs:
        return InputError(
            f"{name}: the seats are swapped, {describer} draws and {generator} describes",
            f"Write the describer first: {generator}+{describer}",
        )
    nearest = get_close_matches(name.lower(), pairs, n=1, cutoff=0.85)
    players = list_available("players").keys() | list_available("traits").keys()
    strangers = [word for word in (describer, generator) if word not in describers | generators]
    # A slip of the keys in a built-in name; any other word is a model, or a player that takes settings.
    if nearest and not any(word in players for word in strangers):
        return build_unknown_name_error("built-in pair", name, list(pairs))
    if not strangers:
        seat = "describes" if describer not in describers else "draws"
        player = describer if seat == "describes" else generator
        return InputError(
            f"{name}: no built-in pair, since {player} never {seat}", f"Pairs: {', '.join(sorted(pairs))}."
        )
    return InputError(
        f"{name}: no built-in pair ({', '.join(sorted(pairs))})",
        "For a pair with a model or player of your own: ircore submission new my-pair",
    )


def _refuse_near_name(name: str, pairs: Mapping[str, Path]) -> None:
    """Refuse a name that is no path and nearly that of a built-in pair: other signs between the two, or one of them."""
    words = [word for word in re.split(r"[^a-z0-9]+", name.lower().removeprefix(_PREFIX)) if word]
    if (pair := "+".join(words)) in pairs:
        raise InputError(f"{name}: no such folder", f"The built-in pair is called {pair}")
    if swapped := "+".join(reversed(words)) in pairs and "+".join(reversed(words)):
        raise InputError(f"{name}: no such folder", f"The built-in pair is called {swapped}, the describer first")
    with_it = [pair for pair in sorted(pairs) if len(words) == 1 and words[0] in pair.split("+")]
    if with_it:
        raise InputError(
            f"{name}: a player alone plays nothing", f"Name a pair, the describer first: {' or '.join(with_it)}"
        )
    if get_close_matches(name.lower(), [*pairs, *OTHER_GAMES], n=1, cutoff=0.75):
        raise build_unknown_name_error("built-in submission", name, [*pairs, *OTHER_GAMES])


def _find_folder() -> Path:
    packaged = _PACKAGE / "submissions"
    return packaged if packaged.is_dir() else _PACKAGE.parents[2] / "submissions"
