"""Loading a release: the typed loader, and every block of the page about it, with answers worked out by hand."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_clients import Outcome, run_with_hub
from hub_server import HubServer
from PIL import Image
from releases import FINALS, TRANSCRIPTS, rewrite, table

import ircore
from dataset_card.data import load_results, load_table, load_transcripts
from dataset_card.tables.schema import LEADERBOARD, SCORES
from ircore.core.errors import InputError, WorkError
from ircore.core.tokens import count_tokens

pytestmark = pytest.mark.slow


PAGES = [Path(__file__).parents[2] / "docs" / name for name in ("load.md", "load-questions.md")]


def test_results_of_a_faulty_release_are_not_computed(release: Path) -> None:
    rewrite(release, SCORES, lambda rows: rows[0].update(value=1.5))
    with pytest.raises(WorkError, match="the records say"):
        load_results(str(release))


def test_a_table_is_a_frame_without_pictures_unless_asked(built: Path) -> None:
    place = str(built / "release")
    turns = load_transcripts(place)
    assert len(turns) == 2 * 10 * 3
    assert list(turns.columns) == [column.name for column in TRANSCRIPTS.columns if column.kind != "image"]
    assert turns["turn"].tolist() == [1, 2, 3] * 20
    with_pictures = load_transcripts(place, pictures=True)
    assert with_pictures["target"][0] == table(built / "release", TRANSCRIPTS)[0]["target"]
    assert len(load_table(place, "leaderboard")) == len(table(built / "release", LEADERBOARD))


def test_a_missing_table_is_named(release: Path) -> None:
    shutil.rmtree(release / "data/scores")
    with pytest.raises(InputError, match="data/scores: is missing"):
        load_table(str(release), "scores")


def test_every_block_of_the_page_runs_and_answers(
    release: Path, tmp_path: Path, hub: HubServer, ircore_on: Callable[..., Outcome]
) -> None:
    pytest.importorskip("polars")
    pytest.importorskip("duckdb")
    pytest.importorskip("mlcroissant")
    assert ircore_on("release", "push", release, "--repo", "org/irg", "--revision", "v1.0.0").code == 0
    script, page = Path(__file__).with_name("run_page.py"), tmp_path / "pages.md"
    page.write_text("\n".join(part.read_text("utf-8") for part in PAGES), "utf-8")
    names = ["ORG/NAME=org/irg", f"build/demo/dataset={release}", f'"worst.png"="{tmp_path / "worst.png"}"']
    done = run_with_hub(hub, tmp_path / "hf", [str(script), str(page), *names])
    assert done.code == 0, done.err
    answers = [answer for answer in json.loads(done.out.splitlines()[-1]) if answer is not None]
    gain, by_turn, outcomes, length, hard, difficulty, board, comparison = answers[:8]
    agreement, contradicted, corrected, words, worst = answers[8:]
    # In each run 10 of 12 episodes are played; first 6, finals 7 and 9 in turn, or 5 always.
    gains = [(row["submission"], row["mean"], row["count"]) for row in gain]
    assert gains == [("centre-block", 2.0, 10), ("other-block", -1.0, 10)]
    assert [(row["submission"], row["step"], row["similarity"], row["n"]) for row in by_turn] == [
        ("centre-block", 1, 6.0, 10),
        ("centre-block", 2, 8.0, 10),
        ("other-block", 1, 6.0, 10),
        ("other-block", 2, 5.0, 10),
    ]
    assert [(outcome["outcome"], outcome["abort_reason"], outcome["episodes"]) for outcome in outcomes] == [
        ("aborted", "describer_format", 2),
        ("converged", None, 10),
    ] * 2
    assert sum(item["n"] for item in length) == 2 * 10 * 2
    assert {(row["mean"], row["count"]) for row in hard} == {(6.0, 2), (7.0, 2)}
    assert comparison["difference"]["mean"] == pytest.approx(3.0)
    # Finals in the order of the played episodes: 7 9 | 7 9 | 7 9 7 | 9 7 9, and 5 throughout in the other run.
    assert [(item["category"], item["difficulty"], item["similarity"], item["n"]) for item in difficulty] == [
        ("geometry", "easy", 6.5, 4),
        ("geometry", "hard", 6.5, 4),
        ("simple_shapes", "easy", pytest.approx(38 / 6), 6),
        ("simple_shapes", "hard", pytest.approx(40 / 6), 6),
    ]
    assert [(row["rank_low"], row["rank_high"], row["mean"], row["n"]) for row in board] == [
        (1, 1, pytest.approx(8 * 10 * 10 / 12), 12),
        (2, 2, pytest.approx(5 * 10 * 10 / 12), 12),
    ]
    assert agreement == [{"by": "eye", "eye": 1.0}]
    # The final is always preferred, which in the other run has fewer points than the first.
    against = [(row["submission"], row["against"], row["n"]) for row in contradicted]
    assert against == [("centre-block", 0.0, 10), ("other-block", 1.0, 10)]
    assert corrected == [{"index": 0, "describer": "classical", "colour": 1, "place": 1, "number": 1, "n": 20}]
    tokens = 2 * count_tokens("left 31 colour #1f77b4")
    assert [word["similarity"] for word in words] == [8.0, 5.0]
    assert [word["tokens_a_point"] for word in words] == pytest.approx([tokens / 8, tokens / 5], rel=0.1)
    assert [(row["submission"], row["value"]) for row in worst] == [("other-block", 5.0)] * 5
    assert Image.open(tmp_path / "worst.png").size == (1050, 420)


ON_THE_HUB = """
import ircore, json
board = ircore.board("org/irg")
instances = ircore.load_table("org/irg", "instances", revision="v1.0.0")
faults = ircore.verify("org/irg", revision="v1.0.0", share=0.5).faults
print(json.dumps([board[["submission", "mean", "n"]].values.tolist(), len(instances), faults]))
"""


def test_a_board_of_a_release_is_the_board_of_its_runs(built: Path) -> None:
    runs = ircore.load_results(*(built / "runs" / slug for slug in FINALS))
    released = ircore.load_results(built / "release")
    assert ircore.board(released).equals(ircore.board(runs))
    assert ircore.board(built / "release").equals(ircore.board(released))


def test_a_release_on_the_hub_is_read_at_its_tag(
    release: Path, tmp_path: Path, hub: HubServer, ircore_on: Callable[..., Outcome]
) -> None:
    assert ircore_on("release", "push", release, "--repo", "org/irg", "--revision", "v1.0.0").code == 0
    done = run_with_hub(hub, tmp_path / "hf", ["-c", ON_THE_HUB])
    assert done.code == 0, done.err
    board, instances, faults = json.loads(done.out.splitlines()[-1])
    # Finals are 7 and 9 in turn in one run and 5 in the other, 10 of 12 episodes are played.
    assert board == [["centre-block", 8, 10], ["other-block", 5, 10]]
    assert instances == 12
    assert faults == []


def test_runs_have_no_revision(built: Path) -> None:
    with pytest.raises(ircore.InputError, match="have no revisions"):
        ircore.load_results(built / "runs" / "centre-block", revision="v1")
