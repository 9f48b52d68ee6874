"""The table ``facts``: a row for each fact of a target as one rendering shows it; rows back to records; completeness.

The table is complete if every fact of every turn that ``verified`` rated is in it, wherever a run has facts.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import fsum, inf
from typing import TYPE_CHECKING, Any

from dataset_card.tables.rows import Row, build_episode_columns, parse_public_id
from ircore.core.records import Box, Instance, Scene
from ircore.core.score_records import (
    LEAST_CREDIT,
    LETTER,
    PARTS,
    VERDICT,
    VERIFIED,
    ExtraBox,
    FactNote,
    Part,
    PartShare,
    PlantedVerdict,
    RenderingFacts,
    Score,
    format_verdict_letter,
)  # fmt: skip
from ircore.instances.store import InstanceSet
from ircore.results.played_run import PlayedRun

if TYPE_CHECKING:
    from ircore.scorers.verification.score import ScoreInterval


PLANTED = "planted"
"""Part of the rows for false sentences, which count in no score."""


EXTRA = "extra"
"""Part, kind and attribute of the rows for what the target does not show."""

FACT_COLUMNS = (
    "episode_id", "step", "rendering_sha256", "fact", "part", "kind", "attribute", "sentence", "verdict", "credit",
    "weight", "expected", "seen", "reason", "eye_version", "judge", "transform_cost", "texts_read_by",
)  # fmt: skip
"""Columns that are read back."""


def build_fact_rows(instances: InstanceSet, run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``facts`` of a run: by instance, turn and fact; facts of one episode are held at a time.

    Facts of renderings that are not in the transcripts (an episode played anew) are left out, and so are facts that
    another version of the program derived.
    """
    scenes = {instance.instance_id: instance.scene for instance in instances.instances}
    known: dict[str, dict[str, dict[str, RenderingFacts]]] = {}
    for line in run.facts(judge=None):
        # A rendering that was scored again has a second line, which replaces the first.
        known.setdefault(line.episode_id, {}).setdefault(line.rendering, {})[line.judge] = line
    for episode in run.episodes:
        scene = scenes[episode.instance_id]
        for step, rendering in episode.renderings.items():
            if scene is None:
                break
            lines = known.get(episode.episode_id, {}).get(rendering.sha256, {})
            shared = {"step": step, "rendering_sha256": rendering.sha256}
            for judge in sorted(lines, key=lambda name: (name != VERIFIED, name)):
                for own in build_rendering_rows(scene, lines[judge]):
                    yield build_episode_columns(run, episode) | shared | own


def build_rendering_rows(scene: Scene, line: RenderingFacts) -> Iterator[Row]:
    """Yield the columns of each fact of a rendering, of each extra in it, and of each false sentence about it."""
    # The verifying program needs SciPy, which is imported only where there are facts.
    from ircore.scorers.verification.judge import restore_checked_facts

    facts = restore_checked_facts(scene, line)
    look = {"eye_version": line.version, "judge": line.judge, "transform_cost": line.cost, "texts_read_by": line.reader}
    for checked in facts:
        yield {
            "fact": checked.fact.key,
            "part": checked.fact.part,
            "kind": checked.fact.kind,
            "attribute": checked.fact.attribute,
            "sentence": checked.fact.sentence,
            "verdict": checked.verdict,
            "credit": checked.credit,
            "weight": checked.fact.weight,
            "expected": json.dumps(checked.fact.expected, ensure_ascii=False),
            "seen": None if checked.seen is None else json.dumps(checked.seen, ensure_ascii=False),
            "reason": checked.reason or None,
        } | look
    # No facts mean that another version derived them: then nothing of the line can be relied on.
    for number, extra in enumerate(line.extras if facts else (), start=1):
        yield {
            "fact": f"{EXTRA}-{number}",
            "part": EXTRA,
            "kind": EXTRA,
            "attribute": EXTRA,
            "sentence": "Something is drawn that the target does not show.",
            "verdict": "fails",
            "credit": 0.0,
            "weight": extra.weight,
            "expected": None,
            "seen": json.dumps(list(extra.box)),
            "reason": "not in the target",
        } | look
    for number, planted in enumerate(line.planted if facts else (), start=1):
        source, verdict = facts[planted.fact].fact, VERDICT[planted.verdict]
        yield {
            "fact": f"{PLANTED}-{number}",
            "part": PLANTED,
            "kind": source.kind,
            "attribute": source.attribute,
            "sentence": planted.sentence,
            "verdict": verdict,
            "credit": float(verdict == "holds"),
            "weight": 0.0,
            # The fact that the sentence was made from; of the target the sentence is false.
            "expected": json.dumps(source.key, ensure_ascii=False),
            "seen": None,
            "reason": None if verdict == "holds" else "false of the target",
        } | look


def check_fact_row(row: Row) -> Iterator[str]:
    """Yield the faults of a row by itself."""
    for name, known in (("part", (*PARTS, PLANTED)), ("verdict", tuple(LETTER))):
        if row[name] not in known:
            yield f"{name} is {str(row[name])[:40]!r}, must be one of {', '.join(known)}"
    credit, weight = float(str(row["credit"])), float(str(row["weight"]))
    if not LEAST_CREDIT <= credit <= 1 or (credit == 1) != (row["verdict"] == "holds"):
        yield f"credit is {credit:g} of a fact that is said to be: {str(row['verdict'])[:40]}"
    # Asked in this form, because every comparison with NaN is false.
    if not 0 <= weight < inf:
        yield f"weight is {weight:g}, must be 0 or more"
    for name in ("expected", "seen"):
        if row[name] is not None and not _is_json(str(row[name])):
            yield f"{name} is not JSON"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    # JSON that is nested very deep exhausts the parser.
    except (ValueError, RecursionError):
        return False
    return True


def parse_facts(rows: Iterable[Row]) -> Iterator[RenderingFacts]:
    """Yield the facts of each turn's rendering from the rows of a run, in the order of ``build_fact_rows``."""
    for (episode_id, _, rendering, _), own in group_by_turn(rows):
        yield _parse_rendering_facts(parse_public_id(episode_id), str(rendering), own)


def group_by_turn(rows: Iterable[Row]) -> Iterator[tuple[tuple[object, object, object, str], list[Row]]]:
    """Yield episode, turn, rendering and judge of each turn of a run, with its rows, which stand together."""
    turns = groupby(rows, key=lambda row: (row["episode_id"], row["step"], row["rendering_sha256"], str(row["judge"])))
    return ((turn, list(own)) for turn, own in turns)


def _parse_rendering_facts(episode_id: str, rendering: str, rows: Sequence[Mapping[str, Any]]) -> RenderingFacts:
    facts = [row for row in rows if row["part"] not in (EXTRA, PLANTED)]
    places = {row["fact"]: place for place, row in enumerate(facts)}
    extras = [row for row in rows if row["part"] == EXTRA]
    reasons: dict[str, int] = {}
    notes = tuple(
        # Many facts share a reason, so a note holds the number of the reason.
        FactNote(place, row["credit"], row["seen"], reasons.setdefault(row["reason"] or "", len(reasons)))
        for place, row in enumerate(facts)
        if row["verdict"] != "holds"
    )
    # Exact sums and four decimals, as the verifying program has them, so that the record comes back unchanged.
    weight = fsum(row["weight"] for row in facts)
    undecided = fsum(row["weight"] for row in facts if row["verdict"] == "undecided")
    interval = score_of_rows(rows)
    return RenderingFacts(
        episode_id=episode_id,
        rendering=rendering,
        version=rows[0]["eye_version"],
        verdicts="".join(format_verdict_letter(row["verdict"], row["weight"]) for row in facts),
        parts=_collect_parts(facts, extras),
        decided=round(1 - round(undecided / weight, 4), 4) if weight else 0.0,
        low=interval and interval.low,
        high=interval and interval.high,
        cost=rows[0].get("transform_cost") or 0.0,
        reader=rows[0].get("texts_read_by"),
        reasons=tuple(reasons),
        notes=notes,
        judge=str(rows[0]["judge"]),
        planted=tuple(
            PlantedVerdict(place, row["sentence"], LETTER[row["verdict"]])
            for row in rows
            if row["part"] == PLANTED
            # A stranger's row may name a fact that there is not.
            if (place := places.get(str(json.loads(row["expected"] or "null")))) is not None
        ),
        extras=tuple(ExtraBox(Box(*json.loads(row["seen"])), row["weight"]) for row in extras),
    )


def score_of_rows(rows: Sequence[Mapping[str, Any]]) -> "ScoreInterval | None":
    """Return the score that the rows of one rendering give, with its lowest and highest value.

    Returns:
        None for rows of another version of the eye, which counted otherwise.
    """
    from ircore.scorers.verification.score import VERSION, ScoredFact, compute_score_interval

    if str(rows[0]["judge"]) == VERIFIED and rows[0]["eye_version"] != VERSION:
        return None
    facts = [
        ScoredFact(row["attribute"], row["weight"], row["verdict"], row["credit"])
        for row in rows
        if row["part"] != EXTRA
    ]
    surplus = fsum(row["weight"] for row in rows if row["part"] == EXTRA)
    return compute_score_interval(facts, surplus, rows[0].get("transform_cost") or 0.0)


def _collect_parts(facts: Sequence[Mapping[str, Any]], extras: Sequence[Mapping[str, Any]]) -> dict[Part, PartShare]:
    """Return the parts of a score from its rows, as ``ircore.scorers.verification.score`` computes them."""
    parts: dict[Part, PartShare] = {}
    for part in PARTS:
        own = [row for row in facts if row["part"] == part and row["weight"]]
        decided = [row for row in own if row["verdict"] != "undecided"]
        whole = fsum(row["weight"] for row in decided)
        credit = max(0.0, fsum(row["weight"] * row["credit"] for row in decided))
        held_count = sum(row["verdict"] == "holds" for row in own)
        parts[part] = PartShare(round(credit / whole, 4) if whole else None, held_count, len(decided), len(own))
    credit = max(0.0, fsum(row["weight"] * row["credit"] for row in facts))
    whole = credit + fsum(row["weight"] for row in extras)
    # The absence of extras counts as a single fact, which can always be decided.
    parts["extra"] = PartShare(round(credit / whole, 4) if whole else 0.0, 0 if extras else 1, 1, 1)
    return parts


_Turn = tuple[str, str, int, str]
"""Run, episode, turn and judge."""


class FactCompleteness:
    """Takes the rows of ``facts`` and says which are missing; of each turn, the keys of its facts are held.

    Whether extras are missing, only their pictures can tell (``release check --rescore``).

    >>> FactCompleteness().take({"run_id": "a", "episode_id": "pie", "instance_id": "pie", "step": 1,
    ...                          "judge": "verified", "fact": "pie-1/presence", "part": "presence", "eye_version": "4"})
    True
    """

    def __init__(self) -> None:
        self._facts: dict[_Turn, set[str]] = {}
        self._targets: dict[_Turn, tuple[str, str]] = {}

    def take(self, row: Row) -> bool:
        """Take a row; return whether it is the first row of its turn and fact."""
        turn = (str(row["run_id"]), parse_public_id(row["episode_id"]), int(str(row["step"])), str(row["judge"]))
        facts = self._facts.setdefault(turn, set())
        self._targets.setdefault(turn, (parse_public_id(row["instance_id"]), str(row["eye_version"])))
        is_new = row["fact"] not in facts
        facts.add(str(row["fact"]))
        return is_new

    def faults(self, scores: Mapping[str, Iterable[Score]], instances: Mapping[str, Instance]) -> Iterator[str]:
        """Yield a line for each turn of which facts are missing.

        Args:
            scores: By run; a turn that ``verified`` rated has facts, if any turn of the run has facts.
            instances: By id; the facts of the eye's present version follow from their scenes.
        """
        for run, of_run in scores.items():
            # A run without a single fact was scored before facts were kept.
            if any(turn[0] == run for turn in self._facts):
                rated = {(run, score.episode_id, score.step, VERIFIED) for score in of_run if _is_verified(score)}
                for _, episode, number, _ in sorted(rated - self._facts.keys()):
                    yield f"run {run}, episode {episode}, turn {number}: no facts, though verified rated this rendering"
        known = self._collect_known(instances)
        for turn, facts in self._facts.items():
            missing = [fact for fact in known[self._targets[turn]] if fact not in facts]
            if missing:
                run, episode, number, judge = turn
                by_judge = "" if judge == VERIFIED else f", judge {judge}"
                count = "1 fact is" if len(missing) == 1 else f"{len(missing)} facts are"
                yield f"run {run}, episode {episode}, turn {number}{by_judge}: {count} missing, such as {missing[0]}"

    def _collect_known(self, instances: Mapping[str, Instance]) -> dict[tuple[str, str], list[str]]:
        """Return the facts of each target and version of the eye: of its scene, and of any of its turns."""
        if not self._facts:
            return {}
        # The verifying program needs SciPy, which is imported only where there are facts.
        from ircore.scorers.verification.scene_facts import list_facts
        from ircore.scorers.verification.score import VERSION

        known: dict[tuple[str, str], dict[str, None]] = {}
        for turn, facts in self._facts.items():
            # Extras belong to a rendering and not to the target, so another turn need not have them.
            own = sorted(fact for fact in facts if not fact.startswith((f"{EXTRA}-", f"{PLANTED}-")))
            known.setdefault(self._targets[turn], {}).update(dict.fromkeys(own))
        for (instance_id, version), of_target in known.items():
            instance = instances.get(instance_id)
            # Facts of another version cannot be derived here, so the turns themselves tell which there are.
            if version == VERSION and instance is not None and instance.scene is not None:
                of_target.update(dict.fromkeys(fact.key for fact in list_facts(instance.scene)))
        return {target: list(facts) for target, facts in known.items()}


def _is_verified(score: Score) -> bool:
    return score.by == VERIFIED and score.task == "similarity" and score.value is not None
