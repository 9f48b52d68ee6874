"""The site's hand-written part: ``mkdocs.yml``, ``docs/`` and ``CITATION.cff``.

In the repository these files lie in its root. A wheel holds them in this folder, where ``setup.py`` puts them.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent

SKELETON = _PACKAGE if (_PACKAGE / "mkdocs.yml").is_file() else _PACKAGE.parents[1]
"""The folder that holds them."""
