"""Two witnesses of the same facts: what a judge that is a model says of renderings, held against the program's eye.

The eye measures, the model looks; their errors have different causes, so where both say the same a fact can be relied
on, and where they differ people decide. How far a model can be believed, false sentences among its questions say, whose
answer is known wherever the eye saw that the true fact holds. Judging by atomic questions is the way of TIFA, DSG,
GenEval 2, StructBench and IGenBench.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import numpy as np

from ircore.core.score_records import LETTER, VERIFIED, RenderingFacts
from ircore.results.arrays import is_under
from ircore.results.model import Results
from ircore.results.statistics.agreement import Agreement, cohens_kappa, observed_agreement
from ircore.results.statistics.intervals import Estimate, estimate_clustered_share

MOST_DISAGREEMENTS = 200
"""Disagreements that are listed."""


class CheckedTwice(NamedTuple):
    """A fact of one rendering with the verdicts of both witnesses, a letter each: 1 it holds, 0 it fails, ? neither."""

    run_id: str
    episode_id: str
    instance_id: str
    category: str
    turn: int
    """The first turn that shows the rendering."""
    rendering: str
    attribute: str
    """Kind of fact, such as ``colour``."""
    sentence: str
    eye: str
    judge: str
    is_planted: bool
    """Whether ``sentence`` is false; ``eye`` is then its verdict on the true fact that it was made from."""
    weight: float


@dataclass(frozen=True)
class Witness:
    """A judge that is a model, held against the eye on some facts."""

    judge: str
    facts: int
    """Facts that both decided, over all renderings."""
    agreement: Agreement
    """Share of these on which both say the same."""
    kappa: Agreement
    """Cohen's κ of the same."""
    false_yes: Estimate
    """Share of planted sentences that it calls true, where the eye saw that the opposite holds."""
    false_no: Estimate
    """Share of facts that it calls false, where the eye saw that they hold."""
    wrong_yes: Estimate
    """Share of facts that it calls true, where the eye saw that they fail."""
    undecided: Estimate
    """Share of true and planted sentences to which it gave neither yes nor no."""
    settled: Estimate
    """Share of facts that the eye could not tell and the judge decided."""
    all_right: Estimate
    """Share of renderings of which it calls every fact true; no fact may be undecided."""


def list_fact_judges(results: Results) -> tuple[str, ...]:
    """Return the judges beside the eye that checked facts, in order."""
    return tuple(sorted(name for name, judge in results.judge_identities.items() if judge.checks_sentences))


def match_checks(
    results: Results, judge: str, category: str | None = None, difficulty: str | None = None
) -> Iterator[CheckedTwice]:
    """Yield each fact and each planted sentence of every rendering that the eye and a judge have checked."""
    from ircore.scorers.verification.judge import restore_checked_facts
    from ircore.scorers.verification.scene_facts import list_facts

    scenes = {instance.instance_id: instance.scene for instance in results.instances}
    for run_id, run in results.runs.items():
        lines: dict[tuple[str, str], dict[str, RenderingFacts]] = defaultdict(dict)
        for line in run.facts(None):
            if line.judge in (judge, VERIFIED):
                lines[line.episode_id, line.rendering][line.judge] = line
        for result in results.episodes[run_id]:
            episode = result.episode
            scene = scenes[episode.instance_id]
            if scene is None or not episode.played or not is_under(episode, category, difficulty):
                continue
            # Turns that show the same rendering share its verdicts, and count once.
            turns = {rendering.sha256: turn for turn, rendering in reversed([*episode.renderings.items()])}
            facts = None
            for rendering, turn in sorted(turns.items(), key=lambda shown: shown[1]):
                known = lines.get((episode.episode_id, rendering), {})
                if len(known) < 2:
                    continue
                eye, model = (restore_checked_facts(scene, known[name]) for name in (VERIFIED, judge))
                if not eye or not model:
                    continue  # one of them is of another list of facts
                facts = facts or list_facts(scene)
                shared = (run_id, episode.episode_id, episode.instance_id, episode.category, turn, rendering)
                for seen, said in zip(eye, model, strict=True):
                    fact, letters = seen.fact, (LETTER[seen.verdict], LETTER[said.verdict])
                    yield CheckedTwice(*shared, fact.attribute, fact.sentence, *letters, False, fact.weight)
                for planted in known[judge].planted:
                    fact, seen = facts[planted.fact], eye[planted.fact]
                    letters = (LETTER[seen.verdict], planted.verdict)
                    yield CheckedTwice(*shared, fact.attribute, planted.sentence, *letters, True, fact.weight)


def compare_witness(judge: str, checked: Sequence[CheckedTwice]) -> Witness:
    """Hold a judge against the eye on some facts; intervals are clustered on instances."""
    true = [fact for fact in checked if not fact.is_planted]
    planted = [fact for fact in checked if fact.is_planted]
    both = [fact for fact in true if "?" not in (fact.eye, fact.judge)]
    eye, model = (np.array([float(getattr(fact, who)) for fact in both]) for who in ("eye", "judge"))
    clusters = np.array([fact.instance_id for fact in both])
    by_rendering: dict[tuple[str, str, str], list[CheckedTwice]] = defaultdict(list)
    for fact in true:
        by_rendering[fact.run_id, fact.episode_id, fact.rendering].append(fact)
    return Witness(
        judge=judge,
        facts=len(both),
        agreement=observed_agreement(eye, model, clusters),
        kappa=cohens_kappa(eye, model, clusters),
        false_yes=_estimate_share((fact.instance_id, fact.judge == "1") for fact in planted if fact.eye == "1"),
        false_no=_estimate_share((fact.instance_id, fact.judge == "0") for fact in true if fact.eye == "1"),
        wrong_yes=_estimate_share((fact.instance_id, fact.judge == "1") for fact in true if fact.eye == "0"),
        undecided=_estimate_share((fact.instance_id, fact.judge == "?") for fact in checked),
        settled=_estimate_share((fact.instance_id, fact.judge != "?") for fact in true if fact.eye == "?"),
        all_right=_estimate_share(
            (facts[0].instance_id, all(fact.judge == "1" for fact in facts)) for facts in by_rendering.values()
        ),
    )


def _estimate_share(tries: Iterable[tuple[str, bool]]) -> Estimate:
    """Return the share of tries that hit, with an interval that is clustered on instances."""
    by_instance: dict[str, list[bool]] = defaultdict(list)
    for instance, hit in tries:
        by_instance[instance].append(hit)
    groups = [by_instance[name] for name in sorted(by_instance)]
    return estimate_clustered_share([sum(group) for group in groups], [len(group) for group in groups])


def select_disagreements(checked: Iterable[CheckedTwice], most: int = MOST_DISAGREEMENTS) -> list[CheckedTwice]:
    """Return facts on which the two witnesses contradict each other, for people to decide.

    Args:
        checked: Facts with both verdicts.
        most: At most so many: drawn evenly over categories and kinds of fact, the same ones every time.
    """
    groups: dict[tuple[str, str], list[CheckedTwice]] = defaultdict(list)
    for fact in checked:
        if not fact.is_planted and {fact.eye, fact.judge} == {"0", "1"}:
            groups[fact.category, fact.attribute].append(fact)
    random = Random(0)
    for name in sorted(groups):
        random.shuffle(groups[name])
    rounds = [(number, name, fact) for name in sorted(groups) for number, fact in enumerate(groups[name])]
    chosen = [fact for _, _, fact in sorted(rounds, key=lambda place: place[:2])[:most]]
    return sorted(chosen, key=lambda fact: (fact.run_id, fact.episode_id, fact.turn, fact.attribute, fact.sentence))
