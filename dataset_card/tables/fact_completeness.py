"""Whether the table ``facts`` is complete: every fact of every turn that ``verified`` rated, where a run has facts."""

from collections.abc import Iterable, Iterator, Mapping

from dataset_card.tables.fact_table import EXTRA, PLANTED
from dataset_card.tables.rows import Row, parse_public_id
from ircore.core.records import Instance
from ircore.core.score_records import VERIFIED, Score

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
