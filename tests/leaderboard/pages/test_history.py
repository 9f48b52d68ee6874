"""History of ranks at each merge and between versions; boards and pages of players."""

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from charts import chart_instances
from invented import invented_run, invented_set
from known_values import known
from pages import parse_page
from samples import sample_instances, sample_run
from site_samples import named_submission, rate_turns

from ircore.games.reconstruction.records import collect_renderings
from ircore.instances.benchmark import BenchmarkVersion
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.formats import format_csv
from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.charts.grammar import Sketch
from leaderboard.charts.places import sketch_entries, sketch_versions
from leaderboard.frozen_boards import FrozenBoard
from leaderboard.model.site import Page, Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages import feed
from leaderboard.pages.boards import build_board_pages
from leaderboard.pages.cannot_draw import CannotDraw, KindLine, find_undrawable_marks, format_plural, load_final_fates
from leaderboard.pages.feed import build_changes_page, list_changes
from leaderboard.pages.history import (
    VersionPlace,
    VersionTrack,
    build_entries_table,
    build_history_page,
    build_tracks,
    build_versions_table,
    describe_moves,
    describe_newest_moves,
    list_entries,
)
from leaderboard.pages.overview import build_front_page
from leaderboard.pages.players import build_player_board_pages, build_player_pages
from leaderboard.rendering.render import Renderer
from leaderboard.storage.pictures import Shown

FIRST = {"seer": 5.0, "poet": 7.0, "teller": 6.0}
"""First score of each pair, in the order in which they were played; each later turn scores as much.

Of eight episodes the n-th scores 0.1, 0.2 and 0.3 · n more: main scores are 53.5, 77 and 70.5.
"""

FROZEN = {
    ("all", "all"): {"seer": 80.0, "gone": 65.0, "poet": 60.0},
    ("geometry", "easy"): {"seer": 80.0, "poet": 60.0},
    ("geometry", "hard"): {"poet": 70.0, "seer": 40.0},
    ("simple_shapes", "hard"): {"seer": 70.0, "poet": 68.0},
}
"""Main scores on a former board, by category and difficulty, best first."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("history")
    instances = sample_instances(folder / "instances", per_condition=2)
    runs = []
    for day, (describer, first) in enumerate(FIRST.items(), start=1):
        run = sample_run(folder / describer, instances, named_submission(describer, describer, "painter"))
        record = folder / describer / "run.json"
        began = run.run.started
        record.write_text(record.read_text().replace(began, f"2026-01-0{day}T00:00:00+00:00"))
        runs.append(rate_turns(run, first, 0.1 * day).path)
    return Site(read_runs(runs))


def frozen_board(*rows: dict[str, object]) -> FrozenBoard:
    record = BenchmarkVersion(name="2025.1", instance_set="a" * 64, prompts="p 1", date="2025-01-31")
    return FrozenBoard(record, Path("frozen"), rows)


@pytest.fixture(scope="module")
def board(site: Site) -> FrozenBoard:
    """Seer led it, gone came second and poet third; teller was not there."""
    rows = [
        {
            "category": category, "difficulty": difficulty, "judge": site.judge, "describer": describer,
            "generator": "painter", "rank_low": rank, "rank_high": rank, "main_score_mean": mean,
            "main_score_low": mean - 5, "main_score_high": mean + 4, "main_score_n": 40,
        }
        for (category, difficulty), means in FROZEN.items()
        for rank, (describer, mean) in enumerate(means.items(), start=1)
    ]  # fmt: skip
    return frozen_board(*rows)


def standing(low: int, high: int, mean: float = 50.0) -> VersionPlace:
    return VersionPlace(low, high, Estimate(mean, mean - 5, mean + 5, 40))


@pytest.mark.slow
def test_a_pair_enters_among_those_that_were_there_by_then(site: Site) -> None:
    entered = {entry.pair.describer: entry for entry in list_entries(site).values()}
    # Teller is better than seer and cannot be told from poet.
    places = {name: (entry.place, entry.pairs, entry.beaten) for name, entry in entered.items()}
    assert places == {"seer": (1, 1, 0), "poet": (1, 2, 1), "teller": (2, 3, 1)}
    teller = entered["teller"]
    assert teller.ahead is not None
    assert teller.behind is not None
    assert (teller.ahead.pair.describer, teller.behind.pair.describer) == ("poet", "seer")
    assert [round(main.mean or 0, 3) for main in (teller.ahead.main, teller.main, teller.behind.main)] == [
        77.0, 70.5, 53.5,
    ]  # fmt: skip
    # Scores rise by 0.3 and 0.1 an episode: the lead is largest on the last target.
    assert teller.telling[0][0].instance.instance_id == list(site.galleries)[-1]
    assert round(teller.telling[0][1], 3) == round(1 + 0.2 * (len(site.galleries) - 1), 3)
    assert "place 2 of 3" in teller.words
    assert "it is better than 1 pair by the board's comparisons" in teller.words
    # A range of ranks that reaches the last place is better than nobody, wherever its main score stands.
    tied = replace(teller, place=67, pairs=120, ranks=(1, 120), telling=())
    assert tied.words.startswith("It entered with rank 1–120 of 120, place 67 of 120 by main score, behind poet")
    assert tied.words.endswith("the comparisons tell it from no pair behind it.")


@pytest.mark.slow
def test_the_last_pair_enters_with_the_ranks_that_the_board_gives_it_and_the_first_leads_alone(site: Site) -> None:
    entered = {entry.pair.describer: entry for entry in list_entries(site).values()}
    board = {row.submission.describer: row for row in site.under().board(site.judge)}
    # The pair that came last entered among all pairs of today.
    assert entered["teller"].ranks == (board["teller"].rank_low, board["teller"].rank_high) == (1, 2)
    assert entered["seer"].ranks == (1, 1)
    assert (board["seer"].rank_low, board["seer"].rank_high) == (3, 3)
    assert "It entered with rank 1–2 of 3, place 2 of 3 by main score, behind" in entered["teller"].words


@pytest.mark.slow
def test_what_changed_tells_it_in_words_and_so_do_the_feeds(site: Site) -> None:
    words = {change.title: change.words for change in list_changes(site)}
    told = "It entered with rank 1 of 2, place 1 of 2 by main score, ahead of seer + painter (53.5, 95 % interval "
    assert told in words["New pair: poet + painter"]
    assert told in dict(feed.build_feed_files(site))["feed.json"]


def test_frozen_boards_are_laid_beside_the_live_one(site: Site) -> None:
    about = {"category": "all", "difficulty": "all", "judge": site.judge, "generator": "painter"}
    interval = {"main_score_low": 80.0, "main_score_high": 91.0, "main_score_n": 40}
    told = {
        track.name[0]: track
        for track in build_tracks(
            site,
            [
                frozen_board(
                    {**about, "describer": "seer", "rank_low": 1, "rank_high": 1, "main_score_mean": 88.0, **interval},
                    {**about, "describer": "gone", "rank_low": 2, "rank_high": 2, "main_score_mean": 10.0},
                    {**about, "describer": 7, "rank_low": "x"},
                )
            ],
        )
    }
    assert told["seer"].standings[1] == VersionPlace(1, 1, Estimate(88.0, 80.0, 91.0, 40))
    # A board that was frozen without intervals still has its scores.
    assert told["gone"].standings == (None, VersionPlace(2, 2, Estimate(10.0, None, None, 0)))
    assert told["poet"].words == "new"


def test_a_former_board_of_several_rules_stands_with_the_rules_of_most_pairs(site: Site) -> None:
    about = {"category": "all", "difficulty": "all", "judge": site.judge, "generator": "painter"}
    ranked = [("seer", "short", 1), ("seer", "long", 2), ("poet", "long", 1)]
    rows = [
        {**about, "describer": describer, "rules": rules, "rank_low": rank, "rank_high": rank}
        for describer, rules, rank in ranked
    ]
    told = {track.name[0]: track.standings[1] for track in build_tracks(site, [frozen_board(*rows)])}
    assert [standing and standing.words for standing in (told["seer"], told["poet"])] == ["2", "1"]


def test_a_pair_was_moved_by_the_conditions_in_which_it_lost_most_against_the_pairs_on_both(
    site: Site, board: FrozenBoard
) -> None:
    told = {track.name[0]: track for track in build_tracks(site, [board])}
    assert {name: track.words for name, track in told.items()} == {
        "poet": "up from 3 to 1–2", "teller": "new", "seer": "down from 1 to 3", "gone": "no longer there",
    }  # fmt: skip
    moved = [
        (shift.category, shift.difficulty, round(shift.before, 3), round(shift.now, 3)) for shift in told["seer"].shifts
    ]
    # Easy geometry: 80 less the mean of 80 and 60, then 50.5 less the mean of 50.5 and 71. In hard geometry it rose,
    # and the former board has no easy simple shapes.
    assert moved == [("geometry", "easy", 10.0, -10.25), ("simple_shapes", "hard", 1.0, -13.25)]
    assert [shift.words for shift in told["poet"].shifts][1].startswith("simple shapes, hard (from −1.0 to +13.")


def test_the_release_of_a_version_tells_who_moved(site: Site, board: FrozenBoard) -> None:
    words = describe_newest_moves(site, [board])
    assert words.startswith("Against 2025.1: poet + painter up from 3 to 1–2, most in geometry, easy (from −10.0 to +1")
    assert ". seer + painter down from 1 to 3, most in geometry, easy (from +10.0 to −10." in words
    assert ". 1 new. 1 no longer there. In brackets: points" in words
    many = [VersionTrack((f"p{place}", "b"), (standing(place, place), standing(20, 20))) for place in range(1, 10)]
    assert "p5 + b up from 20 to 5. 4 more moved." in describe_moves(many, "2025.1")
    assert describe_newest_moves(site, []) == ""


def test_what_changed_and_the_feeds_tell_who_moved(
    site: Site, board: FrozenBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "version", replace(site.version, released=board.record))
    monkeypatch.setattr(site, "moved", "Against 2025.1: seer + painter down from 1 to 3.")
    (release,) = [change for change in list_changes(site) if change.title == "Benchmark 2025.1 released"]
    assert release.words.endswith(" Against 2025.1: seer + painter down from 1 to 3.")
    for _, text in feed.build_feed_files(site):
        assert release.words in text


@pytest.mark.slow
def test_the_page_has_intervals_and_leads_to_the_episodes_of_the_pair(site: Site, board: FrozenBoard) -> None:
    page = build_history_page(site, [board]).complete()
    text = Renderer(site, {}).block(page)
    last = list(site.galleries)[-1]
    assert f'href="gallery/{last}.html?pair=teller&amp;pair=seer#teller">' in text
    # The former board's interval reaches 5 down and 4 up: even enough for one half.
    assert '1 <span class="muted main-of"><span class="value" title="95 % interval 75.0 to 84.0, n = 40">80.0' in text
    assert '<a href="pairs/seer.html#geometry-easy">Geometry, easy</a> <span class="nowrap">+10.0 to −10.' in text
    assert "2025.1" in text
    assert [chart.id for chart in page.values["own_charts"]] == ["entries", "versions"]


def test_scores_are_drawn_as_pairs_enter_with_the_best_by_then(site: Site) -> None:
    table = build_entries_table(list(list_entries(site).values()))
    assert format_csv(table).splitlines()[1].startswith("1,2026-01-01,")
    sketch = sketch_entries(table, site.pairs, top=1)
    assert isinstance(sketch, Sketch)
    assert sketch.title == "poet° + painter°, number 2 of 3 to enter, has the best main score: 77.0"
    tied = sketch_entries(table, site.pairs, top=2)
    assert tied.title == "2 of 3 pairs may be the best today; the highest main score is 77.0"
    traces = sketch.drawing.plotly()["data"]
    # Marks at the ends of the scale, 0 and 100, are whole.
    assert [trace["cliponaxis"] for trace in traces if trace["mode"] == "markers"] == [False] * 3
    record = traces[0]
    assert (list(record["x"]), list(record["y"])) == ([1, 2, 2, 3], [53.5, 53.5, 77.0, 77.0])


def test_places_are_drawn_over_versions_with_the_ranges_of_ranks(site: Site, board: FrozenBoard) -> None:
    moved = build_tracks(site, [board])
    table = build_versions_table(["2025.1", "2026.1"], moved)
    places = [(row[0].value, row[1].value, row[3].value) for row in table.rows]
    assert places == [
        ("2025.1", "seer", 1), ("2025.1", "gone", 2), ("2025.1", "poet", 3),
        ("2026.1", "poet", 1), ("2026.1", "teller", 2), ("2026.1", "seer", 3),
    ]  # fmt: skip
    pairs = {track.name: track.pair for track in moved if track.pair is not None}
    sketch = sketch_versions(table, ["2025.1", "2026.1"], pairs)
    assert isinstance(sketch, Sketch)
    assert sketch.title == "poet° + painter° leads the newest board; in 2025.1 its place was 3"
    heights = [list(trace["y"]) for trace in sketch.drawing.plotly()["data"]]
    # Logarithms of the places of seer, teller and poet, the best drawn last; teller was not on the board before.
    assert heights == [[0.0, 0.477], [None, 0.301], [0.477, 0.0]]


def test_older_changes_are_folded_by_month(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "_OPEN", 2)
    values = build_changes_page(site).complete().values
    assert [(day, [change.title for change in of_day]) for day, of_day in values["days"]] == [
        ("2026-01-03", ["New pair: teller + painter"]), ("2026-01-02", ["New pair: poet + painter"]),
    ]  # fmt: skip
    # The first pair, and the version of ircore that played it.
    assert [(month, count, len(days)) for month, count, days in values["months"]] == [("January 2026", 2, 1)]
    text = Renderer(site, {}).block(build_changes_page(site))
    assert '<details class="more"><summary>January 2026: 2 older changes</summary>' in text


def board_text(per_condition: int, path: str, pairs: list[tuple[str, str]]) -> str:
    """A board of players as words."""
    instances = invented_set(per_condition, ("geometry", "photos"))
    skills = {"seer": 8.0, "poet": 4.0, "stray": 6.0}
    runs = [invented_run(instances, describer, generator, skills[describer], 0.3) for describer, generator in pairs]
    player_site = Site(runs)  # type: ignore[arg-type]
    page = next(page for page in build_player_board_pages(player_site) if page.path == path)
    return " ".join(re.sub(r"<[^>]*>", " ", Renderer(player_site, charts={}).block(page.complete())).split())


GRID = list(product(("seer", "poet"), ("painter", "sketcher")))


@pytest.mark.slow
def test_a_player_of_one_of_two_possible_pairs_has_that_pair_and_a_reason() -> None:
    text = board_text(10, "boards/describers/index", [*GRID, ("stray", "painter")])
    stray = text.partition(" stray ")[2]
    assert stray.startswith("No rank: not played with every partner of the full grid")
    assert " – (not played with every partner of the full grid) 1 of 2 " in stray
    assert "best first" in text
    assert "No ranks here" not in text


@pytest.mark.slow
def test_a_board_of_too_few_pictures_says_so_and_calls_none_the_best() -> None:
    text = board_text(2, "boards/describers/geometry-easy", GRID)
    assert "No ranks here: fewer than 5 pictures a describer are too few to rank by" in text
    assert "2 describers; by main score, descending." in text
    assert "best first" not in text


@pytest.mark.slow
def test_players_without_a_common_partner_stand_by_name_with_their_pairs() -> None:
    text = board_text(10, "boards/describers/index", [("seer", "painter"), ("poet", "sketcher")])
    assert "No ranks here: needs two describers that share a partner" in text
    assert "2 describers; by name." in text
    assert text.partition(" seer ")[2].split(" Partners")[0].split("have ranks with it) ")[-1].startswith("1 ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("partners", "heading"), [(1, "as drawn"), (6, "every partner"), (8, "6 of 8 partners, best first")]
)
def test_the_pictures_of_a_player_say_of_how_many_partners_they_are(
    partners: int, heading: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Invented episodes have no files: one picture stands for the target and for every rendering.
    picture = Shown("img/0a-small.webp", "img/0a.webp", width=160, height=120)
    monkeypatch.setattr(Site, "rendering", lambda *_: picture)
    instances = invented_set(1, ("geometry",))
    runs = [invented_run(instances, "seer", f"painter-{place}", 9.0 - place, 0.3) for place in range(partners)]
    player_site = Site(runs)  # type: ignore[arg-type]
    (page,) = (page for page in build_player_pages(player_site) if page.title == "Describer seer")
    text = Renderer(player_site, charts={}).block(page.complete())
    assert f"<h2>One target, {heading}</h2>" in text
    strip = text.partition("One target")[2].partition("<h2>")[0]
    scores = [float(score) for score in re.findall(r"final rendering, similarity ([0-9.]+) of 10", strip)]
    assert (len(scores), scores) == (min(partners, 6), sorted(scores, reverse=True))


@pytest.fixture(scope="module")
def player_site() -> Site:
    instances = invented_set(3)
    pairs = [(describer, generator) for describer in ("seer", "poet") for generator in ("painter", "sketcher")]
    runs = [invented_run(instances, *pair, 3.0 + place, 0.2) for place, pair in enumerate(pairs)]
    for run in runs:
        object.__setattr__(run, "rendering_path", Path)
        object.__setattr__(run, "source", run)
    return Site(runs)  # type: ignore[arg-type]


def boards(player_site: Site) -> list[Page]:
    made = [*build_board_pages(player_site), *build_player_board_pages(player_site)]
    return [page for page in made if page.path in ("boards/index", "boards/describers/index")]


@pytest.mark.slow
def test_the_heads_of_ranks_chances_and_scores_say_what_they_mean(player_site: Site) -> None:
    for page in (*boards(player_site), build_front_page(player_site)):
        heads = {
            abbr.text: abbr.attributes["title"]
            for head in parse_page(Renderer(player_site, {}).block(page)).find("th")
            for abbr in head.find("abbr")
        }
        assert "from the best to the worst place that paired comparisons" in heads["Rank"].lower()
        assert "95 % interval" in heads["Main score"]
        assert "95 % interval" in heads.get("Score", "95 % interval")
        if page.template != "front":
            assert "redrawn sets of these pictures" in heads["Best"]


@pytest.mark.slow
def test_shares_are_means_over_targets_and_every_wrong_mark_is_counted_once(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", chart_instances(tmp_path / "charts"))
    score_runs([run], ScoringPlan(metrics=(), every_turn=True), workers=1)
    player_site = Site(read_runs([run.path]))
    (pair,) = player_site.pairs.values()
    fates = load_final_fates(player_site, pair)
    cannot = known(find_undrawable_marks(player_site, [pair]))
    assert cannot.renderings == len(fates)
    for line in cannot.lines:
        told = {
            instance: [
                fate
                for mark, fate in zip(player_site.galleries[instance].drawn.marks, known.fates, strict=True)  # type: ignore[union-attr]
                if format_plural(mark.subject.kind) == line.kind and fate != "unsure"
            ]
            for instance, known in fates.items()
        }
        shares = [fates_of.count("right") / len(fates_of) for fates_of in told.values() if fates_of]
        assert line.right.mean == pytest.approx(sum(shares) / len(shares))
        assert line.marks == sum(map(len, told.values()))
        wrong = sum(fate != "right" for fates_of in told.values() for fate in fates_of)
        assert sum(count for _, count in line.fates) == wrong
    assert all(example.wrong > 0 for example in cannot.examples)
    # A picture opens the turn that it answered: the last one with a rendering.
    for example in cannot.examples:
        result = known(player_site.episode(pair.run_id, example.gallery.instance.instance_id))
        assert example.turn == max(collect_renderings(result.episode))
    assert find_undrawable_marks(player_site, []) is None


def test_kinds_of_too_few_targets_or_nearly_always_right_stay_out_of_the_sentence() -> None:
    few = KindLine("crosses", Estimate(0.0, None, None, 1), 5, (("missing", 5),))
    many = KindLine("bars", Estimate(0.25, 0.1, 0.5, 6), 40, (("missing", 20), ("colour", 10)))
    assert sorted([few, many], key=lambda line: line.place) == [many, few]
    assert CannotDraw((many, few), (), 12).sentence == "Least often right on at least 5 targets: bars (25 % right)."
    assert CannotDraw((few,), (), 12).sentence == "Least often right: crosses (0 % right)."
    assert many.words == "20 missing, 10 wrong colour"
    labels = KindLine("axis labels", Estimate(0.8, 0.6, 0.9, 6), 12, (("missing", 2),))
    ticks = KindLine("tick labels", Estimate(0.98, 0.9, 1.0, 6), 60, (("missing", 1),))
    assert CannotDraw((labels, ticks), (), 12).sentence == "Least often right: axis labels (80 % right)."
    # Marks that are nearly always right are not called undrawn.
    assert CannotDraw((ticks,), (), 12).sentence == "No kind of mark on at least 5 targets is right in fewer than 95 %."
    assert CannotDraw((ticks, few), (), 12).sentence == CannotDraw((ticks,), (), 12).sentence
    assert (labels.often_right, ticks.often_right) == (False, True)
