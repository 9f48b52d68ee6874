"""Paid answers under torture: 200 runs, killed, stopped, starved of disk and torn, held against the service's ledger.

The service answers on loopback, always the same to the same question, and writes each request into its ledger: what was
asked, whether the whole reply was sent, what it costs. A run is disturbed up to four times at random moments, each time
by another command line (episodes at once, processes, a Dask cluster, a cache, a deadline, a cost limit), and then
played to its end. What must hold:

* **nothing twice**: a question whose answer was in the journal when a command began is not sent by it;
* **nothing lost**: every request of the ledger is an attempt in the journal, but for those under way when a process was
  killed outright or its disk was full;
* **money**: the costs of whole replies, less those, are the run's cost to the cent; what left the service in the moment
  in which its question was given up is recorded as an attempt without a price;
* **the same end**: outcomes, messages and pictures are those of a run that nothing disturbed.

    python benchmarks/torture.py                  200 runs, two at a time
    python benchmarks/torture.py --runs 20 --seed 7000
    python benchmarks/torture.py --only 7012      one run, with what its commands said
"""

import argparse
import asyncio
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from dask_cluster import dask_cluster  # noqa: E402
from openai_server import OpenAIServer, PictureMaker, parse_body, read_request  # noqa: E402

RUNS, AT_ONCE, MOST_DISTURBED = 200, 2, 4
CHAT_COST, PICTURE_COST = 0.0013, 0.0071
FAULTS = ("rate_limit", "server_error", "drop", "truncate", "html", "wrong_type")
LONGEST = 90.0
"""Seconds after which a command hangs."""


class Entry(NamedTuple):
    """A request in the ledger."""

    at: float
    question: str
    whole: bool
    cost: float


class Ledger(OpenAIServer):
    """The service: the same answer to the same question, and a ledger of all requests."""

    def __init__(self, rates: dict[str, float], seed: int) -> None:
        super().__init__(turns=2, latency=0.05, rates=rates, seed=seed, remember=False)
        self.entries: list[Entry] = []
        self.under_way = 0
        self._now: tuple[str, str] = ("", "")

    def settle(self, quiet: float = 1.5, seconds: float = 60) -> None:
        """Wait until no connection is open, or nothing came for a while: a Dask worker keeps connections for later."""
        end, count, since = time.monotonic() + seconds, -1, time.monotonic()
        while self._connections:
            now = time.monotonic()
            if self.under_way or len(self.entries) != count:
                count, since = len(self.entries), now
            if now - since > quiet or now > end:
                return
            time.sleep(0.02)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        _, path, headers, body = await read_request(reader)
        self.under_way += 1
        try:
            return await self._reply_to(path, headers, body, writer)
        finally:
            self.under_way -= 1

    async def _reply_to(self, path: str, headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter) -> bool:
        document, _ = parse_body(headers, body)
        question = _question(path, document)
        fault = self._fault(document["model"])
        place = len(self.entries)
        self.entries.append(Entry(time.time(), question, whole=False, cost=0.0))
        await asyncio.sleep(self.latency)
        if fault == "drop":
            return False
        self._now = (question, fault)
        reply = self._reply(path.removeprefix("/v1"), fault, headers, document)
        usage = json.loads(reply.body).get("usage") if reply.status == 200 and fault != "wrong_type" else None
        # Bills are for answers; who did not read one to its end cannot know its price.
        stays = await self._send(writer, reply)
        if usage and not reply.cut:
            self.entries[place] = self.entries[place]._replace(whole=True, cost=usage["cost"])
        return stays

    def _image(self, fault: str) -> str:
        self._picture = PictureMaker(64, 0, seed=0)
        self._picture.made = int(hashlib.sha256(self._now[0].encode()).hexdigest()[:7], 16)
        return super()._image(fault)

    def _images(self, fault: str) -> dict[str, Any]:
        answer = super()._images(fault)
        answer["usage"]["cost"] = PICTURE_COST
        return answer

    def _chat(self, fault: str, document: dict[str, Any], said: str) -> dict[str, Any]:
        answer = super()._chat(fault, document, said)
        answer["usage"]["cost"] = CHAT_COST
        return answer

    def _said(self, turn: int, said: str) -> str:
        text = super()._said(turn, said)
        return text.replace("Message", f"Of {self._now[0].split()[1]} message")


@contextmanager
def serving_ledger(rates: dict[str, float], seed: int) -> Iterator[Ledger]:
    """Serve from a thread of its own while the block runs."""
    server, ready, loop = Ledger(rates, seed), threading.Event(), asyncio.new_event_loop()
    task = loop.create_task(server.serve(ready.set))
    thread = threading.Thread(target=_run_loop, args=(loop, task), daemon=True)
    thread.start()
    ready.wait(60)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(60)


def _run_loop(loop: asyncio.AbstractEventLoop, task: "asyncio.Task[None]") -> None:
    try:
        loop.run_until_complete(task)
    except asyncio.CancelledError:
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()


def _question(path: str, document: dict[str, Any]) -> str:
    """Return what is asked: the seat, the name that describers have in their answers, and the turn."""
    if path.endswith(("/generations", "/edits")):
        name, _, turn, *_ = document["prompt"].rsplit("Of ", 1)[1].split()
        return f"generator {name} {turn.rstrip(':')}"
    messages = document["messages"]
    parts = [part for message in messages if isinstance(message["content"], list) for part in message["content"]]
    target = next(part["image_url"]["url"] for part in parts if "image_url" in part)
    turn = 1 + sum(message["role"] == "assistant" for message in messages)
    return f"describer {hashlib.sha256(target.encode()).hexdigest()[:12]} {turn}"


class Disturbance(NamedTuple):
    """How a command is disturbed, and with which options it is given."""

    kind: str
    after: float
    options: tuple[str, ...]


def plan(chance: random.Random, folder: Path, scheduler: str) -> Iterator[Disturbance]:
    """Yield the disturbed commands of a run."""
    for _ in range(chance.randint(1, MOST_DISTURBED)):
        kind = chance.choice(("kill", "kill", "stop", "stop twice", "torn", "disk", "deadline", "cost"))
        options = ["--concurrency", str(chance.randint(1, 8))]
        if kind != "disk" and chance.random() < 0.25:
            options += ["--processes", "2"]
        elif scheduler and kind != "disk" and chance.random() < 0.15:
            options += ["--executor", "dask", "--scheduler", scheduler]
        if chance.random() < 0.3:
            options += ["--cache", str(folder / "cache")]
        if kind == "deadline":
            options += ["--deadline", f"{chance.uniform(0.2, 1.5):.2f}"]
        if kind == "cost":
            options += ["--max-cost", f"{chance.uniform(0.004, 0.05):.3f}", "--prices", str(folder / "prices.yaml")]
        yield Disturbance(kind, chance.uniform(0.7, 2.6), tuple(options))


class Recorded(NamedTuple):
    """What a journal holds of requests: how many, how many of them were given up unread, and what the others cost."""

    requests: int
    unread: int
    cost: float


class Torture:
    """One run: its folder, its service and its journal."""

    def __init__(self, number: int, folder: Path, instances: Path, server: Ledger, shown: bool) -> None:
        self.number, self.folder, self.instances, self.server, self.shown = number, folder, instances, server, shown
        self.run = folder / "run"
        self.faults: list[str] = []
        self.lost = 0
        self.lost_cost = 0.0
        pair = folder / "pair"
        pair.mkdir(parents=True)
        price = '{input: 1, output: 1, images: {"*/*": 0.0071}, date: 2026-01-01, source: the ledger}'
        (folder / "prices.yaml").write_text(f"models: {{m: {price}}}\n")
        seat = f"model: m\n  base_url: {server.base_url}\n"
        (pair / "submission.yaml").write_text(
            f"schema: 1\nname: Pair\nlicence: CC0-1.0\nrules: {{over_budget: truncate}}\n"
            f"describer:\n  player: openai\n  {seat}generator:\n  player: openai-images\n  {seat}"
        )

    def command(self, *options: str) -> list[str]:
        """Return the command that plays the run, or goes on with it."""
        words = ["play", str(self.folder / "pair"), "--instances", str(self.instances), "--out", str(self.run)]
        return [sys.executable, "-m", "ircore", *words, *options]

    def disturb(self, disturbance: Disturbance) -> None:
        """Give the command and disturb it; note whatever should not be."""
        known, place = self.answered(), len(self.server.entries)
        before = self.recorded()
        limit = 12_000 if disturbance.kind == "disk" else None
        process = subprocess.Popen(
            self.command(*disturbance.options),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        hard = disturbance.kind in ("kill", "torn")
        try:
            if hard or disturbance.kind.startswith("stop"):
                try:
                    process.wait(disturbance.after)
                except subprocess.TimeoutExpired:
                    for _ in range(2 if disturbance.kind == "stop twice" else 1):
                        os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
                        time.sleep(0.15)
            said = process.communicate(timeout=LONGEST)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said = process.communicate()[0].decode(errors="replace")
            self.faults.append(f"{disturbance.kind} {' '.join(disturbance.options)}: hangs after {LONGEST:.0f} s")
        if self.shown:
            print(f"--- {disturbance}, exit {process.returncode}\n{said}")
        if "Traceback" in said:
            self.faults.append(f"{disturbance.kind} {' '.join(disturbance.options)}: a traceback\n{said[-1500:]}")
        # A worker whose client was killed may be importing its player, and sees only then that it is alone.
        self.server.settle(6.0 if hard and "dask" in disturbance.options else 1.5)
        self.check_session(disturbance, known, place, before, hard or disturbance.kind == "disk")
        if disturbance.kind == "torn":
            self.tear()

    def tear(self) -> None:
        """Leave half a line at the end of the journal, as a loss of power does."""
        journal = self.run / "journal.jsonl"
        if journal.exists():
            with journal.open("ab") as file:
                file.write(b'{"event":"call","episode_id":"pie_gr')

    def check_session(
        self, disturbance: Disturbance, known: set[str], place: int, before: Recorded, may_lose: bool
    ) -> None:
        """Hold what a command has recorded against the service's ledger."""
        name = f"{disturbance.kind} {' '.join(disturbance.options)}"
        sent = self.server.entries[place:]
        if twice := sorted({entry.question for entry in sent} & known):
            self.faults.append(f"{name}: asked again although it was answered: {', '.join(twice)}")
        after = self.recorded()
        lost = len(sent) - (after.requests - before.requests)
        billed, recorded = fsum(entry.cost for entry in sent), after.cost - before.cost
        given_up = after.unread - before.unread  # whether such a request arrived, its sender cannot know
        if lost < -given_up or (lost > 0 and not may_lose):
            self.faults.append(f"{name}: {len(sent)} requests, {after.requests - before.requests} of them recorded")
        # The last byte of a reply may leave the service in the moment in which its question is given up.
        unread = given_up * PICTURE_COST
        if not may_lose and not -0.00005 < billed - recorded < unread + 0.00005:
            self.faults.append(f"{name}: billed {billed:.4f}, recorded {recorded:.4f}")
        self.lost += max(0, lost)
        self.lost_cost += billed - recorded

    def finish(self) -> None:
        """Play the rest, until the command says that all is there."""
        for _ in range(12):
            self.disturb(Disturbance("end", 0, ("--concurrency", "4")))
            if self.left() == 0:
                return
        self.faults.append("the run does not come to an end")

    def events(self) -> list[dict[str, Any]]:
        """Return the whole lines of the journal."""
        journal = self.run / "journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True) if journal.exists() else []
        return [json.loads(line) for line in lines if line.endswith(b"\n")]

    def answered(self) -> set[str]:
        """Return the questions whose answers are in the journal, as the ledger names them."""
        calls = [event for event in self.events() if event["event"] == "call"]
        names = {call["episode_id"]: call["text"].split()[1] for call in calls if "Of " in (call.get("text") or "")}
        return {f"{call['role']} {names[call['episode_id']]} {call['turn']}" for call in calls}

    def recorded(self) -> Recorded:
        """Return what the journal holds of requests."""
        attempts = [attempt for event in self.events() for attempt in event.get("attempts", ())]
        unread = sum((attempt.get("detail") or "").startswith("given up") for attempt in attempts)
        return Recorded(len(attempts), unread, fsum(attempt.get("cost_usd") or 0.0 for attempt in attempts))

    def left(self) -> int:
        """Return how many instances have no ending, or one for a technical reason."""
        ended = {
            event["episode"]["instance_id"]: event["episode"] for event in self.events() if event["event"] == "end"
        }
        technical = sum(bool(episode.get("abort_reason") == "provider_error") for episode in ended.values())
        instances = (self.instances / "instances.jsonl").read_text().splitlines()
        return len(instances) - len(ended) + technical

    def endings(self) -> dict[str, Any]:
        """Return how each episode went: outcome, messages, pictures."""
        return {
            event["episode"]["instance_id"]: (
                event["episode"]["outcome"],
                [
                    (turn.get("message"), (turn.get("rendering") or {}).get("sha256"))
                    for turn in event["episode"]["steps"]
                ],
            )
            for event in self.events()
            if event["event"] == "end"
        }

    def check_end(self, undisturbed: dict[str, Any]) -> None:
        """Hold the finished run against an undisturbed one and the whole ledger."""
        if self.endings() != undisturbed:
            differing = sorted(name for name in undisturbed if self.endings().get(name) != undisturbed[name])
            self.faults.append(f"ends otherwise than an undisturbed run: {', '.join(differing)}")
        repeated = [key for key, count in Counter(map(_key, self.events())).items() if key and count > 1]
        if repeated:
            self.faults.append(f"several answers to one question: {repeated[:3]}")
        billed = fsum(entry.cost for entry in self.server.entries)
        if abs(billed - self.lost_cost - self.recorded().cost) > 0.00005:
            self.faults.append(
                f"billed {billed:.4f}, lost in flight {self.lost_cost:.4f}, recorded {self.recorded().cost:.4f}"
            )


def _key(event: dict[str, Any]) -> tuple[str, int, str] | None:
    return (event["episode_id"], event["turn"], event["role"]) if event["event"] == "call" else None


def torture(number: int, folder: Path, instances: Path, scheduler: str, shown: bool = False) -> Torture:
    """Play one run through all its disturbances and return what was found."""
    chance = random.Random(number)
    shares = {fault: chance.choice((0.0, 0.0, 0.05, 0.12)) for fault in FAULTS}
    with serving_ledger({}, number) as calm:
        quiet = Torture(number, folder / "quiet", instances, calm, shown=False)
        quiet.finish()
    with serving_ledger(shares, number) as server:
        run = Torture(number, folder / "tortured", instances, server, shown)
        for disturbance in plan(chance, run.folder, scheduler):
            run.disturb(disturbance)
        run.finish()
        run.check_end(quiet.endings())
    return run


def main() -> None:
    """Torture runs side by side and print what did not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=0, help="number of the first run")
    parser.add_argument("--only", type=int, help="this run alone, with what its commands said")
    given = parser.parse_args()
    numbers = [given.only] if given.only is not None else list(range(given.seed, given.seed + given.runs))
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        build = ["instances", "build", "--out", str(folder / "set"), "--per-condition", "1"]
        kinds = ["-c", "simple_shapes", "-c", "pie_graph"]
        subprocess.run([sys.executable, "-m", "ircore", *build, *kinds], check=True, capture_output=True)
        scheduler = stack.enter_context(dask_cluster(folder / "dask", 1)).address
        begun = time.perf_counter()

        def one(number: int) -> Torture:
            return torture(number, folder / str(number), folder / "set", scheduler, given.only is not None)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            runs = []
            for run in pool.map(one, numbers):
                runs.append(run)
                if len(runs) % 20 == 0:
                    print(f"{len(runs)} of {len(numbers)} runs", file=sys.stderr, flush=True)
                for fault in run.faults:
                    print(f"run {run.number}: {fault}", flush=True)
        report(runs, time.perf_counter() - begun)


def report(runs: Sequence[Torture], seconds: float) -> None:
    """Print sums, and end with 1 if anything did not hold."""
    requests = sum(len(run.server.entries) for run in runs)
    billed = fsum(entry.cost for run in runs for entry in run.server.entries)
    lost, lost_cost = sum(run.lost for run in runs), fsum(run.lost_cost for run in runs)
    wrong = sum(bool(run.faults) for run in runs)
    print(f"{len(runs)} runs in {seconds:.0f} s: {requests} requests, US$ {billed:.2f} billed")
    print(
        f"  under way when a process was killed, its disk full or its question given up: {lost} requests, "
        f"US$ {lost_cost:.2f}"
    )
    print(
        f"  all else is in the journals, and every run ends like an undisturbed one: {len(runs) - wrong} of {len(runs)}"
    )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
