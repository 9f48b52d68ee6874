"""What is in a release, and what is refused."""

import shutil
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from releases import TRANSCRIPTS, contents, play_rated, rate_first, rewrite, table
from samples import rating_of, sample_instances, sample_run, sample_submission

from dataset_card.checking.release_check import check_release
from dataset_card.data import load_results
from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.record import read_release
from dataset_card.tables.rows import EmbeddedImage, Row
from dataset_card.tables.schema import EPISODES, INSTANCES, LEADERBOARD, MEASURES, SCORES
from dataset_card.tables.writing import FIRST_GROUP_BYTES, write_table
from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.core.score_records import JudgeIdentity
from ircore.games.reconstruction.records import Turn, list_rendered_turns
from ircore.instances.store import InstanceSet, read_instances, write_instances
from ircore.players.submission import LoadedSubmission
from ircore.runs.events import Call, End, EventEntry
from ircore.runs.folder import RunFolder, RunWriter, create_run

HOSTILE = "left[31m | <script>alert(1)</script> `x` **b** [a](http://e.example) rtl\r\n---\n# T 😀 {{7*7}} \ufffd"
"""What a model can say that is published as it is; characters that nobody sees are not even recorded."""


@pytest.mark.slow
def test_a_turn_is_a_row_with_target_and_rendering(built: Path) -> None:
    first, second, done = table(built / "release", TRANSCRIPTS)[:3]
    assert [row["turn"] for row in (first, second, done)] == [1, 2, 3]
    assert (first["action"], first["message"]) == ("describe", "left 41 colour #1f77b4")
    assert (done["action"], done["message"], done["rendering"], done["rendering_sha256"]) == ("done", None, None, None)
    assert first["notes"] == ["drawn as a block"]
    identity = read_instances(built / "instances").identity
    assert first["instance_id"] == f"reconstruction/{identity[:8]}/geometry-easy-01"
    original = (built / "instances" / "images" / "geometry-easy-01.png").read_bytes()
    assert first["target"] == {"bytes": original, "path": "geometry-easy-01.png"}
    # The second message corrects the first, and the players are exact: what is drawn is the target.
    assert pixels(second["rendering"]) == pixels(second["target"]) != pixels(first["rendering"])


def test_an_aborted_episode_is_a_row_without_pictures(built: Path) -> None:
    rows = [row for row in table(built / "release", EPISODES) if row["outcome"] == "aborted"]
    assert [str(row["episode_id"]).split("/")[1] for row in rows] == ["geometry-easy-03", "geometry-hard-03"] * 2
    assert all(str(row["episode_id"]).startswith(f"{row['run_id']}/") for row in rows)
    assert {row["abort_reason"] for row in rows} == {"describer_format"}
    assert {(row["turns"], row["first_rendering"], row["final_rendering_sha256"]) for row in rows} == {(0, None, None)}


def test_the_leaderboard_is_what_one_works_out_by_hand(built: Path) -> None:
    rows = table(built / "release", LEADERBOARD)
    overall = [row for row in rows if row["category"] == row["difficulty"] == "all"]
    ranked = [row for row in overall if row["measure"] == "main_score"]
    ranks = [(row["submission"], row["rank_low"], row["rank_high"]) for row in ranked]
    assert ranks == [("centre-block", 1, 1), ("other-block", 2, 2)]
    first, second = (
        {row["measure"]: row for row in overall if row["submission"] == pair["submission"]} for pair in ranked
    )
    # Ten finals, five of 7 and five of 9: m = 8, s² = 1, so r = 1/16 and w = 0.548 (``statistics.intervals``). With
    # 5.61 for t² · 10/9, less r, the ends solve 10 d² = 5.61 + 3.84 · 0.548 · (7.875 d − d²), above with 1.5 for 7.875.
    score = first["score"]
    assert (score["mean"], score["n"], score["by"], score["rank_low"]) == (8, 10, "eye", None)
    assert (score["low"], score["high"]) == (pytest.approx(8 - 1.651, abs=0.01), pytest.approx(8 + 0.823, abs=0.01))
    assert (first["delta"]["mean"], second["delta"]["mean"]) == (2, -1)
    assert [first[name]["mean"] for name in ("episodes", "played", "outcome_aborted")] == [12, 10, 2]
    assert first["episodes"]["by"] == "reconstruction"
    assert first["main_score"]["mean"] == pytest.approx(8 * 10 * 10 / 12)
    assert [pair[name]["mean"] for pair, name in ((first, "improved"), (second, "regressed"))] == [10, 10]
    assert first["preference"]["mean"] == 1
    assert sum(row["measure"] == "main_score" for row in rows) == 2 * (1 + 2) * (1 + 2)
    # A row is known by run, condition, measure and who gave it.
    names = ("run_id", "category", "difficulty", "measure", "by")
    assert len({tuple(row[name] for name in names) for row in rows}) == len(rows)
    described = {row["measure"] for row in table(built / "release", MEASURES)}
    assert {row["measure"] for row in rows} <= described


def test_scores_stand_in_the_order_of_the_game_with_reasons_for_missing_values(built: Path) -> None:
    rows = table(built / "release", SCORES)[:4]
    assert [(row["step"], row["measure"], row["by"]) for row in rows] == [
        (1, "similarity", "eye"),
        (2, "preference", "eye"),
        (2, "psnr", "psnr"),
        (2, "similarity", "eye"),
    ]
    assert (rows[2]["value"], rows[2]["reason"]) == (None, "∞")


@pytest.mark.slow
def test_the_same_runs_give_the_same_bytes(built: Path, tmp_path: Path) -> None:
    runs = sorted((built / "runs").iterdir(), reverse=True)
    build_release(runs, built / "instances", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(built / "release")


@pytest.mark.slow
def test_a_sound_release_has_no_faults(built: Path) -> None:
    report = check_release(built / "release")
    assert report.faults == ()
    boards = report.counts["leaderboard"] + report.counts["measures"]
    # Instances, turns, episodes, scores, runs; questions and dialogues.
    assert report.rows == 12 + 60 + 24 + 80 + 2 + boards + 104 + 44


def test_a_run_of_another_set_is_refused(built: Path, tmp_path: Path) -> None:
    other = sample_instances(tmp_path / "other")
    with pytest.raises(InputError) as caught:
        build_release([built / "runs" / "centre-block"], other.folder, tmp_path / "out")
    assert str(built / "runs" / "centre-block") in caught.value.problem
    assert str(other.folder) in caught.value.problem
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_runs_that_nobody_scored_are_refused(run: RunFolder, instances: InstanceSet, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no judge has rated anything yet") as caught:
        build_release([run.path], instances.folder, tmp_path / "out")
    assert "ircore score" in caught.value.remedy


@pytest.mark.slow
def test_a_damaged_rendering_stops_the_build_and_leaves_nothing(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "instances")
    run = sample_run(tmp_path / "run", instances)
    add_scores(run)
    next((run.path / "renderings").iterdir()).write_bytes(b"no picture")
    with pytest.raises(InputError, match="damaged"):
        build_release([run.path], instances.folder, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["instances", "run"]


@pytest.mark.parametrize(("change", "said"), [({"category": "all"}, "category 'all'"), ({"seed": 2**63}, "too large")])
def test_instances_that_do_not_fit_the_tables_are_refused(
    instances: InstanceSet, tmp_path: Path, change: dict[str, object], said: str
) -> None:
    item = instances.instances[0].model_copy(update=change)
    changed = write_instances(tmp_path / "changed", [(item, instances.pictures(item))])
    run = sample_run(tmp_path / "run", changed)
    with pytest.raises(InputError, match=said):
        build_release([run.path], changed.folder, tmp_path / "out")


@pytest.mark.slow
def test_hostile_words_survive_and_do_no_harm(instances: InstanceSet, tmp_path: Path) -> None:
    run = recorded_run(tmp_path / "run", instances, HOSTILE)
    build_release([run.path], instances.folder, tmp_path / "out")
    assert table(tmp_path / "out", TRANSCRIPTS)[0]["message"] == HOSTILE
    assert table(tmp_path / "out", TRANSCRIPTS)[0]["notes"] == [HOSTILE]
    assert check_release(tmp_path / "out").faults == ()
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    line = next(line for line in card.splitlines() if line.startswith("* **Turn 1:**"))
    assert line == (
        r"* **Turn 1:** left\[31m \| &lt;script&gt;alert(1)&lt;/script&gt; \`x\` \*\*b\*\* "
        r"\[a\](http&#58;//e.example) rtl --- # T 😀 {{7\*7}} " + "\ufffd"
    )


def test_row_groups_are_bounded_in_rows_and_bytes(tmp_path: Path) -> None:
    rows = [instance_row(b"x" * 1000, index) for index in range(250)]
    written = write_table(tmp_path / "many", INSTANCES, rows)
    file = pq.ParquetFile(tmp_path / "many" / "data" / "instances" / "test-00000-of-00001.parquet")
    assert [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)] == [100, 100, 50]
    assert file.metadata.row_group(0).column(0).has_offset_index
    assert (written.rows, written.num_bytes > 250_000) == (250, True)
    large = FIRST_GROUP_BYTES // 4
    write_table(tmp_path / "large", INSTANCES, (instance_row(bytes([index]) * large, index) for index in range(6)))
    file = pq.ParquetFile(tmp_path / "large" / "data" / "instances" / "test-00000-of-00001.parquet")
    assert [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)] == [4, 2]


@pytest.mark.slow
def test_row_groups_end_with_an_episode_and_lie_apart(tmp_path: Path) -> None:
    """What a stream reads before its first row is one group: pyarrow fetches what lies closer together at once."""
    rendering = iter(range(100))
    rows = []
    for episode in range(6):
        target = EmbeddedImage(bytes=b"t%d" % episode * 1000, path="t.png")
        for _ in range(5):
            drawn = EmbeddedImage(bytes=bytes([next(rendering)]) * (FIRST_GROUP_BYTES // 6), path="r.png")
            rows.append(transcript_row(f"e{episode}", target, drawn))
    write_table(tmp_path, TRANSCRIPTS, rows)
    file = pq.ParquetFile(tmp_path / "data" / "transcripts" / "test-00000-of-00001.parquet")
    groups = [file.metadata.row_group(index) for index in range(file.num_row_groups)]
    assert [group.num_rows for group in groups] == [10, 10, 10]
    chunks = [[group.column(index) for index in range(group.num_columns)] for group in groups]
    begins = [min(item.dictionary_page_offset or item.data_page_offset for item in group) for group in chunks]
    ends = [
        begin + sum(item.total_compressed_size for item in group) for begin, group in zip(begins, chunks, strict=True)
    ]
    assert all(begin - end > 8192 for begin, end in zip(begins[1:], ends, strict=False))
    assert [row["rendering"] for row in table(tmp_path, TRANSCRIPTS)] == [row["rendering"] for row in rows]


def test_long_tables_are_cut_into_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dataset_card.tables.writing.SHARD_BYTES", 50_000)
    write_table(tmp_path, INSTANCES, (instance_row(bytes([index]) * 1000, index) for index in range(250)))
    names = sorted(path.name for path in (tmp_path / "data" / "instances").iterdir())
    assert names == [f"test-{index:05d}-of-00003.parquet" for index in range(3)]
    assert [row["seed"] for row in table(tmp_path, INSTANCES)] == list(range(250))


def test_a_target_is_stored_once_for_its_turns(tmp_path: Path) -> None:
    target = bytes(range(256)) * 400
    columns = {column.name: None for column in TRANSCRIPTS.columns}
    rows: list[Row] = [columns | {"target": EmbeddedImage(bytes=target, path="a.png")} for _ in range(50)]
    assert write_table(tmp_path, TRANSCRIPTS, rows).file_bytes < 2 * len(target)
    assert table(tmp_path, TRANSCRIPTS)[49]["target"] == {"bytes": target, "path": "a.png"}


def pixels(cell: object) -> bytes:
    assert isinstance(cell, dict)
    return Picture.read_untrusted(cell["bytes"], "cell").pixels.tobytes()


def instance_row(data: bytes, index: int) -> Row:
    columns = {column.name: None for column in INSTANCES.columns}
    return columns | {"image": EmbeddedImage(bytes=data, path="a.png"), "seed": index}


def transcript_row(episode: str, target: EmbeddedImage, rendering: EmbeddedImage) -> Row:
    columns: Row = {column.name: None for column in TRANSCRIPTS.columns}
    return columns | {"episode_id": episode, "target": target, "rendering": rendering}


def add_scores(run: RunFolder) -> None:
    run.add_scores(rating_of(episode, turn, 5) for episode in run.episodes() for turn in list_rendered_turns(episode))


def recorded_run(folder: Path, instances: InstanceSet, words: str) -> RunFolder:
    """Record one episode in which every text is ``words``, and score it."""
    played = sample_run(folder.with_name("played"), instances, sample_submission(), limit=1)
    run = create_run(folder, played.run, instances)
    picture = Picture.from_pixels(instances.picture(instances.instances[0], "target").pixels[::-1])
    rendering = Rendering(sha256=picture.sha256, width=picture.width, height=picture.height)
    turn = Turn(turn=1, action="describe", message=words, message_tokens=9, notes=(words,), rendering=rendering)
    instance = instances.instances[0]
    episode = Episode(
        episode_id=instance.instance_id,
        instance_id=instance.instance_id,
        category=instance.category,
        difficulty=instance.difficulty,
        outcome="converged",
        steps=(turn, Turn(turn=2, action="done")),
    )
    with run.lock(), RunWriter(run) as writer:
        call = Call(episode_id=instance.instance_id, turn=1, role="generator", rendering=rendering, seconds=0)
        writer.record([EventEntry(call, picture), EventEntry(End(episode=episode))])
    add_scores(run)
    return run


@pytest.mark.slow
def test_an_address_on_the_machine_that_played_is_not_published(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "instances")
    loaded = sample_submission()
    own = PlayerSpec(player="openai", model="m", base_url="http://127.0.0.1:8000/v1", api_key_env=None)
    pair = loaded.submission.model_copy(update={"generator": own})
    run = sample_run(tmp_path / "run", instances, LoadedSubmission(loaded.slug, pair, loaded.path))
    rate_first(run, 6.0)
    judge = JudgeIdentity(name="eye", label="eye", kind="model", player=own)
    run.keep_judge(judge)
    build_release([run.path], instances.folder, tmp_path / "release")
    for name in ("runs.jsonl", "judges.jsonl"):
        text = (tmp_path / "release" / name).read_text("utf-8")
        assert "127.0.0.1" not in text
        assert '"base_url":"https://own-server.invalid"' in text
    report = check_release(tmp_path / "release")
    assert report.faults == ()
    assert [released.run.run_id for released in report.runs] == [run.run.run_id]
    # Built again upon it, with the same folder, it is the same release.
    again = build_release([run.path], instances.folder, tmp_path / "again", BuildPlan(previous=tmp_path / "release"))
    assert again.record.content == read_release(tmp_path / "release").content


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small set, a larger one with the same ids and pictures, a run of one pair on each, and the release of both."""
    folder = tmp_path_factory.mktemp("sets")
    for name, per_condition in (("demo", 1), ("full", 2)):
        instances = sample_instances(folder / name, per_condition=per_condition)
        play_rated(folder / "runs" / name, instances, "pair")
    build_release(runs(folder), [folder / "demo", folder / "full"], folder / "release")
    return folder


def runs(folder: Path) -> list[Path]:
    return sorted((folder / "runs").iterdir())


def frame(release: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(release / "data" / name)


@pytest.mark.slow
def test_ids_are_unique_and_joins_on_one_column_are_right(folder: Path) -> None:
    assert check_release(folder / "release").faults == ()
    instances, episodes, played = (frame(folder / "release", name) for name in ("instances", "episodes", "runs"))
    assert instances["instance_id"].is_unique
    assert instances["instance_set"].nunique() == 2
    joined = episodes.merge(instances, on="instance_id").merge(played, on="run_id", suffixes=("", "_run"))
    assert len(joined) == len(episodes)
    assert (joined["instance_set"] == joined["instance_set_run"]).all()
    assert not frame(folder / "release", "measures").duplicated(["game", "measure"]).any()


@pytest.mark.slow
def test_boards_are_of_one_set_each(folder: Path) -> None:
    with pytest.raises(InputError, match="several sets of reconstruction"):
        load_results(str(folder / "release"))
    for record in read_release(folder / "release").games:
        results = load_results(str(folder / "release"), instance_set=record.instance_set[:8])
        assert results.instance_set == record.instance_set
    ranks = frame(folder / "release", "leaderboard").query("measure == 'main_score' and category == 'all'")
    assert ranks.groupby("run_id").size().nunique() == 1
    card = (folder / "release" / "README.md").read_text("utf-8")
    assert f"set {record.instance_set[:8]}" in card


@pytest.mark.slow
def test_both_sets_come_back_and_give_the_same_release(folder: Path, tmp_path: Path) -> None:
    pull_release(folder / "release", tmp_path / "out")
    assert len([*(tmp_path / "out").glob("instances*")]) == 2
    build_release([*(tmp_path / "out/runs").iterdir()], tmp_path / "out", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(folder / "release")


@pytest.mark.slow
def test_a_further_set_leaves_the_files_of_the_runs_before_as_they_are(folder: Path, tmp_path: Path) -> None:
    build_release(runs(folder)[:1], [folder / "demo"], tmp_path / "first")
    sets = [folder / "demo", folder / "full"]
    built = build_release(runs(folder)[1:], sets, tmp_path / "next", BuildPlan(previous=tmp_path / "first"))
    assert len(built.record.history[0].added) == 1
    assert built.record.history[0].changed == ()
    before, after = contents(tmp_path / "first"), contents(tmp_path / "next")
    own = [name for name in before if "/test-pair-" in name]
    assert own
    assert all(after[name] == before[name] for name in own)
    assert contents(folder / "release").keys() == after.keys()


@pytest.mark.slow
def test_a_join_that_repeats_rows_is_found(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "release", tmp_path / "release")
    rewrite(tmp_path / "release", INSTANCES, lambda rows: rows.append(rows[0]))
    faults = "\n".join(check_release(tmp_path / "release").faults)
    assert "data/episodes: joined with instances on instance_id, its 12 rows become 13" in faults
    assert "data/transcripts: joined with instances on instance_id, its 36 rows become 39" in faults


@pytest.mark.slow
def test_an_instance_of_a_set_that_the_release_does_not_name_is_found(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "release", tmp_path / "release")

    def edit(rows: list[Row]) -> None:
        rows[0]["instance_set"] = "0" * 64

    rewrite(tmp_path / "release", INSTANCES, edit)
    assert any("instance_set is 000" in fault for fault in check_release(tmp_path / "release").faults)
