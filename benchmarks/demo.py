"""How long ``make demo`` takes once everything is installed, and how much memory all its processes hold at most.

Works on a copy of the tracked files with the environment of this checkout, so the demo of the checkout is left alone.
Memory is the sum of the resident sets of the whole tree of processes, looked at every 0.2 s (pages that two of them
share count twice). Linux only: it reads /proc.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6


def tree_memory(root: int) -> float:
    """Return the resident memory in MB of a process and all its descendants."""
    parents: dict[int, int] = {}
    pages: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it ended while we looked
                continue
            parents[int(entry.name)], pages[int(entry.name)] = int(fields[1]), int(fields[21])
    ours = {root}
    while added := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= added
    return sum(pages.get(our, 0) for our in ours) * PAGE_MB


def copy_of_checkout(folder: Path) -> Path:
    """Make a checkout whose environment is this one's."""
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    # The environment counts as up to date, whatever the times of the files just cloned.
    for stamp in (".installed", ".installed-dev"):
        (ROOT / ".venv" / stamp).touch()
    return folder


def main() -> None:
    """Run the demo and print seconds and memory."""
    with tempfile.TemporaryDirectory() as temporary:
        checkout = copy_of_checkout(Path(temporary) / "demo")
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        begun, most = time.perf_counter(), 0.0
        process = subprocess.Popen(
            ["make", "demo"], cwd=checkout, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None:
            most = max(most, tree_memory(process.pid))
            time.sleep(0.2)
        print(
            f"make demo: {time.perf_counter() - begun:.1f} s, at most {most:.0f} MB, exit status {process.returncode}"
        )


if __name__ == "__main__":
    main()
