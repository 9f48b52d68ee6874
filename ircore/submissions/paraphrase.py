"""Messages in other words, with the same numbers: by a list of synonyms offline, or by a chat model."""

import asyncio
import re
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Protocol

from ircore.core.seeds import derive_seed
from ircore.core.strict_yaml import read_mapping
from ircore.players.base import PlayerError, Question
from ircore.players.submission import LoadedSubmission, make_player

LIST = Path(__file__).with_name("synonyms.yaml")
PROMPT = (
    "Say the following description of a picture in other words. Keep every number, colour, place and quoted text as it "
    "is, leave nothing out and add nothing. Change the order of sentences where the order does not matter. "
    "Answer with the description alone.\n\n{message}"
)

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z#\"'“])")
_LEANS_BACK = re.compile(
    r"(?:it|its|they|their|them|these|those|this|that|each|both|all|the (?:same|first|second|third|last|other|rest)|"
    r"then|also|inside|next|another|here|there (?:is|are) also|finally)\b",
    re.IGNORECASE,
)
"""Beginnings of sentences that only make sense after the sentence before."""

_QUOTED = re.compile(r"(\"[^\"]*\"|“[^”]*”|‘[^’]*’|`[^`]*`)")
_NUMBER = re.compile(r"#[0-9a-fA-F]{3,8}\b|\d+(?:\.\d+)?")


class Paraphraser(Protocol):
    """Says a message in other words.

    >>> offline: Paraphraser = ByList()
    >>> offline.name
    'synonyms'
    """

    name: str

    async def paraphrase(self, message: str) -> str:
        """Return the message in other words, with the same numbers; the message itself where that cannot be done."""
        ...


class ByList:
    """Paraphrases offline: another order of sentences, and other words of the same meaning from a list.

    >>> asyncio.run(ByList().paraphrase("The picture has a grey background."))
    'The image has a gray backdrop.'
    """

    name = "synonyms"

    async def paraphrase(self, message: str) -> str:
        """Return the message in other words; the same words for the same message."""
        # Seeded by the message, so that a second test gives the same paraphrases.
        random = Random(derive_seed(0, message))
        sentences = _reorder(_SENTENCE.split(message), random)
        return " ".join(_reword(sentence, random) for sentence in sentences)


class ByModel:
    """Paraphrases with a chat model.

    >>> from ircore.players.builtin_pairs import list_builtin_pairs
    >>> from ircore.players.submission import read_manifest
    >>> ByModel.name
    'model'

    Args:
        loaded: A submission whose describer is the model.

    Raises:
        InputError: The describer does not take its settings, or cannot answer with words.
    """

    name = "model"

    def __init__(self, loaded: LoadedSubmission) -> None:
        self._player: Any = make_player(loaded, "describer")
        self._otherwise = ByList()

    async def paraphrase(self, message: str) -> str:
        """Return the model's words, or the words of the list where the model changes a number or does not answer."""
        try:
            answer = await self._player.answer(Question(step=1, prompt=PROMPT.format(message=message)))
        except PlayerError:
            return await self._otherwise.paraphrase(message)
        text = " ".join(str(answer.text).split())
        # Another number is another picture: what the generator then draws would say nothing about the wording.
        return (
            text
            if text and count_numbers(text) == count_numbers(message)
            else await self._otherwise.paraphrase(message)
        )


def count_numbers(text: str) -> Counter[str]:
    """Return how often each number and each colour's code stands in a text.

    >>> sorted(count_numbers("Two bars 10 px wide in #ff0000, 10 and 2.5 high."))
    ['#ff0000', '10', '2.5']
    """
    return Counter(number.lower() for number in _NUMBER.findall(text))


def _reorder(sentences: list[str], random: Random) -> list[str]:
    """Return sentences in another order; the first stays, and a sentence stays behind the one that it leans on."""
    groups: list[list[str]] = []
    for sentence in sentences:
        if groups and _LEANS_BACK.match(sentence):
            groups[-1].append(sentence)
        else:
            groups.append([sentence])
    rest = groups[1:]
    random.shuffle(rest)
    return [sentence for group in (*groups[:1], *rest) for sentence in group]


def _reword(sentence: str, random: Random) -> str:
    # The pattern is one group, so that quoted parts stand at the odd places; these stay as they are.
    parts = _QUOTED.split(sentence)
    return "".join(part if place % 2 else _replace_words(part, random) for place, part in enumerate(parts))


def _replace_words(text: str, random: Random) -> str:
    def other(match: re.Match[str]) -> str:
        original_word = match[0]
        choices = [word for word in _read_synonyms()[original_word.lower()] if word != original_word.lower()]
        chosen = random.choice(choices)
        return chosen[:1].upper() + chosen[1:] if original_word[:1].isupper() else chosen

    return _build_pattern().sub(other, text)


@cache
def _read_synonyms() -> dict[str, list[str]]:
    groups = read_mapping(LIST, "Install the package again.", "")["groups"]
    return {word: group for group in groups for word in group}


@cache
def _build_pattern() -> re.Pattern[str]:
    # The longest first: an alternation takes the first word that fits.
    words = sorted(_read_synonyms(), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)


def paraphrase_messages(messages: list[str], paraphraser: Paraphraser) -> list[str]:
    """Return messages in other words, in their order."""

    async def every() -> list[str]:
        return [await paraphraser.paraphrase(message) for message in messages]

    return asyncio.run(every())
