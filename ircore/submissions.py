"""Reading a submission's manifest: a stranger's YAML, bounded, without aliases, against a closed schema."""

import re
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml
from pydantic import ValidationError

from ircore.errors import InputError
from ircore.plugins import load
from ircore.records import PlayerSpec, Submission
from ircore.validation import describe_validation_error

MANIFEST = "submission.yaml"
MAX_BYTES = 64 * 1024
_SLUG = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}")
_SLUG_HELP = "Begin the folder's name with a lower-case letter or digit; then also '-', '_' and '.', 80 in all."


class LoadedSubmission(NamedTuple):
    """A submission with the name of its folder."""

    slug: str
    submission: Submission
    path: Path


class _StrictLoader(yaml.SafeLoader):
    """YAML without aliases (they can make a small file huge), without tags and without a key given twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not allowed", problem_mark=event.start_mark)
        if event.tag is not None:
            raise yaml.MarkedYAMLError(problem=f"the tag {event.tag!r} is not allowed", problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError) as error:
            # What looks like a date or a number and is none, such as 2026-99-99.
            raise yaml.MarkedYAMLError(problem=str(error), problem_mark=node.start_mark) from error

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key must be one word", problem_mark=key.start_mark)
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"{key.value!r} is given twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_submission(path: Path) -> LoadedSubmission:
    """Read and check a manifest.

    Args:
        path: The submission's folder or its ``submission.yaml``.

    Raises:
        InputError: It is missing, too large, not YAML, or does not fit the schema; or it names an unknown player.
    """
    manifest = path / MANIFEST if path.is_dir() else path
    document = _read_yaml(manifest)
    slug = manifest.resolve().parent.name
    try:
        submission = Submission.model_validate(document)
    except ValidationError as error:
        raise InputError(
            f"{manifest}: {describe_validation_error(error)}", "See docs/submit.md for the format."
        ) from error
    _check_seat(manifest, "describer", submission.describer, "describe")
    _check_seat(manifest, "generator", submission.generator, "render")
    if not _SLUG.fullmatch(slug):
        raise InputError(f"{manifest}: the folder's name {slug!r} cannot be used", _SLUG_HELP)
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


def _check_seat(manifest: Path, seat: str, spec: PlayerSpec, method: str) -> None:
    player = load("players", spec.player, f"{manifest}: {seat}.player")
    if not hasattr(player, method):
        raise InputError(
            f"{manifest}: {seat}.player: {spec.player} is no {seat}", "Swap the two, or name another player."
        )


def _read_yaml(manifest: Path) -> Any:
    try:
        with manifest.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(
            f"{manifest}: cannot be read ({error.strerror})", "Name a folder with a submission.yaml."
        ) from error
    if len(data) > MAX_BYTES:
        raise InputError(f"{manifest}: larger than {MAX_BYTES // 1024} KiB", "A manifest is short; shorten it.")
    try:
        document = yaml.load(data, Loader=_StrictLoader)  # noqa: S506 - a SafeLoader made stricter
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{manifest}:{line}: not valid YAML ({error.problem})", "Mend this line.") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{manifest}: not valid YAML ({type(error).__name__})", "Save it as UTF-8 YAML.") from error
    if not isinstance(document, dict):
        raise InputError(f"{manifest}: not a mapping of keys to values", "See docs/submit.md for the format.")
    return document
