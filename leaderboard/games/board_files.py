"""The files of all boards of other games: CSV and JSON, of each game, and of all games for a site of these alone."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from ircore.results.tables.board import board_table, measure_column
from ircore.results.tables.formats import escape_formula, format_csv, format_units, list_flat_records, list_flat_units
from leaderboard.model.section import GameSection
from leaderboard.pages.board_views import label_rules

_COLUMNS = (
    "game", "run_id", "submission", "measure", "mean", "low", "high", "n", "unit", "category", "difficulty",
    "instance_set", "rules", "ircore",
)  # fmt: skip


def build_games_board_files(sections: Sequence[GameSection]) -> Iterator[tuple[str, str]]:
    """Yield ``games/NAME/board.csv`` and ``board.json`` of every game: path below the site's root, and text."""
    for section in sections:
        table = board_table(section.results, section.game.headline.key)
        source, units = section.source, list_flat_units(table)
        yield section.board_files[0], format_csv(table, {**source, "units": format_units(units)})
        rows = ",\n".join(_dump_json(row) for row in list_flat_records(table))
        words = {rules.key: label_rules(section, rules) for rules in section.rule_sets}
        head = _dump_json({**source, "units": units, "rule_words": words}).removesuffix("}")
        yield section.board_files[1], f'{head}, "rows": [\n{rows}\n]}}\n'


def build_only_games_files(sections: Sequence[GameSection], paths: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the files of all boards for a site without reconstruction: a row for each run and measure of each game.

    Args:
        sections: Games that have results.
        paths: Where the CSV and the JSON file stand, below the site's root.
    """
    rows = [row for section in sections for row in _list_rows(section)]
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS)
    writer.writeheader()
    writer.writerows({name: escape_formula(value) for name, value in row.items()} for row in rows)
    yield paths[0], text.getvalue()
    lines = ",\n".join(_dump_json(row) for row in rows)
    yield paths[1], f'{{"rows": [\n{lines}\n]}}\n'


def _list_rows(section: GameSection) -> Iterator[dict[str, Any]]:
    for pair in section.ranked:
        for declared in section.game.measures:
            mean = section.mean(pair, declared)
            yield {
                "game": section.game.name,
                "run_id": pair.run_id,
                "submission": pair.result.slug,
                "measure": declared.key,
                "mean": mean.mean,
                "low": mean.low,
                "high": mean.high,
                "n": mean.n,
                "unit": measure_column(declared).unit,
                "rules": pair.result.rules.key,
                **section.source,
            }


def _dump_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
