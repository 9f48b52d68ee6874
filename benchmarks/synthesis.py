"""Figures of varied programs in the sandbox: seconds, wrong rejections, and the share of their elements read off.

    python benchmarks/synthesis.py [PROGRAMS] [WORKERS] [plain|other]

Draws PROGRAMS (200) programs of tests/support/plot_programs.py, or of benchmarks/other_programs.py, WORKERS (2) at a
time. An element counts as read if the scene has one of its type with its text, its colour and its value, each used
once.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ircore.instances.synthesis.studio import (
    Fingerprint,
    ProgramError,
    ProgramFigure,
    Studio,
    compute_fingerprint,
    find_figure_faults,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from other_programs import other_program
from plot_programs import PlotProgram, missing_from, plot_program

CATEGORIES = ("bar_graph", "line_graph", "pie_graph", "functions", "geometry", "simple_shapes")


def main(count: int, workers: int, kind: str) -> None:
    """Draw the programs and print the figures."""
    if kind == "other":
        programs = [other_program(number) for number in range(count)]
    else:
        programs = [plot_program(CATEGORIES[number % 6], number // 6) for number in range(count)]
    with Studio() as studio, ThreadPoolExecutor(workers) as pool:

        def drawn(program: PlotProgram) -> tuple[ProgramFigure | str, float]:
            started = time.perf_counter()
            try:
                return studio.draw(program.program, program.category), time.perf_counter() - started
            except ProgramError as error:
                return str(error), time.perf_counter() - started

        started = time.perf_counter()
        results = list(pool.map(drawn, programs))
        whole = time.perf_counter() - started
    rejected, total, lost = 0, 0, 0
    earlier: dict[str, Fingerprint] = {}
    for number, (program, (figure, _)) in enumerate(zip(programs, results, strict=True)):
        name = f"{program.category} {number}"
        faults = (figure,) if isinstance(figure, str) else find_figure_faults(figure, earlier)
        missing = list(program.expected) if isinstance(figure, str) else missing_from(figure.scene, program.expected)
        total, lost, rejected = total + len(program.expected), lost + len(missing), rejected + bool(faults)
        if not isinstance(figure, str):
            earlier[name] = compute_fingerprint(figure.picture.pixels)
        if faults or missing:
            print(f"{name}: {'; '.join(faults)} missing {[tuple(element) for element in missing[:4]]}")
    seconds = sorted(second for _, second in results)
    print(f"{count} programs, {rejected} rejected; {total} elements, {100 * (1 - lost / total):.2f} % read")
    print(f"median {seconds[len(seconds) // 2]:.2f} s a figure, {count / whole:.2f} a second with {workers} workers")


if __name__ == "__main__":
    given = [*sys.argv[1:], *("200", "2", "plain")[len(sys.argv) - 1 :]]
    main(int(given[0]), int(given[1]), given[2])
