"""What identifies a question, a judge and a run, and which of two records counts: changed one by one."""

import asyncio
import io
import json
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pairs import write_pair
from PIL import Image
from samples import sample_submission

import ircore.runs.answers
from ircore.commands.main import run as command
from ircore.core.episode_records import Usage
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.core.score_records import JudgeIdentity
from ircore.core.submission_records import Opening
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import Rules, list_rendered_turns
from ircore.games.reconstruction.rules import DESCRIBER, GENERATOR
from ircore.instances.store import InstanceSet
from ircore.players.base import (
    Captioned,
    DescriberView,
    GeneratorView,
    JudgeView,
    PictureAnswer,
    PlayerError,
    Question,
    RepairExchange,
    Said,
)
from ircore.runs.animation import animate
from ircore.runs.answers import Cache, RecordedTable, build_known_picture, hash_question, hash_seat
from ircore.runs.costs.forecast import describe_rate
from ircore.runs.costs.prices import Prices, RunPrices
from ircore.runs.costs.totals import Totals
from ircore.runs.engine import Engine
from ircore.runs.events import Call, End, EventEntry, Failure
from ircore.runs.folder import RunFolder, RunWriter
from ircore.runs.judge_answers import AnswerError, read_score, read_verdicts
from ircore.runs.judge_questions import JudgeQuestion, hash_identity
from ircore.runs.merge import merge
from ircore.runs.play import add_run_id, make_run, open_run
from ircore.runs.provenance import (
    Flag,
    compute_commitment,
    compute_seed,
    make_provenance,
    read_provenance,
    record_findings,
    sort_ids,
    write_provenance,
)
from ircore.runs.setup import prepare
from ircore.runs.summary import summarise

SPEC = PlayerSpec(player="openai", model="m", api_key_env="A_KEY")
PICTURE, OTHER = (Picture.from_pixels(np.full((8, 8, 3), shade, np.uint8)) for shade in (0, 255))
CAPTIONED = (Captioned("target", PICTURE),)

VIEWS: list[tuple[Any, dict[str, Any]]] = [
    (
        DescriberView(2, "Go on.", PICTURE, (PICTURE,), ("m",), ("<m>",), ("Begin.",), 200, 7),
        {
            "turn": 3, "prompt": "Go on!", "target": OTHER, "renderings": (OTHER,), "messages": ("n",),
            "replies": ("<n>",), "prompts": ("Start.",), "token_budget": 100, "seed": 8,
        },
    ),
    (
        GeneratorView(1, "m", (), PICTURE, 7, "p"),
        {
            "turn": 2, "message": "n", "earlier": ("m",), "previous": OTHER, "seed": 8, "prompt": "q", "rewrite": True,
        },
    ),
    (
        Question(1, "p", CAPTIONED, ("a",), (Said("p", "a", CAPTIONED),), 7),
        {
            "step": 2, "prompt": "q", "pictures": (Captioned("target", OTHER),), "choices": ("b",),
            "earlier": (Said("p", "a", (Captioned("target", OTHER),)),), "seed": 8, "answers": "choice",
            "unclear": "a", "exact": True,
        },
    ),
    (
        JudgeView("p", CAPTIONED, (), 7, {"type": "integer"}),
        {
            "prompt": "q", "pictures": (Captioned("rendering", PICTURE),), "exchanges": (RepairExchange("r", "s"),),
            "seed": 8, "schema": None,
        },
    ),
]  # fmt: skip


@pytest.mark.parametrize(("view", "others"), VIEWS, ids=[type(view).__name__ for view, _ in VIEWS])
def test_every_part_of_a_view_is_part_of_its_question(view: Any, others: dict[str, Any]) -> None:
    assert others.keys() == {field.name for field in fields(view)}
    keys = {hash_question("seat", replace(view, **{name: other})) for name, other in others.items()}
    assert len(keys | {hash_question("seat", view)}) == len(others) + 1
    # Where pictures stand, each of them counts, and not only how many there are.
    assert hash_question("seat", view) != hash_question("another seat", view)


def test_a_seats_answers_hang_on_seat_player_and_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [hash_seat("describer", SPEC), hash_seat("generator", SPEC)]
    changes: list[dict[str, Any]] = [{"model": "n"}, {"revision": "2"}, {"base_url": "https://a.example/v1"}]
    changes.append({"parameters": {"a": 1}})
    keys += [hash_seat("describer", SPEC.model_copy(update=change)) for change in changes]
    # The name of the variable that holds the key changes no answer.
    assert hash_seat("describer", SPEC.model_copy(update={"api_key_env": "ANOTHER_KEY"})) == keys[0]
    monkeypatch.setattr(ircore.runs.answers, "find_package_version", lambda group, name: ("package", "2"))
    keys.append(hash_seat("describer", SPEC))
    monkeypatch.setattr(ircore.runs.answers, "__version__", "a later one")
    keys.append(hash_seat("describer", SPEC))
    assert len(set(keys)) == len(keys) == 8


def asked(**more: Any) -> JudgeQuestion:
    common = {"judge": "eye", "asked_as": "0" * 64, "prompts": "p", "episode_id": "a", "turn": 3, "target": "1" * 64}
    return JudgeQuestion.model_validate({**common, "task": "similarity", "shown": ("2" * 64,), **more})


def test_every_part_of_a_question_to_a_judge_is_part_of_its_key() -> None:
    pair = {"task": "preference", "shown": ("2" * 64, "3" * 64)}
    questions = [
        asked(), asked(judge="ear"), asked(asked_as="4" * 64), asked(target="4" * 64), asked(shown=("4" * 64,)),
        asked(repair=True), asked(task="sentences", words="5" * 64, sentences=2),
        asked(task="sentences", words="6" * 64, sentences=2),
        asked(**pair, order="first_leading"), asked(**pair, order="final_leading"),
        asked(**{**pair, "shown": ("3" * 64, "2" * 64)}, order="final_leading"),
    ]  # fmt: skip
    assert len({question.key for question in questions}) == len(questions)
    # Where and when it was asked first changes nothing.
    assert asked().key == asked(episode_id="b", turn=1, prompts="q", text="7").key


def test_who_is_asked_hangs_on_player_words_and_version_alone() -> None:
    judge = JudgeIdentity(name="eye", label="Eye", kind="model", player=SPEC, prompts="p", version="1")

    def key(**more: object) -> str:
        return hash_identity(judge.model_copy(update=more))

    keys = [key(), key(player=SPEC.model_copy(update={"model": "n"})), key(prompts="q"), key(version="2")]
    assert len(set(keys)) == 4
    assert key(name="ear", label="Ear", family="gpt") == keys[0]


@pytest.mark.parametrize(("order", "choice", "value"), [
    ("first_leading", "A", 0.0), ("first_leading", "B", 1.0), ("final_leading", "A", 1.0), ("final_leading", "B", 0.0),
])  # fmt: skip
def test_the_order_says_which_of_two_unnamed_pictures_is_the_final_one(order: str, choice: str, value: float) -> None:
    question = asked(task="preference", shown=("2" * 64, "3" * 64), order=order, text=f'{{"choice": "{choice}"}}')
    assert question.read().value == value


def test_of_a_value_that_stands_twice_the_plainest_place_counts() -> None:
    for text in ('{"score": "7"} {"score": 7}', '{"score": 7} {"score": "7"}'):
        assert read_score(text).value == 7
        assert read_score(text).leniencies == ("surrounding_text",)


def test_a_list_of_another_length_tells_no_verdicts() -> None:
    assert read_verdicts('["yes", "no"]', 2).value == "10"
    assert read_verdicts('{"1": "yes", "2": "no"}', 2).value == "10"
    for text in ('["yes", "no", "yes"]', '["yes"]'):
        with pytest.raises(AnswerError, match="a verdict on 0 of 2 sentences"):
            read_verdicts(text, 2)


def test_a_file_of_another_size_is_written_anew(instances: InstanceSet, tmp_path: Path) -> None:
    cache = Cache(tmp_path, {"generator": SPEC}, generators=True)
    picture, question = instances.picture(instances.instances[0], "target"), GeneratorView(1, "m", (), None, 7, "p")
    cache.keep(GENERATOR, question, PictureAnswer(picture))
    (file,) = tmp_path.glob("pictures/*/*.png")
    file.write_bytes(picture.data[:100])
    cache.keep(GENERATOR, question, PictureAnswer(picture))
    assert file.read_bytes() == picture.data


DESCRIBED = DescriberView(1, "p", PICTURE, (), (), (), (), 200, 7)


def failed(reason: str, detail: str) -> Failure:
    return Failure.model_validate(
        {"episode_id": "a", "turn": 1, "role": "describer", "reason": reason, "detail": detail}
    )


def test_of_several_failures_the_latest_counts_that_is_no_stop() -> None:
    failures = [failed("provider_error", "first"), failed("describer_refused", "second"), failed("stopped", "third")]
    table = RecordedTable("a", {}, failures, build_known_picture)
    with pytest.raises(PlayerError, match="second") as refused:
        asyncio.run(table.ask(DESCRIBER, DESCRIBED))
    assert refused.value.reason == "describer_refused"


def test_a_test_replaces_its_own_finding_alone(tmp_path: Path) -> None:
    (tmp_path / "submission.yaml").write_text("schema: 1\n")
    write_provenance(tmp_path, make_provenance(tmp_path / "submission.yaml", None))
    own, newer, other = (Flag(rule=rule, where="a", what=what) for rule, what in (("r", "1"), ("r", "2"), ("s", "3")))

    def after(rule: str, *flags: Flag) -> list[str]:
        record_findings(tmp_path, {rule}, flags)
        known = read_provenance(tmp_path)
        assert known is not None
        return sorted(flag.what for flag in known.flags)

    assert after("r", own) == ["1"]
    assert after("s", other) == ["1", "3"]
    assert after("r", newer) == ["2", "3"]
    assert after("r") == ["3"]


def test_answers_without_a_request_make_no_cost_known() -> None:
    submission = sample_submission().submission.model_copy(update={"describer": SPEC})
    prices = RunPrices(Prices({}), submission)
    free = Call(episode_id="a", turn=1, role="describer", text="kept", usage=Usage(requests=0), seconds=0)
    asked_for = free.model_copy(update={"usage": Usage(requests=1, prompt_tokens=5)})
    assert Totals.of([free, asked_for], prices).as_dict()["cost_usd"] is None
    assert Totals.of([free], prices).cost_known


def test_a_failed_episode_has_ended_is_not_finished_and_its_later_end_counts(run: RunFolder) -> None:
    first = run.episodes()[0]
    failure = first.with_steps((), outcome="aborted", abort_reason="provider_error", detail="down")
    with run.lock(), RunWriter(run) as writer:
        writer.record([EventEntry(End(episode=failure))])
    assert run.read_endings()[first.episode_id].abort_reason == "provider_error"
    assert (summarise(run)["unfinished"], summarise(run)["episodes"]) == (1, 4)
    with pytest.raises(InputError, match="played to its end in no shard"):
        merge([run.path], run.path.with_name("merged"))
    with run.lock(), RunWriter(run) as writer:
        writer.record([EventEntry(End(episode=first))])
    assert run.read_endings()[first.episode_id] == first
    assert summarise(run)["unfinished"] == 0


def test_nothing_is_measured_before_an_episode_has_ended(tmp_path: Path, instances: InstanceSet) -> None:
    loaded = sample_submission()
    loaded = loaded._replace(submission=loaded.submission.model_copy(update={"describer": SPEC}))
    folder = open_run(
        tmp_path / "run", make_run(loaded, instances, Rules(), load_prompts("reconstruction"), 0), instances
    )
    prices = RunPrices(Prices({}), loaded.submission)
    call = Call(episode_id=instances.instances[0].instance_id, turn=1, role="describer", text="m", seconds=1)
    with folder.lock(), RunWriter(folder) as writer:
        writer.record([EventEntry(call)])
    assert describe_rate(folder, prices, 4) == ""


def test_the_id_of_a_run_follows_from_all_but_the_time(instances: InstanceSet) -> None:
    def made(slug: str = "pair", seed: int = 0, rules: Mapping[str, int] | None = None) -> str:
        words = load_prompts("reconstruction")
        run = make_run(sample_submission(slug), instances, Rules(**(rules or {})), words, seed)
        return run.run_id

    ids = [made(), made(slug="other"), made(seed=1), made(rules={"max_turns": 3})]
    assert len(set(ids)) == 4
    run = make_run(sample_submission("pair"), instances, Rules(), load_prompts("reconstruction"), 0)
    later = run.model_copy(update={"started": "2030-01-01T00:00:00+00:00"})
    assert add_run_id(later).run_id == add_run_id(run).run_id == ids[0]


def test_a_commitment_hangs_on_name_pair_and_salt_and_the_order_on_salt_and_nonce() -> None:
    submission = sample_submission().submission
    other = submission.model_copy(update={"describer": SPEC})
    made = [
        compute_commitment(slug, pair, salt)
        for slug, pair, salt in (
            ("a", submission, "0" * 64), ("b", submission, "0" * 64),
            ("a", other, "0" * 64), ("a", submission, "1" * 64),
        )
    ]  # fmt: skip
    assert len(set(made)) == 4
    ids = [f"target-{number}" for number in range(8)]
    openings = [Opening(salt=salt * 64, nonce=nonce * 64) for salt, nonce in ("00", "01", "10")]
    orders = [sort_ids(opening, ids) for opening in openings]
    assert all(sorted(order) == ids for order in orders)
    assert len({tuple(order) for order in [*orders, ids]}) == 4
    assert sort_ids(openings[0], reversed(ids)) == orders[0]
    assert len({compute_seed(opening) for opening in openings}) == 3


def test_the_finished_drawing_stands_longest(run: RunFolder, tmp_path: Path) -> None:
    animate(run, run.episodes()[0].episode_id, tmp_path / "a.png", ())
    with Image.open(io.BytesIO((tmp_path / "a.png").read_bytes())) as animation:
        lasting = []
        for frame in range(animation.n_frames):  # type: ignore[attr-defined]
            animation.seek(frame)
            lasting.append(animation.info["duration"])
    assert max(lasting[:-1]) < lasting[-1]


def test_an_answer_is_counted_when_it_is_written_and_players_are_closed_after_the_last_one() -> None:
    done: list[str] = []

    async def step(name: str) -> None:
        await asyncio.sleep(0)
        done.append(name)

    entry = SimpleNamespace(counted="the question")
    inquiry = SimpleNamespace(find_recorded=lambda: None, find_cached=lambda: entry)
    recorder = SimpleNamespace(record=lambda entry: step("written"), close=lambda: step("all written"))
    limit = SimpleNamespace(count_question=lambda *words: done.append("counted"), ended_early=None, note=lambda: "")
    engine: Engine[Any] = Engine(recorder, limit, SimpleNamespace(refresh=lambda note: None))  # type: ignore[arg-type]

    async def settle() -> None:
        await engine.settle(inquiry)  # type: ignore[arg-type]

    player = SimpleNamespace(close=lambda: step("closed"))
    asyncio.run(engine.run([settle()], None, [player]))
    assert done == ["written", "counted", "all written", "closed"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["episode.png", "episode.webp"])
def test_an_episode_has_two_frames_a_turn(run: RunFolder, tmp_path: Path, name: str) -> None:
    episode = run.episodes()[0]
    words = ["show", str(run.path), "--episode", episode.episode_id, "--animate", str(tmp_path / name)]
    assert command(words) == 0
    with Image.open(tmp_path / name) as animation:
        assert getattr(animation, "n_frames", 1) == 2 * len(list_rendered_turns(episode))
        target = run.instances.picture(next(iter(run.instances.instances.select({episode.instance_id}))), "target")
        # The middle of the target at the left, fitted into 400 pixels, under a head of 50.
        shown = np.asarray(animation.convert("RGB"))[50 + 200, 20 + 200]
        wanted = target.pixels[target.height // 2, target.width // 2]
        assert np.abs(shown.astype(int) - wanted.astype(int)).max() < 24


def test_a_pair_is_the_same_run_whichever_seat_its_manifest_names_first(tmp_path: Path, instances: InstanceSet) -> None:
    manifest = write_pair(tmp_path, {"player": "classical"}, {"player": "canvas"})

    def run_id() -> str:
        loaded, game, played_set, rules = prepare(manifest, instances.folder, {})
        return make_run(loaded, played_set, rules, game.read_prompts(None), seed=0).run_id

    first = run_id()
    manifest.write_text(json.dumps(dict(reversed(json.loads(manifest.read_text()).items()))))
    assert run_id() == first
