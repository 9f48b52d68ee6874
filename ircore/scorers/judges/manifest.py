"""A model as judge, described by a manifest, and what it is asked: ``ircore score --judge FILE``."""

from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, StringConstraints

from ircore.core.errors import InputError
from ircore.core.files import compute_prompts_version, read_prompts
from ircore.core.images import Picture
from ircore.core.plugins import find_package_version, list_available, load_plugin
from ircore.core.records import Line, Name, PlayerSpec, Record, list_scene_categories
from ircore.core.score_records import HUMAN, SCORE_RULE, JudgeIdentity
from ircore.core.strict_yaml import read_mapping
from ircore.core.validation import convert_validation_errors
from ircore.instances.targets import DRAWN
from ircore.players.base import Captioned, JudgingPlayer
from ircore.players.submission import build_player
from ircore.players.traits import find_model_family, select_deciding_settings
from ircore.runs.folder import RunFolder
from ircore.runs.judge_questions import hash_identity

_REPAIR = ("{problem}", "{form}")
RATINGS = {"similarity": (), "preference": (), "repair": _REPAIR}
"""The texts of a judge that rates, by name, and what each must have a place for."""
FACTS = {"facts": ("{sentences}",), "repair": _REPAIR}
"""The texts of a judge that checks facts."""

Asks = Literal["ratings", "facts"]
"""What a judge is asked: how alike two pictures are, or which sentences are true of one."""

PAIR = ("Picture A, the original:", "Picture B:")
TRIPLET = ("The original:", "Picture A:", "Picture B:")
ALONE = ("The picture:",)
"""Words before each picture."""


@dataclass(frozen=True)
class JudgePrompts:
    """The prompts of a judge.

    Attributes:
        version: Name of the set and a hash of its texts and captions: part of the judge's identity.
        similarity: Asks for a whole number 0–10 for a pair of pictures.
        preference: Asks for A or B.
        facts: Asks which numbered sentences (``{sentences}``) are true of a picture.
        repair: Says what was wrong with an answer (``{problem}``) and what it must look like (``{form}``).

    Example:
        >>> words = JudgePrompts("mine", "Rate 0 to 10.", "Which is nearer?", "Again: {problem}. Answer as {form}.")
        >>> words.version
        'mine'
    """

    version: str
    similarity: str = ""
    preference: str = ""
    repair: str = ""
    facts: str = ""

    def format_repair(self, problem: str, form: str) -> str:
        """Return the request for repair to a judge whose answer cannot be used."""
        # The problem last: it quotes the model's answer, in which a "{form}" must not be filled in.
        return self.repair.replace("{form}", form).replace("{problem}", problem)


def load_judge_prompts(folder: Path | None = None, asks: Asks = "ratings") -> JudgePrompts:
    """Read the prompts of a judge.

    Args:
        folder: A folder with ``similarity.txt``, ``preference.txt`` and ``repair.txt``, or with ``facts.txt`` and
            ``repair.txt``; the built-in ones if None.
        asks: What it is asked.

    Raises:
        InputError: A file is missing, too large, not UTF-8, empty, or lacks a place for what it must tell.
    """
    places, captions = (FACTS, ALONE) if asks == "facts" else (RATINGS, (*PAIR, *TRIPLET))
    texts = read_prompts(places, files("ircore.scorers.judges") / "prompt_texts", folder, "prompts: of the judge")
    return JudgePrompts(compute_prompts_version([*texts.values(), *captions], folder), **texts)


def caption_pictures(*pictures: Picture) -> tuple[Captioned, ...]:
    """Return pictures with their captions: target and one rendering, or two; one rendering alone for facts."""
    captions = {1: ALONE, 2: PAIR, 3: TRIPLET}[len(pictures)]
    return tuple(map(Captioned, captions, pictures))


FORMAT = "See docs/judges.md for the format."
BATCH = 25
"""Sentences in one question to a judge of facts, unless its file says otherwise."""
SEAT = ("player", "model", "base_url", "api_key_env", "parameters")


class _JudgeManifest(Record):
    """Content of the file."""

    schema_: Literal[1] = Field(alias="schema", description="Version of this format.")
    name: Annotated[Name, StringConstraints(max_length=60)] = Field(description="In scores; one name, one judge.")
    label: Line = Field(description="Shown on boards.")
    family: Name | None = Field(default=None, description="The model's line, such as gpt; else told by its name.")
    player: Name = Field(description="Entry-point name in the group ircore.players.")
    model: Line = Field(description="As its provider names it.")
    base_url: Line | None = Field(default=None, description="https, or http on loopback.")
    api_key_env: Line | None = Field(default=None, description="Name of the environment variable that holds the key.")
    parameters: dict[str, JsonValue] = Field(default_factory=dict, description="Passed to the player.")
    asks: Asks = Field(default="ratings", description="ratings of pictures, or which facts of a target they show.")
    batch: int | None = Field(
        default=None, ge=5, le=60, description="Of facts: sentences in one question, planted ones included; else 25."
    )
    prompts: Line | None = Field(default=None, description="Folder of other prompts, relative to this file.")
    categories: tuple[Name, ...] | None = Field(
        default=None, min_length=1, description="The categories of pictures that it is asked about; all if left out."
    )


@dataclass(frozen=True)
class LoadedJudge:
    """A judge that is a model.

    Attributes:
        path: Its file.
        spec: Who is asked, the name of the key's variable included.
        prompts: With which words.
        identity: Who it is in scores: the same without that name and without parameters that change no answer.
        package: Name and version of the package that asks it; None for one of this project's.
        asks: What it is asked.
        batch: Of facts: sentences in one question.

    Example:
        >>> lines = ["schema: 1", "name: strict", "label: Strict", "player: openai", "model: m", "api_key_env: MY_KEY"]
        >>> with open("judge.yaml", "w") as file:
        ...     print(*lines, sep=chr(10), file=file)
        >>> read_judge(Path("judge.yaml")).name
        'strict'
    """

    path: Path
    spec: PlayerSpec
    prompts: JudgePrompts
    identity: JudgeIdentity
    package: str | None = None
    asks: Asks = "ratings"
    batch: int = BATCH

    @property
    def name(self) -> str:
        """Name of the judge, as in scores."""
        return self.identity.name

    @cached_property
    def asked_as(self) -> str:
        """Hash of who is asked and with which words; how scores follow from the answers changes nothing."""
        return hash_identity(self.identity.model_copy(update={"version": self.package}))

    def identity_in(self, run: RunFolder) -> JudgeIdentity:
        """Return who the judge is in a run: one of facts rates the categories whose targets have scenes there."""
        if self.asks == "ratings" or self.identity.categories is not None:
            return self.identity
        scened = list_scene_categories(run.instances.instances)
        categories = (*DRAWN, *sorted(set(scened) - set(DRAWN)))
        return self.identity.model_copy(update={"categories": categories})

    def make_player(self) -> JudgingPlayer:
        """Make who is asked.

        Raises:
            InputError: It does not take these settings, or the key is not in the environment.
        """
        try:
            player: JudgingPlayer = build_player(self.spec)
        except InputError as error:
            raise InputError(f"{self.path}: {error.problem}", error.remedy) from error
        return player


def is_judge_file(judge: str) -> bool:
    """Return whether ``--judge`` names a file rather than an installed judge."""
    # An entry point's name has neither, so an installed judge is never taken for a file.
    return judge.endswith((".yaml", ".yml")) or "/" in judge


def is_judge_manifest(path: Path) -> bool:
    """Return whether a manifest is a judge's rather than a submission's: a judge's names a player at its top level.

    Raises:
        InputError: It is there and not YAML.
    """
    return path.is_file() and "player" in read_mapping(path, "", FORMAT)


def read_judge(path: Path) -> LoadedJudge:
    """Read and check a judge's manifest; the judge's API key is not needed.

    Raises:
        InputError: It is missing, too large, not YAML, or does not fit the schema; its player is unknown, does not
            judge or does not take these settings; its name is taken; or its prompts cannot be used.
    """
    document = read_mapping(path, "Name the file of a judge, or an installed judge.", FORMAT)
    with convert_validation_errors(path, FORMAT):
        manifest = _JudgeManifest.model_validate(document)
        spec = PlayerSpec.model_validate({key: document[key] for key in SEAT if key in document})
    # Scores carry the name alone: two judges of one name could not be told apart on boards.
    if manifest.name == HUMAN or manifest.name in list_available("judges"):
        raise InputError(f"{path}: name: another judge is called {manifest.name!r}", "Choose another name.")
    if manifest.batch is not None and manifest.asks != "facts":
        raise InputError(f"{path}: batch: only sentences come in batches", "Leave it out, or write asks: facts.")
    _check_player(path, spec)
    prompts = load_judge_prompts(path.parent / manifest.prompts if manifest.prompts else None, manifest.asks)
    named = find_package_version("players", spec.player)
    package = None if named is None else " ".join(named)
    batch, words, version = manifest.batch or BATCH, prompts.version, package
    if manifest.asks == "facts":
        words = f"facts, {words}, {batch} sentences a question"
        # Answers outlive a new rule; scores under two rules must not share a name.
        version = ", ".join(part for part in (package, f"score rule {SCORE_RULE}") if part)
    identity = JudgeIdentity(
        name=manifest.name,
        label=manifest.label,
        kind="model",
        family=manifest.family or find_model_family(manifest.model),
        player=select_deciding_settings(spec),
        prompts=words,
        version=version,
        categories=manifest.categories,
    )
    return LoadedJudge(path, spec, prompts, identity, package, manifest.asks, batch)


def _check_player(path: Path, spec: PlayerSpec) -> None:
    player: Any = load_plugin("players", spec.player, f"{path}: player")
    if not hasattr(player, "judge"):
        raise InputError(f"{path}: player: {spec.player} does not judge", "Name another player, such as openai.")
    try:
        # A player without ``check`` is made instead: its constructor refuses settings that do not fit.
        getattr(player, "check", player)(spec)
    except InputError as error:
        raise InputError(f"{path}: {error.problem}", error.remedy) from error
