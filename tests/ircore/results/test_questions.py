"""Questions and their answers with interval, table and pictures; boards whose labels nobody has read."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from charts import chart_instances
from hand_made import HandMadeRun, hand_made_run
from invented import invented_results, invented_run, invented_set
from samples import sample_run
from target_instances import with_scene

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.records import Box, Element, Scene
from ircore.core.score_records import PARTS, JudgeIdentity, PartShare, Score
from ircore.games.reconstruction.records import CATEGORIES, collect_renderings, list_rendered_turns
from ircore.results.fact_shares import compute_said_points, estimate_parts
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.questions import PICTURES, Answer, answer_questions, compute_adjusted_means
from ircore.results.tables.board import board_table, leaderboard_table
from ircore.results.tables.fact_tables import episode_facts_table, facts_table, parts_table
from ircore.results.tables.pairs import list_remedies
from ircore.results.tables.turns import average_trajectories, by_turn_table, normalised_table
from ircore.runs.folder import RunFolder, SaidTurn
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.scorers.verification import judge as verified
from ircore.scorers.verification.scene_facts import list_facts
from ircore.scorers.verification.score import VERSION

pytestmark = pytest.mark.slow


JUDGE = "structural"


@pytest.fixture(scope="module")
def results() -> Results:
    return invented_results(["seer", "poet"], ["painter", "sketcher"], per_condition=6)


def final(results: Results, run_id: str, instance: str) -> float | None:
    episode = next(item for item in results.episodes[run_id] if item.episode.instance_id == instance)
    return episode.judged[JUDGE].final if JUDGE in episode.judged else None


def test_every_answer_has_a_sentence_with_its_interval_a_table_and_pictures(results: Results) -> None:
    asked = answer_questions(results, JUDGE)
    keys = {item.key for item in asked}
    assert {"best-pair", "best-describer", "best-generator", "refinement", "nobody", "hardest", "hard"} <= keys
    for answer in asked:
        assert "95 % interval" in answer.sentence
        assert answer.question.endswith("?")
        assert answer.lines
        assert 0 < len(answer.episodes) <= PICTURES
        played = {(run, item.episode.instance_id) for run in results.episodes for item in results.episodes[run]}
        assert set(answer.episodes) <= played


def test_the_best_describer_has_the_highest_mean_over_hard_pies(results: Results) -> None:
    answer = next(item for item in answer_questions(results, JUDGE) if item.key == "best-describer")
    assert answer.question == "Which describer is best on hard pie graphs?"
    means = {}
    pies = [item.instance_id for item in results.instances if (item.category, item.difficulty) == ("pie_graph", "hard")]
    for label in ("seer", "poet"):
        runs = [item.run_id for item in results.submissions if item.describer == label]
        by_target = [[score for run in runs if (score := final(results, run, pie)) is not None] for pie in pies]
        means[label] = fmean(fmean(scores) for scores in by_target if scores)
    shown = {line.label: line.value.mean for line in answer.lines}
    assert shown == pytest.approx(means)
    best = max(means, key=lambda label: means[label])
    assert f"is of {best}; " in answer.sentence or answer.sentence.startswith(f"{best}, with a mean score of")


def test_a_generator_that_only_the_best_describer_tried_does_not_lead_by_its_luck() -> None:
    instances = invented_set(6)
    skills = {("seer", "painter"): 7.0, ("poet", "painter"): 3.0, ("seer", "sketcher"): 6.0, ("poet", "sketcher"): 2.0}
    # Easier for it: its only partner is the better describer.
    runs = [invented_run(instances, *pair, skill, 0.3) for pair, skill in skills.items()]
    runs.append(invented_run(instances, "seer", "lucky", 6.0, 0.3))
    answer = next(item for item in answer_questions(Results.from_runs(runs), JUDGE) if item.key == "best-generator")
    assert [line.label for line in answer.lines] == ["painter", "sketcher"]
    assert answer.sentence.startswith("painter, with a mean score of")
    assert answer.sentence.endswith(". 1 other generator did not play with the same 2 partners.")
    assert answer.reservations == ("Not compared, for want of the same partners: lucky, played with seer alone.",)


def test_no_describer_is_best_while_one_with_a_single_partner_may_be_better() -> None:
    instances = invented_set(6)
    skills = {("classical", "canvas"): 6.0, ("classical", "sketch"): 6.0, ("captioner", "canvas"): 3.0,
              ("captioner", "sketch"): 3.0, ("plain", "canvas"): 8.0}  # fmt: skip
    results = Results.from_runs([invented_run(instances, *pair, skill, 0.1) for pair, skill in skills.items()])
    assert results.board(JUDGE)[0].submission.describer == "plain"
    answer = next(item for item in answer_questions(results, JUDGE) if item.key == "best-describer")
    assert answer.sentence.startswith("It cannot be told: the highest mean score, ")
    assert "over the same 2 partners, is of classical; it leads captioner by" in answer.sentence
    assert answer.sentence.endswith("1 other describer did not play with the same 2 partners, and may be better.")
    assert answer.reservations[0].startswith("plain is not clearly worse with canvas, where classical leads by −")


def test_the_best_of_many_describers_by_chance_is_not_named() -> None:
    # Ten describers that are all alike: the first would lead the second by more than one comparison allows for.
    instances = invented_set(6)
    runs = [invented_run(instances, f"seer-{at}", "painter", 5.0, 0.0) for at in range(10)]
    sentence = next(i for i in answer_questions(Results.from_runs(runs), JUDGE) if i.key == "best-describer").sentence
    assert sentence.startswith("It cannot be told: ")


def test_who_has_the_highest_mean_of_easy_targets_alone_does_not_lead_on_shared_ones() -> None:
    # On the easy targets b is better; on the hard ones, which a did not play, b fails.
    instances = invented_set(6, ("geometry",))
    easy, hard, other = (invented_run(instances, *who, 0.1) for who in [("b", "x", 9), ("b", "x", 0), ("a", "x", 6)])
    scores = tuple(one if "-easy-" in one.episode_id else two for one, two in zip(easy.given, hard.given, strict=False))
    played = tuple(episode for episode in other.played if episode.difficulty == "easy")
    results = Results.from_runs([replace(easy, given=scores), replace(other, played=played)])
    sentence = next(item for item in answer_questions(results, JUDGE) if item.key == "best-describer").sentence
    assert re.match(r"It cannot be told: .* is of a; on the targets that both played b leads it by [1-4]\.", sentence)


def test_a_target_on_which_weak_pairs_failed_does_not_look_easy() -> None:
    # Both pairs lose one point on the second target; the weak one has no score there. By hand: 6, and 6 − 1.
    assert compute_adjusted_means(np.array([[8.0, 4.0], [7.0, np.nan]])) == pytest.approx([6.0, 5.0])
    assert compute_adjusted_means(np.array([[8.0, 4.0], [np.nan, np.nan]]))[0] == 6.0
    assert np.isnan(compute_adjusted_means(np.array([[8.0, 4.0], [np.nan, np.nan]]))[1])


def test_episodes_that_broke_off_are_no_unsatisfied_describers() -> None:
    # Half of the episodes broke off; in all others the describer was satisfied: that is all of them, not half.
    instances = invented_set(6, ("geometry",))
    run = invented_run(instances, "seer", "painter", 8.0, 0.0)
    aborted = {"outcome": "aborted", "abort_reason": "provider_error"}
    outcomes = ({"outcome": "converged", "abort_reason": None}, aborted)
    played = tuple(each.model_copy(update=outcomes[number % 2]) for number, each in enumerate(run.played))
    results = Results.from_runs([replace(run, played=played)])
    sentence = next(item for item in answer_questions(results, JUDGE) if item.key == "satisfied").sentence
    assert "describers end 100 % (" in sentence
    assert "n = 6) of the played episodes as satisfied" in sentence


def test_nobody_draws_the_target_whose_best_score_is_lowest(results: Results) -> None:
    answer = next(item for item in answer_questions(results, JUDGE) if item.key == "nobody")
    best = {
        item.instance_id: max(
            score for run in results.episodes if (score := final(results, run, item.instance_id)) is not None
        )
        for item in results.instances
    }
    worst = sorted(best, key=lambda instance: best[instance])
    assert [instance for _, instance in answer.episodes] == worst[:PICTURES]
    assert answer.lines[0].value.mean == pytest.approx(best[worst[0]])


def test_refinement_is_the_mean_change_over_targets(results: Results) -> None:
    answer = next(item for item in answer_questions(results, JUDGE) if item.key == "refinement")
    by_target: dict[str, list[float]] = {}
    for episodes in results.episodes.values():
        for item in episodes:
            judged = item.judged.get(JUDGE)
            if judged is not None and judged.delta is not None:
                by_target.setdefault(item.episode.instance_id, []).append(judged.delta)
    mean = fmean(fmean(deltas) for deltas in by_target.values())
    assert f"changes by {mean:.1f} (" in answer.sentence


def asked_of(easier: dict[str, float], per_condition: int = 6) -> dict[str, str]:
    """Sentences about one pair whose scores spread by about a point, and are so much higher in some categories."""
    instances = invented_set(per_condition, ("geometry", "photos"))
    run = invented_run(instances, "seer", "painter", 5.0, 0.1)
    place = {item.instance_id: (item.category, number) for number, item in enumerate(instances.instances)}
    scores = tuple(
        score.model_copy(
            update={"value": 5.0 + (place[score.episode_id][1] % 3) / 2 + easier.get(place[score.episode_id][0], 0)}
        )
        for score in run.given
    )
    results = Results.from_runs([replace(run, given=scores)])
    return {answer.key: answer.sentence for answer in answer_questions(results, JUDGE)}


def test_the_hardest_category_is_named_only_where_the_difference_is_clear() -> None:
    assert asked_of({"photos": 3.0})["hardest"].startswith("Geometry, with a mean score of 5.5 (")
    tied = asked_of({"photos": 0.1})["hardest"]
    assert tied.startswith("It cannot be told: ")
    assert "cannot be told from it" in tied


def test_nobody_is_called_best_on_too_few_targets() -> None:
    answer = asked(per_condition=1, categories=("pie_graph",))["best-describer"]
    assert answer.question == "Which describer is best on all targets?"
    assert answer.sentence.startswith("It cannot be told: the highest mean score, ")
    assert "which so few targets do not tell apart" in answer.sentence


def asked(per_condition: int, categories: tuple[str, ...] = CATEGORIES) -> dict[str, Answer]:
    """Answers about two describers with one generator, the one much better than the other."""
    instances = invented_set(per_condition, categories)
    runs = [invented_run(instances, label, "painter", skill, 0.1) for label, skill in (("seer", 8.0), ("poet", 4.0))]
    return {answer.key: answer for answer in answer_questions(Results.from_runs(runs), JUDGE)}


@pytest.mark.parametrize(
    ("harder", "per_condition", "verdict"),
    [
        (1.0, 6, "Mostly: "),  # final renderings score about 6.5, of n that leave no doubt that this is above 5
        (-1.5, 6, "Not much: "),
        (-0.5, 6, "It cannot be told: "),
        (1.0, 1, "It cannot be told: "),  # fewer than five targets
    ],
)
def test_a_satisfied_describer_is_right_or_wrong_only_by_enough_targets(
    harder: float, per_condition: int, verdict: str
) -> None:
    sentence = asked_of({"geometry": harder, "photos": harder}, per_condition)["satisfied"]
    assert sentence.startswith(f"{verdict}describers end ")


def test_what_nobody_draws_says_how_many_targets_the_judge_does_not_rate() -> None:
    # One of the 24 episodes is aborted, so its target has no score.
    assert asked_of({})["nobody"].startswith("Nothing: every one of the 23 rated targets (1 more is not rated) is ")
    assert "of the 23 rated targets (1 more is not rated) are drawn by nobody" in asked_of({"photos": -3.0})["nobody"]


SET = invented_set(1)  # 14 instances


def run(slug: str, undecided: float, unread: bool, low: float = 5.0, high: float = 9.0) -> HandMadeRun:
    """A run whose every rendering is rated 7, with an interval."""
    eye = JudgeIdentity(name="eye", label="Eye", kind="computed")
    made = hand_made_run(slug, SET, [7.0] * len(SET.instances), judge=eye)
    doubt = {"low": low, "high": high, "undecided": undecided, "unread": unread}
    object.__setattr__(made, "given", tuple(score.model_copy(update=doubt) for score in made.scores()))
    return made


@pytest.mark.parametrize(
    ("undecided", "unread", "unranked"),
    [(0.05, True, None), (0.051, True, "unread"), (0.4, True, "unread"), (0.4, False, None), (0.0, True, None)],
)
def test_a_run_has_no_rank_while_its_labels_are_unread_and_weigh_too_much(
    undecided: float, unread: bool, unranked: str | None
) -> None:
    results = Results.from_runs([run("foggy", undecided, unread), run("clear", 0.0, unread=False)])
    ranks = {row.submission.slug: row.rank_low for row in results.board("eye")}
    assert ranks == {"clear": 1, "foggy": 1 if unranked is None else None}
    cell = results.cell("foggy", "eye")
    assert cell.unranked == unranked
    assert cell.score.mean == 7  # its numbers stay


def test_the_row_says_why_and_what_to_do() -> None:
    results = Results.from_runs([run("foggy", 0.223, unread=True), run("clear", 0.0, unread=False, low=7, high=7)])
    cell = results.cell("foggy", "eye")
    assert cell.unranked_words == "labels were not read, so 22 % of the facts are open, 5 % may be"
    assert list_remedies(["unread"]) == [
        "Install what reads labels (make ocr, or pip install 'ircore[ocr]') and run ircore score again."
    ]
    table = board_table(results, "eye")
    entries = {row[0].value: row for row in table.rows}
    keys = [column.key for column in table.columns]
    foggy, clear = entries["foggy"], entries["clear"]
    assert foggy[keys.index("score_range")].value == "5.00–9.00 (22 % open)"
    assert clear[keys.index("score_range")].missing == "every fact could be told"
    assert [foggy[keys.index(key)].value for key in ("lowest", "highest", "undecided", "unread")] == [
        5.0, 9.0, pytest.approx(0.223), 1,
    ]  # fmt: skip
    assert foggy[keys.index("unranked")].value == "unread"
    assert "no rank: labels were not read" in str(foggy[keys.index("rank")].missing)
    assert any("make ocr" in note for note in table.notes)


def test_where_every_fact_is_told_a_board_has_no_column_of_dashes() -> None:
    results = Results.from_runs([run("clear", 0.0, unread=False, low=7, high=7)])
    assert "score_range" not in [column.key for column in board_table(results, "eye").columns]
    assert "lowest" in [column.key for column in leaderboard_table(results).columns]


@pytest.mark.parametrize(
    "fields",
    [
        {"low": 3.0}, {"high": 9.0}, {"low": 8.0, "high": 9.0}, {"low": 1.0, "high": 6.9}, {"undecided": 1.5},
        {"measure": "preference", "value": 1.0, "low": 1.0, "high": 1.0},
        {"value": None, "reason": "no", "low": 1, "high": 2},
    ],
)  # fmt: skip
def test_an_interval_holds_its_value_and_belongs_to_a_rating(fields: dict[str, object]) -> None:
    about = {"episode_id": "a", "step": 1, "measure": "similarity", "by": "eye", "value": 7.0, "rendering": "a" * 64}
    with pytest.raises(ValueError, match=r"low|undecided"):
        Score.model_validate(about | fields)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    """Let the judge say that texts are read by somebody; None for nobody."""
    # The real recogniser is an extra that need not be installed; what it reads is tested elsewhere.
    return lambda name: monkeypatch.setattr(verified, "describe_recogniser", lambda: name)


def test_a_run_scored_without_a_reader_is_scored_anew_with_one_and_never_the_other_way_round(
    tmp_path: Path, reader: Callable[[str | None], None], capsys: pytest.CaptureFixture[str]
) -> None:
    made = sample_run(tmp_path / "run", chart_instances(tmp_path / "charts"))
    plan = ScoringPlan(("verified",), metrics=())
    reader(None)
    first = score_runs([made], plan, workers=1)
    assert made.judges()["verified"].version == f"{VERSION}, texts unread"
    assert score_runs([RunFolder(made.path)], plan, workers=1).new == 0
    reader("a reader 1")
    again = score_runs([RunFolder(made.path)], plan, workers=1)
    assert again.new == first.new > 0
    assert RunFolder(made.path).judges()["verified"].version == f"{VERSION}, texts read by a reader 1"
    assert score_runs([RunFolder(made.path)], plan, workers=1).new == 0
    reader(None)
    assert ircore(["score", str(made.path), "--judge", "verified"]) == 2
    assert "the judge verified of this run is another one" in capsys.readouterr().err


def test_boards_never_mix_judges_that_read_with_judges_that_do_not() -> None:
    versions = ("7, texts read by a reader 1", "7, texts unread")
    eyes = (JudgeIdentity(name="eye", label="E", kind="computed", version=version) for version in versions)
    read, unread = (hand_made_run(slug, SET, [7.0] * 14, judge=eye) for slug, eye in zip("ab", eyes, strict=True))
    with pytest.raises(InputError, match="judge eye is not the same"):
        Results.from_runs([read, unread])


@pytest.fixture
def charts_run(tmp_path: Path) -> RunFolder:
    """A run on two bar charts: one block in the colour of the middle, so that most is missing."""
    run = sample_run(tmp_path / "run", chart_instances(tmp_path / "charts"))
    score_runs([run], ScoringPlan(metrics=(), every_turn=True), workers=1)
    return run


def test_a_part_is_the_mean_over_episodes_and_its_facts_are_counted() -> None:
    shares = (PartShare(0.5, 1, 2, 3), PartShare(1.0, 2, 2, 2), PartShare(None, 0, 0, 4))
    text = estimate_parts({"text": share} for share in shares)["text"]
    assert (text.share.mean, text.share.n) == (0.75, 2)
    assert (text.held, text.decided, text.total) == (3, 4, 9)


def test_facts_are_counted_by_category_difficulty_and_part(charts_run: RunFolder) -> None:
    table = facts_table(Results.from_runs([charts_run]))
    rows = {
        tuple(table.entry(row, key).value for key in ("category", "difficulty", "part")): table.entry(
            row, "facts"
        ).value
        for row in range(len(table.rows))
    }
    # Two charts with three bars each: presence, value and colour of each bar, and one count of bars a chart.
    assert rows["all", "all", "count"] == 2
    assert rows["bar_graph", "easy", "value"] == 6
    assert {part for _, _, part in rows} == set(PARTS)


def test_parts_over_the_turns_end_where_the_table_of_parts_is(charts_run: RunFolder) -> None:
    results = Results.from_runs([charts_run])
    finals = parts_table(results)
    turns, places = by_turn_table(results), normalised_table(results)
    measures = [row.value for row in turns.column("measure")]
    for part in PARTS:
        final = finals.entry(0, part).value
        last = len(measures) - 1 - measures[::-1].index(f"verified.{part}")
        assert turns.entry(last, "latest").value == final
        values = [
            places.entry(row, "value").value
            for row, measure in enumerate(places.column("measure"))
            if measure.value == f"verified.{part}"
        ]
        assert len(values) == 20
        assert values[-1] == final


def test_pairs_are_ordered_by_any_part(charts_run: RunFolder) -> None:
    results = Results.from_runs([charts_run])
    table = parts_table(results, order="colour")
    assert "Ordered by colour" in table.caption
    assert [column.key for column in table.columns][-7:] == list(PARTS)
    with pytest.raises(InputError, match="no part is called 'colours'"):
        parts_table(results, order="colours")


def test_the_facts_of_an_episode_stand_turn_by_turn(charts_run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    table = episode_facts_table(Results.from_runs([charts_run]), "pets")
    turns = [int(value.value or 0) for value in table.column("turn")]
    assert turns == sorted(turns)
    assert set(turns) == {1, 2}
    assert 'The bar for "Dogs" shows the value 80.' in {value.value for value in table.column("sentence")}
    assert ircore(["results", str(charts_run.path), "--table", "facts", "--episode", "pets", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == len(turns)


TARGETS = invented_set(3, ("geometry",))
SEER = invented_run(TARGETS, "seer", "painter", 4.0, 0.3)


def test_turns_that_few_were_rated_at_have_no_point() -> None:
    run = SEER
    ends = {episode.episode_id: {1, list_rendered_turns(episode)[-1].turn} for episode in run.played}
    sparse = replace(run, given=tuple(score for score in run.given if score.step in ends[score.episode_id]))
    longest = max(max(turns) for turns in ends.values())
    every, few = (
        [point.turn for point in average_trajectories(PlayedRun.of(each).results, "structural", [None])[None]]
        for each in (run, sparse)
    )
    assert every == list(range(1, longest + 1))
    assert {1, longest} <= set(few) < set(every)


def test_facts_that_were_not_stated_do_not_count_and_ended_episodes_keep_their_last_turn() -> None:
    circle = Element(
        type="circle", colour="#d62728", box=Box(10, 10, 50, 50), parameters={"centre": [30, 30], "radius": 20}
    )
    scene = Scene(width=64, height=64, background="#ffffff", elements=(circle,))
    count = len(list_facts(scene))
    assert count >= 2
    instances = [with_scene(instance, scene) for instance in TARGETS.instances]
    lengths = {episode.episode_id: len(collect_renderings(episode)) for episode in SEER.played}
    short, long = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
    assert lengths[short] < lengths[long]
    episodes = [episode for episode in SEER.played if episode.episode_id in (short, long)]
    turns = [
        SaidTurn(
            episode_id=episode.episode_id, turn=turn, rendering=rendering.sha256, reader="grammar", version="1",
            stated="1" + "0" * (count - 1), named="0" * count,
            shown=("1" if episode.episode_id == short else "0") + "0" * (count - 1),
        )
        for episode in episodes
        for turn, rendering in collect_renderings(episode).items()
    ]  # fmt: skip
    points = {point.turn: point for point in compute_said_points(turns, episodes, instances)}
    # Of the one fact that was stated, one episode shows all and the other nothing, at every turn.
    assert {(point.drawn.mean, point.drawn.n) for point in points.values()} == {(0.5, 2)}
    assert max(turn or 0 for turn in points) == lengths[long]
