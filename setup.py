"""Puts files of the repository's root into the wheel: the site's skeleton and the built-in pairs.

They lie in the root because people and GitHub look for them there. There is one copy of each in the repository; in the
wheel, each lies in the package that reads it. Everything else about the build stands in ``pyproject.toml``.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent

PACKAGED = {
    "mkdocs.yml": "leaderboard/skeleton",
    "CITATION.cff": "leaderboard/skeleton",
    "docs/**/*": "leaderboard/skeleton",
    "submissions/*/submission.yaml": "ircore/players/builtin_pairs",
}
"""Files of the repository, and the package folder in which the wheel has them under the same path."""


class BuildWithRootFiles(build_py):
    """Builds the packages, then copies the root's files beside them; an editable install reads them from the root."""

    def run(self) -> None:
        """Build."""
        super().run()
        if self.editable_mode:
            return
        for pattern, package in PACKAGED.items():
            for source in sorted(path for path in ROOT.glob(pattern) if path.is_file()):
                copy = Path(self.build_lib, package, source.relative_to(ROOT))
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)


setup(cmdclass={"build_py": BuildWithRootFiles})
