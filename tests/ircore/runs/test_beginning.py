"""A run folder begins whole, belongs to one process, and does not follow changes of the user's set."""

import json
import re
import shutil
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from installed_packages import install_package
from known_values import known
from openai_server import OpenAIServer
from pairs import play_pair, served_pair, write_pair
from pydantic import ValidationError
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.submission_records import TranscriptsReference
from ircore.instances.store import InstanceSet
from ircore.runs import setup
from ircore.runs.folder import RunFolder
from ircore.runs.merge import merge
from ircore.runs.provenance import PROVENANCE, Flag, Provenance, make_provenance, read_provenance, write_provenance

pytestmark = pytest.mark.slow


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    return write_pair(tmp_path, {"player": "captioner"}, {"player": "sketch"})


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_who_is_refused_the_lock_has_changed_nothing(
    tmp_path: Path, pair: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = tmp_path / "prices.yaml"
    row = {"input": 1, "output": 2, "date": "2026-11-01", "source": "https://example.org/prices"}
    prices.write_text(json.dumps({"models": {"a-model": row}}))
    assert play_pair(pair, instances, tmp_path / "run", "--shard", "1/2", "--limit", "2") == 0
    before = content(tmp_path / "run")
    with RunFolder(tmp_path / "run").lock():
        assert play_pair(pair, instances, tmp_path / "run", "--shard", "1/2", "--prices", str(prices)) == 2
    assert "another process is working on this run" in capsys.readouterr().err
    assert content(tmp_path / "run") == before


def test_who_is_refused_for_another_reason_has_changed_nothing(
    tmp_path: Path, pair: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play_pair(pair, instances, tmp_path / "run", "--shard", "1/2", "--limit", "2") == 0
    before = content(tmp_path / "run")
    for more, problem in (
        ((), "shard 1/2 is played here"),
        (("--shard", "2/2"), "shard 1/2 is played here"),
        (("--shard", "1/2", "--as-maintainers"), "was not begun with --as-maintainers"),
        (("--shard", "1/2", "--prices", str(pair)), "models"),
    ):
        assert play_pair(pair, instances, tmp_path / "run", *more) == 2
        assert problem in capsys.readouterr().err
        assert content(tmp_path / "run") == before


def test_a_crash_while_a_run_begins_leaves_nothing_or_a_run_that_goes_on(
    tmp_path: Path, pair: Path, instances: InstanceSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last thing that is written before a run appears is who vouches for it and which shard it is."""

    class KilledError(BaseException):
        """As by kill -9: nothing is tidied up."""

    def killed(*_: object) -> None:
        raise KilledError

    more = ("--as-maintainers", "--shard", "1/2")
    for module, name in ((setup, "write_provenance"), (setup, "write_part"), (Path, "rename")):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, killed)
            with pytest.raises(KilledError):
                play_pair(pair, instances, tmp_path / "run", *more)
        assert not (tmp_path / "run").exists()
    assert play_pair(pair, instances, tmp_path / "run", *more) == 0
    provenance = known(RunFolder(tmp_path / "run").provenance())
    assert provenance.manifest == make_provenance(pair).manifest


def test_an_editor_that_writes_in_place_breaks_no_run(tmp_path: Path, pair: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    assert play_pair(pair, instances, tmp_path / "run", "--limit", "1") == 0
    with (tmp_path / "set" / "instances.jsonl").open("r+b") as index:
        index.write(b"changed")
    assert ircore(["show", str(tmp_path / "run")]) == 0
    assert ircore(["score", str(tmp_path / "run"), "--metric", "psnr"]) == 0


SOURCE = TranscriptsReference(repo="org/name", revision="a" * 40, run="pair-12345678")


def vouched(tmp_path: Path, source: TranscriptsReference | None = None) -> Provenance:
    manifest = tmp_path / "submission.yaml"
    manifest.write_text("schema: 1\n")
    return make_provenance(manifest, source)


def test_a_run_says_nothing_of_itself(tmp_path: Path) -> None:
    folder = sample_run(tmp_path / "run", sample_instances(tmp_path / "set"))
    assert folder.provenance() is None


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    item = vouched(tmp_path, SOURCE)
    flagged = item.model_copy(update={"flags": (Flag(rule="identical_to_target", where="a, turn 1", what="alike"),)})
    write_provenance(tmp_path, flagged)
    assert read_provenance(tmp_path) == flagged
    assert flagged.manifest == sha256(b"schema: 1\n").hexdigest()
    assert flagged.kind == "rescored"


def test_a_source_belongs_to_a_rescored_run_only(tmp_path: Path) -> None:
    item = vouched(tmp_path).model_dump(by_alias=True)
    with pytest.raises(ValidationError, match="source is given exactly when kind is rescored"):
        Provenance.model_validate({**item, "kind": "rescored"})
    with pytest.raises(ValidationError, match="source is given exactly when kind is rescored"):
        Provenance.model_validate({**item, "source": SOURCE.model_dump()})


@pytest.mark.parametrize("content", ["", "{", '{"kind": "maintainers"}', "[" * 100_000, '{"kind": NaN}'])
def test_a_damaged_file_is_an_error_of_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / PROVENANCE).write_text(content)
    with pytest.raises(InputError) as caught:
        read_provenance(tmp_path)
    assert str(tmp_path / PROVENANCE) in caught.value.problem
    assert "\n" not in caught.value.problem


def test_only_a_run_begun_by_the_maintainers_is_theirs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample_instances(tmp_path / "set")
    pair = write_pair(tmp_path, {"player": "captioner"}, {"player": "sketch"})
    common = ["play", str(pair), "--instances", str(tmp_path / "set"), "--limit", "1"]
    ours, theirs = str(tmp_path / "ours"), str(tmp_path / "theirs")
    assert ircore([*common, "--out", ours, "--as-maintainers"]) == 0
    assert ircore([*common, "--out", theirs]) == 0
    voucher = known(RunFolder(Path(ours)).provenance())
    assert (voucher.kind, voucher.source, voucher.flags) == ("maintainers", None, ())
    assert voucher.manifest == sha256(pair.read_bytes()).hexdigest()
    assert not (tmp_path / "theirs" / PROVENANCE).exists()
    # Neither may be gone on with by the other.
    capsys.readouterr()
    assert ircore([*common, "--out", theirs, "--as-maintainers"]) == 2
    assert "was not begun with --as-maintainers" in capsys.readouterr().err
    assert ircore([*common, "--out", ours]) == 2
    assert ircore([*common, "--out", ours, "--as-maintainers"]) == 0
    assert RunFolder(Path(ours)).provenance() == voucher


def test_a_rescored_run_is_not_played_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample_instances(tmp_path / "set")
    pair = write_pair(tmp_path, {"player": "captioner"}, {"player": "sketch"})
    common = ["play", str(pair), "--instances", str(tmp_path / "set"), "--limit", "1", "--out", str(tmp_path / "run")]
    assert ircore(common) == 0
    write_provenance(tmp_path / "run", vouched(tmp_path, SOURCE))
    assert ircore(common) == 2
    assert "was played by its submitter and re-scored" in capsys.readouterr().err


def test_merged_shards_keep_who_vouches_and_must_agree(tmp_path: Path) -> None:
    sample_instances(tmp_path / "set")
    pair = write_pair(tmp_path, {"player": "captioner"}, {"player": "sketch"})
    for index, more in ((1, ["--as-maintainers"]), (2, ["--as-maintainers"])):
        out = ["--out", str(tmp_path / f"shard{index}"), "--shard", f"{index}/2"]
        assert ircore(["play", str(pair), "--instances", str(tmp_path / "set"), *out, *more]) == 0
    shards = [tmp_path / "shard1", tmp_path / "shard2"]
    merged = known(merge(shards, tmp_path / "merged").folder.provenance())
    assert merged.kind == "maintainers"
    (tmp_path / "shard2" / PROVENANCE).unlink()
    with pytest.raises(InputError, match="comes from somebody else"):
        merge(shards, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def lines_of(run: Path) -> list[bytes]:
    return (run / "journal.jsonl").read_bytes().splitlines(keepends=True)


def without_lines(run: Path, numbers: set[int]) -> None:
    """Remove lines of a journal by their numbers, as a remedy says."""
    kept = [line for number, line in enumerate(lines_of(run), start=1) if number not in numbers]
    (run / "journal.jsonl").write_bytes(b"".join(kept))


def named_lines(remedy: str) -> set[int]:
    """Return the numbers of the lines that a remedy says to remove."""
    words = re.search(r"[Rr]emove (?:the )?lines? ([0-9–, and]+)", remedy)
    assert words is not None, remedy
    ranges = [part.split("–") for part in re.findall(r"[0-9]+(?:–[0-9]+)?", words[1])]
    return {number for first, *last in ranges for number in range(int(first), int(last[0] if last else first) + 1)}


@pytest.fixture
def stopped(tmp_path: Path, instances: InstanceSet, server: OpenAIServer) -> Path:
    """A run of four episodes, all answered, whose ends are not recorded yet."""
    assert play_pair(served_pair(tmp_path, server.base_url), instances, tmp_path / "run") == 0
    without_ends(tmp_path / "run")
    return tmp_path / "run"


def without_ends(run: Path) -> None:
    ends = {number for number, line in enumerate(lines_of(run), start=1) if b'"event":"end"' in line}
    without_lines(run, ends)


def lines_about(run: Path, episode: str, turn: int = 1, role: str = "") -> list[int]:
    events = [json.loads(line) for line in lines_of(run)]
    return [
        number
        for number, event in enumerate(events, start=1)
        if event.get("episode_id") == episode and event["turn"] >= turn and role in event["role"]
    ]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_answers_whose_question_was_taken_away_are_refused_and_their_lines_named(
    tmp_path: Path,
    stopped: Path,
    instances: InstanceSet,
    server: OpenAIServer,
    capfd: pytest.CaptureFixture[str],
    processes: str,
) -> None:
    first = instances.instances.ids[0]
    pair, more = served_pair(tmp_path, server.base_url), ("--processes", processes)
    without_lines(stopped, {lines_about(stopped, first, 1, "generator")[0]})
    later = set(lines_about(stopped, first, 2))
    capfd.readouterr()
    assert play_pair(pair, instances, stopped, *more) == 2
    error = capfd.readouterr().err
    assert f"{first}, turn 2: the describer gave the recorded answer to another question" in error
    assert "Traceback" not in error
    # All that followed from the rendering that is gone, and nothing else.
    assert named_lines(error) == later
    without_lines(stopped, named_lines(error))
    asked = server.count()
    assert play_pair(pair, instances, stopped, *more) == 0
    assert server.count() == asked + len(later)
    # Nothing is left that does not fit: played again from the record, nobody is asked.
    without_ends(stopped)
    assert play_pair(pair, instances, stopped, *more) == 0
    assert server.count() == asked + len(later)


def test_an_answer_that_says_not_what_was_asked_is_not_taken(
    tmp_path: Path, stopped: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.loads(line) for line in lines_of(stopped)]
    for line in lines:
        line.pop("question")
    (stopped / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert play_pair(served_pair(tmp_path, server.base_url), instances, stopped) == 2
    assert "gave the recorded answer to another question" in capsys.readouterr().err


def test_the_remedy_for_a_damaged_line_names_all_lines_of_its_episode(
    tmp_path: Path, stopped: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    _, second, *_ = instances.instances.ids
    pair, whose = served_pair(tmp_path, server.base_url), set(lines_about(stopped, second))
    lines = lines_of(stopped)
    damaged = lines_about(stopped, second, 2)[0]
    lines[damaged - 1] = lines[damaged - 1].replace(b'"turn":2', b'"turn":0')
    (stopped / "journal.jsonl").write_bytes(b"".join(lines))
    capsys.readouterr()
    assert play_pair(pair, instances, stopped) == 2
    error = capsys.readouterr().err
    assert f"journal.jsonl:{damaged}: the line is damaged" in error
    assert f"all of the episode {second}: it is played again" in error
    assert named_lines(error) == whose
    without_lines(stopped, named_lines(error))
    asked = server.count()
    assert play_pair(pair, instances, stopped) == 0
    assert server.count() == asked + len(whose)


def test_waiting_otherwise_is_no_other_run(
    tmp_path: Path, stopped: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Remedies say: raise timeout_s, lower requests_per_minute."""
    patient = {"timeout_s": 900, "deadline_s": 7200, "requests_per_minute": 6000, "tokens_per_minute": 10**9}
    before, asked = RunFolder(stopped).run, server.count()
    pair = served_pair(tmp_path, server.base_url, {**patient, "transport": "httpx"}, **patient)
    assert play_pair(pair, instances, stopped) == 0
    assert (RunFolder(stopped).run, server.count()) == (before, asked)
    assert play_pair(pair, instances, tmp_path / "other", "--limit", "1", "--cache", str(tmp_path / "cache")) == 0
    assert RunFolder(tmp_path / "other").run.run_id == before.run_id
    asked = server.count("/chat/completions")
    pair = served_pair(tmp_path, server.base_url)
    assert play_pair(pair, instances, tmp_path / "third", "--limit", "1", "--cache", str(tmp_path / "cache")) == 0
    assert (
        server.count("/chat/completions") == asked + 2
    )  # the first message is the cache's; what follows a new picture
    for describer, generator in (({"temperature": 0.5}, {}), ({}, {"size": "512x512"})):
        pair = served_pair(tmp_path, server.base_url, describer, **generator)
        capsys.readouterr()
        assert play_pair(pair, instances, stopped) == 2
        assert "this run was played with" in capsys.readouterr().err


PLAYER = """
from ircore.players.base import PlayerError, TextAnswer

class Speaker:
    def __init__(self, spec): ...
    async def describe(self, view):
        with open({asked!r}, "a") as file:
            file.write(f"{{view.turn}}\\n")
        return TextAnswer("<DESCRIPTION>A red circle, {version}.</DESCRIPTION>" if view.turn < 3 else "<DONE>")
"""


def install(packages: Path, version: str) -> None:
    """Install a describer of another package in place of its former version."""
    for former in packages.glob("*"):
        shutil.rmtree(former) if former.is_dir() else former.unlink()
    code = PLAYER.format(asked=str(packages.parent / "asked"), version=version)
    install_package(packages, "own-speaker", "[ircore.players]\nown-speaker = own_speaker:Speaker\n", code, version)
    sys.modules.pop("own_speaker", None)


def test_a_new_version_of_a_player_goes_on_with_no_old_run_and_takes_no_old_answer(
    tmp_path: Path, instances: InstanceSet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packages = tmp_path / "packages"
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(packages))
    install(packages, "1.0")
    pair = write_pair(tmp_path, {"player": "own-speaker"}, {"player": "sketch"})
    more = ("--limit", "1", "--cache", str(tmp_path / "cache"))
    assert play_pair(pair, instances, tmp_path / "run", *more) == 0
    assert RunFolder(tmp_path / "run").run.packages == {"own-speaker": "1.0"}
    assert play_pair(pair, instances, tmp_path / "again", *more) == 0
    assert (tmp_path / "asked").read_text() == "1\n2\n3\n"
    install(packages, "1.1")
    capsys.readouterr()
    assert play_pair(pair, instances, tmp_path / "run", "--cache", str(tmp_path / "cache")) == 2
    assert "run.json: packages.own-speaker: this run was played with 1.0, not 1.1" in capsys.readouterr().err
    assert play_pair(pair, instances, tmp_path / "new", *more) == 0
    assert (tmp_path / "asked").read_text() == "1\n2\n3\n" * 2
    assert RunFolder(tmp_path / "new").run.run_id != RunFolder(tmp_path / "run").run.run_id


def test_a_refusal_is_an_answer_and_not_asked_for_again(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer
) -> None:
    pair, run = served_pair(tmp_path, server.base_url), tmp_path / "run"
    server.fail("refusal", model="a-describer")
    assert play_pair(pair, instances, run, "--limit", "1") == 0
    (refused,) = RunFolder(run).episodes()
    assert refused.abort_reason == "describer_refused"
    asked = server.count()
    without_ends(run)  # as after a crash in between
    assert play_pair(pair, instances, run, "--limit", "1") == 0
    assert server.count() == asked
    assert RunFolder(run).episodes() == (refused,)


def test_an_outage_is_asked_again(tmp_path: Path, instances: InstanceSet, server: OpenAIServer) -> None:
    run = tmp_path / "run"
    server.fail("server_error", model="a-describer")
    pair = served_pair(tmp_path, server.base_url, {"deadline_s": 0.01})
    assert play_pair(pair, instances, run, "--limit", "1") == 1
    without_ends(run)
    pair = served_pair(tmp_path, server.base_url)
    assert play_pair(pair, instances, run, "--limit", "1") == 0
