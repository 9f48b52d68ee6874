"""How long 140 procedural targets take on two cores: aim 30 s at most."""

import tempfile
import time
from pathlib import Path

from ircore.games.reconstruction.build_targets import build_instances
from ircore.instances.targets.categories import BUILDERS

PER_CONDITION = 12
"""Twelve pictures in each of twelve conditions: 144."""

CORES, AIM = 2, 30.0


def main() -> None:
    """Draw a set with two processes and print the seconds; a line says whether the aim is met."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        made = build_instances(
            Path(folder) / "set",
            seed=1,
            per_condition=PER_CONDITION,
            categories=list(BUILDERS),
            workers=CORES,
            edition=2,
        )
        seconds = time.perf_counter() - begun
    verdict = "met" if seconds <= AIM else "missed"
    print(f"{len(made.instances)} targets on {CORES} cores: {seconds:.1f} s (aim {AIM:.0f} s: {verdict})")


if __name__ == "__main__":
    main()
