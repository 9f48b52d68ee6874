"""Differences between two instance sets, by instance: added, removed, and which fields of the others changed."""

from dataclasses import dataclass

from ircore.core.errors import InputError
from ircore.instances.store import InstanceSet


@dataclass(frozen=True)
class SetDifference:
    """Differences from one instance set to another.

    >>> difference = SetDifference(added=("b",), removed=(), changed={"a": ("difficulty",)}, same=3)
    >>> difference.lines()
    ['added    b', 'changed  a: difficulty', '1 added, 0 removed, 1 changed, 3 the same']

    Attributes:
        added: Ids that only the second set has.
        removed: Ids that only the first set has.
        changed: For each id whose record differs, the fields that differ; ``sha256`` means another picture.
        same: Number of instances that are alike in every field.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: dict[str, tuple[str, ...]]
    same: int

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def lines(self) -> list[str]:
        """Return a line for each difference, and a last line with the counts."""
        counts = ((self.added, "added"), (self.removed, "removed"), (self.changed, "changed"))
        return [
            *(f"added    {name}" for name in self.added),
            *(f"removed  {name}" for name in self.removed),
            *(f"changed  {name}: {', '.join(names)}" for name, names in self.changed.items()),
            ", ".join(f"{len(names)} {word}" for names, word in counts) + f", {self.same} the same",
        ]


def compare_sets(first: InstanceSet, second: InstanceSet) -> SetDifference:
    """Compare two sets of one game, instance by instance; pictures are compared by their hashes.

    Raises:
        InputError: The sets are of different games.
    """
    if first.game != second.game:
        raise InputError(
            f"{second.folder} is a set of the game {second.game}, {first.folder} a set of {first.game}",
            "Compare two sets of one game.",
        )
    before = {instance.instance_id: instance for instance in first.instances}
    after = {instance.instance_id: instance for instance in second.instances}
    both = [name for name in before if name in after]
    fields = {name: _changed_fields(before[name].model_dump(), after[name].model_dump()) for name in both}
    changed = {name: names for name, names in fields.items() if names}
    return SetDifference(
        added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after),
        changed=changed,
        same=len(both) - len(changed),
    )


def _changed_fields(before: dict[str, object], after: dict[str, object]) -> tuple[str, ...]:
    names = dict.fromkeys([*before, *after])
    return tuple(name for name in names if before.get(name) != after.get(name))
