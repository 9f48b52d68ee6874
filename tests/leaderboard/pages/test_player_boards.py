"""Boards and pages of players: why a player has no rank, in how many pairs it is, how many partners are shown."""

import re
from itertools import product
from pathlib import Path

import pytest
from charts import chart_instances
from invented import invented_run, invented_set
from known_values import known
from pages import parse_page
from samples import sample_run

from ircore.games.reconstruction.records import collect_renderings
from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.model.final_fates import load_final_fates
from leaderboard.model.site import Page, Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.boards import build_board_pages
from leaderboard.pages.cannot_draw import CannotDraw, KindLine, find_undrawable_marks, format_plural
from leaderboard.pages.overview import build_front_page
from leaderboard.pages.player_boards import build_player_board_pages
from leaderboard.pages.players import build_player_pages
from leaderboard.rendering.render import Renderer
from leaderboard.storage.pictures import Shown


def board_text(per_condition: int, path: str, pairs: list[tuple[str, str]]) -> str:
    """A board of players as words."""
    instances = invented_set(per_condition, ("geometry", "photos"))
    skills = {"seer": 8.0, "poet": 4.0, "stray": 6.0}
    runs = [invented_run(instances, describer, generator, skills[describer], 0.3) for describer, generator in pairs]
    site = Site(runs)  # type: ignore[arg-type]
    page = next(page for page in build_player_board_pages(site) if page.path == path)
    return " ".join(re.sub(r"<[^>]*>", " ", Renderer(site, charts={}).block(page.complete())).split())


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
    site = Site(runs)  # type: ignore[arg-type]
    (page,) = (page for page in build_player_pages(site) if page.title == "Describer seer")
    text = Renderer(site, charts={}).block(page.complete())
    assert f"<h2>One target, {heading}</h2>" in text
    shown = re.findall(r"with (?:<[^>]*>)*(painter-\d)<", text.partition("One target")[2].partition("<h2>")[0])
    means = {run.run.run_id: site.results.cell(run.run.run_id, "structural").main.mean or 0.0 for run in runs}
    best = sorted(means, key=lambda run_id: -means[run_id])[:6]
    assert [f"seer-{partner}" for partner in shown] == best


@pytest.fixture(scope="module")
def site() -> Site:
    instances = invented_set(3)
    pairs = [(describer, generator) for describer in ("seer", "poet") for generator in ("painter", "sketcher")]
    runs = [invented_run(instances, *pair, 3.0 + place, 0.2) for place, pair in enumerate(pairs)]
    for run in runs:
        object.__setattr__(run, "rendering_path", Path)
        object.__setattr__(run, "source", run)
    return Site(runs)  # type: ignore[arg-type]


def boards(site: Site) -> list[Page]:
    made = [*build_board_pages(site), *build_player_board_pages(site)]
    return [page for page in made if page.path in ("boards/index", "boards/describers/index")]


@pytest.mark.slow
def test_the_heads_of_ranks_chances_and_scores_say_what_they_mean(site: Site) -> None:
    for page in (*boards(site), build_front_page(site)):
        heads = {
            abbr.text: abbr.attributes["title"]
            for head in parse_page(Renderer(site, {}).block(page)).find("th")
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
    site = Site(read_runs([run.path]))
    (pair,) = site.pairs.values()
    fates = load_final_fates(site, pair)
    cannot = known(find_undrawable_marks(site, [pair]))
    assert cannot.renderings == len(fates)
    for line in cannot.lines:
        told = {
            instance: [
                fate
                for mark, fate in zip(site.galleries[instance].drawn.marks, known.fates, strict=True)  # type: ignore[union-attr]
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
        result = known(site.episode(pair.run_id, example.gallery.instance.instance_id))
        assert example.turn == max(collect_renderings(result.episode))
    assert find_undrawable_marks(site, []) is None


def test_kinds_of_too_few_targets_come_last_and_stay_out_of_the_sentence() -> None:
    from ircore.results.statistics.intervals import Estimate

    few = KindLine("crosses", Estimate(0.0, None, None, 1), 5, (("missing", 5),))
    many = KindLine("bars", Estimate(0.25, 0.1, 0.5, 6), 40, (("missing", 20), ("colour", 10)))
    assert sorted([few, many], key=lambda line: line.place) == [many, few]
    assert CannotDraw((many, few), (), 12).sentence == "Least often right: bars (25 % right)."
    assert CannotDraw((few,), (), 12).sentence == "Least often right: crosses (0 % right)."
    assert many.words == "20 missing, 10 wrong colour"


def test_marks_that_are_nearly_always_right_are_not_called_undrawn() -> None:
    from ircore.results.statistics.intervals import Estimate

    labels = KindLine("axis labels", Estimate(0.8, 0.6, 0.9, 6), 12, (("missing", 2),))
    ticks = KindLine("tick labels", Estimate(0.98, 0.9, 1.0, 6), 60, (("missing", 1),))
    few = KindLine("crosses", Estimate(0.0, None, None, 1), 5, (("missing", 5),))
    assert CannotDraw((labels, ticks), (), 12).sentence == "Least often right: axis labels (80 % right)."
    assert CannotDraw((ticks,), (), 12).sentence == "No kind of mark on at least 5 targets is right in fewer than 95 %."
    assert CannotDraw((ticks, few), (), 12).sentence == CannotDraw((ticks,), (), 12).sentence
    assert (labels.often_right, ticks.often_right) == (False, True)
