"""Small real things that many tests need: an instance set, two simple players, a run that they played."""

from pathlib import Path
from typing import Any

from target_instances import target_instance

from ircore.core.drawing import Drawing
from ircore.core.episode_records import Episode
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.core.score_records import Score, Task
from ircore.core.submission_records import Submission
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import Rules, Turn
from ircore.instances.store import InstanceSet, write_instances
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, TextAnswer
from ircore.players.submission import LoadedSubmission
from ircore.runs.folder import RunFolder
from ircore.runs.play import make_run, open_run, play
from ircore.runs.session import PlayPlan

COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#ff7f0e")


def sample_instances(folder: Path, per_condition: int = 1) -> InstanceSet:
    """Write a set of squares: two categories × two difficulties × ``per_condition``, 96 × 96 px."""
    made = []
    for category in ("geometry", "simple_shapes"):
        for difficulty in ("easy", "hard"):
            for index in range(1, per_condition + 1):
                drawing = Drawing(96, 96)
                left = 4 + 7 * index + (20 if category == "geometry" else 0)
                colour = COLOURS[index % 2 + (2 if difficulty == "hard" else 0)]
                drawing.rectangle(left, 24, left + 30, 60, fill=colour)
                picture = Picture.from_pixels(drawing.pixels)
                name = f"{category}-{difficulty}-{index:02d}"
                instance = target_instance(name, picture, category=category, difficulty=difficulty, seed=index)
                made.append((instance, {"target": picture}))
    return write_instances(folder, made)


class CentreDescriber:
    """Says the colour of the middle of the target's ink and where it begins; corrects once; then is done.

    On a target whose ink begins right of column 40 it answers without tags, which aborts the episode.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        self.spec = spec

    async def describe(self, view: DescriberView) -> TextAnswer:
        pixels = view.target.pixels
        columns = (pixels != 255).any(axis=2).any(axis=0).nonzero()[0]
        if columns[0] > 40:
            return TextAnswer("I would rather not say.")
        if view.turn == 3:
            return TextAnswer("<DONE>")
        red, green, blue = pixels[42, int(columns.mean())]
        left = int(columns[0]) + (10 if view.turn == 1 else 0)
        return TextAnswer(f"<DESCRIPTION>left {left} colour #{red:02x}{green:02x}{blue:02x}</DESCRIPTION>")


class BlockGenerator:
    """Draws one block where the message says."""

    def __init__(self, spec: PlayerSpec) -> None:
        self.spec = spec

    async def render(self, view: GeneratorView) -> PictureAnswer:
        _, left, _, colour = view.message.split()
        drawing = Drawing(96, 96)
        drawing.rectangle(int(left), 24, int(left) + 30, 60, fill=colour)
        return PictureAnswer(Picture.from_pixels(drawing.pixels), notes=("drawn as a block",))


def sample_submission(slug: str = "centre-block", name: str = "Centre + Block") -> LoadedSubmission:
    """A submission whose players are the two above (it names built-in ones, which are not asked)."""
    submission = Submission(
        schema_=1,
        name=name,
        describer=PlayerSpec(player="classical"),
        generator=PlayerSpec(player="canvas"),
        licence="CC0-1.0",
    )
    return LoadedSubmission(slug, submission, Path("submissions") / slug / "submission.yaml")


def sample_run(
    folder: Path,
    instances: InstanceSet,
    loaded: LoadedSubmission | None = None,
    limit: int | None = None,
    describer: Any = CentreDescriber,
    generator: Any = BlockGenerator,
    rules: Rules | None = None,
    seeds: tuple[int, int] = (0, 1),
    **plan: Any,
) -> RunFolder:
    """Play a run with the two players above: three turns an episode, the second rendering is exact.

    Args:
        folder: Of the run; one that was begun is gone on with.
        instances: What is played.
        loaded: Whose run it is.
        limit: Number of instances to play.
        describer: Another player, or its class.
        generator: Likewise.
        rules: Other rules.
        seeds: The first seed, and the number of repeats.
        plan: Of ``PlayPlan``: ``concurrency``, ``deadline``.
    """
    loaded, prompts = loaded or sample_submission(), load_prompts("reconstruction")
    run = make_run(loaded, instances, rules or Rules(), prompts, *seeds)
    spec = loaded.submission.players["describer"]
    seats = {"describer": describer, "generator": generator}
    players = {seat: player(spec) if isinstance(player, type) else player for seat, player in seats.items()}
    opened, plan = open_run(folder, run, instances), {"concurrency": 2, **plan}
    play(PlayPlan(run, instances, instances.instances[:limit], prompts, **plan), opened, ReconstructionGame(), players)
    return opened


def rating_of(
    episode: Episode, turn: Turn, value: float | None, judge: str = "eye", task: Task = "similarity", **more: Any
) -> Score:
    """Return what a judge says of the rendering of a turn."""
    assert turn.rendering is not None
    return Score(
        episode_id=episode.episode_id, step=turn.turn, measure=judge if task == "metric" else task, by=judge,
        value=value, rendering=turn.rendering.sha256, **more,
    )  # fmt: skip
