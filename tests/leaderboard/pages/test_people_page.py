"""The page on judges and people: says that nobody has rated until ratings are imported, then how far judges follow."""

import csv
import re
from pathlib import Path

import pytest
from charts import chart_instances
from known_pictures import KnowingModel, blank, run_of
from openai_server import serving
from samples import sample_run
from site_samples import built_once

from ircore.commands.main import run as ircore
from ircore.core.score_records import JudgeIdentity, Score
from ircore.games.reconstruction.records import list_turns
from ircore.results.model import Results
from ircore.results.tables.judges import people_table
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.scorers.verification.scene_facts import list_facts
from leaderboard.building.site_build import build_site
from leaderboard.model.site import Site
from leaderboard.model.site_runs import SiteRun
from leaderboard.pages.judges import build_people_page, read_studies


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
def board_run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = tmp_path_factory.mktemp("board")
    run = sample_run(folder / "run", chart_instances(folder / "set"))
    score_runs([run], ScoringPlan(metrics=()), workers=1)
    return run


def test_until_somebody_rates_the_page_says_that_nobody_has(board_run: RunFolder) -> None:
    values = build_people_page(Site([SiteRun(board_run.path)])).complete().values
    assert (values["tables"], values["sentences"], values["witnesses"]) == ([], [], None)


def test_ratings_of_a_study_give_r_kappa_and_bias(board_run: RunFolder, tmp_path: Path) -> None:
    study = rated_study(tmp_path)
    site = Site([SiteRun(board_run.path)])
    site.studies = read_studies([study.path])
    values = build_people_page(site).complete().values
    (sentence,) = values["sentences"]
    (row,) = people_table(Results.from_runs([study])).rows[:1]
    r, kappa, bias = (value.value for value in row[4:])
    assert isinstance(bias, float)
    assert 0.9 < bias < 1.1  # people were planted to give one point less
    assert sentence.startswith("On 40 renderings that 1 person rated, verified follows people with r = 1.00")
    assert f"κ = {kappa:.2f}" in sentence
    assert f"{bias:+.2f} points" in sentence
    assert isinstance(r, float)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "people-site", make_site)


def make_site(folder: Path) -> None:
    from leaderboard.building.content import Options

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
    assert "verified follows people with r = 1.00" in rated
    # The second witness stands on both: rows over all facts, and by kind.
    for page in (nobody, rated):
        assert 'id="witnesses"' in page
        assert "false yes" in page
        assert ">colour<" in page
    assert 'href="people.html"' in (site / "limits.html").read_text("utf-8")
