"""Reading ``release.json``."""

from pathlib import Path

from pydantic import ValidationError

from dataset_card.releases.record import MAX_BYTES, RELEASE, ReleaseRecord
from ircore.core.errors import InputError
from ircore.core.validation import describe_validation_error


def read_release(folder: Path) -> ReleaseRecord:
    """Read the record of a release.

    Raises:
        InputError: The folder holds no release, or one whose ``release.json`` is damaged.
    """
    path = folder / RELEASE
    if not path.is_file():
        raise InputError(f"{folder}: no release here (no {RELEASE})", "Name a folder made by: ircore release build")
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES // 2**20} MiB", "Build the release again.")
    data = path.read_bytes()
    try:
        return ReleaseRecord.model_validate_json(data)
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", "Build the release again.") from error
