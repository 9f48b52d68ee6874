"""Making targets with models: the run behind ``ircore instances synthesize``, its figures, and their review."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import DEFAULT_GAME, DIFFICULTIES, Instance, PlayerSpec
from ircore.core.sandbox.probing import require_sandbox
from ircore.core.submission_records import Submission
from ircore.core.validation import convert_validation_errors
from ircore.games.synthesis.game import (
    NAME,
    FigureCondition,
    FigureStep,
    SynthesisGame,
    SynthesisRules,
    format_figure_name,
)
from ircore.instances.review import ReviewEntry, read_accepted_names, write_page
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.synthesis.studio import FIGURES, DrawnFigures, DrawnProgram, Studio
from ircore.instances.targets import SYNTHETIC
from ircore.players.openai.settings import is_loopback
from ircore.players.submission import LoadedSubmission
from ircore.runs.costs.limit import CostLimit
from ircore.runs.costs.prices import load_run_prices, store_prices
from ircore.runs.folder import RunFolder
from ircore.runs.play import make_run, open_run, play
from ircore.runs.session import PlayPlan
from ircore.runs.setup import make_players


@dataclass(frozen=True)
class SynthesisPlan:
    """Plan of a synthesis: figures to make, and the models that make them.

    >>> spec = PlayerSpec(player="openai", model="m", base_url="http://127.0.0.1:8000/v1")
    >>> SynthesisPlan(Path("made"), spec, spec, ("bar_graph",), ("easy",), count=5).conditions
    [('bar_graph', 'easy')]

    Attributes:
        out: The folder: a run folder with ``figures/`` beside its journal.
        categories: Of the six synthetic ones.
        difficulties: ``easy``, ``hard``.
        count: Figures of each category and difficulty.
        licence: SPDX identifier under which the figures are recorded.
        seed: Of programs that draw random numbers.
        rules: Tries per figure.
        concurrency: Conditions at the same time.
        deadline: Seconds after which work stops; None for no limit.
        max_cost: US dollars that it may cost; None for no limit.
    """

    out: Path
    describer: PlayerSpec
    coder: PlayerSpec
    categories: tuple[str, ...]
    difficulties: tuple[str, ...]
    count: int
    licence: str = "LicenseRef-unstated"
    seed: int = 0
    rules: SynthesisRules = field(default_factory=SynthesisRules)
    prompts: Path | None = None
    concurrency: int = 4
    deadline: float | None = None
    max_cost: float | None = None
    prices: Path | None = None

    @property
    def conditions(self) -> list[tuple[str, str]]:
        """Category and difficulty of each episode."""
        return list(product(self.categories, self.difficulties))


class FigureCandidate(NamedTuple):
    """A figure that passed the checks and waits for a person.

    >>> drawn = DrawnProgram(key="0" * 64, category="geometry", seed=1, program="def draw(): ...")
    >>> step = FigureStep(number=1, summary="A triangle.", programs=(), faults=())
    >>> FigureCandidate("geometry-easy-01", "easy", step, drawn).drawn.category
    'geometry'
    """

    name: str
    difficulty: str
    step: FigureStep
    drawn: DrawnProgram


def synthesize(plan: SynthesisPlan) -> list[FigureStep]:
    """Make the figures of a plan, or go on where an earlier command stopped.

    Returns:
        Every figure that was asked for, accepted or not.

    Raises:
        InputError: A setting is wrong, the sandbox does not hold, or the folder holds another run.
        WorkError: The deadline or the limit of cost is reached; every answer is kept.
    """
    _check(plan)
    loaded = LoadedSubmission(NAME, _build_submission(plan), Path("ircore instances synthesize"))
    # The run folder keeps a copy of the conditions, so their own set may go.
    with tempfile.TemporaryDirectory() as folder, Studio() as studio:
        game = SynthesisGame(DrawnFigures(plan.out / FIGURES, studio))
        words = game.read_prompts(plan.prompts)
        instances = _build_conditions(plan, Path(folder) / "conditions")
        run = make_run(loaded, instances, plan.rules, words, plan.seed)
        players = make_players(game, loaded)
        run_folder = open_run(plan.out, run, instances)
        store_prices(run_folder.path, plan.prices)
        cost_limit = CostLimit(load_run_prices(run_folder), plan.max_cost)
        todo = PlayPlan(run, instances, instances.instances, words, plan.concurrency, plan.deadline)
        play(todo, run_folder, game, players, cost_limit)
    # Read from the record, which holds the figures of earlier commands, too.
    return [step for _, step in list_steps(run_folder)]


def build_model_player(option: str, model: str, base_url: str | None, api_key_env: str | None) -> PlayerSpec:
    """Return a model behind an OpenAI-compatible service as a player.

    Args:
        option: Option that named the model, for error messages.
        model: Its name at the service.
        base_url: Address of the service; None for OpenAI's own.
        api_key_env: Variable that holds the key; None for OPENAI_API_KEY, or for no key at a service on loopback.

    Raises:
        InputError: The address or the variable's name cannot be used.
    """
    key = api_key_env or (None if base_url and is_loopback(base_url) else "OPENAI_API_KEY")
    with convert_validation_errors(f"{option} {model}", "See: ircore instances synthesize --help"):
        return PlayerSpec(player="openai", model=model, base_url=base_url, api_key_env=key)


def _check(plan: SynthesisPlan) -> None:
    for kind, names, known in (
        ("category of programs", plan.categories, SYNTHETIC), ("difficulty", plan.difficulties, DIFFICULTIES),
    ):  # fmt: skip
        for name in names:
            if name not in known:
                raise build_unknown_name_error(kind, name, known)
    # Before any model is asked, because answers may cost money.
    require_sandbox()


def _build_submission(plan: SynthesisPlan) -> Submission:
    with convert_validation_errors(
        "ircore instances synthesize --licence", "Give an SPDX identifier, such as CC0-1.0."
    ):
        return Submission(
            schema_=1, game=NAME, name="Targets written by models", licence=plan.licence,
            describer=plan.describer, coder=plan.coder,
        )  # fmt: skip


def _build_conditions(plan: SynthesisPlan, folder: Path) -> InstanceSet:
    """Return the conditions as an instance set: an episode for each."""
    instances = [
        Instance.model_validate({
            "instance_id": f"{category}-{difficulty}", "game": NAME, "category": category, "difficulty": difficulty,
            "source": "a condition of targets to be made", "licence": plan.licence,
            "payload": FigureCondition(count=plan.count).model_dump(),
        })
        for category, difficulty in plan.conditions
    ]  # fmt: skip
    return write_instances(folder, ((instance, {}) for instance in instances))


def open_synthesis(path: Path) -> RunFolder:
    """Open a folder that ``ircore instances synthesize`` made.

    Raises:
        InputError: It is none.
    """
    folder = RunFolder(path)
    if folder.game != NAME:
        raise InputError(f"{path}: not a folder of figures made by models", "Name one of: ircore instances synthesize")
    return folder


def list_steps(folder: RunFolder) -> Iterator[tuple[tuple[str, str], FigureStep]]:
    """Yield category and difficulty with each figure of the conditions that are finished."""
    for episode in folder.episodes():
        for step in episode.steps:
            yield (episode.category, episode.difficulty), FigureStep.model_validate(step)


def list_candidates(folder: RunFolder) -> list[FigureCandidate]:
    """Return the figures that passed the checks, in the order of their names."""
    figures = DrawnFigures(folder.path / FIGURES)
    passed = []
    for (category, difficulty), step in list_steps(folder):
        drawn = None if step.key is None else figures.read_stored(step.key)
        if drawn is not None:
            name = format_figure_name(category, "easy" if difficulty == "easy" else "hard", step.number)
            passed.append(FigureCandidate(name, difficulty, step, drawn))
    return passed


def build_instance(folder: RunFolder, candidate: FigureCandidate) -> Instance:
    """Return the record of a figure that a person accepted."""
    players, drawn = folder.run.submission.players, candidate.drawn
    return Instance.model_validate({
        "instance_id": candidate.name, "category": drawn.category, "difficulty": candidate.difficulty,
        "game": DEFAULT_GAME, "payload": {"scene": drawn.scene and drawn.scene.model_dump(mode="json")},
        "pictures": {"target": {
            "image": f"images/{candidate.name}.png", "sha256": drawn.picture, "width": drawn.width,
            "height": drawn.height,
        }},
        "seed": drawn.seed, "licence": folder.run.submission.licence,
        "source": f"described by {players['describer'].label}, programmed by {players['coder'].label}",
    })  # fmt: skip


def write_review(folder: RunFolder, out: Path) -> int:
    """Write the review page of all figures that passed the checks; return their number.

    Args:
        folder: As ``ircore.runs.synthesis.open_synthesis`` returns it.
        out: The page's folder; it must not exist or be empty.

    Raises:
        InputError: The folder holds something, or a picture is damaged.
    """
    return write_page(out, folder.run.run_id, _list_review_entries(folder))


def _list_review_entries(folder: RunFolder) -> Iterator[tuple[ReviewEntry, bytes]]:
    drawn = DrawnFigures(folder.path / FIGURES)
    for candidate in list_candidates(folder):
        picture = drawn.picture(candidate.drawn)
        yield _build_entry(candidate, picture.sha256), picture.data


def _build_entry(candidate: FigureCandidate, sha256: str) -> ReviewEntry:
    drawn, scene = candidate.drawn, candidate.drawn.scene
    number = 0 if scene is None else len(scene.elements)
    texts = 0 if scene is None else sum(element.text is not None for element in scene.elements)
    return ReviewEntry(
        name=candidate.name,
        file=f"{candidate.name}.png",
        sha256=sha256,
        width=drawn.width,
        height=drawn.height,
        summary=candidate.step.summary,
        read=f"{format_count(number, 'element')} read off it, {texts} of them texts; "
        f"{format_count(len(candidate.step.faults), 'earlier try', 'earlier tries')}",
        description=candidate.step.description,
        program=drawn.program,
        unread=tuple(f"not read: {reason}" for reason in drawn.unread),
    )


def write_accepted_set(folder: RunFolder, decisions: Path, out: Path) -> InstanceSet:
    """Write the instance set of the figures that a person accepted.

    Args:
        folder: As ``ircore.runs.synthesis.open_synthesis`` returns it.
        decisions: File that the review page saved.
        out: The set's folder; it must not exist or be empty.

    Raises:
        InputError: The decisions are of other figures, or none was accepted.
    """
    known = {candidate.name: candidate for candidate in list_candidates(folder)}
    pictures = {name: picture for name, candidate in known.items() if (picture := candidate.drawn.picture)}
    taken = [known[name] for name in read_accepted_names(decisions, folder.run.run_id, pictures)]
    return write_instances(out, _build_instances(folder, taken))


def _build_instances(folder: RunFolder, taken: list[FigureCandidate]) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    drawn = DrawnFigures(folder.path / FIGURES)
    for candidate in taken:
        yield build_instance(folder, candidate), {"target": drawn.picture(candidate.drawn)}
