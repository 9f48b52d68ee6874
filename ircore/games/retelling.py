"""A published episode told again as answers, so that the rules can be played on them: transcripts keep no answer."""

from typing import NamedTuple

from ircore.core.episode_records import Episode, Rendering


class RetoldAnswer(NamedTuple):
    """An answer that the protocol reads as a step has it; what was said beside the step is not known."""

    step: int
    """Number of the step."""

    seat: str
    """Name of the seat that answered."""

    text: str | None = None
    """The words, if it answered with words."""

    prompt: str | None = None
    """The question, if it is told beside the answer."""

    rendering: Rendering | None = None
    """The picture, if it answered with one."""

    notes: tuple[str, ...] = ()
    """Words of the player beside a picture."""

    seconds: float = 0.0
    """Seconds until the answer was there."""


class Retelling(NamedTuple):
    """The answers of an episode."""

    episode: Episode
    """The episode that the rules must come to, as far as its answers are known."""

    answers: tuple[RetoldAnswer, ...]
    """In the order in which they came."""

    waiting: tuple[int, str]
    """Step and seat that had to answer next."""

    blamed: str | None = None
    """Seat to which the reason of an abort is laid; None if the rules find the reason, or it is nobody's."""

    faults: tuple[str, ...] = ()
    """What contradicts itself in the steps, a line each."""
