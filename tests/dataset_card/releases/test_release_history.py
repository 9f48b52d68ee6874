"""Release after release: what is taken over, what is said of it, and what was withdrawn."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from releases import TRANSCRIPTS, contents, rewrite, seal, table, tables
from samples import sample_instances, sample_run, sample_submission

import ircore as ircore_library
from dataset_card.checking.release_check import check_release
from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.record import read_release
from dataset_card.releases.stored_release import RECORDS_FOLDER, StoredRelease, StoredRun
from dataset_card.tables.columns import Config
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import EPISODES, INSTANCES, LEADERBOARD
from dataset_card.tables.writing import TablePart
from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Withdrawal, WithdrawalKind, format_decisions
from ircore.games.reconstruction.records import list_turns
from ircore.instances.store import read_instances
from ircore.players.submission import read_manifest
from ircore.results.model import Results
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Flag, make_provenance, write_provenance
from ircore.submissions.decisions import Decision
from ircore.submissions.pending_work import MergedSubmission
from leaderboard.model.section import build_game_sections
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs

pytestmark = pytest.mark.slow

Build = Callable[..., Path]


@pytest.fixture
def inputs(built: Path, tmp_path: Path) -> Path:
    """A copy of the instances and runs."""
    shutil.copytree(built / "instances", tmp_path / "instances")
    shutil.copytree(built / "runs", tmp_path / "runs")
    return tmp_path


def run_id(inputs: Path, slug: str) -> str:
    return RunFolder(inputs / "runs" / slug).run.run_id


def gone(slug: str, kind: WithdrawalKind = "withdrawn", **more: str) -> Withdrawal:
    record = {"slug": slug, "kind": kind, "reason": "the wrong model was asked", "date": "2100-01-01"}
    return Withdrawal.model_validate(record | more)


def test_a_new_run_leaves_the_files_of_the_others_as_they_are(inputs: Path, build: Build) -> None:
    first = build("first", "centre-block")
    shutil.rmtree(inputs / "runs" / "centre-block")  # a run of the former release need not be there any more
    second = build("second", "other-block", former="first")
    kept = {name for name in tables(first) if "centre-block" in name or "instances" in name}
    assert len(kept) == 6
    for name in kept:
        assert (first / name).samefile(second / name)
    assert check_release(second).faults == ()
    assert read_release(second).history[0].added[0].slug == "other-block"
    assert "Added: centre-block" in (second / "CHANGELOG.md").read_text()  # of the first release


def test_built_step_by_step_or_at_once_the_tables_are_the_same_to_the_byte(build: Build) -> None:
    build("first", "other-block")
    step_by_step, at_once = build("second", "centre-block", former="first"), build("all", "centre-block", "other-block")
    assert tables(step_by_step) == tables(at_once)
    assert read_release(step_by_step).name == read_release(at_once).name


def test_numbers_of_former_runs_are_those_of_its_boards(inputs: Path, build: Build) -> None:
    first = StoredRelease(build("first", "centre-block", "other-block"))
    played = Results.from_runs([RunFolder(path) for path in (inputs / "runs").iterdir()])
    known = {(run.run_id, *key): cell for run in first.runs.values() for key, cell in first.cells_of(run).items()}
    assert known == {key: replace(cell, same_family=False) for key, cell in played.cells.items()}


def test_a_release_upon_itself_is_the_same_to_the_byte(inputs: Path, build: Build) -> None:
    first = build("first", "centre-block", "other-block")
    assert contents(build("again", former="first")) == contents(first)
    pull_release(first, inputs / "pulled")
    pulled = sorted((inputs / "pulled" / "runs").iterdir())
    build_release(pulled, inputs / "pulled" / "instances", inputs / "rebuilt", BuildPlan(previous=first))
    assert contents(inputs / "rebuilt") == contents(first)


@pytest.mark.parametrize("damage", [None, b'{"episodes": 3}'], ids=["gone", "other"])
def test_records_are_kept_for_the_next_build_which_can_do_without(
    inputs: Path, build: Build, damage: bytes | None
) -> None:
    first = build("first", "centre-block")
    (kept,) = (first / RECORDS_FOLDER).iterdir()
    before = build("before", "other-block", former="first")
    assert (before / RECORDS_FOLDER / kept.name).samefile(kept)
    assert check_release(before).faults == ()
    kept.unlink()
    if damage is not None:
        kept.write_bytes(damage)
    after = build("after", "other-block", former="first")
    assert contents(after) == contents(before)
    assert contents(after / RECORDS_FOLDER) == contents(before / RECORDS_FOLDER)


def test_records_that_are_kept_are_those_of_the_tables(inputs: Path, build: Build) -> None:
    first = build("first", "centre-block", "other-block")
    kept = run_records(first, inputs)
    shutil.rmtree(first / RECORDS_FOLDER)
    assert run_records(first, inputs) == kept


def run_records(release: Path, inputs: Path) -> list[object]:
    stored, instances = StoredRelease(release), read_instances(inputs / "instances")
    runs = [StoredRun(stored, run, instances) for run in stored.runs.values() if run.game == "reconstruction"]
    return [(run.episodes(), run.scores(), run.costs()) for run in runs]


def test_pictures_of_an_unchanged_run_are_not_read(inputs: Path, build: Build) -> None:
    build("first", "centre-block", "other-block")
    shutil.rmtree(inputs / "runs" / "other-block" / "renderings")
    assert tables(build("again", "centre-block", "other-block", former="first")) == tables(inputs / "first")


def test_scoring_again_changes_the_scores_of_that_run_and_the_boards(inputs: Path, build: Build) -> None:
    first = build("first", "centre-block", "other-block")
    run = RunFolder(inputs / "runs" / "other-block")
    old = next(score for score in run.scores() if score.task == "similarity")
    run.add_scores([Score.model_validate(old.model_dump() | {"value": 9.5})])
    second = build("second", "other-block", former="first")
    changed = {name for name, item in tables(second).items() if tables(first)[name] != item}
    assert changed == {
        f"data/scores/test-{run.run.run_id}-00000-of-00001.parquet",
        f"data/dialogues/test-{run.run.run_id}-00000-of-00001.parquet",
        "data/leaderboard/test-00000-of-00001.parquet",
    }
    (change,) = read_release(second).history[0].changed
    assert (change.run.run_id, change.tables) == (run.run.run_id, ("scores", "dialogues"))
    assert f"Changed: other-block &lt;b&gt;pair&lt;/b&gt; (`{run.run.run_id}`), its scores, dialogues" in (
        second / "CHANGELOG.md"
    ).read_text("utf-8")


def test_a_withdrawn_run_leaves_a_tombstone_and_stays_in_the_release_before(inputs: Path, build: Build) -> None:
    first = build("first", "centre-block", "other-block")
    before = contents(first)
    withdrawn = run_id(inputs, "other-block")
    second = build("second", former="first", withdrawals=[gone("other-block")])
    assert {row["submission"] for row in table(second, TRANSCRIPTS)} == {"centre-block"}
    assert withdrawn not in (second / "runs.jsonl").read_text()
    assert (second / "tombstones.jsonl").read_text() == format_decisions([gone("other-block", run_id=withdrawn)])
    text = (second / "CHANGELOG.md").read_text()
    assert f"* Withdrawn: `{withdrawn}` on 2100-01-01, the wrong model was asked" in text
    assert check_release(second).faults == ()
    assert contents(first) == before
    # Whoever gives it again does not bring it back, and later releases remember; but it is news once.
    third = build("third", "other-block", former="second")
    assert contents(third) == contents(second)
    assert [step.run_id for step in read_release(second).history[0].withdrawals] == [withdrawn]
    assert read_release(build("later", former="third", date="2100-02-02")).history[0].withdrawals == ()


def test_a_withdrawn_run_comes_back_once_it_is_reinstated_and_given_again(inputs: Path, build: Build) -> None:
    build("first", "centre-block", "other-block")
    withdrawn, back = gone("other-block"), gone("other-block", "reinstated", reason="it was the right one")
    build("second", former="first", withdrawals=[withdrawn])
    run = run_id(inputs, "other-block")
    # The word alone brings no run; the run alone is told to stay out.
    assert contents(build("word", former="second", withdrawals=[withdrawn, back])) == contents(inputs / "second")
    given = [inputs / "runs" / "other-block"]
    plan = BuildPlan(previous=inputs / "second", withdrawals=[withdrawn])
    told = build_release(given, inputs / "instances", inputs / "run", plan)
    assert f"run {run} stays out until reinstated: withdrawn on 2100-01-01" in "\n".join(told.lines())
    third = build("third", "other-block", former="second", withdrawals=[withdrawn, back])
    assert {row["submission"] for row in table(third, TRANSCRIPTS)} == {"centre-block", "other-block"}
    assert (third / "tombstones.jsonl").read_text() == format_decisions([back.model_copy(update={"run_id": run})])
    text = (third / "CHANGELOG.md").read_text()
    assert f"* Reinstated: `{run}` on 2100-01-01, it was the right one" in text
    assert f"* Withdrawn: `{run}` on 2100-01-01, the wrong model was asked" in text
    assert check_release(third).faults == ()
    # It stays, in this and every later release, unless it is withdrawn once more.
    assert contents(build("fourth", former="third", withdrawals=[withdrawn, back])) == contents(third)
    assert contents(build("silent", former="third")) == contents(third)
    again = build("fifth", former="third", withdrawals=[withdrawn, back, withdrawn])
    assert {row["submission"] for row in table(again, TRANSCRIPTS)} == {"centre-block"}


def test_a_run_that_was_played_again_takes_the_place_of_the_corrected_one(inputs: Path, build: Build) -> None:
    build("first", "centre-block", "other-block")
    old = run_id(inputs, "other-block")
    shutil.move(inputs / "runs" / "other-block", inputs / "old")
    anew = sample_submission("other-block", "Other, mended")
    run = sample_run(inputs / "runs" / "other-block", RunFolder(inputs / "old").instances, anew)
    with pytest.raises(InputError, match=f"holds {old}, of the same submission") as caught:
        build("second", "other-block", former="first")
    assert "--withdrawals" in caught.value.remedy
    second = build("second", "other-block", former="first", withdrawals=[gone("other-block", "corrected", run_id=old)])
    entry = read_release(second).history[0]
    assert [run.run_id for run in entry.added] == [run.run.run_id]
    assert [(withdrawal.run_id, withdrawal.kind) for withdrawal in entry.withdrawals] == [(old, "corrected")]
    assert check_release(second).faults == ()


def test_a_disputed_run_stays_with_a_mark_until_the_dispute_is_over(build: Build) -> None:
    build("first", "centre-block", "other-block")
    disputed = build("second", former="first", withdrawals=[gone("other-block", "disputed")])
    assert len(table(disputed, TRANSCRIPTS)) == 60
    assert '"kind":"disputed"' in (disputed / "tombstones.jsonl").read_text()
    assert contents(build("third", former="second")) == contents(disputed)
    assert not (build("fourth", former="third", withdrawals=[]) / "tombstones.jsonl").exists()


@pytest.mark.parametrize("later", ["2100-01-01", "2100-01-02"])
def test_content_that_comes_back_has_a_name_of_its_own(later: str, build: Build) -> None:
    first = read_release(build("first", "centre-block", date="2100-01-01"))
    build("second", former="first", withdrawals=[gone("centre-block", "disputed", date=later)], date=later)
    third = read_release(build("third", former="second", withdrawals=[]))
    assert third.content == first.content
    assert third.date == later
    assert len({entry.name for entry in third.history}) == 3
    assert check_release(build("fourth", former="third", withdrawals=[])).faults == ()


@pytest.mark.parametrize("order", [1, -1])
def test_an_older_withdrawal_does_not_undo_a_reinstatement_whatever_the_order_of_lines(
    order: int, build: Build
) -> None:
    lines = [gone("other-block", date="2100-01-01"), gone("other-block", "reinstated", date="2100-02-01")]
    first = build("first", "centre-block", "other-block", withdrawals=lines[::order])
    assert {row["submission"] for row in table(first, EPISODES)} == {"centre-block", "other-block"}
    # Nor does it when it is said once more.
    again = build("again", former="first", withdrawals=lines[:1])
    assert {row["submission"] for row in table(again, EPISODES)} == {"centre-block", "other-block"}


def test_a_judge_that_rates_further_categories_counts_them_for_runs_that_it_never_saw(
    inputs: Path, build: Build
) -> None:
    run = RunFolder(inputs / "runs" / "other-block")
    eye = [score for score in run.scores() if score.by == "eye" and score.task == "similarity"]
    run.add_scores(score.model_copy(update={"by": "narrow"}) for score in eye)
    categories = sorted({instance.category for instance in run.instances.instances})
    for name, former, rated in (("first", None, categories[:1]), ("second", "first", categories)):
        shutil.rmtree(run.path / "judges", ignore_errors=True)
        run.keep_judge(JudgeIdentity(name="narrow", label="Narrow", kind="computed", categories=tuple(rated)))
        runs = ("centre-block", "other-block") if former is None else ("other-block",)
        assert check_release(build(name, *runs, former=former)).faults == ()


def test_the_name_is_benchmark_date_and_content(inputs: Path, build: Build) -> None:
    first = read_release(build("first", "centre-block"))
    day = RunFolder(inputs / "runs" / "centre-block").run.started[:10]
    assert first.name == f"unreleased-{day}-{first.content[:8]}"
    dated = read_release(build("dated", "centre-block", date="2026-12-24"))
    assert (dated.name, dated.content) == (f"unreleased-2026-12-24-{first.content[:8]}", first.content)
    # The same content on the same day is the same release, on another day one more.
    for day, entries in (("2026-12-24", 1), ("2026-12-25", 2)):
        assert len(read_release(build(day, former="dated", date=day)).history) == entries
    with pytest.raises(InputError, match=r"--date: '24\.12\.' is not a date"):
        build("other", "centre-block", date="24.12.")


def test_runs_on_other_targets_begin_anew(inputs: Path, build: Build) -> None:
    build("first", "centre-block")
    other = sample_instances(inputs / "other", per_condition=2)
    run = sample_run(inputs / "runs" / "new", other, sample_submission("new"))
    run.add_scores(
        Score(episode_id=episode.episode_id, step=1, measure="similarity", by="eye", value=5, rendering=drawn.sha256)
        for episode in run.episodes()
        if list_turns(episode) and (drawn := list_turns(episode)[0].rendering)
    )
    build_release([run.path], other.folder, inputs / "second", BuildPlan(previous=inputs / "first"))
    assert {row["submission"] for row in table(inputs / "second", TRANSCRIPTS)} == {"new"}
    record = read_release(inputs / "second")
    assert len(record.history) == 2
    assert record.history[0].notes[0].startswith("Other targets: unreleased benchmark")


def test_tables_of_another_layout_are_written_anew_from_the_former_release(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build("first", "centre-block", "other-block")
    monkeypatch.setattr("dataset_card.tables.writing.LAYOUT", 99)
    second = build("second", former="first")
    assert tables(second) == tables(first)
    name = "data/instances/test-00000-of-00001.parquet"
    assert not (first / name).samefile(second / name)
    assert read_release(second).content != read_release(first).content
    assert check_release(second).faults == ()
    assert check_release(first).faults == (), "What was published before stays readable."


def test_a_former_release_that_was_changed_is_not_built_upon(build: Build) -> None:
    first = build("first", "centre-block", "other-block")
    path = next(first.glob(INSTANCES.pattern))
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(InputError, match="has changed since it was built"):
        build("second", former="first")
    (first / "release.json").unlink()
    with pytest.raises(InputError, match=r"no release here \(no release\.json\)"):
        build("second", former="first")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda parts: {"name": "another"}, "release.json: name does not follow from benchmark, date and content"),
        (lambda parts: {"parts": parts[1:]}, "is not in release.json"),
        (
            lambda parts: {"parts": (parts[0].model_copy(update={"key": "0" * 64}), *parts[1:])},
            "holds other rows than it says",
        ),
    ],
)
def test_a_release_that_is_not_what_it_says_is_at_fault(
    release: Path, edit: Callable[[tuple[TablePart, ...]], dict[str, object]], said: str
) -> None:
    record = read_release(release)
    changed = record.model_copy(update=edit(record.parts))
    (release / "release.json").write_text(changed.model_dump_json(by_alias=True))
    assert any(said in fault for fault in check_release(release).faults)


def test_a_changed_log_and_a_run_that_was_withdrawn_are_faults(release: Path, built: Path) -> None:
    (release / "CHANGELOG.md").write_text("# Nothing\n")
    faults = check_release(release).faults
    assert faults[0].startswith("CHANGELOG.md:1: under Nothing: says “# Nothing”, the data say “# Changes”")
    here = gone("other-block", run_id=run_id(built, "other-block"))
    (release / "tombstones.jsonl").write_text(format_decisions([here]))
    seal(release)
    assert check_release(release).faults[0] == "tombstones.jsonl: is not in release.json"
    record = read_release(release)
    seal(release, record.model_copy(update={"files": (*record.files, "tombstones.jsonl")}))
    assert check_release(release).faults == (f"release.json: run {here.run_id} is here, though it was withdrawn",)


def test_command_line(inputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["release", "build", "--instances", str(inputs / "instances")]
    first = [*command, "--runs", str(inputs / "runs" / "centre-block"), "--out", str(inputs / "first")]
    assert ircore(first) == 0
    name = read_release(inputs / "first").name
    said = capsys.readouterr().out
    assert f"release {name}: runs 1 added\n" in said
    assert "transcripts        30 rows" in said
    assert ircore(first) == 2
    assert "exists already" in capsys.readouterr().err
    (inputs / "gone.jsonl").write_text(format_decisions([gone("centre-block", "disputed")]))
    more = ["--former", str(inputs / "first"), "--withdrawals", str(inputs / "gone.jsonl"), "--date", "2100-01-02"]
    other = ["--runs", str(inputs / "runs" / "other-block"), "--out", str(inputs / "second")]
    assert ircore([*command, *other, *more]) == 0
    out = capsys.readouterr().out.splitlines()
    (said,) = (line for line in out if line.startswith("release unreleased-2100-01-02-"))
    assert ": runs 1 added, 1 disputed; 0." in said
    # A line that concerns no run, such as one with a mistyped name: the run that it means would stay public.
    mistyped = gone("centre-block", run_id="centre-block-00000000")
    for line in (gone("nobody"), mistyped, gone("centre-block", date="2020-01-01")):
        (inputs / "gone.jsonl").write_text(format_decisions([gone("centre-block", "disputed"), line]))
        nothing = ["--former", str(inputs / "second"), "--withdrawals", str(inputs / "gone.jsonl")]
        assert ircore([*command, *nothing, "--out", str(inputs / "third")]) == 1
        said = capsys.readouterr().err
        assert f"withdrawal of {line.slug}, " in said
        assert "concerns no run here" in said
        assert not (inputs / "third").exists()
    # Where a release has taken its run out, the same line is met again and again.
    (inputs / "gone.jsonl").write_text(format_decisions([gone("centre-block")]))
    for former, out_name in (("second", "third"), ("third", "fourth")):
        nothing = ["--former", str(inputs / former), "--withdrawals", str(inputs / "gone.jsonl")]
        assert ircore([*command, *nothing, "--out", str(inputs / out_name)]) == 0
    assert ircore([*command, "--out", str(inputs / "none")]) == 2
    assert "no run is left for the release" in capsys.readouterr().err


@pytest.mark.parametrize("config", [EPISODES, LEADERBOARD], ids=lambda config: str(config.name))
def test_a_row_of_another_game_is_a_fault(build: Build, config: Config) -> None:
    release = build("release", "centre-block")

    def change(rows: list[Row]) -> None:
        rows[0]["game"] = "chess"

    rewrite(release, config, change)
    faults = check_release(release, card=False).faults
    assert any(f"data/{config.name}/" in fault and "game is chess" in fault for fault in faults), faults


def test_a_run_of_any_game_whose_findings_were_looked_at_has_its_rank_in_the_release_too(
    inputs: Path, tmp_path: Path
) -> None:
    ircore_library.build_instances(tmp_path / "contexts", game="reference", per_condition=4, categories=["lineup"])
    manifest = tmp_path / "looker" / "submission.yaml"
    manifest.parent.mkdir()
    manifest.write_text(
        "{schema: 1, name: looker, game: reference, licence: CC0-1.0,"
        " speaker: {player: looker}, listener: {player: looker}}"
    )
    played = ircore_library.play(manifest, tmp_path / "contexts", tmp_path / "played")
    ircore_library.score(played)
    runs = [inputs / "runs" / "centre-block", played.path]
    grave = Flag(rule="identical_to_target", where="one, turn 1", what="the rendering is the target")
    for path in runs:
        write_provenance(path, make_provenance(manifest, flags=(grave,)))
    sets = None  # those that the runs hold

    def held(release: Path) -> set[object]:
        return {row["run_id"] for row in table(release, LEADERBOARD) if row["unranked"] == "held"}

    # A run that nobody began is no run of a release, whatever its game.
    empty = shutil.copytree(played.path, tmp_path / "empty")
    (empty / "journal.jsonl").write_text("")
    (empty / "scores.jsonl").write_text("")
    with pytest.raises(InputError, match="nothing to score, since no episode was played"):
        build_release([empty], sets, tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
    names = {RunFolder(path).run.run_id for path in runs}
    # The first run of another game leaves the others what they were.
    build_release(runs[:1], sets, tmp_path / "alone")
    build_release(runs, sets, tmp_path / "both", BuildPlan(previous=tmp_path / "alone"))
    news = read_release(tmp_path / "both").history[0]
    assert (len(news.added), news.changed) == (1, ())
    build_release(runs, sets, tmp_path / "first")
    assert held(tmp_path / "first") == names
    cleared = [gone(RunFolder(path).run.slug, "cleared", run_id=RunFolder(path).run.run_id) for path in runs]
    plan = BuildPlan(previous=tmp_path / "first", withdrawals=cleared)
    build_release(runs, sets, tmp_path / "second", plan)
    assert held(tmp_path / "second") == set()
    assert check_release(tmp_path / "second").faults == ()
    # The boards of the site, of either game, say the same.
    loaded = read_manifest(manifest.parent)
    steps = tuple(Decision(date=step.date, kind="cleared", reason=step.reason, run_id=step.run_id) for step in cleared)
    for submitted, holding in (((), names), ((MergedSubmission(loaded, steps),), set())):
        site = Site(read_runs(runs[:1]), submitted=submitted)
        (section,) = build_game_sections([RunFolder(runs[1])], site.pictures, submitted)
        assert site.results.held | section.results.held == holding
    # Looking at a run is not taken back by saying nothing.
    both = [inputs / "instances", tmp_path / "contexts"]
    build_release([], both, tmp_path / "third", BuildPlan(previous=tmp_path / "second"))
    assert held(tmp_path / "third") == set()


def test_a_set_that_every_run_holds_a_part_of_has_to_be_named(inputs: Path) -> None:
    run = inputs / "runs" / "centre-block"
    next((run / "instances" / "images").iterdir()).unlink()
    with pytest.raises(InputError, match="holds a part of its instance set alone") as error:
        build_release([run], None, inputs / "release")
    assert "--instances" in (error.value.remedy or "")
    assert not (inputs / "release").exists()
    build_release([run], inputs / "instances", inputs / "release")
