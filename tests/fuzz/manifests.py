"""Look for manifests that break the check, guided by coverage.

    pip install atheris
    python tests/fuzz/manifests.py -max_total_time=600

Other options are libFuzzer's. What is found is written to the folder it is run in; put it into
``tests/support/manifest_attacks.py`` once it is mended.
"""

import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

with atheris.instrument_imports(include=["ircore", "yaml", "packaging"]):
    from manifest_promises import SEEDS, keeps_promises


def main() -> None:
    """Fuzz for as long as the options say."""
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(SEEDS):
            (Path(folder) / str(number)).write_bytes(seed)
        atheris.Setup([*sys.argv, "-timeout=60", "-max_len=4096", folder], keeps_promises)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
