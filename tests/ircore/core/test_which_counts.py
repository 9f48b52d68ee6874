"""Keys, seeds and versions part by part, and which of two things counts at the bottom of the house."""

import asyncio
import base64
import io
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ircore.core import plugins, progress
from ircore.core.elements import read_elements
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_new_folder
from ircore.core.journal import Recorder
from ircore.core.plugins import EXTRAS, find_missing_package, load_pretrained
from ircore.core.private_text import find_leaks
from ircore.core.records import PlayerSpec
from ircore.core.seeds import derive_seed
from ircore.core.strict_yaml import read_mapping
from ircore.core.submission_records import read_withdrawals
from ircore.core.terminal import make_printable
from ircore.core.untrusted_text import format_one_line, make_visible
from ircore.core.word_files import compute_prompts_version
from ircore.core.workers import map_in_order
from ircore.games.reconstruction.records import Rules
from ircore.seeing import ocr


def test_every_part_changes_a_seed_and_parts_do_not_run_together() -> None:
    seeds = [
        derive_seed(1, "a", "bc"), derive_seed(2, "a", "bc"), derive_seed(1, "ab", "c"),
        derive_seed(1, "a", "b", "c"),
        derive_seed(1, "abc"), derive_seed(1, "bc", "a"), derive_seed(1),
    ]  # fmt: skip
    assert len(set(seeds)) == len(seeds)
    # Known from the first run on: a seed is the same on every machine and in every version.
    assert derive_seed(7, "geometry-easy-01") == derive_seed(7, "geometry-easy-01")


def test_words_that_move_from_one_prompt_to_the_next_are_another_version() -> None:
    versions = [compute_prompts_version(texts, None) for texts in (["ab", "c"], ["a", "bc"], ["abc"], ["c", "ab"])]
    assert len(set(versions)) == 4


def test_what_ocr_has_read_is_kept_by_engine_and_by_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[int, ...]] = []

    def recognise(pixels: Any) -> tuple[()]:
        read.append(pixels.shape)
        return ()

    monkeypatch.setattr(ocr, "_recognise_lines", recognise)
    monkeypatch.setattr(ocr, "require_ocr", lambda where, otherwise="": None)
    wide, tall = np.zeros((4, 9, 3), np.uint8), np.zeros((9, 4, 3), np.uint8)
    for version in ("engine 1.0", "engine 2.0", "engine 1.0"):
        monkeypatch.setattr(ocr, "describe_ocr_version", lambda version=version: version)
        ocr._remembered.clear()
        for pixels in (wide, tall):
            ocr.read_text(pixels, tmp_path)
    assert read == [(4, 9, 3), (9, 4, 3)] * 2


def test_of_several_extras_the_one_that_brings_most_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "find_spec", lambda name: None)
    holders = {package: [extra for extra in EXTRAS if package in EXTRAS[extra]] for package in ("torch", "pandas")}
    for package, names in holders.items():
        assert len(names) > 1
        error = find_missing_package(ModuleNotFoundError(name=f"{package}.part"))
        assert error is not None
        most = max(len(EXTRAS[name]) for name in names)
        assert [name for name in names if f"[{name}]" in error.remedy and len(EXTRAS[name]) == most]


def test_a_key_hidden_in_either_alphabet_of_base64_is_found() -> None:
    secret = b"?>?>?> sk-proj-" + b"b" * 40
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for word in (encode(secret).decode(), encode(secret).decode().rstrip("=")):
            assert list(find_leaks(f"said {word} here")), word


@pytest.mark.parametrize(("turns", "shown"), [(0, ()), (1, (0,)), (2, (0, 1)), (5, (0, 4))])
def test_the_first_rendering_is_not_shown_twice(turns: int, shown: tuple[int, ...]) -> None:
    assert Rules(history="first and last").select_remembered_turns(turns) == shown


@pytest.mark.parametrize("address", ["http://10.0.0.1/v1", "http://example.org/v1", "http://127.0.0.1.example.org/v1"])
def test_a_key_travels_in_clear_text_on_this_machine_alone(address: str) -> None:
    with pytest.raises(ValueError, match="https, or http on loopback"):
        PlayerSpec(player="openai", model="m", base_url=address)
    assert PlayerSpec(player="openai", model="m", base_url="http://127.0.0.1:1/v1").on_loopback


@pytest.mark.parametrize("text", ["\x1b[2J", "a\x07b", "\u202e", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\ud800"])
def test_nothing_that_moves_a_terminal_is_printed_and_names_show_it(text: str) -> None:
    assert "\N{REPLACEMENT CHARACTER}" in make_printable(text)
    assert all(character.isprintable() for character in format_one_line(f"a{text}b"))
    assert make_visible(text) != text or text in ("\x0b", "\x0c")


def test_characters_for_private_use_are_shown_by_their_code() -> None:
    assert make_visible("a\ue000b") == "a⟦U+E000⟧b"


def test_counts_in_a_short_file_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"dog": 1000}')
    assert len(read_elements(tmp_path / "a.json").elements) == 1000
    for count in (1001, 10**9, -1):
        (tmp_path / "a.json").write_text(f'{{"dog": {count}}}')
        with pytest.raises(InputError, match="out of range"):
            read_elements(tmp_path / "a.json")


def test_a_file_from_an_editor_on_windows_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes("\ufeffname: a\n".encode())
    assert read_mapping(tmp_path / "a.yaml", "", "") == {"name": "a"}


def test_others_may_read_a_folder_that_was_made(tmp_path: Path) -> None:
    with write_new_folder(tmp_path / "made") as folder:
        (folder / "file").write_text("x")
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o755


def test_a_decision_with_a_key_twice_is_refused(tmp_path: Path) -> None:
    line = '{"slug": "a", "kind": "withdrawn", "reason": "r", "date": "2026-01-01", "slug": "b"}\n'
    (tmp_path / "gone.jsonl").write_text(line)
    with pytest.raises(InputError, match="a key is given twice"):
        read_withdrawals(tmp_path / "gone.jsonl")


def test_the_last_piece_of_work_shows_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    with progress.show_progress("draw", 3) as shown:
        for _ in range(3):
            shown.advance("note")
    lines = said.getvalue().splitlines()
    assert [line for line in lines if "3 of 3" in line]
    assert len(lines) == 1


def slow_first(number: int) -> int:
    time.sleep(0.15 if number == 0 else 0)
    return number


@pytest.mark.slow
def test_results_come_in_the_order_of_their_pieces() -> None:
    assert list(map_in_order(slow_first, range(12), 2)) == list(range(12))


class Failing:
    """A writer whose first batch cannot be written."""

    def __init__(self) -> None:
        self.batches = 0

    def record(self, entries: object) -> None:
        self.batches += 1
        if self.batches == 1:
            raise WorkError("the disk is full", "Free some space.")


def test_what_could_not_be_written_is_said_at_the_end_though_later_entries_were() -> None:
    async def record() -> None:
        recorder: Recorder[str] = Recorder(Failing())
        for entry in "abc":
            recorder.record_soon(entry)
            await asyncio.sleep(0.02)
        await recorder.close()

    with pytest.raises(WorkError, match="the disk is full"):
        asyncio.run(record())


@pytest.mark.parametrize("fault", ["missing_keys", "unexpected_keys", "mismatched_keys"])
def test_weights_that_are_missing_left_over_or_of_another_size_are_refused(
    monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """``transformers`` would fill them with random numbers and only warn; its classes stand in for, with a report."""
    parts = {name: ModuleType(name) for name in ("torch", "transformers", "transformers.utils")}
    for name, part in parts.items():
        monkeypatch.setitem(sys.modules, name, part)
    parts["torch"].set_num_threads = lambda count: None  # type: ignore[attr-defined]
    quiet = SimpleNamespace(set_verbosity_error=lambda: None, disable_progress_bar=lambda: None)
    parts["transformers.utils"].logging = quiet  # type: ignore[attr-defined]
    report: dict[str, list[str]] = {"missing_keys": [], "unexpected_keys": []}
    model = SimpleNamespace(eval=lambda: "the model")
    kind = SimpleNamespace(from_pretrained=lambda place, output_loading_info: (model, report))
    processor = SimpleNamespace(from_pretrained=lambda place: "its processor")
    assert load_pretrained("IRCORE_MODEL", "somewhere", kind, processor) == ("the model", "its processor")
    report[fault] = ["head.weight"]
    with pytest.raises(InputError, match=f"{fault.removesuffix('_keys')} weights: head.weight of 1"):
        load_pretrained("IRCORE_MODEL", "somewhere", kind, processor)
