"""``release check`` finds each fault that is planted in a sound release."""

import io
import os
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hub_clients import Outcome
from hub_server import HubServer
from PIL import Image, PngImagePlugin
from releases import CONFIGS, TRANSCRIPTS, rewrite, rewrite_tables, seal

from dataset_card.card.code import run_blocks
from dataset_card.checking.loading import check_loading
from dataset_card.checking.release_check import check_release
from dataset_card.checking.table_checks import TableFiles
from dataset_card.findings import Findings
from dataset_card.hub.full_check import check_release_fully
from dataset_card.releases.record import ReleaseRecord, read_release
from dataset_card.tables.columns import Config, ReleaseColumn
from dataset_card.tables.parquet import read_table
from dataset_card.tables.schema import EPISODES, INSTANCES, LEADERBOARD, SCORES
from dataset_card.tables.writing import ParquetShard, compute_layout_key, compute_part_key, make_part, write_table
from ircore.commands.main import run as ircore
from ircore.scorers.judges.base import describe_identity
from ircore.scorers.judges.structural import StructuralJudge

pytestmark = pytest.mark.slow

Rows = list[dict[str, Any]]

GITHUB = "ghp_" + "Ab12" * 9


def put(index: int, column: str, value: object) -> Callable[[Rows], None]:
    """Make an edit that sets one value."""

    def edit(rows: Rows) -> None:
        rows[index][column] = value

    return edit


def drop(index: int) -> Callable[[Rows], None]:
    """Make an edit that removes one row."""
    return lambda rows: rows.__delitem__(index)


def double(rows: Rows) -> None:
    rows.insert(1, rows[0])


def swap_renderings(rows: Rows) -> None:
    rows[0]["rendering"], rows[3]["rendering"] = rows[3]["rendering"], rows[0]["rendering"]


def swap_renderings_and_hashes(rows: Rows) -> None:
    swap_renderings(rows)
    rows[0]["rendering_sha256"], rows[3]["rendering_sha256"] = rows[3]["rendering_sha256"], rows[0]["rendering_sha256"]


def cut_picture(rows: Rows) -> None:
    rows[0]["rendering"]["bytes"] = rows[0]["rendering"]["bytes"][:-40]
    rows[0]["rendering_sha256"] = sha256(rows[0]["rendering"]["bytes"]).hexdigest()


def other_target(rows: Rows) -> None:
    for name in ("target", "target_sha256"):
        rows[0][name] = rows[3][name]


def bomb(rows: Rows) -> None:
    buffer = io.BytesIO()
    Image.new("1", (5000, 5000)).save(buffer, "PNG")
    rows[0]["image"]["bytes"] = buffer.getvalue()
    rows[0]["image_sha256"] = sha256(buffer.getvalue()).hexdigest()


def with_camera_data(rows: Rows) -> None:
    exif = Image.Exif()
    exif[0x010F] = "a camera"
    buffer = io.BytesIO()
    Image.new("RGB", (96, 96)).save(buffer, "PNG", exif=exif)
    rows[0]["rendering"]["bytes"] = buffer.getvalue()
    rows[0]["rendering_sha256"] = sha256(buffer.getvalue()).hexdigest()


def path_in_name(rows: Rows) -> None:
    rows[0]["image"]["path"] = "../somebody/a.png"


FAULTS: dict[str, tuple[Config, Callable[[Rows], object], str]] = {
    "swapped pictures": (TRANSCRIPTS, swap_renderings, "-00000-of-00001.parquet:1: rendering: the pict"),
    "swapped pictures with their hashes": (TRANSCRIPTS, swap_renderings_and_hashes, "scores another rendering than"),
    "unknown run": (TRANSCRIPTS, put(0, "run_id", "nobody"), "unknown run nobody"),
    "changed instance": (INSTANCES, put(0, "source", "somewhere"), "not the set that run"),
    "score of no turn": (SCORES, put(0, "step", 7), "another rendering than that of step 7"),
    "damaged picture": (TRANSCRIPTS, cut_picture, "picture cannot be decoded"),
    "secret in a message": (
        TRANSCRIPTS,
        put(0, "message", f"use {GITHUB}"),
        ":1: message: holds a GitHub token (ghp_Ab12…)",
    ),
    "wrong over_budget": (TRANSCRIPTS, put(0, "over_budget", True), "over_budget is True with"),
    "reason without an abort": (
        EPISODES,
        put(0, "abort_reason", "provider_error"),
        "abort_reason is given exactly when",
    ),
    "dropped instance": (INSTANCES, drop(0), "unknown instance geometry-easy-01"),
    "scene that is none": (INSTANCES, put(0, "scene", "{"), ":1: Expecting property name"),
    "target of another": (TRANSCRIPTS, other_target, ":1: target_sha256 is"),
    "dropped last turn": (TRANSCRIPTS, drop(2), ":1: turns is 3, the records say 2"),
    "renamed describer": (TRANSCRIPTS, put(0, "describer", "better"), "describer is better, the records say classical"),
    "changed score": (SCORES, put(0, "value", 1.0), "delta: mean is 2, the records say 2.5"),
    "wrong mean": (
        LEADERBOARD,
        put(1, "mean", 9.5),
        "leaderboard/test-00000-of-00001.parquet:2: score: mean is 9.5, the records say 8",
    ),
    "wrong end of an interval": (LEADERBOARD, put(0, "low", 0.5), ":1: main_score: low is"),
    "missing row": (LEADERBOARD, drop(-1), "a row is missing that the records make: other-block-"),
    "camera data": (TRANSCRIPTS, with_camera_data, ":1: rendering: picture carries metadata (EXIF"),
    "licence that is none": (INSTANCES, put(0, "licence", "ask me"), "licence 'ask me' is not one to publish"),
    "path in a note": (
        TRANSCRIPTS,
        put(0, "notes", ["see /home/me/x"]),
        ":1: notes: holds a path of a machine (/home/me",
    ),
    "text that runs backwards": (
        TRANSCRIPTS,
        put(0, "message", "a red \u202ekcolb"),
        ":1: message: holds a character that reorders text (⟦U+202E⟧)",
    ),
    "an escape in a column of JSON": (
        INSTANCES,
        put(0, "scene", '{"x": "a\\u200bb"}'),
        ":1: scene: holds a character without width (⟦U+200B⟧)",
    ),
    "message on a done turn": (TRANSCRIPTS, put(2, "message", "x"), "does not fit action done"),
    "unknown action": (TRANSCRIPTS, put(0, "action", "shout"), ":1: action: "),
    "episode twice": (EPISODES, double, "of this run is there twice"),
    "wrong width": (INSTANCES, put(0, "picture_widths", [95]), "a picture is 96 × 96 px"),
    "pixel bomb": (INSTANCES, bomb, "5000 × 5000 pixels is too large"),
    "folders in a picture's name": (INSTANCES, path_in_name, "file name has folders"),
    "no value and no reason": (SCORES, put(2, "reason", None), "either a value or a reason"),
    "score of another rendering": (SCORES, put(0, "rendering_sha256", "a" * 64), "scores another rendering"),
    "score twice": (SCORES, double, "scored step 1 of this episode twice"),
    "row too many": (LEADERBOARD, double, "no record makes this row: "),
}


def groups_of(faults: dict[str, Any], firsts: str) -> list[Any]:
    """Return the faults that are planted together, since they do not hide one another; each group by its first."""
    groups: list[list[str]] = []
    for name in faults:
        if not groups or name in firsts.split(", "):
            groups.append([])
        groups[-1].append(name)
    assert ", ".join(group[0] for group in groups[1:]) == firsts
    return [pytest.param(group, id=group[0]) for group in groups]


def missing_from(found: Sequence[str], expected: dict[str, str]) -> list[str]:
    return [name for name, text in expected.items() if not any(text in fault for fault in found)]


@pytest.mark.parametrize(
    "names",
    groups_of(FAULTS, "damaged picture, target of another, camera data, score of another rendering, row too many"),
)
def test_changed_tables(names: list[str], release: Path) -> None:
    rewrite_tables(release, [FAULTS[name][:2] for name in names])
    faults = check_release(release).faults
    assert missing_from(faults, {name: FAULTS[name][-1] for name in names}) == [], faults
    assert not any(GITHUB in fault for fault in faults)


def remove(path: str, release: Path) -> None:
    (release / path).unlink()


def replace_text(path: str, old: str, new: str, release: Path) -> None:
    text = (release / path).read_text("utf-8")
    assert old in text
    (release / path).write_text(text.replace(old, new, 1), "utf-8")


def remove_shards(config: Config, release: Path) -> None:
    for path in release.glob(config.pattern):
        path.unlink()


def without_column(release: Path) -> None:
    path = next(release.glob(SCORES.pattern))
    pq.write_table(pq.read_table(path).drop_columns(["by"]), path)


def without_features(release: Path) -> None:
    path = next(release.glob(TRANSCRIPTS.pattern))
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)


def rename_shard(release: Path) -> None:
    path = next(release.glob(SCORES.pattern))
    path.rename(path.with_name("test-00000-of-00002.parquet"))


def with_words(release: Path) -> None:
    words = PngImagePlugin.PngInfo()
    words.add_text("prompt", "a red block")
    Image.new("RGB", (9, 9)).save(release / "assets" / "episode.png", pnginfo=words)


def very_large(release: Path) -> None:
    os.truncate(release / "README.md", 65 * 2**20)


def read_shard(release: Path) -> tuple[Path, Any]:
    path = next(release.glob(TRANSCRIPTS.pattern))
    return path, pq.read_table(path)


def reseal_files(release: Path) -> None:
    """Let ``release.json`` name the files that are there, as somebody who rewrites one would."""
    record = read_release(release)

    def shard(name: str) -> ParquetShard:
        data = (release / name).read_bytes()
        return ParquetShard(size=len(data), sha256=sha256(data).hexdigest())

    parts = (part.model_copy(update={"shards": tuple(map(shard, part.files))}) for part in record.parts)
    seal(release, record.model_copy(update={"parts": tuple(parts)}))


def with_words_beside_the_features(release: Path) -> None:
    path, table = read_shard(release)
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, b"note": b"for nobody's eyes"}), path)
    reseal_files(release)


def in_the_gap(release: Path) -> None:
    """Hide words where nothing but zeros is, before the footer; offsets stay true."""
    path, _ = read_shard(release)
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    path.write_bytes(data[: -8 - length] + b"words that no reader reads" + data[-8 - length :])
    reseal_files(release)


def by_another_writer(release: Path) -> None:
    path, _ = read_shard(release)
    data = path.read_bytes()
    name = f"parquet-cpp-arrow version {pa.cpp_version}".encode()
    assert name in data
    path.write_bytes(data.replace(name, b"call me at my secret number..."[: len(name)].ljust(len(name))))
    reseal_files(release)


def rewrite_lines(name: str, old: str, new: str, release: Path) -> None:
    replace_text(name, old, new, release)
    seal(release)


def with_a_file_that_is_not_listed(release: Path) -> None:
    record = read_release(release)
    seal(release, record.model_copy(update={"files": tuple(n for n in record.files if not n.startswith("copies/"))}))


def with_another_record(field: str, value: object, release: Path) -> None:
    seal(release, read_release(release).model_copy(update={field: value}))


def with_other_prompts(release: Path) -> None:
    (game,) = read_release(release).games
    with_another_record("games", (game.model_copy(update={"prompts": "built-in 000000000000"}),), release)


def with_a_label(release: Path) -> None:
    """State an identity of the installed judge under a label of its own."""
    identity = describe_identity("structural", StructuralJudge()).model_copy(update={"label": "three hundred experts"})
    (release / "judges.jsonl").write_text(identity.model_dump_json() + "\n")
    seal(release)


def drop_run(release: Path) -> None:
    lines = (release / "runs.jsonl").read_text("utf-8").splitlines(keepends=True)
    (release / "runs.jsonl").write_text(lines[0], "utf-8")


text, lines = partial(partial, replace_text), partial(partial, rewrite_lines)

DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no card": (partial(remove, "README.md"), "README.md: is missing"),
    "no record": (partial(remove, "release.json"), "release.json: is missing"),
    "a file without end": (very_large, "README.md: larger than 64 MiB"),
    "no picture in the card": (partial(remove, "assets/scores.png"), "picture 'assets/scores.png' is not a file"),
    "a prompt in a picture of the card": (with_words, "assets/episode.png: picture carries metadata (prompt)"),
    "a picture from elsewhere": (
        text("README.md", "(assets/episode.png)", "(https://e.example/a.png)"),
        "picture 'https://e.example/a.png' is not a file of the release",
    ),
    "other code": (
        text("README.md", 'turns[0]["message"],', 'print("x")\nturns[0]["message"],'),
        "README.md: Python block 1 is not one of ours",
    ),
    "wrong features": (text("README.md", "dtype: float64", "dtype: string"), "which features it has"),
    "a config too many": (
        text("README.md", "\nconfigs:\n", "\nconfigs:\n- config_name: more\n"),
        "configs lists 'more'",
    ),
    "wrong licence in the card": (
        text("README.md", "license:\n- cc0-1.0", "license:\n- mit"),
        "license does not say cc0-1.0",
    ),
    "a source without its licence": (
        text("LICENSE.md", "| drawn for a test |", "| drawn |"),
        "LICENSE.md: does not say that 12 pictures of drawn for a test are CC0-1.0",
    ),
    "another description": (
        text("croissant.json", '"column": "by"', '"column": "value"'),
        "croissant.json: recordSet: scores is missing or not as it is",
    ),
    "a run left out": (drop_run, "unknown run other-block-"),
    "damaged runs": (text("runs.jsonl", '"seed":0', '"seed":-1'), "runs.jsonl:1: the line is damaged"),
    "no file of a config": (partial(remove_shards, SCORES), "data/scores: is missing"),
    "another rule": (
        text("runs.jsonl", '"allow"},"prompts"', '"allow","max_turns":9},"prompts"'),
        "rules is b200-t10-allow, the records say b200-t9-allow",
    ),
    "wrong number of rows": (text("README.md", "num_examples: 60", "num_examples: 61"), "not say 60 rows"),
    "a file too few": (rename_shard, "data/scores: a file is missing"),
    "a column left out": (without_column, "column 'by' is missing"),
    "no features": (without_features, "the features in its metadata are not"),
    "no front matter": (text("README.md", "---\n", "\n"), "has no YAML front matter"),
    "words in a file's metadata": (
        with_words_beside_the_features,
        "-00000-of-00001.parquet: has metadata that is never written: note",
    ),
    "descriptors that are not listed": (with_a_file_that_is_not_listed, ".npz: is not in release.json"),
    "no verification": (partial(remove, "verification.json"), "verification.json: is missing, though release.json"),
    "words between the groups": (in_the_gap, "is not the file that its rows give when they are written again"),
    "another program": (by_another_writer, "names no program that writes releases"),
    "other judges in the record": (
        partial(with_another_record, "judges", ("nobody",)),
        "release.json: judges is ('nobody',), its runs say ('eye',)",
    ),
    "other prompts in the record": (with_other_prompts, "prompts of the game reconstruction is built-in 000000000000"),
    "other prompts of a run": (
        lines("runs.jsonl", '"prompts":"built-in ', '"prompts":"built-in 0'),
        "runs.jsonl: run centre-block-",
    ),
    "another label of a computed judge": (
        with_a_label,
        "judges.jsonl: judge structural: label is three hundred experts, the judge itself says",
    ),
    "a player on a machine": (
        lines(
            "runs.jsonl",
            '"player":"canvas","model":null,"base_url":null',
            '"player":"canvas","model":null,"base_url":"http://localhost:8000/v1"',
        ),
        ": generator: base_url is an address on the machine that played",
    ),
    "an escaped mark in a run": (
        lines("runs.jsonl", "pair", "p\\u2066air"),
        "runs.jsonl: holds a character that reorders text (⟦U+2066⟧)",
    ),
}


DAMAGES_APART = (
    "a file without end, no picture in the card, another rule, a file too few, words in a file's metadata, "
    "words between the groups, another program, other judges in the record, other prompts of a run"
)


@pytest.mark.parametrize("names", groups_of(DAMAGES, DAMAGES_APART))
def test_damaged_folders(names: list[str], release: Path) -> None:
    for name in names:
        DAMAGES[name][0](release)
    faults = check_release(release).faults
    assert missing_from(faults, {name: DAMAGES[name][-1] for name in names}) == [], faults


def test_a_file_that_belongs_to_no_release(release: Path) -> None:
    for name in ("notes.txt", ".notes.txt", "data/.cache/notes.txt"):  # hidden files are never published
        (release / name).parent.mkdir(exist_ok=True)
        (release / name).write_text("mine", "utf-8")
    assert check_release_fully(str(release), load=False).faults == ("notes.txt: not part of a release",)


def test_loading(release: Path) -> None:
    counts = check_release(release).counts
    assert list(check_loading(str(release), None, CONFIGS, counts)) == []
    shutil.rmtree(release / "data" / "scores")
    instances, scores = check_loading(str(release), None, CONFIGS, counts + Counter({"instances": 1}))
    assert instances == "load_dataset('instances'): 12 rows, the files have 13"
    assert scores.startswith("load_dataset('scores'): ")


def test_the_code_of_a_card_runs_in_its_folder(release: Path) -> None:
    shutil.rmtree(release / "data" / "leaderboard")
    (release / "pandas.py").write_text("raise SystemExit('code of a stranger')", "utf-8")
    (fault,) = run_blocks(str(release), release, [config.name for config in CONFIGS])
    assert fault.startswith("Python block 4 failed: FileNotFoundError")


def test_code_that_is_not_ours_is_never_run(release: Path, tmp_path: Path) -> None:
    mark = tmp_path / "was run"
    replace_text("README.md", "import gc", f"open({str(mark)!r}, 'w')", release)
    report = check_release_fully(str(release), load=False, run_card=True)
    assert any("Python block 3 is not one of ours" in fault for fault in report.faults)
    assert not mark.exists()


def test_a_release_on_the_hub_is_checked_by_its_tag(
    release: Path, hub: HubServer, ircore_on: Callable[..., Outcome]
) -> None:
    assert ircore_on("release", "push", release, "--repo", "org/irg", "--revision", "v1.0.0").code == 0
    done = ircore_on("release", "check", "org/irg@v1.0.0")
    assert (done.code, done.out) == (0, "org/irg@v1.0.0: 0 faults in 833 rows and 22 pictures\n")
    done = ircore_on("release", "check", "org/irg@v2.0.0")
    assert done.code == 1
    assert "org/irg" in done.err


def test_exit_status(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    remove("LICENSE.md", release)
    assert ircore(["release", "check", str(release)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "LICENSE.md: is missing",
        "load_dataset: not tried, because of the faults above",
        f"{release}: 2 faults in 833 rows and 22 pictures",
    ]


@pytest.mark.parametrize(
    "arguments", [["check"], ["pull", "--out", "out"], ["eval", "--repo", "a/b", "--judge", "eye"]]
)
def test_a_place_that_is_neither_here_nor_a_name_is_refused(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    place = "no/such/folder"
    more = ["--out", "out"] if arguments[0] == "eval" else []
    assert ircore(["release", arguments[0], place, *arguments[1:], *more]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said == [
        f"ircore: {place}: no such folder",
        "  Name a folder made by: ircore release build … --out DIR; or ORG/NAME on the Hub.",
    ]


def test_pictures_decoded_ahead_are_checked_as_others_are(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dataset_card.findings.AHEAD", 1)
    sound = check_release(release)
    rewrite(release, TRANSCRIPTS, cut_picture)
    faults = check_release(release).faults
    assert [fault for fault in faults if "picture cannot be decoded" in fault]
    monkeypatch.setattr("dataset_card.findings.AHEAD", 1000)
    assert check_release(release).faults == faults
    assert not sound.faults


@pytest.mark.parametrize("words", [["check"], ["pull", "--out", "pulled"], ["push", "--repo", "me/release"]])
def test_a_folder_that_is_no_release_is_refused_in_one_line(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_none")
    (tmp_path / "holiday.txt").write_text("rain")
    name, *options = words
    assert ircore(["release", name, str(tmp_path), *options]) == 2
    problem, remedy = capsys.readouterr().err.splitlines()
    assert problem == f"ircore: {tmp_path}: no release here (no release.json)"
    assert remedy == "  Name a folder made by: ircore release build … --out DIR"


@pytest.mark.parametrize("planted", [None, 0, 3, 7])
def test_a_run_between_the_files_of_another_is_written_again_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted: int | None
) -> None:
    # By their names, the file of the run a-00001 lies between the first and the second of the run a.
    monkeypatch.setattr("dataset_card.tables.writing.SHARD_BYTES", 4)
    monkeypatch.setattr("dataset_card.tables.writing.GROUP_ROWS", 2)
    monkeypatch.setattr("dataset_card.checking.table_checks.BATCH", 3)
    table = Config("words", "a word", (ReleaseColumn("run_id", "string", "Run."), ReleaseColumn("word", "string", ".")))
    words: dict[str, Rows] = {
        run_id: [{"run_id": run_id, "word": f"word {number}"} for number in range(count)]
        for run_id, count in (("a", 6), ("a-00001", 2), ("none", 0))
    }
    parts = [
        make_part(table, run_id, compute_part_key(table, rows), write_table(tmp_path, table, rows, run_id))
        for run_id, rows in words.items()
    ]
    record = SimpleNamespace(layout=compute_layout_key([table]), configs=(table,), parts=parts)
    findings = Findings()
    files = TableFiles(tmp_path, cast("ReleaseRecord", record), findings)
    read = list(read_table(tmp_path, table))
    assert [row["run_id"] for _, row in read] == ["a"] * 2 + ["a-00001"] * 2 + ["a"] * 4
    for number, (where, row) in enumerate(read):
        files.take(where, row | ({"word": "another"} if number == planted else {}))
    assert files.finish() == ()
    changed = [] if planted is None else [read[planted][0].rpartition(":")[0]]
    assert [fault.partition(": ")[0] for fault in findings.faults] == changed
