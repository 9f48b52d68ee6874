"""What a game is: rules that ask the seats in turn and end with one outcome."""

from typing import Protocol

from ircore.core.images import Picture
from ircore.core.records import Episode, Instance, Rules
from ircore.games.reconstruction.prompts import Prompts
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, TextAnswer


class Seats(Protocol):
    """The two players of one episode. Whatever stands behind them records every answer and never asks one twice."""

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Ask the describer; raises ``PlayerError``."""
        ...

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Ask the generator; raises ``PlayerError``."""
        ...


class Game(Protocol):
    """A game, found by name among the entry points ``ircore.games``."""

    name: str

    async def play(
        self, instance: Instance, target: Picture, seats: Seats, rules: Rules, prompts: Prompts, seed: int
    ) -> Episode:
        """Play one episode to its end.

        Args:
            instance: What is played; only its id and labels are used.
            target: The picture that the describer sees.
            seats: The players.
            rules: Token budget, turn limit and so on.
            prompts: The game master's words.
            seed: Of this episode.
        """
        ...
