"""Keys of what a build keeps, orders that pages state, and marks with an edge, by small examples."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from invented import InventedRun, invented_run, invented_set

from ircore.core.episode_records import EpisodeCost
from ircore.results.statistics.intervals import Estimate
from leaderboard.charts.catalogue import make_figures
from leaderboard.components.values import dot
from leaderboard.frozen_boards import list_frozen_views
from leaderboard.gallery.same_words import EpisodeBlame, PlayerExchange
from leaderboard.model.site import Site
from leaderboard.model.xray import MarkFault as MarkFault
from leaderboard.pages.cannot_draw import FinalFates, _build_line
from leaderboard.pages.citation import build_badges
from leaderboard.pages.feed import list_changes
from leaderboard.pages.history import VersionPlace, VersionTrack, build_tracks, list_entries
from leaderboard.pages.metric_boards import build_metric_pages
from leaderboard.pages.overview import build_front_page
from leaderboard.pages.players import make_player_keys
from leaderboard.storage import build_cache
from leaderboard.storage.build_cache import compute_content_key, run_key
from leaderboard.words import describe_interval

SET = invented_set(6, ("geometry", "photos"))


def site_of(*skills: float, **more: Any) -> Site:
    runs = [invented_run(SET, f"seer-{number}", "painter", skill, 0.3) for number, skill in enumerate(skills)]
    return Site([replace(run, run=run.run.model_copy(update=more)) for run in runs])  # type: ignore[misc]


def records(folder: Path) -> Path:
    for name in ("run.json", "journal.jsonl", "scores.jsonl", "judges/eye.json", "instances/instances.jsonl"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name}\n")
    return folder


@pytest.mark.parametrize(
    "name", ["run.json", "journal.jsonl", "scores.jsonl", "judges/eye.json", "instances/instances.jsonl"]
)
def test_what_is_kept_of_a_run_goes_by_each_of_its_records(tmp_path: Path, name: str) -> None:
    before = run_key(records(tmp_path / "a"))
    assert run_key(records(tmp_path / "b")) == before
    (tmp_path / "b" / name).write_text("changed\n")
    assert run_key(tmp_path / "b") != before
    (records(tmp_path / "c") / "judges" / "ear.json").write_text("{}\n")
    (records(tmp_path / "d") / ".lock").write_text("")
    (records(tmp_path / "d") / "renderings").mkdir()
    assert run_key(tmp_path / "c") != before == run_key(tmp_path / "d")


def test_what_is_kept_goes_by_its_parts_and_by_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [
        compute_content_key("ab", "c"),
        compute_content_key("a", "bc"),
        compute_content_key("abc"),
        compute_content_key("c", "ab"),
    ]
    monkeypatch.setattr(build_cache, "hash_program", lambda: "another program")
    keys.append(compute_content_key("ab", "c"))
    assert len(set(keys)) == 5


def test_an_interval_of_few_pictures_is_never_shown_without_its_warning() -> None:
    assert "too few" in describe_interval(Estimate(5.0, 4.0, 6.0, 3))
    assert "too few" not in describe_interval(Estimate(5.0, 4.0, 6.0, 42))


def test_a_mean_beyond_the_scale_stands_on_its_end() -> None:
    for mean, at in ((-5.0, "4.0"), (0.0, "4.0"), (5.0, "60.0"), (10.0, "116.0"), (99.0, "116.0")):
        assert f'cx="{at}"' in dot(Estimate(mean, None, None, 42), None, 0, 10)


@pytest.mark.parametrize(("low", "high", "count", "verdict"), [
    (-0.2, 0.4, 12, "the two cannot be told apart"), (0.2, 0.8, 12, "more hangs on the drawing"),
    (-0.8, -0.2, 12, "more hangs on the words"), (0.2, 0.8, 3, "too few targets"),
])  # fmt: skip
def test_more_hangs_on_words_or_drawing_only_where_the_interval_says_so(
    low: float, high: float, count: int, verdict: str
) -> None:
    fault = EpisodeBlame(
        5.0, PlayerExchange(1.0, 0.0, 2), PlayerExchange(1.0, 0.0, 2), Estimate((low + high) / 2, low, high, count)
    )
    assert verdict in fault.verdict


def test_players_whose_labels_have_the_same_letters_have_pages_of_their_own() -> None:
    keys = make_player_keys(["A b", "a B", "a-b", "中文", "日本"])
    assert len(set(keys.values())) == 5
    assert keys["A b"] == "a-b"


def test_ranges_of_ranks_that_overlap_say_of_nobody_that_it_moved() -> None:
    def moved(now: tuple[int, int], before: tuple[int, int]) -> int:
        return VersionTrack(
            ("a", "b"), tuple(VersionPlace(*ends, Estimate(50.0, None, None, 4)) for ends in (now, before))
        ).moved

    assert [moved((1, 2), (3, 4)), moved((3, 4), (1, 2)), moved((1, 3), (3, 5)), moved((2, 3), (1, 3))] == [1, -1, 0, 0]


def test_of_changes_at_the_same_moment_the_last_that_was_added_stands_first() -> None:
    listed = list_changes(site_of(4.0, 5.0, started="2026-01-01T00:00:00Z"))
    assert [change.when for change in listed] == sorted((change.when for change in listed), reverse=True)
    assert [change.pair.describer for change in listed if change.pair] == ["seer-1", "seer-0"]


def test_pairs_under_other_rules_enter_boards_of_their_own() -> None:
    runs = [invented_run(SET, f"seer-{number}", "painter", 4.0 + number, 0.3) for number in range(3)]
    rules = {**runs[0].run.rules, "token_budget": 50}
    other = replace(runs[2], run=runs[2].run.model_copy(update={"rules": rules}))
    made = list_entries(Site([*runs[:2], other]))  # type: ignore[list-item]
    assert {run_id: (entered.place, entered.pairs) for run_id, entered in made.items()} == {
        "seer-0-painter": (1, 1), "seer-1-painter": (1, 2), "seer-2-painter": (1, 1),
    }  # fmt: skip


@pytest.mark.slow
def test_a_figure_of_outcomes_and_of_turns_is_ordered_by_what_it_shows() -> None:
    site = site_of(4.0, 4.2, 4.4, 4.6)
    made = make_figures(site.results, site.pairs, wanted=("convergence", "trajectories"))
    rows = {kind: chart.table for kind, chart in made.items() if chart.table is not None}
    improved: list[Any] = [row.value for row in rows["convergence"].column("improved")]
    assert improved == sorted(improved, reverse=True)
    table = rows["trajectories"]
    turns = zip(table.column("run_id"), table.column("reached"), strict=True)
    last: dict[Any, Any] = {row.value: reached.value for row, reached in turns}
    assert list(last.values()) == sorted(last.values(), reverse=True)


def test_a_badge_of_a_pair_without_a_rank_says_why_and_no_score() -> None:
    few = invented_set(1, ("geometry",))
    site = Site([invented_run(few, f"seer-{number}", "painter", 4.0 + number, 0.3) for number in range(2)])  # type: ignore[misc]
    assert all(row.cell.main.mean is not None for row in site.results.board(site.judge))
    made = [badge for of_pair in build_badges(site).values() for badge in of_pair]
    assert made
    assert {badge.message.partition(":")[0] for badge in made} == {"no rank"}
    assert not any("±" in badge.message or badge.is_ranked for badge in made)


def also(run: InventedRun, judge: str, task: Any = "similarity", value: float | None = None) -> InventedRun:
    """The same run with what another judge or metric gives: the same values, or one value for all."""
    measure = judge if task == "metric" else task
    more = tuple(
        score.model_copy(update={"by": judge, "measure": measure, "value": score.value if value is None else value})
        for score in run.given
    )
    return replace(run, given=run.given + more)


def invented_runs(*skills: float) -> list[InventedRun]:
    return [invented_run(SET, f"seer-{number}", "painter", skill, 0.3) for number, skill in enumerate(skills)]


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "order"), [("psnr", ["seer-1", "seer-0"]), ("lpips", ["seer-0", "seer-1"])])
def test_a_pair_without_a_value_stands_last_whichever_direction_is_better(metric: str, order: list[str]) -> None:
    low, high, none = invented_runs(4.0, 5.0, 6.0)
    measured = [also(low, metric, "metric", 0.2), also(high, metric, "metric", 0.4), none]
    (page,) = build_metric_pages(Site(measured))  # type: ignore[arg-type]
    assert [line.pair.describer for line in page.complete().values["lines"]] == [*order, "seer-2"]


@pytest.mark.slow
def test_a_pair_leads_only_if_every_judge_has_it_alone_at_the_top() -> None:
    best, second, third = invented_runs(8.0, 4.0, 2.0)
    alone = [also(run, "other") for run in (best, second, third)]
    tied = [also(best, "other"), also(second, "other", value=9.0), also(third, "other")]
    titles = []
    for runs in (alone, tied):
        site = Site(runs, "structural")  # type: ignore[arg-type]
        titles.append(make_figures(site.results, site.pairs, wanted=("scores",))["scores"].title)
    assert titles[0] == "seer-0 + painter leads by main score, judged by every judge"
    assert "leads" not in titles[1]


def test_rows_of_another_shape_are_on_no_frozen_board() -> None:
    row = {"judge": "eye", "category": "all", "difficulty": "all", "rules": "b200-t10-allow"}
    (board,) = list_frozen_views([{**row, "judge": 7}, row, {**row, "category": None}])
    assert board.rows == (row,)


def test_the_last_turn_stands_in_the_strip_of_the_front_page() -> None:
    runs = invented_runs(7.0, 8.0)
    for run in runs:
        object.__setattr__(run, "rendering_path", Path)
        object.__setattr__(run, "source", run)
    strip = build_front_page(Site(runs)).complete().values["strip"]  # type: ignore[arg-type]
    numbers = [turn["number"] for turn in strip["turns"]]
    assert strip["skipped"] > 0
    assert numbers == [1, 2, 3, len(numbers) + strip["skipped"]]


@pytest.mark.slow
def test_of_runs_with_the_same_players_the_best_stands_for_them() -> None:
    worse, best = invented_runs(3.0, 8.0)
    same = best.run.submission.model_copy(update={"describer": worse.run.submission.players["describer"]})
    twins = [worse, replace(best, run=best.run.model_copy(update={"submission": same}))]
    for runs in (twins, twins[::-1]):
        (track,) = build_tracks(Site(runs), [])  # type: ignore[arg-type]
        assert track.pair is not None
        assert track.pair.run_id == best.run.run_id


def test_runs_that_began_at_the_same_moment_enter_by_their_ids() -> None:
    runs = [
        replace(run, run=run.run.model_copy(update={"run_id": run_id}))
        for run, run_id in zip(invented_runs(4.0, 5.0, 6.0), ("c", "a", "b"), strict=True)
    ]
    assert list(list_entries(Site(runs))) == ["a", "b", "c"]  # type: ignore[arg-type]


class Paid(InventedRun):
    """A run whose episodes cost a cent each."""

    def costs(self) -> dict[str, EpisodeCost]:
        return {episode.episode_id: EpisodeCost(usd=0.01) for episode in self.played}


def test_of_pairs_that_cost_the_same_the_best_alone_is_on_the_frontier() -> None:
    runs = [Paid(**vars(run)) for run in invented_runs(3.0, 8.0)]
    site = Site(runs)  # type: ignore[arg-type]
    chart = make_figures(site.results, site.pairs, wanted=("costs",))["costs"]
    best = site.results.cell(runs[1].run.run_id, "structural").score.mean
    line = chart.figure["data"][0]["y"]
    assert line == pytest.approx([best] * len(line), abs=0.001)


def test_marks_count_by_target_and_unsure_ones_not_at_all() -> None:
    def case(target: str, *fates: Any) -> Any:
        marks = [SimpleNamespace(subject=SimpleNamespace(kind="bar"))] * len(fates)
        instance = SimpleNamespace(instance_id=target, category="bar_graph", difficulty="easy")
        gallery = SimpleNamespace(drawn=SimpleNamespace(marks=marks), instance=instance)
        return None, gallery, FinalFates((1, 0, 0, 1, 0, 0), fates)

    line = _build_line("bar", [
        case("a", "right", "missing", "unsure"), case("a", "right", "right"), case("b", "missing", "unsure", "unsure"),
    ])  # fmt: skip
    assert line is not None
    # Target a: the mean of a half and one; target b: none.
    assert (line.right.mean, line.right.n, line.marks) == (0.375, 2, 5)
