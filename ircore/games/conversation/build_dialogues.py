"""Dialogues of our own about drawn targets, free to publish: every answer states facts of the target's scene.

Joe asks, Jill answers from the scene and not from the picture, in the language that the built-in describer speaks. Easy
dialogues go from thing to thing. In hard ones the target is a hard one, Jill chats beside the matter, and one of her
sentences is wrong at first and corrected two hops later.
"""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import cycle

from ircore.core.counted import article
from ircore.core.images import Picture
from ircore.core.records import Difficulty, Instance, Scene
from ircore.core.seeds import derived_seed
from ircore.games.conversation.game import TARGET
from ircore.games.conversation.records import Dialogue, Exchange
from ircore.instances.requests import BuildRequest, Place
from ircore.instances.scene_percepts import perception_of
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.targets.categories import BUILDERS, draw
from ircore.players.builtin_language import Sentence, tell_percepts

USUAL = ("simple_shapes", "bar_graph", "pie_graph")
"""Categories that are built where none is asked for."""

GROUNDS = ("background", "ground", "panel")
"""Types of elements that nobody would list."""

HOPS = {"easy": 3, "hard": 5}
OPENINGS = ("What can you see in the picture?", "What is in the picture?", "What does the picture show?")
QUESTIONS = {
    "shape": (
        "What other shapes are there?",
        "Which shapes are left?",
        "And what else is drawn there?",
        "Have I missed a shape?",
    ),
    "bars": ("What do the bars look like?", "How high are the bars?"),
    "pie": ("How is the circle divided?", "What does the pie look like?"),
    "line": ("Which lines are there?", "What about the lines?"),
    "scale": ("Is there a grid, or are there ticks?", "Are there any helping lines?"),
    "text": ("Is anything written in it?", "Which words and numbers are in it?"),
}
"""Questions by the kind of thing that the answer tells of."""

CHAT = (
    "I like pictures of this kind.", "I think you would like it.", "Tell me if I am too fast for you.",
    "I love your questions, by the way.", "Thanks for your patience with me.", "I hope you can follow me.",
)  # fmt: skip
"""Sentences beside the matter."""

APOLOGY = "Sorry, I was wrong before:"
_COLOUR = re.compile(r"\(?#[0-9a-f]{6}\)?")
_WRONG = (
    ("red", "#d62828"), ("green", "#2a9d4a"), ("blue", "#1d4ed8"), ("orange", "#f77f00"), ("purple", "#7b2cbf"),
)  # fmt: skip


def build(request: BuildRequest) -> InstanceSet:
    """Build an instance set of the game of conversations.

    Raises:
        InputError: A category is none of the drawn ones, or the folder holds something.
    """
    places = request.places(tuple(BUILDERS), USUAL)
    return write_instances(request.out, (_instance(place, request.seed) for place in places))


def _instance(place: Place, set_seed: int) -> tuple[Instance, dict[str, Picture]]:
    seed = derived_seed(set_seed, place.instance_id)
    drawn = draw(place.category, place.difficulty, seed)
    talk = dialogue_about(drawn.scene, place.difficulty, random.Random(seed))
    instance = Instance(
        instance_id=place.instance_id,
        category=place.category,
        difficulty=place.difficulty,
        game="conversation",
        payload=talk.model_dump(mode="json"),
        source="procedural",
        licence="CC0-1.0",
        seed=seed,
    )
    return instance, {TARGET: Picture.from_pixels(drawn.drawing.pixels)}


def dialogue_about(scene: Scene, difficulty: Difficulty, rng: random.Random) -> Dialogue:
    """Write a dialogue about a scene.

    Args:
        scene: What the picture shows.
        difficulty: ``hard`` adds chat and a correction.
        rng: The same state gives the same dialogue.
    """
    groups = _groups(tell_percepts(perception_of(scene)), HOPS[difficulty])
    answers = [[sentence.text for sentence in group] for group in groups]
    if difficulty == "hard":
        _err_and_correct(answers, rng)
        chatty = rng.sample(answers, max(1, len(answers) // 2))
        for answer, chat in zip(chatty, rng.sample(CHAT, len(chatty)), strict=True):
            answer.insert(rng.choice((0, len(answer))), chat)
    questions = [rng.choice(OPENINGS), *_questions([group[0].kind for group in groups[1:]], rng)]
    elements = dict.fromkeys(
        element.type.replace("_", " ") for element in scene.elements if element.type not in GROUNDS
    )
    return Dialogue(
        dialogue=tuple(
            Exchange(asked=question, answered=" ".join(answer))
            for question, answer in zip(questions, answers, strict=True)
        ),
        elements=tuple(elements),
        scene=scene,
    )


def _questions(kinds: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Yield a question for each kind of answer; a question comes again only when all of its kind were asked."""
    questions_by_kind: dict[str, Iterator[str]] = {}
    for kind in kinds:
        if kind not in questions_by_kind:
            questions_by_kind[kind] = cycle(rng.sample(QUESTIONS[kind], len(QUESTIONS[kind])))
        yield next(questions_by_kind[kind])


def _groups(parts: Sequence[Sentence], hops: int) -> list[list[Sentence]]:
    """Divide sentences into hops of about equally many, in their order; the ground and the first thing are one hop.

    Where there are few sentences, the ground is a hop of its own.
    """
    opening = 2 if len(parts) > hops else 1
    first, rest = list(parts[:opening]), list(parts[opening:])
    count = min(hops - 1, len(rest))
    ends = [round(len(rest) * (number + 1) / count) for number in range(count)] if count else []
    starts = [0, *ends[:-1]]
    return [first, *(rest[start:end] for start, end in zip(starts, ends, strict=True))]


def _err_and_correct(answers: list[list[str]], rng: random.Random) -> None:
    """Make a sentence wrong, by another colour, and let it be corrected later."""
    places = [
        (hop, place)
        # Never in the last answer, after which nothing could be corrected.
        for hop, answer in enumerate(answers[:-1])
        for place, sentence in enumerate(answer)
        # Of a sentence with two colours it would not be clear which is wrong; of the background, what the right one is.
        if len(_COLOUR.findall(sentence)) == 1 and "background" not in sentence
    ]
    if not places:
        return
    hop, place = rng.choice(places)
    right = answers[hop][place]
    # A colour that the sentence has already would leave it right.
    name, colour = rng.choice([wrong for wrong in _WRONG if wrong[1] not in right])
    answers[hop][place] = _recoloured(right, name, colour)
    later = answers[min(hop + 2, len(answers) - 1)]
    later.append(f"{APOLOGY} {right[0].lower()}{right[1:]}")


def _recoloured(sentence: str, name: str, colour: str) -> str:
    """Return a sentence with another colour in place of its own, name and code."""
    # "dark blue (#1e3a5f)" becomes "orange (#f77f00)".
    recoloured = re.sub(r"(?:\b(?:light|dark) )?\b\w+ \(#[0-9a-f]{6}\)", f"{name} ({colour})", sentence, count=1)
    # "A blue circle" became "A orange circle".
    return re.sub(rf"^An? {name}", article(name), recoloured)
