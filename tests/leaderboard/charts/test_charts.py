"""The charts: what they say, that their tables say the same, and that they carry nothing they should not."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from invented import InventedRun, invented_results, invented_run, invented_set
from invented_pairs import pairs_of
from known_values import known
from plotly.offline import get_plotlyjs_version

import leaderboard
from ircore.games.reconstruction.records import Turn, list_turns
from ircore.results.episodes import CONVERGENCES
from ircore.results.model import Results
from ircore.results.tables.model import Selection, Value
from ircore.results.tables.turns import average_trajectories
from leaderboard import theme
from leaderboard.charts.catalogue import OF_ALL, OF_JUDGE, OF_PAIR, OF_PAIR_ONCE, Chart, make_chart_id, make_figures

pytestmark = pytest.mark.slow

BEHIND = Selection(("seer-painter",), "refined", judge="structural")
ASSETS = Path(leaderboard.__file__).parent / "assets"


@pytest.fixture(scope="module")
def results() -> Results:
    return invented_results(["seer", "teller"], ["painter", "sketcher"])


@pytest.fixture(scope="module")
def charts(results: Results) -> dict[str, Chart]:
    return make_figures(results, pairs_of(results))


def small_run(*trajectories: list[float | None]) -> InventedRun:
    """A run whose episodes got these scores turn by turn; None is a turn that was not scored."""
    instances = invented_set(len(trajectories), ("geometry",))
    easy = instances.select(difficulties=["easy"])
    run = invented_run(replace(instances, instances=easy), "seer", "painter", 5, 0)
    episodes, scores = [], []
    for episode, values in zip(run.played, trajectories, strict=True):
        turn, score = (
            list_turns(episode)[0],
            next(score for score in run.given if score.episode_id == episode.episode_id),
        )
        numbered = [turn.model_copy(update={"turn": number}) for number in range(1, len(values) + 1)]
        episodes.append(episode.with_steps(tuple(numbered), outcome="converged", abort_reason=None))
        scores += [
            score.model_copy(update={"step": number, "value": value})
            for number, value in enumerate(values, start=1)
            if value is not None
        ]
    return replace(run, played=tuple(episodes), given=tuple(scores))


def drawn(charts: Mapping[str, Chart]) -> list[Chart]:
    return [chart for chart in charts.values() if not chart.missing]


def entries(chart: Chart, key: str) -> tuple[Value, ...]:
    return known(chart.table).column(key)


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def without_empty(value: Any) -> Any:
    """A figure as JSON has it, without the lists that say nothing: Plotly leaves them out."""
    if isinstance(value, Mapping):
        return {name: without_empty(item) for name, item in value.items() if name != "uid" and item != []}
    return [without_empty(item) for item in value] if isinstance(value, list | tuple) else value


def test_turns_that_were_not_scored_are_left_out() -> None:
    results = Results.from_runs([small_run([4, None, None, 8], [2, None, 5])])
    points = average_trajectories(results.episodes["seer-painter"], "structural", [None])[None]
    assert [(point.turn, point.reached.mean) for point in points] == [(1, 3), (4, 6.5)]


def test_every_chart_is_there(results: Results, charts: dict[str, Chart]) -> None:
    every = {*OF_ALL, *OF_JUDGE}
    for submission in results.submissions:
        every |= {make_chart_id(kind, submission.slug) for kind in {**OF_PAIR, **OF_PAIR_ONCE}}
    assert charts.keys() == every
    assert all(chart.id == identity and identity.startswith(chart.kind) for identity, chart in charts.items())
    assert make_chart_id("delta", judge="panel") == "delta-by-panel"


def test_the_table_says_what_the_figure_draws(results: Results, charts: dict[str, Chart]) -> None:
    chart = charts["delta"]
    marks = [(trace["x"][0], trace["error_x"]) for trace in chart.figure["data"]]
    assert len(marks) == 4
    for (mean, whisker), value in zip(marks, entries(chart, "delta"), strict=True):
        assert value.value == pytest.approx(mean, abs=0.001)
        assert value.high == pytest.approx(mean + whisker["array"][0], abs=0.001)
    means = [mean for mean, _ in marks]
    assert means == sorted(means, reverse=True)


def test_shares_of_a_bar_add_up(charts: dict[str, Chart]) -> None:
    bars = charts["convergence"].figure["data"]
    assert [sum(bar["x"][row] for bar in bars) for row in range(4)] == pytest.approx([100] * 4, abs=0.03)
    shares = [[share.value for share in entries(charts["convergence"], outcome)] for outcome in CONVERGENCES]
    assert [sum(row) for row in zip(*shares, strict=True)] == pytest.approx([1] * 4)


def test_titles_say_the_finding() -> None:
    three: list[list[float | None]] = [[4, 6], [2, 4.1], [6, 8.1]]
    better = Results.from_runs([small_run(*three, *three, *three)])
    charts = make_figures(better, pairs_of(better))
    assert charts["delta"].title == "Refinement helps 1 of 1 pair and harms none"
    assert charts["convergence"].title == "100 % of rated episodes end better than they began, 0 % worse"
    assert charts["trajectory-seer-painter"].title == "From 4.0 after the first turn to 6.1 after the last"


def silent(run: InventedRun, describer: str) -> InventedRun:
    """The same run under another describer's name, of which nothing was played."""
    submission = run.run.submission
    player = submission.players["describer"].model_copy(update={"model": describer})
    about = {"run_id": describer, "slug": describer, "submission": submission.model_copy(update={"describer": player})}
    return replace(run, run=run.run.model_copy(update=about), played=(), given=())


def test_titles_count_only_pairs_that_were_rated() -> None:
    three: list[list[float | None]] = [[4, 6], [2, 4.1], [6, 8.1]]
    played = small_run(*three, *three, *three)
    results = Results.from_runs([played, silent(played, "ghost"), silent(played, "mute")])
    charts = make_figures(results, pairs_of(results))
    assert charts["delta"].title == "Refinement helps 1 of 1 pair and harms none"
    assert charts["scores"].title == "How similar is what the pair draws?"
    assert charts["trajectories"].title == "How far does each pair get, turn by turn?"
    assert charts["pair-convergence-ghost"].missing == "No episode was rated."


def test_categories_of_too_few_pictures_leave_their_questions_open() -> None:
    titles = {}
    for per_condition in (2, 4):
        results = invented_results(["seer"], ["painter"], per_condition)
        charts = make_figures(results, pairs_of(results))
        titles[per_condition] = charts["categories"].title, charts["heat-maps"].title
    assert titles[2] == ("Which category is hardest?", "In which categories do more turns pay?")
    assert titles[4][0].startswith("Which category is hardest? ")
    assert titles[4][1].startswith("The turns bring most on ")


def test_the_last_messages_are_those_of_the_last_turn_that_enough_episodes_reach() -> None:
    """Five messages of 40 tokens at turn 2, one of 10 at turn 3: the last turn that counts is the second."""
    instances = invented_set(3, ("geometry",))
    run = invented_run(instances, "seer", "painter", 5, 0)
    lengths = [(60, 40)] * 5 + [(60, 40, 10)]
    played = [
        episode.with_steps(tuple(turns_like(list_turns(episode)[0], tokens)))
        for episode, tokens in zip(run.played, lengths, strict=True)
    ]
    results = Results.from_runs([replace(run, played=tuple(played))])
    charts = make_figures(results, pairs_of(results))
    last = "at the last turn that 5 episodes reach"
    assert charts["lengths"].title == f"Do messages get shorter? They are shorter {last} than at turn 1 in 1 of 1 pair"
    assert charts["novelty"].title == "Do later messages say anything new?"


def turns_like(turn: Turn, lengths: tuple[int, ...]) -> Iterator[Turn]:
    for number, tokens in enumerate(lengths, start=1):
        yield turn.model_copy(update={"turn": number, "message_tokens": tokens})


def test_one_episode_and_no_score_are_drawn_without_a_whisker() -> None:
    single = Results.from_runs([small_run([4, 6])])
    charts = make_figures(single, pairs_of(single))
    assert charts["delta"].figure["data"][0]["error_x"]["array"] == [0]
    assert entries(charts["delta"], "delta")[0] == Value.of(single.cell("seer-painter", "structural").delta, BEHIND)
    no_refinement = Results.from_runs([small_run([4])])
    charts = make_figures(no_refinement, pairs_of(no_refinement))
    assert charts["delta"].figure["data"] == []
    assert entries(charts["delta"], "delta")[0].missing == "no episode of several renderings"


def test_figures_hold_only_colours_that_the_stylesheet_defines(charts: dict[str, Chart]) -> None:
    known = theme.list_variables().keys()
    for chart in drawn(charts):
        used = {match for text in texts(chart.figure) for match in re.findall(r"var\(--irc-([a-z0-9-]+)\)", text)}
        assert used
        assert used <= known
        assert not [text for text in texts(chart.figure) if re.fullmatch(r"#[0-9a-f]{3,8}|rgb\(.*\)", text)]


def test_files_are_small_and_plain(charts: dict[str, Chart]) -> None:
    for chart in drawn(charts):
        read = json.loads(chart.json())
        assert not {"template"} & {*read["layout"], *read["narrow"]}
        assert len(json.dumps(read["template"])) < 2_500
        assert "bdata" not in chart.json()
        assert len(chart.json()) < 40_000
        assert chart.reading_aid.endswith(".")
        assert chart.csv().count("\n") == len(known(chart.table).rows) + 1
        assert read["narrow"]["height"] >= 200


def test_a_hostile_name_stays_words() -> None:
    instances = invented_set(1, ("geometry",))
    name = "<a href='javascript:x'>&\u202e model"
    results = Results.from_runs([invented_run(instances, name, "painter", 5, 0.5)])
    for chart in make_figures(results, pairs_of(results)).values():
        for text in texts(chart.figure):
            assert "<a" not in text
            assert "\u202e" not in text


MOST_OF_PLOTLY = 400_000
"""Bytes of the library, gzipped: only the traces in use are in it."""


def test_the_vendored_bundle_is_the_one_that_plotly_was_made_for() -> None:
    vendored = json.loads((ASSETS / "vendor" / "VENDORED.json").read_text())
    assert len(vendored) == 1
    for name, facts in vendored.items():
        content = (ASSETS / "vendor" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == facts["sha256"]
        assert facts["version"] == get_plotlyjs_version()
        assert f"v{facts['version']}".encode() in content[:200]
        assert len(gzip.compress(content, 9)) <= MOST_OF_PLOTLY
        assert "Permission is hereby granted" in (ASSETS / "vendor" / facts["licence_file"]).read_text()


def test_plotly_knows_every_property_and_value(charts: dict[str, Chart]) -> None:
    # The template too, which holds what all charts have in common.
    for chart in drawn(charts):
        for layout in (chart.figure["layout"], chart.figure["narrow"]):
            checked = go.Figure(
                {"data": chart.figure["data"], "layout": {**layout, "template": chart.figure["template"]}}
            )
            said = checked.to_plotly_json()
            assert without_empty(said["layout"].pop("template")) == without_empty(chart.figure["template"])
            assert without_empty(said["data"]) == without_empty(chart.figure["data"])
            assert without_empty(said["layout"]) == without_empty(layout)


def test_scripts_write_text_and_never_markup() -> None:
    forbidden = (
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
        'setAttribute("on', "setAttribute('on", "DOMParser", "https:", "http:", "window.irc",
    )  # fmt: skip
    scripts = list((ASSETS / "js").glob("*.js"))
    assert len(scripts) > 40
    for script in scripts:
        # The name of SVG reads like an address, but nothing is fetched from there.
        source = script.read_text().replace("http://www.w3.org/2000/svg", "")
        assert [words for words in forbidden if words in source] == [], script.name
