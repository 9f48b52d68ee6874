"""Reading a submission's manifest: a stranger's YAML, bounded, without aliases, against a closed schema.

A player's parameters are read as the record of its settings. Names of submissions' folders are safe in addresses and on
every file system.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import build_unknown_name_error, convert_plugin_errors, load_plugin
from ircore.core.records import PlayerSpec, Record
from ircore.core.strict_yaml import read_mapping
from ircore.core.submission_records import Submission
from ircore.core.validation import describe_validation_error
from ircore.players.base import AnswerKind
from ircore.players.open_questions import hide_secret_of_player
from ircore.players.traits import answer_problem

_REMEDY = "Correct it, or take it out for the default; docs/players.md has every parameter."

Settings = TypeVar("Settings", bound=Record)


def read_parameters(spec: PlayerSpec, kind: type[Settings], name_model: str) -> Settings:
    """Return the settings of a player with a model; ``name_model`` is the remedy where none is named.

    ``InputError`` names a parameter that is unknown or of the wrong kind.
    """
    if spec.model is None:
        raise InputError("model is missing", name_model)
    for name in spec.parameters:
        if name not in kind.model_fields:
            raise build_unknown_name_error("parameter", name, list(kind.model_fields), "parameters")
    try:
        # As JSON, in which lists are lists, so that no kind of value passes for another: true for 1, text for a number.
        return kind.model_validate_json(to_json(spec.parameters), strict=True)
    except ValidationError as error:
        raise InputError(f"parameters.{describe_validation_error(error)}", _REMEDY) from error


SLUG = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}")
SLUG_HELP = (
    "Begin the folder's name with a lower-case letter or digit; then also '-', '_' and '.', 80 in all, "
    "but no name that the site or Windows keeps, such as index or con."
)
PAGES = frozenset({"index", "irg-shell"})
"""Names that the site keeps beside the pages of pairs."""

MAINTAINERS = "builtin-"
"""How the names of folders begin that only maintainers add."""


def is_reserved_name(name: str) -> bool:
    """Whether Windows reserves a name for a device, or drops the name's end."""
    stem = name.split(".", 1)[0].rstrip(" ").upper()
    devices = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
    # Windows reserves the superscript digits of these devices as well.
    numbered = re.fullmatch(r"(COM|LPT)[0-9\u00b9\u00b2\u00b3]", stem) is not None
    return stem in devices or numbered or name != name.rstrip(". ")


_RUN_ID = re.compile(r".+[-_.][0-9a-f]{8}")
"""A run's id: its submission's name, and eight digits of a hash; with separators that look like the one of ids."""


def is_like_run_id(name: str) -> bool:
    """Whether a submission of this name could be taken for a run, whose id names its page and its files.

    >>> is_like_run_id("good-pair-97e64db0"), is_like_run_id("good-pair")
    (True, False)
    """
    return _RUN_ID.fullmatch(name) is not None


def is_usable_slug(name: str) -> bool:
    """Whether a submission's folder may have this name."""
    return SLUG.fullmatch(name) is not None and not is_reserved_name(name) and name not in PAGES


FOLDER = "submissions"
"""The folder of the repository that holds the folders of submissions."""

MANIFEST = "submission.yaml"
NAME_ONE = (
    "Name a folder with a submission.yaml, or a built-in pair such as classical+canvas; for a pair of your own: ircore "
    "submission new my-pair"
)
FORMAT = "See docs/submit.md for the format."


class LoadedSubmission(NamedTuple):
    """A submission, with the name of its folder.

    >>> from ircore.players.builtin_pairs import list_builtin_pairs
    >>> loaded = read_manifest(list_builtin_pairs()["classical+canvas"])
    >>> loaded.submission.players["describer"].player
    'classical'
    """

    slug: str
    submission: Submission
    path: Path


def find_folder(path: Path) -> Path:
    """Return the folder of a submission that is there.

    Args:
        path: The folder, or its ``submission.yaml``.

    Raises:
        InputError: The folder holds no submission.
    """
    folder = path.parent if path.name == MANIFEST else path
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{path}: no submission here (no {MANIFEST})", "Name a submission's folder.")
    # The folder's name is the submission's slug, which "." and ".." do not tell.
    return folder if folder.name not in ("", "..") else folder.resolve()


def list_manifests(folder: Path) -> list[Path]:
    """Return the manifests of all submissions in a folder.

    Raises:
        InputError: The folder does not exist or holds no submission.
    """
    manifests = sorted(folder.glob(f"*/{MANIFEST}"))
    if not manifests:
        problem = "no submission in it" if folder.is_dir() else "no such folder"
        raise InputError(f"{folder}: {problem}", "Name the folder of submissions.")
    return manifests


def read_manifest(path: Path) -> LoadedSubmission:
    """Read a manifest; whether game and players are installed is not looked at.

    Args:
        path: The submission's folder or its ``submission.yaml``.

    Raises:
        InputError: The manifest is missing, too large, no YAML, or does not fit the schema.
    """
    manifest = path / MANIFEST if path.is_dir() else path
    document = read_mapping(manifest, NAME_ONE, FORMAT)
    slug = manifest.resolve().parent.name
    try:
        submission = Submission.model_validate(document)
    except ValidationError as error:
        raise InputError(f"{manifest}: {describe_validation_error(error)}", FORMAT) from error
    if not SLUG.fullmatch(slug):
        raise InputError(f"{manifest}: the folder's name {slug!r} cannot be used", SLUG_HELP)
    return LoadedSubmission(slug, submission, manifest)


def make_player(loaded: LoadedSubmission, seat: str) -> Any:
    """Make the player that takes a seat.

    Raises:
        InputError: The player does not take these settings.
    """
    spec = loaded.submission.players[seat]
    try:
        return build_player(spec)
    except InputError as error:
        # A broken package is no mistake in the manifest.
        kind = WorkError if isinstance(error, WorkError) else InputError
        raise kind(f"{loaded.path}: {seat}: {error.problem}", error.remedy) from error


def build_player(spec: PlayerSpec) -> Any:
    """Make a player with its settings.

    Raises:
        InputError: The player is not installed, or does not take these settings.
        WorkError: The player's package is broken.
    """
    with convert_plugin_errors(f"player {spec.player!r}"):
        return hide_secret_of_player(load_plugin("players", spec.player)(spec), spec)


def check_seat(loaded: LoadedSubmission, seat: str, method: str, answers: AnswerKind | None = None) -> None:
    """Check that the player of a seat is installed and can take the seat.

    Args:
        loaded: The submission.
        seat: Name of the seat.
        method: Name of the coroutine method that its questions go to.
        answers: The kind of answer that the seat expects, if it is asked with ``Question``.

    Raises:
        InputError: The player is not installed, or cannot take the seat.
    """
    spec = loaded.submission.players[seat]
    player = load_plugin("players", spec.player, f"{loaded.path}: {seat}.player")
    if not hasattr(player, method):
        raise InputError(f"{loaded.path}: {seat}.player: {spec.player} is no {seat}", "Name another player.")
    if problem := answer_problem(spec.player, method, answers):
        raise InputError(f"{loaded.path}: {seat}.player: {problem}", "Name another player.")
