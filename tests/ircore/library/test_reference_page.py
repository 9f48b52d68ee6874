"""The reference page of the library is made from its docstrings."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_the_page_is_what_the_docstrings_say() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "docs_library.py")]
    page = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env={"PYTHONUTF8": "1"}).stdout
    renew = "python benchmarks/docs_library.py > docs/library.md"
    assert (ROOT / "docs" / "library.md").read_text(encoding="utf-8") == page, f"Renew the page: {renew}"
