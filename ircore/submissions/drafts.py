"""Writing a new manifest: from the few questions behind it to a file that passes the check.

Each answer is checked at once, by the rules of the real check.
"""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.plugins import build_unknown_name_error, list_available, list_builtin
from ircore.core.records import DEFAULT_GAME
from ircore.core.strict_yaml import YamlError, parse_mapping, parse_value, read_yaml_bytes
from ircore.core.submission_records import build_game_field
from ircore.games.base import Seat
from ircore.games.registry import load_game
from ircore.players.base import RECORDED
from ircore.players.submission import FORMAT, MAINTAINERS, MANIFEST, SLUG_HELP, is_usable_slug
from ircore.players.traits import answer_problem, list_project_players, load_traits
from ircore.submissions.check.manifest import build_stand_ins
from ircore.submissions.check.seats import list_maintainer_players
from ircore.submissions.check.submission import OtherSubmission, Purpose, check_bytes
from ircore.submissions.findings import Finding, select_errors
from ircore.submissions.services import OPENAI_HOST, AddressError, find_service_key, read_address
from ircore.submissions.texts import split_names

SCHEMA = Path(__file__).with_name("submission.schema.json")
"""The manifest's JSON Schema as this version of the package has it; the site publishes the same."""

LICENCE = "CC-BY-4.0"
"""Proposed where no licence is named: of messages and renderings, not of models."""

FIELDS = {"model": "model", "revision": "revision", "url": "base_url", "key": "api_key_env", "source": "source"}
"""What may follow a seat's name in an option, and the manifest's field for it."""

_SEAT_ORDER = ("player", "model", "revision", "base_url", "api_key_env", "source", "parameters")
_FIRST = ("schema", "game", "name")
_ORDER = ("rules", "authors", "submitter", "links", "licence", "hardware", "dates")
_GITHUB = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([A-Za-z0-9-]+)/([A-Za-z0-9_.-]+?)(?:\.git)?/?")

Ask = Callable[[str, str], str]
"""Shows a question and a proposed answer, which may be empty, and returns what was typed, or the proposal."""

Say = Callable[[str], None]
"""Shows a line."""

MOST_TRIES = 5


def choose_new_folder(path: Path) -> Path:
    """Return the folder of a submission that is to be made, or gone on with.

    Args:
        path: The folder, or the manifest in it.

    Raises:
        InputError: Its name cannot be used.
    """
    folder = path.parent if path.name == MANIFEST else path
    name = Path(os.path.abspath(folder)).name  # noqa: PTH100 - the name as given, links not followed
    if not is_usable_slug(name):
        near = re.sub(r"[^a-z0-9_.-]+", "-", name.lower()).strip("-_.")[:80].rstrip("-_.")
        hint = f" Such as {near}." if is_usable_slug(near) else ""
        raise InputError(f"{folder}: the folder's name {name!r} cannot be used", f"{SLUG_HELP}{hint}")
    if name.startswith(MAINTAINERS):
        raise InputError(f"{folder}: names that begin with {MAINTAINERS} are the maintainers'", "Choose another name.")
    return folder


def read_draft(folder: Path) -> dict[str, Any]:
    """Return the fields of a folder's manifest so far; none without a manifest.

    Args:
        folder: The submission's.

    Raises:
        InputError: It cannot be read, or is no mapping.
    """
    path = folder / MANIFEST
    if not path.exists():
        return {}
    document = parse_mapping(read_yaml_bytes(path, "Make it readable."), str(path), FORMAT).mapping
    return {str(key): value for key, value in document.items()}


def check_answers(
    answers: Mapping[str, Any], field: str, slug: str, neighbours: tuple[OtherSubmission, ...] = (), local: bool = False
) -> list[Finding]:
    """Check answers as far as they go.

    Args:
        answers: Parts of a manifest.
        field: The field just answered, such as ``describer.model``: only errors in it are returned.
        slug: The folder's name.
        neighbours: The other submissions.
        local: Whether the pair stays on its author's machine.
    """
    # Stand-ins for what is not answered yet, so that only the answers can be at fault.
    required = build_stand_ins(load_game(str(answers.get("game", DEFAULT_GAME))))
    purpose = find_purpose(answers, local)
    data = _dump_document({**required, **answers}).encode()
    findings = select_errors(check_bytes(data, MANIFEST, slug, neighbours, purpose).findings)
    if purpose.unplayed and not local:
        # A player of the submitter's own is here, and says which seat and settings it takes.
        findings += select_errors(check_bytes(data, MANIFEST, slug, (), Purpose(True)).findings)
    below = (f"{field}.", f"{field}[")
    problems = [finding for finding in findings if finding.field == field or finding.field.startswith(below)]
    return list(dict.fromkeys(problems))


def find_purpose(answers: Mapping[str, Any], local: bool) -> Purpose:
    """Return the purpose with which a new manifest is checked.

    A pair that maintainers cannot play, since a server or a player is the submitter's own, waits for its transcripts.

    Args:
        answers: Parts of it.
        local: Whether the pair stays on its author's machine.
    """
    specs = build_player_specs(answers)
    own = list_available("players").keys() - list_maintainer_players(str(answers.get("game", DEFAULT_GAME)))
    unplayed = any(
        str(spec.get("base_url", "")).startswith("http://") or spec.get("player") in own for spec in specs.values()
    )
    return Purpose(local, unplayed=unplayed)


def build_player_specs(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the players of a manifest, or of parts of a manifest, by seat."""
    seats = load_game(str(answers.get("game", DEFAULT_GAME))).seats
    return {seat.name: answers[seat.name] for seat in seats if seat.name in answers}


def format_manifest(document: Mapping[str, Any], schema: str | None) -> str:
    """Return the text of a manifest.

    Args:
        document: Content of the manifest.
        schema: Address of the JSON Schema for editors; None for no hint.
    """
    hint = f"# yaml-language-server: $schema={schema}\n" if schema else ""
    seats = {
        seat: {key: spec[key] for key in _SEAT_ORDER if key in spec}
        for seat, spec in build_player_specs(document).items()
    }
    ordered = {key: document[key] for key in _FIRST if key in document} | seats
    ordered |= {key: document[key] for key in _ORDER if key in document}
    return f"{hint}{_dump_document(ordered | {key: value for key, value in document.items() if key not in ordered})}"


def write_manifest(folder: Path, text: str) -> Path:
    """Write a manifest, whole or not at all, and return its path."""
    write_text(folder / MANIFEST, text)
    return folder / MANIFEST


def find_schema_address(folder: Path, site: str | None) -> str | None:
    """Return where an editor finds the manifest's JSON Schema.

    Args:
        folder: The submission's folder.
        site: The site's address, if it is known.

    Returns:
        On that site; else on the pages of the GitHub repository that the folder's clone comes from; else in the same
        checkout, relative to the folder; else None.
    """
    site = site or os.environ.get("IRCORE_SITE_URL") or _find_pages_address(folder)
    if site:
        return f"{site.rstrip('/')}/schemas/submission.json"
    checkout = SCHEMA.parents[2]
    place = Path(os.path.abspath(folder))  # noqa: PTH100 - as given, links not followed
    return os.path.relpath(SCHEMA, place).replace(os.sep, "/") if place.is_relative_to(checkout) else None


def find_author() -> str | None:
    """Return the user's name in git's settings; None if git knows no name."""
    return _run_git(Path(), "config", "user.name")


def format_player_label(seat: Mapping[str, Any]) -> str:
    """Return the label of a player on boards."""
    return str(seat.get("model") or seat.get("player"))


def parse_parameter(text: str, option: str) -> tuple[str, Any]:
    """Read ``NAME=VALUE``; the value as in YAML.

    Raises:
        InputError: It is something else.
    """
    name, equals, value = text.partition("=")
    if not (equals and name.strip()):
        raise InputError(f"{option} {text!r}: not NAME=VALUE", "Write it as temperature=0.")
    try:
        return name.strip(), parse_value(value, f"{option} {name}")
    except YamlError as error:
        raise InputError(f"{option} {name}: {error.detail}", error.remedy or "Put it in quotes.") from error


def read_players(seats: Iterable[str], options: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the settings of a game's players that command-line options state, by seat.

    Args:
        seats: Names of the game's seats.
        options: ``SEAT=PLAYER``, ``SEAT.FIELD=VALUE`` or ``SEAT.parameter.NAME=VALUE``.

    Raises:
        InputError: There is no such seat or field.
    """
    names = tuple(seats)
    specs: dict[str, dict[str, Any]] = {}
    for text in options:
        path, value = parse_parameter(text, "--player")
        seat, _, field = path.partition(".")
        if seat not in names:
            raise build_unknown_name_error("seat", seat, names, "--player")
        kind, _, name = field.partition(".")
        if not field:
            specs.setdefault(seat, {})["player"] = value
        elif kind == "parameter" and name:
            specs.setdefault(seat, {}).setdefault("parameters", {})[name] = value
        elif field in FIELDS:
            specs.setdefault(seat, {})[FIELDS[field]] = str(value)
        else:
            raise build_unknown_name_error("field", field, [*FIELDS, "parameter.NAME"], f"--player {seat}")
    return specs


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


class ManifestQuestion(NamedTuple):
    """A question about a field of a new manifest.

    >>> ManifestQuestion(("authors",), "Authors, separated by commas", read=split_names).read("Ada, Grace")
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
    _settle(answers, ManifestQuestion(("authors",), "Authors, separated by commas", author, read=split_names), context)
    licence = "Licence of its messages and pictures, as SPDX writes it"
    _settle(answers, ManifestQuestion(("licence",), licence, LICENCE, "--licence SPDX"), context)
    if any("model" in spec for spec in build_player_specs(answers).values()):
        about = "What the models run on, or whose service it is. Empty: not said."
        _settle(answers, ManifestQuestion(("hardware",), "Hardware or service", about=about), context)
        answers.setdefault("dates", {"submitted": date.today()})  # noqa: DTZ011 - the user's own day
    about = "Code or paper, on github.com, huggingface.co, arxiv.org or another listed host. Empty: none."
    _settle(answers, ManifestQuestion(("links",), "Link", read=_parse_links, about=about), context)
    if proposed := game.propose_rules(build_player_specs(answers)):
        rules = answers.setdefault("rules", {})
        answers["rules"] = {**rules, **{name: value for name, value in proposed.items() if name not in rules}}
        _refuse(answers, "rules", context)
    return answers


def _find_pages_address(folder: Path) -> str | None:
    """Return the address of the pages of the GitHub repository that a clone comes from."""
    there = next((parent for parent in (folder, *folder.parents) if parent.is_dir()), Path())
    # In a clone of a fork, origin is the fork and upstream the repository itself.
    for remote in ("upstream", "origin"):
        repository = _GITHUB.fullmatch(_run_git(there, "remote", "get-url", remote) or "")
        if repository:
            # The host of the pages is in lower case, the path is as the repository spells its name.
            return f"https://{repository[1].lower()}.github.io/{repository[2]}"
    return None


def _run_git(folder: Path, *arguments: str) -> str | None:
    try:
        command = ["git", "-C", str(folder), *arguments]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)  # noqa: S603 - fixed words
    except OSError:
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def _dump_document(document: Mapping[str, Any]) -> str:
    lines = []
    for key, value in document.items():
        text = yaml.safe_dump({key: value}, allow_unicode=True, sort_keys=False, width=110, default_flow_style=False)
        # Rules stand on one line, as in the examples of the documentation.
        lines.append(text if key != "rules" else f"rules: {_format_flow(value)}\n")
    return "".join(lines)


def _format_flow(value: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {json.dumps(part)}" for key, part in value.items()) + "}"


def _parse_links(text: str) -> Any:
    return {"paper" if "arxiv.org" in text or "doi.org" in text else "code": text}


def _parse_settings(text: str) -> Any:
    try:
        return dict(parse_parameter(setting, "settings") for setting in shlex.split(text))
    except ValueError as error:
        raise InputError(
            "settings: a quotation mark is not closed", "Write them as temperature=0 top_p=0.9."
        ) from error


def _name(answers: Mapping[str, Any], context: QuestionContext) -> str:
    """Propose a name: the players' names, with the folder's name where another pair has that name already."""
    label = " + ".join(map(format_player_label, build_player_specs(answers).values()))
    taken = any(other.name == label and other.slug != context.slug for other in context.neighbours)
    return f"{label}, {context.slug}" if taken else label


def _name_seat_option(seat: Seat[Any, Any], field: str, value: str) -> str:
    """Return the option that states a field of a seat; ``field`` is empty for the player itself."""
    return f"--player {seat.name}{f'.{field}' if field else ''}={value}"


def _settle_seat(answers: dict[str, Any], seat: Seat[Any, Any], context: QuestionContext) -> None:
    path = (seat.name,)
    option = _name_seat_option(seat, "", "PLAYER")
    _settle(
        answers,
        ManifestQuestion((*path, "player"), f"The {seat.name}'s player", "", option, about=_describe_seat(seat)),
        context,
    )
    spec = build_player_specs(answers)[seat.name]
    if spec["player"] == RECORDED:
        source = ManifestQuestion(
            (*path, "source"), "Whose recorded answers, such as human", "", _name_seat_option(seat, "source", "SOURCE")
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
    spec, path = build_player_specs(answers)[seat.name], (seat.name,)
    option = _name_seat_option(seat, "model", "MODEL")
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
        option = _name_seat_option(seat, "key", "VARIABLE")
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
