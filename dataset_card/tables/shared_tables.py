"""Tables that several games share: the columns of all games side by side, null in rows of games without the column.

``load_dataset`` takes one set of columns for all files of a config, so a release of several games cannot keep a
narrower table for each of them. A release of one game has that game's columns and no others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dataset_card.tables.columns import Column, Config
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import GAME


def join_configs(games: Mapping[str, Sequence[Config]]) -> tuple[Config, ...]:
    """Return the tables of a release; tables of the same name are joined and have the columns of every game.

    Args:
        games: The tables of each game by its name, the default one of the first game first.
    """
    if len(games) == 1:
        return tuple(next(iter(games.values())))
    names = dict.fromkeys(config.name for configs in games.values() for config in configs)
    # Each game names a default table, and a release has one: that of the first game.
    default = next(config.name for configs in games.values() for config in configs if config.default)
    joined = (
        _join({game: own for game, configs in games.items() for own in configs if own.name == name}) for name in names
    )
    return tuple(replace(config, default=config.name == default) for config in joined)


def fill_row(config: Config, game_config: Config, row: Row) -> Row:
    """Return a game's row as a row of the joined table.

    Args:
        config: The joined table.
        game_config: The table as the game alone would have it.
        row: A value for each column of ``game_config``.
    """
    if config.columns == game_config.columns:
        return row
    empty: Row = dict.fromkeys(column.name for column in config.columns)
    kinds = _kinds(config.columns)
    return empty | {_joined_name(kinds, column): row[column.name] for column in game_config.columns}


def foreign_columns(config: Config, game_config: Config) -> tuple[str, ...]:
    """Return the columns of a joined table that rows of a game leave null."""
    kinds = _kinds(config.columns)
    names = {_joined_name(kinds, column) for column in game_config.columns}
    return tuple(column.name for column in config.columns if column.name not in names)


def _join(configs: Mapping[str, Config]) -> Config:
    columns: dict[str, Column] = {}
    for game, config in configs.items():
        for column in config.columns:
            name = _joined_name(_kinds(columns.values()), column)
            columns[name] = _merge(columns.get(name), replace(column, name=name), game)
    first, *others = configs.values()
    everywhere = set.intersection(*({column.name for column in config.columns} for config in configs.values()))
    shared = (column if column.name in everywhere else replace(column, nullable=True) for column in columns.values())
    row = " or ".join(dict.fromkeys(config.row for config in (first, *others)))
    return replace(first, row=row, columns=tuple(shared))


def _merge(earlier: Column | None, column: Column, game: str) -> Column:
    """Return the column that two games share, with both meanings in the description."""
    if column.name == GAME.name:
        # Each game describes this column as holding the name of that game alone.
        return replace(column, description="The game that the row is of.")
    if earlier is None:
        return column
    same = earlier.description == column.description
    words = earlier.description if same else f"{earlier.description} In {game}: {column.description}"
    return replace(earlier, description=words, nullable=earlier.nullable or column.nullable)


def _kinds(columns: Iterable[Column]) -> dict[str, str]:
    return {column.name: column.kind for column in columns}


def _joined_name(kinds: Mapping[str, str], column: Column) -> str:
    """Return the name of a column in the joined table: with the kind appended if another kind has the name already."""
    kind = kinds.get(column.name, column.kind)
    return column.name if kind == column.kind else f"{column.name}_{column.kind}"
