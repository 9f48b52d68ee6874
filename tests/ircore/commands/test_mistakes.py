"""Some fifty slips of a newcomer: each gets a line that names the fault and, where there is one, the remedy."""

import shlex
from pathlib import Path

import pytest
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.episode_records import Episode
from ircore.runs.events import End, EventEntry
from ircore.runs.folder import RunFolder, RunWriter, create_run

SLIPS = {
    "paly classical+canvas": "unknown command 'paly'",
    "start": "Did you mean: ircore demo",
    "leaderbord": "Did you mean: ircore site",
    "Version": "Did you mean: ircore --version",
    "serve": "Did you mean: ircore site serve",
    "site biuld": "No such command 'biuld'. Did you mean 'build'?",
    "play": "Missing argument 'SUBMISSION'",
    "play classical+canvas": "Missing option '--out'",
    "play classical+canvas --out r --rule turns=3": "unknown rule of reconstruction 'turns'",
    "play classical+canvs --instances set --out r": "Did you mean classical+canvas?",
    "play classical --instances set --out r": "the describer first: classical+canvas or classical+sketch",
    "play canvas --instances set --out r": "the describer first: captioner+canvas or classical+canvas",
    "play classical-canvas --instances set --out r": "The built-in pair is called classical+canvas",
    "play builtin-classical-canvas --instances set --out r": "The built-in pair is called classical+canvas",
    "play canvas+classical --instances set --out r": "the seats are swapped, canvas draws and classical describes",
    "play canvas+canvas --instances set --out r": "no built-in pair, since canvas never describes",
    "play gpt-5+canvas --instances set --out r": "ircore submission new my-pair",
    "play classical+openai --instances set --out r": "ircore submission new my-pair",
    "play gpt-5 --instances set --out r": "ircore submission new my-pair",
    "play classical+canvas --instances nowhere --out r": "nowhere: holds no instance set",
    "play classical+canvas --instances run --out r": "run: holds no instance set",
    "play classical+canvas --instances set --out r -c circles": "unknown category 'circles'",
    "play classical+canvas --instances set --out r -d esay": "Did you mean easy?",
    "play classical+canvas --instances set --out r --rule turns": "--rule turns: write NAME=VALUE",
    "play classical+canvas --instances set --out r --rule turns=3": "unknown rule of reconstruction 'turns'",
    "play classical+canvas --instances set --out r --rule max_turns=0": "ircore: --rule: max_turns: must be at least 1",
    "play classical+canvas --instances set --out r --max-turns 0": "Invalid value for '--max-turns'",
    "play classical+canvas --instances set --out r --deadline 5s": "'--deadline': '5s' is not a number.",
    "play classical+canvas --instances set --out r --limit few": "'--limit': 'few' is not a whole number.",
    "play classical+canvas --instances set --out r --shard 3/2": "3/2",
    "instances import folder nowhere --out s": "PATH nowhere: no such file or folder",
    "play classical+canvas --instances set --out r --json --dry-run": "--json goes with neither --dry-run nor --final",
    "play looker --instances set --out r": "ircore instances build --game reference",
    "play pair --instances set --out r": "pair/submission.yaml: cannot be read",
    "play notes.txt --instances set --out r": "notes.txt",
    "doctor nobody": "nobody: cannot be read",
    "score": "Missing argument 'RUNS...'",
    "score nowhere": "nowhere: there is no such folder",
    "score set": "set: no run here",
    "score run --judge eyes": "unknown judge 'eyes'",
    "score run --judge human": "ircore ratings import FILE --run RUN",
    "score run --metric simm": "Did you mean ssim?",
    "results set": "Play it first: ircore play SUBMISSION --instances set --out RUN",
    "results pair": "Name a run, a folder of runs or a release.",
    "results site": "ircore: site: no run here: it is a built site\n  Name the runs that it was built of.",
    "results played": "played/pair: nothing to score, since no episode was played (2 provider_error)",
    "site build --runs played --out s": "See why: ircore show played/pair",
    "results handed": "pair in it is a submission",
    "results run --table bord": "Did you mean board?",
    "results run --format xml": "'xml' is not one of 'text'",
    "results run --game chess": "unknown game of these runs 'chess'",
    "results run -c circles": "Score them first: ircore score ",
    "results run --order best": "--order best: no such order",
    "show run --episode circle": "no episode 'circle'",
    "show notes.txt": "notes.txt: no run here",
    "compare a.png b.png": "a.png: cannot be read",
    "compare notes.txt notes.txt": "notes.txt",
    "verify nothing notes.txt --instances set": "unknown instance 'nothing'",
    "instances build --out set": "exists already",
    "instances build --out s --game chess": "Known: conversation, reasoning, reconstruction, reference.",
    "instances import foldr pair --out s": "Did you mean folder?",
    "instances show set --sheet a.jpg": "--sheet a.jpg: not a .png file",
    "language naming notes.txt": "notes.txt",
    "language novelty set": "set",
    "instances show run": "run: holds no instance set",
    "release check set": "set: no release here",
    "watch run": "Did you mean: ircore show",
    "release diff set run": "Did you mean: ircore release push DIR --repo ORG/NAME --dry-run",
    "release merge set run": "Did you mean: ircore release build --former DIR --runs DIR",
    "release verify set": "set: no release here",
    "release push set --repo me/data": "set: no release here",
    "release build --instances set --out d": "no run is left for the release",
    "site build --runs set --out s": "set: no run here",
    "site build --runs run --out s": "Score them first: ircore score run",
    "site check run": "run: no site here",
    "submission check pear": "pear: cannot be read",
    "new plugin metic sharpness --out m": "'metic' is not one of 'game'",
    "completion tcsh": "'tcsh' is not one of 'bash'",
}
"""A command line, and what is said of it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a set, a run, an empty folder and a note; no slip changes it."""
    folder = tmp_path_factory.mktemp("place")
    run = sample_run(folder / "run", sample_instances(folder / "set"))
    (folder / "pair").mkdir()
    (folder / "notes.txt").write_text("rain")
    (folder / "site" / "schemas").mkdir(parents=True)
    (folder / "site" / ".ircore-site.json").write_text("{}")
    (folder / "site" / "schemas" / "run.json").write_text('{"title": "Run"}')
    (folder / "handed" / "pair").mkdir(parents=True)
    (folder / "handed" / "pair" / "submission.yaml").write_text("schema: 1")
    aborted_run(folder / "played" / "pair", run)
    return folder


@pytest.fixture
def place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HF_TOKEN", "hf_none")
    return folder


def aborted_run(path: Path, run: RunFolder) -> None:
    """Make a run whose service could not be reached, so that no episode of it was played."""
    made = create_run(path, run.run, run.instances)
    ends = [
        Episode(
            episode_id=instance.instance_id, instance_id=instance.instance_id, category=instance.category,
            difficulty=instance.difficulty, outcome="aborted", abort_reason="provider_error", detail="away", steps=(),
        )
        for instance in run.instances.instances[:2]
    ]  # fmt: skip
    with RunWriter(made) as writer:
        writer.record([EventEntry(End(episode=episode)) for episode in ends])


@pytest.mark.slow
def test_nothing_to_score_leads_out_of_the_circle(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["score", "played/pair"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert "nothing to score: no episode was played to a rendering" in said
    assert said[-1].endswith("ircore show played/pair")


@pytest.mark.slow
@pytest.mark.parametrize("line", SLIPS)
def test_a_slip_is_answered(line: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(place.rglob("*"))
    assert ircore(shlex.split(line)) in (1, 2)
    said = capsys.readouterr().err
    assert said.startswith("ircore: "), said
    assert SLIPS[line] in said
    assert 1 <= len(said.splitlines()) <= 3, said
    assert "Traceback" not in said
    assert sorted(place.rglob("*")) == before


def test_a_set_with_a_wrong_field_leaves_no_run_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It would be the run of that set, and refuse the one that was mended."""
    file = sample_instances(tmp_path / "set").folder / "instances.jsonl"
    file.write_text(file.read_text("utf-8").replace('"payload":{}', '"payload":{"scenery":1}', 1), encoding="utf-8")
    play = ["play", "classical+canvas", "--instances", str(tmp_path / "set"), "--out", str(tmp_path / "run")]
    assert ircore(play) == 2
    assert "payload: scenery: unknown key" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
