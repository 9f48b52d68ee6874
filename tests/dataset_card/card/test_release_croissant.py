"""``croissant.json``: valid for ``mlcroissant``, and what it loads is what the Parquet files hold."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from releases import CONFIGS

from dataset_card.card.croissant import CROISSANT, check_croissant, find_key_columns, format_semantic_version
from dataset_card.tables.columns import Config
from dataset_card.tables.parquet import hash_table_files

pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph", "ignore:The inplace keyword")


@pytest.fixture(scope="module")
def mlc() -> Any:
    """The library, imported where a test needs it: it takes 90 MB of memory."""
    return pytest.importorskip("mlcroissant")


@pytest.mark.slow
def test_it_is_valid_for_version_1_1_without_errors_or_warnings(mlc: Any, built: Path) -> None:
    metadata = mlc.Dataset(str(built / "release" / CROISSANT)).metadata
    assert metadata.ctx.conforms_to.value == "http://mlcommons.org/croissant/1.1"
    assert metadata.ctx.issues.errors == set()
    assert metadata.ctx.issues.warnings == set()
    assert metadata.license == ["https://spdx.org/licenses/CC0-1.0"]


@pytest.mark.slow
def test_responsible_ai_fields_are_read(mlc: Any, built: Path) -> None:
    metadata = mlc.Dataset(str(built / "release" / CROISSANT)).metadata
    assert "Messages and renderings were made by the models" in metadata.data_collection
    assert any("English only" in bias for bias in metadata.data_biases)
    assert any("no user of any service" in item for item in metadata.personal_sensitive_information)
    assert metadata.data_use_cases
    assert metadata.data_limitations
    assert metadata.data_release_maintenance_plan
    assert metadata.machine_annotation_tools == ["eye", "psnr"]
    assert metadata.data_collection_timeframe  # of which it spells the name otherwise than the specification


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
@pytest.mark.slow
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
