"""Keys of parts and releases, and which of two lines counts: changed one by one, told apart by examples."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hub_clients import Outcome
from hub_server import HubServer

from dataset_card.card.verification import run_key
from dataset_card.checking.file_checks import compare_texts
from dataset_card.checking.recomputing import judge_obstacle
from dataset_card.checking.rescored_run import Draw
from dataset_card.findings import Findings, Pictures, are_same_value
from dataset_card.hub.head import is_descendant
from dataset_card.hub.pull import refuse_unsafe
from dataset_card.hub.push import replace_release
from dataset_card.releases.record import compute_content_hash
from dataset_card.tables.columns import Config, ReleaseColumn
from dataset_card.tables.rows import parse_cost
from dataset_card.tables.writing import TablePart, compute_part_key
from ircore.core.episode_records import EpisodeCost
from ircore.core.errors import WorkError
from ircore.core.images import Picture
from ircore.core.plugins import load_plugin
from ircore.core.score_records import JudgeIdentity

COLUMNS = (ReleaseColumn("word", "string", "A word."), ReleaseColumn("share", "float64", "A share."))
TABLE = Config("words", "a word", COLUMNS)


def part(config: str, run_id: str | None, key: str) -> TablePart:
    return TablePart(config=config, run_id=run_id, key=key * 64, rows=1, num_bytes=1, shards=())


def test_a_verification_rests_on_the_records_of_its_run_alone() -> None:
    own = [part("episodes", "a-run", "1"), part("scores", "a-run", "2")]
    key = run_key(own, "a-run")
    assert run_key(own[::-1], "a-run") == key
    assert (
        run_key(
            [*own, part("scores", "b-run", "3"), part("corrections", "a-run", "4"), part("leaderboard", None, "4")],
            "a-run",
        )
        == key
    )
    changed = [[part("episodes", "a-run", "5"), own[1]], [own[0], part("scores", "a-run", "5")], own[:1]]
    assert len({key, *(run_key(parts, "a-run") for parts in changed)}) == 4


def test_the_key_of_a_part_hangs_on_table_columns_and_every_value() -> None:
    row: dict[str, Any] = {"word": "red", "share": 0.5}
    others = [
        compute_part_key(TABLE, [row]), compute_part_key(TABLE, []), compute_part_key(replace(TABLE, name="other"), []),
        compute_part_key(replace(TABLE, columns=COLUMNS[:1]), []), compute_part_key(TABLE, [{**row, "word": "blue"}]),
        compute_part_key(TABLE, [{**row, "share": 0.25}]), compute_part_key(TABLE, [{**row, "share": None}]),
        compute_part_key(TABLE, [row, row]),
    ]  # fmt: skip
    assert len(set(others)) == len(others)
    # A whole number that a reader gives back as an integer is the same number.
    assert compute_part_key(TABLE, [{**row, "share": 0}]) == compute_part_key(TABLE, [{**row, "share": 0.0}])


def test_the_content_of_a_release_hangs_on_parts_files_and_layout_and_on_no_order() -> None:
    parts, texts = (part("episodes", "a", "1"), part("turns", "a", "2")), {"runs.jsonl": "a", "judges.jsonl": ""}
    content = compute_content_hash(parts, texts, "layout")
    assert compute_content_hash(parts[::-1], dict(reversed(texts.items())), "layout") == content
    assert compute_content_hash(parts, {"runs.jsonl": "a"}, "layout") == content
    others = [
        compute_content_hash(parts[:1], texts, "layout"),
        compute_content_hash(parts, {**texts, "runs.jsonl": "b"}, "layout"),
        compute_content_hash(parts, texts, "another"),
        compute_content_hash((part("turns", "b", "2"), parts[0]), texts, "layout"),
    ]  # fmt: skip
    assert len({content, *others}) == 5


@pytest.mark.parametrize(("cost", "known"), [(None, None), (0.0, 0.0), (0.25, 0.25)])
def test_an_unknown_cost_is_no_cost_of_nothing(cost: float | None, known: float | None) -> None:
    assert parse_cost({"cost_usd": cost, "seconds": 1.5}) == EpisodeCost(usd=known, seconds=1.5)


def test_each_run_has_a_draw_of_its_own_that_does_not_hang_on_others() -> None:
    episodes: Any = tuple(range(40))
    drawn = {run: Draw(0.2, seed=7).of(run, episodes) for run in ("a", "b", "c")}
    assert len(set(drawn.values())) == 3
    assert Draw(0.2, seed=7).of("a", episodes) == drawn["a"] != Draw(0.2, seed=8).of("a", episodes)
    assert len(Draw(0.07, seed=1).of("a", (*episodes, *episodes, *episodes[:20]))) == 7


def test_a_picture_is_bytes_with_their_hash_under_a_plain_name() -> None:
    picture = Picture.from_pixels(np.zeros((2, 2, 3), np.uint8))
    data, sha256 = picture.data, picture.sha256

    def faults(cell: object, stated: object) -> list[str]:
        findings = Findings()
        Pictures(findings).check("row 1", cell, stated)
        return findings.faults

    assert faults({"bytes": data, "path": "a.png"}, sha256) == []
    assert faults(None, None) == []
    for cell in ({"bytes": None, "path": None}, {"bytes": None, "path": "a.png"}):
        assert all("without bytes" in faults(cell, stated)[0] for stated in (None, sha256))
    for name in ("../a.png", "..\\a.png", "/a.png"):
        assert "has folders in it" in faults({"bytes": data, "path": name}, sha256)[0]


def test_sums_are_the_same_up_to_rounding_and_other_numbers_are_not() -> None:
    assert are_same_value(0.1 + 0.2, 0.3)
    assert are_same_value(3.0, 3)
    assert not are_same_value(0.3, 0.300001)
    assert not are_same_value("3", 3)
    assert are_same_value([1, 2], (1, 2))


def test_lines_that_recur_at_both_ends_are_counted_once() -> None:
    (fault,) = compare_texts(b"a\nb", b"a\nb\na\nb")
    assert "missing" in fault[1]
    assert list(compare_texts(b"a\nb\na", b"a\nb\na")) == []


def test_another_version_of_a_judge_may_rate_otherwise_without_being_wrong() -> None:
    judge = load_plugin("judges", "structural")
    assert judge_obstacle("structural", None) is None
    identity = JudgeIdentity(name="structural", label=judge.label, kind="computed", version="0 of long ago")
    assert "0 of long ago in the release" in str(judge_obstacle("structural", identity))
    # Who calls a computed judge a model may not have its values passed over.
    claimed = JudgeIdentity(name="structural", label="x", kind="model", version="2")
    assert judge_obstacle("structural", claimed) is None


@pytest.mark.parametrize(
    "names",
    [
        ["images//a.png"], ["./a.png"], ["a/../b.png"], [".a.png"], ["/a.png"], ["a"], ["A.png", "a.png"],
        ["../evil.png"], ["instances.jsonl"], ["a\\b.png"],
    ],
)  # fmt: skip
def test_two_spellings_of_a_file_and_ways_out_of_the_set_are_refused(names: list[str]) -> None:
    refuse_unsafe([("first", "images/a.png"), ("second", "images/b.PNG"), ("third", "images/a.png")])
    with pytest.raises(WorkError, match="is not a safe file name"):
        refuse_unsafe((f"target-{place}", name) for place, name in enumerate(names))


def test_a_release_that_cannot_be_replaced_is_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "release.json").write_text("{}")
    with pytest.raises(WorkError, match="cannot be replaced"):
        replace_release(tmp_path / "release", tmp_path / "was-never-merged")
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    assert (tmp_path / "release" / "release.json").is_file()


def test_equal_histories_are_the_same_release_only_with_the_same_content() -> None:
    def record(content: str, *history: str, parent: str | None = "x") -> Any:
        return SimpleNamespace(content=content, history=history, parent=parent)

    assert is_descendant(record("a", "second", "first"), record("a", "second", "first"))
    assert not is_descendant(record("b", "second", "first"), record("a", "second", "first"))
    assert is_descendant(record("b", "third", "second", "first"), record("a", "second", "first"))
    assert not is_descendant(record("b", "third", "other", "first"), record("a", "second", "first"))
    assert not is_descendant(record("b", "second", "first", parent=None), record("a", "first"))


@pytest.mark.slow
def test_a_release_is_made_public_after_its_tag_is_set(release: Any, hub: HubServer, ircore_on: Any) -> None:
    done: Outcome = ircore_on("release", "push", release, "--repo", "org/irg", "--public")
    assert done.code == 0, done.err
    asked = [name.split("?")[0] for name in hub.requests]
    places = {
        what: next(place for place, name in enumerate(asked) if name.startswith(what))
        for what in (
            "POST /api/datasets/org/irg/commit",
            "POST /api/datasets/org/irg/tag",
            "PUT /api/datasets/org/irg/settings",
        )
    }
    assert list(places) == sorted(places, key=places.__getitem__)
