"""The released versions of the benchmark, each with the identity of its instance set, and targets that were retired."""

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.plain_words import Day
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import Line, Name, Record, Sha256
from ircore.core.strict_yaml import read_mapping
from ircore.core.validation import convert_validation_errors

RECORDS = Path(__file__).with_name("versions.yaml")
"""The released versions."""


class BenchmarkVersion(Record):
    """A released version of the benchmark."""

    name: Annotated[Name, StringConstraints(pattern=r"^[0-9][0-9a-z.-]{0,19}$")] = Field(description="Such as 2026.1.")
    instance_set: Sha256 = Field(description="Identity of its instance set.")
    prompts: Line = Field(description="Version of its prompts, as run.json has it.")
    per_condition: int | None = Field(default=None, ge=1, description="With which `instances build` makes its set.")
    date: Day = Field(description="When it was released, YYYY-MM-DD.")
    notes: Line | None = Field(default=None, description="What is new in it.")


class _Records(Record):
    versions: tuple[BenchmarkVersion, ...]


RETIRED = Path(__file__).with_name("retired.yaml")
"""The targets that were retired."""


class RetiredTarget(Record):
    """A target whose picture, scene, answer or difficulty is wrong: it counts on no board any more.

    The set stays as it is, and so do the runs that played it, so that nobody plays anything again.
    """

    instance_set: Sha256 = Field(description="Identity of its set.")
    instance_id: Name = Field(description="The target.")
    version: Name | None = Field(
        default=None, description="The version of the benchmark that goes without it; null before the first release."
    )
    date: Day = Field(description="When this was decided, YYYY-MM-DD.")
    reason: Line = Field(description="Why, in one line that everybody may read.")


class _Retired(Record):
    retired: tuple[RetiredTarget, ...]


def read_retired(path: Path | None = None) -> tuple[RetiredTarget, ...]:
    """Read the targets that were retired, of every set.

    Args:
        path: The file; the project's own if None.

    Raises:
        InputError: The file is no such list, or a target stands there twice.
    """
    path = path or RETIRED
    document = read_mapping(path, "Restore it from the repository.", f"See {RETIRED.name} for the format.")
    with convert_validation_errors(path, "Mend this field."):
        retired = _Retired.model_validate(document).retired
    names = [(target.instance_set, target.instance_id) for target in retired]
    twice = next(
        (target.instance_id for target, name in zip(retired, names, strict=True) if names.count(name) > 1), None
    )
    if twice:
        raise InputError(f"{path}: {twice} is retired twice", "Remove one of the two entries.")
    return retired


def find_retired_targets(instance_set: str) -> tuple[RetiredTarget, ...]:
    """Return the retired targets of the instance set of this identity."""
    return tuple(target for target in read_retired() if target.instance_set == instance_set)


def retire_target(target: RetiredTarget, path: Path | None = None) -> None:
    """Add a target to the file of retired ones; other entries and comments stay as they are.

    Args:
        target: The target.
        path: The file; the project's own if None.

    Raises:
        InputError: The file is damaged, or the target stands there already.
    """
    _append_record(path or RETIRED, "retired", target, read_retired)


def read_versions(path: Path = RECORDS) -> tuple[BenchmarkVersion, ...]:
    """Read the released versions.

    Raises:
        InputError: The file is not a list of versions, or two of them have one name or are the same.
    """
    document = read_mapping(path, "Restore it from the repository.", f"See {RECORDS.name} for the format.")
    with convert_validation_errors(path, "Mend this field."):
        versions = _Records.model_validate(document).versions
    without = {target.version for target in read_retired()}
    for field in ("name", "instance_set"):
        # The same set with other prompts, or without some of its targets, is another version of the benchmark.
        values = [
            (getattr(version, field), version.prompts if field == "instance_set" else "")
            for version in versions
            if field == "name" or version.name not in without
        ]
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice:
            raise InputError(f"{path}: {field} {twice[0]} occurs twice", "Remove one of the two versions.")
    return versions


def record_version(version: BenchmarkVersion, path: Path = RECORDS) -> None:
    """Add a released version to a file of versions; other entries and comments stay as they are.

    Args:
        version: The version to add.
        path: A file as ``read_versions`` reads it; made if it is missing.

    Raises:
        InputError: The file is damaged, or the version or its name stands there already.
    """
    _append_record(path, "versions", version, read_versions)


def _append_record(path: Path, key: str, record: Record, read: Callable[[Path], object]) -> None:
    """Add a record to the list of a YAML file, if the file can still be read then."""
    text = path.read_text(encoding="utf-8") if path.exists() else f"{key}: []\n"
    begun = re.sub(rf"^{key}:\s*\[\s*\]\s*$", f"{key}:", text.rstrip("\n"), flags=re.MULTILINE)
    # A text in JSON is a text in YAML, whatever it holds.
    fields = [(name, json.dumps(value, ensure_ascii=False)) for name, value in record.model_dump().items() if value]
    entry = "\n".join(f"{'- ' if not at else '  '}{name}: {value}" for at, (name, value) in enumerate(fields))
    # In the same folder, since a file can be moved in one step only within a file system.
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        tried = Path(folder) / path.name
        write_text(tried, f"{begun}\n{entry}\n")
        read(tried)
        tried.replace(path)


def list_versions_of_set(instance_set: str) -> tuple[str, ...]:
    """Return the names of the released versions that are played on the instance set of this identity."""
    return tuple(version.name for version in read_versions() if version.instance_set == instance_set)


def require_released(name: str) -> BenchmarkVersion:
    """Return the released version of a name.

    Raises:
        InputError: There is none of this name.
    """
    released = {version.name: version for version in read_versions()}
    if name not in released:
        raise build_unknown_name_error("version", name, released)
    return released[name]


def require_set(folder: Path, instance_set: str, version: BenchmarkVersion) -> None:
    """Check that an instance set belongs to a released version.

    Args:
        folder: Folder of the set, for the message.
        instance_set: Identity of the set.
        version: The required version.

    Raises:
        InputError: It is another set.
    """
    if instance_set != version.instance_set:
        own, wanted = instance_set[:12], version.instance_set[:12]
        raise InputError(
            f"{folder}: identity {own}…, but benchmark version {version.name} is {wanted}…",
            f"Build that set with `ircore instances build --per-condition {version.per_condition or 'N'}`. If you did, "
            "this machine draws other pictures: please report that, with the output of `pip freeze`.",
        )
