"""The Image Reconstruction Game (arXiv 2606.01901, section 3), as rules only: no files, no clock, no network.

A describer sees a target and, from turn 2 on, every rendering made so far; its words are all that the generator gets.
An episode ends when the describer says done (``converged``), when the turns are used up (``turn_limit``), or when
somebody breaks the protocol or cannot answer (``aborted``, with a reason).
"""

from dataclasses import dataclass, field

from ircore.core.episode_records import Rendering
from ircore.core.images import Picture
from ircore.core.records import derive_seed
from ircore.core.tokens import count_tokens, truncate_tokens
from ircore.games.base import Ending, EpisodeSetup, Seat, SeatTable
from ircore.games.reconstruction.prompts import Move, Prompts, ProtocolViolationError, parse_reply
from ircore.games.reconstruction.records import Rules, Turn
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, PlayerError, TextAnswer

DESCRIBER: Seat[DescriberView, TextAnswer] = Seat(
    "describer",
    "Describer",
    "the target at every turn and, from turn 2 on, every rendering made so far",
    "text",
    method="describe",
)
GENERATOR: Seat[GeneratorView, PictureAnswer] = Seat(
    "generator",
    "Generator",
    "the describer's message, its earlier messages and, where it edits, its own rendering before; never the target",
    "picture",
    method="render",
    # The prompt follows from the describer's messages, which the journal has already.
    records_prompt=False,
)


@dataclass
class _Dialogue:
    """Everything said and drawn so far, oldest first."""

    prompts: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    renderings: list[Picture] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)


async def play_episode(table: SeatTable, setup: EpisodeSetup[Rules]) -> Ending:
    """Play an episode; see ``ircore.games.base.Game.play``."""
    dialogue = _Dialogue()
    try:
        for turn in range(1, setup.rules.max_turns + 1):
            if await _play_turn(turn, dialogue, table, setup):
                return Ending("converged", tuple(dialogue.turns))
        return Ending("turn_limit", tuple(dialogue.turns))
    except (ProtocolViolationError, PlayerError) as fault:
        return Ending("aborted", tuple(dialogue.turns), fault.reason, fault.detail)


async def _play_turn(turn: int, dialogue: _Dialogue, table: SeatTable, setup: EpisodeSetup[Rules]) -> bool:
    """Let the describer speak and the generator draw; return whether the describer was content instead."""
    prompts: Prompts = setup.prompts
    rules = setup.rules
    prompt = prompts.describer(turn, rules.token_budget)
    reply = await table.ask(DESCRIBER, _build_describer_view(turn, prompt, dialogue, setup))
    move = parse_reply(reply.text, turn)
    if move.action == "done":
        dialogue.turns.append(Turn(turn=turn, action="done", leniencies=move.leniencies, seconds=reply.seconds))
        return True
    turn_record = _build_turn(turn, move, rules, reply.seconds)
    # Before the budget is checked and the generator asked, so that an aborted episode shows the message.
    dialogue.turns.append(turn_record)
    if turn_record.over_budget and rules.over_budget == "abort":
        raise ProtocolViolationError(
            "describer_over_budget", f"{turn_record.message_tokens} tokens; the budget is {rules.token_budget}."
        )
    message = turn_record.message or ""
    answer = await table.ask(GENERATOR, _build_generator_view(turn, message, dialogue, setup))
    dialogue.turns[-1] = _add_answer(turn_record, answer)
    dialogue.prompts.append(prompt)
    dialogue.replies.append(reply.text)
    dialogue.messages.append(message)
    dialogue.renderings.append(answer.picture)
    return False


def _build_describer_view(turn: int, prompt: str, dialogue: _Dialogue, setup: EpisodeSetup[Rules]) -> DescriberView:
    shown = setup.rules.select_remembered_turns(len(dialogue.renderings))
    # The first question goes with the target, each later one with the rendering of the turn before it.
    prompt_places = [0, *(place + 1 for place in shown[:-1])] if shown else []
    return DescriberView(
        turn=turn,
        prompt=prompt,
        target=setup.pictures["target"],
        renderings=tuple(dialogue.renderings[place] for place in shown),
        messages=tuple(dialogue.messages[place] for place in shown),
        replies=tuple(dialogue.replies[place] for place in shown),
        prompts=tuple(dialogue.prompts[place] for place in prompt_places),
        token_budget=setup.rules.token_budget,
        seed=derive_seed(setup.seed, turn, DESCRIBER.name),
    )


def _build_generator_view(turn: int, message: str, dialogue: _Dialogue, setup: EpisodeSetup[Rules]) -> GeneratorView:
    prompts: Prompts = setup.prompts
    mode = setup.rules.drawing
    # On turn 1 there is no rendering yet that could be edited.
    edits = mode == "edit" and bool(dialogue.renderings)
    return GeneratorView(
        turn=turn,
        message=message,
        earlier=tuple(dialogue.messages),
        previous=dialogue.renderings[-1] if edits else None,
        seed=derive_seed(setup.seed, turn, GENERATOR.name),
        prompt=prompts.generator(message, dialogue.messages, mode),
        rewrite=mode == "rewrite" and turn > 1,
    )


def _build_turn(turn: int, move: Move, rules: Rules, seconds: float) -> Turn:
    tokens = count_tokens(move.message)
    over = tokens > rules.token_budget
    message = move.message
    # The count of tokens stays that of the whole message, so that the excess is seen.
    if over and rules.over_budget == "truncate":
        message = truncate_tokens(message, rules.token_budget)
    return Turn(
        turn=turn,
        action="describe",
        message=message,
        message_tokens=tokens,
        over_budget=over,
        leniencies=move.leniencies,
        seconds=seconds,
    )


def _add_answer(turn: Turn, answer: PictureAnswer) -> Turn:
    rendering = Rendering.of(answer.picture)
    return turn.model_copy(
        update={"rendering": rendering, "notes": answer.notes, "seconds": turn.seconds + answer.seconds}
    )
