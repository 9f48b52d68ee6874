"""Look for manifests, transcripts and pictures that break what reads them, guided by coverage.

    pip install atheris
    python tests/fuzz.py manifests -max_total_time=600
    python tests/fuzz.py transcripts -max_total_time=600

Other options are libFuzzer's. What is found is written to the folder it is run in; put it into ``manifest_attacks.py``
or ``transcript_attacks.py`` of ``tests/support`` once it is mended.
"""

import os
import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

with atheris.instrument_imports(include=["ircore", "yaml", "packaging"]):
    from manifest_promises import SEEDS, keeps_promises
    from transcript_promises import new_promises


def main() -> None:
    """Fuzz what the first word names for as long as the options say; progress bars of re-scoring go nowhere."""
    seeds, keep, limits = SEEDS, keeps_promises, ["-max_len=4096"]
    if sys.argv.pop(1) == "transcripts":
        promises = new_promises()
        seeds, keep, limits = promises.seeds, promises.keep, ["-max_len=16384", "-len_control=0"]
    sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - libFuzzer itself writes to the file descriptor
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds):
            (Path(folder) / str(number)).write_bytes(seed)
        atheris.Setup([*sys.argv, "-timeout=60", *limits, folder], keep)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
