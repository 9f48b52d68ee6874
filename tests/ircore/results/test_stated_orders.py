"""Ties, gaps and orders that results promise, in runs written by hand."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from charts import chart_instances
from hand_made import RENDERING, Fate, HandMadeRun, hand_made_run
from invented import invented_set

from ircore.core.episode_records import Rendering
from ircore.core.records import PlayerSpec
from ircore.core.score_records import PartShare, RenderingFacts
from ircore.games.reconstruction.records import Rules, Turn
from ircore.results.effects import average_player, compare_budgets
from ircore.results.model import Results
from ircore.results.questions import PICTURES, answer_questions
from ircore.results.tables.facts import parts_table
from ircore.results.witnesses import match_checks
from ircore.scorers.verification.report import compute_facts_version
from ircore.scorers.verification.scene_facts import list_facts

SET = invented_set(1)  # 14 instances, easy and hard by turns
HARD = [instance.instance_id for instance in SET.instances if instance.difficulty == "hard"]


@dataclass(frozen=True)
class SeenRun(HandMadeRun):
    """A run with what judges saw in its renderings."""

    seen: tuple[RenderingFacts, ...] = ()

    def facts(self) -> tuple[RenderingFacts, ...]:
        return self.seen


def of_pair(slug: str, generator: str, fates: Sequence[Fate], rules: Rules | None = None) -> HandMadeRun:
    """A run of the describer seer."""
    run = hand_made_run(slug, SET, fates, rules=rules)
    players = {"describer": "seer", "generator": generator}
    specs = {seat: PlayerSpec(player="openai", model=name) for seat, name in players.items()}
    made = run.run.model_copy(update={"submission": run.run.submission.model_copy(update=specs)})
    return replace(run, run=made)


def test_of_equal_scores_the_first_target_and_then_the_first_run_is_shown() -> None:
    without_the_first: list[Fate] = [
        "refused" if instance.instance_id == HARD[0] else 5.0 for instance in SET.instances
    ]
    results = Results.from_runs([hand_made_run("a", SET, without_the_first), hand_made_run("b", SET, [5.0] * 14)])
    (answer,) = (answer for answer in answer_questions(results, "eye") if answer.question == "Is hard harder?")
    assert answer.episodes == (("b", HARD[0]), *(("a", name) for name in HARD[1:PICTURES]))


def test_runs_under_the_same_budget_stand_in_the_order_of_their_ids() -> None:
    runs = []
    for slug, run_id, budget, score in (("a", "r9", 10, 9.0), ("b", "r1", 10, 1.0), ("c", "r5", 5, 5.0)):
        run = of_pair(slug, "painter", [score] * 14, Rules(token_budget=budget))
        runs.append(replace(run, run=run.run.model_copy(update={"run_id": run_id})))
    (series,) = compare_budgets(Results.from_runs(runs), "eye")
    assert [(point.budget, point.cell.score.mean) for point in series.points] == [(5, 5.0), (10, 1.0), (10, 9.0)]


def test_a_player_counts_on_pictures_that_every_partner_has_a_score_for() -> None:
    runs = [of_pair("a", "painter", [8.0] + [6.0] * 13), of_pair("b", "sketcher", ["refused"] + [2.0] * 13)]
    score = average_player(Results.from_runs(runs), "describer", "seer", "eye").score
    assert (score.mean, score.n) == (4.0, 13)


def test_pairs_without_a_value_stand_last() -> None:
    runs = []
    for slug, share in (("a", None), ("b", 0.25), ("c", 0.75)):
        run = hand_made_run(slug, SET, [5.0] * 14)
        seen = (
            ()
            if share is None
            else (seen_by("verified", HARD[0], RENDERING, "", {"colour": PartShare(share, 1, 4, 4)}),)
        )
        runs.append(SeenRun(run.path, run.run, run.instances, run.played, run.given, seen=seen))
    table = parts_table(Results.from_runs(runs), order="colour")
    assert [value.value for value in table.column("colour")] == [0.75, 0.25, None]


def seen_by(
    judge: str,
    episode_id: str,
    rendering: Rendering,
    verdicts: str,
    parts: dict[str, PartShare] | None = None,
    version: str = "1",
) -> RenderingFacts:
    about = {"judge": judge, "episode_id": episode_id, "rendering": rendering.sha256}
    return RenderingFacts.model_validate(
        {**about, "version": version, "verdicts": verdicts, "parts": parts or {}, "decided": 1.0}
    )


def test_verdicts_on_a_rendering_belong_to_the_first_turn_that_shows_it(tmp_path: Path) -> None:
    instances = chart_instances(tmp_path / "charts")
    run = hand_made_run("a", instances, [5.0, 5.0])
    shown = [RENDERING, Rendering(sha256="b" * 64, width=200, height=200), RENDERING]
    steps = tuple(
        Turn(turn=number, action="describe", message="A chart.", rendering=rendering)
        for number, rendering in enumerate(shown, start=1)
    )
    played = tuple(episode.with_steps(steps) for episode in run.played)
    scene = next(instance.scene for instance in instances.instances if instance.instance_id == "pets")
    assert scene is not None
    facts = list_facts(scene)
    seen = tuple(
        seen_by(judge, "pets", rendering, "1" * len(facts), version=compute_facts_version(facts))
        for judge in ("verified", "model")
        for rendering in shown[:2]
    )
    results = Results.from_runs([SeenRun(run.path, run.run, instances, played, run.given, seen=seen)])
    assert Counter(line.turn for line in match_checks(results, "model")) == {1: len(facts), 2: len(facts)}
