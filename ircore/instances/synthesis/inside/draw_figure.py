"""Script inside of the sandbox: runs a program, draws the figure that it returns, and writes picture and report.

Standard input is JSON: ``program``, ``seed`` and ``category``. Standard output gets a line with the lengths of the two
parts that follow: a report as JSON, and the picture as PNG. Only the process that ran the program writes it, so that
nothing in it is to be trusted.
"""

import gc
import io
import json
import os
import random
import sys
import traceback
from typing import Any

DPI = 100
MOST_ELEMENTS = 1500


class _Silent(io.TextIOBase):
    """Takes the output of a program, and discards it."""

    def write(self, text: str) -> int:
        """Take a text."""
        return len(text)


def run_program(program: str, seed: int) -> Any:
    """Run a program and return the figure that its function ``draw`` returns."""
    import matplotlib as mpl
    import numpy as np
    from matplotlib import pyplot as plt
    from matplotlib.figure import Figure

    mpl.rcParams["figure.max_open_warning"] = 0
    random.seed(seed)
    np.random.seed(seed % 2**32)  # the generator of older programs
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(program, "program.py", "exec"), names)  # noqa: S102 - what the sandbox is for
    if not callable(names.get("draw")):
        raise TypeError("there is no function draw() that returns the figure")
    drawn = names["draw"]()
    if isinstance(drawn, tuple):
        drawn = next((part for part in drawn if isinstance(part, Figure)), None)
    figure = getattr(drawn, "figure", drawn) if drawn is not None else plt.gcf()
    if not isinstance(figure, Figure):
        raise TypeError(f"draw() returned a {type(drawn).__name__}, not a matplotlib figure")
    return figure


def report_on(figure: Any, category: str) -> tuple[dict[str, Any], bytes]:
    """Draw a figure; return the report on its artists and the picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from ircore.instances.synthesis.inside.artists import read_figure

    figure.set_dpi(DPI)
    canvas = FigureCanvasAgg(figure)
    width, height = canvas.get_width_height()
    if not (1 <= width <= 2048 and 1 <= height <= 2048):
        raise ValueError(f"the figure has {width} x {height} pixels at {DPI} dpi")
    buffer = io.BytesIO()
    canvas.print_png(buffer, pil_kwargs={"compress_level": 1})  # it is encoded anew outside
    page = read_figure(figure, category)
    if len(page.elements) > MOST_ELEMENTS:
        raise ValueError(f"the figure has {len(page.elements)} elements")
    report = {
        "width": width, "height": height, "background": page.background, "elements": page.elements,
        "unread": page.unread, "titles": page.titles, "legends": page.legends, "error": None,
        "versions": list_versions(),
    }  # fmt: skip
    return report, buffer.getvalue()


def list_versions() -> dict[str, str]:
    """Return the versions of Python and the libraries."""
    import matplotlib as mpl
    import numpy as np

    return {"python": sys.version.split()[0], "matplotlib": mpl.__version__, "numpy": np.__version__}


def describe_error(error: BaseException) -> str:
    """Return an error in a few words with the line of the program that it came from."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "program.py"]
    where = f" (line {lines[-1]} of the program)" if lines else ""
    return f"{type(error).__name__}: {str(error)[:300]}{where}"


def write_all(channel: int, data: bytes) -> None:
    """Write bytes to an open file."""
    while data:
        data = data[os.write(channel, data) :]


def main() -> None:
    """Run the program on standard input."""
    gc.disable()  # a tenth of the time of the imports; memory is bounded anyway
    request = json.load(sys.stdin)
    # The program must not write into the report: its standard output leads nowhere from here on.
    channel = os.dup(1)
    os.close(1)
    sys.stdout = sys.stderr = _Silent()
    try:
        report, picture = report_on(run_program(request["program"], request["seed"]), request["category"])
    except BaseException as error:  # noqa: BLE001 - whatever a program does, the reason is passed out
        report, picture = {"error": describe_error(error)}, b""
    text = json.dumps(report, allow_nan=False, default=str).encode()
    write_all(channel, b"%d %d\n" % (len(text), len(picture)) + text + picture)


if __name__ == "__main__":
    main()
