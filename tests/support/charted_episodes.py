"""Episodes on a bar chart of cats and dogs, with the facts that each rendering shows."""

from pathlib import Path

from charts import BLUE, RED, bars, chart_instances, instance_of
from samples import sample_run

from ircore.core.episode_records import Episode, Rendering
from ircore.core.images import Picture
from ircore.core.records import Scene
from ircore.core.score_records import RenderingFacts
from ircore.games.reconstruction.records import Turn
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.scorers.verification.judge import build_stored_verdicts
from ircore.scorers.verification.score import verify_picture
from leaderboard.building.site_build import build_site


def chart(cats: int, dogs: int) -> tuple[Scene, Picture]:
    instance, pictures = instance_of(bars({"Cats": cats, "Dogs": dogs}, [RED, BLUE]), "pets", "bar_graph")
    assert instance.scene is not None
    return instance.scene, pictures["target"]


def episode_of(*renderings: Picture) -> tuple[Scene, Episode, dict[tuple[str, str], RenderingFacts]]:
    """An episode on the chart with cats 40 and dogs 80, and the facts of its renderings."""
    scene, target = chart(40, 80)
    turns = tuple(
        Turn(
            turn=number,
            action="describe",
            message="…",
            rendering=Rendering(sha256=picture.sha256, width=200, height=200),
        )
        for number, picture in enumerate(renderings, start=1)
    )
    episode = Episode(
        episode_id="pets", instance_id="pets", category="bar_graph", difficulty="easy", outcome="converged", steps=turns
    )
    lines = {}
    for picture in renderings:
        stored = build_stored_verdicts(verify_picture(target, scene, picture))
        fields = {name: getattr(stored, name) for name in type(stored).model_fields}
        lines["pets", picture.sha256] = RenderingFacts(episode_id="pets", rendering=picture.sha256, **fields)
    return scene, episode, lines


def build_chart_site(folder: Path) -> None:
    """Build the site of a run on two bar charts, with the facts of each turn."""
    run = sample_run(folder / "run", chart_instances(folder / "charts"))
    score_runs([run], ScoringPlan(metrics=(), every_turn=True), workers=1)
    build_site([run.path], folder / "site")
