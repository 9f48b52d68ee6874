"""The job script of docs/many-machines.md, on a real Slurm."""

import os
import sys
from pathlib import Path

import pytest
import slurm
from samples import sample_instances

from ircore.commands.main import run as ircore
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]


def documented_script() -> str:
    """Return the script as the page shows it."""
    page = (ROOT / "docs" / "many-machines.md").read_text()
    lines = page[page.index("    #!/bin/sh") :].split("\n\n")[0].splitlines()
    assert len(lines) == 6
    return "".join(f"{line[4:]}\n" for line in lines)


@pytest.mark.skipif(bool(slurm.lacking()), reason=slurm.lacking() or "Slurm is there")
def test_a_job_array_plays_a_run_and_goes_on_with_it(tmp_path: Path) -> None:
    sample_instances(tmp_path / "set", per_condition=2)
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "my-pair").symlink_to(ROOT / "submissions" / "builtin-classical-sketch")
    (tmp_path / "play.sh").write_text(documented_script().replace("submissions/my-pair", "submissions/my-pair/"))
    with slurm.slurm(tmp_path / "slurm") as environment:
        environment["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), environment["PATH"]))
        slurm.submit("play.sh", tmp_path, environment)
        shards = sorted((tmp_path / "runs").glob("my-pair.*"))
        assert [path.name for path in shards] == [f"my-pair.{index}" for index in (1, 2, 3, 4)]
        # As if a node had failed: half of a shard's journal is lost, and the same script is submitted again.
        journal = shards[1] / "journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[: len(lines) // 2]))
        assert ircore(["merge", *map(str, shards), "--out", str(tmp_path / "joined")]) == 2
        slurm.submit("play.sh", tmp_path, environment)
    assert ircore(["merge", *map(str, shards), "--out", str(tmp_path / "joined")]) == 0
    assert len(RunFolder.open(tmp_path / "joined").episodes()) == 8
