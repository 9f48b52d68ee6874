"""The card: its front matter, its tables, its picture; and that a stranger's words stay words in it."""

import io
import json
import re
import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from huggingface_hub import DatasetCard
from PIL import Image
from releases import CONFIGS, FINALS

from dataset_card.card.card import CardFacts, count_source_licences, render_card
from dataset_card.card.croissant import CROISSANT, check_croissant, find_key_columns, format_semantic_version
from dataset_card.card.pictures import THUMBNAIL, choose_example, draw_episode, draw_scores, draw_targets
from dataset_card.card.statements import TITLE, build_metadata, build_statements, count_annotators
from dataset_card.checking.file_checks import parse_front_matter
from dataset_card.markdown import escape_markdown, format_code_span, render
from dataset_card.releases.build import build_game_tables
from dataset_card.tables.columns import Config
from dataset_card.tables.game_tables import GameTables, ReleaseSource
from dataset_card.tables.parquet import hash_table_files
from dataset_card.tables.writing import Written
from ircore.core.score_records import JudgeIdentity
from ircore.instances.store import read_instances
from ircore.results.headline import sort_judges
from ircore.runs.folder import RunFolder

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:ConjunctiveGraph", "ignore:The inplace keyword")]


@pytest.fixture(scope="module")
def card(built: Path) -> str:
    return (built / "release" / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def front_matter(card: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(card.split("---\n")[1])
    return document


@pytest.fixture(scope="module")
def source(built: Path) -> GameTables:
    runs = [RunFolder(built / "runs" / slug) for slug in FINALS]
    return build_game_tables(runs, read_instances(built / "instances"))


def test_front_matter_says_what_the_hub_asks_for(front_matter: dict[str, Any]) -> None:
    assert front_matter["license"] == ["cc0-1.0"]
    assert front_matter["language"] == ["en"]
    assert front_matter["size_categories"] == ["n<1K"]
    assert "arxiv:2606.01901" in front_matter["tags"]
    assert [item["config_name"] for item in front_matter["configs"] if item.get("default")] == ["transcripts"]
    assert front_matter["configs"][1]["data_files"] == [{"split": "test", "path": "data/instances/test-*.parquet"}]
    assert {"name": "rendering", "dtype": "image"} in front_matter["dataset_info"][0]["features"]
    assert {"name": "notes", "list": "string"} in front_matter["dataset_info"][0]["features"]


def test_sizes_are_those_of_the_files(built: Path, front_matter: dict[str, Any]) -> None:
    for info in front_matter["dataset_info"]:
        files = (built / "release" / "data" / info["config_name"]).iterdir()
        assert info["download_size"] == sum(path.stat().st_size for path in files)


def test_the_hub_s_own_reader_takes_the_card(built: Path, card: str) -> None:
    loaded = DatasetCard.load(built / "release" / "README.md")
    assert loaded.text == card.split("---\n", 2)[2]
    assert loaded.data.license == ["cc0-1.0"]
    assert loaded.data.pretty_name == TITLE
    # The library's lists of what the Hub knows; writing the card again keeps every field.
    assert set(loaded.data.size_categories) <= set(known_values("size_categories"))
    assert set(loaded.data.annotations_creators) <= set(known_values("creators")["annotations"])
    assert set(loaded.data.language_creators) <= set(known_values("creators")["language"])
    assert set(loaded.data.language) <= known_values("languages").keys()
    assert set(loaded.data.multilinguality) <= known_values("multilingualities").keys()
    assert yaml.safe_load(str(loaded.data)) == yaml.safe_load(card.split("---\n")[1])


def known_values(name: str) -> Any:
    return json.loads((files("datasets.utils.resources") / f"{name}.json").read_text("utf-8"))


def test_the_card_has_every_section_of_the_hub_s_template(card: str) -> None:
    template = (files("huggingface_hub") / "templates" / "datasetcard_template.md").read_text("utf-8")
    wanted = [line.removesuffix(" [optional]") for line in template.splitlines() if re.match(r"##+ ", line)]
    assert "### Direct Use" in wanted
    missing = [line for line in wanted if f"\n{line}\n" not in card]
    assert missing == ["## More Information"]  # the datasheet stands for it


def card_of(source: GameTables) -> str:
    written = [Written(config, 0, 0, ()) for config in CONFIGS]
    return render_card(CardFacts(ReleaseSource((source,)), written, choose_example(source)))


def test_judges_that_rate_lead_the_card_people_first(built: Path, tmp_path: Path) -> None:
    runs = [RunFolder(shutil.copytree(built / "runs" / slug, tmp_path / slug)) for slug in FINALS]
    similarity = [score for score in runs[0].scores() if score.task == "similarity"]
    preference = [score for score in runs[0].scores() if score.task == "preference"]
    runs[0].add_scores(score.model_copy(update={"by": "human", "annotator": "p7"}) for score in similarity)
    runs[0].add_scores(score.model_copy(update={"by": "chooser"}) for score in preference)
    runs[0].keep_judge(JudgeIdentity(name="chooser", label="only chooses", kind="computed"))
    source = build_game_tables(runs, read_instances(built / "instances"))
    assert sort_judges(source.results) == ("human", "eye")
    assert count_annotators(source) == 1
    assert "1 person rated renderings" in " ".join(build_statements(source).annotation)
    assert any("under a pseudonym" in item for item in build_statements(source).personal)
    assert build_metadata(ReleaseSource((source,)), ())["annotations_creators"] == ["machine-generated", "other"]
    shown = card_of(source)
    assert shown.count("\nJudged by **") == 1
    assert "\nJudged by **human" in shown
    assert "`leaderboard` also has the boards of eye." in shown
    assert "- only chooses (`chooser`)" in shown


def test_counts_by_category(card: str) -> None:
    # Two runs of six targets each a category; in geometry two episodes a run are aborted on their first turn.
    assert "| `geometry` | 3 | 3 | 12 | 8 | 0 | 4 | 24 | 16 |" in card
    assert "| `simple_shapes` | 3 | 3 | 12 | 12 | 0 | 0 | 36 | 24 |" in card


def test_the_pictures_show_targets_and_means(source: GameTables) -> None:
    targets = np.asarray(Image.open(io.BytesIO(draw_targets(source))))
    for instance in source.instances.instances[:1]:  # the first easy target of the first category stands top left
        colour = source.instances.picture(instance, "target").pixels[42, 45]
        cell = targets[16 + 26 : 16 + 26 + 150, 16 : 16 + 150]
        assert (cell == colour).all(axis=2).any()
    chart = np.asarray(Image.open(io.BytesIO(draw_scores(source.results, "eye"))).convert("RGB")).astype(int)
    blue = abs(chart[60:] - (0x0B, 0x62, 0xA8)).sum(axis=2) < 40
    # The better pair's mean is 8 of 10 everywhere: its marks, higher than lines, stand at four fifths of the axis.
    assert blue.sum(axis=0).argmax() == pytest.approx(150 + (1000 - 150 - 32) * 0.8, abs=6)


def test_every_table_stands_in_a_card_that_is_read_in_minutes(card: str) -> None:
    for config in CONFIGS:
        assert len({column.name for column in config.columns}) == len(config.columns)
        assert f"| `{config.name}`" in card
    text = card.split("---\n", 2)[2]
    assert len(text.split()) <= 2500
    assert len(text.encode()) <= 25_000


def test_the_board_stands_in_the_card(card: str) -> None:
    # Ten of twelve played, mean 8: main score 10 · 8 · 10/12.
    row = next(line for line in card.splitlines() if line.startswith("| 1 | classical + canvas | 66.7 ("))
    assert row.endswith(") | 10 | 2.00 | 10/12 | b200-t10-allow |")
    low, high = map(float, re.findall(r"8\.00 \((.*)–(.*)\)", row)[0])
    # Ten scores of 7 and 9: worked out by hand beside the release's leaderboard (test_release_build.py).
    assert [low, high] == pytest.approx([6.35, 8.82], abs=0.006)


def test_the_card_says_why_a_pair_has_no_rank(built: Path, tmp_path: Path) -> None:
    runs = [RunFolder(shutil.copytree(built / "runs" / slug, tmp_path / slug)) for slug in FINALS]
    finals = [score for score in runs[0].scores() if score.task == "similarity" and score.step == 2]
    runs[0].add_scores(
        final.model_copy(update={"value": None, "reason": "judge_refused: ugly"})
        for final in finals[:3]
        if final.by == "eye"
    )
    source = build_game_tables(runs, read_instances(built / "instances"))
    shown = card_of(source)
    assert "\n- classical + canvas, b200-t10-allow: only 7 of 10 renderings are rated, 90 % are needed.\n" in shown
    assert "| – | classical + canvas | " in shown


def test_the_most_improved_episode_opens_the_card(source: GameTables, card: str) -> None:
    example = choose_example(source)
    # The finals of the better run are 7, 9, 7, 9 …, all first ones 6: its second episode improved most.
    assert (example.run.run.slug, example.result.episode.episode_id) == ("centre-block", "geometry-easy-02")
    assert [example.score(step) for step in example.renderings] == [6, 9]
    assert "![One episode" in card.split("\n## ")[0]
    strip = np.asarray(Image.open(io.BytesIO(draw_episode(source, example))))
    assert strip.shape[1] > 3 * THUMBNAIL
    middle = strip[12 + THUMBNAIL * 42 // 96]  # the row of pixels through the middle of the squares
    blocks = [middle[12 + index * (THUMBNAIL + 16) :][:THUMBNAIL] for index in range(3)]
    target, first, final = ((block == (0xD6, 0x27, 0x28)).all(axis=1).nonzero()[0] for block in blocks)
    assert abs(int(final[0]) - int(target[0])) <= 1
    assert int(first[0]) - int(target[0]) == pytest.approx(10 * THUMBNAIL / 96, abs=2)


def test_licences_are_counted_by_source(built: Path) -> None:
    source = build_game_tables([RunFolder(built / "runs" / "centre-block")], read_instances(built / "instances"))
    assert count_source_licences(ReleaseSource((source,))) == [("drawn for a test", "CC0-1.0", 12)]
    assert "| drawn for a test | `CC0-1.0` | 12 |" in (built / "release" / "LICENSE.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a red circle", "a red circle"),
        ("<a> & b", "&lt;a&gt; &amp; b"),  # entities are made once
        ("# title", "&#35; title"),
        ("1. one\n- two", "&#49;. one - two"),
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("a|b `c` $d$", r"a\|b \`c\` \$d\$"),
        ("[x](https://e.example)", r"\[x\](https&#58;//e.example)"),
        ("@all \x00\x1b", "&#64;all"),
        ("a\n\n# b\r\n\x1b[2Jc", r"a # b \[2Jc"),
    ],
)
def test_escape(text: str, shown: str) -> None:
    assert escape_markdown(text) == shown


def test_a_credit_keeps_its_link_and_nothing_else() -> None:
    assert escape_markdown("<i>Jo</i>; https://e.example/a", links=True) == "&lt;i&gt;Jo&lt;/i&gt;; https://e.example/a"


def test_code_keeps_to_its_span() -> None:
    assert format_code_span("a`b|c\nd") == "`a'b¦c d`"
    assert format_code_span("") == "–"


def test_templates_escape_without_being_asked() -> None:
    shown = render("LICENSE.md.j2", licences=[], submissions={("<script>", "MIT` |")})
    assert "| &lt;script&gt; | `MIT' ¦` |" in shown


@pytest.mark.parametrize("text", ["[" * 100_000, "a: &a [1]\nb: *a", "released: 2026-13-45"])
def test_a_front_matter_that_nobody_writes_is_a_fault(text: str) -> None:
    assert str(parse_front_matter(f"---\n{text}\n---\n")).startswith("its front matter is not valid YAML (")


@pytest.fixture(scope="module")
def mlc() -> Any:
    """The library, imported where a test needs it: it takes 90 MB of memory."""
    return pytest.importorskip("mlcroissant")


def test_it_is_valid_for_version_1_1_and_its_responsible_ai_fields_are_read(mlc: Any, built: Path) -> None:
    metadata = mlc.Dataset(str(built / "release" / CROISSANT)).metadata
    assert metadata.ctx.conforms_to.value == "http://mlcommons.org/croissant/1.1"
    assert metadata.ctx.issues.errors == set()
    assert metadata.ctx.issues.warnings == set()
    assert metadata.license == ["https://spdx.org/licenses/CC0-1.0"]
    assert "Messages and renderings were made by the models" in metadata.data_collection
    assert any("English only" in bias for bias in metadata.data_biases)
    assert any("no user of any service" in item for item in metadata.personal_sensitive_information)
    assert metadata.data_use_cases
    assert metadata.data_limitations
    assert metadata.data_release_maintenance_plan
    assert metadata.machine_annotation_tools == ["eye", "psnr"]
    assert metadata.data_collection_timeframe  # of which it spells the name otherwise than the specification


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_the_records_are_the_rows(mlc: Any, built: Path, config: Config) -> None:
    release = built / "release"
    records = list(mlc.Dataset(str(release / CROISSANT)).records(config.name))
    # No reader of Croissant takes a list of pictures or of records out of a Parquet file.
    config = replace(
        config, columns=tuple(column for column in config.columns if column.kind not in ("images", "messages"))
    )
    names = [column.name for column in config.columns]
    rows = pq.read_table(release / "data" / config.name, columns=names).to_pylist()
    assert len(records) == len(rows) > 0
    assert [{name: record[f"{config.name}/{name}"] for name in rows[0]} | images_of(config, record)
            for record in map(plain, records)] == [row | shown(config, row) for row in rows]  # fmt: skip


def plain(record: dict[str, Any]) -> dict[str, Any]:
    """Texts are loaded as bytes, numbers as NumPy's."""
    return {name: _plain(value) for name, value in record.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def images_of(config: Config, record: dict[str, Any]) -> dict[str, Any]:
    return {image.name: _pixels(record[f"{config.name}/{image.name}"]) for image in config.images}


def shown(config: Config, row: dict[str, Any]) -> dict[str, Any]:
    cells = {image.name: row[image.name] for image in config.images}
    return {name: cell and _pixels(Image.open(io.BytesIO(cell["bytes"]))) for name, cell in cells.items()}


def _pixels(picture: Any) -> bytes | None:
    return None if picture is None else np.asarray(picture.convert("RGB")).tobytes()


def test_the_keys_tell_rows_apart(built: Path) -> None:
    for config in CONFIGS:
        rows = pq.read_table(built / "release" / "data" / config.name, columns=find_key_columns(config)).to_pylist()
        assert len({tuple(row.values()) for row in rows}) == len(rows)


def test_the_version_is_a_semantic_one() -> None:
    assert format_semantic_version("2026.1", "2026-12-01", "1a2b3c4d5e") == "2026.1.0+20261201.1a2b3c4d"
    assert format_semantic_version(None, "2026-12-01", "1a2b3c4d5e") == "0.0.0+20261201.1a2b3c4d"


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda text: text[:-9], "is not valid JSON"),
        (lambda text: text.replace("croissant/1.1", "croissant/1.0"), "does not conform to"),
        (lambda text: text.replace('"column": "message"', '"column": "word"'), "recordSet: transcripts is missing or"),
        (lambda text: text.replace('"sha256": "', '"sha256": "0', 1), "distribution: data/transcripts/test-"),
        (lambda text: text.replace('"@id": "splits"', '"@id": "other"'), "recordSet: other is not in the release"),
    ],
)
def test_a_faulty_description_is_found(release: Path, damage: Any, expected: str) -> None:
    path = release / CROISSANT
    path.write_text(damage(path.read_text("utf-8")), "utf-8")
    assert any(expected in fault for fault in check_croissant(release, CONFIGS, hash_table_files(release)))


def test_a_changed_file_is_found(release: Path) -> None:
    path = next((release / "data" / "scores").iterdir())
    path.write_bytes(path.read_bytes() + b"\0")
    (fault,) = check_croissant(release, CONFIGS, hash_table_files(release))
    assert path.name in fault
