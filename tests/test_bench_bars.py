"""What a measurement says of its bars: it judges by those that it shows."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "play.py"


@pytest.fixture
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_play", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_bars_that_are_shown_are_met(bench: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    bars = [bench.Bar("window", 0.91, 1.15), bench.Bar("peak memory, MB", 130.0, 130, 0)]
    assert [bar.line() for bar in bars] == [
        "  window: 0.91 (bar 1.15, met)",
        "  peak memory, MB: 130 (bar 130, met)",
    ]
    assert bench.reported(bars) == 0
    assert capsys.readouterr().out == "\nall 2 bars are met\n"


def test_what_is_missed_is_named(bench: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.reported([bench.Bar("window", 0.91, 1.15), bench.Bar("peak memory, MB", 133.0, 130, 0)]) == 1
    assert capsys.readouterr().out == "\nnot met: peak memory, MB\n"
