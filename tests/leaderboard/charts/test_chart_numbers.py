"""Figures of several judges, people and budgets: they draw what the results say, and say what they leave out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from xml.etree import ElementTree

import pytest
from invented import InventedRun, invented_results, invented_run, invented_set, rich_results
from invented_pairs import pairs_of
from known_values import known

from ircore.core.episode_records import EpisodeCost
from ircore.games.reconstruction.records import Rules, list_rendered_turns, list_turns
from ircore.results.calibration import fit_maps
from ircore.results.effects import compare_budgets
from ircore.results.language import analyse_messages, count_corrections, select_messages
from ircore.results.model import Results
from ircore.results.statistics.calibration_map import Recalibration
from ircore.results.tables.model import Value
from leaderboard.charts.catalogue import OF_ALL, Chart, make_figures
from leaderboard.charts.language import _TOPIC_NAMES, _compose_profile_title

pytestmark = pytest.mark.slow

OWN = "structural"


@pytest.fixture(scope="module")
def results() -> Results:
    return rich_results()


@pytest.fixture(scope="module")
def charts(results: Results) -> Mapping[str, Chart]:
    return make_figures(results, pairs_of(results), OF_ALL, OWN)


def drawn(chart: Chart) -> list[float]:
    """Our own marks: the paper's come after them."""
    return [trace["x"][0] for trace in chart.figure["data"] if trace["x"] and "reported" not in trace["hovertemplate"]]


def test_every_judge_has_its_mark_in_every_row(results: Results, charts: Mapping[str, Chart]) -> None:
    best_first = [
        row.submission.run_id for row in results.board(OWN) if Rules.of(row.submission.run).token_budget == 200
    ]
    judges = (OWN, "human", "zealous")
    wanted = [
        mean
        for run_id in best_first
        for judge in judges
        if (mean := results.cell(run_id, judge).score.mean) is not None
    ]
    assert drawn(charts["scores"]) == pytest.approx(wanted, abs=0.001)
    tones = {trace["marker"]["color"] for trace in charts["scores"].figure["data"]}
    assert tones == {f"var(--irc-judge-{at})" for at in (1, 2, 3)} | {"var(--irc-muted)"}


def test_rules_are_not_mixed(results: Results, charts: Mapping[str, Chart]) -> None:
    usual = {submission.run_id for submission in results.submissions if Rules.of(submission.run).token_budget == 200}
    for kind in ("scores", "deltas", "preferences", "heat-maps", "corrections", "lengths"):
        table = known(charts[kind].table)
        assert {value.value for value in table.column("run_id")} == usual


def test_budgets_stand_in_order(results: Results, charts: Mapping[str, Chart]) -> None:
    (series,) = compare_budgets(results, OWN)
    line = charts["budget-scores"].figure["data"][-1]
    assert line["x"] == pytest.approx([1, 1.699, 2.301], abs=0.001)
    assert line["y"] == pytest.approx([point.cell.score.mean for point in series.points], abs=0.001)
    bars = charts["budget-outcomes"].figure["data"]
    for row, point in enumerate(series.points):
        rated = sum(point.cell.convergence.values())
        assert [bar["x"][row] for bar in bars] == pytest.approx(
            [100 * count / rated for count in point.cell.convergence.values()], abs=0.01
        )


def test_agreement_has_r_and_rho_of_every_two_raters(results: Results, charts: Mapping[str, Chart]) -> None:
    pairs = results.raters.agreement.pairs
    wanted = [value for pair in pairs for value in (pair.pearson.value, pair.spearman.value)]
    assert drawn(charts["agreement"]) == pytest.approx(wanted, abs=0.001)
    best = max((pair for pair in pairs if pair.kind == "judge-human"), key=lambda pair: pair.pearson.value or 0)
    assert charts["agreement"].title.startswith(
        f"{best.first_rater} agrees best with people: r = {best.pearson.value:.2f} ("
    )


def test_published_values_are_hollow_below_ours_and_in_tables_of_their_own(charts: Mapping[str, Chart]) -> None:
    # Table 2 of the paper, then Table 1: r and ρ of GPT, Claude and Qwen3 with people, then with each other.
    correlations = [.56, .60, .51, .54, .41, .40, .76, .74, .65, .65, .63, .65]  # fmt: skip
    # Means of Table 3 over its 14 conditions.
    scores = [8.09, 7.68, 8.29, 7.09, 6.69, 7.54, 7.02, 6.94, 7.41, 6.69, 6.66, 7.25]
    for kind, published in (("agreement", correlations), ("scores", scores)):
        chart = charts[kind]
        marks = [
            trace for trace in chart.figure["data"] if trace["hovertemplate"].endswith("not run here<extra></extra>")
        ]
        assert [x for mark in marks for x in mark["x"]] == pytest.approx(published, abs=0.005)
        assert {mark["marker"]["symbol"] for mark in marks} <= {"circle-open", "diamond-open"}
        assert {mark["error_x"]["array"][0] for mark in marks} == {0}
        names = [note["text"] for note in chart.figure["layout"]["annotations"]]
        assert "reported by the paper,<br>not run here" in names
        assert {table.origin for table in chart.published} == {"reported by the paper"}
        assert known(chart.table).origin == "computed here"
        ours = [y for trace in chart.figure["data"] if trace not in marks for y in trace["y"]]
        assert max(ours) < min(y for mark in marks for y in mark["y"])


def test_judge_against_judge_shows_every_two_scores_beside_the_diagonal(
    results: Results, charts: Mapping[str, Chart]
) -> None:
    chart = charts["ratings"]
    crossings = results.raters.crossed
    marks, diagonals = chart.figure["data"][::2], chart.figure["data"][1::2]
    assert len(marks) == len(crossings) >= 1
    assert all((line["x"], line["y"]) == ([0, 10], [0, 10]) for line in diagonals)
    for trace, crossed in zip(marks, crossings, strict=True):
        assert list(zip(trace["x"], trace["y"], strict=True)) == list(crossed.counts)
        # The area is the count.
        sizes = dict(zip(crossed.counts, trace["marker"]["size"], strict=True))
        most = max(crossed.counts, key=lambda key: crossed.counts[key])
        assert sizes[most] == max(sizes.values())
    assert sum(int(value.value or 0) for value in known(chart.table).column("renderings")) == sum(
        crossed.renderings for crossed in crossings
    )


def test_reliability_has_the_map_and_its_marks(results: Results, charts: Mapping[str, Chart]) -> None:
    maps = fit_maps(results.episodes)
    traces = charts["reliability"].figure["data"]
    assert len(traces) == 4 * len(maps)
    for panel, recalibration in enumerate(maps.values()):
        assert isinstance(recalibration, Recalibration)
        _, band, curve, marks = traces[4 * panel : 4 * panel + 4]
        points = recalibration.map()
        assert (curve["x"][0], curve["y"][-1]) == pytest.approx((points[0].judge, points[-1].human), abs=0.001)
        assert max(band["y"]) >= max(curve["y"])
        assert marks["y"] == pytest.approx([reached.human.mean for reached in recalibration.reliability], abs=0.001)


def test_corrections_are_the_shares_of_messages(results: Results, charts: Mapping[str, Chart]) -> None:
    table = known(charts["corrections"].table)
    trace = charts["corrections"].figure["data"][0]
    for row, run in enumerate(table.column("run_id")):
        profile = count_corrections(analyse_messages(results.game, results.episodes[str(run.value)]))
        assert trace["z"][row] == pytest.approx([share.mean for share in profile.usage.values()], abs=0.001)
    by_turn = known(charts["corrections-by-turn"].table)
    run_id, turn = (by_turn.entry(1, key).value for key in ("run_id", "turn"))
    assert isinstance(turn, int)
    played = results.episodes[str(run_id)]
    assert by_turn.entry(1, "messages").value == len(select_messages(analyse_messages(results.game, played), turn=turn))
    # Over the episodes that reach the last turn that five of them reach.
    lengths = sorted(
        (len(list_rendered_turns(result.episode)) for result in played if result.episode.played), reverse=True
    )
    same = [result for result in played if len(list_rendered_turns(result.episode)) >= lengths[4]]
    messages = select_messages(analyse_messages(results.game, same), turn=turn)
    assert by_turn.entry(1, "colour").value == count_corrections(messages).usage["colour"].mean


def test_bars_of_one_standard_error_say_so_in_every_place(charts: Mapping[str, Chart]) -> None:
    usual, chart = charts["deltas"], charts["deltas-sem"]
    for own, other in zip(known(chart.table).column("delta"), known(usual.table).column("delta"), strict=True):
        assert own.value == other.value
        # 1.96 standard errors and more make an interval.
        if own.low is not None and own.high is not None and other.low is not None and other.high is not None:
            assert own.high - own.low < 0.6 * (other.high - other.low)
    texts = [trace["hovertemplate"] for trace in chart.figure["data"] if trace["x"]]
    assert any("one standard error" in text for text in texts)
    assert not any("95 % interval" in text for text in texts)
    assert "one standard error" in chart.title
    assert chart.csv().splitlines()[0].endswith("bars")
    assert "bars" not in usual.csv().splitlines()[0].split(",")


def test_what_is_missing_is_said_in_one_line() -> None:
    plain = Results.from_runs([invented_run(invented_set(1), "seer", "painter", 5, 0.2)])
    missing = {
        name: chart.missing for name, chart in make_figures(plain, pairs_of(plain), OF_ALL).items() if chart.missing
    }
    assert missing.keys() == {
        "preferences", "budget-scores", "budget-scores-sem", "budget-deltas", "budget-outcomes", "agreement", "ratings",
        "reliability",
        "metric-correlations", "metric-preferences", "costs", "variance",
    }  # fmt: skip
    assert missing["agreement"] == "Fewer than two raters: nothing to compare."
    assert not any("\n" in reason for reason in missing.values())


def test_of_many_pairs_the_best_are_shown_and_this_is_said() -> None:
    many = invented_results([f"describer-{at}" for at in range(6)], [f"generator-{at}" for at in range(5)], 1)
    board = [row.submission.run_id for row in many.board(OWN)]
    charts = make_figures(many, pairs_of(many), {"scores", "delta", "trajectories", "lengths"})
    for kind, most in (("scores", 24), ("delta", 24), ("trajectories", 12), ("lengths", 12)):
        chart = charts[kind]
        assert chart.selection_words == f"Shown are the {most} of 30 pairs with the best main scores by {OWN}."
        assert {value.value for value in known(chart.table).column("run_id")} == set(board[:most])
        assert chart.height < 2000
    # Twelve small panels are read in half a printed page, rows of 24 pairs are not.
    assert {kind: charts[kind].tall for kind in ("scores", "delta", "lengths")} == {
        "scores": True, "delta": True, "lengths": False,
    }  # fmt: skip


def test_still_pictures_are_well_formed_and_show_every_mark(charts: Mapping[str, Chart]) -> None:
    for chart in charts.values():
        if chart.missing:
            continue
        wide, narrow = ElementTree.fromstring(f"<both>{chart.still()}</both>")
        for picture, layout in ((wide, chart.figure["layout"]), (narrow, chart.figure["narrow"])):
            assert int(picture.attrib["height"]) == layout["height"]
            said = " ".join("".join(text.itertext()) for text in picture.iter("text"))
            for note in layout["annotations"]:
                assert note["text"].replace("<b>", "").split("<")[0].replace("&amp;", "&") in said
    marks = ElementTree.fromstring(f"<b>{charts['scores'].still()}</b>")[0].findall("path[@transform]")
    assert len(marks) == sum(bool(trace["x"]) for trace in charts["scores"].figure["data"])


def test_headlines_are_about_all_pairs_or_say_about_which() -> None:
    """Thirty pairs that all gain, and the six worst lose: the figure shows the best 24, its headline counts thirty."""
    instances = invented_set(4)
    gaining = [invented_run(instances, f"seer-{at:02d}", "painter", 5.0 + at / 20, 2.0) for at in range(24)]
    losing = [invented_run(instances, f"teller-{at:02d}", "painter", 3.0, -2.0) for at in range(6)]
    many = Results.from_runs([*gaining, *losing])
    charts = make_figures(
        many, pairs_of(many), {"deltas", "convergence", "trajectories", "lengths", "heat-maps", "scores"}
    )
    assert charts["deltas"].title == "Refinement helps 24 of 30 pairs and harms 6"
    assert "episodes of all 30 pairs end better" in charts["convergence"].title
    assert charts["scores"].title.endswith("of 30 ranked pairs cannot be told from the best by main score")
    for kind in ("trajectories", "lengths", "heat-maps"):
        assert charts[kind].title.startswith("Of the 12 best pairs: ")


def test_a_headline_over_several_judges_counts_as_the_board_of_the_sites_own_judge_and_names_it() -> None:
    instances = invented_set(6)
    runs = [invented_run(instances, f"seer-{at}", "painter", 2.0, 2.0) for at in range(3)]
    # A second judge sees no change: every final and first rendering has 5 from it.
    flat = [
        replace(run, given=(*run.given, *(s.model_copy(update={"by": "flat", "value": 5.0}) for s in run.given)))
        for run in runs[:2]
    ]
    many = Results.from_runs([*flat, runs[2]])
    for own, said in (
        (OWN, "Refinement helps 3 of 3 pairs and harms none, judged by structural"),
        ("flat", "Does refinement help? No pair's interval is clear of zero, judged by flat"),
    ):
        assert make_figures(many, pairs_of(many), {"deltas"}, own)["deltas"].title == said


def test_a_pair_without_a_rank_is_drawn_and_neither_named_nor_counted_by_headlines() -> None:
    instances = invented_set(6)
    wordy, *others = (
        invented_run(instances, name, "painter", 3.0, gain) for name, gain in (("wordy", 3.0), ("brief", 2.0), ("a", 0))
    )
    first, *rest = wordy.played
    over = first.with_steps(tuple(turn.model_copy(update={"over_budget": True}) for turn in list_turns(first)))
    many = Results.from_runs([replace(wordy, played=(over, *rest)), *others])
    charts = make_figures(many, pairs_of(many), {"trajectories", "seconds"})
    assert charts["trajectories"].title.startswith("brief + painter goes from")
    assert "of 2 ranked pairs" in charts["seconds"].title
    assert all("wordy + painter" in str(chart.figure) for chart in charts.values())


def test_long_names_beside_categories_stand_on_two_lines() -> None:
    describer = "provider/model-4-17B-128E-instruct"
    many = invented_results([describer], ["painter", "sketcher"])
    names = make_figures(many, pairs_of(many), {"categories"})["categories"].figure["layout"]["yaxis"]["ticktext"]
    assert {name.split("<br>")[1] for name in names} == {"+ painter", "+ sketcher"}


def test_the_frontier_of_seconds_is_the_best_score_that_fewer_seconds_buy() -> None:
    """Every turn takes one second: a pair's seconds are its turns, and the frontier is worked out by hand here."""
    many = invented_results(["seer", "teller"], ["painter", "sketcher"])
    charts = make_figures(many, pairs_of(many), {"seconds", "categories"})
    chart = charts["seconds"]
    assert chart.table is not None
    points = sorted(
        (float(seconds.value or 0), float(score.value or 0))
        for seconds, score in zip(chart.table.column("seconds"), chart.table.column("score"), strict=True)
    )
    unbeaten = [point for at, point in enumerate(points) if all(point[1] > other[1] for other in points[:at])]
    corners = chart.figure["data"][0]
    assert corners["y"][::2] == pytest.approx([score for _, score in unbeaten], abs=0.001)
    assert [10**x for x in corners["x"][::2]] == pytest.approx([seconds for seconds, _ in unbeaten], rel=0.01)


def priced(costs: Mapping[str, float | None], skills: Mapping[str, float]) -> Chart:
    """Return the figure of costs of pairs, one describer each with these skills, whose episodes cost so much."""

    @dataclass(frozen=True)
    class Paid(InventedRun):
        amount: float | None = None

        def costs(self) -> dict[str, EpisodeCost]:
            return {episode.episode_id: EpisodeCost(usd=self.amount) for episode in self.played}

    instances = invented_set(8, ("geometry",))
    runs = []
    for name, skill in skills.items():
        run = invented_run(instances, name, "painter", skill, 0.0)
        whole = tuple(e.model_copy(update={"outcome": "turn_limit", "abort_reason": None}) for e in run.played)
        runs.append(Paid(**{**vars(run), "played": whole}, amount=costs[name]))
    many = Results.from_runs(runs)
    return make_figures(many, pairs_of(many), {"costs"})["costs"]


def test_a_free_pair_takes_part_in_the_frontier_and_an_unknown_cost_is_counted_apart() -> None:
    costs = {"gratis": 0.0, "cheap": 0.01, "dear": 1.0, "secret": None}
    chart = priced(costs, {"gratis": 8.0, "cheap": 4.0, "dear": 9.0, "secret": 5.0})
    # The free pair beats the cheap one; it stands left of it, and the frontier begins there.
    names = {trace["hovertemplate"].split(" + ")[0]: trace["x"][0] for trace in chart.figure["data"][1:]}
    assert set(names) == {"gratis", "cheap", "dear"}
    assert names["gratis"] < names["cheap"] == pytest.approx(-2)
    line = chart.figure["data"][0]
    assert line["x"][0] == names["gratis"]
    assert "2 of 3 pairs are not clearly beaten at a lower cost" in chart.title
    assert "1 pair of unknown cost cannot be placed." in chart.reading_aid
    assert chart.figure["layout"]["xaxis"]["ticktext"][0] == "free"
    assert "free an episode" in next(t["hovertemplate"] for t in chart.figure["data"][1:] if "gratis" in str(t))


def test_a_pair_that_cannot_be_told_from_a_cheaper_one_is_not_beaten() -> None:
    # The cheap pair scores a little more than the dear one: by the points beaten, by the ranks the two are one.
    chart = priced({"cheap": 0.01, "dear": 1.0}, {"cheap": 6.0, "dear": 5.9})
    assert "2 of 2 pairs are not clearly beaten" in chart.title


def test_small_multiples_show_the_cells_of_each_category() -> None:
    # Enough pictures of every category that the title may speak of all pairs.
    many = invented_results(["seer", "teller"], ["painter", "sketcher"], per_condition=6)
    chart = make_figures(many, pairs_of(many), {"categories"})["categories"]
    ranked = [row.submission.run_id for row in many.board(OWN)]
    wanted = [many.cell(run_id, OWN, category).score.mean for category in many.categories for run_id in ranked]
    assert [trace["x"][0] for trace in chart.figure["data"]] == pytest.approx(wanted, abs=0.001)
    means = {run_id: {c: many.cell(run_id, OWN, c).score.mean or 0 for c in many.categories} for run_id in ranked}
    lowest = [min(by_category, key=lambda category: by_category[category]) for by_category in means.values()]
    most = max(lowest.count(category) for category in lowest)
    assert chart.title.endswith(f"score lowest for {most} of 4 pairs")


def test_corrections_of_too_few_episodes_leave_their_question_open() -> None:
    def shares(n: int, *numbers: float, half: float = 0.05) -> list[Value]:
        return [Value(number, number - half, number + half, n=n) for number in numbers]

    few, many = shares(4, *[0.9] * 9, 1.0), shares(5, 0.5, *[0.1] * 9)
    assert _compose_profile_title([few]) == "What do corrections talk about?"
    assert _compose_profile_title([few, many]) == f"Corrections are most often about {_TOPIC_NAMES[0].lower()}"
    assert _compose_profile_title([shares(5, *[0.1] * 10), many]).endswith(
        f"differ most in {_TOPIC_NAMES[0].lower()} (40 points)"
    )
    # Within the intervals the pairs may be alike.
    unsure = _compose_profile_title([shares(5, *[0.1] * 10, half=0.3), shares(5, 0.5, *[0.1] * 9, half=0.3)])
    assert unsure == f"Corrections are most often about {_TOPIC_NAMES[0].lower()}"
