"""Answers of an earlier job are taken from its artefact, and nothing else is, whoever made the artefact.

The models are behind a loopback server with the real client; GitHub is its API on loopback.
"""

import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from github_server import TOKEN, GitHubServer, Uploaded, running_github
from hub_server import running_hub
from known_values import known
from openai_server import OpenAIServer, serving
from samples import sample_instances
from transcripts import hand_in, write_manifest

from ircore.commands.main import run as ircore
from ircore.games.reconstruction.records import Rules
from ircore.runs.folder import SMALL_PICTURES, RunFolder, read_small_pictures
from ircore.runs.judge_questions import JudgeQuestion, read_judgements
from ircore.runs.provenance import PROVENANCE

pytestmark = [pytest.mark.slow, pytest.mark.attack]

SLUG = "my-models"


@dataclass
class Job:
    """A job of the repository: a checkout, GitHub's API, and the models.

    Attributes:
        root: Where all lies.
        github: The service.
        models: The models.
    """

    root: Path
    github: GitHubServer
    models: OpenAIServer

    @property
    def pair(self) -> Path:
        return self.root / "submissions" / SLUG

    def write_pair(self, **more: object) -> None:
        seats = {
            seat: {"player": player, "model": f"a-{seat}", "base_url": self.models.base_url}
            for seat, player in (("describer", "openai"), ("generator", "openai-images"))
        }
        self.pair.mkdir(parents=True, exist_ok=True)
        document = {"schema": 1, "name": "Mine", "licence": "CC0-1.0", **seats, **more}
        (self.pair / "submission.yaml").write_text(json.dumps(document))

    def play(self, out: Path, *more: str) -> int:
        words = ["play", str(self.pair), "--instances", str(self.root / "set"), "--out", str(out), "--as-maintainers"]
        return ircore([*words, *more])

    def upload(self, run: Path, folder: str = "runs", slug: str = SLUG) -> Path:
        place = self.github.artefacts / folder / slug
        shutil.copytree(run, place)
        return place

    def paid(self, out: str = "runs") -> Path:
        words = ["maintain", "paid", str(self.root / "submissions"), "--instances", str(self.root / "set")]
        assert ircore([*words, "--out", str(self.root / out)]) == 0
        return self.root / out / SLUG


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Job]:
    sample_instances(tmp_path / "set")
    (tmp_path / "submissions").mkdir()
    with serving(side=64, turns=1) as models, running_github(tmp_path / "artefacts") as github:
        for name, value in (("API_URL", github.url), ("REPOSITORY", "org/benchmark"), ("TOKEN", TOKEN)):
            monkeypatch.setenv(f"GITHUB_{name}", value)
        made = Job(tmp_path, github, models)
        made.write_pair()
        yield made


def cut_off(job: Job) -> Path:
    """A run of which half of the episodes were played."""
    run = job.root / "cut-off"
    assert job.play(run, "--limit", "2") == 0
    return run


def test_answers_are_paid_for_once_and_nothing_else_is_taken(job: Job) -> None:
    run = cut_off(job)
    asked = job.models.count()
    kept = job.upload(run)
    forged = json.loads((kept / PROVENANCE).read_text()) | {"version": "9.9", "commit": "f" * 40}
    (kept / PROVENANCE).write_text(json.dumps(forged))
    stated = json.loads((kept / "run.json").read_text()) | {"started": "2020-01-01T00:00:00+00:00", "run_id": "x"}
    (kept / "run.json").write_text(json.dumps(stated))
    for name in ("scores.jsonl", "facts.jsonl", "costs.json", SMALL_PICTURES):
        (kept / name).write_text("forged\n")
    (kept / "judges").mkdir()
    (kept / "judges" / "structural.json").write_text("{}")

    made = job.paid()
    files = {path.relative_to(made).as_posix().split("/")[0] for path in made.rglob("*") if path.is_file()}
    assert files == {"run.json", "instances", "journal.jsonl", "renderings", SMALL_PICTURES, PROVENANCE}
    drawn = {path.stem for path in (made / "renderings").iterdir()}
    assert read_small_pictures(made).keys() == drawn, "computed here, from the pictures"
    folder = RunFolder(made)
    assert folder.run.run_id == RunFolder(run).run.run_id
    assert folder.run.started > "2026"
    provenance = known(folder.provenance())
    assert (provenance.kind, provenance.version) != ("maintainers", "9.9")
    assert folder.calls() == RunFolder(run).calls()
    assert job.github.tokens_elsewhere == []

    # The run goes on there: the two episodes that are missing are asked for, and no other.
    assert job.models.count() == asked
    assert job.play(made) == 0
    assert job.models.count() == 2 * asked
    first = {episode.episode_id: episode for episode in RunFolder(run).episodes()}
    again = {episode.episode_id: episode for episode in RunFolder(made).episodes()}
    assert len(again) == 4
    assert {name: again[name] for name in first} == first


def test_artefacts_of_strangers_are_never_downloaded(job: Job) -> None:
    """A pull request from a fork whose branch is called ``main``, and every other way to a newer artefact."""
    job.upload(cut_off(job))
    foreign = job.upload(cut_off_by_a_stranger(job), "foreign")
    newer = "2026-11-24T00:00:00Z"
    job.github.uploads = [
        Uploaded("foreign", created=newer, fork=True),
        Uploaded("foreign", created=newer, fork=True, event="pull_request", path=".github/workflows/submission.yml"),
        Uploaded("foreign", created=newer, event="pull_request"),
        Uploaded("foreign", created=newer, branch="change"),
        Uploaded("foreign", created=newer, path=".github/workflows/other.yml"),
        Uploaded("foreign", created=newer, path=".github/workflows/evaluate.yml@refs/heads/change"),
        Uploaded("foreign", created=newer, expired=True),
        *(Uploaded("foreign", created=newer, fork=True) for _ in range(250)),
    ]
    made = job.paid()
    assert set(job.github.downloaded) == {"runs"}
    texts = {call.text for call in RunFolder(made).calls().values()}
    assert texts.isdisjoint({call.text for call in RunFolder(foreign).calls().values()} - {None})


def test_answers_to_questions_that_are_no_longer_asked_are_left_out(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody changed the first message of one episode: what followed from the true one answers other questions."""
    run = job.upload(cut_off(job))
    lines = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
    first = next(line for line in lines if line["event"] == "call")
    first["text"] = "<DESCRIPTION>Something else.</DESCRIPTION>"
    (run / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    made = job.paid()
    calls = RunFolder(made).calls()
    whose = {key.episode_id for key in calls}
    assert len(whose) == 2
    assert [key for key in calls if key.episode_id == first["episode_id"]] == [(first["episode_id"], 1, "describer")]
    assert job.play(made) == 0  # and not refused
    # Without its hash, no answer is known to belong to a question.
    shutil.rmtree(made)
    for line in lines:
        line.pop("question", None)
    (run / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    capsys.readouterr()
    assert not job.paid().exists()
    assert "none of them belongs to a question of this run" in capsys.readouterr().out


def cut_off_by_a_stranger(job: Job) -> Path:
    run = job.root / "foreign"
    shutil.copytree(job.root / "cut-off", run)
    lines = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
    for line in lines:
        if line.get("text"):
            line["text"] += " forged"
    (run / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines if line["event"] == "call"))
    return run


def zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def twice(name: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, "{}")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(name, "{}")
    return data.getvalue()


def test_an_older_artefact_is_found_behind_damaged_and_empty_ones(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    run = job.upload(cut_off(job))
    content = {path.relative_to(run).as_posix(): path.read_bytes() for path in run.rglob("*") if path.is_file()}
    picture = next(name for name in content if name.startswith("renderings/"))
    other = next(name for name in content if name.startswith("renderings/") and name != picture)
    stated = json.loads(content["run.json"])
    stated["submission"]["describer"]["model"] = "a-better-model"
    journal = content["journal.jsonl"]

    def changed(**files: bytes) -> bytes:
        return zipped({f"{SLUG}/{name}": data for name, data in (content | files).items()})

    damaged = {
        "empty": zipped({}),
        "another-pair": zipped({"somebody/run.json": b"{}"}),
        "no-zip": b"PK\x03\x04 and then nothing",
        "cut": changed()[:-100],
        "file-twice": twice(f"{SLUG}/run.json"),
        "no-record": changed(**{"run.json": b"{}"}),
        "deep": changed(**{"run.json": b"[" * 100_000}),
        "other-models": changed(**{"run.json": json.dumps(stated).encode()}),
        "no-line": changed(**{"journal.jsonl": b'{"event": "call"}\n' + journal}),
        "other-picture": changed(**{picture: content[other]}),
        "no-picture": changed(**{picture: b"<svg/>"}),
        "wrong-seat": changed(**{"journal.jsonl": journal.replace(b'"role":"describer"', b'"role":"generator"')}),
        "bomb": changed(**{picture: bytes(40 * 1024**2)}),
        "large-identity": changed(**{"run.json": b" " * 2 * 1024**2}),
        "outside": changed() and zipped({f"../{SLUG}/run.json": b"{}", f"/{SLUG}/run.json": b"{}", "../x": b"x"}),
    }
    for number, (name, data) in enumerate(damaged.items()):
        (job.github.artefacts / name).write_bytes(data)
        job.github.uploads.append(Uploaded(name, created=f"2026-11-24T00:00:{number:02}Z"))
    before = set(job.root.parent.iterdir())
    made = job.paid()
    assert RunFolder(made).calls() == RunFolder(run).calls()
    assert job.github.downloaded == [*reversed(damaged), "runs"]
    assert set(job.root.parent.iterdir()) == before
    assert [path.name for path in (job.root / "runs").iterdir()] == [SLUG]
    told = capsys.readouterr().out.splitlines()
    assert all(line.startswith((f"{SLUG}: ", "artefact of ")) for line in told), told
    assert len(told) == len(damaged) - 4 + 1, told  # of those that hold nothing of this run nothing is told


def test_a_changed_manifest_is_asked_anew(job: Job) -> None:
    job.upload(cut_off(job))
    job.write_pair(rules=Rules(token_budget=50).model_dump(mode="json"))
    assert not job.paid().exists()


def test_a_refusal_is_an_answer_and_a_broken_line_is_none(job: Job) -> None:
    job.models.fail("refusal", model="a-describer")
    run = job.root / "cut-off"
    assert job.play(run, "--limit", "2", "--concurrency", "1") == 0
    assert [failure.reason for failure in RunFolder(run).failures()] == ["describer_refused"]
    asked = job.models.count()
    kept = job.upload(run)
    journal = kept / "journal.jsonl"
    technical = {"event": "failure", "episode_id": "geometry-easy-01", "turn": 1, "role": "describer"}
    with journal.open("a") as file:
        file.write(json.dumps({**technical, "reason": "provider_error", "detail": "busy"}) + "\n")
    made = job.paid()
    assert [failure.reason for failure in RunFolder(made).failures()] == ["describer_refused"]
    assert job.play(made, "--limit", "2") == 0
    assert job.models.count() == asked
    assert [episode.outcome for episode in RunFolder(made).episodes()].count("aborted") == 1


def test_programs_are_asked_again_rather_than_believed(job: Job) -> None:
    """Answers of offline players cost nothing."""
    job.write_pair(describer={"player": "classical"}, generator={"player": "canvas"})
    job.upload(cut_off(job))
    assert not job.paid().exists()


def test_transcripts_are_rescored_whatever_folder_is_there(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """A forged run in the place of the re-scored one goes; judges' answers in it, which were paid for, stay."""
    handed = hand_in(job.root / "handed")
    with running_hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        revision = hub.add_repo("me/mine", files=handed.files()).head
        write_manifest(handed.submission, {"repo": "me/mine", "revision": revision, "run": handed.run.name})
        out = job.root / "rescored"
        common = [str(handed.submission), "--instances", str(handed.instances), "--out", str(out)]
        assert ircore(["maintain", "evaluate", *common]) == 0
        honest = (out / "scores.jsonl").read_bytes()
        question = JudgeQuestion(
            judge="eye", asked_as="0" * 64, prompts="built-in", episode_id="geometry-easy-01", turn=1,
            task="similarity", target="1" * 64, shown=("2" * 64,), text='{"score": 7}',
        )  # fmt: skip
        (out / "judgements.jsonl").write_text(question.model_dump_json(exclude_none=True) + "\n")
        (out / "scores.jsonl").write_bytes(honest.replace(b'"value":', b'"value":1'))
        forged = json.loads((out / PROVENANCE).read_text())
        forged = {**forged, "kind": "maintainers", "source": None}
        (out / PROVENANCE).write_text(json.dumps(forged))
        assert ircore(["maintain", "evaluate", *common]) == 0
        provenance = known(RunFolder(out).provenance())
        assert provenance.kind == "rescored"
        assert (out / "scores.jsonl").read_bytes() == honest
        assert [known.text for known in read_judgements(RunFolder(out))] == ['{"score": 7}']

        # The next job, on another machine: re-scored there, with the judges' answers of this one.
        slug, fresh = handed.submission.name, job.root / "fresh"
        job.upload(out, slug=slug)
        paid = ["maintain", "paid", str(handed.submission.parent), "--instances", str(handed.instances)]
        assert ircore([*paid, "--out", str(fresh)]) == 0
        assert [path.name for path in fresh.iterdir()] == [f"{slug}~judgements.jsonl"]
        assert ircore(["maintain", "evaluate", *common[:-1], str(fresh / slug)]) == 0
        assert [known.text for known in read_judgements(RunFolder(fresh / slug))] == ['{"score": 7}']
        assert [path.name for path in fresh.iterdir()] == [slug]

        # Nor is a run of somebody else removed.
        other = ["maintain", "evaluate", str(handed.submission), "--instances", str(handed.instances)]
        run = cut_off(job)
        assert ircore([*other, "--out", str(run)]) == 2
        assert (run / "journal.jsonl").is_file()


def test_nobody_but_the_job_is_answered(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "another")
    words = ["maintain", "paid", str(job.root / "submissions"), "--instances", str(job.root / "set")]
    assert ircore([*words, "--out", str(job.root / "runs")]) == 1
    assert not (job.root / "runs").exists()


def test_two_evaluations_do_not_pay_for_the_same(
    job: Job, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that waits for an approval holds nobody up; a run that plays does, but for itself."""
    words = ["maintain", "paid", str(job.root / "submissions"), "--instances", str(job.root / "set")]
    monkeypatch.setenv("GITHUB_RUN_ID", "7")
    # One that only looks at what waits pays for nothing.
    job.github.under_way, job.github.looking = [7], [9]
    assert ircore([*words, "--out", str(job.root / "runs")]) == 0
    job.github.under_way = [7, 8]
    assert ircore([*words, "--out", str(job.root / "runs")]) == 1
    assert "evaluation 8 is under way" in capsys.readouterr().err
