"""Instances of the game: dialogues of our own about drawn targets, and ConvGenVisMo's imported.

Our own are free to publish, and every answer states facts of the target's scene. Joe asks, Jill answers from the scene
and not from the picture, in the language that the built-in describer speaks. Easy dialogues go from thing to thing. In
hard ones the target is a hard one, Jill chats beside the matter, and one of her sentences is wrong at first and
corrected two hops later.

ConvGenVisMo's come from the files of its public repository (Nikzad Khasmakhi et al., *ConvGenVisMo*, 2023, section 2):
``dataset.jsonl``, here or in ``dataset``, with a conversation a line, and its pictures ``images/ID.SUFFIX`` beside it.
Some pictures are HEIC files, which need the extra ``heif``; a JPEG of the same name beside one is taken instead.
Pictures are shown as a viewer shows them: upright, transparent parts on white, the first frame of several.
"""

import io
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from ircore.core.errors import InputError
from ircore.core.files import read_bounded
from ircore.core.images import MAX_PIXELS, ImageError, Picture, decode_viewed_pixels, read_image_bytes, read_picture
from ircore.core.plain_words import add_article
from ircore.core.plugins import build_unknown_name_error
from ircore.core.records import DIFFICULTIES, Difficulty, Instance, Record, Scene, derive_seed
from ircore.core.terminal import track_progress
from ircore.core.validation import describe_validation_error
from ircore.games.conversation.game import TARGET
from ircore.games.conversation.records import MOST_HOPS, Dialogue, Exchange, Message
from ircore.instances.requests import BuildRequest, ImportRequest, SetPlace
from ircore.instances.scene_percepts import perceive_scene
from ircore.instances.store import CONVGENVISMO, InstanceSet, refuse_other_licence, write_instances
from ircore.instances.targets.categories import BUILDERS, draw_target
from ircore.players.builtin_language import PictureSentence, tell_percepts

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

CATEGORIES = ("cartoon", "animal", "human", "painting", "nature", "product")
INDEX = "dataset.jsonl"
MAX_BYTES = 16 * 1024**2
SOURCE = "ConvGenVisMo (Nikzad Khasmakhi et al. 2023)"
UNIQUE, OWN = "unique", "MIT"
"""Source of the pictures that were given to the authors, and the licence under which they publish them."""

LONG = 3
"""Hops from which on a dialogue counts as hard to keep in a prompt."""

_FOLDERS = ("dataset", ".")
_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".heic", ".heif")
"""Formats in the order in which they are taken."""

ImageId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,60}$")]

HEIF = (".heic", ".heif")
SMALLEST_SIDE = 11
"""Pixels: the window of SSIM."""

LONGEST_SIDE = 2048
"""Pixels: larger photographs are reduced, so that a picture can be stored, shown to models and measured in seconds."""


def build(request: BuildRequest) -> InstanceSet:
    """Build an instance set of the game of conversations.

    Raises:
        InputError: A category is none of the drawn ones, or the folder holds something.
    """
    places = request.places(tuple(BUILDERS), USUAL)
    return write_instances(request.out, (_build_instance(place, request.seed) for place in places))


def write_dialogue(scene: Scene, difficulty: Difficulty, rng: random.Random) -> Dialogue:
    """Write a dialogue about a scene.

    Args:
        scene: What the picture shows.
        difficulty: ``hard`` adds chat and a correction.
        rng: The same state gives the same dialogue.
    """
    groups = _divide_into_hops(tell_percepts(perceive_scene(scene)), HOPS[difficulty])
    answers = [[sentence.text for sentence in group] for group in groups]
    if difficulty == "hard":
        _add_corrected_error(answers, rng)
        chatty = rng.sample(answers, max(1, len(answers) // 2))
        for answer, chat in zip(chatty, rng.sample(CHAT, len(chatty)), strict=True):
            answer.insert(rng.choice((0, len(answer))), chat)
    questions = [rng.choice(OPENINGS), *_draw_questions([group[0].kind for group in groups[1:]], rng)]
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


def import_convgenvismo(request: ImportRequest) -> InstanceSet:
    """Make an instance set of ConvGenVisMo's conversations.

    Those without a picture are left out, with a line on stderr. Pictures that the authors found on Flickr and Pinterest
    have a licence under which they are never published. A dialogue of three hops or more is hard, a shorter one easy,
    unless a difficulty is given.

    Args:
        request: Its path is a copy of the repository, or its folder ``dataset``; its category limits the import.

    Raises:
        InputError: Another licence is given.
        InputError: A file is missing or wrong; the line names file, line and field. Nothing is written.
    """
    refuse_other_licence(request.licence, CONVGENVISMO)
    if request.category is not None and request.category not in CATEGORIES:
        raise build_unknown_name_error("category", request.category, CATEGORIES, "--category")
    if request.difficulty is not None and request.difficulty not in DIFFICULTIES:
        raise build_unknown_name_error("difficulty", request.difficulty, DIFFICULTIES, "--difficulty")
    root = next((request.path / name for name in _FOLDERS if (request.path / name / INDEX).is_file()), None)
    if root is None:
        raise InputError(f"{request.path}: no {INDEX}", "Name a copy of the repository nabihach/ConvGenVisMo.")
    if not (root / "images").is_dir():
        raise InputError(f"{root / 'images'}: no such folder", "Copy the pictures beside the conversations.")
    conversations = [
        conversation
        for conversation in _read_conversations(root / INDEX)
        if request.category in (None, conversation.category[0])
    ]
    pictures = _find_pictures(root / "images")
    missing = [entry.image.image_id for entry in conversations if entry.image.image_id not in pictures]
    if missing:
        print(f"{len(missing)} conversations have no picture and are left out: {', '.join(missing)}", file=sys.stderr)
    drawn = [entry for entry in conversations if entry.image.image_id in pictures]
    if not drawn:
        raise InputError(f"{root / 'images'}: holds no picture of these conversations", "Copy the pictures there.")
    return write_instances(request.out, _build_instances(drawn, pictures, request))


def read_any_picture(path: Path) -> Picture:
    """Read a picture as a viewer shows it, HEIC included; one larger than ``LONGEST_SIDE`` is reduced.

    Raises:
        ImageError: The file is no usable picture, or it is HEIC and the extra is not installed.
    """
    from PIL import Image

    pixels = _read_heif(path).pixels if path.suffix.lower() in HEIF else read_picture(path).pixels
    height, width = pixels.shape[:2]
    if min(height, width) < SMALLEST_SIDE:
        raise ImageError(
            f"{path}: {width} × {height} pixels", f"Metrics need at least {SMALLEST_SIDE} pixels a side; remove it."
        )
    if max(height, width) <= LONGEST_SIDE:
        return Picture.from_pixels(pixels)
    import numpy as np

    image = Image.fromarray(pixels)
    # A thumbnail keeps the proportions of the sides.
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    return Picture.from_pixels(np.asarray(image))


def _build_instance(place: SetPlace, set_seed: int) -> tuple[Instance, dict[str, Picture]]:
    seed = derive_seed(set_seed, place.instance_id)
    drawn = draw_target(place.category, place.difficulty, seed)
    talk = write_dialogue(drawn.scene, place.difficulty, random.Random(seed))
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


def _draw_questions(kinds: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Yield a question for each kind of answer; a question comes again only when all of its kind were asked."""
    questions_by_kind: dict[str, Iterator[str]] = {}
    for kind in kinds:
        if kind not in questions_by_kind:
            questions_by_kind[kind] = cycle(rng.sample(QUESTIONS[kind], len(QUESTIONS[kind])))
        yield next(questions_by_kind[kind])


def _divide_into_hops(parts: Sequence[PictureSentence], hops: int) -> list[list[PictureSentence]]:
    """Divide sentences into hops of about equally many, in their order; the ground and the first thing are one hop.

    Where there are few sentences, the ground is a hop of its own.
    """
    opening = 2 if len(parts) > hops else 1
    first, rest = list(parts[:opening]), list(parts[opening:])
    count = min(hops - 1, len(rest))
    ends = [round(len(rest) * (number + 1) / count) for number in range(count)] if count else []
    starts = [0, *ends[:-1]]
    return [first, *(rest[start:end] for start, end in zip(starts, ends, strict=True))]


def _add_corrected_error(answers: list[list[str]], rng: random.Random) -> None:
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
    answers[hop][place] = _recolour_sentence(right, name, colour)
    later = answers[min(hop + 2, len(answers) - 1)]
    later.append(f"{APOLOGY} {right[0].lower()}{right[1:]}")


def _recolour_sentence(sentence: str, name: str, colour: str) -> str:
    """Return a sentence with another colour in place of its own, name and code."""
    # "dark blue (#1e3a5f)" becomes "orange (#f77f00)".
    recoloured = re.sub(r"(?:\b(?:light|dark) )?\b\w+ \(#[0-9a-f]{6}\)", f"{name} ({colour})", sentence, count=1)
    # "A blue circle" became "A orange circle".
    return re.sub(rf"^An? {name}", add_article(name), recoloured)


class _Open(Record):
    """A record of the published file, which may hold more fields than are read."""

    model_config = ConfigDict(extra="ignore")


class _Message(_Open):
    role: Literal["Joe", "Jill"]
    content: Message


class _Image(_Open):
    image_id: ImageId
    source: Annotated[str, StringConstraints(min_length=1, max_length=500)]


class _Conversation(_Open):
    """A line of ``dataset.jsonl``: pairs of messages, Joe's first."""

    conversation: tuple[tuple[_Message, _Message], ...] = Field(min_length=1, max_length=MOST_HOPS)
    image: _Image
    elements: tuple[Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)], ...]
    category: tuple[Annotated[str, StringConstraints(pattern=r"^[a-z]{1,30}$")]]


def _build_instances(
    conversations: Sequence[_Conversation], pictures: dict[str, Path], request: ImportRequest
) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    for entry in track_progress(iter(conversations), "importing", len(conversations)):
        dialogue = Dialogue(
            dialogue=tuple(
                Exchange(asked=question.content, answered=answer.content) for question, answer in entry.conversation
            ),
            elements=entry.elements,
        )
        by_length = "hard" if len(entry.conversation) >= LONG else "easy"
        licence = OWN if entry.image.source == UNIQUE else CONVGENVISMO
        instance = Instance.model_validate(
            {
                "instance_id": f"convgenvismo-{entry.image.image_id.lower()}",
                "category": entry.category[0],
                "difficulty": request.difficulty or by_length,
                "game": "conversation",
                "payload": dialogue.model_dump(mode="json"),
                "source": request.source or f"{SOURCE}, picture: {entry.image.source}"[:500],
                "licence": request.licence or licence,
            }
        )
        yield instance, {"target": read_any_picture(pictures[entry.image.image_id])}


def _find_pictures(folder: Path) -> dict[str, Path]:
    """Return the picture of each id; of two files the one in the more usual format."""
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
    # The later entry of a dict wins, so the most usual format comes last.
    files.sort(key=lambda path: _SUFFIXES.index(path.suffix.lower()), reverse=True)
    return {path.stem: path for path in files}


def _read_conversations(path: Path) -> list[_Conversation]:
    """Read the conversations; every fault is an ``InputError`` that names its line."""
    try:
        lines = read_bounded(path, MAX_BYTES, "Check the path.", "Split it.").decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text", "Restore it as it was published.") from error
    conversations = [
        _parse_conversation(f"{path}:{number}", line) for number, line in enumerate(lines, 1) if line.strip()
    ]
    known_names: set[str] = set()
    for conversation in conversations:
        # Ids become names of files, and some file systems do not tell capitals from small letters.
        name = conversation.image.image_id.lower()
        if name in known_names:
            raise InputError(f"{path}: image_id {name} is there twice", "Remove one of the two lines.")
        known_names.add(name)
    if not conversations:
        raise InputError(f"{path}: holds no conversation", "Restore it as it was published.")
    return conversations


def _parse_conversation(place: str, line: str) -> _Conversation:
    remedy = "Restore it as it was published."
    try:
        document: Any = json.loads(line)
        conversation = _Conversation.model_validate(document)
    except ValidationError as error:
        raise InputError(f"{place}: {describe_validation_error(error)}", remedy) from error
    # A line of ten thousand brackets exhausts the parser's stack.
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON: {error}", remedy) from error
    if conversation.category[0] not in CATEGORIES:
        raise build_unknown_name_error("category", conversation.category[0], CATEGORIES, place)
    for number, (question, answer) in enumerate(conversation.conversation, start=1):
        if (question.role, answer.role) != ("Joe", "Jill"):
            raise InputError(
                f"{place}: conversation: hop {number}: {question.role} asks, {answer.role} answers", remedy
            )
    return conversation


def _read_heif(path: Path) -> Picture:
    data = read_image_bytes(path)
    try:
        import pillow_heif
    except ImportError as error:
        remedy = "Install it: pip install 'ircore[heif]', or put a JPEG of the same name beside it."
        raise ImageError(f"{path}: a HEIC picture needs the extra heif", remedy) from error
    try:
        file = pillow_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True)
        # Checked before decoding: the header of a small file may claim gigabytes of pixels.
        if file.size[0] * file.size[1] > MAX_PIXELS:
            raise ImageError(f"{path}: {file.size[0]} × {file.size[1]} pixels is too large", "Reduce it.")
        return Picture.from_pixels(decode_viewed_pixels(file.to_pillow()))
    # libheif's binding and Pillow raise all of these on damaged files.
    except (ValueError, EOFError, SyntaxError, RuntimeError, OSError) as error:
        raise ImageError(f"{path}: damaged or no HEIC picture ({error})", "Save it again from its source.") from error
