"""The Image Reconstruction Game as a plug-in: its declarations, beside rules, prompts, targets and figures.

``ircore doctor`` puts tiny questions to the players of both seats, which show faults before a long run. A published
episode is told again as answers made from its turns; see ``ircore.games.base.Game.retell``.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from ircore.core.episode_records import Episode, Rendering
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.records import Name, PlayerSpec, Record, Scene
from ircore.core.submission_records import Run, Submission
from ircore.core.tokens import count_tokens
from ircore.games.base import (
    Effort,
    Ending,
    EpisodeSetup,
    Game,
    GameOutcome,
    GameWords,
    Measure,
    Message,
    Pages,
    PublishedFigure,
    RatedPicture,
    Remark,
    Retelling,
    RetoldAnswer,
    Seat,
    SeatTable,
    StepAnswer,
)
from ircore.games.reconstruction.category_words import CATEGORY_WORDS
from ircore.games.reconstruction.paper_tables import SOURCE, compute_mean_scores
from ircore.games.reconstruction.prompts import Prompts, ProtocolViolationError, load_prompts, parse_reply
from ircore.games.reconstruction.records import (
    CATEGORIES,
    NEWEST_EDITION,
    RECONSTRUCTION,
    Rules,
    Turn,
    list_turns,
)
from ircore.games.reconstruction.rules import DESCRIBER, GENERATOR, play_episode
from ircore.instances.targets import SYNTHETIC
from ircore.players.base import DescriberView, GeneratorView, TextAnswer
from ircore.players.examination import (
    COLOUR_WORDS,
    SEE,
    Patient,
    PlayerFinding,
    SeatTrial,
    TimedAnswer,
    build_shown_picture,
    describe_drawing,
)
from ircore.players.traits import load_traits

if TYPE_CHECKING:
    from ircore.games.declarations import Claim, PublishedTable


class ReconstructionPayload(Record):
    """The fields of an instance besides its labels: the target picture's name and the list of drawn elements.

    >>> ReconstructionPayload().target
    'target'
    """

    target: str = Field(default="target", description="Name of the picture to be reconstructed.")
    scene: Scene | None = Field(default=None, description="What was drawn; null for photographs.")
    measures: dict[Name, float] = Field(
        default_factory=dict,
        description="Numbers known of the picture, such as how differently people name it (snd).",
    )


class ReconstructionGame(Game[Rules]):
    """A describer sees a target and writes; a generator draws from the words alone.

    >>> [seat.name for seat in ReconstructionGame().seats], ReconstructionGame().headline.range
    (['describer', 'generator'], (0, 10))
    """

    name = RECONSTRUCTION
    title = "Image Reconstruction Game"
    paper = SOURCE
    seats = (DESCRIBER, GENERATOR)
    payload = ReconstructionPayload
    rules = Rules
    step = Turn
    shown_pictures = ("target",)
    outcomes = (
        GameOutcome("converged", played=True),
        GameOutcome("turn_limit", played=True),
        GameOutcome("aborted", played=False),
    )
    categories = CATEGORIES
    measures = (
        Measure("similarity", "Similarity", "points", (0, 10), per="step", needs="judge"),
        Measure("preference", "Final preferred", "", (0, 1), needs="judge"),
    )
    pages = Pages(
        columns=("preference",),
        rules=("token_budget", "max_turns"),
        figures=("similarity",),
        words=GameWords("target", "draw", "drawn", "final rendering"),
        categories=CATEGORY_WORDS,
        episode="{# drawn as a strip of turns #}",
        method="A describer sees the target and says what to draw; a generator draws from the words alone. The "
        "describer then sees target and drawing and says what to correct, turn by turn.",
    )
    published = tuple(
        PublishedFigure(f"{pair.describer} + {pair.generator}, {judge}", "similarity", round(mean, 2), SOURCE)
        for pair, means in compute_mean_scores().items()
        for judge, mean in means.items()
    )

    step_word = "turn"
    asks_in_order = True
    supports = frozenset({
        "animation", "channel test", "clembench export", "comparison of prompts", "deep examination",
        "descriptors of renderings", "export to inspect_ai", "headline by judges", "judge test", "replay",
        "secret slice", "spot replay", "tables of the paper", "user study",
    })  # fmt: skip
    editions = NEWEST_EDITION
    secret_categories = SYNTHETIC

    async def play(self, table: SeatTable, setup: EpisodeSetup[Rules]) -> Ending:
        """Play an episode; see ``ircore.games.base.Game.play``."""
        return await play_episode(table, setup)

    def step_number(self, place: int, step: Turn) -> int:  # noqa: ARG002 - turns have numbers of their own
        """Return the number of a turn; the test of judges leaves turns out."""
        return step.turn

    def list_rated_pictures(self, payload: ReconstructionPayload, ending: Ending) -> Iterator[RatedPicture]:
        """Yield every rendering beside the target, whose scene the instance holds; see ``Game.list_rated_pictures``."""
        turns: tuple[Turn, ...] = ending.steps
        for turn in turns:
            if turn.rendering is not None:
                yield RatedPicture(turn.turn, payload.target, turn.rendering)

    def step_faults(self, rules: Any, place: int, step: Any) -> Iterator[str]:
        """Yield what contradicts itself in a turn; see ``Game.step_faults``."""
        if step.turn != place:
            yield f"turn {step.turn} stands where turn {place} must be"
        if (step.action == "done") != (step.message is None) or (step.action == "done" and step.rendering is not None):
            yield f"message or rendering does not fit action {step.action}"
        if step.over_budget != (step.message_tokens > rules.token_budget):
            yield f"over_budget is {step.over_budget} with {step.message_tokens} tokens"

    def measure_effort(self, ending: Ending) -> Effort:
        """Return turns with a rendering, tokens, seconds and messages of an episode; see ``Game.measure_effort``."""
        turns: tuple[Turn, ...] = ending.steps
        return Effort(
            steps=sum(turn.rendering is not None for turn in turns),
            tokens=sum(turn.message_tokens for turn in turns),
            seconds=fsum(turn.seconds for turn in turns),
            messages=sum(turn.message is not None for turn in turns),
            over_budget=sum(turn.over_budget for turn in turns),
        )

    def list_messages(self, ending: Ending) -> Iterator[Message]:
        """Yield the messages without the tags of the describer's replies; see ``Game.list_messages``."""
        turns: tuple[Turn, ...] = ending.steps
        for turn in turns:
            # The turn in which the describer declares the rendering done has no message.
            if turn.message is not None:
                yield Message(turn.turn, turn.message, turn.message_tokens)

    def list_step_answers(self, step: Turn) -> Iterator[StepAnswer]:
        """Yield the describer's message and what was drawn from it; see ``Game.list_step_answers``."""
        said = ""
        if step.message is not None:
            over = ", over the budget" if step.over_budget else ""
            said = f"{format_count(step.message_tokens, 'token')} in the message{over}"
        words = "(done)" if step.message is None else step.message
        yield StepAnswer(DESCRIBER.name, words, remarks=(*filter(None, [said]), *step.leniencies))
        if step.rendering is not None or step.notes:
            yield StepAnswer(GENERATOR.name, rendering=step.rendering, notes=step.notes)

    def build_published_tables(self) -> "tuple[PublishedTable, ...]":
        """Return the paper's Tables 1 to 4; see ``Game.build_published_tables``."""
        from ircore.games.reconstruction.paper_tables import build_published_tables

        return build_published_tables()

    def list_claims(self) -> "tuple[Claim, ...]":
        """Return the paper's sentences; see ``Game.list_claims``."""
        # What the paper's own tables say of each is worked out, which takes longer than any rule.
        from ircore.games.reconstruction.paper_claims import list_claims

        return list_claims()

    def collect_paper_facts(self) -> Mapping[str, Any]:
        """Return the paper's printed numbers; see ``Game.collect_paper_facts``."""
        from ircore.games.reconstruction.paper_claims import collect_paper_facts

        return collect_paper_facts()

    def retell(self, episode: Episode, rules: Rules, prompts: Prompts) -> "Retelling":
        """Return answers that the protocol reads as the turns; see ``Game.retell``."""
        return retell(episode, rules, prompts)

    def build_battery_rules(self, steps: int) -> Rules:
        """Return the rules of the test of judges; see ``Game.build_battery_rules``."""
        return Rules(max_turns=steps)

    def build_battery_ending(self, answers: Iterable[tuple[Message, Rendering]]) -> Ending:
        """Return an episode of a turn for each picture; see ``Game.build_battery_ending``."""
        turns = (
            Turn(turn=message.step, action="describe", message=message.text, rendering=rendering)
            for message, rendering in answers
        )
        return Ending("turn_limit", tuple(turns))

    def build_trial(self, seat: Seat[Any, Any], rules: Rules) -> "SeatTrial | None":
        """Return questions about a red disc; see ``Game.build_trial``."""
        # Asking loads what services need, which no rule does.

        return build_seat_trial(seat.name, rules)

    def write_stand_in(self, seat: Seat[Any, Any], words: str) -> str:  # noqa: ARG002 - one seat answers with words
        """Return words between the tags of a describer's reply; see ``Game.write_stand_in``."""
        return f"<DESCRIPTION>{words}</DESCRIPTION>"

    def read_rules(self, stated: Run | Submission) -> Rules:
        """Return the rules of a run or manifest; see ``Game.read_rules``."""
        return Rules.of(stated)

    def propose_rules(self, players: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return budget and turn limit; see ``Game.propose_rules``."""
        proposed: dict[str, Any] = {"token_budget": 200, "max_turns": 10}
        # A model may say too much; a run whose generator is given more than the budget has no rank.
        return {**proposed, "over_budget": "truncate"} if "model" in players.get("describer", {}) else proposed

    def list_remarks(self, rules: Rules, players: Mapping[str, PlayerSpec]) -> Iterator[Remark]:
        """Yield rules under which a pair has no rank or a board of its own, and a rewriter without its rule."""
        if rules.over_budget == "allow" and players["describer"].model is not None:
            problem = (
                "allow lets messages over the token budget through, and a run with a single such message has no rank"
            )
            yield Remark(("rules",), problem, "Add over_budget: truncate.", "over_budget: truncate or abort")
        if rules.variants or rules.max_turns != Rules().max_turns or rules.token_budget not in (10, 50, 200):
            problem = "other rules than the paper's (10, 50 or 200 tokens, 10 turns, all renderings shown, then edited)"
            yield Remark(("rules",), problem, "Nothing to do if meant: such pairs have boards of their own.")
        # A recorded run was drawn from what its own rewriter wrote.
        if load_traits(players["generator"].player).replays:
            return
        path, named = ("generator", "parameters", "rewriter"), "rewriter" in players["generator"].parameters
        if rules.drawing == "rewrite" and not named:
            remedy = "Name a text model of the generator's service, or play with --rule drawing=redraw."
            yield Remark(path, "is missing, which the rule drawing: rewrite needs", remedy, refused=True)
        if named and rules.drawing != "rewrite":
            remedy = "Take the rewriter out, or write rules: {drawing: rewrite}."
            yield Remark(path, "is asked only with the rule drawing: rewrite", remedy, refused=True)

    def read_prompts(self, folder: Path | None) -> Prompts:
        """Read the prompts; see ``load_prompts``."""
        return load_prompts(self.name, folder)


FIRST_MESSAGE = "A filled red circle with a radius of 80 pixels in the middle. The background is white."
SECOND_MESSAGE = "Make the red circle blue."


def build_seat_trial(seat: str, rules: Rules) -> SeatTrial | None:
    """Return the questions to the player of a seat; see ``ircore.games.base.Game.build_trial``."""
    trial = {DESCRIBER.name: _try_describer, GENERATOR.name: _try_generator}.get(seat)
    return None if trial is None else lambda patient: trial(patient, rules)


async def _try_describer(patient: Patient, rules: Rules) -> list[PlayerFinding]:
    """Show a describer a red disc, then a blue disc as the rendering."""
    prompts, budget = load_prompts(RECONSTRUCTION), rules.token_budget
    first, later = prompts.describer(1, budget), prompts.describer(2, budget)
    view = DescriberView(1, first, build_shown_picture(), (), (), (), (), budget, 0)
    timed = await patient.ask("image input", patient.player.describe(view))
    if isinstance(timed, PlayerFinding):
        return [timed]
    findings = [_check_reply(patient, "image input", timed, 1)]
    if findings[0].works:
        text, drawn = timed.answer.text, (build_shown_picture("#0000ff"),)
        again = DescriberView(
            2, later, view.target, drawn, (parse_reply(text, 1).message,), (text,), (first,), budget, 0
        )
        timed = await patient.ask("two images", patient.player.describe(again))
        findings.append(timed if isinstance(timed, PlayerFinding) else _check_reply(patient, "two images", timed, 2))
    return findings


async def _try_generator(patient: Patient, rules: Rules) -> list[PlayerFinding]:
    """Ask a generator for a red disc, then for a blue disc in its place; drawn anew, if it cannot edit."""
    first = await _try_drawing(patient, "image output", 0, None)
    if isinstance(first, PlayerFinding):
        return [first]
    findings = [patient.finding("image output", True, describe_drawing(first, 0)[0])]
    # A generator that cannot edit may still draw anew, and then plays by another rule.
    for mode in ("edit", "redraw") if rules.drawing == "edit" else ("redraw",):
        question = "correction" if mode == "edit" else "redraw"
        again = await _try_drawing(patient, question, 2, first.answer.picture if mode == "edit" else None)
        if not isinstance(again, PlayerFinding):
            remedy = "" if len(findings) == 1 else "Play with the rule drawing: redraw."
            return [*findings, patient.finding(question, True, describe_drawing(again, 2)[0], remedy)]
        findings.append(again)
    return findings


async def _try_drawing(
    patient: Patient, question: str, channel: int, previous: Picture | None
) -> TimedAnswer | PlayerFinding:
    """Ask a generator for a red disc, or for its correction (``channel`` 2) with or without its last picture."""
    earlier, message = ((), FIRST_MESSAGE) if channel == 0 else ((FIRST_MESSAGE,), SECOND_MESSAGE)
    prompt = load_prompts(RECONSTRUCTION).generator(message, earlier, "edit" if previous else "redraw")
    view = GeneratorView(len(earlier) + 1, message, earlier, previous, 0, prompt)
    return await patient.ask(question, patient.player.render(view))


def _check_reply(patient: Patient, question: str, timed: TimedAnswer, turn: int) -> PlayerFinding:
    """Return whether a describer keeps to the protocol, and on turn 1 whether the message names the shown colour."""
    answer: TextAnswer = timed.answer
    summary = f"{len(answer.text.split())} words, {timed.took}"
    try:
        move = parse_reply(answer.text, turn)
    except ProtocolViolationError as fault:
        detail = f"answers, but not in the protocol: {fault.reason}: {fault.detail} ({summary})"
        remedy = "Episodes with such answers are aborted. Try again; if it stays so, name another model."
        return patient.finding(question, False, detail, remedy)
    if turn > 1:
        return patient.finding(question, True, summary)
    if not any(word in move.message.lower() for word in COLOUR_WORDS):
        return patient.finding(question, True, f"{summary}, but nothing red in the words on a red disc", SEE)
    return patient.finding(question, True, f"{summary}; saw the red disc")


OF_THE_RULES = frozenset({"describer_over_budget"})
"""Reasons of an abort that the rules find in a message by themselves; of all others a transcript only says that."""


def retell(episode: Episode, rules: Rules, prompts: Prompts) -> Retelling:
    """Return the answers that give an episode, from turns that keep messages alone."""
    turns = tuple(
        turn.model_copy(update={"message_tokens": count_tokens(turn.message or ""), "over_budget": False})
        # The rest of a message that was cut is not known.
        if _is_cut(turn, rules)
        else turn
        for turn in list_turns(episode)
    )
    faults = tuple(
        f"turn {turn.turn}: message_tokens is {turn.message_tokens}, within the budget"
        for turn in list_turns(episode)
        # The cut message says nothing of its former length, but the stated one must be over the budget.
        if _is_cut(turn, rules) and turn.message_tokens <= rules.token_budget
    )
    answers = tuple(answer for turn in turns for answer in _list_answers(turn, rules, prompts))
    return Retelling(
        episode.with_steps(turns), answers, _find_next_call(turns), _find_blamed_seat(episode.abort_reason), faults
    )


def _is_cut(turn: Turn, rules: Rules) -> bool:
    return rules.over_budget == "truncate" and turn.over_budget and turn.action == "describe"


def _list_answers(turn: Turn, rules: Rules, prompts: Prompts) -> Iterator[RetoldAnswer]:
    prompt = prompts.describer(turn.turn, rules.token_budget)
    # A transcript has the time of both players together.
    yield RetoldAnswer(turn.turn, DESCRIBER.name, _format_answer(turn), prompt, seconds=turn.seconds)
    if turn.rendering is not None:
        yield RetoldAnswer(turn.turn, GENERATOR.name, rendering=turn.rendering, notes=turn.notes)


def _format_answer(turn: Turn) -> str:
    """Return an answer that the protocol reads as this turn."""
    lenient = frozenset(turn.leniencies)
    if turn.action == "done":
        text = "DONE" if "bare_done" in lenient else "<DONE>"
    else:
        closing = "" if "missing_closing_tag" in lenient else "</DESCRIPTION>"
        text = f"<DESCRIPTION>{turn.message or ''}{closing}"
    if "letter_case" in lenient:
        # The first tag alone: the same letters in the message must stay as they are.
        text = text.replace("<DESCRIPTION>", "<description>", 1) if turn.action == "describe" else text.lower()
    # From the inside out: the protocol takes white space off first, then the fence, then the tags.
    if "code_fence" in lenient:
        text = f"```\n{text}\n```"
    return f" {text}" if "surrounding_whitespace" in lenient else text


def _find_next_call(turns: tuple[Turn, ...]) -> tuple[int, str]:
    last = turns[-1] if turns else None
    if last is not None and last.action == "describe" and last.rendering is None:
        return last.turn, GENERATOR.name
    return (last.turn + 1 if last is not None else 1), DESCRIBER.name


def _find_blamed_seat(reason: str | None) -> str | None:
    if reason is None or reason in OF_THE_RULES:
        return None
    return next((seat.name for seat in (DESCRIBER, GENERATOR) if reason.startswith(f"{seat.name}_")), None)
