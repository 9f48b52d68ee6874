"""Statistics of an instance set: measures of difficulty by category and difficulty, and near-duplicates."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from itertools import product
from typing import Any

from ircore.core.records import DIFFICULTIES, Instance
from ircore.instances.measures import MEASURES, Measures, mean, measure, near_duplicates, perceptual_hash
from ircore.instances.store import InstanceSet

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
        return mean(value for measures in condition if (value := getattr(measures, name)) is not None)

    def not_rising(self) -> list[tuple[str, str]]:
        """Return category and measure where hard targets do not measure more than easy ones, colours left out."""
        pairs = ((category, name) for category in self.categories for name in MEASURES if name != "colours")
        return [pair for pair in pairs if self._falls(*pair)]

    def _falls(self, category: str, name: str) -> bool:
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
        measures[instance.instance_id] = measure(pixels, instance.scene)
        hashes[instance.instance_id] = perceptual_hash(pixels)
    return SetStatistics(instances.identity, instances.instances, measures, near_duplicates(hashes))


def as_document(statistics: SetStatistics) -> dict[str, Any]:
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


def as_text(statistics: SetStatistics, columns: int | None = None) -> str:
    """Return the means of every condition as lines for a terminal, easy and hard side by side.

    Args:
        statistics: Of a set.
        columns: Characters of a line, by which the measures are cut into tables below each other; None for one table.
    """
    wide = max(len("category"), *map(len, statistics.categories))
    together = len(MEASURES) if columns is None else max(1, (columns - wide) // _MEASURE_WIDTH)
    tables = [
        _measures(statistics, MEASURES[start : start + together], wide) for start in range(0, len(MEASURES), together)
    ]
    return "\n\n".join([*tables, "\n".join(findings(statistics))])


def _measures(statistics: SetStatistics, names: Sequence[str], wide: int) -> str:
    """Return a table of some measures: a row a category, easy and hard of each measure side by side."""
    head = f"{'category':<{wide}}" + "".join(f"{HEADINGS[name]:>{_MEASURE_WIDTH}}" for name in names)
    rows = [head, f"{'':<{wide}}" + f"{'easy':>15}{'hard':>9}" * len(names), "─" * len(head)]
    for category in statistics.categories:
        means = ((name, statistics.mean_of(category, level, name)) for name in names for level in DIFFICULTIES)
        words = [shown(name, mean) for name, mean in means]
        rows.append(f"{category:<{wide}}" + "".join(f"{word:>{9 if at % 2 else 15}}" for at, word in enumerate(words)))
    return "\n".join(rows)


def findings(statistics: SetStatistics) -> Iterator[str]:
    """Yield a sentence for each thing that a maintainer should look at."""
    for category, name in statistics.not_rising():
        yield f"{category}: {HEADINGS[name].lower()} do not rise from easy to hard"
    for first, second in statistics.duplicates:
        yield f"{first} and {second} look nearly alike"
    if not statistics.not_rising():
        yield "every measure rises from easy to hard in every category that has both"


def shown(name: str, value: float | None) -> str:
    """Return a mean as people read it; a dash where it is unknown."""
    if value is None:
        return "–"
    return f"{100 * value:.1f}" if name == "edge_density" else f"{value:.1f}"


def as_page(statistics: SetStatistics) -> str:
    """Return the statistics as a page that stands alone: no script, nothing fetched, light and dark."""
    template = (files("ircore.instances") / "statistics.html").read_text(encoding="utf-8")
    parts = {
        "IDENTITY": statistics.identity[:12],
        "COUNT": f"{len(statistics.instances):,}",
        # Names of categories come from a user's files and could hold markup.
        "FINDINGS": "".join(f"<li>{html.escape(line)}</li>" for line in findings(statistics)),
        "SECTIONS": "".join(_section(statistics, name) for name in MEASURES),
        "ROWS": "".join(_row(instance, statistics) for instance in statistics.instances),
    }
    for name, text in parts.items():
        template = template.replace(f"<!--{name}-->", text)
    return template


def _section(statistics: SetStatistics, name: str) -> str:
    """Return the figure of one measure: two bars for each category, drawn to one scale."""
    conditions = product(statistics.categories, DIFFICULTIES)
    means = {condition: statistics.mean_of(*condition, name) for condition in conditions}
    # The 1 guards the division where every mean is zero.
    most = max((value for value in means.values() if value is not None), default=0) or 1
    rows = "".join(
        f"<tr><th scope=row>{html.escape(category)}</th>"
        + "".join(f"<td>{_bar(level, name, means[category, level], most)}</td>" for level in DIFFICULTIES)
        + "</tr>"
        for category in statistics.categories
    )
    return (
        f"<section><h2>{HEADINGS[name]}</h2><table><thead><tr><th scope=col>Category</th>"
        f"<th scope=col>Easy</th><th scope=col>Hard</th></tr></thead><tbody>{rows}</tbody></table></section>"
    )


def _bar(level: str, name: str, value: float | None, most: float) -> str:
    if value is None:
        return "<span class=none>unknown</span>"
    width = 100 * value / most
    bar = f'<rect width="{width:.1f}" height="8" />'
    drawing = f'<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">{bar}</svg>'
    return f'<span class="bar {level}">{drawing}<span>{shown(name, value)}</span></span>'


def _row(instance: Instance, statistics: SetStatistics) -> str:
    measures = statistics.measures[instance.instance_id]
    cells = "".join(f"<td>{shown(name, getattr(measures, name))}</td>" for name in MEASURES)
    return f"<tr><th scope=row>{html.escape(instance.instance_id)}</th>{cells}</tr>"
