"""Model of a game with results, the source of the game's pages."""

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError, WorkError
from ircore.core.game_records import rules_words
from ircore.core.records import Instance, PlayerSpec
from ircore.core.terminal import printable
from ircore.core.untrusted_text import one_line
from ircore.games.base import Game, Seat
from ircore.games.reconstruction.records import RECONSTRUCTION
from ircore.instances.store import InstanceSet
from ircore.instances.withheld_pictures import may_be_published, published_pictures
from ircore.players.traits import traits_of
from ircore.results.model import Results
from ircore.results.subsets import rules_apart, usual_rules
from ircore.results.tables.pairs import ALL
from ircore.runs.episode import payload_of
from ircore.runs.folder import RunFolder
from leaderboard.games.entries import Entry, entries_of
from leaderboard.storage.pictures import PictureBook, Shown
from leaderboard.words.labels import instance_titles

_PAGES = frozenset({"index", "players", "matrix", "gallery", "figures", "method"})
"""Names of a section's own pages, which no instance may take."""


@dataclass(frozen=True)
class GameSection:
    """A game that has results.

    Attributes:
        results: Runs of the game, best first.
        pictures: Pictures of the whole site.

    Example:
        >>> from types import SimpleNamespace
        >>> from ircore.games.registry import load_game
        >>> section = GameSection(SimpleNamespace(game=load_game("reference")), PictureBook())
        >>> section.folder
        'games/reference'
    """

    results: Results
    pictures: PictureBook

    @property
    def game(self) -> Game[Any]:
        """The game."""
        return self.results.game

    @property
    def folder(self) -> str:
        """Folder of the game's pages, relative to the site's root."""
        return f"games/{self.game.name}"

    @property
    def source(self) -> dict[str, str | None]:
        """Where the numbers of the game's board come from, each fact by its name in files."""
        runs = [run.run for run in self.results.every_run]
        return {
            "game": self.game.name,
            "category": ALL,
            "difficulty": ALL,
            "instance_set": runs[0].instance_set,
            "ircore": ", ".join(sorted({run.version for run in runs})),
        }

    @property
    def rules(self) -> str:
        """Rules of most runs, as ``history=true, repetitions=6``; empty without any."""
        usual = usual_rules(self.results)
        # A rule without a value, such as an empty list, changes nothing; rules may be a stranger's texts.
        words = one_line(rules_words({name: rule for name, rule in usual.items() if rule not in ("", None, [])}), 200)
        differ = any(rules_apart(self.results, run.run) for run in self.results.every_run)
        return f"{words}, unless a run has others beside its name" if differ else words

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Rows of the board, the best first."""
        return entries_of(self.results)

    @property
    def instances(self) -> Sequence[Instance]:
        """Instances of the game's set."""
        return self._instance_set.instances

    @property
    def categories(self) -> tuple[str, ...]:
        """Categories of the instances, in the order of the set."""
        return tuple(dict.fromkeys(instance.category for instance in self.instances))

    @property
    def conditions(self) -> tuple[tuple[str, str], ...]:
        """Category and difficulty of the instances, in the order of the set."""
        return tuple(dict.fromkeys((instance.category, instance.difficulty) for instance in self.instances))

    @property
    def seats(self) -> tuple[Seat[Any, Any], ...]:
        """Seats that somebody took in at least one run."""
        return self.results.seats

    @cached_property
    def crossed(self) -> tuple[int, int] | None:
        """Numbers of the two seats that the matrix crosses, 0-based; None for a game of one seat."""
        if self.results.crossed is None:
            return None
        first, second = self.results.crossed
        return self.seats.index(first), self.seats.index(second)

    @property
    def program_words(self) -> str:
        """A sentence that says which players are programs of this project; empty if none is."""
        return self.results.programs

    @cached_property
    def played_by_people(self) -> bool:
        """Whether a person took a seat in any run, live or as recorded."""
        return any(spec.source == "human" or traits_of(spec.player).needs == "person" for spec in self._specs())

    def _specs(self) -> list[PlayerSpec]:
        return [spec for entry in self.entries for spec in entry.measured.run.submission.players.values()]

    def seat(self, number: int) -> Seat[Any, Any]:
        """Return a seat by its number, 0-based."""
        return self.seats[number]

    @cached_property
    def titles(self) -> dict[str, str]:
        """Names of the instances for headings, by their ids."""
        return instance_titles(self.instances)

    def instance_path(self, instance: Instance) -> str:
        """Return the path of an instance's page, without suffix."""
        name = instance.instance_id
        # An instance named like a page of the section would replace that page.
        return f"{self.folder}/{name}-instance" if name in _PAGES else f"{self.folder}/{name}"

    def run_path(self, entry: Entry) -> str:
        """Return the path of a run's page, without suffix."""
        return f"{self.folder}/runs/{entry.key}"

    def payload(self, instance: Instance) -> Any:
        """Return the game's own fields of an instance as its record."""
        return payload_of(self.game, self._instance_set, instance)

    def instance_pictures(self, instance: Instance) -> dict[str, Shown]:
        """Return the published pictures of an instance by name; pictures that must not be published are left out."""
        paths = self._paths(instance)
        return {
            name: self.pictures.add(paths[name], picture.sha256, picture.width, picture.height)
            for name, picture in published_pictures(instance).items()
            if name in paths
        }

    def picture_paths(self, instance: Instance) -> list[Path]:
        """Return the files of an instance's published pictures."""
        return list(self._paths(instance).values())

    def _paths(self, instance: Instance) -> dict[str, Path]:
        """Return where each published picture lies, in the first run that has it; what no run has is left out."""
        # A run that played a part of its set holds the pictures of that part alone.
        folders = [run.instances.folder for run in self.results.every_run]
        lying = {
            name: next((path for folder in folders if (path := folder / picture.image).is_file()), None)
            for name, picture in published_pictures(instance).items()
        }
        return {name: path for name, path in lying.items() if path is not None}

    def thumbnail(self, instance: Instance) -> Shown | None:
        """Return the picture that stands for an instance; None for an instance without pictures."""
        pictures = self.instance_pictures(instance)
        # The declared picture may be among those that must not be published.
        return pictures.get(self.game.pages.thumbnail) or next(iter(pictures.values()), None)

    def renderings_are_published(self, instance: Instance) -> bool:
        """Return whether renderings hold no picture that must not be published."""
        # Only a game that draws over its pictures can give a withheld picture away in a rendering.
        return may_be_published(instance.licence) or not self.game.draws_over(self.payload(instance))

    def rendering(self, entry: Entry, rendering: Rendering) -> Shown:
        """Return how a rendering of a run is shown."""
        if not isinstance(entry.measured.source, RunFolder):
            raise TypeError("pages are made of run folders")
        path = entry.measured.source.rendering_path(rendering.sha256)
        return self.pictures.add(path, rendering.sha256, rendering.width, rendering.height)

    def episodes(self, instance: Instance) -> Iterator[tuple[Entry, Episode]]:
        """Yield each run's episode of an instance, the best run first."""
        for entry in self.entries:
            for episode in entry.measured.episodes:
                if episode.instance_id == instance.instance_id:
                    yield entry, episode

    @property
    def _instance_set(self) -> InstanceSet:
        """Instance set of the first run; all runs hold the same set."""
        return self.results.every_run[0].instances


def split_runs(paths: Sequence[Path]) -> tuple[list[Path], list[RunFolder]]:
    """Return the paths of runs of the reconstruction game, and the runs of other games."""
    opened = [(path, RunFolder(path)) for path in paths]
    games = [run for _, run in opened if run.game != RECONSTRUCTION]
    return [path for path, run in opened if run.game == RECONSTRUCTION], games


def game_sections(
    runs: Sequence[RunFolder], pictures: PictureBook, cleared: Collection[str] = ()
) -> tuple[GameSection, ...]:
    """Return a section for each game; one that cannot be loaded is left out, and a line on stderr says so.

    Args:
        runs: Of any games.
        pictures: Pictures of the whole site.
        cleared: Ids of runs whose findings a maintainer looked at: they keep their ranks.
    """
    by_game: dict[str, list[RunFolder]] = {}
    for run in runs:
        by_game.setdefault(run.game, []).append(run)
    sections = []
    for name, folders in sorted(by_game.items()):
        try:
            results = Results.from_runs(folders, cleared)
        # One game whose package is not installed must not stop the site of all others.
        except (WorkError, InputError) as error:
            print(printable(f"ircore: the game {name} is left out: {error.problem}"), file=sys.stderr)
            continue
        sections.append(GameSection(results, pictures))
    return tuple(sections)
