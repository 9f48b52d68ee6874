"""The files for readers of a release: card, datasheet, licences and the pictures in them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dataset_card.card import code as card_code
from dataset_card.card import statements as card_statements
from dataset_card.card.episode_picture import Example, draw_episode
from dataset_card.card.maintainer_texts import CARD, DATASHEET, MaintainerTexts, blocks
from dataset_card.card.metadata import PAPER, TITLE, front_matter, licences_of
from dataset_card.card.pictures import alternative_text, draw_scores, draw_targets
from dataset_card.card.verification import RunVerification, Verification
from dataset_card.markdown import Markdown, render
from dataset_card.tables.parquet import Written
from dataset_card.tables.rows import ReleaseSource
from dataset_card.tables.schema import Column
from ircore.core.score_records import HUMAN, JudgeKind
from ircore.results.model import BoardRow, Results
from ircore.results.subsets import by_rules

LICENCES = "LICENSE.md"
STRIP = "assets/episode.png"
TARGETS = "assets/targets.png"
SCORES = "assets/scores.png"

CARD_FILES = (CARD, DATASHEET, LICENCES, STRIP, TARGETS, SCORES)
"""What ``card_files`` makes."""


class SourceLicence(NamedTuple):
    """How many pictures of a set come from one source under one licence."""

    source: str
    licence: str
    pictures: int


class CategoryCounts(NamedTuple):
    """What there is of one category, counted over all runs."""

    category: str
    targets: tuple[int, ...]
    """By difficulty, in the order of the results."""

    episodes: int
    converged: int
    turn_limit: int
    aborted: int
    turns: int
    renderings: int


class JudgeBoard(NamedTuple):
    """The overall board of one judge, as the card shows it."""

    judge: str
    label: str
    rows: tuple[BoardRow, ...]
    alternative_text: str
    """Of the picture of its scores."""


@dataclass(frozen=True)
class CardFacts:
    """All that the card says.

    Attributes:
        source: What the release is made of.
        written: Sizes of the configs, in the order of ``CONFIGS``.
        example: The episode that the strip shows.
        name: Of the release, which is its tag on the Hub; None if it has none.
        maintainer_texts: Texts of the maintainers' sections.
        verification: What was computed again.
    """

    source: ReleaseSource
    written: Sequence[Written]
    example: Example
    name: str | None = None
    maintainer_texts: MaintainerTexts = field(default_factory=dict)
    verification: Verification = field(default_factory=Verification)


def card_files(facts: CardFacts) -> dict[str, bytes]:
    """Return the content of every file in ``CARD_FILES``; the same facts give the same bytes."""
    source = facts.source
    return {
        CARD: render_card(facts).encode(),
        DATASHEET: render_datasheet(facts).encode(),
        LICENCES: render_licences(source).encode(),
        STRIP: draw_episode(source, facts.example),
        TARGETS: draw_targets(source),
        SCORES: draw_scores(source.results, (*rating_judges(source.results), *source.results.judges)[0]),
    }


def render_card(facts: CardFacts) -> str:
    """Return the content of ``README.md``."""
    source = facts.source
    body = render(
        "README.md.j2",
        title=TITLE,
        pictures={"strip": STRIP, "targets": TARGETS, "scores": SCORES},
        code=card_code,
        place=card_code.PLACE,
        name=facts.name,
        example=facts.example,
        boards=list(_boards(source)),
        judges=[(judge, judge_label(source, judge)) for judge in source.results.judges],
        counts=[_counts(source, category) for category in source.results.categories],
        licences=source_licences(source),
        type_name=_type_name,
        maintainers=blocks(CARD, facts.maintainer_texts),
        verified=_verified(facts),
        **_common(facts),
    )
    return f"---\n{front_matter(source, facts.written)}---\n\n{body}"


def render_datasheet(facts: CardFacts) -> str:
    """Return the content of ``DATASHEET.md``."""
    days = sorted(run.run.started[:10] for run in facts.source.runs)
    return render(
        "DATASHEET.md.j2",
        first_day=days[0],
        last_day=days[-1],
        licence_names=sorted(licences_of(facts.source)),
        maintainers=blocks(DATASHEET, facts.maintainer_texts),
        **_common(facts),
    )


def render_licences(source: ReleaseSource) -> str:
    """Return the content of ``LICENSE.md``."""
    return render(
        "LICENSE.md.j2",
        licences=source_licences(source),
        submissions={(run.run.submission.name, run.run.submission.licence) for run in source.runs},
    )


def source_licences(source: ReleaseSource) -> list[SourceLicence]:
    """Count the pictures of each source and licence, the largest first."""
    counts = Counter((one.source, one.licence) for one in source.instances.instances)
    return [SourceLicence(*key, count) for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def rating_judges(results: Results) -> tuple[str, ...]:
    """Return the judges that rated any final rendering: people, models, formulas; of a kind who rated more pairs."""
    order: tuple[JudgeKind, ...] = ("human", "model", "computed")
    counts = {
        judge: sum(results.cell(one.run_id, judge).score.mean is not None for one in results.submissions)
        for judge in results.judges
    }
    rated = [judge for judge, count in counts.items() if count]
    return tuple(sorted(rated, key=lambda one: (order.index(_kind(results, one)), -counts[one], one)))


def _kind(results: Results, judge: str) -> JudgeKind:
    """Return what a judge's ratings come from; one of whom no run says so is a model, unless it is installed."""
    if judge == HUMAN:
        return "human"
    if judge in results.judge_identities:
        return results.judge_identities[judge].kind
    from ircore.core.plugins import available, load

    kind: JudgeKind = load("judges", judge).kind if judge in available("judges") else "model"
    return kind


def judge_label(source: ReleaseSource, judge: str) -> str:
    """Return what boards call a judge: as its identity says, else as the installed judge of that name calls itself."""
    from ircore.core.plugins import available, load

    if judge in source.results.judge_identities:
        return source.results.judge_identities[judge].label
    return str(load("judges", judge).label) if judge in available("judges") else judge


def _common(facts: CardFacts) -> dict[str, object]:
    """Return what card and datasheet both print."""
    source = facts.source
    return {
        "paper": PAPER,
        "said": card_statements,
        "statements": card_statements.statements(source),
        "results": source.results,
        "runs": [run.run for run in source.runs],
        "prompts": sorted({run.run.prompts for run in source.runs}),
        "versions": sorted({run.run.version for run in source.runs}),
        "tables": [(one.config, one.rows) for one in facts.written],
        "md": Markdown,
    }


def _verified(facts: CardFacts) -> list[tuple[str, RunVerification]]:
    """Return the runs of which anything was computed again, by the name of their pair, in the order of the boards."""
    verified = {run.run_id: run for run in facts.verification.runs}
    runs = [source_run.run for source_run in facts.source.runs]
    return [(run.submission.name, verified[run.run_id]) for run in runs if run.run_id in verified]


def _boards(source: ReleaseSource) -> Iterator[JudgeBoard]:
    parts = by_rules(source.results)
    for judge in rating_judges(source.results):
        label, rows = judge_label(source, judge), tuple(row for part in parts for row in part.board(judge))
        yield JudgeBoard(judge, label, rows, alternative_text(rows, label))


def _counts(source: ReleaseSource, category: str) -> CategoryCounts:
    results = source.results
    targets = Counter(str(one.difficulty) for one in results.instances if one.category == category)
    episodes = [one.episode for run in results.episodes.values() for one in run if one.episode.category == category]
    ends = Counter(one.outcome for one in episodes)
    return CategoryCounts(
        category,
        tuple(targets[name] for name in results.difficulties),
        len(episodes),
        ends["converged"],
        ends["turn_limit"],
        ends["aborted"],
        sum(len(one.turns) for one in episodes),
        sum(len(one.rendered_turns) for one in episodes),
    )


def _type_name(column: Column) -> str:
    name = {"image": "Image", "strings": "list of string"}.get(column.kind, column.kind)
    return f"{name}, may be null" if column.nullable else name
