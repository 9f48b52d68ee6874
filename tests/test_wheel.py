"""The wheel holds all that the repository's packages read, and works in an empty folder without the repository."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from samples import sample_instances, sample_run

from ircore.core.plugins import EXTRAS
from ircore.scorers.scoring import ScoringPlan, score_runs
from leaderboard.building.site_build import MARKER

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("ircore", "leaderboard", "dataset_card")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy so that the build leaves nothing in the repository."""
    folder = tmp_path_factory.mktemp("wheel")
    copied = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "mkdocs.yml", "CITATION.cff")
    for name in copied:
        (folder / "source").mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, folder / "source" / name)
    for name in (*PACKAGES, "docs", "submissions"):
        shutil.copytree(ROOT / name, folder / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = f"from setuptools.build_meta import build_wheel; build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=folder / "source", check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the installed wheel and nothing else."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "uv", "pip", "install", "-q", "--no-deps", "--offline", "--target"]
    subprocess.run([*command, str(target), str(wheel)], check=True)
    return target


@pytest.fixture(scope="module")
def bare(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the installed wheel and what it requires without any extra, and nothing else."""
    target = tmp_path_factory.mktemp("bare")
    for entry in installed.iterdir():
        (target / entry.name).symlink_to(entry)
    wanted, known = ["ircore"], set()
    while wanted:
        name = wanted.pop()
        if name in known:
            continue
        known.add(name)
        needed = distribution(name)
        requirements = map(Requirement, needed.requires or ())
        wanted += [it.name for it in requirements if it.marker is None or it.marker.evaluate({"extra": ""})]
        for top in {Path(file).parts[0] for file in needed.files or () if name != "ircore"}:
            source = Path(str(needed.locate_file(top)))
            if top not in ("..", "bin", "__pycache__") and not (target / top).exists():
                (target / top).symlink_to(source)
    return target


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    files = [
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert set(files) <= packed
    assert {f"leaderboard/skeleton/docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} <= packed


def test_what_is_installed_builds_a_site_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed)}

    def run(*words: str) -> str:
        command = [sys.executable, "-m", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    located = subprocess.run(
        [sys.executable, "-c", "import ircore, leaderboard; print(ircore.__file__, leaderboard.__file__)"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert located.stdout.count(str(installed)) == 2
    played = sample_run(tmp_path / "run", sample_instances(tmp_path / "set"))
    score_runs([played], ScoringPlan(("structural",), ("psnr",)), workers=1)
    run("ircore", "site", "build", "--runs", "run", "--out", "site")
    run("ircore", "site", "check", "site")
    assert (tmp_path / "site" / MARKER).is_file()
    for page in ("index.html", "library.html", "cite.html"):
        assert (tmp_path / "site" / page).is_file()


def test_without_extras_a_command_says_what_it_needs_before_it_begins(bare: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(bare), "IRCORE_NEXT": "none"}

    def run(*words: str) -> tuple[int, str, str]:
        # Without the folder of installed packages: what is there is what the wheel brings.
        command = [sys.executable, "-S", "-m", "ircore", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    refused = {
        ("demo", "--no-serve"): ("the demo", "site,release"),
        ("release", "build", "--runs", "run", "--instances", "set", "--out", "dataset"): ("release build", "release"),
        ("site", "build", "--runs", "run", "--out", "site"): ("site build", "site"),
    }
    for words, (who, extras) in refused.items():
        status, _, said = run(*words)
        problem, remedy = said.splitlines()
        assert status == 2
        assert problem.startswith(f"ircore: {who} needs the package")
        assert remedy == f"  Install them with: pip install 'ircore[{extras}]'"
    assert list(tmp_path.iterdir()) == []

    made = (
        ("instances", "build", "--out", "set", "--per-condition", "1", "--category", "simple_shapes"),
        ("play", "classical+canvas", "--instances", "set", "--out", "run"),
        ("score", "run", "--judge", "structural", "--metric", "psnr"),
        ("results", "run", "--format", "csv"),
    )
    for words in made:
        status, _, said = run(*words)
        assert status == 0, said
    manifest = "schema: 1\nname: own\ndescriber: {player: openai, model: m, base_url: 'http://127.0.0.1:9/v1'}\n"
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "submission.yaml").write_text(manifest + "generator: {player: canvas}\nlicence: CC0-1.0\n")
    status, _, said = run("play", "own", "--instances", "set", "--out", "own-run")
    assert (status, said.splitlines()[-1]) == (2, "  Install it with: pip install 'ircore[models]'")
    assert not (tmp_path / "own-run").exists()
    # Only this use of the command needs an extra, and the library's too.
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / "release.json").write_text("{}")
    status, _, said = run("results", "dataset")
    assert (status, said.splitlines()[-1]) == (2, "  Install them with: pip install 'ircore[release]'")
    program = (
        "import ircore\ntry: ircore.load_table('dataset', 'scores')\nexcept ircore.InputError as e: print(e.remedy)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "Install them with: pip install 'ircore[release]'\n"


def test_every_extra_is_known_with_its_packages() -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(EXTRAS) == set(stated) - {"all"}
    names = packages_distributions()
    for extra, packages in EXTRAS.items():
        wanted = {canonicalize_name(Requirement(line).name) for line in stated[extra]}
        for package in packages:
            # Two come along with another; what is not installed here is looked for under the name of its import.
            owners = {canonicalize_name(name) for name in names.get(package, [package])}
            assert owners & (wanted | {"aiohttp", "mkdocs"}), (extra, package)
