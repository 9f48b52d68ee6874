"""Pages about judges: held against people, each judge's card with its test, and image metrics beside judges.

What the judge of facts is worth is measured against people, and against a second witness of the same facts. Boards say
where a judge failed the judge test. How image metrics agree with judges, people and the verified share is the question
RQ 4 of ConvGenVisMo.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ircore.core.score_records import HUMAN, VERIFIED
from ircore.results.image_metrics import describe_metric
from ircore.results.model import Results
from ircore.results.tables.fact_tables import witnesses_table
from ircore.results.tables.judges import metric_agreement_table, people_table
from ircore.results.tables.model import Table, Value
from ircore.results.tables.pairs import ALL
from ircore.runs.folder import RunFolder
from ircore.scorers.judge_test.card import PASSING, format_percent, render_card
from leaderboard.model.site import Page, Site
from leaderboard.pages.board_views import metric_path
from leaderboard.words import judge_name

PATH = "people"
"""Path of the page, without suffix."""

TITLE = "Judges held against people"

FOLDER = "judges"
"""Folder of the pages, relative to the site's root."""

METRICS_PATH = "metric-agreement"
"""Path of the page, without suffix."""

CHARTS = ("metric-correlations", "metric-preferences")
"""Ids of its figures."""


def build_people_page(site: Site) -> Page:
    """Return the page."""
    return Page(
        PATH, TITLE, "people", searchable=True, later=partial(_collect_values, site), found_by="ratings agreement"
    )


def read_studies(runs: Sequence[Path]) -> tuple[Results, ...]:
    """Return the results of runs that people rated for a study, such as the battery of a judge test.

    Raises:
        InputError: A folder is no run of reconstruction, or is damaged.
    """
    return tuple(Results.from_runs([RunFolder(path)]) for path in runs)


def build_card_pages(site: Site) -> Iterator[Page]:
    """Yield the page of each judge's card."""
    for name, card in site.cards.items():
        body = Markup(render_card(card))  # noqa: S704 - every word of it is escaped there
        heading = f"Judge test: {judge_name(name)}"
        yield Page(card_path(name), heading, "judge_card", {"heading": heading, "body": body})


def card_path(judge: str) -> str:
    """Return where a judge's card stands, without suffix."""
    return f"{FOLDER}/{judge}"


def build_card_notes(site: Site, judge: str) -> dict[str, Any]:
    """Return the judge's test result for a board: page, share of correctly ordered pairs, passed or not."""
    card = site.cards.get(judge)
    # A card without a share of ordered pairs neither passes nor fails, so the board says nothing about the judge.
    if card is None or card.quoted_share is None:
        return {"card": None}
    share, least = format_percent(card.quoted_share, 1), format_percent(PASSING)
    pairs = "pairs of pictures by other drawers" if card.foreign else "ordered pairs of edits"
    return {"card": {"path": card_path(judge), "share": share, "passed": card.passed, "least": least, "pairs": pairs}}


def build_metric_agreement_page(site: Site) -> Page:
    """Return the page: figures, every number with its interval, and the boards of the metrics."""
    boards = [(describe_metric(metric).title, metric_path(metric)) for metric in site.results.metrics]
    values = {"charts": CHARTS, "boards": boards}
    return Page(
        METRICS_PATH,
        "How metrics agree",
        "metric_agreement",
        values,
        searchable=True,
        later=partial(_collect_metric_values, site),
        found_by="",
    )


def _collect_values(site: Site) -> Mapping[str, Any]:
    rated = [results for results in (site.results, *site.studies) if HUMAN in results.judges]
    tables = [people_table(results) for results in rated]
    witnesses = witnesses_table(site.results)
    return {
        "tables": [_move_first(table, "judge", VERIFIED) for table in tables if table.rows],
        "sentences": [sentence for table in tables if (sentence := _describe_agreement(table))],
        "witnesses": _select_totals(witnesses) if witnesses.rows else None,
    }


def _move_first(table: Table, key: str, name: str) -> Table:
    """Return a table with the rows of one judge first."""
    place = [column.key for column in table.columns].index(key)
    return replace(table, rows=tuple(sorted(table.rows, key=lambda row: row[place].value != name)))


def _select_totals(table: Table) -> Table:
    """Return the rows over all categories, or over all kinds of facts; the rest is in the files of results."""
    return replace(table, rows=tuple(row for row in table.rows if ALL in (row[1].value, row[2].value)))


def _describe_agreement(table: Table) -> str:
    """Say in a sentence how far ``verified`` follows people; empty if people rated nothing that it rated."""
    keys = [column.key for column in table.columns]
    for row in table.rows:
        entry = dict(zip(keys, row, strict=True))
        if (entry["judge"].value, entry["category"].value) == (VERIFIED, ALL):
            count = entry["people"].value
            people = "1 person" if count == 1 else f"{count} people"
            return (
                f"On {entry['renderings'].value} renderings that {people} rated, verified "
                f"follows people with r = {_format_number(entry['pearson'])} and weighted κ = "
                f"{_format_number(entry['kappa'])}; "
                f"the mean of its scores less theirs is {_format_number(entry['bias'], '+')} points."
            )
    return ""


def _format_number(value: Value, sign: str = "") -> str:
    if not isinstance(value.value, float):
        return f"– ({value.missing})"
    interval = "" if value.low is None else f" ({value.low:{sign}.2f} to {value.high:{sign}.2f})"
    return f"{value.value:{sign}.2f}{interval}".replace("-", "−")


def _collect_metric_values(site: Site) -> Mapping[str, Any]:
    return {"table": metric_agreement_table(site.results)}
