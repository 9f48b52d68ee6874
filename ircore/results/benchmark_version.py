"""Versions of the benchmark: which one results belong to.

A version is an instance set and the version of its prompts. Results of different versions are never compared: a board,
a site and a dataset release are of one of them.
"""

import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.records import Day, Line, Name, Record, Sha256
from ircore.core.strict_yaml import read_mapping
from ircore.core.validation import describe_validation_error
from ircore.results.model import Results

RECORDS = Path(__file__).with_name("versions.yaml")
"""The released versions."""


class BenchmarkVersion(Record):
    """A released version of the benchmark."""

    name: Annotated[Name, StringConstraints(pattern=r"^[0-9][0-9a-z.-]{0,19}$")] = Field(description="Such as 2026.1.")
    instance_set: Sha256 = Field(description="Identity of its instance set.")
    prompts: Line = Field(description="Version of its prompts, as run.json has it.")
    date: Day = Field(description="When it was released, YYYY-MM-DD.")
    notes: Line | None = Field(default=None, description="What is new in it.")


class _Records(Record):
    versions: tuple[BenchmarkVersion, ...]


@dataclass(frozen=True)
class Version:
    """The version that results belong to, released or not."""

    instance_set: str
    """Identity of the instance set."""

    prompts: str
    """Version of the prompts."""

    released: BenchmarkVersion | None = None
    """Its record; None if it has none."""

    @property
    def name(self) -> str | None:
        """Such as ``2026.1``; None if it is not released."""
        return self.released.name if self.released else None

    @property
    def words(self) -> str:
        """How boards and exports name it: ``benchmark 2026.1`` or ``unreleased benchmark (set 1234abcd)``."""
        return f"benchmark {self.name}" if self.released else f"unreleased benchmark (set {self.instance_set[:8]})"

    def as_dict(self) -> dict[str, str | None]:
        """Return what exports say of it."""
        return {"benchmark": self.name, "instance_set": self.instance_set, "prompts": self.prompts}


def read_versions(path: Path = RECORDS) -> tuple[BenchmarkVersion, ...]:
    """Read the released versions.

    Raises:
        InputError: The file is not a list of versions, or two of them have one name or are the same.
    """
    document = read_mapping(path, "Restore it from the repository.", f"See {RECORDS.name} for the format.")
    try:
        versions = _Records.model_validate(document).versions
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", "Mend this field.") from error
    for field in ("name", "instance_set"):
        values = [(getattr(one, field), one.prompts if field == "instance_set" else "") for one in versions]
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice:
            raise InputError(f"{path}: {field} {twice[0]} stands there twice", "Remove one of the two versions.")
    return versions


def record_version(version: BenchmarkVersion, path: Path = RECORDS) -> None:
    """Add a released version to a file of them; what stands there, comments included, stays as it is.

    Args:
        version: What to add.
        path: A file as ``read_versions`` reads it; made if it is missing.

    Raises:
        InputError: The file is damaged, or the version or its name stands there already.
    """
    text = path.read_text(encoding="utf-8") if path.exists() else "versions: []\n"
    begun = re.sub(r"^versions:\s*\[\s*\]\s*$", "versions:", text.rstrip("\n"), flags=re.MULTILINE)
    # A text in JSON is a text in YAML, whatever it holds.
    fields = [(name, json.dumps(value, ensure_ascii=False)) for name, value in version.model_dump().items() if value]
    entry = "\n".join(f"{'- ' if not at else '  '}{name}: {value}" for at, (name, value) in enumerate(fields))
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        tried = Path(folder) / path.name
        write_text(tried, f"{begun}\n{entry}\n")
        read_versions(tried)
        tried.replace(path)


def version_of(results: Results, known: Sequence[BenchmarkVersion] | None = None) -> Version:
    """Return the version that results belong to.

    Args:
        results: Of runs on one instance set.
        known: The released versions; by default those of ``versions.yaml``.

    Raises:
        InputError: Two runs were played with different prompts.
    """
    runs = {one.run.prompts: one.run_id for one in results.submissions}
    if len(runs) > 1:
        (first, one), (second, other) = list(runs.items())[:2]
        raise InputError(
            f"{one} was played with the prompts {first}, {other} with {second}: two versions of the benchmark",
            "Give runs of one version.",
        )
    (prompts,) = runs
    released = read_versions() if known is None else known
    found = (one for one in released if (one.instance_set, one.prompts) == (results.instance_set, prompts))
    return Version(results.instance_set, prompts, next(found, None))


def require_version(version: Version, name: str, known: Sequence[BenchmarkVersion] | None = None) -> None:
    """Check that results are of the version that was asked for.

    Args:
        version: What they are of.
        name: What was asked for.
        known: The released versions; by default those of ``versions.yaml``.

    Raises:
        InputError: They are not.
    """
    if version.name != name:
        released = read_versions() if known is None else known
        names = ", ".join(one.name for one in released) or "none"
        raise InputError(
            f"the runs are of the {version.words}, not of {name} (released: {names})",
            f"Give runs of {name}, or record the version in ircore/{RECORDS.name}.",
        )
