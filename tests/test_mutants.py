"""The bench of planted faults: its list fits the code, a text that moved is named, and a planted fault is found."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from known_values import known

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "benchmarks" / "mutants.py"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = known(importlib.util.spec_from_file_location("bench_mutants", FILE))
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_mutants"] = module  # dataclasses look their module up
    known(spec.loader).exec_module(module)
    return module


@pytest.mark.slow
def test_every_fault_has_one_place_and_every_room_has_faults(bench: ModuleType) -> None:
    mutants = bench.read_mutants()
    for mutant in mutants:
        path, text = bench.place_mutant(ROOT, mutant)
        assert text != path.read_text(encoding="utf-8")
    assert len(mutants) >= 120
    assert {mutant.room for mutant in mutants} == bench.ROOMS.keys()


@pytest.mark.parametrize(("text", "said"), [("x = 1", "does not stand"), ("y = 2", r"stands 2 times \(ircore/core/a")])
def test_a_text_that_is_gone_or_stands_twice_is_named(bench: ModuleType, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "ircore" / "core").mkdir(parents=True)
    (tmp_path / "ircore" / "core" / "a.py").write_text("y = 2\ny = 2\n")
    with pytest.raises(bench.MutantError, match=f"a-name: its text {said}"):
        bench.place_mutant(tmp_path, bench.Mutant("a-name", "core", "a promise", text, "z = 3"))


def test_lines_keep_the_depth_at_which_they_stand(bench: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "ircore" / "core").mkdir(parents=True)
    (tmp_path / "ircore" / "core" / "a.py").write_text("def f():\n    if a:\n        b()\n    c()\n")
    mutant = bench.Mutant("a-name", "core", "a promise", "if a:\n    b()", "b()\nif a:\n    pass")
    assert bench.place_mutant(tmp_path, mutant)[1] == "def f():\n    b()\n    if a:\n        pass\n    c()\n"


@pytest.mark.slow
def test_a_planted_fault_is_found_and_the_tree_is_left_as_it_was(tmp_path: Path) -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs a clone")

    def changed() -> str:
        return subprocess.run(
            ["git", "diff", "--name-only"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout

    before = changed()
    chosen = ["--only", "seed-parts-run-together", "--tests", "tests/ircore/core/test_records.py"]
    command = [sys.executable, str(FILE), "--quick", "--results", str(tmp_path / "results.jsonl"), *chosen]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "test_every_part_changes_a_seed_and_parts_do_not_run_together" in done.stdout
    assert done.stdout.splitlines()[-1].split() == ["all", "1", "1", "0", "0", "0", "100", "%"]
    assert changed() == before
