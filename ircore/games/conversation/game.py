"""The game as a plug-in: its declarations, and its rules as a single coroutine.

Two people talk about a picture that only one of them sees. After every hop a summariser writes a prompt from the talk
so far, and a generator draws the prompt (Nikzad Khasmakhi et al., *ConvGenVisMo*, 2023, section 2). As an option two
models talk in place of the people.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from ircore.core.episode_records import Rendering
from ircore.core.records import GameRules, derive_seed
from ircore.core.tokens import count_tokens, truncate_tokens
from ircore.games.base import (
    Curve,
    Ending,
    EpisodeSetup,
    Game,
    GameOutcome,
    GameWords,
    Instruments,
    Measured,
    Pages,
    PublishedFigure,
    RatedPicture,
    Seat,
    SeatTable,
)
from ircore.games.conversation.measures import CURVES, MEASURES, NORMALISED, measure_drawings, measure_prompts
from ircore.games.conversation.records import MOST_HOPS, Dialogue, Exchange, Hop
from ircore.games.master_words import TextPrompts, load_text_prompts
from ircore.players.base import Captioned, GeneratorView, PictureAnswer, PlayerError, Question, TextAnswer

REPOSITORY = "https://github.com/nabihach/ConvGenVisMo"
SERIES = "ChatGPT + DreamStudio"
"""Summariser (text-davinci-003) and generator of all published figures."""

HOP_MEANS: Mapping[str, tuple[float, ...]] = {
    "clip": (0.652505, 0.692666, 0.689876, 0.705306, 0.689999),
    "psnr": (7.736945, 7.755317, 7.836880, 7.567206, 8.137025),
    "brisque": (22.095511, 23.900008, 24.436409, 23.805564, 22.505336),
    "uqi_sewar": (0.518299, 0.517238, 0.519371, 0.490732, 0.504497),
    "ssim": (0.215120, 0.216506, 0.219694, 0.231097, 0.227975),
    "ep_precision_published": (0.486730, 0.469987, 0.489943, 0.399753, 0.275000),
    "ep_recall_published": (0.509294, 0.528779, 0.547137, 0.568788, 0.781250),
    "ep_f1_published": (0.305289, 0.289453, 0.317802, 0.336376, 0.379167),
}
"""Means over the conversations that have the hop (170, 169, 122, 35 and 8), as the repository's notebook
``compute_metrics.ipynb`` prints them, here to six decimals."""

TABLE_1 = {"iou_common": 0.298925, "iou_precision": 0.223916, "iou_recall": 0.273368}
"""Mean IoU over all drawings. The published code cannot have computed these: its boxes are never found, and the list of
its values is empty."""

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "summariser": ("{dialogue}", "{budget}"),
    "asker": (),
    "asker_later": ("{dialogue}",),
    "answerer": ("{question}",),
    "answerer_later": ("{dialogue}", "{question}"),
}
"""The texts of a set by name, and what each must have a place for."""

LONGEST_MESSAGE = 4000
"""Characters of a question, an answer or a prompt; people's longest message has 230."""

TARGET = "target"
"""Name of the instance's picture."""

_METHOD = """\
Two people talk about a picture that only one of them sees: one asks, the other answers. After every such exchange, a \
hop, a summariser reads the talk so far and writes a prompt, and a generator draws the prompt; neither sees the picture.

Every drawing is compared with the picture. At each hop a measure is a mean over the dialogues that have so many hops; \
on the normalised axis every dialogue runs from its first hop to its last, at twenty places, so that short and long \
ones stand side by side.

The headline is the F1 of the elements in the drawing after the last hop. In drawn pictures they are seen by the eye \
of the judge "verified", which also checks the facts of the scene; in photographs by a detector, where one is installed.

As an option two models talk in place of the people: an asker who sees nothing and an answerer who sees the picture.
"""
"""How the game is played, for the page on its method."""

SUMMARISER: Seat[Question, TextAnswer] = Seat("summariser", "Summariser", "the dialogue so far", "text")
GENERATOR: Seat[GeneratorView, PictureAnswer] = Seat(
    "generator", "Generator", "the prompt", "picture", "render", records_prompt=False
)
ASKER: Seat[Question, TextAnswer] = Seat("asker", "Asker", "the dialogue so far", "text", when="live")
ANSWERER: Seat[Question, TextAnswer] = Seat(
    "answerer", "Answerer", "the picture, the dialogue so far and the question", "text", when="live"
)


def _list_published_figures() -> Iterator[PublishedFigure]:
    for measure, means in HOP_MEANS.items():
        for hop, mean in enumerate(means, start=1):
            yield PublishedFigure(f"{SERIES}, hop {hop}", measure, mean, REPOSITORY, SERIES, hop)
    for measure, mean in TABLE_1.items():
        yield PublishedFigure(f"{SERIES}, Table 1", measure, mean, REPOSITORY)


PUBLISHED = tuple(_list_published_figures())


class ConversationRules(GameRules):
    """Rules of a run.

    >>> ConversationRules(token_budget=50).live  # ConvGenVisMo's length of a prompt
    False
    """

    plain: ClassVar[Mapping[str, str | Mapping[Any, str]]] = {
        "token_budget": "prompts of at most {} tokens",
        "hops": "at most {} hops",
        "live": {True: "two models talk", False: "recorded dialogues"},
    }

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


def format_exchanges(talk: Sequence[Exchange], dialogue: Dialogue) -> str:
    r"""Return exchanges as lines ``NAME: message``; a message of several lines becomes one line.

    >>> talk = (Exchange(asked="What is it?", answered="A dog.\nIt sits."),)
    >>> print(format_exchanges(talk, Dialogue(dialogue=talk)))
    Joe: What is it?
    Jill: A dog. It sits.
    """
    messages = (
        (name, text) for hop in talk for name, text in ((dialogue.asker, hop.asked), (dialogue.answerer, hop.answered))
    )
    return "\n".join(f"{name}: {' '.join(text.split())}" for name, text in messages)


class ConversationGame(Game[ConversationRules]):
    """Conversation to image: a prompt is written from the talk about a picture, and drawn, hop by hop.

    >>> game = ConversationGame()
    >>> [seat.name for seat in game.list_seats(ConversationRules())], game.headline.key
    (['summariser', 'generator'], 'final_ep_f1')
    """

    name = "conversation"
    title = "Conversation to image"
    paper = "https://github.com/nabihach/ConvGenVisMo"
    seats = (SUMMARISER, GENERATOR, ASKER, ANSWERER)
    payload = Dialogue
    rules = ConversationRules
    step = Hop
    outcomes = (GameOutcome("completed", played=True), GameOutcome("aborted", played=False))
    measures = MEASURES
    step_word = "hop"
    pages = Pages(
        columns=("final_verified", "final_ssim", "final_clip", "final_judged", "final_rated", "prompt_tokens"),
        figures=("final_ep_f1", "final_verified", "final_ssim"),
        curves=(
            *(Curve(key, axis="hop") for key in CURVES),
            *(Curve(key, axis="normalised hop", normalised=True) for key in NORMALISED),
        ),
        stories=("ep_f1", "ssim"),
        matrix=(SUMMARISER.name, GENERATOR.name),
        compared=TARGET,
        compared_title="The picture",
        words=GameWords("dialogue", "draw", "drawn", "last drawing"),
        method=_METHOD,
        instance=(files(__package__) / "instance.html.j2").read_text(encoding="utf-8"),
        episode=(files(__package__) / "episode.html.j2").read_text(encoding="utf-8"),
        thumbnail=TARGET,
    )
    published = PUBLISHED

    async def play(self, table: SeatTable, setup: EpisodeSetup[ConversationRules]) -> Ending:
        """Play one episode; see ``ircore.games.base.Game.play``."""
        talk = _Talk(setup)
        # A recorded dialogue may be shorter than the rules allow; players who talk have no such end.
        hops = setup.rules.hops if setup.rules.live else min(setup.rules.hops, len(talk.dialogue.dialogue))
        try:
            for hop in range(1, hops + 1):
                talk.said.append(await _play_exchange(hop, talk, table))
                talk.hops.append(await _play_hop(hop, talk, table))
        except PlayerError as fault:
            return Ending("aborted", tuple(talk.hops), fault.reason, fault.detail)
        return Ending("completed", tuple(talk.hops))

    def measure(self, payload: Dialogue, ending: Ending) -> Iterable[Measured]:
        """Measure the prompts; see ``measures``."""
        return measure_prompts(ending.steps, payload.elements)

    def measure_pictures(self, payload: Dialogue, ending: Ending, instruments: Instruments) -> Iterable[Measured]:
        """Measure the drawings; see ``measures``."""
        return measure_drawings(ending.steps, instruments.picture(TARGET), payload.scene, instruments)

    def list_rated_pictures(self, payload: Dialogue, ending: Ending) -> Iterable[RatedPicture]:
        """Return every drawing, to be compared with the picture; see ``ircore.games.base.Game.list_rated_pictures``."""
        return (RatedPicture(hop.hop, TARGET, hop.drawing, payload.scene) for hop in ending.steps)

    def collect_shown_values(self, payload: Dialogue, ending: Ending | None) -> Mapping[str, Any]:  # noqa: ARG002 - alike for all
        """Return key and title of the measures that an episode shows beside each drawing."""
        return {"shown_values": (("ep_f1", "element F1"), ("verified", "verified"), ("clip", "CLIP"), ("ssim", "SSIM"))}

    def read_prompts(self, folder: Path | None) -> TextPrompts:
        """Read the prompts; see ``load_text_prompts``."""
        return load_text_prompts(TextPrompts, PLACEHOLDERS, __package__, folder)


@dataclass
class _Talk:
    """The setup, and the messages and renderings so far."""

    setup: EpisodeSetup[ConversationRules]
    said: list[Exchange] = field(default_factory=list)
    hops: list[Hop] = field(default_factory=list)

    @property
    def dialogue(self) -> Dialogue:
        dialogue: Dialogue = self.setup.payload
        return dialogue

    def words(self, name: str, **places: object) -> str:
        prompts: TextPrompts = self.setup.prompts
        names = {"asker": self.dialogue.asker, "answerer": self.dialogue.answerer}
        return prompts.words(name, dialogue=format_exchanges(self.said, self.dialogue), **names, **places)

    def seed(self, hop: int, seat: Seat[Any, Any]) -> int:
        return derive_seed(self.setup.seed, hop, seat.name)


async def _play_exchange(hop: int, talk: _Talk, table: SeatTable) -> Exchange:
    """Return the exchange of a hop: the recorded one, or question and answer of the players who talk."""
    if not talk.setup.rules.live:
        return talk.dialogue.dialogue[hop - 1]
    # The words for the first hop have no place for a dialogue that does not exist yet.
    later = "_later" if talk.said else ""
    question = Question(step=hop, prompt=talk.words(f"asker{later}"), seed=talk.seed(hop, ASKER))
    question_text = _ask_for_text((await table.ask(ASKER, question)).text, hop, "asker")
    question = Question(
        step=hop,
        prompt=talk.words(f"answerer{later}", question=question_text),
        pictures=(Captioned("The picture:", talk.setup.pictures[TARGET]),),
        seed=talk.seed(hop, ANSWERER),
    )
    return Exchange(
        asked=question_text, answered=_ask_for_text((await table.ask(ANSWERER, question)).text, hop, "answerer")
    )


async def _play_hop(hop: int, talk: _Talk, table: SeatTable) -> Hop:
    """Let the summariser write a prompt from the dialogue so far, and the generator draw it."""
    budget = talk.setup.rules.token_budget
    question = Question(step=hop, prompt=talk.words("summariser", budget=budget), seed=talk.seed(hop, SUMMARISER))
    prompt = _ask_for_text((await table.ask(SUMMARISER, question)).text, hop, "summariser")
    tokens = count_tokens(prompt)
    drawn = truncate_tokens(prompt, budget).strip() if tokens > budget else prompt
    view = GeneratorView(hop, drawn, earlier=(), previous=None, seed=talk.seed(hop, GENERATOR), prompt=drawn)
    answer = await table.ask(GENERATOR, view)
    return Hop(
        hop=hop,
        asked=talk.said[-1].asked,
        answered=talk.said[-1].answered,
        prompt=drawn,
        tokens=tokens,
        cut=tokens > budget,
        drawing=Rendering.of(answer.picture),
    )


def _ask_for_text(text: str, hop: int, seat: str) -> str:
    """Return the text of a player's answer.

    Raises:
        PlayerError: It is empty or longer than a message may be.
    """
    message = text.strip()
    if not message:
        raise PlayerError("answer_empty", f"hop {hop}: the {seat} said nothing")
    if len(message) > LONGEST_MESSAGE:
        raise PlayerError("answer_format", f"hop {hop}: {len(message)} characters, {LONGEST_MESSAGE} are read")
    return message
