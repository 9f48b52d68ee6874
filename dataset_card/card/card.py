"""The files for readers of a release: card, datasheet, licences and the pictures in them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dataset_card.card import code as card_code
from dataset_card.card import statements as card_statements
from dataset_card.card.episode_picture import Example, draw_episode
from dataset_card.card.maintainer_texts import CARD, DATASHEET, MaintainerTexts, build_sections
from dataset_card.card.metadata import PAPER, collect_licences, format_front_matter, format_title
from dataset_card.card.pictures import describe_chart, draw_scores, draw_targets
from dataset_card.card.verification import RunVerification, Verification
from dataset_card.markdown import Markdown, render
from dataset_card.tables.game_tables import GameTables
from dataset_card.tables.release_source import ReleaseSource
from dataset_card.tables.schema import name_transcripts
from dataset_card.tables.writing import Written
from ircore.core.errors import InputError
from ircore.core.plugins import load_plugin
from ircore.instances.store import describe_ways_to_get
from ircore.players.traits import describe_programs
from ircore.results.headline import sort_judges
from ircore.results.model import BoardRow
from ircore.results.subsets import split_by_rules
from ircore.results.tables.board import leaderboard_table
from ircore.results.tables.formats import list_flat_records
from ircore.results.tables.pairs import ALL

LICENCES = "LICENSE.md"
STRIP = "assets/episode.png"
TARGETS = "assets/targets.png"
SCORES = "assets/scores.png"

PICTURES = (STRIP, TARGETS, SCORES)
"""Pictures of a card, which a release has if reconstruction is among its games."""

MOST_ROWS = 10
"""Rows of a board on the card; the table ``leaderboard`` has all of them."""

CARD_FILES = (CARD, DATASHEET, LICENCES, *PICTURES)
"""Files that ``build_card_files`` makes."""


class SourceLicence(NamedTuple):
    """Number of pictures of a set from one source under one licence."""

    source: str
    licence: str
    pictures: int


class _CategoryCounts(NamedTuple):
    """Targets, episodes, turns and renderings of one category, counted over all runs."""

    category: str
    targets: tuple[int, ...]
    """Numbers of targets by difficulty, in the order of the results."""

    episodes: int
    converged: int
    turn_limit: int
    aborted: int
    turns: int
    renderings: int


class _JudgeBoard(NamedTuple):
    """The overall board of one judge, as the card shows it."""

    judge: str
    label: str
    rows: tuple[BoardRow, ...]
    alternative_text: str
    """Description of the chart of scores, for readers who cannot see the chart."""


class _GameSection(NamedTuple):
    """A game other than reconstruction, as the card shows it."""

    title: str
    paper: str | None
    headline: str
    seats: tuple[str, ...]
    """Seats that somebody took in at least one run."""

    table: str
    """Name of its transcripts."""

    code: str
    """Python that loads them."""

    instances: int
    board: tuple[dict[str, Any], ...]
    """Its boards over all conditions, a record a row."""


@dataclass(frozen=True)
class CardFacts:
    """Everything that the card is made from.

    Attributes:
        source: Games of the release.
        written: Sizes of its tables, in their order.
        example: The episode that the card opens with; None without reconstruction.
        name: Name of the release, which is also its tag on the Hub; None without a name.
        maintainer_texts: Texts of the maintainers' sections.
        verification: Values that were computed again.

    >>> from pathlib import Path
    >>> from dataset_card.card.episode_picture import choose_example
    >>> from dataset_card.checking.release_check import check_release
    >>> source = check_release(Path("release")).source
    >>> card = render_card(CardFacts(source, (), choose_example(source.lead)))
    >>> "# Image Reconstruction Game" in card
    True
    """

    source: ReleaseSource
    written: Sequence[Written]
    example: Example | None
    name: str | None = None
    maintainer_texts: MaintainerTexts = field(default_factory=dict)
    verification: Verification = field(default_factory=Verification)


def build_card_files(facts: CardFacts) -> dict[str, bytes]:
    """Return the content of the release's files in ``CARD_FILES``; the same facts give the same bytes."""
    texts = {CARD: render_card(facts), DATASHEET: render_datasheet(facts), LICENCES: render_licences(facts.source)}
    files = {name: text.encode() for name, text in texts.items()}
    source = facts.source.lead
    if source is None or facts.example is None:
        return files
    return files | {
        STRIP: draw_episode(source, facts.example),
        TARGETS: draw_targets(source),
        # A judge that only compares is not among the ordered judges, and may be the only judge.
        SCORES: draw_scores(source.results, (*sort_judges(source.results), *source.results.judges)[0]),
    }


def render_card(facts: CardFacts) -> str:
    """Return the content of ``README.md``."""
    source, verified = facts.source.lead, _list_verified(facts)
    values: dict[str, object] = {
        "title": format_title(facts.source),
        "code": card_code,
        "place": card_code.PLACE,
        "name": facts.name,
        "name_year": max(run.run.started[:4] for run in facts.source.runs),
        "programs": describe_programs(
            spec for run in facts.source.runs for spec in run.run.submission.players.values()
        ),
        "games": [_build_game_section(tables, facts.source) for tables in facts.source.others],
        "licences": count_source_licences(facts.source),
        "ways_to_get": describe_ways_to_get(facts.source.instances()),
        "submissions": _list_submissions(facts.source),
        "most_rows": MOST_ROWS,
        "maintainers": build_sections(CARD, facts.maintainer_texts),
        "verified": verified,
        "replayed_rules": next((run.rules for _, run in verified if run.rules), ()),
        **_collect_common_values(facts),
    }
    if source is None:
        body = render("GAMES.md.j2", **values)
    else:
        body = render("README.md.j2", **values, **_collect_lead_values(source), example=facts.example)
    return f"---\n{format_front_matter(facts.source, facts.written)}---\n\n{body}"


def _collect_lead_values(source: GameTables) -> dict[str, object]:
    """Return the values that only the card of a release with reconstruction prints."""
    return {
        "pictures": {"strip": STRIP, "targets": TARGETS, "scores": SCORES},
        "boards": list(_build_boards(source)),
        "judges": [(judge, judge_label(source, judge)) for judge in source.results.judges],
        "counts": [_count_category(source, category) for category in source.results.categories],
        "statements": card_statements.build_statements(source),
        "results": source.results,
        "runs": [run.run for run in source.runs],
        "rules_of": source.results.game.rules_of,
        "prompts": sorted({run.run.prompts for run in source.runs}),
    }


def _build_game_section(tables: GameTables, source: ReleaseSource) -> _GameSection:
    game, table = tables.game, name_transcripts(tables.name)
    several = sum(other.name == tables.name for other in source.games) > 1
    return _GameSection(
        f"{game.title}, set {tables.instances.identity[:8]}" if several else game.title,
        game.paper,
        game.headline.title,
        tuple(seat.name for seat in tables.results.seats),
        table,
        card_code.format_steps_code(table),
        len(tables.instances.instances),
        tuple(
            row
            for row in list_flat_records(leaderboard_table(tables.results))
            if row["category"] == row["difficulty"] == ALL
        ),
    )


def render_datasheet(facts: CardFacts) -> str:
    """Return the content of ``DATASHEET.md``; without reconstruction, its answers hold for any game."""
    source = facts.source.lead
    days = sorted(run.run.started[:10] for run in facts.source.runs)
    values = {
        "first_day": days[0],
        "last_day": days[-1],
        "licence_names": sorted(collect_licences(facts.source)),
        "maintainers": build_sections(DATASHEET, facts.maintainer_texts),
        **_collect_common_values(facts),
    }
    if source is not None:
        return render("DATASHEET.md.j2", **values, **_collect_lead_values(source))
    games = [_build_game_section(tables, facts.source) for tables in facts.source.others]
    prompts = sorted({run.run.prompts for run in facts.source.runs})
    return render("GAMES_DATASHEET.md.j2", **values, games=games, prompts=prompts)


def _list_submissions(source: ReleaseSource) -> set[tuple[str, str]]:
    """Return name and licence of every submission."""
    return {(run.run.submission.name, run.run.submission.licence) for run in source.runs}


def render_licences(source: ReleaseSource) -> str:
    """Return the content of ``LICENSE.md``."""
    return render(
        "LICENSE.md.j2",
        licences=count_source_licences(source),
        submissions=_list_submissions(source),
    )


def count_source_licences(source: ReleaseSource) -> list[SourceLicence]:
    """Count the instances of each source and licence, the largest number first."""
    counts = Counter((instance.source, instance.licence) for instance in source.instances())
    return [SourceLicence(*key, count) for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def judge_label(source: GameTables, judge: str) -> str:
    """Return the label of a judge on boards: from the judge's identity, else from the installed judge of that name."""
    if judge in source.results.judge_identities:
        return source.results.judge_identities[judge].label
    # Not every run states the identity of its judges, and a judge of other people may not be installed here, or sound.
    try:
        return str(load_plugin("judges", judge).label)
    except InputError:
        return judge


def _collect_common_values(facts: CardFacts) -> dict[str, object]:
    """Return the values that card and datasheet both print."""
    return {
        "paper": PAPER,
        "said": card_statements,
        "versions": sorted({run.run.version for run in facts.source.runs}),
        "tables": [(table.config, table.rows) for table in facts.written],
        "md": Markdown,
    }


def _list_verified(facts: CardFacts) -> list[tuple[str, RunVerification]]:
    """Return submission and verification of each verified run, in the order of the boards."""
    verified = {run.run_id: run for run in facts.verification.runs}
    runs = [source_run.run for source_run in facts.source.runs]
    return [(run.submission.name, verified[run.run_id]) for run in runs if run.run_id in verified]


def _build_boards(source: GameTables) -> Iterator[_JudgeBoard]:
    parts = split_by_rules(source.results)
    for judge in sort_judges(source.results):
        # Ranks hold among runs under the same rules, so each set of rules is ranked by itself.
        label, rows = judge_label(source, judge), tuple(row for part in parts for row in part.board(judge))
        yield _JudgeBoard(judge, label, rows, describe_chart(rows, label))


def _count_category(source: GameTables, category: str) -> _CategoryCounts:
    results = source.results
    targets = Counter(str(instance.difficulty) for instance in results.instances if instance.category == category)
    episodes = [
        result.episode for run in results.episodes.values() for result in run if result.episode.category == category
    ]
    ends = Counter(episode.outcome for episode in episodes)
    return _CategoryCounts(
        category,
        tuple(targets[name] for name in results.difficulties),
        len(episodes),
        ends["converged"],
        ends["turn_limit"],
        ends["aborted"],
        sum(len(episode.steps) for episode in episodes),
        sum(len(episode.renderings) for episode in episodes),
    )
