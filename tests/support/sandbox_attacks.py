"""Programs that attack the sandbox from inside, as texts: a line ``== name``, then the program.

* ``reaching_out.txt``: each prints GOT and what it got where it succeeds. PORT is that of a server on loopback, FILE a
  file of this machine, HERE its folder.
* ``endless.txt``: none ends by itself.
* ``no_figures.txt``: none draws a figure that may be taken. Each begins with ``prelude.txt``, which has ``write`` (a
  report and a picture, past the script that would write them) and ``chunk`` (of a PNG file).
"""

import re
from pathlib import Path

_FOLDER = Path(__file__).parent / "attacks_inside"


def _programs(name: str) -> dict[str, str]:
    parts = re.split(r"^== (.+)\n", (_FOLDER / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


REACHING_OUT = _programs("reaching_out.txt")
ENDLESS = _programs("endless.txt")
_PRELUDE = (_FOLDER / "prelude.txt").read_text(encoding="utf-8")
NO_FIGURES = {name: _PRELUDE + program for name, program in _programs("no_figures.txt").items()}


def aimed(program: str, port: int, file: Path) -> str:
    """Return an attack with a port, a file and its folder of this machine filled in."""
    places = {"PORT": str(port), "FILE": repr(str(file)), "HERE": repr(str(file.parent))}
    return re.sub(r"\b(PORT|FILE|HERE)\b", lambda place: places[place[0]], program)
