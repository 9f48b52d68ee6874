"""Which of two things counts at the border: the first hand-out, the last request, the whole line."""

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from invented import invented_set
from manifest_attacks import GOOD
from target_instances import target_instance

from ircore.core.drawing import Drawing
from ircore.core.episode_records import Rendering
from ircore.core.images import Picture
from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.records import collect_renderings, list_rendered_turns, list_turns
from ircore.instances.store import write_instances
from ircore.results.statistics.intervals import Estimate
from ircore.runs.events import CallKey, End, Event, Failure
from ircore.runs.folder import RunFolder
from ircore.submissions import paid_answers
from ircore.submissions.addresses import link_problem
from ircore.submissions.channel.channel_test import ChannelResult
from ircore.submissions.check.submission import Neighbour, check_bytes
from ircore.submissions.copies.comparison import Comparison
from ircore.submissions.copies.index import look_at
from ircore.submissions.findings import select_errors
from ircore.submissions.rescoring import flags as flagging
from ircore.submissions.rescoring import rules
from ircore.submissions.rescoring.messages import find_disguise
from ircore.submissions.rescoring.rules import Replay
from ircore.submissions.seasons import Committed
from ircore.submissions.secret_slice import select_slice


@pytest.mark.parametrize(("low", "high", "is_collapsed"), [(0.01, 0.05, True), (0.01, 0.9, False)])
def test_a_score_collapses_only_where_its_upper_end_does(low: float, high: float, is_collapsed: bool) -> None:
    known = Estimate(8.0, 7.5, 8.5, 42)
    result = ChannelResult("pair", {"own": known}, {"same": Estimate(0.03, low, high, 42)}, gain=4.0)
    assert (result.verdict == "collapsed") is is_collapsed


def test_letters_with_accents_of_their_own_are_not_marked() -> None:
    # Ancient Greek, decomposed: the vowel carries breathing, accent and iota, and no mark after composition.
    plain = "\u03c9\u0314\u0342\u0345 tini"
    assert find_disguise(plain) is None
    assert find_disguise("a\u0301\u0301\u0301\u0301 red circle") is not None


@pytest.mark.parametrize(("link", "is_taken"), [
    ("https://a.github.io/x", True), ("https://github.io/x", True), ("https://www.github.com/x", True),
    ("https://evilgithub.io/x", False), ("https://a.evilgithub.io/x", False),
    ("https://github.io.evil.example/x", False),
    ("https://wwwgithub.com/x", False), ("https://a.github.com/x", False),
])  # fmt: skip
def test_a_host_below_a_listed_one_begins_at_its_dot(link: str, is_taken: bool) -> None:
    assert (link_problem(link) is None) is is_taken


THERE = (Neighbour("somebodys-pair", "Somebody's pair", {"LAB_KEY": "lab.example.org"}),)


def keyed(*hosts: str, key: str = "LAB_KEY") -> list[str]:
    """Field of each fault of a pair whose describer and generator ask these hosts with one key."""
    seats = [
        f"{{player: {player}, model: m, base_url: 'https://{host}/v1', api_key_env: {key}}}"
        for player, host in zip(("openai", "openai-images"), hosts, strict=False)
    ]
    lines = GOOD.splitlines()
    for place, (name, spec) in enumerate(zip(("describer", "generator"), seats, strict=False), start=2):
        lines[place] = f"{name}: {spec}"
    checked = check_bytes("\n".join(lines).encode(), "submission.yaml", "plain-pair", THERE)
    return [fault.field for fault in select_errors(checked.findings) if fault.field.endswith("api_key_env")]


@pytest.mark.parametrize(("hosts", "key", "faults"), [
    # An honest second submission to the same service, and a pair whose seats share it.
    (("lab.example.org",), "LAB_KEY", []), (("lab.example.org", "lab.example.org"), "LAB_KEY", []),
    (("own.example.net",), "OWN_KEY", []),
    (("evil.example",), "LAB_KEY", ["describer.api_key_env"]),
    (("lab.example.org", "evil.example"), "LAB_KEY", ["generator.api_key_env", "generator.api_key_env"]),
    (("own.example.net", "evil.example"), "OWN_KEY", ["generator.api_key_env"]),
])  # fmt: skip
def test_a_key_goes_to_one_host_whoever_names_it(hosts: tuple[str, ...], key: str, faults: list[str]) -> None:
    assert keyed(*hosts, key=key) == faults


def test_an_episode_ends_once_more_after_an_outage_and_only_then(run: RunFolder) -> None:
    game, events = ReconstructionGame(), list(run.events())
    ended = next(event.episode for event in events if isinstance(event, End))
    down = {"outcome": "aborted", "abort_reason": "provider_error", "detail": "down", "steps": ()}
    failure = Failure(episode_id=ended.episode_id, turn=1, role="describer", reason="provider_error", detail="down")

    def faults(*before: Event) -> tuple[str, ...]:
        return Replay(run.run, run.instances, game, game.prompts(None)).faults((*before, *events))

    assert faults() == ()
    assert faults(failure, End(episode=ended.model_copy(update=down))) == ()
    assert faults(End(episode=ended))[0].endswith("ended twice")


def test_a_rendering_of_several_turns_is_named_by_the_first(run: RunFolder) -> None:
    dot = Picture.from_pixels(np.zeros((8, 8, 3), np.uint8))
    drawn = Rendering(sha256=dot.sha256, width=8, height=8)
    ended = next(event for event in run.events() if isinstance(event, End)).episode
    steps = tuple(
        step.model_copy(update={"rendering": drawn}) if step.rendering else step for step in list_turns(ended)
    )
    assert len(collect_renderings(ended)) > 1
    flags = flagging.find_flags(run.run, [End(episode=ended.with_steps(steps))], run.instances, lambda _: dot)
    assert [flag.where for flag in flags if flag.rule == "tiny_rendering"] == [f"{ended.episode_id}, turn 1"]


@pytest.mark.parametrize(
    ("recorded", "by_rules", "same"),
    [
        (True, 1, False), (1, True, False), (1, 1.0, True), (0.1 + 0.2, 0.3, True), ("1", 1, False),
        ({"turns": [1]}, {"turns": [True]}, False), ([1, 2], [1], False), ({"a": None}, {}, False),
    ],
)  # fmt: skip
def test_true_is_not_1_in_a_transcript(recorded: Any, by_rules: Any, same: bool) -> None:
    assert rules._are_same(by_rules, recorded) is same


def pictures_of(count: int) -> list[Picture]:
    """Drawn pictures with fine detail of their own."""
    drawings = [Drawing(160, 160) for _ in range(count)]
    for number, drawing in enumerate(drawings):
        for place in range(9):
            middle = (22.3 + 50 * (place % 3) + number, 22.7 + 50 * (place // 3))
            drawing.ellipse(middle, (9.3 + number, 14.6 + place), "#1f77b4", rotation=17 * place + 5 * number)
    return [Picture.from_pixels(drawing.pixels) for drawing in drawings]


@pytest.mark.parametrize(
    ("played", "copied", "turns", "held"),
    [(6, 5, 1, True), (6, 1, 5, False), (2, 2, 1, False), (12, 4, 1, False)],
    ids=["five of six targets", "one target in five turns", "two of two", "four of twelve"],
)
def test_copies_of_many_targets_hold_a_run_and_many_copies_of_one_do_not(
    tmp_path: Path, played: int, copied: int, turns: int, held: bool
) -> None:
    targets = {f"target-{number}": picture for number, picture in enumerate(pictures_of(played))}
    made = [
        (target_instance(name, target, category="geometry"), {"target": target}) for name, target in targets.items()
    ]
    blank = Picture.from_pixels(np.full((160, 160, 3), 250, np.uint8))
    drawn: dict[str, dict[str, int]] = {name: {blank.sha256: 1} for name in targets}
    known = {blank.sha256: blank}
    for name in list(targets)[:copied]:
        darker = [Picture.from_pixels(targets[name].pixels - np.uint8(turn)) for turn in range(1, turns + 1)]
        drawn[name] = {picture.sha256: turn for turn, picture in enumerate(darker, start=1)}
        known |= {picture.sha256: picture for picture in darker}
    looks = cache(lambda sha256: look_at(known[sha256]))
    flags = list(Comparison("turn", drawn, known.__getitem__, looks).with_instances(write_instances(tmp_path, made)))
    assert len(flags) == copied * turns
    assert {flag.grave for flag in flags} == {held}


def test_a_pair_may_draw_its_own_pictures_again_and_no_other_pairs(run: RunFolder) -> None:
    drawn = {
        episode.episode_id: {
            turn.rendering.sha256: turn.turn for turn in list_turns(episode) if turn.rendering is not None
        }
        for episode in run.episodes()
    }
    pictures = {
        turn.rendering.sha256: run.rendering(turn.rendering)
        for episode in run.episodes()
        for turn in list_turns(episode)
        if turn.rendering is not None
    }
    looks = cache(lambda sha256: look_at(pictures[sha256]))
    comparison = Comparison("turn", drawn, pictures.__getitem__, looks)
    assert list(comparison.with_others(run.run, [run], run.instances)) == []
    stranger = run.run.model_copy(update={"slug": "another"})
    assert len(list(comparison.with_others(stranger, [run], run.instances))) == sum(map(len, drawn.values()))


def test_a_question_that_was_answered_after_all_was_not_refused() -> None:
    """Of the episodes a and b, which failed, b was asked once more and answered."""
    failures = [
        Failure(episode_id=name, turn=1, role="describer", reason=reason, detail="no", attempts=())
        for name, reason in (("a", "describer_refused"), ("b", "describer_refused"), ("c", "provider_error"))
    ]
    folder: Any = SimpleNamespace(failures=lambda: failures)
    instances = {name: SimpleNamespace(instance_id=name) for name in "abc"}
    known: Any = SimpleNamespace(instances=SimpleNamespace(named=lambda names: [instances[name] for name in names]))
    calls: Any = {CallKey("b", 1, "describer"): "an answer"}
    assert [failure.episode_id for failure, _ in paid_answers._refusals(folder, calls, known)] == ["a"]


def test_a_rendering_that_is_shown_twice_stands_at_its_first_step(run: RunFolder) -> None:
    episode = run.episodes()[0]
    first, second = list_rendered_turns(episode)
    again = second.model_copy(update={"turn": 3, "rendering": first.rendering})
    repeated = episode.model_copy(update={"turns": (first, second, again)})
    assert first.rendering is not None
    assert flagging._list_drawn(repeated)[first.rendering.sha256] == 1


def test_a_slice_is_of_as_many_conditions_as_there_are() -> None:
    """Of two categories and two difficulties with three pictures each."""
    committed = Committed(None, invented_set(3, ("geometry", "photos")), "ab" * 32)  # type: ignore[arg-type]
    for number in range(5):
        chosen = select_slice(committed, f"run-{number}", 4)
        assert len({(instance.category, instance.difficulty) for instance in chosen}) == 4
