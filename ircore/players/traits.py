"""Traits of players: the only place that tells a player's needs, answers and costs; and families of models by name.

The patterns of the families stand in ``model_families.yaml``.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files

from ircore.core.errors import InputError
from ircore.core.plugins import list_available, list_builtin, load_plugin
from ircore.core.records import PlayerSpec
from ircore.players.base import AnswerKind, Traits

DRAWS_OFFLINE = Traits(needs="nothing", methods=("render",), parameters=())
DRAWS_WORDS_OFFLINE = replace(DRAWS_OFFLINE, methods=("render", "answer"), answers=("picture",))
DESCRIBES_OFFLINE = Traits(needs="nothing", methods=("describe",), parameters=())
DESCRIBES_WITH_OCR = Traits(needs="nothing", methods=("describe",))
REFERENCE = Traits(needs="nothing", methods=("describe",), parameters=(), reference=True)
SCENE = replace(REFERENCE, parameters=None)
PERSON = Traits(needs="person", methods=("describe", "render", "answer"), answers=("text", "picture", "choice"))
LOOKS_OFFLINE = Traits(needs="nothing", methods=("answer",), parameters=(), answers=("text", "choice"))
THINKS_OFFLINE = Traits(needs="nothing", methods=("answer",), parameters=(), answers=("text",))
EDITS_OFFLINE = Traits(needs="nothing", methods=("answer",), parameters=(), answers=("picture", "choice"))
EDITS_AS_REFERENCE = replace(EDITS_OFFLINE, reference=True)
CHOOSES_BY_WEIGHTS = Traits(needs="files", methods=("answer",), parameters=(), answers=("choice",))
WRITES_BY_WEIGHTS = Traits(
    needs="files", methods=("describe", "answer", "judge"), example="max_new_tokens=512", answers=("text", "choice")
)
DRAWS_BY_WEIGHTS = Traits(
    needs="files", methods=("render", "answer"), example="steps=30 width=512 height=512", answers=("picture",)
)
RECORDED_RUN = Traits(needs="files", methods=("describe", "render"), replays=True)
WRITING_SERVICE = Traits(
    needs="service",
    methods=("describe", "answer", "judge"),
    example="temperature=0",
    answers=("text", "choice"),
    fixes=(("temperature", "top_p", "reasoning_effort"),),
)
CHATTING_DRAWER = Traits(needs="service", methods=("render", "answer"), example="temperature=0", answers=("picture",))
DRAWING_SERVICE = replace(CHATTING_DRAWER, example="size=1024x1024 quality=medium", fixes=(("size",), ("quality",)))
CALLING_DRAWER = replace(DRAWING_SERVICE, draws_apart=True)


@cache
def load_traits(name: str) -> Traits:
    """Return the traits of a player by name.

    A player that is not installed, cannot be imported or declares nothing is taken to ask a service.

    Args:
        name: Of its entry point.
    """
    try:
        if name in list_available("traits"):
            declared = load_plugin("traits", name)
        elif name in list_available("players"):
            declared = getattr(load_plugin("players", name), "TRAITS", None)
        else:
            declared = None
    # The safe guess: a player that asks a service may cost money.
    except InputError:
        declared = None
    return declared if isinstance(declared, Traits) else Traits()


def select_deciding_settings(spec: PlayerSpec) -> PlayerSpec:
    """Return the settings of a player that decide its answers.

    Without the name of the key's variable, without what is merely known of the model, and without the parameters that
    the player's class names in ``IMMATERIAL``, such as timeouts: with others it is the same player.
    """
    immaterial = _list_immaterial(spec.player)
    parameters = {name: value for name, value in spec.parameters.items() if name not in immaterial}
    return spec.model_copy(update={"api_key_env": None, "about": None, "parameters": parameters})


@cache
def _list_immaterial(player: str) -> frozenset[str]:
    try:
        return frozenset(getattr(load_plugin("players", player), "IMMATERIAL", ()))
    # Of a player that is not installed nobody knows which parameters change no answer.
    except InputError:
        return frozenset()


def list_reference_players(players: Mapping[str, PlayerSpec]) -> tuple[str, ...]:
    """Return the reference players of a submission, see ``Traits.reference``."""
    return tuple(spec.player for spec in players.values() if load_traits(spec.player).reference)


def is_program(spec: PlayerSpec) -> bool:
    """Return whether a player is a program that comes with this project and asks no model, such as ``classical``."""
    # Told by the player, never by its label: a model may be called "classical".
    return _is_program(spec.player)


@cache
def _is_program(player: str) -> bool:
    return player in list_builtin("players") and load_traits(player).needs == "nothing"


def describe_programs(specs: Iterable[PlayerSpec]) -> str:
    """Say which players are programs of this project, so that nobody takes their numbers for those of AI models.

    Args:
        specs: Players of any number of runs.

    Returns:
        A sentence; empty if none of them is such a program.

    >>> describe_programs([PlayerSpec(player="classical"), PlayerSpec(player="openai", model="m", api_key_env="A_KEY")])
    'Programs that come with this project, no AI models: classical.'
    >>> describe_programs([PlayerSpec(player="classical"), PlayerSpec(player="canvas")])
    'No AI model has played yet: all players are programs that come with this project.'
    """
    players = tuple(specs)
    programs = sorted({spec.player for spec in players if is_program(spec)})
    if not programs:
        return ""
    if all(is_program(spec) for spec in players):
        return "No AI model has played yet: all players are programs that come with this project."
    return f"Programs that come with this project, no AI models: {', '.join(programs)}."


def answer_problem(name: str, method: str, answers: AnswerKind | None) -> str | None:
    """Return why a player cannot answer as a seat requires; None if the player can, or declares no traits.

    Args:
        name: Of the player.
        method: The method that the seat's questions go to.
        answers: The kind of answer that the seat expects; None if any kind is accepted.
    """
    known = load_traits(name).answers
    # Players of others may declare no kinds of answers; they are let through.
    if method != "answer" or answers is None or not known or answers in known:
        return None
    return f"{name} answers with {_IN_WORDS.get(known, ' or '.join(known))}, this seat with a {answers}"


_IN_WORDS = {("text", "choice"): "words or a choice", ("picture",): "pictures"}


def list_project_players(needs: str, method: str) -> tuple[str, ...]:
    """Return the players of this project that need something and have a seat's method, by name; no references."""
    return tuple(
        name
        for name in sorted(list_builtin("players"))
        if load_traits(name).needs == needs and method in load_traits(name).methods and not load_traits(name).reference
    )


def find_model_family(model: str) -> str | None:
    """Return the family of a model, such as ``gpt`` for ``openai/gpt-5.2``; None for unknown names.

    Args:
        model: As its provider names it.
    """
    families = [
        (match.start(), name) for name, pattern in _load_patterns().items() if (match := pattern.search(model.lower()))
    ]
    # Where several families match, the one that is named first in the model's name counts.
    return min(families)[1] if families else None


@cache
def _load_patterns() -> dict[str, re.Pattern[str]]:
    # Inside, since results need the families of models only where a model judges.
    from ircore.core.strict_yaml import load_own_mapping

    families: dict[str, list[str]] = load_own_mapping(files("ircore.players") / "model_families.yaml")["families"]
    # The look-arounds keep a family's name from matching inside a longer word.
    return {name: re.compile(rf"(?<![a-z0-9])(?:{'|'.join(words)})(?![a-z])") for name, words in families.items()}
