"""The few questions behind a new manifest: each answer is checked at once, by the rules of the real check."""

import shlex
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, NamedTuple

from ircore.core.errors import InputError
from ircore.players.traits import traits_of
from ircore.submissions.addresses import OPENAI_HOST, AddressError, read_address, service_key
from ircore.submissions.check.findings import Finding
from ircore.submissions.check.seats import OFFLINE, SEATS, SERVICES, Seat
from ircore.submissions.check.submission import Neighbour
from ircore.submissions.drafts import LICENCE, known_author, parameter, player_label, problems_with

Ask = Callable[[str, str], str]
"""Shows a question and a proposed answer, which may be empty, and returns what was typed, or the proposal."""

Say = Callable[[str], None]
"""Shows a line."""

MOST_TRIES = 5

_TASKS: Mapping[Seat, str] = {
    "describer": "The describer sees the picture and writes.",
    "generator": "The generator reads and draws.",
}


class Context(NamedTuple):
    """What questions are asked with."""

    slug: str
    """The folder's name."""

    neighbours: tuple[Neighbour, ...]
    """The other submissions."""

    ask: Ask | None
    """How; None where nobody can be asked."""

    say: Say
    """How problems are told."""

    local: bool = False
    """The pair stays on its author's machine."""


def _one(text: str) -> Any:
    return text


def _several(text: str) -> Any:
    return [part.strip() for part in text.split(",") if part.strip()]


def _links(text: str) -> Any:
    return {"paper" if "arxiv.org" in text or "doi.org" in text else "code": text}


def _settings(text: str) -> Any:
    try:
        return dict(parameter(one, "settings") for one in shlex.split(text))
    except ValueError as error:
        raise InputError(
            "settings: a quotation mark is not closed", "Write them as temperature=0 top_p=0.9."
        ) from error


class Question(NamedTuple):
    """One question."""

    path: tuple[str, ...]
    """The field that its answer fills."""

    text: str
    """The question."""

    proposal: str = ""
    """What is known already; taken where nobody can be asked."""

    option: str = ""
    """The option that answers it; empty where no answer is needed."""

    read: Callable[[str], Any] = _one
    """From what was typed to what stands in the manifest; InputError if it cannot be read."""

    about: str = ""
    """What is shown once before it."""


def complete(given: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """Complete a manifest: what is not given is asked for, or filled with what is known.

    Args:
        given: Parts of a manifest, from flags.
        context: How to ask.

    Raises:
        InputError: A given part is wrong, or something is missing and nobody can be asked.
    """
    answers: dict[str, Any] = {"schema": 1, **given, **{seat: dict(given.get(seat, {})) for seat in SEATS}}
    for seat in SEATS:
        _settle_seat(answers, seat, context)
    name = _name(answers, context)
    _settle(answers, Question(("name",), "Name of the pair, shown on its page", name, "--name NAME"), context)
    author = known_author() or ""
    _settle(answers, Question(("authors",), "Authors, separated by commas", author, read=_several), context)
    licence = "Licence of its messages and pictures, as SPDX writes it"
    _settle(answers, Question(("licence",), licence, LICENCE, "--licence SPDX"), context)
    if any("model" in answers[seat] for seat in SEATS):
        about = "What the models run on, or whose service it is. Empty: not said."
        _settle(answers, Question(("hardware",), "Hardware or service", about=about), context)
        answers["dates"] = {"submitted": date.today()}  # noqa: DTZ011 - the user's own day
    about = "Code or paper, on github.com, huggingface.co, arxiv.org or another listed host. Empty: none."
    _settle(answers, Question(("links",), "Link", read=_links, about=about), context)
    answers.setdefault("rules", {"token_budget": 200, "max_turns": 10})
    _refuse(answers, "rules", context)
    return answers


def _name(answers: Mapping[str, Any], context: Context) -> str:
    """Propose a name: the two players', with the folder's where another pair is called that already."""
    label = " + ".join(player_label(answers[seat]) for seat in SEATS)
    taken = any(one.name == label and one.slug != context.slug for one in context.neighbours)
    return f"{label}, {context.slug}" if taken else label


def _settle_seat(answers: dict[str, Any], seat: Seat, context: Context) -> None:
    offline, services = (
        ", ".join(name for name, home in known.items() if home == seat) for known in (OFFLINE, SERVICES)
    )
    about = f"{_TASKS[seat]} Offline: {offline}. A model behind a service: {services}. Or a player that you installed."
    _settle(answers, Question((seat, "player"), f"The {seat}'s player", "", f"--{seat} PLAYER", about=about), context)
    if answers[seat]["player"] in SERVICES:
        _settle_service(answers, seat, context)
    _refuse(answers, seat, context)


def _settle_service(answers: dict[str, Any], seat: Seat, context: Context) -> None:
    spec = answers[seat]
    model = Question((seat, "model"), "Its model, as the service names it", "", f"--{seat}-model MODEL")
    _settle(answers, model, context)
    about = (
        "Where the service is, such as https://openrouter.ai/api/v1; a server of your own: http://127.0.0.1:8000/v1. "
        "Empty: OpenAI's."
    )
    _settle(answers, Question((seat, "base_url"), "Address", about=about), context)
    if (host := _host(spec)) is not None:
        about = "Environment variable that holds the key: its name, never the key."
        key = Question(
            (seat, "api_key_env"), "Variable", service_key(host) or "", f"--{seat}-key VARIABLE", about=about
        )
        _settle(answers, key, context)
    about = "Version of the model, so that others can repeat it: commit, snapshot or date. Empty: not known."
    _settle(answers, Question((seat, "revision"), "Version", about=about), context)
    example = traits_of(str(spec["player"])).example
    about = f"What else it is told, such as {example}. Empty: the service's defaults, which change."
    _settle(answers, Question((seat, "parameters"), "Settings", read=_settings, about=about), context)


def _host(spec: Mapping[str, Any]) -> str | None:
    """Return the host whose key is needed; None for a server of one's own."""
    if "base_url" not in spec:
        return OPENAI_HOST
    try:
        address = read_address(spec["base_url"])
    except AddressError:
        return None
    return address.host if address.scheme == "https" else None


def _settle(answers: dict[str, Any], question: Question, context: Context) -> None:
    """Put an answer where it belongs, unless one is there.

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
            if _answered(answers, holder, question, context, context.ask):
                return
        raise InputError(f"{name}: no usable answer", "Look at docs/submit.md and begin again.")


def _fill(answers: dict[str, Any], holder: dict[str, Any], question: Question, context: Context) -> None:
    """Take the proposal where nobody can be asked."""
    name, key = ".".join(question.path), question.path[-1]
    if question.proposal:
        holder[key] = question.read(question.proposal)
        if question.option:
            _refuse(answers, name, context)
        elif _wrong(answers, name, context):
            del holder[key]
    elif question.option:
        raise InputError(f"{name}: is missing", f"Give {question.option}, or run this at a terminal.")


def _answered(answers: dict[str, Any], holder: dict[str, Any], question: Question, context: Context, ask: Ask) -> bool:
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
    wrong = _wrong(answers, ".".join(question.path), context)
    for one in wrong[:3]:
        context.say(f"  {one.field}: {one.problem}. {one.remedy}")
    if wrong:
        del holder[key]
    return not wrong


def _wrong(answers: Mapping[str, Any], field: str, context: Context) -> list[Finding]:
    given = {key: value for key, value in answers.items() if value}
    return problems_with(given, field, context.slug, context.neighbours, context.local)


def _refuse(answers: Mapping[str, Any], field: str, context: Context) -> None:
    """Refuse what is wrong with a field.

    Raises:
        InputError: Something is.
    """
    for one in _wrong(answers, field, context):
        raise InputError(f"{one.field}: {one.problem}", one.remedy)
