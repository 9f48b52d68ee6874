"""The contents of an instance set, counted and measured: as data, as a table, as a contact sheet; two sets compared.

Statistics are measures of difficulty by category and difficulty, and near-duplicates. The measures tell how hard a
picture is to describe: elements, edges, text, colours; and its likeness to others. They are taken from the picture and
from its scene alone, whoever drew it, so that *easy* and *hard* can be checked instead of declared.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from ircore.core.drawing import Drawing
from ircore.core.errors import InputError
from ircore.core.images import Picture, Pixels
from ircore.core.records import DIFFICULTIES, Instance, Scene
from ircore.instances.benchmark import list_versions_of_set
from ircore.instances.store import InstanceSet

THUMBNAIL = 160
"""Longest side of a picture on a sheet, in pixels."""

GAP, CAPTION, COLUMNS = 10, 18, 10

EDGE_STEP = 32
"""Difference of two neighbours' luma, of 255, from which a pixel lies on an edge."""

COLOUR_BITS = 4
"""Bits of each channel that tell colours apart: shades that differ by less than 16 levels count once."""

COLOUR_SHARE = 0.001
"""Share of the pixels that a colour needs, so that the blurred rims of lines count no colours."""

HASH_SIDE = 8
NEAR = 3
"""Bits of 64 in which the perceptual hashes of near-duplicates differ at most."""

_LUMA = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in luma (ITU-R BT.601)."""

HEADINGS = {
    "elements": "Elements",
    "text_density": "Letters per 10,000 px",
    "edge_density": "Pixels on edges (%)",
    "colours": "Colours",
}
"""Headings of the measures, with their units."""

_MEASURE_WIDTH = 24
"""Characters of a measure in a table for a terminal: easy and hard."""


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


@dataclass(frozen=True)
class Measures:
    """Measures of one picture.

    Attributes:
        elements: Elements of the scene; None without a scene.
        text_density: Written characters in 10,000 pixels; None without a scene.
        edge_density: Share of the pixels that lie on an edge, 0–1.
        colours: Colours that cover a thousandth of the picture or more.
    """

    elements: int | None
    text_density: float | None
    edge_density: float
    colours: int


MEASURES = tuple(field.name for field in fields(Measures))
"""Names of the measures."""


def measure_picture(pixels: Pixels, scene: Scene | None) -> Measures:
    """Return the measures of a picture.

    Args:
        pixels: Height × width × 3, 0–255.
        scene: What was drawn, if that is known.
    """
    area = pixels.shape[0] * pixels.shape[1]
    letters = None if scene is None else sum(len(element.text or "") for element in scene.elements)
    return Measures(
        elements=None if scene is None else len(scene.elements),
        text_density=None if letters is None else letters * 10_000 / area,
        edge_density=measure_edge_density(pixels),
        colours=count_colours(pixels),
    )


def measure_edge_density(pixels: Pixels) -> float:
    """Return the share of pixels whose luma differs by ``EDGE_STEP`` or more from the pixel to the right or below.

    >>> half_black = np.zeros((10, 10, 3), np.uint8)
    >>> half_black[:, 5:] = 255
    >>> measure_edge_density(half_black)  # one of ten columns
    0.1
    """
    luma = _compute_luma(pixels)
    edges = np.zeros(luma.shape, dtype=bool)
    edges[:, :-1] |= np.abs(np.diff(luma, axis=1)) >= EDGE_STEP
    edges[:-1] |= np.abs(np.diff(luma, axis=0)) >= EDGE_STEP
    return float(edges.mean())


def count_colours(pixels: Pixels) -> int:
    """Return how many colours, of ``COLOUR_BITS`` a channel, cover ``COLOUR_SHARE`` of a picture or more."""
    # Eight bits would overflow when the channels are packed into one code.
    levels = (pixels >> (8 - COLOUR_BITS)).astype(np.uint32)
    codes = (levels[..., 0] << 2 * COLOUR_BITS) | (levels[..., 1] << COLOUR_BITS) | levels[..., 2]
    counts = np.bincount(codes.ravel(), minlength=1 << 3 * COLOUR_BITS)
    return int((counts >= COLOUR_SHARE * codes.size).sum())


def compute_perceptual_hash(pixels: Pixels) -> int:
    """Return a 64-bit difference hash: which of two neighbours in a picture of 9 × 8 grey cells is brighter.

    Pictures whose hashes differ in few bits look alike, whatever their size (N. Krawetz, *Kind of Like That*, 2013).
    """
    from PIL import Image

    # One column more than the hash: each bit compares two neighbours.
    small = Image.fromarray(np.asarray(pixels)).convert("L").resize((HASH_SIDE + 1, HASH_SIDE), Image.Resampling.BOX)
    # Grey cells alone: pictures that differ in colour only count as alike.
    grey = np.asarray(small, dtype=np.int16)
    bits = (grey[:, 1:] > grey[:, :-1]).ravel()
    return int("".join("1" if bit else "0" for bit in bits), 2)


def find_near_duplicates(hashes: Mapping[str, int], most: int = NEAR) -> list[tuple[str, str]]:
    """Return the pairs of names whose hashes differ in at most ``most`` bits, in the order of the names given.

    >>> find_near_duplicates({"a": 0b1111, "b": 0b1110, "c": 0}, most=1)
    [('a', 'b')]
    """
    pairs = combinations(hashes.items(), 2)
    return [(name, other) for (name, own), (other, its_hash) in pairs if (own ^ its_hash).bit_count() <= most]


def compute_mean(values: Iterable[float]) -> float | None:
    """Return the arithmetic mean; None without values."""
    numbers = list(values)
    return float(np.mean(numbers)) if numbers else None


@dataclass(frozen=True)
class SetStatistics:
    """Statistics of an instance set.

    >>> from pathlib import Path
    >>> from ircore.instances.store import read_instances
    >>> statistics = measure_set(read_instances(Path("targets")))
    >>> len(statistics.measures), statistics.mean_of("simple_shapes", "easy", "elements") > 0
    (2, True)

    Attributes:
        identity: SHA-256 of the set's index.
        instances: The instances, in the set's order.
        measures: Measures by the instance's id.
        duplicates: Pairs of ids whose pictures are nearly alike.
    """

    identity: str
    instances: Sequence[Instance]
    measures: dict[str, Measures]
    duplicates: list[tuple[str, str]]

    @property
    def categories(self) -> tuple[str, ...]:
        """Categories in the set's order."""
        return tuple(dict.fromkeys(instance.category for instance in self.instances))

    def mean_of(self, category: str, difficulty: str, name: str) -> float | None:
        """Return the mean of a measure over a condition; None where no instance of the condition has the measure."""
        condition = (
            self.measures[instance.instance_id]
            for instance in self.instances
            if (instance.category, instance.difficulty) == (category, difficulty)
        )
        return compute_mean(value for measures in condition if (value := getattr(measures, name)) is not None)

    def not_rising(self) -> list[tuple[str, str]]:
        """Return category and measure where hard targets do not measure more than easy ones, colours left out."""
        pairs = ((category, name) for category in self.categories for name in MEASURES if name != "colours")
        return [pair for pair in pairs if self._is_falling(*pair)]

    def _is_falling(self, category: str, name: str) -> bool:
        easy, hard = (self.mean_of(category, difficulty, name) for difficulty in DIFFICULTIES)
        # Twice zero is no fall: pictures without letters have none in either condition.
        return easy is not None and hard is not None and hard <= easy and bool(easy or hard)


def measure_set(instances: InstanceSet) -> SetStatistics:
    """Measure every picture of a set, each checked against its hash.

    Raises:
        InputError: A picture is missing or not the one that the set was made with.
    """
    measures, hashes = {}, {}
    for instance in instances.instances:
        pixels = instances.picture(instance, "target").pixels
        measures[instance.instance_id] = measure_picture(pixels, instance.scene)
        hashes[instance.instance_id] = compute_perceptual_hash(pixels)
    return SetStatistics(instances.identity, instances.instances, measures, find_near_duplicates(hashes))


def build_statistics_document(statistics: SetStatistics) -> dict[str, Any]:
    """Return the statistics as a JSON document."""
    return {
        "identity": statistics.identity,
        "instances": {name: asdict(measures) for name, measures in statistics.measures.items()},
        "conditions": [
            {"category": category, "difficulty": difficulty}
            | {name: statistics.mean_of(category, difficulty, name) for name in MEASURES}
            for category, difficulty in product(statistics.categories, DIFFICULTIES)
        ],
        "not_rising": [list(pair) for pair in statistics.not_rising()],
        "near_duplicates": [list(pair) for pair in statistics.duplicates],
    }


def format_statistics(statistics: SetStatistics, columns: int | None = None) -> str:
    """Return the means of every condition as lines for a terminal, easy and hard side by side.

    Args:
        statistics: Of a set.
        columns: Characters of a line, by which the measures are cut into tables below each other; None for one table.
    """
    wide = max(len("category"), *map(len, statistics.categories))
    together = len(MEASURES) if columns is None else max(1, (columns - wide) // _MEASURE_WIDTH)
    tables = [
        _format_measures(statistics, MEASURES[start : start + together], wide)
        for start in range(0, len(MEASURES), together)
    ]
    return "\n\n".join([*tables, "\n".join(list_findings(statistics))])


def list_findings(statistics: SetStatistics) -> Iterator[str]:
    """Yield a sentence for each thing that a maintainer should look at."""
    for category, name in statistics.not_rising():
        yield f"{category}: {HEADINGS[name].lower()} do not rise from easy to hard"
    for first, second in statistics.duplicates:
        yield f"{first} and {second} look nearly alike"
    if not statistics.not_rising():
        yield "every measure rises from easy to hard in every category that has both"


def format_mean(name: str, value: float | None) -> str:
    """Return a mean as people read it; a dash where it is unknown."""
    if value is None:
        return "–"
    return f"{100 * value:.1f}" if name == "edge_density" else f"{value:.1f}"


def render_statistics_page(statistics: SetStatistics) -> str:
    """Return the statistics as a page that stands alone: no script, nothing fetched, light and dark."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("ircore.instances", ""), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["mean"] = format_mean
    return environment.get_template("statistics.html.j2").render(
        identity=statistics.identity[:12],
        count=len(statistics.instances),
        findings=list(list_findings(statistics)),
        figures=[_build_figure(statistics, name) for name in MEASURES],
        pictures={
            instance.instance_id: asdict(statistics.measures[instance.instance_id]) for instance in statistics.instances
        },
    )


def _list_sizes(instance: Instance) -> list[tuple[int, int]]:
    return [(picture.width, picture.height) for picture in instance.pictures.values()]


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


def _find_changed_fields(before: dict[str, object], after: dict[str, object]) -> tuple[str, ...]:
    names = dict.fromkeys([*before, *after])
    return tuple(name for name in names if before.get(name) != after.get(name))


def _compute_luma(pixels: Pixels) -> npt.NDArray[np.float64]:
    luma: npt.NDArray[np.float64] = pixels.astype(np.float64) @ np.array(_LUMA)
    return luma


def _format_measures(statistics: SetStatistics, names: Sequence[str], wide: int) -> str:
    """Return a table of some measures: a row a category, easy and hard of each measure side by side."""
    head = f"{'category':<{wide}}" + "".join(f"{HEADINGS[name]:>{_MEASURE_WIDTH}}" for name in names)
    rows = [head, f"{'':<{wide}}" + f"{'easy':>15}{'hard':>9}" * len(names), "─" * len(head)]
    for category in statistics.categories:
        means = ((name, statistics.mean_of(category, level, name)) for name in names for level in DIFFICULTIES)
        words = [format_mean(name, mean) for name, mean in means]
        rows.append(f"{category:<{wide}}" + "".join(f"{word:>{9 if at % 2 else 15}}" for at, word in enumerate(words)))
    return "\n".join(rows)


def _build_figure(statistics: SetStatistics, name: str) -> dict[str, Any]:
    """Return the figure of one measure: two bars for each category, drawn to one scale."""
    means = {
        category: {level: statistics.mean_of(category, level, name) for level in DIFFICULTIES}
        for category in statistics.categories
    }
    known = [mean for levels in means.values() for mean in levels.values() if mean is not None]
    # The 1 guards the division where every mean is zero.
    return {"name": name, "heading": HEADINGS[name], "means": means, "most": max(known, default=0) or 1}
