"""Reading a submission's manifest: a stranger's YAML, bounded, without aliases, against a closed schema."""

from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ircore.core.errors import InputError, WorkError
from ircore.core.plugin_work import plugin_work
from ircore.core.plugins import load
from ircore.core.records import PlayerSpec
from ircore.core.strict_yaml import read_mapping
from ircore.core.submission_records import Submission
from ircore.core.validation import describe_validation_error
from ircore.players.base import AnswerKind
from ircore.players.guard import keeping_secret
from ircore.players.slugs import SLUG, SLUG_HELP
from ircore.players.traits import answer_problem

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

    >>> from ircore.players.builtin_pairs import builtin_pairs
    >>> loaded = read_manifest(builtin_pairs()["classical+canvas"])
    >>> loaded.submission.players["describer"].player
    'classical'
    """

    slug: str
    submission: Submission
    path: Path


def folder_of(path: Path) -> Path:
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


def manifests_in(folder: Path) -> list[Path]:
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
        return new_player(spec)
    except InputError as error:
        # A broken package is no mistake in the manifest.
        kind = WorkError if isinstance(error, WorkError) else InputError
        raise kind(f"{loaded.path}: {seat}: {error.problem}", error.remedy) from error


def new_player(spec: PlayerSpec) -> Any:
    """Make a player with its settings.

    Raises:
        InputError: The player is not installed, or does not take these settings.
        WorkError: The player's package is broken.
    """
    with plugin_work(f"player {spec.player!r}"):
        return keeping_secret(load("players", spec.player)(spec), spec)


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
    player = load("players", spec.player, f"{loaded.path}: {seat}.player")
    if not hasattr(player, method):
        raise InputError(f"{loaded.path}: {seat}.player: {spec.player} is no {seat}", "Name another player.")
    if problem := answer_problem(spec.player, method, answers):
        raise InputError(f"{loaded.path}: {seat}.player: {problem}", "Name another player.")
