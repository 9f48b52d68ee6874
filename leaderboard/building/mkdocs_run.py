"""Running MkDocs on the sources in a build folder."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ircore.core.errors import WorkError
from leaderboard.building.tree import Tree


@contextmanager
def mkdocs(tree: Tree) -> Iterator[None]:
    """Run MkDocs in parallel with the body of the ``with`` statement; MkDocs reads only the page sources.

    Raises:
        WorkError: MkDocs failed.
    """
    # Material for MkDocs would print a warning about MkDocs 2 into every build.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tree.site.name]
    with subprocess.Popen(  # noqa: S603 - fixed words
        command, cwd=tree.work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as child:
        try:
            yield
        except BaseException:  # Ctrl-C too: nothing may write into a folder that is being removed
            child.kill()
            raise
        out, errors = child.communicate()
    if child.returncode:
        said = (errors or out).strip()
        raise WorkError(
            f"mkdocs build --strict failed:\n{said}",
            "Correct the page or link that it names; the earlier site is untouched.",
        )
