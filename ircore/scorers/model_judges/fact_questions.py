"""The judge ``facts``: a model is asked in batches which sentences are true of a rendering, and sees nothing else.

The sentences are the facts of the target's scene, so their truth for the target is known, with false ones among them.
Atomic questions instead of one rating come from TIFA (arXiv 2303.11897) and the Davidsonian Scene Graph (DSG, arXiv
2310.18235), whose questions a language model has to write; scenes give them for free.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from ircore.core.images import Picture
from ircore.core.records import Scene
from ircore.core.score_records import PlantedVerdict
from ircore.players.base import JudgeView, RepairExchange
from ircore.runs.judge_answers import AnswerError, build_verdicts_schema, describe_verdicts_form, read_verdicts
from ircore.runs.judge_questions import QuestionKey
from ircore.scorers.judges.manifest import LoadedJudge, caption_pictures
from ircore.scorers.model_judges.false_facts import make_false_facts
from ircore.scorers.model_judges.items import Ask, ItemVerdict, JudgedItem, PictureQuestion
from ircore.scorers.rated_episodes import read_scene
from ircore.scorers.verification.judge import build_stored_verdicts, compute_facts_version
from ircore.scorers.verification.scene_facts import Fact, list_facts
from ircore.scorers.verification.score import compute_score
from ircore.scorers.verification.verdicts import CheckedFact, decide_fails, decide_holds, leave_undecided

PLANTED = 0.2
"""Share of the sentences of a batch that are false."""

NO_SCENE = "nobody wrote down what the target shows"


class BatchSentence(NamedTuple):
    """A sentence of a batch."""

    fact: int
    """Place of the fact in the list of facts, from 0; of a false sentence, of the fact that it was made from."""

    text: str
    is_true: bool
    """Whether it is true of the target."""


def split_into_batches(scene: Scene, facts: Sequence[Fact], target: str, size: int) -> list[tuple[BatchSentence, ...]]:
    """Return the sentences about a target in batches: the same ones for each of its renderings.

    Args:
        scene: What the target shows.
        facts: Its facts.
        target: SHA-256 of the target: seed of the order, and with the batch's number of what is planted.
        size: Sentences in a batch at most.
    """
    order = list(range(len(facts)))
    Random(target).shuffle(order)
    planted = max(1, round(PLANTED * size))
    count = -(-len(order) // (size - planted))
    batches = []
    for number in range(count):
        # Every n-th, so that batches differ by one sentence at most.
        own = order[number::count]
        random = Random(f"{target} {number}")
        false = [false for false in make_false_facts(scene, facts, random) if false.fact not in own]
        if not false:  # one batch holds all facts, so that truth and its opposite stand in it
            false = list(make_false_facts(scene, facts, random))
        sentences = [BatchSentence(place, facts[place].sentence, is_true=True) for place in own]
        sentences += [
            BatchSentence(source.fact, source.sentence, is_true=False)
            for source in random.sample(false, min(planted, len(false)))
        ]
        random.shuffle(sentences)
        batches.append(tuple(sentences))
    return batches


def format_prompt(template: str, batch: Sequence[BatchSentence]) -> str:
    """Return the words that ask about a batch."""
    listed = "\n".join(f"{number}. {sentence.text}" for number, sentence in enumerate(batch, start=1))
    return template.replace("{sentences}", listed)


def iterate_open_questions(item: JudgedItem, judge: LoadedJudge) -> Iterator[tuple[str, int]]:
    """Yield words and number of sentences of each question about a rendering that nobody has answered."""
    shown = tuple(rendering.sha256 for rendering in item.renderings)
    for batch in _list_batches(item, judge):
        prompt = format_prompt(judge.prompts.facts, batch)
        words = hashlib.sha256(prompt.encode()).hexdigest()
        key = QuestionKey(judge.name, judge.asked_as, item.original.sha256, shown, None, False, words)
        if key not in item.known:
            yield prompt, len(batch)


def _list_batches(item: JudgedItem, judge: LoadedJudge) -> list[tuple[BatchSentence, ...]]:
    scene = read_scene(item.run, item.original)
    return [] if scene is None else split_into_batches(scene, list_facts(scene), item.original.sha256, judge.batch)


@dataclass(frozen=True)
class _Answered:
    """The verdicts on a batch, a letter a sentence, or the reason why there are none."""

    letters: str
    reason: str = "the judge cannot tell"
    leniencies: tuple[str, ...] = ()


async def judge_by_facts(item: JudgedItem, judge: LoadedJudge, ask: Ask) -> ItemVerdict:
    """Ask a judge all sentences about one rendering.

    A batch without a usable answer leaves its sentences undecided; without any there is no score.

    Args:
        item: What is judged; its task is similarity.
        judge: Who is asked.
        ask: Asks.
    """
    scene = read_scene(item.run, item.original)
    if scene is None:
        return ItemVerdict(None, NO_SCENE)
    facts = list_facts(scene)
    if not facts:
        return ItemVerdict(None, "the target shows nothing that could be asked about")
    batches = split_into_batches(scene, facts, item.original.sha256, judge.batch)
    picture = item.run.rendering(item.renderings[0])
    answers = [await _ask_about_batch(item, judge, picture, batch, ask) for batch in batches]
    if not any(answer.letters.strip("?") for answer in answers):
        return ItemVerdict(None, answers[0].reason)
    verification = compute_score(_check_answers(facts, batches, answers))
    planted = tuple(
        PlantedVerdict(sentence.fact, sentence.text[:200], letter)
        for batch, answer in zip(batches, answers, strict=True)
        for sentence, letter in zip(batch, answer.letters, strict=True)
        if not sentence.is_true
    )
    verdicts = build_stored_verdicts(verification).model_copy(
        update={"version": compute_facts_version(facts), "planted": planted}
    )
    leniencies = tuple(sorted({name for answer in answers for name in answer.leniencies}))
    return ItemVerdict(verification.score, verification.reason, leniencies=leniencies, facts=verdicts)


def _check_answers(
    facts: Sequence[Fact], batches: Sequence[Sequence[BatchSentence]], answers: Sequence[_Answered]
) -> list[CheckedFact]:
    checked: dict[int, CheckedFact] = {}
    for batch, answer in zip(batches, answers, strict=True):
        for sentence, letter in zip(batch, answer.letters, strict=True):
            if sentence.is_true:
                fact = facts[sentence.fact]
                verdicts = {"1": decide_holds(fact), "0": decide_fails(fact, "the judge says no")}
                checked[sentence.fact] = verdicts.get(letter) or leave_undecided(fact, answer.reason)
    return [checked[place] for place in range(len(facts))]


async def _ask_about_batch(
    item: JudgedItem, judge: LoadedJudge, picture: Picture, batch: Sequence[BatchSentence], ask: Ask
) -> _Answered:
    """Ask about one batch, and once more if the answer cannot be used."""
    prompt, none = format_prompt(judge.prompts.facts, batch), "?" * len(batch)
    words = hashlib.sha256(prompt.encode()).hexdigest()
    exchanges: tuple[RepairExchange, ...] = ()
    problem = ""
    for repair in (False, True):
        view = JudgeView(
            prompt=prompt,
            pictures=caption_pictures(picture),
            exchanges=exchanges,
            # From picture and words alone, so that the same question to the same model is the same in every run.
            seed=int.from_bytes(hashlib.sha256(f"{picture.sha256}{words}".encode()).digest()[:4]),
            schema=build_verdicts_schema(len(batch)),
        )
        asked = await ask(item, PictureQuestion(view, (picture.sha256,), None, repair, words, len(batch)))
        if asked.text is None:
            return _Answered(none, f"{asked.reason}: {asked.detail}")
        try:
            read = read_verdicts(asked.text, len(batch))
            return _Answered(read.value, leniencies=read.leniencies)
        except AnswerError as error:
            problem = str(error)
        exchanges = (
            RepairExchange(asked.text, judge.prompts.format_repair(problem, describe_verdicts_form(len(batch)))),
        )
    return _Answered(none, f"judge_format: {problem}")
