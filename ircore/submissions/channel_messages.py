"""Messages of a run in the channel test: in other words, and searched for facts that they do not state.

A paraphrase has the same numbers; it is made by a list of synonyms offline, or by a chat model.

A fact that a run's pictures show right and no message stated is a copy in some disguise, or a code. A label, a value, a
size or an angle gets from the target into a rendering by words or not at all: nobody guesses it. So each such fact that
a final rendering has right is sought in the words: in what a neutral generator draws from them, and among the words and
numbers themselves. What is in neither, and in no other pair's pictures without having been said there, was not told. It
does not matter how a copy was disguised, nor what code a message is written in.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

from ircore.core.episode_records import Episode
from ircore.core.plain_words import format_count
from ircore.core.records import Instance, derive_seed
from ircore.core.score_records import LETTER, UNASKED, VERIFIED
from ircore.core.strict_yaml import load_own_mapping
from ircore.games.base import list_messages
from ircore.games.registry import load_game
from ircore.players.base import PlayerError, Question
from ircore.players.submission import LoadedSubmission, make_player
from ircore.runs.folder import RunFolder, read_facts
from ircore.runs.provenance import Evidence, Flag
from ircore.scorers.stated_facts import format_verdicts
from ircore.scorers.verification.scene_facts import Fact, list_facts
from ircore.scorers.verification.score import VERSION, verify_picture

RULE = "unstated_facts"
"""Rule of the findings."""

TOLD = frozenset({"text", "value", "size", "angle"})
"""Attributes of facts that only words can carry: a colour, a place or a number of things can be right by chance."""

MOST = 0.1
"""Share of the facts that only words can carry from which on unstated ones hold a run.

Measured on 65 descriptions in ten styles of language models, each beside a picture that has every fact right: 0.025,
what the reading misses. The demo's built-in pairs have at most 0.02; copies of its targets 0.18 (a mode filter that
hardly leaves a score) to 1, beside words of ``captioner``.
"""

WHOLE, LEAST = 0.5, 5
"""A target counts as copied if so large a share of these facts, and so many, are unstated; at most 0.37 by misreading,
but for targets with two facts."""

SEVERAL = 3
"""Targets from which on a run is held."""

COMPARED = 3
"""Other pairs whose pictures are looked at, to leave out what players get right without having been told."""

_SHOWN = 5
_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PERCENT = 3.6
"""Degrees of a percent of a circle."""

FactKey = tuple[str, str]
"""Episode and fact."""

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
_NUMBER_OR_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\d+(?:\.\d+)?")


class EpisodeFacts(NamedTuple):
    """The facts of one episode that only words can carry."""

    episode_id: str
    instance: str
    rendering: str
    """SHA-256 of the final rendering."""

    asked: int
    """How many there are."""

    unstated: tuple[Fact, ...]
    """Those that the final rendering has right and the messages do not say."""


@dataclass(frozen=True)
class Unstated:
    """Facts that a run's pictures show right and no message stated.

    >>> Unstated().flags
    ()
    """

    episodes: tuple[EpisodeFacts, ...] = ()

    @property
    def asked(self) -> int:
        """Facts that only words can carry."""
        return sum(facts.asked for facts in self.episodes)

    @property
    def count(self) -> int:
        """Those of them that are right and unstated."""
        return sum(len(facts.unstated) for facts in self.episodes)

    @property
    def share(self) -> float | None:
        """The unstated share; None without facts."""
        return self.count / self.asked if self.asked else None

    @property
    def copied(self) -> tuple[EpisodeFacts, ...]:
        """The targets of which most was not told."""
        return tuple(facts for facts in self.episodes if len(facts.unstated) >= max(LEAST, WHOLE * facts.asked))

    @property
    def is_grave(self) -> bool:
        """Whether too much is right that was not told, in several targets."""
        among = sum(bool(facts.unstated) for facts in self.episodes)
        return len(self.copied) >= SEVERAL or (among >= SEVERAL and (self.share or 0) >= MOST)

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The findings about a run with too many of these facts: one on the run, then the worst targets."""
        return tuple(self._flags()) if self.is_grave else ()

    def _flags(self) -> Iterator[Flag]:
        share = f"{self.count} of {self.asked} labels, values, sizes and angles ({self.share:.0%})"
        problem = f"{share} are right in the pictures, and neither in a message nor in what others draw from the words"
        yield Flag(rule=RULE, where="the run", what=problem)
        for facts in sorted(self.episodes, key=lambda facts: -len(facts.unstated))[:_SHOWN]:
            if facts.unstated:
                problem = (
                    f"{len(facts.unstated)} of {format_count(facts.asked, 'fact')}, such as: "
                    f"{facts.unstated[0].sentence}"
                )
                evidence = Evidence(rendering=facts.rendering, instance=facts.instance)
                yield Flag(rule=RULE, where=facts.episode_id, what=problem, evidence=evidence)


def find_unstated_facts(run: RunFolder, drawn: RunFolder) -> Unstated:
    """Return the facts that a run's final pictures have right and its messages do not state.

    Args:
        run: The run, of a game whose targets have scenes.
        drawn: The run of a neutral generator that was given the same messages.
    """
    return Unstated(tuple(_list_episode_facts(run, drawn)))


def select_other_runs(run: RunFolder, published: Sequence[RunFolder]) -> tuple[RunFolder, ...]:
    """Return up to ``COMPARED`` runs of other pairs on the same targets, drawn by the run's id; held ones are left out.

    Args:
        run: The run.
        published: Published runs.
    """
    others = [
        other
        for other in published
        if other.run.slug != run.run.slug
        and other.run.instance_set == run.run.instance_set
        # What another copy shows says nothing about what players guess.
        and not ((known := other.provenance()) and known.grave_flags)
    ]
    return tuple(Random(derive_seed(0, run.run.run_id)).sample(others, min(COMPARED, len(others))))


def drop_guessed(run_facts: Unstated, others: Sequence[Unstated]) -> Unstated:
    """Return the findings without the facts that another pair has right, too, without having told them."""
    guessed = {(facts.instance, fact.key) for other in others for facts in other.episodes for fact in facts.unstated}
    return Unstated(
        tuple(
            facts._replace(unstated=tuple(fact for fact in facts.unstated if (facts.instance, fact.key) not in guessed))
            for facts in run_facts.episodes
        )
    )


def is_named(fact: Fact, messages: Sequence[str]) -> bool:
    """Return whether words or numbers of messages could state a fact, whatever they are about.

    Generous on purpose: a label counts if all its words are there, a number if one within its tolerance is.

    Args:
        fact: Of the target.
        messages: Up to the rendering.
    """
    text = " ".join(messages).casefold()
    if fact.attribute == "text":
        return set(_TOKEN.findall(str(fact.expected).casefold())) <= set(_TOKEN.findall(text))
    if not isinstance(fact.expected, int | float):
        return False
    numbers = [float(number) for number in _NUMBER.findall(text)]
    tolerance = (fact.tolerance or 0) + 1e-9
    # A wedge is told in percent, and its angle in degrees.
    return any(min(abs(n - fact.expected), abs(_PERCENT * n - fact.expected)) <= tolerance for n in numbers)


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
    return Counter(number.lower() for number in _NUMBER_OR_COLOUR.findall(text))


def paraphrase_messages(messages: list[str], paraphraser: Paraphraser) -> list[str]:
    """Return messages in other words, in their order."""

    async def every() -> list[str]:
        return [await paraphraser.paraphrase(message) for message in messages]

    return asyncio.run(every())


def _list_episode_facts(run: RunFolder, drawn: RunFolder) -> Iterator[EpisodeFacts]:
    game = load_game(run.game)
    instances = {instance.instance_id: instance for instance in run.instances.instances}
    shown, neutral = _read_verdicts(run), _read_verdicts(drawn)
    episodes = {episode.episode_id: episode for episode in drawn.episodes()}
    for episode in run.episodes():
        instance, same = instances[episode.instance_id], episodes.get(episode.episode_id)
        if instance.scene is None or same is None or not episode.played or not episode.renderings:
            continue
        messages = [message.text for message in list_messages(game, episode)]
        # Of several episodes of a target the neutral generator was given the words of one.
        if same.played and [message.text for message in list_messages(game, same)] != messages:
            continue
        own = _list_letters(run, episode, instance, shown)
        # Words that the game refuses, or that nothing is drawn from, state nothing.
        said = _list_letters(drawn, same, instance, neutral) if same.renderings else "0" * len(own)
        asked = [
            (fact, right, stated)
            for fact, right, stated in zip(list_facts(instance.scene), own, said, strict=True)
            if fact.attribute in TOLD and right != UNASKED
        ]
        unstated = tuple(
            fact for fact, right, stated in asked if right == LETTER["holds"] != stated and not is_named(fact, messages)
        )
        yield EpisodeFacts(episode.episode_id, episode.instance_id, _get_final_hash(episode), len(asked), unstated)


def _read_verdicts(run: RunFolder) -> dict[FactKey, str]:
    """Return the verdicts that scoring stored, by episode and rendering."""
    return {
        (line.episode_id, line.rendering): line.verdicts
        for line in read_facts(run)
        if line.judge == VERIFIED and line.version == VERSION
    }


def _list_letters(run: RunFolder, episode: Episode, instance: Instance, stored: Mapping[FactKey, str]) -> str:
    """Return the verdicts on an episode's final rendering, a letter a fact; seen anew if nothing is stored."""
    verdicts = stored.get((episode.episode_id, _get_final_hash(episode)))
    if verdicts is not None:
        return verdicts
    assert instance.scene is not None  # noqa: S101 - the caller passes over what was not drawn
    target, rendering = run.instances.picture(instance, "target"), episode.renderings[max(episode.renderings)]
    return format_verdicts(verify_picture(target, instance.scene, run.rendering(rendering)))


def _get_final_hash(episode: Episode) -> str:
    return episode.renderings[max(episode.renderings)].sha256


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
    groups = load_own_mapping(LIST)["groups"]
    return {word: group for group in groups for word in group}


@cache
def _build_pattern() -> re.Pattern[str]:
    # The longest first: an alternation takes the first word that fits.
    words = sorted(_read_synonyms(), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)
