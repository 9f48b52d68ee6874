"""What draws pictures or plays without a model computes alike on every Python, processor and operating system.

Read from the code, since no single machine shows it: the built-in ``sum`` of floats differs between Python 3.11 and
3.12, the C libraries' ``sin`` and ``pow`` between operating systems, NumPy's ``exp`` and matrix products between
processors. A line on which one of these cannot round, such as a sum of integers that the test does not recognise, says
so and why: ``# exact: counts pixels``.
"""

import ast
import re
from pathlib import Path

import pytest

import ircore

ROOT = Path(ircore.__file__).parent
ROOMS = (
    "core/drawing.py", "seeing", "instances/targets",
    "players/builtin", "scorers/verification/scene_facts", "scorers/verification/score.py",
    "scorers/verification/verdicts.py",
)  # fmt: skip
"""Everything that decides where a pixel of a target or a word of a built-in player goes, and what a fact is and counts.

The eye that reads facts in renderings is not listed: it fits circles and lines, and lays pictures over one another, on
SciPy. It rounds what it measures before it decides; ``test_verified_without_simd.py`` holds it to that on this machine.
"""

ELEMENTARY = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p pow "
)
ELEMENTARY += "cbrt hypot dist gamma lgamma erf erfc sumprod"
BY_NUMPY = ELEMENTARY + (
    " arcsin arccos arctan arctan2 power float_power logspace geomspace logaddexp interp dot vdot inner matmul"
    " tensordot einsum cov corrcoef polyfit linalg fft convolve correlate argpartition partition kron cross vecdot"
)
BY_RANDOM = "gauss normalvariate lognormvariate vonmisesvariate gammavariate betavariate expovariate paretovariate"
REMEDIES = {
    "math": "take the function of the same name in ircore.core.exact",
    "np": "take ircore.core.exact or ircore.seeing.arrays",
    "rng": "its C library's logarithm decides: draw with uniform, choice, randint, sample or shuffle",
    "sum": "write math.fsum for floats; integers are recognised where each term is a length, a count or a comparison",
    "**": "write exact.square, exact.whole_power, exact.power or exact.power_of_ten",
    "@": "write algebra.dot: BLAS adds in another order on every processor",
}
ALLOWED = re.compile(r"# exact: \S")


def faults(source: str) -> list[str]:
    """Return the operations of a module that may round in another way elsewhere: line, name, what to write instead."""
    lines = source.splitlines()
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.expr | ast.stmt)]
    return [
        f"{node.lineno}: {name}: {REMEDIES[kind]}"
        for node in nodes
        for kind, name in [_named(node)]
        if kind and not ALLOWED.search(lines[(node.end_lineno or node.lineno) - 1])
    ]


def _named(node: ast.AST) -> tuple[str, str]:
    """Return the kind and name of an operation that may round in another way elsewhere; empty for every other node."""
    match node:
        case ast.Attribute(ast.Name("math"), name) if name in ELEMENTARY.split():
            return "math", f"math.{name}"
        case ast.Attribute(ast.Name("np"), name) if name in BY_NUMPY.split():
            return "np", f"np.{name}"
        case ast.Attribute(_, name) if name in BY_RANDOM.split():
            return "rng", name
        case ast.ImportFrom("math", names) if any(name.name in ELEMENTARY.split() for name in names):
            return "math", "from math import"
        case ast.Call(ast.Name("sum"), [terms, *_]) if not _is_whole(terms):
            return "sum", "sum"
        case ast.BinOp(_, ast.Pow() | ast.MatMult() as sign) | ast.AugAssign(_, ast.Pow() | ast.MatMult() as sign):
            kind = "**" if isinstance(sign, ast.Pow) else "@"
            return kind, kind
    return "", ""


def _is_whole(node: ast.expr) -> bool:
    """Tell whether an expression, or each term of a sum, is plainly a whole number."""
    match node:
        case ast.GeneratorExp(term) | ast.ListComp(term):
            return _is_whole(term)
        case ast.Compare() | ast.Constant(int() | bool()) | ast.UnaryOp(ast.Not()):
            return True
        case ast.Call(ast.Name("len" | "int" | "any" | "all" | "bool" | "isinstance" | "ord")):
            return True
        case ast.Call(ast.Name("map"), [ast.Name("len" | "int"), *_]):
            return True
        case ast.BoolOp(_, parts):
            return all(map(_is_whole, parts))
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
            return _is_whole(left) and _is_whole(right)
    return False


def modules() -> list[Path]:
    files = [ROOT / room for room in ROOMS]
    return [path for file in files for path in (sorted(file.rglob("*.py")) if file.is_dir() else [file])]


@pytest.mark.slow
def test_nothing_rounds_in_another_way_elsewhere() -> None:
    found = {path.relative_to(ROOT).as_posix(): faults(path.read_text(encoding="utf-8")) for path in modules()}
    assert len(found) > 60
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        "y = sum(sides)", "y = sum(x for x, _ in points) / len(points)", "y = radius * math.sin(angle)",
        "from math import hypot", "f = np.exp", "y = np.linalg.norm(way)", "y = a @ b", "y = x ** 2", "y **= 0.5",
        "y = rng.gauss(0, 1)",
    ],
)  # fmt: skip
def test_what_rounds_is_seen(line: str) -> None:
    assert len(faults(line)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "y = math.fsum(sides)", "y = sum(len(word) for word in words)", "y = sum(a < b and b < c for a, b, c in rows)",
        "y = sum(2 * len(word) + 1 for word in words)", "y = exact.sin(math.radians(angle))", "y = math.sqrt(x)",
        "y = mask.sum()", "y = sum(counts)  # exact: counts pixels", "y = f(**options)",
    ],
)  # fmt: skip
def test_what_cannot_round_passes(line: str) -> None:
    assert faults(line) == []
