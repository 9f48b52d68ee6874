"""How long a submission's check takes, start-up included: one beside 500 others, all 500, and one pull request.

Wanted: one within 1 s, 500 within 10 s. Names are words of their own, so that none looks like another.
"""

import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice, product
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1] / "tests" / "support"
sys.path.insert(0, str(SUPPORT))

from manifest_attacks import GOOD  # noqa: E402
from trees import PLAIN, Files, ObjectRepository  # noqa: E402

MANY = 500
SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni")


def names() -> list[str]:
    """Return as many words as there are submissions."""
    return ["".join(parts) for parts in islice(product(SYLLABLES, repeat=3), MANY)]


def manifest(name: str) -> str:
    """Return a submission's manifest."""
    return GOOD.replace("A plain pair", f"{name} of the lab").replace("gpt-5.2", f"{name}-2")


def timed(label: str, limit: float, *arguments: str) -> None:
    """Run ``ircore submission …`` and print wall-clock and processor time."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "ircore", "submission", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = (done.stdout or done.stderr).strip().splitlines()[-1]
    print(f"{label:<32} {wall:6.2f} s wall, {spent:6.2f} s processor (wanted: {limit:g} s)   {said}")


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "submissions"
        files: Files = {}
        for name in names():
            (tree / name).mkdir(parents=True)
            (tree / name / "submission.yaml").write_text(manifest(name))
            files[f"submissions/{name}/submission.yaml"] = (PLAIN, manifest(name).encode())
        timed(
            "one alone",
            1,
            "check",
            str(Path(__file__).resolve().parents[1] / "submissions" / "builtin-classical-canvas"),
        )
        timed(f"one beside {MANY}", 1, "check", str(tree / names()[0]))
        timed(f"all {MANY}", 10, "check", "--all", str(tree))
        objects = ObjectRepository(Path(folder) / "git")
        base = objects.commit(files)
        added: Files = {"submissions/another/submission.yaml": (PLAIN, manifest("another").encode())}
        head = objects.commit({**files, **added}, base)
        timed(f"a pull request beside {MANY}", 1, "check-change", base, head, "--repo", str(objects.path))


if __name__ == "__main__":
    main()
