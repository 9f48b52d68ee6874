"""Content of a set's targets, counted from their scenes, and what is known of them beside scores."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean

from ircore.core.records import Scene, collect_measures
from ircore.games.base import list_messages
from ircore.results.arrays import select_condition
from ircore.results.episodes import average_final_scores
from ircore.results.model import Results
from ircore.results.statistics.agreement import spearman
from ircore.results.tables.judges import build_agreement_value
from ircore.results.tables.model import Column, Selection, Table, Value
from ircore.results.tables.pairs import format_caption, pair_columns, pair_values

_NO_SCENE = "a photograph has no scene"
_GROUND = frozenset({"background", "grid_line", "gridline", "panel", "patch"})
"""Element types that lie behind a figure and do not add to its content."""


def targets_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the number of targets of each condition and their contents, a row for each condition."""
    messages = _measure_first_messages(results)
    columns = (
        Column("category", "category", "Kind of picture.", digits=None),
        Column("difficulty", "difficulty", "easy or hard.", digits=None),
        Column("targets", "targets", "Pictures of this condition.", digits=0),
        Column("elements", "elements", "Drawn things a picture but grounds and grids, mean.", digits=1, nullable=True),
        Column("fewest", "fewest", "Of these in one picture.", digits=0, nullable=True),
        Column("most", "most", "Of these in one picture.", digits=0, nullable=True),
        Column("texts", "texts", "Written labels and numbers a picture, mean.", digits=1, nullable=True),
        Column("smallest", "smallest text", "Font size of the smallest text of all.", "px", digits=0, nullable=True),
        Column("colours", "colours", "Different colours of drawn things a picture, mean.", digits=1, nullable=True),
        Column("tokens", "first message", "Tokens that describers took for the first message, mean.", "tokens",
               digits=0, nullable=True),
    )  # fmt: skip
    rows = [
        (Value(name), Value(level), *_count_contents(results, name, level, messages.get((name, level), [])))
        for name, level in product(results.categories, results.difficulties)
        if category in (None, name) and difficulty in (None, level)
    ]
    words = format_caption(results, None, category, difficulty)
    counted = tuple(row for row in rows if row[2].value)
    spare = ("fewest", "most", "smallest", "colours", "texts", "tokens")
    return Table("targets", "What the targets show", words, columns, counted, spare=spare)


def _count_contents(results: Results, category: str, difficulty: str, tokens: Sequence[int]) -> tuple[Value, ...]:
    chosen = [
        instance for instance in results.instances if (instance.category, instance.difficulty) == (category, difficulty)
    ]
    scenes = [instance.scene for instance in chosen if instance.scene is not None]
    sizes = [sum(element.type not in _GROUND for element in scene.elements) for scene in scenes]
    texts = [[element for element in scene.elements if element.text is not None] for scene in scenes]
    # Parameters of a scene are of any JSON type, and a size may be written as a text.
    fonts = [
        float(str(element.parameters["size"])) for labels in texts for element in labels if "size" in element.parameters
    ]
    behind = Selection(tuple(results.episodes), "ended", category, difficulty)
    return (
        Value(len(chosen)),
        _average_values(sizes),
        Value.or_missing(min(sizes, default=None), _NO_SCENE),
        Value.or_missing(max(sizes, default=None), _NO_SCENE),
        _average_values([len(labels) for labels in texts]),
        Value.or_missing(min(fonts, default=None), "no texts" if scenes else _NO_SCENE),
        _average_values([len(_list_colours(scene)) for scene in scenes]),
        Value(fmean(tokens), n=len(tokens), episodes=behind) if tokens else Value(None, missing="not played yet"),
    )


def _average_values(values: list[int]) -> Value:
    return Value(fmean(values), n=len(values)) if values else Value(None, missing=_NO_SCENE)


def _list_colours(scene: Scene) -> set[str]:
    return {element.colour for element in scene.elements if element.colour and element.type not in _GROUND}


def _measure_first_messages(results: Results) -> dict[tuple[str, str], list[int]]:
    """Return the length of the first message of every episode, by category and difficulty."""
    tokens_by_condition: dict[tuple[str, str], list[int]] = {}
    for episode in (result.episode for episodes in results.episodes.values() for result in episodes):
        messages = list_messages(results.game, episode)
        if messages and messages[0].tokens is not None:
            tokens_by_condition.setdefault((episode.category, episode.difficulty), []).append(messages[0].tokens)
    return tokens_by_condition


NOTES = (
    "Spearman's ρ of final score and measure over the targets of a pair, unplayed episodes left out. snd is shape "
    "naming divergence: 0 where all people use the same words for a picture, 1 where no two share a word.",
)
NO_MEASURES = "No target of this set has measures; `ircore instances import tangrams` makes sets that have."


def measures_table(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return how the scores of each pair go with each measure of the targets, a row a pair, judge and measure."""
    columns = (
        *pair_columns(results),
        Column("judge", "judge", "Whose scores.", digits=None),
        Column("measure", "measure", "Number known of the targets, as the instance set records it.", digits=None),
        Column("spearman", "Spearman ρ", "Of final score and measure.", "", estimated=True),
    )
    targets = {
        instance.instance_id: measures
        for instance in select_condition(results.instances, category, difficulty)
        if (measures := collect_measures(instance))
    }
    rows = tuple(_build_rows(results, targets))
    words = format_caption(results, None, category, difficulty)
    return Table("measures", "Scores beside measures", words, columns, rows, NOTES if rows else (NO_MEASURES,))


def _build_rows(results: Results, targets: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[Value, ...]]:
    names = sorted({name for measures in targets.values() for name in measures})
    for run_id, who in pair_values(results).items():
        for judge in results.judges:
            final = average_final_scores(results.episodes[run_id], judge)
            for name in names:
                known = [instance for instance in targets if instance in final and name in targets[instance]]
                scores = [final[instance] for instance in known]
                measured = [targets[instance][name] for instance in known]
                yield (*who, Value(judge), Value(name), build_agreement_value(spearman(scores, measured, known)))
