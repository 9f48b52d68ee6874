"""Packages of others, laid where Python finds them as if pip had installed them."""

import re
from pathlib import Path


def install_package(packages: Path, name: str, points: str, code: str | None = None, version: str = "1.0") -> Path:
    """Lay a package into a folder, with its module and its entry points, which may be as in ``pyproject.toml``."""
    module = name.replace("-", "_")
    about = packages / f"{module}-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    points = re.sub(r'\[project\.entry-points\."(.+)"\]', r"[\1]", points).replace('"', "")
    (about / "entry_points.txt").write_text(points)
    if code is not None:
        (packages / f"{module}.py").write_text(code)
    return packages
