"""The pictures of a game other than reconstruction in the tables of a release."""

from pathlib import Path
from typing import Any

from dataset_card.tables.columns import SPLIT
from dataset_card.tables.declared_tables import step_column
from dataset_card.tables.embedded_pictures import EmbeddedPictures
from dataset_card.tables.parquet import table_files
from dataset_card.tables.schema import INSTANCES, transcripts_name
from ircore.core.episode_records import Rendering
from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.games.base import Game, picture_fields
from ircore.scorers.game_instruments import EpisodeInstruments


class EmbeddedGamePictures:
    """The pictures of a game's instances and steps.

    Args:
        folder: The release.
        game: The game.

    Example:
        >>> from ircore.games.registry import load_game
        >>> EmbeddedGamePictures(Path("release"), load_game("conversation")) is not None
        True
    """

    def __init__(self, folder: Path, game: Game[Any]) -> None:
        self._instances = table_files(folder, INSTANCES)
        self._columns: dict[str, EmbeddedPictures] = {}
        steps = sorted((folder / "data" / transcripts_name(game.name)).glob(f"{SPLIT}-*.parquet"))
        self._drawn = [EmbeddedPictures(steps, step_column(name)) for name in picture_fields(game.step)]

    def of_instance(self, instance: Instance, name: str) -> Picture:
        """Return a picture of an instance by its name.

        Raises:
            InputError: The table does not have it, or it has changed since it was checked.
        """
        column, file = f"picture_{name}", instance.pictures[name]
        if column not in self._columns:
            self._columns[column] = EmbeddedPictures(self._instances, column)
        return self._columns[column].read(file)

    def of_step(self, rendering: Rendering) -> Picture:
        """Return a picture that a step holds.

        Raises:
            InputError: The table does not have it, or it has changed since it was checked.
        """
        # A picture in no column is asked of the first one, whose error names the picture.
        column = next((column for column in self._drawn if rendering.sha256 in column), self._drawn[0])
        return column.read(rendering)

    def instruments(self, instance: Instance) -> EpisodeInstruments:
        """Return the instruments for an episode of an instance."""
        return EpisodeInstruments({name: self.of_instance(instance, name) for name in instance.pictures}, self.of_step)
