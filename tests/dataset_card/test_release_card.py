"""The card: its front matter, its tables, its picture; and that a stranger's words stay words in it."""

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image
from releases import FINALS

from dataset_card.build import read_source
from dataset_card.card import source_licences
from dataset_card.markdown import code_span, escape, render
from dataset_card.schema import CONFIGS
from dataset_card.strip import THUMBNAIL, choose_example, draw_strip
from ircore.instances.store import read_instances


@pytest.fixture(scope="module")
def card(built: Path) -> str:
    return (built / "release" / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def front_matter(card: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(card.split("---\n")[1])
    return document


def test_front_matter_says_what_the_hub_asks_for(front_matter: dict[str, Any]) -> None:
    assert front_matter["license"] == ["cc0-1.0"]
    assert front_matter["language"] == ["en"]
    assert front_matter["size_categories"] == ["n<1K"]
    assert "arxiv:2606.01901" in front_matter["tags"]
    assert [one["config_name"] for one in front_matter["configs"] if one.get("default")] == ["transcripts"]
    assert front_matter["configs"][1]["data_files"] == [{"split": "test", "path": "data/instances/test-*.parquet"}]
    assert {"name": "rendering", "dtype": "image"} in front_matter["dataset_info"][0]["features"]
    assert {"name": "notes", "list": "string"} in front_matter["dataset_info"][0]["features"]


def test_sizes_are_those_of_the_files(built: Path, front_matter: dict[str, Any]) -> None:
    for info in front_matter["dataset_info"]:
        files = (built / "release" / "data" / info["config_name"]).iterdir()
        assert info["download_size"] == sum(path.stat().st_size for path in files)


def test_every_column_is_described(card: str) -> None:
    for config in CONFIGS:
        assert len({column.name for column in config.columns}) == len(config.columns)
        for column in config.columns:
            assert f"| `{column.name}` |" in card


def test_the_board_stands_in_the_card(card: str) -> None:
    row = next(line for line in card.splitlines() if line.startswith("| 1 | classical + canvas | 200 | 8.00 ("))
    assert row.endswith(") | 10 | 2.00 | 83 % |")
    low, high = map(float, re.findall(r"\((.*)–(.*)\)", row)[0])
    # Ten scores of 7 and 9: Student's interval would be 8 ± 0.75.
    assert low == pytest.approx(7.25, abs=0.2)
    assert high == pytest.approx(8.75, abs=0.2)
    assert r"| centre-block &lt;b&gt;pair&lt;/b&gt; | classical | canvas | 200 | 10 | `CC0-1.0` |" in card


def test_the_most_improved_episode_opens_the_card(built: Path, card: str) -> None:
    source = read_source([built / "runs" / slug for slug in FINALS], read_instances(built / "instances"))
    example = choose_example(source)
    # The finals of the better run are 7, 9, 7, 9 …, all first ones 6: its second episode improved most.
    assert (example.run.run.slug, example.result.episode.episode_id) == ("centre-block", "geometry-easy-02")
    assert [example.score(turn) for turn in example.turns] == [6, 9]
    assert "![One episode" in card.split("\n## ")[0]

    strip = np.asarray(Image.open(io.BytesIO(draw_strip(source, example))))
    assert strip.shape[1] > 3 * THUMBNAIL
    middle = strip[12 + THUMBNAIL * 42 // 96]  # the row of pixels through the middle of the squares
    blocks = [middle[12 + index * (THUMBNAIL + 16) :][:THUMBNAIL] for index in range(3)]
    target, first, final = ((block == (0xD6, 0x27, 0x28)).all(axis=1).nonzero()[0] for block in blocks)
    assert abs(int(final[0]) - int(target[0])) <= 1
    assert int(first[0]) - int(target[0]) == pytest.approx(10 * THUMBNAIL / 96, abs=2)


def test_licences_are_counted_by_source(built: Path) -> None:
    source = read_source([built / "runs" / "centre-block"], read_instances(built / "instances"))
    assert source_licences(source) == [("drawn for a test", "CC0-1.0", 12)]
    assert "| drawn for a test | `CC0-1.0` | 12 |" in (built / "release" / "LICENSE.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a red circle", "a red circle"),
        ("# title", "&#35; title"),
        ("1. one\n- two", "&#49;. one - two"),
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("a|b `c` $d$", r"a\|b \`c\` \$d\$"),
        ("[x](https://e.example)", r"\[x\](https&#58;//e.example)"),
        ("@all \x00\x1b", "&#64;all"),
    ],
)
def test_escape(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_a_credit_keeps_its_link_and_nothing_else() -> None:
    assert escape("<i>Jo</i>; https://e.example/a", links=True) == "&lt;i&gt;Jo&lt;/i&gt;; https://e.example/a"


def test_code_keeps_to_its_span() -> None:
    assert code_span("a`b|c\nd") == "`a'b¦c d`"
    assert code_span("") == "–"


def test_templates_escape_without_being_asked() -> None:
    shown = render("LICENSE.md.j2", licences=[], submissions={("<script>", "MIT` |")})
    assert "| &lt;script&gt; | `MIT' ¦` |" in shown
