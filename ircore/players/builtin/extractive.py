"""The offline summariser of conversations: takes from a dialogue the sentences about the picture's contents.

Extractive summarisation: no sentence is written anew. Chat is left out, a correction replaces the sentence that it
corrects, a bare yes or no brings its question along, and what does not fit the budget goes, the least telling first.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from ircore.core import exact
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens, truncate_tokens
from ircore.players.base import PlayerError, Question, TextAnswer, refuse_settings
from ircore.players.traits import THINKS_OFFLINE


def _read_words(name: str) -> frozenset[str]:
    return frozenset((files(__package__) / name).read_text(encoding="utf-8").split())


DEFAULT_BUDGET = 200
"""Tokens, where the prompt names no number."""

LEAST_SHARED = 0.3
"""Share of the content words of the shorter sentence that a corrected sentence must share with its correction."""

MOST_CHAT = 0.25
"""Share of a sentence's words that may be of people and their opinions before the sentence is left out."""

_LINE = re.compile(r"^([^:\n]{1,60}): +(\S.*)$", re.MULTILINE)
_BUDGET = re.compile(r"(\d+) tokens")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“'])")
_CORRECTION = re.compile(
    r"^(?:oh,? |no,? |oops,? |wait,? |sorry,? |actually,? )*"
    r"(?:sorry|oops|wait|correction|actually|i was wrong|i meant|let me correct (?:that|myself))"
    r"(?:[^:.,;]{0,40}?)[:,;.–-]+\s*(?=\S)",
    re.IGNORECASE,
)
_YES = re.compile(r"^(?:yes|yeah|yep|exactly|right|sure|correct)\b[,.! ]*", re.IGNORECASE)
_NO = re.compile(r"^(?:no|nope|not really|not at all)\b[,.! ]*", re.IGNORECASE)
_OPENINGS = re.compile(
    r"^(?:well|so|okay|ok|oh|hmm|i (?:can )?see|i think|i guess|there you go|of course)\b,?\s+", re.IGNORECASE
)
_CHAT = _read_words("chat_words.txt")
_FUNCTION_WORDS = _read_words("function_words.txt")


@dataclass(frozen=True)
class _Sentence:
    """A sentence of an answer, with its place in the dialogue."""

    text: str
    place: int

    @property
    def words(self) -> tuple[str, ...]:
        """Its words in lower case, numbers included."""
        return tuple(re.findall(r"[\w#'’-]+", self.text.lower()))

    @property
    def content(self) -> frozenset[str]:
        """Its words that say something."""
        return frozenset(self.words) - _FUNCTION_WORDS - _CHAT


class ExtractivePlayer:
    r"""Summarises a dialogue of lines ``NAME: message`` in the question's prompt.

    >>> import asyncio
    >>> talk = "Joe: What is it?\nJill: A red hat. I love hats!\nJoe: Red?\nJill: Sorry, I was wrong: a blue hat."
    >>> player = ExtractivePlayer(PlayerSpec(player="extractive"))
    >>> asyncio.run(player.answer(Question(step=1, prompt=talk))).text
    'A blue hat.'
    """

    TRAITS = THINKS_OFFLINE

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def answer(self, question: Question) -> TextAnswer:
        """Return the sentences about the picture's contents, at most as many tokens as the prompt allows.

        Raises:
            PlayerError: The prompt holds no dialogue of at least two lines.
        """
        messages = [(name.strip(), text.strip()) for name, text in _LINE.findall(question.prompt)]
        exchanges = _pair_exchanges(messages)
        if not exchanges:
            raise PlayerError("rule_broken", "the prompt holds no dialogue of lines NAME: message")
        allowed = _BUDGET.findall(question.prompt)
        return TextAnswer(write_summary(exchanges, int(allowed[-1]) if allowed else DEFAULT_BUDGET))


def write_summary(exchanges: Sequence[tuple[str, str]], budget: int) -> str:
    """Return the answers' statements about the picture, in the order in which they were made.

    Args:
        exchanges: Questions with their answers.
        budget: Tokens at most.
    """
    sentences = _remove_repeats(_apply_corrections(exchanges))
    telling = [sentence for sentence in sentences if _compute_chat_share(sentence) <= MOST_CHAT] or sentences
    chosen, left = list[_Sentence](), budget
    for sentence in sorted(telling, key=_weigh_sentence, reverse=True):
        tokens = count_tokens(" " + _add_full_stop(sentence.text))
        if tokens <= left:
            chosen.append(sentence)
            left -= tokens
    # No whole sentence fits.
    if not chosen:
        return truncate_tokens(telling[0].text, budget)
    return " ".join(_add_full_stop(sentence.text) for sentence in sorted(chosen, key=telling.index))


def _pair_exchanges(messages: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of lines by two different speakers that follow one another."""
    pairs, waiting = [], None
    for name, text in messages:
        if waiting is not None and waiting[0] != name:
            pairs.append((waiting[1], text))
            waiting = None
        else:
            waiting = (name, text)
    return pairs


def _apply_corrections(exchanges: Sequence[tuple[str, str]]) -> list[_Sentence]:
    """Return the sentences of all answers; a correction stands in the place of the sentence that it corrects."""
    sentences: list[_Sentence] = []
    for place, (question, answer) in enumerate(exchanges):
        for text in _list_statements(question, answer):
            marked = _CORRECTION.match(text)
            sentence = _Sentence(_capitalise(text[marked.end() :] if marked else text), place)
            wrong = _find_resembling(sentence, sentences) if marked else None
            if wrong is None:
                sentences.append(sentence)
            else:
                sentences[wrong] = replace(sentence, place=sentences[wrong].place)
    return sentences


def _list_statements(question: str, answer: str) -> Iterator[str]:
    """Yield the sentences of an answer; a bare yes becomes the question's content, a bare no is left out."""
    bare = _NO.sub("", _YES.sub("", answer)).strip()
    if not bare:
        if _YES.match(answer):
            yield f"{question.rstrip('? ')}: yes."
        return
    if not _CORRECTION.match(answer):
        # "Yes, a red hat" is told without the yes.
        answer = bare
    for text in _SENTENCE_END.split(answer):
        shortened = text if _CORRECTION.match(text) else _OPENINGS.sub("", text)
        if shortened.strip(" .!?"):
            yield shortened


def _find_resembling(sentence: _Sentence, earlier_sentences: Sequence[_Sentence]) -> int | None:
    """Return the index of the earlier sentence that shares most content words; None if none shares enough."""
    shares = [
        len(sentence.content & other.content) / max(1, min(len(sentence.content), len(other.content)))
        for other in earlier_sentences
    ]
    best = max(range(len(earlier_sentences)), key=lambda index: shares[index], default=None)
    return best if best is not None and shares[best] >= LEAST_SHARED else None


def _remove_repeats(sentences: Sequence[_Sentence]) -> list[_Sentence]:
    """Return the sentences that say something new: a content word or number that none of the others has said before."""
    known: set[str] = set()
    standing = []
    for sentence in sentences:
        if not sentence.content or not sentence.content <= known:
            standing.append(sentence)
        known |= sentence.content
    return standing


def _compute_chat_share(sentence: _Sentence) -> float:
    return sum(word in _CHAT for word in sentence.words) / max(1, len(sentence.words))


def _weigh_sentence(sentence: _Sentence) -> float:
    """Return how telling a sentence is: content words by tokens, halved with every hop: the main things come first."""
    density = len(sentence.content) / max(1, count_tokens(sentence.text))
    return density * exact.whole_power(0.5, sentence.place)


def _add_full_stop(text: str) -> str:
    """Return a sentence with a full stop, where it ends without a mark."""
    return text if text[-1] in ".!?:;" else f"{text}."


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
