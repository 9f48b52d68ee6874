"""Look for transcripts and pictures that break the readers, guided by coverage.

    pip install atheris
    python tests/fuzz/transcripts.py -max_total_time=600

Other options are libFuzzer's. What is found is written to the folder it is run in; put it into
``tests/ircore/submissions/test_transcript_attacks.py`` once it is mended.
"""

import os
import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

with atheris.instrument_imports(include=["ircore"]):
    from transcript_promises import new_promises


def main() -> None:
    """Fuzz for as long as the options say; progress bars of re-scoring go nowhere."""
    promises = new_promises()
    sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - libFuzzer itself writes to the file descriptor
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(promises.seeds):
            (Path(folder) / str(number)).write_bytes(seed)
        atheris.Setup([*sys.argv, "-timeout=60", "-max_len=16384", "-len_control=0", folder], promises.keep)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
