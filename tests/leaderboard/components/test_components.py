"""Components write every mark, glyph and number; templates only lay them out, and scripts get prototypes to clone."""

import re
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from jinja2 import Environment
from loopback import serving_until_the_end
from samples import sample_instances, sample_run

import leaderboard
from ircore.core.errors import InputError
from ircore.results.model import Results
from ircore.results.statistics.intervals import Estimate
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.scorers.verification.eye.registration import Transform
from leaderboard.building.serve import make_server
from leaderboard.components import markup, prototypes
from leaderboard.components.episodes import compute_placement
from leaderboard.components.markup import macro
from leaderboard.components.players import player_name
from leaderboard.components.values import (
    delta,
    difference,
    difference_heat,
    extremes,
    heat,
    is_tenth,
    quality,
    render_price,
    render_stacked_quality,
)
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.pages.paper import build_paper_page
from leaderboard.words import describe_interval, format_share, format_signed, number, rank, render_untrusted

TEMPLATES = Path(leaderboard.__file__).parent / "templates"


def test_all_macros_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """That takes longer than a page."""
    known, compiled = Environment.compile, count()

    def counted(self: Environment, *words: Any) -> Any:
        next(compiled)
        return known(self, *words)

    monkeypatch.setattr(Environment, "compile", counted)
    for cached in (value for value in vars(markup).values() if hasattr(value, "cache_clear")):
        cached.cache_clear()
    assert len({macro(name) for name in ("value", "missing", "badge")}) == 3
    assert next(compiled) == 1


def test_no_page_writes_a_mark_itself() -> None:
    names = r'badge[ "]|heat |glyph|dotplot|wins|pair-names|rank-bar|tier tier-\{|own-family|missing|arrow|fix fix'
    # The components' own macros are where marks are written.
    pages = [path for path in TEMPLATES.glob("*.j2") if path.name != "_components.html.j2"]
    marks = {path.name: re.findall(f'class="({names})', path.read_text("utf-8")) for path in pages}
    assert len(marks) > 40
    assert {name: found for name, found in marks.items() if found} == {}


def test_every_prototype_is_a_template_with_the_component_itself() -> None:
    for name, component in prototypes._PROTOTYPES.items():
        assert prototypes.prototypes(name) == f'<template data-component="{name}">{component()}</template>\n'


def test_a_difference_shows_ends_where_half_a_width_would_seem_to_reach_zero() -> None:
    # 1 to 5 leaves 0 out, but 2 ± 3 would not.
    assert '>+2.0 <span class="half">+1.0 to +5.0</span>' in difference(Estimate(2.0, 1.0, 5.0, 9), 1)
    assert '>+3.0 <span class="half">± 1.0</span>' in difference(Estimate(3.0, 2.0, 4.0, 9), 1)


def test_a_score_that_says_the_main_score_again_has_no_second_interval() -> None:
    main, own = Estimate(50.1, 39.9, 63.3, 10), Estimate(5.01, 4.06, 6.25, 10)
    whole: Any = SimpleNamespace(main=main, score=own, episodes=10, played=10, applicable=10, rated=10, doubt=None)
    assert is_tenth(whole)
    assert "4.06" not in quality(whole) + render_stacked_quality(whole)
    part: Any = SimpleNamespace(main=main, score=own, episodes=12, played=10, applicable=10, rated=10, doubt=None)
    assert "4.06 to 6.25" in quality(part)


def test_changes_have_arrows_and_true_minus_signs() -> None:
    assert "↓</span>−1.50" in delta(Estimate(-1.5, -2.0, -1.0, 9))
    assert "arrow" not in delta(Estimate(-1.5, -3.0, 0.1, 9))
    assert "no episode of two or more rated renderings" in delta(Estimate(None, None, None, 0))


def test_what_is_missing_could_decide_between_two_ends() -> None:
    assert extremes(None, None) == "–"
    assert "nothing missing" in extremes(1.0, 1.0)
    assert extremes(-0.5, 2.0) == "−0.50 to +2.00"


def test_cells_are_coloured_by_their_value_on_a_fixed_scale() -> None:
    assert heat(10.0) == '<span class="heat score-20">10.0</span>'
    assert 'class="heat none"' in difference_heat(None, 3.0)
    assert ">+2.0<" in difference_heat(5.0, 3.0)


def test_an_xray_lies_where_the_drawing_lies_in_its_own_proportions() -> None:
    found = Transform(x=0.1, y=-0.05, wide=0.5, high=0.8, turn=30.0)
    a, b, c, d, right, down = compute_placement(found.placement, 400, 200)
    for x, y in [(0, 0), (400, 0), (130, 170)]:
        placed = found.place_points([(x, y)], 400, 200)[0]
        assert (a * x + c * y + right, b * x + d * y + down) == pytest.approx(placed, abs=0.1)


def test_a_cost_is_free_or_has_two_digits_and_no_spread_where_none_is_seen() -> None:
    assert render_price(Estimate(0.0, None, None, 42)) == "free"
    tiny = render_price(Estimate(0.000041, 0.00004, 0.000042, 42))
    assert ">0.000041<" in tiny
    assert "± 0.000001" in tiny
    # Each episode costs the same to a tenth of a cent: "0.1 to 0.1" would be no interval.
    assert "0.100</span>" in (even := render_price(Estimate(0.1, 0.0999999, 0.1000001, 42)))
    assert " to " not in even.split(">", 1)[1]
    assert "n 42" in even


def test_numbers_have_two_decimals_and_a_true_minus_sign() -> None:
    assert [number(value) for value in (7, 7.126, -0.5, -0.001, None)] == ["7.00", "7.13", "−0.50", "0.00", "–"]
    assert [format_signed(value) for value in (1.25, -1.25, 0.001, None)] == ["+1.25", "−1.25", "0.00", "–"]
    assert [format_share(value) for value in (1, 0.985, None)] == ["100", "98", "–"]


def test_a_rank_is_a_range_unless_it_is_sure() -> None:
    assert [rank(1, 1), rank(2, 4), rank(None, None)] == ["1", "2–4", "–"]


def test_an_interval_is_said_in_words_or_its_absence_explained() -> None:
    assert describe_interval(Estimate(5.0, 4.5, 5.5, 10)) == "95 % interval 4.50 to 5.50, n = 10"
    assert describe_interval(Estimate(5.0, None, None, 1)) == "one episode, so no interval"
    assert describe_interval(Estimate(None, None, None, 0)) == "no rated episode"


def test_the_name_of_a_program_leads_to_its_page_and_has_its_mark_behind_it() -> None:
    name = str(player_name("<b>", "a&b.html", 0, None, program=True))
    assert (
        '<a class="pair-link" href="a&amp;b.html"><span class="pair-describer"><bdi dir="auto">&lt;b&gt;</bdi>' in name
    )
    assert name.index("&lt;b&gt;") < name.index('<abbr class="program"') < name.index("</a>")


def test_a_strangers_text_is_one_inert_line_of_source() -> None:
    assert str(render_untrusted("<b>&\n\n`x`")) == '<bdi dir="auto">&lt;b&gt;&amp;&#10;&#10;`x`</bdi>'


@pytest.mark.slow
def test_the_published_page_says_whose_figures_it_shows_and_puts_ours_beside_them(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    score_runs([run], ScoringPlan(("structural",), (), every_turn=False))
    values = build_paper_page(Site(read_runs([run.path]))).complete().values
    # One grid: 14 conditions, the paper's four pairs on the left, ours on the right.
    assert len(values["conditions"]) == 14
    bars, *_, photos = values["conditions"]
    assert bars["values"][0] == {"scores": [8.7, 8.7, 9.0], "preferred": None, "human": None}
    assert photos["values"][-1] == {"scores": [7.6, 7.1, 7.7], "preferred": 0.556, "human": 6.83}
    shapes = next(row for row in values["conditions"] if row["name"] == "Simple shapes, easy")
    assert shapes["own"] == [
        [Results.from_runs([run]).cell(run.run.run_id, "structural", difficulty="easy").score.mean]
    ]
    assert photos["own"] == [[None]]
    # Every sentence has a verdict on the paper's tables and one on these runs.
    assert {row["claim"].key: row["here"].verdict for row in values["claims"]}["budget"] == "no data"
    assert values["origin"] == "reported by the paper"
    # Means over the 14 conditions (GPT, Claude, Qwen3), best first by GPT.
    assert [[round(mean, 2) for mean in value["means"]] for value in values["pairs"]] == [
        [8.09, 7.68, 8.29], [7.09, 6.69, 7.54], [7.02, 6.94, 7.41], [6.69, 6.66, 7.25],
    ]  # fmt: skip
    assert [len(table["rows"]) for table in values["agreements"]] == [6, 4, 3]
    assert [value["mean"] for value in values["better"]] == [1.07, 0.74, 0.88, 0.40, 0.03, 0.29]
    assert values["hard_counts"] == {"lower": 61, "equal": 8, "higher": 15, "all": 84}
    counted = {value["category"]: (value["lower"], value["equal"], value["higher"]) for value in values["hard"]}
    assert counted["simple_shapes"] == (3, 2, 7)  # by hand
    assert counted["photos"] == (7, 3, 2)
    assert counted["geometry"] == (12, 0, 0)


def test_the_server_listens_on_this_machine_only(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("a site")
    server = make_server(tmp_path, 0)
    assert server.server_address[0] == "127.0.0.1"
    with serving_until_the_end(server) as address, urlopen(address, timeout=60) as answer:
        assert answer.read() == b"a site"


def test_an_unknown_address_is_answered_by_the_sites_own_page(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("a site")
    (tmp_path / "404.html").write_text("not here: <a>front page</a>")
    with serving_until_the_end(make_server(tmp_path, 0)) as address, pytest.raises(HTTPError) as answered:
        urlopen(f"{address}pairs/of-old.html", timeout=60)
    assert (answered.value.code, answered.value.read()) == (404, b'not here: <a href="/">front page</a>')


def test_there_must_be_a_site_to_serve(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no site here"):
        make_server(tmp_path, 0)
