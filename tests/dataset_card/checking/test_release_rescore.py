"""``release check --rescore`` computes values again from the pictures and plays episodes again by the rules.

Every forgery below is made in a run folder before the release is built, so that the release agrees with itself.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_clients import Outcome, refusal
from hub_server import HubServer
from samples import sample_run, sample_submission
from scored_releases import PAIRS, Episodes, Scored, changed, make_scored, write_run

from dataset_card.card.verification import VERIFICATION, VerifiedRuns, dump_verification, read_verification
from dataset_card.checking.recomputing import EpisodeReplay, replay_faults
from dataset_card.checking.release_check import check_release
from dataset_card.checking.rescore import (
    REMEMBERED,
    Rescoring,
    parse_share,
    recall_verification,
    recheck_new_runs,
    rescore_release,
)
from dataset_card.checking.rescored_run import Draw
from dataset_card.hub.full_check import check_release_fully
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.files import COPIES
from dataset_card.releases.record import read_release
from ircore.commands.main import run as ircore
from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run
from ircore.core.tokens import count_tokens
from ircore.games.reconstruction.prompts import parse_reply
from ircore.games.reconstruction.records import Rules, Turn, list_turns
from ircore.scorers.judges.lipsim import CHECKPOINT
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.submissions.rescoring.picture_index import index_bytes, read_index

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return make_scored(tmp_path_factory.mktemp("scored"))


Forgery = Callable[[Episodes, list[Score]], object]


@pytest.fixture
def forge(scored: Scored, tmp_path: Path) -> Callable[[Forgery], Path]:
    """Change a run, build a release with it, and see that the release agrees with itself."""

    def forge_release(forgery: Forgery) -> Path:
        run = scored.run(PAIRS[1])
        episodes = {episode.episode_id: episode for episode in run.episodes()}
        scores = list(run.scores())
        forgery(episodes, scores)
        write_run(tmp_path / "forged", run, episodes, scores)
        build_release([tmp_path / "forged"], scored.instances.folder, tmp_path / "release")
        return tmp_path / "release"

    return forge_release


def rescored(release: Path, draw: Draw | None = None, processes: int = 1) -> Rescoring:
    report = check_release(release)
    assert report.faults == ()
    return rescore_release(release, report.runs, draw or Draw(), processes)


def find(scores: list[Score], judge: str, task: str, turn: int = 1) -> int:
    """Return where the first score of a judge for a task at a turn stands, one that has a value."""
    return next(
        index
        for index, score in enumerate(scores)
        if (score.by, score.task, score.step) == (judge, task, turn) and score.value is not None
    )


def test_an_honest_release_has_no_difference(scored: Scored) -> None:
    rescoring = rescored(scored.release, processes=2)
    assert rescoring.faults == ()
    # Each run: 10 episodes of two renderings. psnr has no value for an exact rendering, which is computed again too.
    assert list(rescoring.lines()) == [
        "computed again: 2 runs, 24 episodes by the rules",
        "computed again: judges structural 60",
        "computed again: metrics brisque 40, psnr 40, ssim 40, uqi 40, uqi_sewar 40",
    ]
    run = rescoring.runs[scored.run(PAIRS[0]).run.run_id]
    assert (run.episodes, run.judges, run.share, run.seed) == (12, {"structural": 30}, 1.0, None)


def test_renderings_swapped_between_two_episodes(forge: Callable[[Forgery], Path]) -> None:
    """The finals of two episodes change places, with the scores of each."""

    def swap(episodes: Episodes, scores: list[Score]) -> None:
        names = ("simple_shapes-easy-01", "simple_shapes-hard-02")
        drawn = [list_turns(episodes[name])[1].rendering for name in names]
        for name, rendering in zip(names, reversed(drawn), strict=True):
            assert isinstance(rendering, Rendering)
            item, two, three = list_turns(episodes[name])
            turns = (item, two.model_copy(update={"rendering": rendering}), three)
            episodes[name] = episodes[name].with_steps(turns)
            for index, score in enumerate(scores):
                if score.episode_id == name and score.step == 2:
                    scores[index] = changed(score, rendering=rendering.sha256)

    faults = rescored(forge(swap)).faults
    for name in ("simple_shapes-easy-01", "simple_shapes-hard-02"):
        assert any(f"episode {name}, turn 2, structural (similarity): is 10.0, computed" in fault for fault in faults)


def with_turn(episodes: Episodes, name: str, number: int, **values: object) -> None:
    turns = list(list_turns(episodes[name]))
    turns[number - 1] = turns[number - 1].model_copy(update=values)
    episodes[name] = episodes[name].with_steps(tuple(turns))


def other_tokens(episodes: Episodes, name: str) -> None:
    with_turn(episodes, name, 1, message_tokens=list_turns(episodes[name])[0].message_tokens - 1)


def with_a_tag(episodes: Episodes, name: str) -> None:
    message = f"{list_turns(episodes[name])[0].message} <DONE>"
    with_turn(episodes, name, 1, message=message, message_tokens=count_tokens(message))


def as_aborted(episodes: Episodes, scores: list[Score], name: str) -> None:
    values = {"outcome": "aborted", "abort_reason": "provider_error", "detail": "gone"}
    episodes[name] = episodes[name].model_copy(update=values)
    scores[:] = [score for score in scores if score.episode_id != name]


def as_the_generator_s(episodes: Episodes) -> None:
    name = next(name for name, episode in episodes.items() if episode.outcome == "aborted")
    episodes[name] = episodes[name].model_copy(update={"abort_reason": "generator_refused"})


def test_what_the_rules_cannot_have_led_to(forge: Callable[[Forgery], Path]) -> None:
    def forgery(episodes: Episodes, scores: list[Score]) -> None:
        other_tokens(episodes, "simple_shapes-easy-01")
        with_a_tag(episodes, "simple_shapes-easy-02")
        as_aborted(episodes, scores, "simple_shapes-hard-01")
        as_the_generator_s(episodes)

    faults = rescored(forge(forgery)).faults
    for said in (
        "easy-01, converged, rules: turn 1: message_tokens is ",
        "easy-02, converged, rules: outcome is 'converged'; by the rules it is 'aborted'",
        "by the rules it is 'converged'",
        "'generator_refused', where the describer had to answer",
    ):
        assert any(said in fault for fault in faults), faults


def rules_run(scored: Scored, **rules: object) -> Run:
    return scored.run(PAIRS[0]).run.model_copy(update={"rules": Rules.model_validate(rules).model_dump(mode="json")})


def replayed(scored: Scored, run: Run, *turns: Turn, **values: object) -> list[str]:
    instance = scored.instances.instances[0]
    named = {name: getattr(instance, name) for name in ("instance_id", "category", "difficulty")}
    fields = named | {"episode_id": instance.instance_id, "outcome": "turn_limit", "steps": turns} | values
    return list(replay_faults(EpisodeReplay(run, instance, Episode.model_validate(fields))))


ANSWERS = (
    "<DESCRIPTION>a red block</DESCRIPTION>",
    "  <DESCRIPTION> a red block </DESCRIPTION>\n",
    "```xml\n<DESCRIPTION>a red block</DESCRIPTION>\n```",
    "<description>a red block",
    " ```\n<Description>a\nred ``` block\n```",
)


@pytest.mark.parametrize("answer", ANSWERS)
def test_what_the_protocol_reads_is_no_fault(answer: str, scored: Scored) -> None:
    move = parse_reply(answer, 1)
    drawn = Rendering(sha256="0" * 64, width=96, height=96)
    tokens = count_tokens(move.message)
    turn = Turn(
        turn=1,
        action="describe",
        message=move.message,
        message_tokens=tokens,
        leniencies=move.leniencies,
        rendering=drawn,
    )
    assert replayed(scored, rules_run(scored, max_turns=1), turn) == []


def test_messages_over_the_budget(scored: Scored) -> None:
    drawn = Rendering(sha256="0" * 64, width=96, height=96)
    message = "one two three"  # three tokens of o200k_base
    turn = Turn(turn=1, action="describe", message=message, message_tokens=3, over_budget=True, rendering=drawn)
    assert replayed(scored, rules_run(scored, max_turns=1, token_budget=2), turn) == []
    abort = {"outcome": "aborted", "abort_reason": "describer_over_budget"}
    run = rules_run(scored, token_budget=2, over_budget="abort")
    unanswered = turn.model_copy(update={"rendering": None})
    assert replayed(scored, run, unanswered, **abort, detail="3 tokens; the budget is 2.") == []
    assert replayed(scored, run, turn, outcome="turn_limit") != []
    run = rules_run(scored, max_turns=1, token_budget=3, over_budget="truncate")
    cut = turn.model_copy(update={"message_tokens": 9})  # how long it was is the release's word
    assert replayed(scored, run, cut) == []
    (fault,) = replayed(scored, run, turn)
    assert fault.endswith("rules: turn 1: message_tokens is 3, within the budget")


def test_a_turned_preference_is_found_and_what_cannot_be_computed_again_is_said(
    forge: Callable[[Forgery], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A difference in the last digits of a metric is none."""
    monkeypatch.delenv(CHECKPOINT, raising=False)

    def change(_: Episodes, scores: list[Score]) -> None:
        liked = scores[find(scores, "structural", "similarity")]
        chosen = scores[find(scores, "structural", "preference", turn=2)]
        scores += [changed(liked, by="human", annotator="p7"), changed(liked, by="eye"), changed(chosen, by="lipsim")]
        scores[find(scores, "structural", "preference", turn=2)] = changed(chosen, value=0.0)
        index = find(scores, "ssim", "metric")
        scores[index] = changed(scores[index], value=(scores[index].value or 0) * (1 + 1e-12))

    rescoring = rescored(forge(change))
    (fault,) = rescoring.faults
    assert fault.endswith(", turn 2, structural (preference): is 0.0, computed again 1.0")
    said = list(rescoring.lines())[3:]
    assert said[:2] == ["not recomputed: eye: this judge is not installed here", "not recomputed: human: people rated"]
    assert said[2].startswith("not recomputed: lipsim: ")


def test_a_judge_of_another_version_is_not_computed_again(scored: Scored, tmp_path: Path) -> None:
    run = scored.run(PAIRS[0])
    former = JudgeIdentity(name="structural", label="structural", kind="computed", version="0")
    episodes = {episode.episode_id: episode for episode in run.episodes()}
    scores = [changed(score, value=3.0) if score.task == "similarity" else score for score in run.scores()]
    made = write_run(tmp_path / "run", run, episodes, scores, (former,))
    build_release([made.path], scored.instances.folder, tmp_path / "release")
    rescoring = rescored(tmp_path / "release")
    assert rescoring.faults == ()
    assert "not recomputed: structural: version 0 in the release, 1 here" in rescoring.lines()


def test_descriptors_of_nothing_are_found(scored: Scored, tmp_path: Path) -> None:
    release = shutil.copytree(scored.release, tmp_path / "release")
    path, _ = sorted((release / COPIES).iterdir())
    index = read_index(path)
    assert index is not None
    index = index._replace(descriptors=index.descriptors * 0)
    path.write_bytes(index_bytes(index))
    faults = rescored(release).faults
    name, run_id = f"{COPIES}/{path.name}", path.name.removesuffix(".npz")
    first = f"{name}: run {run_id}, episode {index.episodes[0]}: a descriptor is not that of its rendering"
    assert faults[0] == first
    assert len(faults) == len(set(index.episodes))


@pytest.mark.parametrize(("text", "share"), [("1", 1.0), ("0.25", 0.25), (".5", 0.5), ("25%", 0.25), ("100 %", 1.0)])
def test_a_share(text: str, share: float) -> None:
    assert parse_share(text) == share


@pytest.mark.parametrize("text", ["0", "2", "101%", "-1", "half", "", "build/dataset"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not a share of a release"):
        parse_share(text)


def test_a_share_is_drawn_from_every_run_by_its_seed(scored: Scored) -> None:
    rescoring = rescored(scored.release, Draw(0.25, seed=7))
    assert rescoring.faults == ()
    assert [run.episodes for run in rescoring.runs.values()] == [3, 3]  # of 12 each
    assert {run.seed for run in rescoring.runs.values()} == {7}
    assert len(Draw(0.0001, 1).of("run", scored.run(PAIRS[0]).episodes())) == 1


def test_command_line(scored: Scored, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(scored.release)
    assert ircore(["release", "verify", "--no-load", place]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "computed again: 2 runs, 24 episodes by the rules"
    assert lines[-1].startswith(f"{place}: 0 faults in ")
    assert ircore(["release", "check", "--no-load", place, "--rescore", "50%", "--seed", "3"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "computed again: 2 runs, 12 episodes by the rules, 50 % drawn with seed 3"
    assert ircore(["release", "check", "--no-load", place, "--rescore", "7"]) == 2
    assert capsys.readouterr().err.splitlines()[0] == "ircore: --rescore 7: not a share of a release"


def test_a_release_with_faults_is_not_computed_again(
    scored: Scored, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = shutil.copytree(scored.release, tmp_path / "release")
    (release / "LICENSE.md").unlink()
    assert ircore(["release", "check", "--no-load", str(release), "--rescore"]) == 1
    assert "rescoring: not tried, because of the faults above" in capsys.readouterr().out.splitlines()


REPO = "org/irg"
Command = Callable[..., Outcome]


@pytest.fixture
def release(scored: Scored, tmp_path: Path) -> Path:
    return shutil.copytree(scored.release, tmp_path / "release")


def text_of(hub: HubServer, name: str) -> str:
    repo = hub.repos[REPO]
    return repo.commits[repo.revision("main")][name].data.decode()


def test_the_card_says_what_was_computed_again(
    scored: Scored, release: Path, tmp_path: Path, hub: HubServer, ircore_on: Command
) -> None:
    assert read_verification(release).runs == ()
    assert "No value of this release has been computed again yet." in (release / "README.md").read_text("utf-8")
    done = ircore_on("release", "push", release, "--repo", REPO)
    assert done.code == 0, done.err
    assert "computed again: 2 runs, 24 episodes by the rules" in done.err.splitlines()
    card = text_of(hub, "README.md")
    row = next(line for line in card.splitlines() if "| `brisque`: 20, `psnr`: 20, `ssim`: 20" in line)
    assert row.startswith("| Centre + Block | `centre-block-")
    assert "| 12 | `structural`: 30 |" in row
    said = VerifiedRuns.model_validate_json(text_of(hub, VERIFICATION))
    assert [(run.share, run.judges) for run in said.runs] == [(1.0, {"structural": 30})] * 2
    assert check_release(release).faults == ()
    # Built anew it is the same release: what the one there says is taken over, and nothing is sent.
    build_release([scored.run(slug).path for slug in PAIRS], scored.instances.folder, tmp_path / "anew")
    for place in (release, tmp_path / "anew"):
        done = ircore_on("release", "push", place, "--repo", REPO)
        assert (done.code, "computed again" in done.err) == (0, False), done.err


def test_a_forged_run_is_not_pushed(
    scored: Scored, forge: Callable[[Forgery], Path], hub: HubServer, ircore_on: Command
) -> None:
    def add_five(_: Episodes, scores: list[Score]) -> None:
        for index, score in enumerate(scores):
            if score.task == "similarity" and score.value is not None:
                scores[index] = changed(score, value=min(10.0, score.value + 5))

    done = ircore_on("release", "push", forge(add_five), "--repo", REPO)
    assert done.code == 1
    run = scored.run(PAIRS[1])
    score = next(score for score in run.scores() if score.task == "similarity" and score.step == 1)
    assert score.value is not None
    # The final rendering of each of the 10 played episodes is exact and had 10 already.
    assert refusal(done).endswith(
        f": run {run.run.run_id}, episode {score.episode_id}, turn 1, structural (similarity): "
        f"is {min(10.0, score.value + 5)!r}, computed again {score.value!r} (and 9 more)"
    )
    assert "README.md" not in hub.repos[REPO].tree
    assert hub.repos[REPO].tags == {}


def test_only_new_runs_are_computed_and_the_others_stay_as_the_parent_says(
    scored: Scored, release: Path, tmp_path: Path
) -> None:
    first = recheck_new_runs(release, check_release(release), None, VerifiedRuns())
    assert first.changed == (VERIFICATION, "README.md")
    run = sample_run(tmp_path / "third", scored.instances, sample_submission("third-block"))
    score_runs([run], ScoringPlan(), workers=1)
    build_release([run.path], scored.instances.folder, tmp_path / "next", BuildPlan(previous=release))
    assert len(read_verification(tmp_path / "next").runs) == 2
    report = check_release(tmp_path / "next")
    assert report.faults == ()
    second = recheck_new_runs(tmp_path / "next", report, read_release(release), read_verification(release))
    assert second.lines[0] == "computed again: 1 run, 12 episodes by the rules"
    assert [run.run_id for run in read_verification(tmp_path / "next").runs] == sorted(
        [run.run.run_id, *(scored.run(slug).run.run_id for slug in PAIRS)]
    )
    assert check_release(tmp_path / "next").faults == ()


def test_a_run_that_was_scored_again_is_computed_again(scored: Scored, release: Path, tmp_path: Path) -> None:
    recheck_new_runs(release, check_release(release), None, VerifiedRuns())
    run = shutil.copytree(scored.run(PAIRS[0]).path, tmp_path / "run")
    lines = (run / "scores.jsonl").read_text("utf-8").splitlines(keepends=True)
    (run / "scores.jsonl").write_text("".join(line for line in lines if '"by":"uqi"' not in line), "utf-8")
    build_release([run], scored.instances.folder, tmp_path / "next", BuildPlan(previous=release))
    other = scored.run(PAIRS[1]).run.run_id
    assert [run.run_id for run in read_verification(tmp_path / "next").runs] == [other]


def test_what_a_release_says_of_itself_is_not_believed(scored: Scored, release: Path) -> None:
    recheck_new_runs(release, check_release(release), None, VerifiedRuns())
    honest = (release / VERIFICATION).read_bytes()
    runs = read_verification(release).runs
    more = tuple(run.model_copy(update={"judges": {"structural": 1000}}) for run in runs)
    (release / VERIFICATION).write_text(dump_verification(VerifiedRuns(runs=more)), "utf-8")
    faults = check_release(release).faults
    assert faults  # the card says otherwise
    assert all(fault.startswith("README.md:") and "under Values computed again" in fault for fault in faults)
    other = tuple(run.model_copy(update={"key": "0" * 64}) for run in runs)
    (release / VERIFICATION).write_text(dump_verification(VerifiedRuns(runs=other)), "utf-8")
    said = f"run {scored.run(PAIRS[0]).run.run_id} had other rows when it was computed again; push does it anew"
    assert f"{VERIFICATION}: {said}" in check_release(release).faults
    recheck_new_runs(release, check_release(release), None, VerifiedRuns())
    assert (release / VERIFICATION).read_bytes() == honest


def test_a_damaged_verification_is_a_fault(release: Path) -> None:
    (release / VERIFICATION).write_text("{}{", "utf-8")
    assert any(fault.startswith(f"{VERIFICATION}: ") for fault in check_release(release).faults)


def test_what_verify_has_computed_here_is_not_computed_again(
    release: Path, tmp_path: Path, hub: HubServer, ircore_on: Command
) -> None:
    caches = {"IRCORE_CACHE": str(tmp_path / "caches")}
    assert ircore_on("release", "verify", release, "--no-load", **caches).code == 0
    done = ircore_on("release", "push", release, "--repo", REPO, **caches)
    assert (done.code, REMEMBERED in done.err, "24 episodes" in done.err) == (0, True, False), done.err
    said = VerifiedRuns.model_validate_json(text_of(hub, VERIFICATION))
    assert [(run.share, run.judges) for run in said.runs] == [(1.0, {"structural": 30})] * 2
    assert check_release(release).faults == ()


def test_only_a_whole_and_faultless_check_of_these_bytes_is_remembered(release: Path) -> None:
    assert check_release_fully(str(release), load=False, draw=Draw(0.5, seed=1)).faults == ()
    assert recall_verification(release) is None
    notes = release / "notes.txt"
    notes.write_text("not part of a release")
    assert check_release_fully(str(release), load=False, draw=Draw()).faults == ("notes.txt: not part of a release",)
    notes.unlink()
    assert recall_verification(release) is None
    assert check_release_fully(str(release), load=False, draw=Draw()).faults == ()
    seen = recall_verification(release)
    assert seen is not None
    assert [run.episodes for run in seen.runs] == [12, 12]
    with (release / "CHANGELOG.md").open("a") as file:
        file.write("\n")
    assert recall_verification(release) is None
