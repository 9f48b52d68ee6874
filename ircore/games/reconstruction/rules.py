"""The Image Reconstruction Game (arXiv 2606.01901, section 3), as rules only: no files, no clock, no network.

A describer sees a target and, from turn 2 on, every rendering made so far; its words are all that the generator gets.
An episode ends when the describer says done (``converged``), when the turns are used up (``turn_limit``), or when
somebody breaks the protocol or cannot answer (``aborted``, with a reason).
"""

import hashlib
from dataclasses import dataclass, field

from ircore.core.images import Picture
from ircore.core.records import AbortReason, Episode, Instance, Outcome, Rendering, Rules, Turn
from ircore.core.tokens import count_tokens, truncate_tokens
from ircore.games.base import Seats
from ircore.games.reconstruction.prompts import Prompts
from ircore.games.reconstruction.reply import Move, ProtocolViolationError, parse_reply
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, PlayerError


@dataclass
class _Table:
    """What lies on the table: everything said and drawn so far, oldest first."""

    prompts: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    renderings: list[Picture] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)


class ReconstructionGame:
    """The rules, as one coroutine."""

    name = "reconstruction"

    async def play(
        self, instance: Instance, target: Picture, seats: Seats, rules: Rules, prompts: Prompts, seed: int
    ) -> Episode:
        """Play one episode; see ``ircore.games.base.Game.play``."""
        table = _Table()
        try:
            for turn in range(1, rules.max_turns + 1):
                done = await _play_turn(turn, table, target, seats, rules, prompts, seed)
                if done:
                    return _episode(instance, table, "converged")
            return _episode(instance, table, "turn_limit")
        except (ProtocolViolationError, PlayerError) as fault:
            return _episode(instance, table, "aborted", fault.reason, fault.detail)


async def _play_turn(
    turn: int, table: _Table, target: Picture, seats: Seats, rules: Rules, prompts: Prompts, seed: int
) -> bool:
    """Let the describer speak and the generator draw; return whether the describer was content instead."""
    prompt = prompts.describer(turn, rules.token_budget)
    reply = await seats.describe(
        DescriberView(
            turn=turn,
            prompt=prompt,
            target=target,
            renderings=tuple(table.renderings),
            messages=tuple(table.messages),
            replies=tuple(table.replies),
            prompts=tuple(table.prompts),
            token_budget=rules.token_budget,
            seed=derived_seed(seed, turn, "describer"),
        )
    )
    move = parse_reply(reply.text, turn)
    if move.action == "done":
        table.turns.append(Turn(turn=turn, action="done", leniencies=move.leniencies, seconds=reply.seconds))
        return True
    said = _say(turn, move, rules, reply.seconds)
    table.turns.append(said)
    if said.over_budget and rules.over_budget == "abort":
        raise ProtocolViolationError(
            "describer_over_budget", f"{said.message_tokens} tokens; the budget is {rules.token_budget}."
        )
    message = said.message or ""
    answer = await seats.render(
        GeneratorView(
            turn=turn,
            message=message,
            earlier=tuple(table.messages),
            previous=table.renderings[-1] if table.renderings else None,
            seed=derived_seed(seed, turn, "generator"),
            prompt=prompts.generator(message, table.messages),
        )
    )
    table.turns[-1] = _answered(said, answer)
    table.prompts.append(prompt)
    table.replies.append(reply.text)
    table.messages.append(message)
    table.renderings.append(answer.picture)
    return False


def _say(turn: int, move: Move, rules: Rules, seconds: float) -> Turn:
    tokens = count_tokens(move.message)
    over = tokens > rules.token_budget
    message = move.message
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


def _answered(said: Turn, answer: PictureAnswer) -> Turn:
    picture = answer.picture
    rendering = Rendering(sha256=picture.sha256, width=picture.width, height=picture.height)
    return said.model_copy(
        update={"rendering": rendering, "notes": answer.notes, "seconds": said.seconds + answer.seconds}
    )


def _episode(
    instance: Instance,
    table: _Table,
    outcome: Outcome,
    reason: AbortReason | None = None,
    detail: str | None = None,
) -> Episode:
    return Episode(
        episode_id=instance.instance_id,
        instance_id=instance.instance_id,
        category=instance.category,
        difficulty=instance.difficulty,
        outcome=outcome,
        abort_reason=reason,
        detail=detail[:2000] if detail else None,
        turns=tuple(table.turns),
    )


def derived_seed(seed: int, *parts: object) -> int:
    """Return a seed of 32 bits that depends on ``seed`` and every part, the same on every machine."""
    text = "\0".join(str(part) for part in (seed, *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
