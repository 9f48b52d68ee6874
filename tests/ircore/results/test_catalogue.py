"""The catalogue of tables: it names functions, which are imported when a table is asked for."""

import subprocess
import sys
from inspect import signature
from pathlib import Path
from pkgutil import resolve_name
from typing import get_type_hints

import pytest

from ircore.results.conformance import sample_results
from ircore.results.tables.catalogue import TABLES, Question, TableFunction
from ircore.results.tables.model import Table


@pytest.mark.slow
def test_the_names_of_tables_are_known_without_a_library() -> None:
    code = (
        "import sys; from ircore.results.tables.catalogue import table_names; assert 'board' in table_names();"
        "print(*{'numpy', 'pydantic', 'ircore.results.model'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.slow
def test_every_function_of_the_catalogue_is_there_and_takes_its_arguments(tmp_path: Path) -> None:
    results = sample_results(tmp_path)
    functions = [entry.build for entry in TABLES.values() if isinstance(entry.build, TableFunction)]
    assert len(functions) > 30
    for function in functions:
        named = resolve_name(f"ircore.results.tables.{function.name}")
        assert get_type_hints(named)["return"] is Table, function.name
        signature(named).bind(*function.arguments(results, Question(judge="structural")))


@pytest.mark.slow
def test_the_columns_that_a_narrow_terminal_leaves_out_are_columns_of_their_table(tmp_path: Path) -> None:
    results = sample_results(tmp_path)
    tables = {name: TABLES[name].table(results, Question(judge="structural")) for name in TABLES}
    spared = {name: table for name, table in tables.items() if table.spare}
    assert {"board", "outcomes", "facts", "messages", "agreement", "targets", "published"} <= spared.keys()
    for name, table in spared.items():
        assert len(table.spare_places) == len(table.spare), name
