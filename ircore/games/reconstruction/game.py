"""The Image Reconstruction Game as a plug-in: its declarations, beside rules, prompts, targets and figures."""

from collections.abc import Iterator
from math import fsum
from pathlib import Path
from typing import Any

from pydantic import Field

from ircore.core.episode_records import Turn
from ircore.core.records import RECONSTRUCTION, Name, Record, Rules, Scene
from ircore.core.submission_records import Run
from ircore.games.base import (
    Effort,
    Ending,
    EpisodeSetup,
    Game,
    GameOutcome,
    Measure,
    Pages,
    PublishedFigure,
    RatedPicture,
    Table,
)
from ircore.games.reconstruction.prompts import Prompts, load_prompts
from ircore.games.reconstruction.published.paper_tables import SOURCE, mean_scores
from ircore.games.reconstruction.rules import DESCRIBER, GENERATOR, play_episode


class ReconstructionPayload(Record):
    """The fields of an instance besides its labels: the target picture's name and the list of drawn elements.

    >>> ReconstructionPayload().target
    'target'
    """

    target: str = Field(default="target", description="Name of the picture to be reconstructed.")
    scene: Scene | None = Field(default=None, description="What was drawn; null for photographs.")
    measures: dict[Name, float] = Field(
        default_factory=dict,
        description="Numbers known of the picture, such as how differently people name it (snd).",
    )


class ReconstructionGame(Game[Rules]):
    """A describer sees a target and writes; a generator draws from the words alone.

    >>> [seat.name for seat in ReconstructionGame().seats], ReconstructionGame().headline.range
    (['describer', 'generator'], (0, 10))
    """

    name = RECONSTRUCTION
    title = "Image Reconstruction Game"
    paper = SOURCE
    seats = (DESCRIBER, GENERATOR)
    payload = ReconstructionPayload
    rules = Rules
    step = Turn
    step_title = "turn"
    outcomes = (
        GameOutcome("converged", played=True),
        GameOutcome("turn_limit", played=True),
        GameOutcome("aborted", played=False),
    )
    measures = (
        Measure("similarity", "Similarity", "points", (0, 10), per="step", needs="judge"),
        Measure("preference", "Final preferred", "", (0, 1), needs="judge"),
    )
    pages = Pages(
        columns=("preference",),
        rules=("token_budget", "max_turns"),
        figures=("similarity",),
        episode="{# drawn as a strip of turns #}",
        method="A describer sees the target and says what to draw; a generator draws from the words alone. The "
        "describer then sees target and drawing and says what to correct, turn by turn.",
    )
    published = tuple(
        PublishedFigure(f"{pair.describer} + {pair.generator}, {judge}", "similarity", round(mean, 2), SOURCE)
        for pair, means in mean_scores().items()
        for judge, mean in means.items()
    )

    async def play(self, table: Table, setup: EpisodeSetup[Rules]) -> Ending:
        """Play an episode; see ``ircore.games.base.Game.play``."""
        return await play_episode(table, setup)

    def step_number(self, place: int, step: Any) -> int:
        """Return the number of a turn; the test of judges leaves turns out."""
        return step.turn if isinstance(step, Turn) else place

    def rated(self, payload: ReconstructionPayload, ending: Ending) -> Iterator[RatedPicture]:
        """Yield every rendering beside the target, whose scene the instance holds; see ``Game.rated``."""
        for turn in ending.steps:
            if isinstance(turn, Turn) and turn.rendering is not None:
                yield RatedPicture(turn.turn, payload.target, turn.rendering)

    def effort(self, ending: Ending) -> Effort:
        """Return turns with a rendering, tokens, seconds and messages of an episode; see ``Game.effort``."""
        turns = [turn for turn in ending.steps if isinstance(turn, Turn)]
        return Effort(
            steps=sum(turn.rendering is not None for turn in turns),
            tokens=sum(turn.message_tokens for turn in turns),
            seconds=fsum(turn.seconds for turn in turns),
            messages=sum(turn.message is not None for turn in turns),
            over_budget=sum(turn.over_budget for turn in turns),
        )

    def rules_of(self, run: Run) -> Rules:
        """Return the rules of a run; see ``Game.rules_of``."""
        return Rules.of(run)

    def prompts(self, folder: Path | None) -> Prompts:
        """Read the prompts; see ``load_prompts``."""
        return load_prompts(self.name, folder)
