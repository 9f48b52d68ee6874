"""Model of the site that every page draws on: results, pictures, and the names and addresses of pairs and instances."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ircore.core.episode_records import Episode, Rendering
from ircore.core.records import DEFAULT_GAME, Instance
from ircore.core.score_records import HUMAN
from ircore.core.submission_records import NOBODY
from ircore.core.untrusted_text import format_one_line, make_visible
from ircore.games.base import Game, Seat
from ircore.instances.benchmark import BenchmarkVersion
from ircore.instances.store import refuse_withheld
from ircore.players.traits import is_program, load_traits
from ircore.results.benchmark_version import find_version
from ircore.results.episodes import EpisodeResult, JudgedEpisode
from ircore.results.model import Cell, Results, SubmissionResult
from ircore.results.played_run import PlayedRun
from ircore.results.subsets import select_by_rules
from ircore.results.tables.pairs import MOST_NAMES
from ircore.scorers.judge_test.card import JudgeCard
from ircore.submissions.decisions import Decision
from ircore.submissions.pending_work import MergedSubmission, read_cleared_runs
from ircore.submissions.seasons import SeasonGaps
from leaderboard.model.site_judge import select_site_judge
from leaderboard.model.xray import DrawnScene, draw_scene
from leaderboard.storage.build_cache import BuildCache, compute_content_key
from leaderboard.storage.pictures import PictureBook, Shown
from leaderboard.theme import Hues, assign_hues, describe_shape, describer_class, generator_path
from leaderboard.words import PROGRAM_MARK, lower_title, name_instances, name_run_pages, name_waiting_page

LEADERBOARD = ("data/leaderboard.csv", "data/leaderboard.json")
"""Files of the boards of the default game, which pages link to."""


@dataclass(frozen=True)
class Page:
    """A page that a template renders.

    >>> Page("boards/index", "Leaderboard", "board").root
    '../'
    >>> Page("paper", "Published scores", "paper").root
    ''
    """

    path: str
    """Path without suffix, relative to the site's root: ``boards/index``."""

    title: str
    """Title for the browser's tab; may hold a stranger's words on one line, so escape it."""

    template: str
    """Name of the template, without suffix."""

    values: Mapping[str, Any] = field(default_factory=dict)
    """Values that the template needs beyond the site."""

    searchable: bool = False
    """Whether the page is in the index of the site's search."""

    later: Callable[[], Mapping[str, Any]] | None = None
    """Function that computes further values when the page is written, in one of several processes; never ``charts``."""

    finding: Callable[[Mapping[str, Any]], str] | None = None
    """Function that says in a sentence, from all values, what the page's numbers say; None for its first words."""

    files: Callable[[Mapping[str, Any]], Iterable[tuple[str, str]]] | None = None
    """Function that makes data files of all values: paths below the site's root, and texts; None for none."""

    cited: bool = True
    """Whether it shows numbers, so that a reader may cite it."""

    found_by: str | None = None
    """Words beside its title by which the search field finds it as an entry, as links to it name it; None for none."""

    @property
    def root(self) -> str:
        """The way from this page to the site's root: empty, ``../`` or more."""
        return "../" * self.path.count("/")

    def complete(self) -> "Page":
        """Return the page with all its values."""
        return self if self.later is None else replace(self, values={**self.values, **self.later()}, later=None)


@dataclass(frozen=True)
class MarkedPlayers:
    """Players with their marks, as charts draw them: those of a run of any game."""

    describer: str
    """Label of the first player, whose colour is ``hue``."""

    generator: str
    """Label of the second player, whose marker is ``shape``; empty for a game of one seat."""

    apart: str
    """Text that tells runs of the same players apart: slug, and rules where they differ; else empty."""

    hue: int
    """Number of the colour, 0-based."""

    shape: int
    """Number of the marker, 0-based."""

    programs: tuple[bool, ...] = field(default=(), kw_only=True)
    """For each seat, whether the player is a program of this project and no AI model; empty if nobody knows."""

    @property
    def players(self) -> str:
        """The players on one line, without marks."""
        return " + ".join(filter(None, (self.describer, self.generator)))

    @property
    def name(self) -> str:
        """The players on one line, with what tells runs of the same ones apart: for titles, without marks."""
        return f"{self.players} ({self.apart})" if self.apart else self.players

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Label of each player as charts show it, with the mark of programs."""
        labels = (self.describer, self.generator)
        marks = (PROGRAM_MARK if program else "" for program in (*self.programs, False, False))
        return tuple(label + mark if label else "" for label, mark in zip(labels, marks, strict=False))


@dataclass(frozen=True)
class Pair(MarkedPlayers):
    """The players of a run as the site names and marks them: a describer and a generator, or whom another game seats.

    Of a game of one seat the second name is empty; where more than two seats are taken, the submission's own name is
    the first and only one.

    Example:
        >>> from pathlib import Path
        >>> from leaderboard.model.site_runs import SiteRun
        >>> (pair,) = Site([SiteRun(Path("run"))]).pairs.values()
        >>> pair.describer, pair.generator
        ('classical', 'canvas')
    """

    result: SubmissionResult
    """Results of the pair's run."""

    key: str
    """Name of the pair in addresses: the slug, or the run's id where the slug alone would not be unique."""

    folder: str = ""
    """Folder of the pages of its game, ending in a slash; empty for the site's root."""

    @property
    def path(self) -> str:
        """Path of its page, without suffix."""
        return f"{self.folder}pairs/{self.key}"

    def steps(self, episode: Episode) -> tuple[Any, ...]:
        """Return the steps of an episode that the pair played, as records of its game."""
        return episode.steps_as(self.result.game.step)

    def rendered(self, episode: Episode) -> tuple[Any, ...]:
        """Return those of them that have a rendering, in order."""
        return tuple(step for step in self.steps(episode) if step.rendering is not None)

    @cached_property
    def run_id(self) -> str:
        """The run's id."""
        return self.result.run_id

    @property
    def shown(self) -> dict[str, Any]:
        """Name and marks of the pair for scripts: key, labels (hidden characters visible), rules, class and path."""
        return {
            "key": self.key,
            "path": self.path,
            "describer": make_visible(self.describer),
            "generator": make_visible(self.generator),
            "programs": list(self.programs),
            "apart": make_visible(self.apart),
            "rules": self.result.rules.key,
            "hue": describer_class(self.hue),
            "mark": generator_path(self.shape),
        }


@dataclass(frozen=True)
class Gallery:
    """An instance as the site names and addresses it.

    Example:
        >>> from pathlib import Path
        >>> from leaderboard.model.site_runs import SiteRun
        >>> galleries = Site([SiteRun(Path("run"))]).galleries
        >>> [gallery.title for gallery in galleries.values()]
        ['Simple shapes, easy, 1', 'Simple shapes, hard, 1']
    """

    instance: Instance
    """Record of the instance."""

    title: str
    """Title, such as ``Pie graphs, hard, 3``."""

    target: Any
    """Target picture, a ``Shown``; of other games the picture that stands for the instance, None if it has none."""

    @cached_property
    def drawn(self) -> DrawnScene | None:
        """Marks and facts of the target for X-rays; None for a target without a scene."""
        return None if self.instance.scene is None else draw_scene(self.instance.scene)


class Site:
    """The results of some runs of one game, ready to be shown.

    Args:
        runs: At least one, all of one game on the same instance set, at least one of them scored; or their results.
        judge: Judge on pages with room for one; None for ``select_site_judge``.
        address: Where the site will stand, absolute and ending in a slash; empty if that is not known.
        pictures: Pictures of the whole site; None for a book of its own.
        versions: The released versions of the benchmark; None for those that the project knows.
        submitted: Every merged submission; their histories say which runs' findings were cleared.

    Raises:
        InputError: The runs cannot be shown together, none has scores, ``judge`` rated nothing, or the
                runs were played with different prompts.

    Example:
        >>> from pathlib import Path
        >>> from leaderboard.model.site_runs import SiteRun
        >>> Site([SiteRun(Path("run"))]).describers
        ('classical',)
    """

    def __init__(
        self,
        runs: Sequence[PlayedRun] | Results,
        judge: str | None = None,
        address: str = "",
        pictures: PictureBook | None = None,
        versions: Sequence[BenchmarkVersion] | None = None,
        submitted: Sequence[MergedSubmission] = (),
    ) -> None:
        self.address = address
        self.results = runs if isinstance(runs, Results) else Results.from_runs(runs, read_cleared_runs(submitted))
        if not self.results.judges:
            raise self.results.no_ratings()
        self.game: Game[Any] = self.results.game
        self.folder = "" if self.game.name == DEFAULT_GAME else f"games/{self.game.name}/"
        """Folder of the game's pages, ending in a slash; the default game's stand in the root."""
        self.judge = select_site_judge(self.results, judge)
        self.version = find_version(self.results, versions)
        self.cards: dict[str, JudgeCard] = {}
        """The cards of judges that took the judge test, by the judge's name."""
        self.studies: tuple[Results, ...] = ()
        """Results of runs that are on no board and that people rated, to hold judges against them."""
        self.former: tuple[BenchmarkVersion, ...] = ()
        """Earlier versions of the benchmark whose boards the site holds too, newest first."""
        self.moved = ""
        """How pairs moved from the version before to this one, in words; empty without a board of that version."""
        self.submitted = tuple(submitted)
        """Every merged submission, played or not, as far as they were given."""
        self.other_games: frozenset[str] = frozenset()
        """Names of the other games that have pages of their own on the site."""
        self.played: Mapping[str, str] = {}
        """Slugs of the submissions that have a run on the site, each with the path of a run's page."""
        self.season: SeasonGaps | None = None
        """Gaps between the public set and a revealed season's; None if none are given."""
        self.cache: BuildCache | None = None
        """Build cache for results of single runs; None for no cache."""
        # Without the episodes of retired targets, where there are any.
        shown = self.results.every_run if isinstance(runs, Results) or self.results.retired else runs
        self.runs: dict[str, Any] = {run.run.run_id: run for run in shown}
        self.pictures = PictureBook() if pictures is None else pictures  # An empty book is given too.
        self.hues = _assign_hues(self.results, self.judge)
        self.pairs = _build_pairs(self.results, self.hues, self.folder)
        self.galleries = self._galleries()
        self._labels: dict[str, tuple[str, ...]] = {}
        self._episodes = {
            (run_id, result.episode.instance_id): result
            for run_id, results in self.results.episodes.items()
            # Backwards, so that of several episodes of an instance the first one stands there.
            for result in reversed(results)
        }

    def page_of(self, slug: str) -> str:
        """Return the path of a submission's page, without suffix: of its run, or of its manifest where it has none."""
        return self.played.get(slug, f"pairs/{name_waiting_page(slug, self.runs)}")

    def history(self, slug: str) -> tuple[Decision, ...]:
        """Return the history of a submission since its merge, the oldest step first; empty if unknown."""
        return next((submitted.decisions for submitted in self.submitted if submitted.slug == slug), ())

    def path(self, name: str) -> str:
        """Return the path of a page or file of the game, given its path in the game's own folder."""
        return f"{self.folder}{name}"

    @property
    def title_prefix(self) -> str:
        """Beginning of the titles of the game's pages; empty for the default game. May be a plug-in's words."""
        return f"{self.game.title}: " if self.folder else ""

    @property
    def board_files(self) -> tuple[str, str]:
        """Paths of the CSV and the JSON file of the game's boards."""
        return (self.path("board.csv"), self.path("board.json")) if self.folder else LEADERBOARD

    @property
    def seats(self) -> tuple[Seat[Any, Any], ...]:
        """Seats that somebody took in at least one run."""
        return self.results.seats

    @property
    def noun(self) -> str:
        """What a row of a board is called: a pair, or a run where one player or more than two take part."""
        return "pair" if len(self.seats) == MOST_NAMES else "run"

    @property
    def rule_sets(self) -> tuple[Any, ...]:
        """Every set of rules, as ``Game.read_rules`` returns them, the site's own first: the rules of most runs."""
        return self.results.rule_sets

    def under(self, rules: Any = None) -> Results:
        """Return the results of the runs that were played by these rules (the site's own by default), ranked anew."""
        return select_by_rules(self.results, rules or self.rule_sets[0])

    @cached_property
    def describers(self) -> tuple[str, ...]:
        """Every describer's label, in the order of their colours."""
        return _sort_labels(pair.describer for pair in self.pairs.values())

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """Names of the two seats whose players are crossed and ranked; empty where one seat alone is taken."""
        return () if self.results.crossed is None else tuple(seat.name for seat in self.results.crossed)

    def labels(self, role: str) -> tuple[str, ...]:
        """Return every label of a seat's players, in the order of their marks."""
        if role not in self._labels:
            self._labels[role] = _sort_labels(pair.result.run.submission.label_of(role) for pair in self.pairs.values())
        return self._labels[role]

    def seat_title(self, role: str) -> str:
        """Return what a seat is called in headings; may be a plug-in's words."""
        return next(seat.title for seat in self.seats if seat.name == role)

    def is_program(self, role: str, label: str) -> bool:
        """Return whether everybody who plays a role under a label is a program of this project, and no AI model."""
        return label != NOBODY and (role, label) not in self._models

    @cached_property
    def _models(self) -> frozenset[tuple[str, str]]:
        """Roles and labels under which somebody plays who is no program of this project."""
        players = (pair.result.run.submission.players for pair in self.pairs.values())
        return frozenset(
            (role, spec.label) for seats in players for role, spec in seats.items() if spec and not is_program(spec)
        )

    @property
    def program_words(self) -> str:
        """A sentence that says which players are programs of this project; empty if none is."""
        return self.results.programs

    @property
    def rated_by_people(self) -> bool:
        """Whether people have rated any rendering."""
        return HUMAN in self.results.judges

    @cached_property
    def played_by_people(self) -> bool:
        """Whether a person took a seat in any run."""
        specs = (spec for pair in self.pairs.values() for spec in pair.result.run.submission.players.values())
        return any(load_traits(spec.player).needs == "person" for spec in specs)

    @property
    def mark_words(self) -> str:
        """The meaning of colours and shapes, in words; may hold strangers' words, so escape it."""
        words, shapes = self.hues.words, [label for label in self.generators if label]
        return f"{words}, {describe_shape(len(shapes), self.seat_titles[1].lower())}" if shapes else words

    @property
    def factor(self) -> int:
        """What scores of 0–10 are multiplied by to be shown: similarities stay, shares are shown as main scores are."""
        return 1 if self.game.is_judged else 10

    @property
    def main_words(self) -> str:
        """What a main score is, in words; may be a plug-in's words."""
        if self.game.is_judged:
            return "ten times the similarity of the final picture to the target"
        headline = self.game.headline
        about = headline.about.partition(";")[0].removesuffix(".")
        meaning = f" ({about[0].lower()}{about[1:]})" if about else ""
        return f"{lower_title(headline.title)}{meaning}, from 0, worst, to 100, best"

    @property
    def name_fields(self) -> str:
        """Names of a pair in exported files, as ``board.js`` reads them."""
        if len(self.seats) > MOST_NAMES:
            return "submission:@describer"
        places = ("@describer", "@generator")
        return " ".join(f"{seat.name}:{place}" for seat, place in zip(self.seats, places, strict=False))

    @property
    def seat_titles(self) -> tuple[str, ...]:
        """What the names of a pair stand for: the titles of the seats, or the submission where more than two play."""
        titles = tuple(seat.title for seat in self.seats)
        return titles if len(titles) <= MOST_NAMES else ("Submission",)

    @cached_property
    def generators(self) -> tuple[str, ...]:
        """Every generator's label, in the order of their markers."""
        return _sort_labels(pair.generator for pair in self.pairs.values())

    def episode(self, run_id: str, instance_id: str) -> EpisodeResult | None:
        """Return a pair's episode on an instance with its scores; None if the pair has not played the instance."""
        return self._episodes.get((run_id, instance_id))

    def judged(self, episode: EpisodeResult | None, judge: str | None = None) -> JudgedEpisode | None:
        """Return the scores of an episode by a judge (default: the site's judge); None if the judge rated nothing."""
        return None if episode is None else episode.judged.get(judge or self.judge)

    def key(self, pair: Pair) -> str:
        """Return the cache key of everything rendered from a pair alone: 64 hex digits.

        It covers the pair's run, how the site names and marks it, who judges, which targets are shown, where
        originals lie, and the benchmark version.
        """
        marks = (pair.key, str(pair.hue), str(pair.shape), pair.apart, repr(list(self.galleries)))
        judges = repr((self.judge, sorted(self.results.judge_identities.items())))
        return compute_content_key(
            self.runs[pair.run_id].key, *marks, judges, self.pictures.originals, str(self.version.name)
        )

    def cell(
        self, pair: Pair, category: str | None = None, difficulty: str | None = None, judge: str | None = None
    ) -> Cell | None:
        """Return a pair's numbers under a condition; None if the set has no such instance."""
        return self.results.cells.get((pair.run_id, category, difficulty, judge or self.judge))

    def rendering(self, run_id: str, rendering: Rendering) -> Shown:
        """Return how to show a rendering of a run."""
        known = self.pictures.shown(rendering.sha256)
        if known is not None:
            return known
        path = self.runs[run_id].source.rendering_path(rendering.sha256)
        return self.pictures.add(path, rendering.sha256, rendering.width, rendering.height)

    def renderings_are_published(self, instance: Instance) -> bool:  # noqa: ARG002 - for games that draw over pictures
        """Return whether renderings of an instance hold no picture that must not be published."""
        return True

    def target_path(self, instance: Instance) -> Path:
        """Return where the picture of a target is: in the first run that has it."""
        # A run that played a part of its set holds the targets of that part alone.
        paths = (run.instances.folder / instance.pictures["target"].image for run in self.runs.values())
        first: Path = next(iter(self.runs.values())).instances.folder / instance.pictures["target"].image
        return next((path for path in paths if path.is_file()), first)

    @property
    def whole_set(self) -> Sequence[Instance]:
        """The set with its retired targets."""
        if not self.results.retired:
            return self.results.instances
        whole: Sequence[Instance] = next(iter(self.runs.values())).source.instances.instances
        return whole

    def _galleries(self) -> dict[str, Gallery]:
        refuse_withheld(self.results.instances, "site")
        played = {result.episode.instance_id for results in self.results.episodes.values() for result in results}
        # Counted before any instance is left out, so that numbers in titles do not depend on the runs.
        titles = name_instances(self.whole_set)
        galleries = {}
        for instance in self.results.instances:
            path = self.target_path(instance)
            # A target that nobody played and whose picture is missing has nothing to show.
            if instance.instance_id in played or path.is_file():
                target = self.pictures.add(
                    path,
                    instance.pictures["target"].sha256,
                    instance.pictures["target"].width,
                    instance.pictures["target"].height,
                )
                galleries[instance.instance_id] = Gallery(instance, titles[instance.instance_id], target)
        return galleries


def _assign_hues(results: Results, judge: str) -> Hues:
    # Colours go by name, so that a new score does not repaint the site; ranks only say who has one.
    seat = results.seats[0].title.lower() if len(results.seats) <= MOST_NAMES else "submission"
    best_first = dict.fromkeys(_list_names(results, row.submission)[0] for row in results.board(judge))
    return assign_hues(sorted(best_first), list(best_first), seat)


def _build_pairs(results: Results, hues: Hues, folder: str) -> dict[str, Pair]:
    # Where judges give the headline, references are lines beside pairs, and no rows.
    beside = () if results.game.is_judged else (reference.submission for reference in results.references)
    submissions, rules = (*results.submissions, *beside), results.rule_sets
    keys = name_run_pages([(submission.slug, submission.run_id) for submission in submissions])
    names = {submission.run_id: _list_names(results, submission) for submission in submissions}
    generators = _sort_labels(second for _, second in names.values())
    alike = Counter((names[submission.run_id], submission.rules) for submission in submissions)
    return {
        submission.run_id: Pair(
            result=submission,
            describer=first,
            generator=second,
            programs=_list_program_flags(results, submission),
            key=keys[submission.run_id],
            folder=folder,
            hue=hues.number(first),
            shape=generators.index(second),
            apart=", ".join(
                filter(
                    None,
                    (
                        submission.slug if alike[names[submission.run_id], submission.rules] > 1 else "",
                        format_one_line(submission.rules.apart(rules), 80) if len(rules) > 1 else "",
                    ),
                )
            ),
        )
        for submission in submissions
        for first, second in [names[submission.run_id]]
    }


def _list_names(results: Results, submission: SubmissionResult) -> tuple[str, str]:
    """Return the one or two names by which a run is known; the second is empty for a single one."""
    # All runs of a game go by the same kind of name, also one that leaves a seat empty.
    first, *others = submission.players if len(results.seats) <= MOST_NAMES else (submission.name,)
    return first, "".join(others)


def _list_program_flags(results: Results, submission: SubmissionResult) -> tuple[bool, ...]:
    """Return for each of these names whether it stands for programs of this project alone."""
    every = tuple(is_program(spec) for spec in submission.run.submission.players.values())
    return every if len(results.seats) <= MOST_NAMES else (all(every),)


def _sort_labels(labels: Any) -> tuple[str, ...]:
    return tuple(sorted(set(labels)))
