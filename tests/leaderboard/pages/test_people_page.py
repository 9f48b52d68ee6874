"""The page on judges and people; references beside pairs, and cards of judges."""

import csv
import re
from importlib.resources import files
from pathlib import Path
from statistics import fmean

import pytest
from charts import chart_instances
from known_pictures import KnowingModel, blank, run_of
from openai_server import serving
from samples import sample_run
from site_samples import built_once

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.score_records import SCORE_RULE, JudgeIdentity, Score
from ircore.games.reconstruction.records import list_turns
from ircore.results.model import Results
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.judges import people_table
from ircore.runs.folder import RunFolder
from ircore.scorers.judge_test.card import JudgeCard, read_card, read_cards, render_card, write_card
from ircore.scorers.judge_test.foreign_part import ForeignPart
from ircore.scorers.judges.base import describe_identity
from ircore.scorers.judges.structural import StructuralJudge
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.scorers.verification.scene_facts import list_facts
from leaderboard.building.content import Options
from leaderboard.building.site_build import build_site
from leaderboard.components.values import dot


def rated_study(folder: Path) -> RunFolder:
    """Two targets with 20 pictures each, scored by verified; people give one point less, in whole points."""
    instances = chart_instances(folder / "set")
    pictures = {
        instance.instance_id: [blank(40, 40, f"#{number:02x}{place:02x}00") for number in range(20)]
        for place, instance in enumerate(instances.instances)
    }
    run = run_of(folder / "study", instances, pictures)
    run.keep_judge(JudgeIdentity(name="verified", label="planted", kind="computed", version="0"))
    run.add_scores(
        Score(
            episode_id=name, step=number + 1, measure="similarity", by="verified", rendering=picture.sha256,
            value=round(1 + 9 * number / 19, 2),
        )
        for name, several in pictures.items()
        for number, picture in enumerate(several)
    )  # fmt: skip
    with (folder / "ratings.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["annotator", "episode_id", "turn", "task", "value"])
        for name, several in pictures.items():
            for number in range(len(several)):
                writer.writerow(["p1", name, number + 1, "similarity", round(9 * number / 19)])
    assert ircore(["ratings", "import", str(folder / "ratings.csv"), "--run", str(run.path)]) == 0
    return RunFolder(run.path)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "people-site", make_site)


def make_site(folder: Path) -> None:
    charts = chart_instances(folder / "charts")
    pair = sample_run(folder / "pair", charts)
    score_runs([pair], ScoringPlan(metrics=()), workers=1)
    true = {
        instance.pictures["target"].sha256: list_facts(instance.scene)
        for instance in charts.instances
        if instance.scene
    }
    sentences = {fact.sentence for facts in true.values() for fact in facts}
    judge = folder / "facts.yaml"
    with serving() as server:
        server.judge = KnowingModel(
            {pair.rendering(turn.rendering).data: sentences
             for episode in pair.episodes() for turn in list_turns(episode) if turn.rendering}
        )  # fmt: skip
        seat = f"player: openai\nmodel: judge-1\nbase_url: {server.base_url}\n"
        judge.write_text(f"schema: 1\nname: facts\nlabel: F\nasks: facts\n{seat}")
        assert ircore(["score", str(pair.path), "--metric", "psnr", "--judge", str(judge)]) == 0
    build_site([pair.path], folder / "nobody", Options())
    build_site([pair.path], folder / "site", Options(studies=[rated_study(folder / "rated").path]))


@pytest.mark.slow
def test_the_built_site_has_the_page_with_and_without_ratings(site: Path) -> None:
    nobody = (site.parent / "nobody" / "people.html").read_text("utf-8")
    rated = (site / "people.html").read_text("utf-8")
    assert "No person has rated a picture that these judges rated." in nobody
    assert "No person has rated" not in re.sub(r"(?s)<footer.*", "", rated)
    assert "On 40 renderings that 1 person rated, verified follows people with r = 1.00" in rated
    (row,) = people_table(Results.from_runs([RunFolder(site.parent / "rated" / "study")])).rows[:1]
    kappa, bias = (float(str(value.value)) for value in row[5:])
    assert 0.9 < bias < 1.1  # people were planted to give one point less
    assert f"κ = {kappa:.2f}" in rated
    assert f"{bias:+.2f} points" in rated
    # The second witness stands on both: rows over all facts, and by kind.
    for page in (nobody, rated):
        assert 'id="witnesses"' in page
        assert "false yes" in page
        assert ">colour<" in page
    assert 'href="people.html"' in (site / "limits.html").read_text("utf-8")


STRUCTURAL = describe_identity("structural", StructuralJudge())


def build(folder: Path) -> None:
    charts = chart_instances(folder / "charts")
    manifest = folder / "title-canvas" / "submission.yaml"
    manifest.parent.mkdir()
    manifest.write_text(
        "schema: 1\nname: floor\ndescriber: {player: title-only}\ngenerator: {player: canvas}\nlicence: CC0-1.0\n",
        encoding="utf-8",
    )
    play = ["play", str(manifest.parent), "--instances", str(charts.folder), "--out", str(folder / "floor")]
    assert ircore(play) == 0
    pair = sample_run(folder / "pair", charts)
    runs = [pair, RunFolder(folder / "floor")]
    score_runs(runs, ScoringPlan(metrics=()), workers=1)
    build_site([run.path for run in runs], folder / "site")


@pytest.fixture(scope="module")
def reference_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "references", build)


@pytest.mark.slow
def test_a_reference_is_a_line_on_the_board_and_in_the_matrix_and_no_row(reference_site: Path) -> None:
    board = (reference_site / "boards" / "index.html").read_text(encoding="utf-8")
    assert board.count('<tr role="row" id="') == 1
    assert 'class="reference"' in board
    assert "ceilings and floors" in board
    assert not (reference_site / "pairs" / "title-canvas.html").exists()
    assert "title-only" not in (reference_site / "data" / "leaderboard.csv").read_text(encoding="utf-8")
    matrix = (reference_site / "matrix.html").read_text(encoding="utf-8")
    assert 'class="reference"' in matrix
    assert matrix.count('<span class="unit">describer</span>') == 1


@pytest.mark.slow
def test_the_board_of_a_judge_that_fails_its_test_says_so_and_links_to_the_card(reference_site: Path) -> None:
    board = (reference_site / "boards" / "by-structural" / "index.html").read_text(encoding="utf-8")
    assert "Read with care:" in board
    assert 'href="../../judges/structural.html"' in board
    card = (reference_site / "judges" / "structural.html").read_text(encoding="utf-8")
    assert "every label exchanged" in card


def card(share: float, judge: JudgeIdentity = STRUCTURAL) -> JudgeCard:
    return JudgeCard(
        battery="1", judge=judge, instance_set="0" * 64, targets=1, unrated=0, edits=(), orders=(), bounds=(),
        attacks=(), categories={}, share=share,
    )  # fmt: skip


def test_four_pairs_of_five_in_order_are_enough() -> None:
    assert card(0.8).passed
    assert not card(0.799).passed


def test_pairs_of_pictures_by_others_decide_where_a_card_has_them() -> None:
    """A judge that orders edits of its own targets well and pictures by other drawers badly has not passed."""
    lost = ForeignPart(targets=9, pairs=100, right=79, share=0.79, low=0.7, high=0.88, families=(), groups={})
    assert not card(0.99).model_copy(update={"foreign": lost}).passed
    found = lost.model_copy(update={"right": 80, "share": 0.8})
    assert card(0.5).model_copy(update={"foreign": found}).passed
    page = render_card(card(0.99).model_copy(update={"foreign": lost}))
    assert "79.0 %" in page
    assert "95 % interval 70.0 % to 88.0 %" in page


def test_the_cards_that_come_with_the_project_are_of_the_judges_that_come_with_it() -> None:
    assert read_cards({"structural": STRUCTURAL})["structural"].judge == STRUCTURAL
    # Whichever reader of texts is installed here, the card is of today's eye with the reader of `make install`.
    kept = JudgeCard.model_validate_json(
        files("ircore.scorers.judge_test").joinpath("cards", "verified.json").read_bytes()
    )
    assert (kept.judge.version or "").startswith(f"{SCORE_RULE}, texts read by ")


@pytest.mark.slow
def test_the_card_that_comes_with_the_project_is_what_the_judge_gets_now(tmp_path: Path) -> None:
    # One of its targets, whose values are less than a point off on average.
    assert ircore(["judge-test", "structural", "--limit", "1", "--out", str(tmp_path / "test")]) == 0
    now, kept = read_card(tmp_path / "test" / "card.json"), read_cards({"structural": STRUCTURAL})["structural"]
    assert (now.targets, kept.targets) == (1, 42)
    means, known = ({edit.edit: edit.mean for edit in card.edits if edit.mean is not None} for card in (now, kept))
    assert fmean(abs(mean - known[edit]) for edit, mean in means.items()) < 0.9
    assert len(known) - len(means) <= 3  # edits of things that the target does not have
    assert now.share == pytest.approx(kept.share, abs=0.1)


def test_a_card_of_another_version_of_the_judge_is_not_shown() -> None:
    assert read_cards({"structural": STRUCTURAL.model_copy(update={"version": "another"})}) == {}


def test_a_given_card_must_be_of_one_of_the_judges(tmp_path: Path) -> None:
    write_card(tmp_path / "card.json", card(0.9, STRUCTURAL.model_copy(update={"name": "stranger"})))
    with pytest.raises(InputError, match="judged by none of them"):
        read_cards({"structural": STRUCTURAL}, [tmp_path / "card.json"])
    write_card(tmp_path / "mine.json", card(0.9))
    assert read_cards({"structural": STRUCTURAL}, [tmp_path / "mine.json"])["structural"].share == 0.9


@pytest.mark.slow
def test_a_reference_line_stands_at_its_value() -> None:
    drawn = dot(Estimate(50.0, 40.0, 60.0, 9), None, 0, 100, references=(0.0, 100.0))
    assert 'd="M4.0 1V19"' in drawn
    assert 'd="M116.0 1V19"' in drawn
