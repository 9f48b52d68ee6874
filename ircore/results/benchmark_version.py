"""Benchmark version that results belong to.

A version is an instance set and the version of its prompts. Results of different versions are never compared: a board,
a site and a dataset release are of one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ircore.core.errors import InputError
from ircore.instances.benchmark import RECORDS, BenchmarkVersion, read_versions
from ircore.results.model import Results


@dataclass(frozen=True)
class Version:
    """The version that results belong to, released or not.

    Example:
        >>> Version(instance_set="a" * 64, prompts="built-in 1a2b3c4d5e6f").name is None
        True
    """

    instance_set: str
    """Identity of the instance set."""

    prompts: str
    """Version of the prompts."""

    released: BenchmarkVersion | None = None
    """Record of the released version; None if the version is not released."""

    @property
    def name(self) -> str | None:
        """Name such as ``2026.1``; None if the version is not released."""
        return self.released.name if self.released else None

    @property
    def words(self) -> str:
        """Name on boards and in exports: ``benchmark 2026.1`` or ``unreleased benchmark (set 1234abcd)``."""
        return f"benchmark {self.name}" if self.released else f"unreleased benchmark (set {self.instance_set[:8]})"

    def as_dict(self) -> dict[str, str | None]:
        """Return the version as a record for exports."""
        return {"benchmark": self.name, "instance_set": self.instance_set, "prompts": self.prompts}


def find_version(results: Results, versions: Sequence[BenchmarkVersion] | None = None) -> Version:
    """Return the version that results belong to.

    Args:
        results: Of runs on one instance set.
        versions: The released versions; by default those of ``versions.yaml``.

    Raises:
        InputError: Two runs were played with different prompts.
    """
    # One run for each version of the prompts is enough to name both sides in the message.
    runs = {submission.run.prompts: submission.run_id for submission in results.submissions}
    if len(runs) > 1:
        (first, run), (second, other_run) = list(runs.items())[:2]
        raise InputError(
            f"{run} was played with the prompts {first}, {other_run} with {second}: they follow two benchmark versions",
            "Give runs of one version.",
        )
    (prompts,) = runs
    released = read_versions() if versions is None else versions
    matches = [
        version for version in released if (version.instance_set, version.prompts) == (results.instance_set, prompts)
    ]
    # Of versions that differ in retired targets alone, the latest goes without all of them.
    return Version(results.instance_set, prompts, matches[-1] if matches else None)


def require_version(version: Version, name: str, versions: Sequence[BenchmarkVersion] | None = None) -> None:
    """Check that results are of the version that was asked for.

    Args:
        version: What they are of.
        name: What was asked for.
        versions: The released versions; by default those of ``versions.yaml``.

    Raises:
        InputError: They are not.
    """
    if version.name != name:
        released = read_versions() if versions is None else versions
        names = ", ".join(version.name for version in released) or "none"
        raise InputError(
            f"the runs are of the {version.words}, not of {name} (released: {names})",
            f"Give runs of {name}, or record the version in ircore/{RECORDS.name}.",
        )
