"""Results of one game as the site shows them, with episodes rendered by the game's own template."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from ircore.core.errors import InputError, WorkError
from ircore.core.game_records import GameEpisode, GameInstance
from ircore.core.records import Rendering
from ircore.core.terminal import printable
from ircore.games.base import Game
from ircore.results.games import GameResults, PlayedGameRun, read_game_results
from ircore.results.tables.games import game_board
from ircore.results.tables.model import Table
from ircore.runs.folder import GameRunFolder, open_any_run
from ircore.scorers.game_measures import ending_of
from leaderboard.pictures import PictureBook, Shown


@dataclass(frozen=True)
class GameSection:
    """A game that has results.

    Attributes:
        results: Its runs, best first.
        pictures: Of the whole site.
    """

    results: GameResults
    pictures: PictureBook

    @property
    def game(self) -> Game[Any]:
        """The game."""
        return self.results.game

    @property
    def folder(self) -> str:
        """Folder of the game's pages, relative to the site's root."""
        return f"games/{self.game.name}"

    @cached_property
    def board(self) -> Table:
        """Board of the game."""
        return game_board(self.results).for_readers()

    @property
    def instances(self) -> tuple[GameInstance, ...]:
        """Instances of the game's set."""
        return self.results.runs[0].instances.instances

    def instance_pictures(self, instance: GameInstance) -> dict[str, Shown]:
        """Return how the pictures of an instance are shown, by name."""
        folder = self.results.runs[0].instances.folder
        return {
            name: self.pictures.add(folder / picture.image, picture.sha256, picture.width, picture.height)
            for name, picture in instance.pictures.items()
        }

    def episodes(self, instance: GameInstance) -> Iterator[tuple[PlayedGameRun, GameEpisode]]:
        """Yield each run's episode of an instance, the best run first."""
        for row in self.results.board():
            for episode in row.submission.episodes:
                if episode.instance_id == instance.instance_id:
                    yield row.submission, episode

    def drawn(self, run: PlayedGameRun, instance: GameInstance, episode: GameEpisode, root: str) -> Markup:
        """Return one episode as the game's own template shows it.

        The template runs in a sandbox, and whatever it inserts is escaped.

        Args:
            run: Whose episode.
            instance: What was played.
            episode: What became of it.
            root: The way from the page to the site's root.

        Raises:
            WorkError: The template is broken.
        """
        renderings = {
            rendering.sha256: f"{root}{self._rendering(run, rendering).small}"
            for step in episode.steps
            for rendering in _renderings(step)
        }
        values = {
            "episode": episode,
            "instance": instance,
            "steps": ending_of(self.game, episode).steps,
            "pictures": {name: f"{root}{picture.small}" for name, picture in self.instance_pictures(instance).items()},
            "renderings": renderings,
        }
        environment = SandboxedEnvironment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
        try:
            text = environment.from_string(self.game.pages.episode or DEFAULT).render(**values)
        except TemplateError as error:
            raise WorkError(
                f"the game {self.game.name}: its template of an episode is broken: {error}", "Mend the game."
            ) from error
        return Markup(text)  # noqa: S704 - the environment escapes

    def _rendering(self, run: PlayedGameRun, rendering: Rendering) -> Shown:
        path = run.source.rendering_path(rendering.sha256)
        return self.pictures.add(path, rendering.sha256, rendering.width, rendering.height)


DEFAULT = """<ol>{% for step in steps %}<li><dl>
{% for name, value in step %}<dt>{{ name }}</dt><dd>{% if value.sha256 is defined %}<img src="{{ renderings[value.sha256] }}" alt="{{ name }}">{% else %}{{ value }}{% endif %}</dd>{% endfor %}
</dl></li>{% endfor %}</ol>"""  # noqa: E501
"""Template of an episode for games that bring none."""


def _renderings(step: Mapping[str, Any]) -> Iterator[Rendering]:
    for value in step.values():
        if isinstance(value, dict) and value.keys() == {"sha256", "width", "height"}:
            yield Rendering.model_validate(value)


def split_runs(paths: Sequence[Path]) -> tuple[list[Path], list[GameRunFolder]]:
    """Return the paths of runs of the reconstruction game, and the runs of other games."""
    opened = [(path, open_any_run(path)) for path in paths]
    games = [run for _, run in opened if isinstance(run, GameRunFolder)]
    return [path for path, run in opened if not isinstance(run, GameRunFolder)], games


def game_sections(runs: Sequence[GameRunFolder], pictures: PictureBook) -> tuple[GameSection, ...]:
    """Return a section for each game; one that cannot be loaded is left out, which is said on stderr."""
    by_game: dict[str, list[GameRunFolder]] = {}
    for run in runs:
        by_game.setdefault(run.game, []).append(run)
    sections = []
    for name, folders in sorted(by_game.items()):
        try:
            results = read_game_results(folders)
        except (WorkError, InputError) as error:
            print(printable(f"ircore: the game {name} is left out: {error.problem}"), file=sys.stderr)
            continue
        sections.append(GameSection(results, pictures))
    return tuple(sections)
