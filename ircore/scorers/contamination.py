"""Contamination probe: does a model know a target before it has seen it, or recognise it when it sees it?

Two questions for each target: one without the picture, which tells category, difficulty and title alone; one with it.
Both go through the engine of every run: recorded in ``judgements.jsonl`` of the probe's folder, and never asked again.
"""

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pydantic import Field

from ircore.core.episode_records import Usage
from ircore.core.files import lock_folder, write_text
from ircore.core.journal import Recorder, read_records
from ircore.core.plain_words import format_count
from ircore.core.records import Instance, Record
from ircore.core.terminal import show_progress
from ircore.core.tokens import count_tokens
from ircore.instances.store import InstanceSet
from ircore.players.base import Captioned, JudgeError, JudgeView, JudgingPlayer
from ircore.runs.costs.forecast import IMAGE_READ_TOKENS
from ircore.runs.costs.limit import CostLimit
from ircore.runs.costs.prices import RunPrices, find_own_prices, read_prices, store_prices
from ircore.runs.engine import Engine
from ircore.runs.judge_questions import JUDGEMENTS, QUESTIONS, JudgementEntry, JudgementWriter, JudgeQuestion
from ircore.scorers.judges.manifest import LoadedJudge
from ircore.scorers.model_judges.forecast import describe_usage
from ircore.scorers.model_judges.runner import JudgementInquiry, JudgingPlan

PROMPTS = {
    name: files("ircore.scorers").joinpath("contamination_prompts", f"{name}.txt").read_text(encoding="utf-8")
    for name in ("unseen", "known")
}
"""Words of the question without and with the picture."""

REPORT = "probe.json"
ASSUMED_WRITTEN = {"unseen": 300, "known": 20}
"""Tokens of an answer that a forecast assumes."""

OFTEN = 0.5
"""Share of a target's texts from which a description of the unseen target is suspicious."""


class ProbedTarget(Record):
    """Answers of a model about one target.

    >>> ProbedTarget(instance_id="a", guessed=0.75, known=False).suspicious
    True
    """

    instance_id: str
    guessed: float | None = None
    """Share of the texts written in the target that the description of the unseen target holds; None if it has none
    or was not answered."""

    known: bool | None = None
    """Whether the model says that it knows the picture; None if its answer is neither."""

    says: str = ""
    """What the model says it is; the beginning of its answer where that is neither yes nor no."""

    unanswered: dict[str, str] = Field(default_factory=dict)
    """Why a question, ``unseen`` or ``known``, has no answer, such as ``judge_refused``; ``judge_format`` is neither
    yes nor no."""

    @property
    def suspicious(self) -> bool:
        """Whether a maintainer should look at the target."""
        return bool(self.known) or (self.guessed or 0) >= OFTEN


def probe(instances: InstanceSet, judge: LoadedJudge, out: Path, plan: JudgingPlan) -> tuple[ProbedTarget, ...]:
    """Ask a model both questions about every target, and write the report ``probe.json``.

    Args:
        instances: The targets.
        judge: Who is asked; its own prompts are not used.
        out: Folder of record and report; an earlier probe of the same set goes on.
        plan: How many questions at once, deadline, limit of cost, and prices, which are kept in ``out``.

    Raises:
        InputError: A key is missing, the record is damaged, or another process works in ``out``.
        WorkError: Nothing can be written, the model cannot be asked, or a limit is reached; every answer is kept.
    """
    player = judge.make_player()
    out.mkdir(parents=True, exist_ok=True)
    with lock_folder(out, "probe"):
        store_prices(out, plan.prices)
        stored_questions = tuple(read_records(out / JUDGEMENTS, QUESTIONS))
        inquiries = _list_inquiries(instances, judge, player, out, stored_questions)
        cost_limit = CostLimit(_read_prices(judge, out, plan), plan.max_cost)
        cost_limit.begin(stored_questions)
        entries: dict[tuple[str, str], JudgeQuestion] = {}
        with JudgementWriter() as writer, show_progress("probing", len(inquiries)) as shown:
            engine = Engine(Recorder(writer), cost_limit, shown)
            waiting = iter(inquiries)
            # All workers draw from this one iterator, so no question is asked twice.
            workers = [
                _settle_inquiries(engine, waiting, entries) for _ in range(min(plan.concurrency, len(inquiries)))
            ]
            asyncio.run(engine.run(workers, plan.deadline, [player]))
        targets = tuple(_build_probed_target(instance, entries) for instance in instances.instances)
        write_text(
            out / REPORT, json.dumps(_build_report(instances, judge, targets), indent=2, ensure_ascii=False) + "\n"
        )
    return targets


def describe_forecast(instances: InstanceSet, judge: LoadedJudge, out: Path, plan: JudgingPlan) -> str:
    """Return in words the questions of a probe and their cost; no model is asked and nothing is written.

    Raises:
        InputError: The record in ``out`` is damaged, or the prices cannot be read.
    """
    inquiries = _list_inquiries(instances, judge, None, out, tuple(read_records(out / JUDGEMENTS, QUESTIONS)))
    unsettled = [inquiry for inquiry in inquiries if inquiry.find_recorded() is None]
    read = sum(count_tokens(inquiry.prompt) + IMAGE_READ_TOKENS * (inquiry.asking != "unseen") for inquiry in unsettled)
    written = sum(ASSUMED_WRITTEN[inquiry.asking] for inquiry in unsettled)
    usage = Usage(requests=len(unsettled), prompt_tokens=read, completion_tokens=written)
    words = describe_usage(usage, _read_prices(judge, out, plan).judges[judge.name])
    return (
        f"{judge.name}: {format_count(len(inquiries) - len(unsettled), 'answer')} kept; {words}\n"
        f"assumed: a picture is {IMAGE_READ_TOKENS:,} tokens, a description {ASSUMED_WRITTEN['unseen']}, yes or no "
        f"{ASSUMED_WRITTEN['known']}; no reasoning tokens, no retries"
    )


def _read_prices(judge: LoadedJudge, out: Path, plan: JudgingPlan) -> RunPrices:
    return RunPrices(read_prices(find_own_prices(out), plan.prices), judges={judge.name: judge.spec})


def _list_inquiries(
    instances: InstanceSet,
    judge: LoadedJudge,
    player: JudgingPlayer | None,
    out: Path,
    stored_questions: Sequence[JudgeQuestion],
) -> "list[_ProbeInquiry]":
    # A question that failed technically is not settled, and is asked again.
    known = {question.asked_as: question for question in stored_questions if question.settled}
    return [
        _ProbeInquiry(out, player, known, instances, instance, asking, judge)
        for instance in instances.instances
        for asking in PROMPTS
    ]


async def _settle_inquiries(
    engine: Engine[JudgementEntry],
    waiting: "Iterator[_ProbeInquiry]",
    entries: dict[tuple[str, str], JudgeQuestion],
) -> None:
    for inquiry in waiting:
        try:
            entry = await engine.settle(inquiry)
        except JudgeError as refusal:  # of this question alone, and recorded
            entry = inquiry.record_refusal(refusal)
        entries[inquiry.instance.instance_id, inquiry.asking] = entry.question
        engine.shown.advance(engine.cost_limit.note())


@dataclass(frozen=True)
class _ProbeInquiry(JudgementInquiry):
    """One of the two questions about a target."""

    instances: InstanceSet
    instance: Instance
    asking: str
    judge: LoadedJudge

    @property
    def where(self) -> str:
        return f"{self.instance.instance_id}, {self.asking}: the model {self.judge.name}"

    @property
    def prompt(self) -> str:
        """The words of the question; the title is the source's, without its author."""
        # "Astronaut, by NASA; scikit-image" becomes "Astronaut": the rest would give the photograph away.
        title = re.split(r", by |; ", self.instance.source)[0]
        words = PROMPTS[self.asking].replace("{category}", self.instance.category.replace("_", " "))
        return words.replace("{difficulty}", self.instance.difficulty).replace("{title}", title)

    @property
    def view(self) -> JudgeView:
        if self.asking == "unseen":
            return JudgeView(self.prompt, ())
        return JudgeView(self.prompt, (Captioned("picture", self.instances.picture(self.instance, "target")),))

    @property
    def draft(self) -> JudgeQuestion:
        # With the picture's hash, so that two targets with the same title are both asked about.
        words = f"{self.judge.asked_as}{self.asking}{self.instance.pictures['target'].sha256}{self.prompt}"
        return JudgeQuestion(
            judge=self.judge.name,
            asked_as=hashlib.sha256(words.encode()).hexdigest(),
            prompts=f"probe-{hashlib.sha256(PROMPTS[self.asking].encode()).hexdigest()[:8]}",
            episode_id=self.instance.instance_id,
            turn=1,
            task="facts",
            target=self.instance.pictures["target"].sha256,
            shown=(),
        )


def _build_probed_target(instance: Instance, entries: dict[tuple[str, str], JudgeQuestion]) -> ProbedTarget:
    unseen_question, known_question = (entries.get((instance.instance_id, asking)) for asking in PROMPTS)
    known, says = read_known(known_question.text or "") if known_question is not None else (None, "")
    described = unseen_question.text if unseen_question is not None else None
    guessed = None if described is None else compute_guessed_share(instance, described)
    lost: dict[str, str] = {
        asking: question.reason
        for asking, question in (("unseen", unseen_question), ("known", known_question))
        if question is not None and question.reason is not None
    }
    # An answer such as "It looks like a chart." was given, but decides nothing.
    if known is None and known_question is not None and known_question.text is not None:
        lost["known"] = "judge_format"
    return ProbedTarget(instance_id=instance.instance_id, guessed=guessed, known=known, says=says, unanswered=lost)


def compute_guessed_share(instance: Instance, description: str) -> float | None:
    """Return the share of the texts written in a target, each counted once, that a description holds as whole words.

    Texts of one character are left out, since they turn up by chance. None if the target has no others.
    """
    scene = instance.scene
    texts = {element.text.lower() for element in scene.elements if element.text} if scene else set()
    wanted = {text for text in texts if len(text) > 1}
    if not wanted:
        return None
    words = description.lower()
    # Not \b: a text such as "50 %" ends in a character that is no part of a word.
    return sum(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", words) is not None for text in wanted) / len(wanted)


def read_known(text: str) -> tuple[bool | None, str]:
    """Return whether an answer claims to know the picture, and the picture's name in that answer.

    The first line that begins with yes or no counts, since some models think aloud before. Of an answer without such
    a line, its beginning is returned.

    >>> read_known("YES: the astronaut of scikit-image")
    (True, 'the astronaut of scikit-image')
    >>> read_known("No.")
    (False, '')
    """
    # "**YES**: the astronaut" and "- no." are taken, too: marks before the word and after it are skipped.
    match = re.search(r"^\W*(yes|no)\b\W*(.*)", text, re.IGNORECASE | re.DOTALL | re.MULTILINE)
    if match is None:
        return None, " ".join(text.split())[:200]
    known = match[1].lower() == "yes"
    return known, " ".join(match[2].split())[:200] if known else ""


def _build_report(instances: InstanceSet, judge: LoadedJudge, targets: Sequence[ProbedTarget]) -> dict[str, object]:
    return {
        "instance_set": instances.identity,
        "model": judge.identity.player.label if judge.identity.player else judge.name,
        "suspicious": [target.instance_id for target in targets if target.suspicious],
        "targets": [target.model_dump() for target in targets],
    }


def format_report(targets: Sequence[ProbedTarget]) -> str:
    """Return the report as lines for a terminal: suspicious targets one by one, then the counts."""
    lines = [
        f"{target.instance_id}: "
        + (f"known: {target.says or 'not said as what'}" if target.known else "guessed unseen")
        for target in targets
        if target.suspicious
    ]
    answer_count = sum(target.known is not None for target in targets)
    lines.append(
        f"{sum(bool(target.known) for target in targets)} of {format_count(answer_count, 'picture')} are "
        f"said to be known"
    )
    shares = [target.guessed for target in targets if target.guessed is not None]
    if shares:
        lines.append(f"{100 * sum(shares) / len(shares):.0f} % of the written texts are guessed without the picture")
    lost = Counter(reason for target in targets for reason in target.unanswered.values())
    if lost:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(lost.items()))
        lines.append(f"questions without an answer: {reasons}")
    return "\n".join(lines)
