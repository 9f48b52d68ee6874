"""The few questions behind a new manifest: each answer is checked at once, by the rules of the real check."""

import shlex
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, NamedTuple

from ircore.core.errors import InputError
from ircore.core.plugins import list_available, list_builtin
from ircore.core.records import DEFAULT_GAME
from ircore.core.submission_records import build_game_field
from ircore.games.base import Seat
from ircore.games.registry import load_game
from ircore.players.base import RECORDED
from ircore.players.traits import answer_problem, list_project_players, load_traits
from ircore.submissions.addresses import OPENAI_HOST, AddressError, find_service_key, read_address
from ircore.submissions.check.submission import OtherSubmission
from ircore.submissions.drafts import LICENCE, check_answers, find_author, parse_parameter, player_label, player_specs
from ircore.submissions.findings import Finding

Ask = Callable[[str, str], str]
"""Shows a question and a proposed answer, which may be empty, and returns what was typed, or the proposal."""

Say = Callable[[str], None]
"""Shows a line."""

MOST_TRIES = 5


class QuestionContext(NamedTuple):
    """The conditions under which questions are asked.

    >>> context = QuestionContext("my-pair", (), ask=None, say=print)
    >>> complete({"describer": {"player": "classical"}, "generator": {"player": "canvas"}}, context)["name"]
    'classical + canvas'
    """

    slug: str
    """The folder's name."""

    neighbours: tuple[OtherSubmission, ...]
    """The other submissions."""

    ask: Ask | None
    """How; None where nobody can be asked."""

    say: Say
    """Shows a line to the user."""

    local: bool = False
    """The pair stays on its author's machine."""

    game: str = DEFAULT_GAME
    """The game that will be played."""


def _parse_several(text: str) -> Any:
    return [part.strip() for part in text.split(",") if part.strip()]


def _parse_links(text: str) -> Any:
    return {"paper" if "arxiv.org" in text or "doi.org" in text else "code": text}


def _parse_settings(text: str) -> Any:
    try:
        return dict(parse_parameter(setting, "settings") for setting in shlex.split(text))
    except ValueError as error:
        raise InputError(
            "settings: a quotation mark is not closed", "Write them as temperature=0 top_p=0.9."
        ) from error


class ManifestQuestion(NamedTuple):
    """A question about a field of a new manifest.

    >>> ManifestQuestion(("authors",), "Authors, separated by commas", read=_parse_several).read("Ada, Grace")
    ['Ada', 'Grace']
    """

    path: tuple[str, ...]
    """The field that its answer fills."""

    text: str
    """The question."""

    proposal: str = ""
    """Proposed answer; taken where nobody can be asked."""

    option: str = ""
    """The option that answers it; empty where no answer is needed."""

    read: Callable[[str], Any] = str
    """From what was typed to what stands in the manifest; InputError if it cannot be read."""

    about: str = ""
    """Text that is shown once before the question."""


def complete(stated: Mapping[str, Any], context: QuestionContext) -> dict[str, Any]:
    """Complete a manifest: missing fields are asked for, or filled with known values.

    Args:
        stated: Parts of a manifest, from options.
        context: The ways to ask and to report.

    Raises:
        InputError: A stated part is wrong, or something is missing and nobody can be asked.
    """
    game = load_game(context.game, "--game")
    answers: dict[str, Any] = {"schema": 1, **build_game_field(game.name)}
    # Options go first: only what they leave open is asked for.
    answers |= stated
    seats = [seat for seat in game.seats if not seat.when or answers.get("rules", {}).get(seat.when)]
    answers |= {seat.name: dict(answers.get(seat.name, {})) for seat in seats}
    if "rules" in stated:
        _refuse(answers, "rules", context)
    for seat in seats:
        _settle_seat(answers, seat, context)
    name = _name(answers, context)
    _settle(answers, ManifestQuestion(("name",), "Name of the pair, shown on its page", name, "--name NAME"), context)
    author = find_author() or ""
    _settle(
        answers, ManifestQuestion(("authors",), "Authors, separated by commas", author, read=_parse_several), context
    )
    licence = "Licence of its messages and pictures, as SPDX writes it"
    _settle(answers, ManifestQuestion(("licence",), licence, LICENCE, "--licence SPDX"), context)
    if any("model" in spec for spec in player_specs(answers).values()):
        about = "What the models run on, or whose service it is. Empty: not said."
        _settle(answers, ManifestQuestion(("hardware",), "Hardware or service", about=about), context)
        answers.setdefault("dates", {"submitted": date.today()})  # noqa: DTZ011 - the user's own day
    about = "Code or paper, on github.com, huggingface.co, arxiv.org or another listed host. Empty: none."
    _settle(answers, ManifestQuestion(("links",), "Link", read=_parse_links, about=about), context)
    if proposed := game.proposed_rules(player_specs(answers)):
        rules = answers.setdefault("rules", {})
        answers["rules"] = {**rules, **{name: value for name, value in proposed.items() if name not in rules}}
        _refuse(answers, "rules", context)
    return answers


def _name(answers: Mapping[str, Any], context: QuestionContext) -> str:
    """Propose a name: the players' names, with the folder's name where another pair has that name already."""
    label = " + ".join(map(player_label, player_specs(answers).values()))
    taken = any(other.name == label and other.slug != context.slug for other in context.neighbours)
    return f"{label}, {context.slug}" if taken else label


def _seat_option(seat: Seat[Any, Any], field: str, value: str) -> str:
    """Return the option that states a field of a seat; ``field`` is empty for the player itself."""
    return f"--player {seat.name}{f'.{field}' if field else ''}={value}"


def _settle_seat(answers: dict[str, Any], seat: Seat[Any, Any], context: QuestionContext) -> None:
    path = (seat.name,)
    option = _seat_option(seat, "", "PLAYER")
    _settle(
        answers,
        ManifestQuestion((*path, "player"), f"The {seat.name}'s player", "", option, about=_describe_seat(seat)),
        context,
    )
    spec = player_specs(answers)[seat.name]
    if spec["player"] == RECORDED:
        source = ManifestQuestion(
            (*path, "source"), "Whose recorded answers, such as human", "", _seat_option(seat, "source", "SOURCE")
        )
        _settle(answers, source, context)
    elif spec["player"] in list_project_players("service", seat.method):
        _settle_service(answers, seat, context)
    _refuse(answers, ".".join(path), context)


def _describe_seat(seat: Seat[Any, Any]) -> str:
    """Describe the task of a seat and the players that can take the seat."""
    offline, services = (
        [
            name
            for name in list_project_players(needs, seat.method)
            if not answer_problem(name, seat.method, seat.answers)
        ]
        for needs in ("nothing", "service")
    )
    others = sorted(list_available("players").keys() - list_builtin("players"))
    who = [
        *([f"Offline: {', '.join(offline)}."] if offline else []),
        *([f"A model behind a service: {', '.join(services)}."] if services else []),
        *(["Recorded answers: recorded."] if seat.recorded else []),
        f"Of other packages: {', '.join(others)}." if others else "Or a player that you installed.",
    ]
    return f"The {seat.name} sees {seat.sees}, and answers with a {seat.answers}. {' '.join(who)}"


def _settle_service(answers: dict[str, Any], seat: Seat[Any, Any], context: QuestionContext) -> None:
    spec, path = player_specs(answers)[seat.name], (seat.name,)
    option = _seat_option(seat, "model", "MODEL")
    _settle(answers, ManifestQuestion((*path, "model"), "Its model, as the service names it", "", option), context)
    about = (
        "Where the service is, such as https://openrouter.ai/api/v1; a server of your own: http://127.0.0.1:8000/v1. "
        "Empty: OpenAI's."
    )
    _settle(answers, ManifestQuestion((*path, "base_url"), "Address", about=about), context)
    if str(spec.get("base_url", "")).startswith("http://") and not context.local:
        context.say(
            f"The {seat.name} is on a server of your own, which maintainers cannot reach: the entry is self-reported, "
            "without a rank, until you play it and name its transcripts."
        )
    if (host := _find_host(spec)) is not None:
        about = "Environment variable that holds the key: its name, never the key."
        option = _seat_option(seat, "key", "VARIABLE")
        key = ManifestQuestion((*path, "api_key_env"), "Variable", find_service_key(host) or "", option, about=about)
        _settle(answers, key, context)
    about = "Version of the model, so that others can repeat it: commit, snapshot or date. Empty: not known."
    _settle(answers, ManifestQuestion((*path, "revision"), "Version", about=about), context)
    example = load_traits(str(spec["player"])).example
    about = f"What else it is told, such as {example}. Empty: the service's defaults, which change."
    _settle(answers, ManifestQuestion((*path, "parameters"), "Settings", read=_parse_settings, about=about), context)


def _find_host(spec: Mapping[str, Any]) -> str | None:
    """Return the host whose key is needed; None for the submitter's own server."""
    if "base_url" not in spec:
        return OPENAI_HOST
    try:
        address = read_address(spec["base_url"])
    except AddressError:
        return None
    return address.host if address.scheme == "https" else None


def _settle(answers: dict[str, Any], question: ManifestQuestion, context: QuestionContext) -> None:
    """Put an answer into the manifest, unless the field is filled already.

    Raises:
        InputError: It is wrong or missing, and nobody can be asked (again).
    """
    holder, key = answers, question.path[-1]
    for part in question.path[:-1]:
        holder = holder[part]
    name = ".".join(question.path)
    if key in holder:
        _refuse(answers, name, context)
    elif context.ask is None:
        _fill(answers, holder, question, context)
    else:
        if question.about:
            context.say(f"\n{question.about}")
        for _ in range(MOST_TRIES):
            if _ask_once(answers, holder, question, context, context.ask):
                return
        raise InputError(f"{name}: no usable answer", "Look at docs/submit.md and begin again.")


def _fill(
    answers: dict[str, Any], holder: dict[str, Any], question: ManifestQuestion, context: QuestionContext
) -> None:
    """Take the proposal where nobody can be asked."""
    name, key = ".".join(question.path), question.path[-1]
    if question.proposal:
        holder[key] = question.read(question.proposal)
        if question.option:
            _refuse(answers, name, context)
        # A proposal for a field that may stay empty is left out rather than refused.
        elif _check_answers(answers, name, context):
            del holder[key]
    elif question.option:
        raise InputError(f"{name}: is missing", f"Give {question.option}, or run this at a terminal.")


def _ask_once(
    answers: dict[str, Any], holder: dict[str, Any], question: ManifestQuestion, context: QuestionContext, ask: Ask
) -> bool:
    """Ask once; return whether the question is settled."""
    typed, key = ask(question.text, question.proposal).strip(), question.path[-1]
    if not typed:
        if question.option:
            context.say("  Something has to stand here.")
        return not question.option
    try:
        holder[key] = question.read(typed)
    except InputError as error:
        context.say(f"  {error.problem}. {error.remedy}")
        return False
    wrong = _check_answers(answers, ".".join(question.path), context)
    # A few at a time, because one mistake can cause several findings.
    for finding in wrong[:3]:
        context.say(f"  {finding.field}: {finding.problem}. {finding.remedy}")
    if wrong:
        del holder[key]
    return not wrong


def _check_answers(answers: Mapping[str, Any], field: str, context: QuestionContext) -> list[Finding]:
    # Fields that are empty so far are asked for later, and no fault yet.
    known = {key: value for key, value in answers.items() if value}
    return check_answers(known, field, context.slug, context.neighbours, context.local)


def _refuse(answers: Mapping[str, Any], field: str, context: QuestionContext) -> None:
    """Refuse a field with a fault.

    Raises:
        InputError: Something is.
    """
    for finding in _check_answers(answers, field, context):
        raise InputError(f"{finding.field}: {finding.problem}", finding.remedy)
