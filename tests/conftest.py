"""Fixtures that many tests share: each test gets folders of its own."""

import gc
import os
import re
import shutil
import sys
import textwrap
from collections import OrderedDict, deque
from collections.abc import Iterator
from ctypes import CDLL
from functools import _lru_cache_wrapper
from itertools import count
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, settings
from openai_server import OpenAIServer, serving
from samples import sample_instances, sample_run
from shared_folders import made_once, make_demo
from visits import find_chromium

import ircore.library
from ircore.commands.main import run as ircore_command
from ircore.instances.store import InstanceSet
from ircore.players import calls
from ircore.runs.folder import RunFolder
from leaderboard.storage.build_cache import BuildCache

# Compiled test modules are kept even where the environment forbids compiled files: otherwise each worker rewrites the
# assertions of 220 modules again (10 s), and each command that a test starts compiles the whole package.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # Arrow's own pool keeps what tables needed
# load_dataset reads a release's card each time: the same values in a tenth of the time.
yaml.SafeLoader = yaml.CSafeLoader  # type: ignore[misc,assignment]

# Whether a change is good does not hang on chance or on how busy a machine is: the same examples everywhere, and no
# limits of time. Searching for new ones is what tests/fuzz.py is for.
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whatever asks for the browser, directly or through a fixture; it is slow too."""
    for item in items:
        if isinstance(item, pytest.Function) and "chromium" in item.fixturenames:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Leave modules and tests, which stay until the end, out of searches for unused objects, which are rare."""
    gc.freeze()
    gc.set_threshold(9_000, 20, 50)  # a twentieth of all tests otherwise; commands set 10,000, which tests look at


LARGE, HUGE = 700 << 20, 850 << 20
"""Bytes of a worker's memory from which on it forgets what modules remember: after a file of tests, after any test."""

GROWTH, MOST = 320 << 20, 950 << 20
"""Bytes by which a worker has grown before it forgets after a test, and from which on it forgets in any case.

Dictionaries of languages alone take 250 million: with less growth, every second test of messages would read them anew.
"""

_least = 0
"""Bytes that were left when it last forgot."""


def _forget_beyond(most: int) -> None:
    """Forget typefaces, looks, draws and pages, which modules remember: hundreds of megabytes over all tests."""
    global _least
    if _resident() > most:
        for name, module in list(sys.modules.items()):
            if name.startswith(("ircore.", "dataset_card.", "leaderboard.", "tests.")):
                for value in list(vars(module).values()):
                    if isinstance(value, _lru_cache_wrapper):
                        value.cache_clear()
                    elif isinstance(value, deque | OrderedDict):  # the eye's last looks and targets
                        value.clear()
        gc.collect()
        CDLL(None).malloc_trim(0)
        _least = _resident()


def _resident() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGESIZE") if statm.exists() else 0


@pytest.fixture(scope="module", autouse=True)
def _small_after_each_file() -> Iterator[None]:
    yield
    _forget_beyond(LARGE)


@pytest.fixture(scope="session", autouse=True)
def _freed_memory_is_returned() -> Iterator[None]:
    """A worker goes on after a release command, whose process would keep a gigabyte of freed memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dataset_card.commands.keep_freed_memory", lambda: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _equal_shells_are_built_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """MkDocs makes the same of equal input, and many small sites differ in nothing that it reads."""
    kept = BuildCache(made_once(tmp_path_factory, "shells", lambda folder: None))
    load, store = BuildCache.load, BuildCache.store

    def load_shells(cache: BuildCache, name: str) -> bytes | None:
        data = load(cache, name)
        if data is None and name.startswith("shells/") and (data := load(kept, name)) is not None:
            store(cache, name, data)
        return data

    def store_shells(cache: BuildCache, name: str, data: bytes) -> None:
        for place in (cache, kept) if name.startswith("shells/") else (cache,):
            store(place, name, data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BuildCache, "load", load_shells)
        patch.setattr(BuildCache, "store", store_shells)
        yield


_number = count()


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is read from, or left in, the user's folder for caches. Most tests never make the folder named here."""
    monkeypatch.setenv("IRCORE_CACHE", str(tmp_path_factory.getbasetemp() / f"cache-of-ircore-{next(_number)}"))
    yield
    _forget_beyond(max(HUGE, min(_least + GROWTH, MOST)))


@pytest.fixture
def instances(tmp_path: Path) -> InstanceSet:
    """Four small target pictures."""
    return sample_instances(tmp_path / "instances")


@pytest.fixture(scope="session")
def _played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "sample", lambda folder: sample_run(folder / "run", sample_instances(folder)))


@pytest.fixture
def run(_played: Path, tmp_path: Path, instances: InstanceSet) -> RunFolder:
    """A run that two simple players played on them; copying takes a tenth of the time of playing."""
    return RunFolder(shutil.copytree(_played / "run", tmp_path / "run"))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """Models on loopback, which are asked again soon."""
    monkeypatch.setattr(calls, "BACKOFF_S", 0.01)
    with serving() as service:
        yield service


@pytest.fixture(scope="session")
def example_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders ``targets``, ``run`` and ``release`` that examples in docstrings go on from; not to be changed.

    The introduction of ``ircore.library`` says how they are made, and its words are run here.
    """
    return made_once(tmp_path_factory, "examples", _make_example_files)


def _make_example_files(folder: Path) -> None:
    code, command = re.findall(r"\n\n((?: {4}.*\n|\n(?= {4}))+)", ircore.library.__doc__ or "")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(textwrap.dedent(code), {})
        assert ircore_command(command.split()[1:]) == 0


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that ``make demo`` leaves in a clone; not to be changed."""
    return made_once(tmp_path_factory, "demo-tree", make_demo) / "build" / "demo"


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where the browser is; without one these tests are skipped, or fail where they are required."""
    browser = find_chromium()
    if browser is None:
        message = "no Chromium on PATH (chromium, chromium-browser, google-chrome) or in CHROMIUM"
        if os.environ.get("IRCORE_REQUIRE_BROWSER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return browser
