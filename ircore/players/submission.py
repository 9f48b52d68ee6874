"""Reading a submission's manifest: a stranger's YAML, bounded, without aliases, against a closed schema."""

from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.plugins import load
from ircore.core.records import PlayerSpec, Submission
from ircore.core.strict_yaml import read_mapping
from ircore.core.validation import describe_validation_error
from ircore.players.slugs import SLUG, SLUG_HELP

MANIFEST = "submission.yaml"
FORMAT = "See docs/submit.md for the format."


class LoadedSubmission(NamedTuple):
    """A submission with the name of its folder."""

    slug: str
    submission: Submission
    path: Path


def folder_of(path: Path) -> Path:
    """Return the folder of a submission that is there.

    Args:
        path: It, or its ``submission.yaml``.

    Raises:
        InputError: There is none.
    """
    folder = path.parent if path.name == MANIFEST else path
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{path}: no submission here (no {MANIFEST})", "Name a submission's folder.")
    return folder if folder.name not in ("", "..") else folder.resolve()


def manifests_in(folder: Path) -> list[Path]:
    """Return the manifests of all submissions in a folder.

    Raises:
        InputError: There are none: it is another folder than was meant.
    """
    found = sorted(folder.glob(f"*/{MANIFEST}"))
    if not found:
        problem = "no submission in it" if folder.is_dir() else "no such folder"
        raise InputError(f"{folder}: {problem}", "Name the folder of submissions.")
    return found


def read_submission(path: Path) -> LoadedSubmission:
    """Read a manifest that is to be played, and check that its players are installed.

    Args:
        path: The submission's folder or its ``submission.yaml``.

    Raises:
        InputError: It is missing, too large, not YAML, or does not fit the schema; or it names an unknown player.
    """
    loaded = read_manifest(path)
    _check_seat(loaded.path, "describer", loaded.submission.describer, "describe")
    _check_seat(loaded.path, "generator", loaded.submission.generator, "render")
    return loaded


def read_manifest(path: Path) -> LoadedSubmission:
    """Read a manifest of players that need not be here, such as those of a submitter who played them.

    Args:
        path: The submission's folder or its ``submission.yaml``.

    Raises:
        InputError: It is missing, too large, not YAML, or does not fit the schema.
    """
    manifest = path / MANIFEST if path.is_dir() else path
    document = read_mapping(manifest, "Name a folder with a submission.yaml.", FORMAT)
    slug = manifest.resolve().parent.name
    try:
        submission = Submission.model_validate(document)
    except ValidationError as error:
        raise InputError(f"{manifest}: {describe_validation_error(error)}", FORMAT) from error
    if not SLUG.fullmatch(slug):
        raise InputError(f"{manifest}: the folder's name {slug!r} cannot be used", SLUG_HELP)
    return LoadedSubmission(slug, submission, manifest)


def make_player(loaded: LoadedSubmission, seat: Literal["describer", "generator"]) -> Any:
    """Make the player that takes a seat.

    Raises:
        InputError: The player does not take these settings.
    """
    spec: PlayerSpec = getattr(loaded.submission, seat)
    try:
        return load("players", spec.player)(spec)
    except InputError as error:
        raise InputError(f"{loaded.path}: {seat}: {error.problem}", error.remedy) from error


def check_player(loaded: LoadedSubmission, seat: Literal["describer", "generator"]) -> None:
    """Check that a player takes its settings, without the keys that it needs to play.

    Raises:
        InputError: It does not.
    """
    spec: PlayerSpec = getattr(loaded.submission, seat)
    player = load("players", spec.player)
    try:
        getattr(player, "check", player)(spec)
    except InputError as error:
        raise InputError(f"{loaded.path}: {seat}: {error.problem}", error.remedy) from error


def _check_seat(manifest: Path, seat: str, spec: PlayerSpec, method: str) -> None:
    player = load("players", spec.player, f"{manifest}: {seat}.player")
    if not hasattr(player, method):
        raise InputError(
            f"{manifest}: {seat}.player: {spec.player} is no {seat}", "Swap the two, or name another player."
        )
