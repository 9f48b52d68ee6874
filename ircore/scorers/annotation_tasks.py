"""Tasks for people who rate: the items of a study, and the folder that any browser opens to rate them.

The tasks are those of the paper (arXiv 2606.01901, appendix A): similarity of the first and the final rendering to the
target, or of every one; and, where there are several renderings, which of the first and the final one is more similar
to it.

A study is a page, its style, its scripts and its pictures, nothing else. It works from a disk (``file://``) as well as
from a server, and asks nothing of anyone: the page's own policy forbids it. What changes from study to study is one
file, ``study.js``, in ASCII; no text of a stranger becomes markup.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from random import Random
from re import fullmatch
from typing import Any, Literal, NamedTuple

from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError
from ircore.core.files import write_bytes, write_new_folder, write_text
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.records import Instance
from ircore.core.terminal import track_progress
from ircore.runs.folder import RunFolder
from ircore.scorers.rated_episodes import Original, RatedEpisode, list_rated_episodes, read_original
from ircore.scorers.ratings import NAME

STUDY_ITEMS = 200
"""Renderings of a study by score, unless ``TaskPlan.items`` says otherwise."""

CLASSES = 10
"""Classes of one point each, into which the scores of a study fall; 10 itself falls into the last."""

ASSETS = ("index.html", "icon.svg", "annotate.css", "order.js", "answers.js", "parts.js", "page.js")
"""Files that are the same for every study."""

STUDY = "study.js"
PICTURES = "pictures"


@dataclass(frozen=True)
class TaskPlan:
    """Selection of questions and annotators."""

    every_turn: bool = False
    """Whether similarity is asked of every rendering, not only of the first and the final one."""

    categories: tuple[str, ...] = ()
    """Only these; all if empty."""

    difficulties: tuple[str, ...] = ()
    """Only these; both if empty."""

    items: int | None = None
    """At most so many items: whole targets, drawn evenly over categories and difficulties. None: all."""

    seed: int = 0
    """Seed of that draw, and of each annotator's order, ≥ 0."""

    annotators: tuple[str, ...] = ()
    """Pseudonyms that may rate; empty: whoever opens the page names their own."""

    foreign: bool = False
    """Of judge tests: only pictures that others than the target's own drawer drew."""

    by_score: str | None = None
    """Judge over whose scores renderings are drawn evenly, for similarity alone; None to draw targets."""


@dataclass(frozen=True)
class AnnotationItem:
    """One question to an annotator.

    Example:
        >>> pictures = {"target": "a" * 64, "rendering": "b" * 64}
        >>> AnnotationItem("run-1", "pie_graph-easy-01", 1, "similarity", **pictures).first is None
        True
    """

    run_id: str
    """The run that played the episode."""

    episode_id: str
    """The episode."""

    turn: int
    """Turn of ``rendering``, 1-based; the final one for preference."""

    task: Literal["similarity", "preference"]
    """Rate one rendering, or choose between the first and the final one."""

    target: str
    """SHA-256 of the target."""

    rendering: str
    """SHA-256 of the rendering that is scored."""

    first: str | None = None
    """preference: SHA-256 of the first rendering."""


class _PictureSource(NamedTuple):
    """Source of a picture of a study."""

    run: RunFolder
    """The run that holds it."""

    what: Original | Rendering
    """The target, or a rendering."""

    def read(self) -> Picture:
        """Return the picture, its hash checked."""
        return read_original(self.run, self.what) if isinstance(self.what, Original) else self.run.rendering(self.what)


@dataclass(frozen=True)
class Study:
    """A study: the items of one annotation page, its annotators and pictures.

    Example:
        >>> from pathlib import Path
        >>> from ircore.runs.folder import RunFolder
        >>> study = choose_tasks([RunFolder(Path("run"))], TaskPlan(annotators=("anna",)))
        >>> {item.task for item in study.items} <= {"similarity", "preference"}
        True
    """

    study_id: str
    """16 hex digits: hash of the items and the seed."""

    seed: int
    """Seed of each annotator's order."""

    annotators: tuple[str, ...]
    """Who may rate; empty: anyone."""

    items: tuple[AnnotationItem, ...]
    """Items in the order of the runs, the instance set and the turns; each annotator sees another order."""

    pictures: Mapping[str, _PictureSource]
    """Every picture that the items name, by its SHA-256."""

    alike: int
    """Episodes of these without a preference because their first and final rendering are the same picture."""

    strata: tuple[int, ...] = ()
    """Of a study by score: items in each class of scores, from the lowest."""


def choose_tasks(runs: Sequence[RunFolder], plan: TaskPlan) -> Study:
    """Choose the items of a study.

    Args:
        runs: Runs of one instance set, each once.
        plan: What to ask.

    Raises:
        InputError: The runs are of several instance sets, or of a game that has no pictures to rate; a name is unknown
            or no pseudonym; or nothing is left to ask.
        WorkError: The runs' game is broken.
    """
    _check_annotators(plan.annotators)
    _check_runs(runs)
    wanted = runs[0].instances.select(plan.categories, plan.difficulties)
    pictures: dict[str, _PictureSource] = {}
    by_instance: dict[str, list[AnnotationItem]] = defaultdict(list)
    alike: Counter[str] = Counter()
    known = set(wanted.ids)
    pool: list[_Scored] = []
    if plan.foreign:
        _check_tests(runs)
    scores = {run.run.run_id: _read_scores(run, plan.by_score) for run in runs}
    for run in runs:
        for episode in list_rated_episodes(run):
            if episode.instance_id in known:
                for original in episode.originals.values():
                    pictures.setdefault(original.sha256, _PictureSource(run, original))
                for rendering in episode.renderings.values():
                    pictures.setdefault(rendering.sha256, _PictureSource(run, rendering))
                asked = list(_list_items(run.run.run_id, episode, plan.every_turn or plan.foreign))
                if plan.foreign:
                    asked = [item for item in asked if item.task == "similarity" and item.turn in _list_foreign_turns()]
                by_instance[episode.instance_id] += asked
                alike[episode.instance_id] += _is_alike(episode)
                pool += _match_scores(asked, episode.category, scores[run.run.run_id])
    if plan.by_score is not None:
        return _build_study_by_score(runs, pool, pictures, plan)
    chosen = _draw_targets([instance for instance in wanted if by_instance[instance.instance_id]], by_instance, plan)
    items = tuple(
        item for instance in wanted if instance.instance_id in chosen for item in by_instance[instance.instance_id]
    )
    if not items:
        raise InputError(
            f"{runs[0].path}: has no played episode to rate", "Play some episodes, or choose other categories."
        )
    used = {sha for item in items for sha in (item.target, item.rendering, item.first) if sha}
    shown = {sha: source for sha, source in pictures.items() if sha in used}
    alike_shown = sum(alike[name] for name in chosen)
    return Study(_compute_identity(items, plan.seed), plan.seed, plan.annotators, items, shown, alike_shown)


@dataclass(frozen=True)
class WrittenPage:
    """Counts of the written files.

    Example:
        >>> from pathlib import Path
        >>> WrittenPage(Path("annotate"), pictures=12, megabytes=0.4).pictures
        12
    """

    folder: Path
    """The page's folder; open its ``index.html``."""

    pictures: int
    """Picture files, each once however often it is shown."""

    megabytes: float
    """Size of the files, in units of 10⁶ bytes."""


def write_page(study: Study, folder: Path) -> WrittenPage:
    """Write the page of a study; the folder appears only when it is complete.

    Args:
        study: What it asks.
        folder: Where to; it must not exist or be empty.

    Raises:
        InputError: The folder holds something, or a picture is missing or damaged.
        WorkError: The disk is full or the place cannot be written.
    """
    with write_new_folder(folder) as temporary:
        copies, size = _write_pictures(study, temporary)
        for name in ASSETS:
            write_bytes(temporary / name, files(__package__).joinpath("annotation_assets", name).read_bytes())
        write_text(
            temporary / STUDY, f'"use strict";\nwindow.ircoreStudy = {json.dumps(_build_document(study, copies))};\n'
        )
    return WrittenPage(folder, len({copy.file for copy in copies.values()}), size / 1e6)


def _list_foreign_turns() -> frozenset[int]:
    """Return the turns of a judge test's run whose pictures others drew."""
    # Inside: the battery brings its drawers, which no other page needs.
    from ircore.scorers.judge_test.battery import EDIT_OF

    return frozenset(turn for turn, name in EDIT_OF.items() if name.startswith("foreign-"))


def _check_tests(runs: Sequence[RunFolder]) -> None:
    for run in runs:
        if run.run.slug != "judge-test":
            raise InputError(
                f"{run.path}: --foreign: is no judge test, whose pictures it selects",
                "Leave out --foreign, or make a judge test first: ircore judge-test verified",
            )


class _Scored(NamedTuple):
    """A similarity item with the score that the judge of a study gave its rendering."""

    item: AnnotationItem
    category: str
    score: float

    @property
    def stratum(self) -> int:
        """Class of the score, from 0."""
        return min(CLASSES - 1, int(self.score * CLASSES / 10))


def _read_scores(run: RunFolder, judge: str | None) -> dict[tuple[str, str], float]:
    """Return a judge's ratings by episode and rendering; none if no judge is named."""
    return {
        (score.episode_id, score.picture[1]): score.value
        for score in (run.scores() if judge is not None else ())
        if score.by == judge and score.task == "similarity" and score.value is not None
    }


def _match_scores(
    items: Iterable[AnnotationItem], category: str, scores: Mapping[tuple[str, str], float]
) -> Iterator[_Scored]:
    # Turns that show the same picture would be asked about twice.
    once = {item.rendering: item for item in reversed([*items]) if item.task == "similarity"}
    for item in once.values():
        score = scores.get((item.episode_id, item.rendering))
        if score is not None:
            yield _Scored(item, category, score)


def _build_study_by_score(
    runs: Sequence[RunFolder], pool: Sequence[_Scored], pictures: Mapping[str, _PictureSource], plan: TaskPlan
) -> Study:
    """Draw renderings, one of each class of scores in turn and within a class one of each category in turn.

    So poor and good pictures count alike, whatever most of the pool is, and a class that is short is made up for by
    the others.
    """
    if not pool:
        raise InputError(
            f"{runs[0].path}: no rendering has a score by {plan.by_score}",
            f"Score it first: ircore score {runs[0].path} --judge {plan.by_score} --every-turn",
        )
    random = Random(plan.seed)
    by_class: dict[int, dict[str, list[_Scored]]] = defaultdict(lambda: defaultdict(list))
    for scored in random.sample(pool, len(pool)):
        by_class[scored.stratum][scored.category].append(scored)
    rounds = []
    for stratum, by_category in by_class.items():
        within = sorted(
            # The random number decides within a round, or the first category would always come first.
            (
                (place, random.random(), scored)
                for several in by_category.values()
                for place, scored in enumerate(several)
            ),
            key=lambda entry: entry[:2],
        )
        rounds += [(number, random.random(), stratum, scored) for number, (_, _, scored) in enumerate(within)]
    rounds.sort(key=lambda entry: entry[:2])
    drawn = [scored for _, _, _, scored in rounds[: plan.items or STUDY_ITEMS]]
    chosen = {scored.item for scored in drawn}
    items = tuple(scored.item for scored in pool if scored.item in chosen)
    used = {sha for item in items for sha in (item.target, item.rendering)}
    shown = {sha: source for sha, source in pictures.items() if sha in used}
    counts = Counter(scored.stratum for scored in drawn)
    strata = tuple(counts[stratum] for stratum in range(CLASSES))
    return Study(_compute_identity(items, plan.seed), plan.seed, plan.annotators, items, shown, 0, strata)


def _check_annotators(names: Sequence[str]) -> None:
    for name in names:
        if not fullmatch(NAME, name):
            raise InputError(
                f"--annotators: {name!r} is not a pseudonym",
                "Write lower-case ASCII letters, digits, _ . and -, such as a1; no names of people.",
            )
    if len(set(names)) != len(names):
        raise InputError("--annotators: a pseudonym is given twice", "Name each pseudonym once.")


def _check_runs(runs: Sequence[RunFolder]) -> None:
    first = runs[0]
    runs_by_id: dict[str, RunFolder] = {}
    for run in runs:
        if run.run.instance_set != first.run.instance_set:
            raise InputError(
                f"{run.path}: was played on another instance set than {first.path}",
                "Make a page for each instance set.",
            )
        twin = runs_by_id.setdefault(run.run.run_id, run)
        if twin is not run:
            raise InputError(f"{run.path}: is the same run as {twin.path}", "Name the run once.")


def _is_alike(episode: RatedEpisode) -> bool:
    return len({episode.renderings[step].sha256 for step in episode.compared or ()}) == 1


def _list_items(run_id: str, episode: RatedEpisode, every_turn: bool) -> Iterator[AnnotationItem]:
    made = [(turn, rendering.sha256) for turn, rendering in episode.renderings.items()]
    rated_turns = made if every_turn or len(made) < 2 else [made[0], made[-1]]
    for turn, rendering in rated_turns:
        yield AnnotationItem(run_id, episode.episode_id, turn, "similarity", episode.originals[turn].sha256, rendering)
    if episode.compared and not _is_alike(episode):
        turn, final = made[-1]
        yield AnnotationItem(
            run_id, episode.episode_id, turn, "preference", episode.originals[turn].sha256, final, made[0][1]
        )


def _draw_targets(
    instances: Sequence[Instance], items: Mapping[str, Sequence[AnnotationItem]], plan: TaskPlan
) -> set[str]:
    """Draw targets, one of each condition in turn, as long as all their items fit into the plan's number.

    A target is taken with every run's episode or not at all, so that runs stay comparable and each final score has its
    first. The draw ends at the first that does not fit: going on would favour short episodes.
    """
    if plan.items is None:
        return {instance.instance_id for instance in instances}
    random = Random(plan.seed)
    conditions: dict[tuple[str, str], list[str]] = defaultdict(list)
    # Shuffled first, so that the draw within each condition is random, too.
    for instance in random.sample(instances, len(instances)):
        conditions[instance.category, instance.difficulty].append(instance.instance_id)
    queue = sorted(
        # The random number decides within a round, or the first category would always come first.
        ((place, random.random(), name) for names in conditions.values() for place, name in enumerate(names)),
    )
    chosen: set[str] = set()
    left = plan.items
    for _, _, name in queue:
        left -= len(items[name])
        if left < 0:
            break
        chosen.add(name)
    if queue and not chosen:
        least = len(items[queue[0][2]])
        raise InputError(
            f"--items {plan.items} is too few: one target has {format_count(least, 'item')}",
            f"Allow more: --items {least}",
        )
    return chosen


def _compute_identity(items: Sequence[AnnotationItem], seed: int) -> str:
    document = json.dumps([seed, [asdict(item) for item in items]], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(document.encode()).hexdigest()[:16]


class _Copy(NamedTuple):
    """A picture of the page."""

    file: str
    width: int
    height: int


def _write_pictures(study: Study, folder: Path) -> tuple[dict[str, _Copy], int]:
    """Write a copy of each picture without metadata; return the copies by the original's hash, and their bytes."""
    copies: dict[str, _Copy] = {}
    sizes: dict[str, int] = {}
    for sha256, source in track_progress(study.pictures.items(), "pictures", len(study.pictures)):
        # Encoded anew: metadata such as a program's name may tell annotators who made the picture.
        copy = Picture.read_untrusted(source.read().data, sha256)
        # By the copy's own hash: two files of the same pixels become one, and names tell nothing.
        file = f"{PICTURES}/{copy.sha256}.png"
        copies[sha256] = _Copy(file, copy.width, copy.height)
        sizes[file] = len(copy.data)
        write_bytes(folder / file, copy.data)
    return copies, sum(sizes.values())


def _build_document(study: Study, copies: dict[str, _Copy]) -> dict[str, Any]:
    return {
        "study": study.study_id,
        "seed": study.seed,
        "annotators": study.annotators,
        "items": [_build_entry(item, copies) for item in study.items],
    }


def _build_entry(item: AnnotationItem, copies: dict[str, _Copy]) -> dict[str, Any]:
    shown = {"target": item.target, "final": item.rendering, "first": item.first}
    return {
        "run_id": item.run_id,
        "episode_id": item.episode_id,
        "turn": item.turn,
        "task": item.task,
        "rendering": item.rendering,
        "pictures": {role: copies[sha256]._asdict() for role, sha256 in shown.items() if sha256 is not None},
    }
