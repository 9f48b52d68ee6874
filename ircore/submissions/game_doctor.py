"""Asking the players of a game's seats a tiny question each, whichever game it is.

Only players that take questions of any game are asked: those that say what they answer with. Other players know one
game, whose questions need its instances.
"""

import asyncio
from typing import Any

from ircore.core.errors import InputError
from ircore.games.base import Seat
from ircore.players.base import Answer, AnswerKind, Captioned, ChoiceAnswer, PictureAnswer, PlayerError, Question
from ircore.players.recorded import RECORDED
from ircore.players.submission import LoadedGameSubmission, make_player
from ircore.players.traits import traits_of
from ircore.submissions.doctor import (
    COLOUR_WORDS,
    Finding,
    answered_in_time,
    closing,
    hurried,
    remedy_of,
    shown_picture,
)

COLOURS = ("red", "green", "blue")
_SHOWN = (Captioned("the picture", shown_picture()),)
QUESTIONS: dict[AnswerKind, Question] = {
    "text": Question(1, "Which colour is the disc in this picture? Answer in a few words.", _SHOWN),
    "choice": Question(1, "Which colour is the disc in this picture?", _SHOWN, COLOURS, answers="choice"),
    "picture": Question(1, "Draw a filled red disc in the middle of a white picture.", answers="picture"),
}
"""What is asked, by what the seat answers with."""


def examine_seat(loaded: LoadedGameSubmission, seat: Seat[Any, Any], timeout: float) -> Finding:
    """Make the player of a seat and ask it; whatever goes wrong becomes a finding.

    Args:
        loaded: The submission.
        seat: Which seat.
        timeout: Seconds that the answer may take.
    """
    spec = loaded.submission.players[seat.name]
    if spec.player == RECORDED:
        return Finding(seat.name, "recorded answers", True, "come with the instances: nothing to ask")
    if seat.method != "answer" or not traits_of(spec.player).answers:
        return Finding(seat.name, "settings", *_settings(loaded, seat.name))
    players = {**loaded.submission.players, seat.name: hurried(spec, timeout)}
    in_a_hurry = loaded._replace(submission=loaded.submission.model_copy(update={"players": players}))
    question, name = QUESTIONS[seat.answers], f"a {seat.answers}"
    try:
        player = make_player(in_a_hurry, seat.name)
        answer, seconds = asyncio.run(closing(player, answered_in_time(player.answer(question), timeout)))
    except PlayerError as error:
        detail = " ".join(f"{error.reason}: {error.detail}".split())
        return Finding(seat.name, name, False, detail, remedy_of(error, spec))
    except InputError as error:
        return Finding(seat.name, name, False, error.problem, error.remedy)
    except TimeoutError:
        return Finding(seat.name, name, False, f"no answer within {timeout:g} s", "Try again with a longer --timeout.")
    seen, right = _seen(answer)
    blind = "" if right or seat.answers == "picture" else "Make sure that this model sees pictures."
    return Finding(seat.name, name, True, f"{seen}, {seconds:.1f} s", blind)


def _settings(loaded: LoadedGameSubmission, seat: str) -> tuple[bool, str, str]:
    """Make a player that cannot be asked without the game; return whether that works, what was seen and a remedy."""
    try:
        make_player(loaded, seat)
    except InputError as error:
        return False, error.problem, error.remedy
    return True, "are taken; not asked, since it answers questions of its game only", ""


def _seen(answer: Answer) -> tuple[str, bool]:
    """Return what was answered, and whether the red disc was seen or drawn."""
    if isinstance(answer, ChoiceAnswer):
        return "".join([f"chose {answer.choice}", *(f"; {note}" for note in answer.notes)]), answer.choice == "red"
    if isinstance(answer, PictureAnswer):
        picture = answer.picture
        red, green, blue = (int(value) for value in picture.pixels[picture.height // 2, picture.width // 2])
        right = red > max(green, blue)
        said = "drew it red" if right else "but its middle is not red"
        return f"{picture.width} × {picture.height} px, {said}", right
    right = any(word in answer.text.lower() for word in COLOUR_WORDS)
    said = "saw the red disc" if right else "but nothing red in the words on a red disc"
    return f"{len(answer.text.split())} words, {said}", right
