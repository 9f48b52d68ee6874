"""Rules of a conversation: length of the prompt, number of hops, and whether the dialogue is recorded or live."""

from pydantic import Field

from ircore.core.records import GameRules
from ircore.games.conversation.records import MOST_HOPS


class ConversationRules(GameRules):
    """Rules of a run.

    >>> ConversationRules(token_budget=50).live  # ConvGenVisMo's length of a prompt
    False
    """

    token_budget: int = Field(
        default=200, strict=True, ge=10, le=2000, description="Tokens that a prompt may have; a longer one is cut."
    )
    hops: int = Field(
        default=8,
        strict=True,
        ge=1,
        le=MOST_HOPS,
        description="Hops at most: a recorded dialogue may end earlier, a live one does not.",
    )
    live: bool = Field(
        default=False,
        strict=True,
        description="Whether an asker and an answerer talk before each drawing, in place of the recorded dialogue.",
    )
