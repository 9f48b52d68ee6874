"""Site of a game that brings templates of its own: its pictures, payloads and episodes, on top of ``Site``."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.records import DEFAULT_GAME, Instance
from ircore.core.score_records import RenderingFacts
from ircore.core.terminal import make_printable
from ircore.core.untrusted_text import format_one_line
from ircore.games.base import Measure
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet, may_be_published, select_published_pictures
from ircore.results.model import BoardRow, Results
from ircore.results.played_run import PlayedRun
from ircore.results.statistics.intervals import Estimate
from ircore.results.subsets import list_board_rows
from ircore.results.tables.pairs import ALL
from ircore.runs.episode import parse_payload
from ircore.runs.folder import RunFolder
from ircore.submissions.pending_work import MergedSubmission, read_cleared_runs
from leaderboard.model.site import Gallery, Pair, Site
from leaderboard.storage.pictures import PictureBook, Shown
from leaderboard.words import name_instances

_SAME = 0.05
"""Difference of main scores that one decimal does not show."""


class RulesBoard(NamedTuple):
    """The board of one set of rules."""

    rules: Any
    """Rules of its runs."""

    label: str
    """Short name of the rules, maybe a stranger's words; empty where all runs have the same rules."""

    rows: tuple[BoardRow, ...]
    """Best run first, references last."""


class GameSection(Site):
    """The results of a game whose templates show its instances and episodes.

    Args:
        results: Of at least one run.
        pictures: Pictures of the whole site; None for a book of its own.
        address: As for ``Site``.
        submitted: As for ``Site``.
    """

    def __init__(
        self,
        results: Results,
        pictures: PictureBook | None = None,
        address: str = "",
        submitted: Sequence[MergedSubmission] = (),
    ) -> None:
        super().__init__(results, None, address, pictures, (), submitted)
        self._facts: dict[str, dict[str, list[str]]] = {}
        """Facts of the runs that were looked at: by run_id and episode, as JSON."""

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

    @cached_property
    def _rows(self) -> dict[str, BoardRow]:
        return {row.submission.run_id: row for row in list_board_rows(self.results)}

    @property
    def ranked(self) -> tuple[Pair, ...]:
        """The runs in the order of the boards of their rules, the usual rules first, references last."""
        return tuple(map(self.pairs.__getitem__, self._rows))

    @cached_property
    def boards(self) -> tuple[RulesBoard, ...]:
        """The board of each set of rules, since runs under other rules are ranked apart: that of the best run first."""
        several = len(self.rule_sets) > 1
        boards = [
            RulesBoard(rules, format_one_line(rules.label_behind_with(self.rule_sets), 60) if several else "", rows)
            for rules in self.rule_sets
            if (rows := tuple(row for row in self._rows.values() if row.submission.rules == rules))
        ]
        return tuple(sorted(boards, key=lambda board: -max(row.cell.main.mean or 0.0 for row in board.rows)))

    @property
    def whole_board(self) -> str:
        """Path of the board that every run is on: that of all rules where there are several."""
        return self.path("boards/all-rules/index" if len(self.rule_sets) > 1 else "boards/index")

    def best_rows(self, most: int) -> list[RulesBoard]:
        """Return the boards with their first rows, about as many of each, and at most so many in all."""
        shown: list[RulesBoard] = []
        for board in self.boards[:most]:
            room = most - sum(len(other.rows) for other in shown)
            share = -(-room // (min(len(self.boards), most) - len(shown)))
            shown.append(board._replace(rows=board.rows[:share]))
        return shown

    def best_pairs(self, most: int) -> list[Pair]:
        """Return the runs in these rows."""
        return [self.pairs[row.submission.run_id] for board in self.best_rows(most) for row in board.rows]

    def row(self, pair: Pair) -> BoardRow:
        """Return the row of a run on the board of its rules."""
        return self._rows[pair.run_id]

    def mean(self, pair: Pair, measure: Measure) -> Estimate:
        """Return a run's mean of a measure over all instances."""
        return self.results.mean(pair.run_id, measure.key)

    def repeats_headline(self, pairs: Iterable[Pair]) -> bool:
        """Return whether the main score of each of these runs is a hundred times its mean of the headline."""
        headline = self.game.headline
        if headline.bounds != (0, 1) or headline.direction != "higher":
            return False
        return all(
            main is not None and mean is not None and abs(main - 100 * mean) < _SAME
            for pair in pairs
            for main, mean in [(self.row(pair).cell.main.mean, self.mean(pair, headline).mean)]
        )

    def get_run(self, pair: Pair) -> PlayedRun:
        """Return a run with its episodes and values."""
        run: PlayedRun = self.runs[pair.run_id]
        return run

    @property
    def instances(self) -> Sequence[Instance]:
        """Instances of the game's set."""
        return self._instance_set.instances

    @property
    def conditions(self) -> tuple[tuple[str, str], ...]:
        """Category and difficulty of the instances, in the order of the set."""
        return tuple(dict.fromkeys((instance.category, instance.difficulty) for instance in self.instances))

    @cached_property
    def titles(self) -> dict[str, str]:
        """Names of the instances for headings, by their ids."""
        return name_instances(self.whole_set)

    def instance_path(self, instance: Instance) -> str:
        """Return the path of an instance's page, without suffix."""
        return self.path(f"gallery/{instance.instance_id}")

    def payload(self, instance: Instance) -> Any:
        """Return the game's own fields of an instance as its record."""
        return parse_payload(self.game, self._instance_set, instance)

    def _galleries(self) -> dict[str, Gallery]:
        shown = ((instance, self.thumbnail(instance)) for instance in self.instances)
        return {
            instance.instance_id: Gallery(instance, self.titles[instance.instance_id], picture)
            for instance, picture in shown
        }

    def instance_pictures(self, instance: Instance) -> dict[str, Shown]:
        """Return the published pictures of an instance by name; pictures that must not be published are left out."""
        paths = self._find_picture_paths(instance)
        return {
            name: self.pictures.add(paths[name], picture.sha256, picture.width, picture.height)
            for name, picture in select_published_pictures(instance).items()
            if name in paths
        }

    def picture_paths(self, instance: Instance) -> list[Path]:
        """Return the files of an instance's published pictures."""
        return list(self._find_picture_paths(instance).values())

    def _find_picture_paths(self, instance: Instance) -> dict[str, Path]:
        """Return where each published picture lies, in the first run that has it; what no run has is left out."""
        # A run that played a part of its set holds the pictures of that part alone.
        folders = [run.instances.folder for run in self.results.every_run]
        lying = {
            name: next((path for folder in folders if (path := folder / picture.image).is_file()), None)
            for name, picture in select_published_pictures(instance).items()
        }
        return {name: path for name, path in lying.items() if path is not None}

    def thumbnail(self, instance: Instance) -> Shown | None:
        """Return the picture that stands for an instance; None for an instance without pictures."""
        pictures = self.instance_pictures(instance)
        # The declared picture may be among those that must not be published.
        return pictures.get(self.game.name_thumbnail(self.payload(instance))) or next(iter(pictures.values()), None)

    def renderings_are_published(self, instance: Instance) -> bool:
        """Return whether renderings hold no picture that must not be published."""
        # Only a game that draws over its pictures can give a withheld picture away in a rendering.
        return may_be_published(instance.licence) or not self.game.draws_over(self.payload(instance))

    def facts(self, pair: Pair, episode: Episode) -> dict[tuple[str, str], RenderingFacts]:
        """Return the facts of an episode's renderings that the program checked, by episode and rendering."""
        if pair.run_id not in self._facts:
            # Packed: of many runs few are looked at at a time.
            lines: dict[str, list[str]] = {}
            for line in self.get_run(pair).facts():
                lines.setdefault(line.episode_id, []).append(line.model_dump_json(exclude_defaults=True))
            self._facts[pair.run_id] = lines
        known = map(RenderingFacts.model_validate_json, self._facts[pair.run_id].get(episode.episode_id, ()))
        return {(line.episode_id, line.rendering): line for line in known}

    def episodes(self, instance: Instance) -> Iterator[tuple[Pair, Episode]]:
        """Yield each run's episode of an instance, the best run first."""
        for pair in self.ranked:
            for episode in self.get_run(pair).episodes:
                if episode.instance_id == instance.instance_id:
                    yield pair, episode

    @property
    def _instance_set(self) -> InstanceSet:
        """Instance set of the first run; all runs hold the same set."""
        return self.results.every_run[0].instances


def split_runs(paths: Sequence[Path]) -> tuple[list[Path], list[RunFolder]]:
    """Return the paths of runs of the game in the site's root, and the runs of other games."""
    opened = [(path, RunFolder(path)) for path in paths]
    games = [run for _, run in opened if run.game != DEFAULT_GAME]
    return [path for path, run in opened if run.game == DEFAULT_GAME], games


def build_game_sections(
    runs: Sequence[RunFolder],
    pictures: PictureBook,
    submitted: Sequence[MergedSubmission] = (),
    address: str = "",
) -> tuple[GameSection, ...]:
    """Return a section for each game; one that cannot be loaded is left out, and a line on stderr says so.

    Args:
        runs: Of any games.
        pictures: Pictures of the whole site.
        submitted: Every merged submission; their histories say which runs' findings were cleared.
        address: Where the site will stand; empty if unknown.

    Raises:
        InputError: A run is damaged or has no values yet, or the runs of a game cannot be shown together.
    """
    by_game: dict[str, list[RunFolder]] = {}
    for run in runs:
        by_game.setdefault(run.game, []).append(run)
    sections, cleared = [], read_cleared_runs(submitted)
    for name, folders in sorted(by_game.items()):
        try:
            game = load_game(name)
        # One game whose package is broken or not installed must not stop the site of all others.
        except InputError as error:
            print(
                make_printable(f"ircore: the game {name} is left out: {error.problem}. {error.remedy}"), file=sys.stderr
            )
            continue
        sections.append(GameSection(Results.from_runs(folders, cleared, game), pictures, address, submitted))
    return tuple(sections)
