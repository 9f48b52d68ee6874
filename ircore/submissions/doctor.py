"""Tiny questions to each player of a submission, or to a judge, that show faults before a long run: ``ircore doctor``.

Every player gets a question about a red disc: as its seat's game puts it, or as any game does. Players that take only
questions that their game does not try are made and not asked.

With ``--deep`` the abilities of a service are found out by asking it, through the same connection as play does, so that
what is found holds for play. Each finding comes with what follows from it for the manifest; the manifest with all of
that in it is one that works.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict

from ircore import __version__
from ircore.core.episode_records import FaultKind
from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.images import Picture
from ircore.core.plugins import list_builtin, load_plugin
from ircore.core.records import PlayerSpec
from ircore.core.strict_yaml import read_mapping
from ircore.games.base import Seat
from ircore.games.registry import load_game
from ircore.players.base import RECORDED, AnswerKind, Captioned, ChoiceAnswer, JudgeView, PictureAnswer, Question
from ircore.players.calls import FaultError, Reply, RequestFault
from ircore.players.examination import (
    BROKEN,
    COLOUR_WORDS,
    COLOURS,
    SEE,
    AnswerT,
    Patient,
    PlayerFinding,
    SeatTrial,
    TimedAnswer,
    build_shown_picture,
    describe_drawing,
)
from ircore.players.openai.connection import Connection
from ircore.players.openai.conversations import ChatMessage, build_chat_messages, build_responses_input
from ircore.players.openai.players import OpenAIDescriber
from ircore.players.openai.provider import find_served_model
from ircore.players.openai.provider_errors import list_remedies
from ircore.players.openai.replies import ChatReply, ResponsesReply, read_tokens
from ircore.players.openai.settings import DescriberSettings, choose_transport, read_key, read_settings
from ircore.players.openai.transport import JsonBody
from ircore.players.submission import FORMAT, MANIFEST, LoadedSubmission, build_player
from ircore.players.traits import load_traits
from ircore.runs.judge_answers import SIMILARITY_SCHEMA, AnswerError, build_verdicts_schema, read_score, read_verdicts
from ircore.scorers.judges.manifest import LoadedJudge, caption_pictures

DISC_SENTENCES = ("There is a red disc in the middle.", "There are 3 discs.")
"""A true and a false sentence on the red disc, for a judge of facts."""
OWN_GAME = "One that answers questions of its own game only leaves answers out of its TRAITS."
QUESTIONS: Mapping[AnswerKind, str] = {
    "text": "Which colour is the disc in this picture? Answer in a few words.",
    "choice": "Which colour is the disc in this picture?",
    "picture": "Draw a filled red disc in the middle of a white picture.",
}
"""Asked of players that take questions of any game, by what the seat answers with."""

_AGAIN = "Such answers are sent back once. Try again; parameters.structured: true may help, or another model."

MOST_PICTURES = 10
"""Pictures that a describer is shown at turn 10: the target and nine renderings."""

NO_MODEL = "ircore-doctor-no-such-model"
QUESTION = "Name the colour of the disc in the last picture."
LONG_ENOUGH = 512
"""Tokens that the answers to small questions may have; reasoning counts."""

COLUMNS = (
    "service", "model", "streams", "usage", "pictures", "full answer", "seed", "same answer twice", "errors",
    "edits", "checked",
)  # fmt: skip
"""Columns of the table of services in docs/services.md."""

_PROBES = ("streaming", "usage", "ten pictures", "full token budget", "seed", "determinism", "error bodies")


def examine_seat(
    loaded: LoadedSubmission, seat: Seat[Any, Any], timeout: float, say: Callable[[str], object]
) -> list[PlayerFinding]:
    """Make the player of a seat and ask a tiny question; every failure becomes a finding.

    Args:
        loaded: The submission.
        seat: A seat of its game.
        timeout: Seconds that one answer may take.
        say: Shows a line of progress, every few seconds while an answer is waited for.
    """
    spec = loaded.submission.players[seat.name]
    if spec.player == RECORDED:
        return [PlayerFinding(seat.name, "recorded answers", True, "come with the instances: nothing to ask")]
    game = load_game(loaded.submission.game)
    trial = game.build_trial(seat, game.read_rules(loaded.submission))
    if trial is None and seat.method == "answer" and load_traits(spec.player).answers:
        trial = _answer
    return _examine_player(seat.name, spec, timeout, trial or _accept, answers=seat.answers, say=say)


def examine_judge(judge: LoadedJudge, timeout: float, say: Callable[[str], object]) -> PlayerFinding:
    """Show a judge a red and a blue disc and ask for their similarity; every failure becomes a finding.

    A judge of facts is shown the red disc alone, with one true and one false sentence.

    Args:
        judge: From its file.
        timeout: Seconds that the answer may take.
        say: As for ``examine_seat``.
    """

    async def check(patient: Patient) -> list[PlayerFinding]:
        listed = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(DISC_SENTENCES, start=1))
        words = judge.prompts.facts.replace("{sentences}", listed)
        view = JudgeView(
            words, caption_pictures(build_shown_picture()), schema=build_verdicts_schema(len(DISC_SENTENCES))
        )
        timed = await patient.ask("one image", patient.player.judge(view))
        return [timed if isinstance(timed, PlayerFinding) else _check_verdicts(patient, timed)]

    async def rate(patient: Patient) -> list[PlayerFinding]:
        pictures = caption_pictures(build_shown_picture(), build_shown_picture("#0000ff"))
        view = JudgeView(judge.prompts.similarity, pictures, schema=SIMILARITY_SCHEMA)
        timed = await patient.ask("two images", patient.player.judge(view))
        return [timed if isinstance(timed, PlayerFinding) else _check_rating(patient, timed)]

    return _examine_player("judge", judge.spec, timeout, check if judge.asks == "facts" else rate, say=say)[0]


@dataclass
class DeepReport:
    """Results of the probes of a seat.

    >>> report = DeepReport("describer")
    >>> report.add("usage", True, "reported", cell="yes")
    >>> report.findings[0].detail, report.cells
    ('reported', {'usage': 'yes'})

    Attributes:
        seat: Name of the seat.
        findings: In the order in which they were made.
        cells: Words for the table of services, by probe.
        rules: Rules that the service needs.
        parameters: Parameters of the player that the service needs.
    """

    seat: str
    findings: list[PlayerFinding] = field(default_factory=list)
    cells: dict[str, str] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)

    def add(self, probe: str, works: bool, detail: str, remedy: str = "", cell: str = "") -> None:
        """Add a finding, and its word in the table of services."""
        self.findings.append(PlayerFinding(self.seat, probe, works, " ".join(detail.split())[:300], remedy))
        self.cells[probe] = cell or ("yes" if works else "no")


def examine_describer(spec: PlayerSpec, timeout: float) -> DeepReport:
    """Find out the abilities of a describer's service.

    Args:
        spec: A player ``openai``.
        timeout: Seconds that one answer may take.

    Raises:
        InputError: A setting is wrong, or the key is not in the environment.
    """
    OpenAIDescriber.check(spec)
    settings = read_settings(spec, DescriberSettings)
    report = DeepReport("describer")

    async def examined() -> None:
        connection = Connection(spec.base_url, read_key(spec), choose_transport(settings.transport), timeout)
        try:
            await _examine(_Service(spec, settings, connection), report)
        finally:
            await connection.close()

    asyncio.run(examined())
    return report


def report_on_generator(findings: Sequence[PlayerFinding]) -> DeepReport:
    """Return the report on a generator, with whether it edits or only draws anew.

    Args:
        findings: Of ``examine_seat``.
    """
    report = DeepReport("generator", list(findings))
    works = {finding.question: finding.works for finding in findings}
    report.cells["edits"] = "yes" if works.get("correction") else ("redraws only" if works.get("redraw") else "no")
    if works.get("redraw") and not works.get("correction"):
        report.rules["drawing"] = "redraw"
    return report


def mend_manifest(loaded: LoadedSubmission, reports: Sequence[DeepReport]) -> dict[str, Any]:
    """Return a manifest with the rules and parameters that the probed services need."""
    document = dict(read_mapping(loaded.path, "Name a folder with a submission.yaml.", FORMAT))
    rules = {name: rule for report in reports for name, rule in report.rules.items()}
    if rules:
        document["rules"] = {**(document.get("rules") or {}), **rules}
    for report in reports:
        if report.parameters:
            seat = dict(document[report.seat])
            document[report.seat] = {**seat, "parameters": {**(seat.get("parameters") or {}), **report.parameters}}
    return document


def write_mended(loaded: LoadedSubmission, reports: Sequence[DeepReport], out: Path) -> Path:
    """Write the manifest of ``mended`` into a folder and return its path."""
    path = out / MANIFEST
    out.mkdir(parents=True, exist_ok=True)
    write_text(path, yaml.safe_dump(mend_manifest(loaded, reports), sort_keys=False, allow_unicode=True, width=110))
    return path


def format_table_line(loaded: LoadedSubmission, reports: Sequence[DeepReport]) -> str:
    """Return the row of the table of services for a pair: the describer's service, and whether the generator edits.

    Args:
        loaded: The submission.
        reports: Of its seats.
    """
    spec = loaded.submission.players["describer"]
    cells = {probe: word for report in reports for probe, word in report.cells.items()}
    row = [
        spec.base_url or "OpenAI",
        spec.label,
        *(cells.get(probe, "not asked") for probe in _PROBES),
        cells.get("edits", "not asked"),
        f"{datetime.now(UTC):%Y-%m-%d}, ircore {__version__}",
    ]
    # A bar would end the cell of the table.
    return f"| {' | '.join(cell.replace('|', '/') for cell in row)} |"


def _examine_player(seat: str, spec: PlayerSpec, timeout: float, trial: SeatTrial, **more: Any) -> list[PlayerFinding]:
    """Make a player, let a trial ask the player, and close the player's connections."""
    try:
        player = build_player(_shorten_deadline(spec, timeout))
    except InputError as error:
        return [
            PlayerFinding(seat, "two images" if seat == "judge" else "settings", False, error.problem, error.remedy)
        ]
    return asyncio.run(_close_after(player, _greet_service(Patient(seat, spec, player, timeout, **more), trial)))


async def _greet_service(patient: Patient, trial: SeatTrial) -> list[PlayerFinding]:
    """Try a player, unless what is at its address is no service at all, which would take the longest."""
    silence = await patient.silence("address")
    return [silence] if silence is not None else await trial(patient)


async def _accept(patient: Patient) -> list[PlayerFinding]:
    """Ask nothing: without an instance of the player's game only the settings can be tried."""
    return [patient.finding("settings", True, "are taken; not asked, since it answers questions of its game only")]


async def _answer(patient: Patient) -> list[PlayerFinding]:
    """Ask a player that takes questions of any game to recognise, or to draw, a red disc."""
    shown = () if patient.answers == "picture" else (Captioned("the picture", build_shown_picture()),)
    choices = COLOURS if patient.answers == "choice" else ()
    question = Question(1, QUESTIONS[patient.answers], shown, choices, answers=patient.answers)
    timed = await patient.ask(f"a {patient.answers}", patient.player.answer(question))
    if isinstance(timed, PlayerFinding):
        # A program of this project that seeks a dialogue or a task in the words is right to refuse these.
        if timed.detail.startswith("rule_broken") and patient.spec.player in list_builtin("players"):
            return await _accept(patient)
        return [timed._replace(remedy=f"{BROKEN} {OWN_GAME}") if timed.remedy == BROKEN else timed]
    answer = timed.answer
    if isinstance(answer, PictureAnswer):
        detail, right = describe_drawing(timed, 0)
    elif isinstance(answer, ChoiceAnswer):
        notes = "".join(f"; {note}" for note in answer.notes)
        detail, right = f"chose {answer.choice}{notes}, {timed.took}", answer.choice == "red"
    else:
        right = any(word in answer.text.lower() for word in COLOUR_WORDS)
        words = "saw the red disc" if right else "but nothing red in the words on a red disc"
        detail = f"{len(answer.text.split())} words, {timed.took}; {words}"
    return [patient.finding(f"a {patient.answers}", True, detail, "" if right or not shown else SEE)]


def _check_rating(patient: Patient, timed: TimedAnswer) -> PlayerFinding:
    try:
        score = read_score(timed.answer.text).value
    except AnswerError as problem:
        detail = f"answers, but not so that it can be used: {problem} ({timed.took})"
        return patient.finding("two images", False, detail, _AGAIN)
    detail = f"rates a red and a blue disc {score} of 10, {timed.took}"
    return patient.finding("two images", True, detail, SEE if score == 10 else "")


def _check_verdicts(patient: Patient, timed: TimedAnswer) -> PlayerFinding:
    try:
        letters = read_verdicts(timed.answer.text, len(DISC_SENTENCES)).value
    except AnswerError as problem:
        detail = f"answers, but not so that it can be used: {problem} ({timed.took})"
        return patient.finding("one image", False, detail, _AGAIN)
    said = " and ".join({"1": "yes", "0": "no", "?": "cannot tell"}[letter] for letter in letters)
    detail = f"says {said} to a true and a false sentence, {timed.took}"
    return patient.finding("one image", True, detail, "" if letters == "10" else SEE)


def _shorten_deadline(spec: PlayerSpec, timeout: float) -> PlayerSpec:
    """Shorten the deadline of a player that has a deadline, so that the player fails in time with its own reason."""
    check = getattr(load_plugin("players", spec.player), "check", None)
    # A deadline that the manifest states is part of the pair, and holds in play too.
    if check is None or "deadline_s" in spec.parameters:
        return spec
    hurried = spec.model_copy(update={"parameters": {**spec.parameters, "deadline_s": timeout}})
    try:
        check(hurried)
    except InputError:
        return spec
    return hurried


async def _close_after(player: Any, pending_answer: Awaitable[AnswerT]) -> AnswerT:
    try:
        return await pending_answer
    finally:
        if close := getattr(player, "close", None):
            await close()


class _Anything(BaseModel):
    """Any JSON object."""

    model_config = ConfigDict(extra="allow")


@dataclass(frozen=True)
class _Service:
    """A model behind a service, asked request by request."""

    spec: PlayerSpec
    settings: DescriberSettings
    connection: Connection

    async def ask(self, words: str, pictures: Sequence[Picture] = (), **more: Any) -> Reply[_Anything] | RequestFault:
        """Send a question; a fault is returned, not raised."""
        messages = [ChatMessage("user", (words, *pictures))]
        limit = more.pop("limit", LONG_ENOUGH)
        chat = self.settings.api == "chat"
        fields = {
            "model": self.spec.model,
            **({"messages": build_chat_messages(messages)} if chat else {"input": build_responses_input(messages)}),
            "max_completion_tokens" if chat else "max_output_tokens": limit,
            "stream": False,
            **self.settings.extra_body,
            **more,
        }
        try:
            path = "/chat/completions" if chat else "/responses"
            return await self.connection.post(path, JsonBody(fields), _Anything)
        except FaultError as error:
            return error.fault

    def text(self, reply: Reply[_Anything]) -> str:
        """Return the words of a reply."""
        kind: type[ChatReply | ResponsesReply] = ChatReply if self.settings.api == "chat" else ResponsesReply
        return kind.model_validate(reply.value.model_dump()).text


async def _examine(service: _Service, report: DeepReport) -> None:
    first = await service.ask(QUESTION, [build_shown_picture()])
    if isinstance(first, RequestFault):
        remedy = list_remedies(service.spec).get(first.kind, "")
        report.add("a picture", False, _format_fault(first), remedy)
        return
    _probe_first_answer(first, report)
    await _probe_many_pictures(service, report)
    await _probe_full_budget(service, report)
    await _probe_sampling(service, report)
    await _probe_errors(service, report)


def _probe_first_answer(reply: Reply[_Anything], report: DeepReport) -> None:
    streams = reply.headers.get("content-type", "").startswith("text/event-stream")
    detail = "streams although asked not to; the pieces are put together" if streams else "answers in one piece"
    report.add("streaming", True, detail, cell="always" if streams else "as asked")
    document = reply.value.model_dump()
    tokens = read_tokens(document.get("usage"), reply.headers)
    counted = tokens.prompt is not None and tokens.completion is not None
    detail = f"{tokens.prompt} tokens read, {tokens.completion} written" if counted else "no tokens are reported"
    remedy = "" if counted else "Costs and limits by tokens stay unknown; nothing else suffers."
    report.add(
        "usage", True, f"{detail}{'' if tokens.cost_usd is None else ', cost reported'}", remedy, _format_yes(counted)
    )
    served = find_served_model(reply.value)
    report.add(
        "served model", True, f"answers as {served}" if served else "does not say which", cell=served or "not said"
    )


async def _probe_many_pictures(service: _Service, report: DeepReport) -> None:
    """Find the most pictures that a question may have, up to the number at turn 10."""
    pictures = [build_shown_picture(f"#{shade:02x}0000") for shade in range(255, 255 - 10 * MOST_PICTURES, -10)]
    fault: RequestFault | None = None
    # From the most on down, so that the first answer tells the limit with few questions.
    for count in (MOST_PICTURES, 6, 5, 4, 3, 2):
        outcome = await service.ask(QUESTION, pictures[-count:])
        if not isinstance(outcome, RequestFault):
            break
        fault = fault or outcome
    else:
        count = 1
    if fault is None:
        report.add("ten pictures", True, f"takes {count}", cell=str(count))
        return
    # One picture of the limit is the target.
    history = f"last {count - 1}" if count > 1 else ""
    rule = f"Play with the rule history: {history}." if history else "A describer must see two pictures at least."
    report.add(
        "ten pictures", bool(history), f"takes {count}, not {MOST_PICTURES}: {_format_fault(fault)}", rule, str(count)
    )
    if history:
        report.rules["history"] = history


async def _probe_full_budget(service: _Service, report: DeepReport) -> None:
    """Ask with the limit on answers that the manifest states."""
    limit = service.settings.max_completion_tokens
    outcome = await service.ask(QUESTION, [build_shown_picture()], limit=limit)
    if not isinstance(outcome, RequestFault):
        report.add("full token budget", True, f"takes max_completion_tokens {limit}", cell=str(limit))
        return
    remedy = list_remedies(service.spec).get(outcome.kind, "")
    if outcome.room is None:
        report.add("full token budget", False, _format_fault(outcome), remedy)
        return
    # Half of what one picture leaves, so that later turns fit too.
    fits = max(256, outcome.room // 2)
    report.parameters["max_completion_tokens"] = fits
    report.add(
        "full token budget",
        True,
        f"{_format_fault(outcome)}",
        f"Write max_completion_tokens: {fits}.",
        str(outcome.room),
    )


async def _probe_sampling(service: _Service, report: DeepReport) -> None:
    """Ask the same question twice, with a seed and without randomness."""
    seeded = await service.ask(QUESTION, [build_shown_picture()], seed=7)
    taken = not isinstance(seeded, RequestFault)
    report.add("seed", True, "is taken" if taken else f"is refused: {_format_fault(seeded)}", cell=_format_yes(taken))  # type: ignore[arg-type]
    twice = [await service.ask("Describe the picture.", [build_shown_picture()], temperature=0) for _ in range(2)]
    texts = [service.text(reply) for reply in twice if not isinstance(reply, RequestFault)]
    if len(texts) < 2:
        fault = next(reply for reply in twice if isinstance(reply, RequestFault))
        report.add("determinism", True, f"temperature 0 is refused: {_format_fault(fault)}", cell="not known")
        return
    alike = texts[0] == texts[1]
    report.add(
        "determinism",
        True,
        f"two answers at temperature 0 are {'alike' if alike else 'different'}",
        cell=_format_yes(alike),
    )


async def _probe_errors(service: _Service, report: DeepReport) -> None:
    """Look at the errors for a model that does not exist and for a parameter out of its range."""
    unknown = await service.ask("Hello", model=NO_MODEL)
    # A value of the wrong type is a mistake that every service should name.
    wrong = await service.ask("Hello", temperature="hot")
    expected: dict[str, tuple[Reply[_Anything] | RequestFault, tuple[FaultKind, ...]]] = {
        "an unknown model": (unknown, ("not_found", "rejected")),
        "a wrong parameter": (wrong, ("unsupported", "rejected")),
    }
    error_words = list(_describe_error(expected))
    is_clear = all(isinstance(reply, RequestFault) and reply.kind in kinds for reply, kinds in expected.values())
    remedy = "" if is_clear else "Look at the first answers of a run: this service hides mistakes in the manifest."
    report.add("error bodies", True, "; ".join(error_words), remedy, "clear" if is_clear else "unclear")


def _describe_error(
    expected: dict[str, tuple[Reply[_Anything] | RequestFault, tuple[FaultKind, ...]]],
) -> Iterator[str]:
    for mistake, (reply, kinds) in expected.items():
        if not isinstance(reply, RequestFault):
            yield f"{mistake} is answered all the same"
        else:
            yield f"{mistake}: {_format_fault(reply)}" + ("" if reply.kind in kinds else f" (read as {reply.kind})")


def _format_fault(fault: RequestFault) -> str:
    status = "" if fault.status is None else f"HTTP {fault.status}: "
    return f"{fault.kind}: {status}{' '.join(fault.detail.split())[:160]}"


def _format_yes(value: bool) -> Literal["yes", "no"]:
    return "yes" if value else "no"
