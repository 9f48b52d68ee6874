"""Reading a YAML file that people write: bounded, without aliases or tags, no key twice, errors with their line."""

from pathlib import Path
from typing import Any

import yaml

from ircore.errors import InputError

MAX_BYTES = 64 * 1024


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


def read_mapping(path: Path, if_missing: str, if_other: str) -> dict[Any, Any]:
    """Read a file that holds one mapping of keys to values.

    Args:
        path: The file.
        if_missing: What to do when it cannot be read.
        if_other: Where its format is described.

    Raises:
        InputError: It is missing, larger than ``MAX_BYTES``, not YAML, or not a mapping.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", if_missing) from error
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES // 1024} KiB", "Such a file is short; shorten it.")
    try:
        document = yaml.load(data, Loader=_StrictLoader)  # noqa: S506 - a SafeLoader made stricter
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{path}:{line}: not valid YAML ({error.problem})", "Mend this line.") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not valid YAML ({type(error).__name__})", "Save it as UTF-8 YAML.") from error
    if not isinstance(document, dict):
        raise InputError(f"{path}: not a mapping of keys to values", if_other)
    return document
