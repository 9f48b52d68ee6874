"""Small real things that many tests need: an instance set, two simple players, a run that they played."""

from pathlib import Path

from target_instances import target_instance

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec, Rules
from ircore.core.submission_records import Submission
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.prompts import load_prompts
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
                instance = target_instance(
                    instance_id=name,
                    category=category,
                    difficulty=difficulty,
                    image=f"images/{name}.png",
                    sha256=picture.sha256,
                    width=96,
                    height=96,
                    source="drawn for a test",
                    licence="CC0-1.0",
                    seed=index,
                )
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
    folder: Path, instances: InstanceSet, loaded: LoadedSubmission | None = None, limit: int | None = None
) -> RunFolder:
    """Play a run with the two players above: three turns an episode, the second rendering is exact."""
    loaded = loaded or sample_submission()
    prompts = load_prompts("reconstruction")
    run = make_run(loaded, instances, Rules(), prompts, seed=0)
    plan = PlayPlan(run, instances, instances.instances[:limit], prompts, concurrency=2)
    spec = loaded.submission.players["describer"]
    opened = open_run(folder, run, instances)
    play(plan, opened, ReconstructionGame(), {"describer": CentreDescriber(spec), "generator": BlockGenerator(spec)})
    return opened
