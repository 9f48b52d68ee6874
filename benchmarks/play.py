"""Playing models behind a service: `ircore play` beside bare loops over the same client, on the same work.

The service of the tests runs in a process of its own on loopback, answers each request after 100 ms, or at once, and
makes a different picture each time (512 px, about 38 kB). The bare loops keep nothing but files and a log; they are
what a script of forty lines would do: over the client of the package `openai` with both of its transports, and over
`aiohttp` alone. The window is from the first request to the last reply as the service sees it.

    python benchmarks/play.py                 all parts, about six minutes
    python benchmarks/play.py many            one part: 1,400 episodes, 256 at once, in several processes
    python benchmarks/play.py frameworks --inspect PYTHON --clemcore PYTHON

The last one plays the same game in other frameworks, by a Python that has them (``benchmarks/peers``).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SERVER = ROOT / "tests" / "support" / "openai_server.py"
PEERS = Path(__file__).parent / "peers"
PARTS = ("speed", "many", "large", "faults", "kill", "frameworks")
FAULTS = ("rate_limit=0.05", "server_error=0.02", "drop=0.01", "truncate=0.01")
EPISODES, MESSAGES = 140, 4


class Bar(NamedTuple):
    """What a part is held to: shown with what was measured, and met if that is not above it."""

    name: str
    measured: float
    most: float
    digits: int = 2

    @property
    def met(self) -> bool:
        """Whether it is met."""
        return self.measured <= self.most

    def line(self) -> str:
        """Return it as a line of the report."""
        return f"  {self.name}: {self.measured:.{self.digits}f} (bar {self.most:g}, {'met' if self.met else 'MISSED'})"


class Measured(NamedTuple):
    """One process and what it did."""

    status: int
    window: float
    cpu: float
    peak: float
    requests: int
    written: int
    kept: int
    log: int
    renderings: int

    def line(self, name: str) -> str:
        """Return a row of the table."""
        log = f"{self.log / self.renderings:6.3f} {self.written / self.kept:8.3f}" if self.log else ""
        per_request = 1000 * self.cpu / self.requests
        return f"{name:<34} {self.window:8.2f} {per_request:8.2f} {self.peak:8.0f} {self.requests:8d} {log}"


# log/img: what is kept but the targets' copy, by the renderings; written: bytes passed to write(), by those kept.
HEAD = f"{'':<34} {'window s':>8} {'CPU ms/r':>8} {'peak MB':>8} {'requests':>8} {'log/img':>6} {'written':>8}"


@contextmanager
def service(*options: str) -> Iterator[str]:
    """Serve in a process of its own; yields its address."""
    command = [sys.executable, str(SERVER), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def stats(url: str) -> dict[str, Any]:
    """Return what the service saw."""
    with urllib.request.urlopen(f"{url}/stats") as reply:
        result: dict[str, Any] = json.load(reply)
    return result


def measure(command: list[str], url: str, out: Path, folder: Path | None = None) -> Measured:
    """Run a command to its end, in a folder if one is given, and measure it from outside."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    # Waited for without taking it away, so that the kernel still tells what it wrote (sockets are not counted).
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    counts = dict(line.split(": ") for line in Path(f"/proc/{process.pid}/io").read_text().splitlines())
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seen = stats(url)
    renderings = size(out / "renderings")
    return Measured(
        process.returncode,
        seen["seconds"],
        used.ru_utime + used.ru_stime,
        used.ru_maxrss / 1024,
        seen["requests"],
        int(counts["wchar"]),
        size(out),
        size(out) - size(out / "instances"),
        renderings,
    )


def size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def play_command(folder: Path, url: str, out: Path, transport: str, at_once: int, *more: str) -> list[str]:
    """Write a submission for the service and return the command that plays it."""
    submission = folder / f"pair-{out.name}"
    submission.mkdir(exist_ok=True)
    seat = f"model: m\n  base_url: {url}\n  parameters: {{transport: {transport}}}\n"
    (submission / "submission.yaml").write_text(
        f"schema: 1\nname: Pair\nlicence: CC0-1.0\ndescriber:\n  player: openai\n  {seat}"
        f"generator:\n  player: openai-images\n  {seat}"
    )
    command = [sys.executable, "-m", "ircore", "play", str(submission), "--instances", str(folder / "set")]
    return [*command, "--out", str(out), "--concurrency", str(at_once), *more]


def bare_command(folder: Path, url: str, out: Path, transport: str, at_once: int, episodes: int) -> list[str]:
    """Return the command of the bare loop."""
    return [
        sys.executable,
        str(PEERS / "bare.py"),
        url,
        str(folder / "set"),
        str(out),
        transport,
        str(at_once),
        str(episodes),
    ]


WAYS: dict[str, tuple[str, ...]] = {
    "bare httpx": (), "bare aiohttp": (), "bare raw": (),
    "play httpx": (), "play aiohttp": (), "play in 4": ("--processes", "4"),
}  # fmt: skip
"""Bare loops over the client with its two transports and over aiohttp alone; the players' two, and four processes."""


def speed(folder: Path) -> list[Bar]:
    """140 episodes × 5 turns, 32 at once, each way twice in turn, the better of the two counting."""
    bars = []
    for latency, ideal in (("0.1", "100 ms each (ideal 3.94 s)"), ("0", "answered at once")):
        print(f"\n{EPISODES} episodes × 5 turns, 32 at once, {ideal}\n{HEAD}")
        best: dict[str, Measured] = {}
        for attempt in range(2):
            for way, more in WAYS.items():
                done = _once(folder, way, f"{way}-{latency}-{attempt}", latency, 32, EPISODES, *more)
                best[way] = min(best.get(way, done), done, key=lambda entry: entry.window)
        for way, item in best.items():
            print(item.line(way))
        window = {way: item.window for way, item in best.items()}
        if latency == "0":
            bars += [
                Bar("window / bare loop over openai", window["play aiohttp"] / window["bare httpx"], 0.7),
                Bar(
                    "window in four processes / bare loop over aiohttp", window["play in 4"] / window["bare raw"], 1.25
                ),
            ]
        else:
            bars += [
                Bar("window over httpx / bare httpx", window["play httpx"] / window["bare httpx"], 1.15),
                Bar("window / bare loop over openai, 100 ms each", window["play aiohttp"] / window["bare httpx"], 1),
                Bar("window / bare loop over aiohttp, 100 ms each", window["play aiohttp"] / window["bare raw"], 1.25),
                Bar("peak memory, MB", best["play aiohttp"].peak, 130, 0),
            ]
    return bars


def many(folder: Path) -> list[Bar]:
    """1,400 episodes × 5 turns, 256 at once, in one process and in four; each way twice, the better one counting."""
    episodes, ideal = 10 * EPISODES, 10 * EPISODES * (2 * MESSAGES + 1) * 0.1 / 256
    print(f"\n{episodes} episodes × 5 turns, 256 at once, 100 ms each (ideal {ideal:.2f} s)\n{HEAD}")
    done: dict[str, Measured] = {}
    for attempt in range(2):
        for way in ("bare httpx", "bare raw", "play aiohttp", "play in 4"):
            made = _once(folder, way, f"many-{way}-{attempt}", "0.1", 256, episodes, *WAYS[way])
            done[way] = min(done.get(way, made), made, key=lambda entry: entry.window)
    for way, item in done.items():
        print(item.line(way))
    return [
        Bar(
            "window in one process / bare loop over openai",
            done["play aiohttp"].window / done["bare httpx"].window,
            0.7,
        ),
        Bar("window in four processes / ideal", done["play in 4"].window / ideal, 2),
        Bar(
            "window in four processes / bare loop over aiohttp",
            done["play in 4"].window / done["bare raw"].window,
            1.25,
        ),
        Bar("peak memory of a process of four, MB", done["play in 4"].peak, 130, 0),
    ]


def _once(folder: Path, way: str, name: str, latency: str, at_once: int, episodes: int, *more: str) -> Measured:
    """Play, or run a bare loop, once."""
    who, transport = way.replace("in 4", "aiohttp").split()
    out = folder / name.replace(" ", "-")
    with service("--latency", latency, "--turns", str(MESSAGES)) as url:
        command = play_command(folder, url, out, transport, at_once, "--limit", str(episodes), *more)
        if who == "bare":
            command = bare_command(folder, url, out, transport, at_once, episodes)
        return measure(command, url, out)


def large(folder: Path) -> list[Bar]:
    """Few episodes with large pictures, all shown to the describer at each turn."""
    print(f"\n10 episodes × 10 turns, 1.5 MB pictures of 1024 px, 10 at once\n{HEAD}")
    by_name = {}
    for who in ("bare", "play"):
        out = folder / f"{who}-large"
        with service("--latency", "0.1", "--turns", "9", "--side", "1024", "--noise-rows", "500") as url:
            command = play_command(folder, url, out, "httpx", 10, "--limit", "10")
            if who == "bare":
                command = bare_command(folder, url, out, "httpx", 10, 10)
            by_name[who] = measure(command, url, out)
        print(by_name[who].line(f"{who} httpx, large"))
    return [Bar("peak memory with large pictures, MB", by_name["play"].peak, 350, 0)]


def faults(folder: Path) -> list[Bar]:
    """The work of ``speed`` with a service that fails now and then."""
    print(f"\n{EPISODES} episodes, {', '.join(FAULTS)}, Retry-After 1\n{HEAD}")
    windows = []
    for name, rates in (("without faults", ()), ("with faults", FAULTS)):
        out = folder / name.replace(" ", "-")
        options = [part for rate in rates for part in ("--fault", rate)]
        with service("--latency", "0.1", "--turns", str(MESSAGES), *options) as url:
            done = measure(play_command(folder, url, out, "httpx", 32, "--limit", str(EPISODES)), url, out)
            seen = stats(url)["faults"]
        print(done.line(name))
        windows.append(done.window)
        if done.status:
            return [Bar(f"exit status {name}", done.status, 0, 0)]
    expected = EPISODES * (2 * MESSAGES + 1)
    print(f"  answers {seen['ok']} of {expected}, faults {seen}")
    return [
        Bar("times as long with faults", windows[1] / windows[0], 2),
        Bar("answers too few or too many", abs(seen["ok"] - expected), 0, 0),
    ]


def kill(folder: Path) -> list[Bar]:
    """Kill the run when half of the answers are there, then give the same command again."""
    print(f"\n{EPISODES} episodes, kill -9 at half-way, then the same command")
    out = folder / "killed"
    expected = EPISODES * (2 * MESSAGES + 1)
    with service("--latency", "0.1", "--turns", str(MESSAGES)) as url:
        command = play_command(folder, url, out, "httpx", 32, "--limit", str(EPISODES))
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            while events(out, '"event":"call"') < expected // 2:
                time.sleep(0.02)
            process.kill()
        answered, ended = events(out, '"event":"call"'), events(out, '"event":"end"')
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        requests = stats(url)["requests"]
    calls = events(out, '"event":"call"')
    print(f"  killed with {answered} answers and {ended} ended episodes ({ended / EPISODES:.0%})")
    return [
        Bar("answers lost or recorded twice", abs(calls - expected), 0, 0),
        Bar(f"requests over the {expected} needed", requests - expected, 32, 0),
    ]


def frameworks(folder: Path, pythons: Mapping[str, str | None]) -> list[Bar]:
    """140 episodes × 5 turns, 32 at once, by this project and by other frameworks; clemcore plays one at a time."""
    few = EPISODES // 10
    bars = []
    for latency in ("0.1", "0"):
        print(f"\n{EPISODES} episodes × 5 turns, 32 at once, answers after {latency} s\n{HEAD}")
        ours = _once(folder, "play aiohttp", f"ours-{latency}", latency, 32, EPISODES)
        print(ours.line("ircore play"))
        for name, python in pythons.items():
            if python is None:
                print(f"{name:<34} not measured: give --{name} a Python that has it")
                continue
            out = folder / f"{name}-{latency}"
            numbers = {"inspect": ("32", str(EPISODES)), "clemcore": (str(few),)}[name]
            with service("--latency", latency, "--turns", str(MESSAGES)) as url:
                script = str(PEERS / f"{name}_game.py")
                done = measure([python, script, url, str(folder / "set"), str(out), *numbers], url, out, folder)
            if name == "clemcore":
                done = done._replace(window=done.window * EPISODES / few)
            print(done.line(name if name == "inspect" else f"{name} ({few} episodes, window × {EPISODES // few})"))
            bars.append(Bar(f"window / {name}, answers after {latency} s", ours.window / done.window, 1))
    return bars


def events(run: Path, text: str) -> int:
    """Count the lines of a journal that hold a text."""
    journal = run / "journal.jsonl"
    return sum(text in line for line in journal.read_text().splitlines()) if journal.exists() else 0


def write_set(folder: Path, number: int) -> None:
    """Write an instance set of 512 px pictures that differ in one square."""
    from ircore.core.drawing import Drawing
    from ircore.core.images import Picture
    from ircore.core.records import Instance, PictureFile
    from ircore.instances.store import write_instances

    def made() -> Iterator[tuple[Instance, dict[str, Picture]]]:
        for index in range(number):
            drawing = Drawing(512, 512)
            drawing.rectangle(10 + index % 400, 10 + index // 4, 90 + index % 400, 90 + index // 4, fill="#d62728")
            picture = Picture.from_pixels(drawing.pixels)
            name = f"simple_shapes-easy-{index:04d}"
            instance = Instance(
                instance_id=name,
                category="simple_shapes",
                difficulty="easy",
                game="reconstruction",
                pictures={"target": PictureFile.of(f"images/{name}.png", picture)},
                source="drawn for a measurement",
                licence="CC0-1.0",
            )
            yield instance, {"target": picture}

    write_instances(folder, made())


def main() -> int:
    """Measure what is asked for; the exit status says whether every bar was met."""
    if sys.argv[1:2] == ["set"]:
        write_set(Path(sys.argv[2]), int(sys.argv[3]))
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all of them if none is named")
    parser.add_argument("--inspect", metavar="PYTHON", help="a Python that has inspect_ai, for the part frameworks")
    parser.add_argument("--clemcore", metavar="PYTHON", help="a Python that has clemcore, for the part frameworks")
    given = parser.parse_args()
    pythons = {"inspect": given.inspect, "clemcore": given.clemcore}
    parts = {"speed": speed, "many": many, "large": large, "faults": faults, "kill": kill}
    parts["frameworks"] = partial(frameworks, pythons=pythons)
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        number = 10 * EPISODES if "many" in (given.parts or PARTS) else EPISODES
        # In a process of its own: the memory of this one would count as that of its children.
        subprocess.run([sys.executable, __file__, "set", str(folder / "set"), str(number)], check=True)
        # Every part is measured, whatever came of the one before.
        bars: list[Bar] = []
        for part in given.parts or PARTS:
            bars += (new := parts[part](folder))
            print("\n".join(bar.line() for bar in new))
    return reported(bars)


def reported(bars: list[Bar]) -> int:
    """Say which of the bars that were shown are missed; return the exit status."""
    missed = [bar.name for bar in bars if not bar.met]
    print(f"\nnot met: {'; '.join(missed)}" if missed else f"\nall {len(bars)} bars are met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
