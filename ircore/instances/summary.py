"""Counting the contents of an instance set, as data, as a table and as a contact sheet; and comparing two sets."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from ircore.core.drawing import Drawing
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import DIFFICULTIES, Instance
from ircore.instances.benchmark import list_versions_of_set
from ircore.instances.store import InstanceSet

THUMBNAIL = 160
"""Longest side of a picture on a sheet, in pixels."""

GAP, CAPTION, COLUMNS = 10, 18, 10


@dataclass(frozen=True)
class Summary:
    """An instance set in numbers.

    >>> from pathlib import Path
    >>> from ircore.instances.store import read_instances
    >>> summary = summarise_set(read_instances(Path("targets")))
    >>> summary.instances, summary.sizes
    (2, {(512, 512): 2})

    Attributes:
        folder: Folder of the set.
        identity: SHA-256 of its index.
        conditions: Instances by category and difficulty, in the set's order.
        licences: Licences by category, with their counts, in the set's order.
        sizes: Pictures by width and height in pixels, most frequent first.
        size_bytes: Bytes of all picture files together.
        versions: Released versions of the benchmark that are played on this set.
    """

    folder: str
    identity: str
    conditions: dict[tuple[str, str], int]
    licences: dict[str, dict[str, int]]
    sizes: dict[tuple[int, int], int]
    size_bytes: int
    versions: tuple[str, ...] = ()

    @property
    def instances(self) -> int:
        """Number of instances."""
        return sum(self.conditions.values())


def summarise_set(instances: InstanceSet) -> Summary:
    """Count the contents of a set, checking every picture against its hash.

    Raises:
        InputError: A picture is missing or not the one that the set was made with.
    """
    size_bytes = sum(len(data) for _, data in instances.all_files())
    licences: dict[str, dict[str, int]] = {}
    for instance in instances.instances:
        counts = licences.setdefault(instance.category, {})
        counts[instance.licence] = counts.get(instance.licence, 0) + 1
    return Summary(
        folder=str(instances.folder),
        identity=instances.identity,
        conditions=dict(Counter((instance.category, instance.difficulty) for instance in instances.instances)),
        licences=licences,
        sizes=dict(Counter(size for instance in instances.instances for size in _list_sizes(instance)).most_common()),
        size_bytes=size_bytes,
        versions=list_versions_of_set(instances.identity),
    )


def _list_sizes(instance: Instance) -> list[tuple[int, int]]:
    return [(picture.width, picture.height) for picture in instance.pictures.values()]


def build_summary_document(summary: Summary) -> dict[str, Any]:
    """Return the summary as a JSON document."""
    return {
        "folder": summary.folder,
        "identity": summary.identity,
        "versions": list(summary.versions),
        "instances": summary.instances,
        "bytes": summary.size_bytes,
        "conditions": [
            {"category": category, "difficulty": difficulty, "instances": count}
            for (category, difficulty), count in summary.conditions.items()
        ],
        "sizes": [{"width": wide, "height": high, "instances": n} for (wide, high), n in summary.sizes.items()],
        "licences": summary.licences,
    }


def format_summary(summary: Summary) -> str:
    """Return the summary as lines for a terminal, categories down and difficulties across."""
    categories = list(summary.licences)
    wide = max(len("category"), *map(len, categories))
    head = f"{'category':<{wide}}" + "".join(f"{name:>7}" for name in (*DIFFICULTIES, "total")) + "   licence"
    rows = [head, "─" * len(head)]
    for category in categories:
        counts = [summary.conditions.get((category, difficulty), 0) for difficulty in DIFFICULTIES]
        licences = [licence.removeprefix("LicenseRef-") for licence in summary.licences[category]]
        rows.append(f"{category:<{wide}}{_format_counts(counts)}   {', '.join(licences)}")
    totals = [sum(n for key, n in summary.conditions.items() if key[1] == name) for name in DIFFICULTIES]
    rows += ["─" * len(head), f"{'total':<{wide}}{_format_counts(totals)}", ""]
    rows += [f"folder    {summary.folder}", f"identity  {summary.identity}", f"pictures  {_describe_pictures(summary)}"]
    if summary.versions:
        rows += ["", f"this is benchmark version {' and '.join(summary.versions)}"]
    return "\n".join(rows)


def _describe_pictures(summary: Summary) -> str:
    """Say how many pictures of which sizes a set has; a set of another game may be without pictures."""
    if not summary.sizes:
        return "none"
    (first, count), *others = summary.sizes.items()
    sizes = f"{count} of {first[0]} × {first[1]} px"
    if others:
        sizes += f", {sum(n for _, n in others)} of other sizes"
    return f"{sizes}; {summary.size_bytes / 1e6:.2g} MB; all match their hashes"


def _format_counts(counts: list[int]) -> str:
    return "".join(f"{count or '–':>7}" for count in [*counts, sum(counts)])


def draw_contact_sheet(instances: InstanceSet) -> Picture:
    """Return all pictures of a set in a grid under their ids, a new row for each condition."""
    from PIL import Image

    rows: list[list[int]] = []
    conditions = [(instance.category, instance.difficulty) for instance in instances.instances]
    for index, condition in enumerate(conditions):
        if not rows or conditions[rows[-1][0]] != condition or len(rows[-1]) == COLUMNS:
            rows.append([])
        rows[-1].append(index)
    across, down = THUMBNAIL + GAP, THUMBNAIL + GAP + CAPTION
    sheet = Drawing(GAP + across * max(map(len, rows)), GAP + down * len(rows), "#e8e8e8")
    for row, indices in enumerate(rows):
        for column, index in enumerate(indices):
            instance = instances.instances[index]
            left, top = GAP + column * across, GAP + row * down
            small = Image.fromarray(instances.picture(instance, "target").pixels)
            small.thumbnail((THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS)
            sheet.image.paste(small, (left, top))
            sheet.text((left, top + THUMBNAIL + 4), instance.instance_id, 11, "#202020", anchor="lt")
    return Picture.from_pixels(sheet.pixels)


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
    fields = {name: _find_changed_fields(before[name].model_dump(), after[name].model_dump()) for name in both}
    changed = {name: names for name, names in fields.items() if names}
    return SetDifference(
        added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after),
        changed=changed,
        same=len(both) - len(changed),
    )


def _find_changed_fields(before: dict[str, object], after: dict[str, object]) -> tuple[str, ...]:
    names = dict.fromkeys([*before, *after])
    return tuple(name for name in names if before.get(name) != after.get(name))
