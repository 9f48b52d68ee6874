"""The files for readers of a release: card, datasheet, licences, pictures, and the sections that maintainers write.

All text of a release is made from its data, and ``release check`` makes it again, except for the maintainers' sections
of card and datasheet. A section stands between two markers, each alone on a line; the next build takes its text over
from the previous release. What strangers wrote never begins a line of a card, so that it cannot open one. A section
holds plain paragraphs, lists and links: what could pass for a board or a heading of the card has no place in it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from dataset_card.card import code as card_code
from dataset_card.card import statements as card_statements
from dataset_card.card.pictures import CardEpisode, describe_chart, draw_episode, draw_scores, draw_targets
from dataset_card.card.statements import PAPER, collect_licences, format_front_matter, format_title
from dataset_card.card.verification import RunVerification, VerificationRecord
from dataset_card.markdown import Markdown, render
from dataset_card.tables.game_tables import GameTables, ReleaseSource
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

CARD = "README.md"
DATASHEET = "DATASHEET.md"

SECTIONS: Mapping[str, tuple[str, ...]] = {
    CARD: ("homepage", "repository", "doi", "acknowledgements", "funding", "contact"),
    DATASHEET: ("funding", "contact"),
}
"""The maintainers' sections of each file, in the order in which they stand there."""

MAX_CHARACTERS = 4000
"""Characters of one section."""

MAX_BYTES = 4 * 1024 * 1024
"""Bytes that are read of a file in search of maintainers' sections."""

MaintainerTexts = Mapping[tuple[str, str], tuple[str, ...]]
"""Lines of maintainers' sections by file and name; a section without an entry is empty."""

_REFUSED = (
    # Addresses in angle brackets are links in Markdown, and the only use of the bracket that stays.
    (re.compile(r"<(?!https://[^\s<>]+>|[\w.+-]+@[\w.-]+>)"), "HTML"),
    (re.compile(r"^\s{0,3}#"), "a heading"),
    (re.compile(r"^\s*(=+|-+)\s*$"), "the underline of a heading"),
    (re.compile(r"\|"), "a table"),
    (re.compile(r"```|~~~"), "a block of code"),
    (re.compile(r"!\["), "a picture"),
    (re.compile(r"^\s{0,3}\[[^\]]*\]:"), "the definition of a link"),
    (re.compile(r"\]\(\s*(?!https://|mailto:)"), "a link that is neither https nor mailto"),
)

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


def begin(name: str) -> str:
    """Return the line that opens a maintainers' section."""
    return f"<!-- begin of the maintainers' text: {name} -->"


def format_end_marker(name: str) -> str:
    """Return the line that closes a maintainers' section."""
    return f"<!-- end of the maintainers' text: {name} -->"


def build_sections(file: str, texts: MaintainerTexts) -> dict[str, Markdown]:
    """Return the maintainers' sections of a file with their markers, by name."""
    return {
        name: Markdown("\n".join((begin(name), *texts.get((file, name), ()), format_end_marker(name))))
        for name in SECTIONS[file]
    }


def find_texts(file: str, text: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the lines of the maintainers' sections of a file, left out where a marker is missing or repeated."""
    # splitlines would also cut at signs such as U+2028, which must be seen and refused as control characters.
    lines = text.split("\n")
    places = ((name, _place(lines, name)) for name in SECTIONS[file])
    return {(file, name): tuple(lines[at[0] + 1 : at[1]]) for name, at in places if at is not None}


def check_sections(file: str, text: str) -> Iterator[str]:
    """Yield the faults of the maintainers' sections of a file, a line each."""
    lines = text.split("\n")
    for name in SECTIONS[file]:
        place = _place(lines, name)
        if place is None:
            remedy = f"copy them from a newly built {file}"
            yield f"maintainers' section {name}: its two markers must each be there once; {remedy}"
            continue
        inside = lines[place[0] + 1 : place[1]]
        if (length := len("\n".join(inside))) > MAX_CHARACTERS:
            yield f"maintainers' section {name}: {length:,} characters, at most {MAX_CHARACTERS:,}; shorten it"
        for number, line in enumerate(inside, place[0] + 2):
            if refused := _find_refusal(line):
                remedy = "write plain paragraphs, lists and links"
                yield f"line {number}: {refused} in the maintainers' section {name}; {remedy}"


def read_maintainer_texts(release: Path) -> MaintainerTexts:
    """Return the maintainers' sections of a release.

    Raises:
        InputError: A section is not as it must be.
    """
    texts: dict[tuple[str, str], tuple[str, ...]] = {}
    for file in SECTIONS:
        path = release / file
        text = path.read_bytes()[:MAX_BYTES].decode(errors="replace") if path.is_file() else ""
        if fault := next(check_sections(file, text), None):
            raise InputError(
                f"{path}: {fault.partition(';')[0]}", "Mend it in the previous release, or leave it empty."
            )
        texts |= find_texts(file, text)
    return texts


def find_homepage(texts: MaintainerTexts) -> str | None:
    """Return the first address in the maintainers' section ``homepage``; None without any.

    >>> find_homepage({(CARD, "homepage"): ("- **Homepage:** [our page](https://example.org/game)",)})
    'https://example.org/game'
    """
    address = re.search(r"https://[^\s<>()]+", "\n".join(texts.get((CARD, "homepage"), ())))
    return None if address is None else address[0]


class SourceLicence(NamedTuple):
    """Number of pictures of a set from one source under one licence."""

    source: str
    licence: str
    pictures: int


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
    >>> from dataset_card.card.pictures import choose_example
    >>> from dataset_card.checking.release_check import check_release
    >>> source = check_release(Path("release")).source
    >>> card = render_card(CardFacts(source, (), choose_example(source.lead)))
    >>> "# Image Reconstruction Game" in card
    True
    """

    source: ReleaseSource
    written: Sequence[Written]
    example: CardEpisode | None
    name: str | None = None
    maintainer_texts: MaintainerTexts = field(default_factory=dict)
    verification: VerificationRecord = field(default_factory=VerificationRecord)


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


def _place(lines: list[str], name: str) -> tuple[int, int] | None:
    """Return the lines of both markers; None unless each occurs once, in order, with no other marker between."""
    if lines.count(begin(name)) != 1 or lines.count(format_end_marker(name)) != 1:
        return None
    first, last = lines.index(begin(name)), lines.index(format_end_marker(name))
    # Markers of every section count, so that no text can hold a section that a later build would take over.
    markers = {marker(other) for names in SECTIONS.values() for other in names for marker in (begin, format_end_marker)}
    return (first, last) if first < last and not markers & set(lines[first + 1 : last]) else None


def _find_refusal(line: str) -> str | None:
    # Some of these show a line in another order than programs read it.
    if any(not character.isprintable() for character in line):
        return "a control character"
    return next((description for pattern, description in _REFUSED if pattern.search(line)), None)


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
    method: tuple[str, ...]
    """How it is played, in paragraphs; empty if the game does not say."""

    sights: tuple[tuple[str, str, str], ...]
    """Of each seat that somebody took, its name, what it sees, and the kind of its answers."""

    step_word: str
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
        "rules_of": source.results.game.read_rules,
        "prompts": sorted({run.run.prompts for run in source.runs}),
    }


def _build_game_section(tables: GameTables, source: ReleaseSource) -> _GameSection:
    game, table = tables.game, name_transcripts(tables.name)
    several = sum(other.name == tables.name for other in source.games) > 1
    return _GameSection(
        f"{game.title}, set {tables.instances.identity[:8]}" if several else game.title,
        game.paper,
        tuple(" ".join(paragraph.split()) for paragraph in game.pages.method.split("\n\n") if paragraph.strip()),
        tuple((seat.name, seat.sees, seat.answers) for seat in tables.results.seats),
        game.step_word,
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


def _list_submissions(source: ReleaseSource) -> set[tuple[str, str]]:
    """Return name and licence of every submission."""
    return {(run.run.submission.name, run.run.submission.licence) for run in source.runs}


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
