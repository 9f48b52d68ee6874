"""A small OpenAI-compatible service on loopback: real HTTP, real pictures, and every fault that a real one has.

In tests::

    with serving(turns=2) as server:
        server.fail("rate_limit", "drop")    # the next two requests
        ...                                    # server.base_url is what a manifest names
        assert server.count("/images/edits") == 3

For measurements, as a script (prints its address, then serves; ``GET /v1/stats`` says what it saw)::

    python tests/support/openai_server.py --latency 0.1 --side 512 --noise-rows 24 --turns 4 --fault rate_limit=0.05

A model whose name begins with ``judge`` answers what ``server.judge`` says. Any other that is asked to describe answers
with a message as often as ``turns`` says, then with the done tag; it knows the turn by the answers of its own that it
is sent. Pictures are all different.
"""

import argparse
import asyncio
import base64
import json
import random
import re
import struct
import sys
import threading
import time
import zlib
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from known_values import known

KEY_HEADER = "authorization"


class Seen(NamedTuple):
    """A request as it arrived. ``document`` is its JSON, or the fields of its form; ``files`` are the form's files."""

    path: str
    headers: dict[str, str]
    document: dict[str, Any]
    files: dict[str, bytes]
    fault: str


class Reply(NamedTuple):
    """What to send back. ``cut`` bytes are held back at the end; then the connection is closed, or held (``stall``)."""

    status: int
    body: bytes
    headers: dict[str, str]
    cut: int = 0
    stall: bool = False


class Judged(NamedTuple):
    """A question to a judge: all words, the pictures in their order, and its own earlier answers to it."""

    words: str
    pictures: tuple[bytes, ...]
    replies: tuple[str, ...]


def read_judged(messages: list[dict[str, Any]]) -> Judged:
    """Take a question to a judge out of a request of either kind."""
    parts = [part for message in messages if message["role"] == "user" for part in message["content"]]
    words = "\n".join(part["text"] for part in parts if "text" in part)
    matches = [part["image_url"] for part in parts if "image_url" in part]
    urls = [item if isinstance(item, str) else item["url"] for item in matches]
    pictures = tuple(base64.b64decode(url.partition(",")[2]) for url in urls)
    return Judged(words, pictures, tuple(message["content"] for message in messages if message["role"] == "assistant"))


def decided(question: Judged) -> str:
    """Return 7 for a pair of pictures, and the first of two renderings; models that choose are given other answers."""
    return '{"score": 7}' if len(question.pictures) == 2 else '{"choice": "A"}'


@dataclass
class PictureMaker:
    """Makes PNG files fast: the first rows differ from picture to picture, the rest is compressed once."""

    side: int
    noise_rows: int
    seed: int = 0
    made: int = 0
    _tail: bytes = field(init=False)
    _rest: bytes = field(init=False)

    def __post_init__(self) -> None:
        row = self.side * 3
        noise = random.Random(self.seed).randbytes(row * self.noise_rows)
        rows = [b"\0" + noise[start : start + row] for start in range(0, len(noise), row)]
        self._rest = b"".join(rows) + (b"\0" + b"\xf0" * row) * (self.side - 1 - self.noise_rows)
        packer = zlib.compressobj(1, zlib.DEFLATED, -15)
        self._tail = packer.compress(self._rest) + packer.flush()

    def __call__(self) -> bytes:
        """Return a picture that was never returned before."""
        self.made += 1
        first = b"\0" + (struct.pack(">I", self.made) * self.side)[: self.side * 3]
        packer = zlib.compressobj(1, zlib.DEFLATED, -15)
        head = packer.compress(first) + packer.flush(zlib.Z_FULL_FLUSH)
        check = zlib.adler32(self._rest, zlib.adler32(first))
        return png(self.side, self.side, b"\x78\x01" + head + self._tail + struct.pack(">I", check))


def png(width: int, height: int, packed: bytes, depth: int = 8, colour: int = 2) -> bytes:
    """Return a PNG file around compressed rows."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


TINY = png(1, 1, zlib.compress(b"\0\xff\0\0"))
HUGE = png(8000, 6250, zlib.compress((b"\0" + bytes(1000)) * 6250), depth=1, colour=0)
"""50 megapixels in a few kilobytes."""

NO_PICTURE = b"GIF? no, this is only text"
JSON = {"content-type": "application/json"}
HTML = b"<html><head><title>502 Bad Gateway</title></head><body><h1>Bad gateway</h1></body></html>"


def error(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    """Return an error reply in OpenAI's form; the key that was sent may stand in ``message``."""
    body = {"error": {"message": message, "type": code or "error", "param": None, "code": code}}
    return Reply(
        status, json.dumps(body).encode(), {**JSON, **{name.replace("_", "-"): item for name, item in headers.items()}}
    )


class OpenAIServer:
    """The service; see the module.

    Args:
        turns: Messages that a describer gives before it is done.
        latency: Seconds before each reply.
        side: Pixels of a picture's side.
        noise_rows: Rows of noise in it, which make it large.
        rates: Faults by chance: share of requests by name.
        seed: For these.
        retry_after: What ``rate_limit`` says.
        remember: Whether to keep every request.
        echo: Whether replies repeat the key in headers, errors and texts.
        cost: US dollars that the service bills for its n-th reply, from 0 on, and states in the usage of every reply
            that has one; a request that is dropped, or answered with what cannot be read, is billed too. None: 0.001 a
            text, and nothing is said of pictures.

    Attributes:
        billed: US dollars that were billed in all, where ``cost`` says how many.
        faults_at_once: Whether faults come without ``latency``.
        lost_pictures: How many of the next pictures at addresses are answered with 503.
    """

    def __init__(
        self,
        turns: int = 2,
        latency: float = 0.0,
        side: int = 64,
        noise_rows: int = 0,
        rates: dict[str, float] | None = None,
        seed: int = 0,
        retry_after: str = "0.02",
        remember: bool = True,
        echo: bool = False,
        cost: Callable[[int], float] | None = None,
    ) -> None:
        self.turns, self.latency, self.retry_after = turns, latency, retry_after
        self.rates, self.remember, self.echo = rates or {}, remember, echo
        self.faults_at_once = False
        self.judge: Callable[[Judged], str] = decided
        self.place = "in the middle"
        self.seen: list[Seen] = []
        self.paths: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.at_once = self.most_at_once = 0
        self.cost, self.billed, self._bills, self.lost_pictures = cost, 0.0, 0, 0
        self.first = self.last = 0.0
        self.port = 0
        self._random = random.Random(seed)
        self._planned: defaultdict[str, deque[str]] = defaultdict(deque)
        self._picture = PictureMaker(side, noise_rows, seed)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def base_url(self) -> str:
        """What a manifest names."""
        return f"http://127.0.0.1:{self.port}/v1"

    def fail(self, *faults: str, model: str = "") -> None:
        """Plan a fault for each of the next requests (to ``model``, if given); ``ok`` lets one pass."""
        self._planned[model].extend(faults)

    def count(self, path: str = "") -> int:
        """Return how many requests came (to ``path``)."""
        return self.paths[path] if path else sum(self.paths.values())

    def wait_until_left(self, seconds: float = 60) -> None:
        """Wait until no connection is open: then every request that was sent by whoever has ended is counted."""
        end = time.monotonic() + seconds
        while self._connections:
            assert time.monotonic() < end, "a connection is still open"
            time.sleep(0.01)

    def wait_for(self, requests: int, replies: int = 0, seconds: float = 60) -> None:
        """Wait until so many requests have come, and so many of them are answered."""
        end = time.monotonic() + seconds
        while self.count() < requests or self.count() - self.at_once < replies:
            assert time.monotonic() < end, f"{self.count()} requests came, {self.at_once} are not answered"
            time.sleep(0.01)

    async def serve(self, ready: Callable[[], None], port: int = 0) -> None:
        """Serve until cancelled; ``ready`` is called when requests can come."""
        self._loop = asyncio.get_running_loop()
        server = await asyncio.start_server(self._connected, "127.0.0.1", port, limit=2**20)
        self.port = server.sockets[0].getsockname()[1]
        ready()
        try:
            async with server:
                await server.serve_forever()
        finally:
            for task in self._connections:
                task.cancel()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = known(asyncio.current_task())
        self._connections.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether the connection stays."""
        method, path, headers, body = await read_request(reader)
        if method == "GET" and path.startswith("/pictures/"):
            self.paths["/pictures"] += 1
            if self.lost_pictures:
                self.lost_pictures -= 1
                return await self._send(writer, Reply(503, b"busy", {}))
            await self._send(writer, Reply(200, self._picture(), {"content-type": "image/png"}))
            return True
        if method == "GET":
            await self._send(writer, Reply(200, json.dumps(self.stats()).encode(), JSON))
            return True
        started = time.perf_counter()
        self.first = self.first or started
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            path = path.removeprefix("/v1")
            document, files = parse_body(headers, body)
            fault = self._fault(document["model"])
            self.paths[path] += 1
            self.faults[fault] += 1
            if self.remember:
                self.seen.append(Seen(path, headers, document, files, fault))
            await asyncio.sleep(0 if self.faults_at_once and fault != "ok" else self.latency)
            if fault == "drop":
                self._bill()
                return False
            if fault == "small_context" and document.get("max_completion_tokens", 0) > 8192 - 900:
                asked = document["max_completion_tokens"]
                said = (
                    f"'max_tokens' or 'max_completion_tokens' is too large: {asked}. This model's maximum context "
                    f"length is 8192 tokens and your request has 900 input tokens ({asked} > 8192 - 900)."
                )
                return await self._send(writer, error(400, said, "BadRequestError"))
            reply = self._reply(path, fault, headers, document)
            return await self._send(writer, reply)
        finally:
            self.at_once -= 1
            self.last = time.perf_counter()

    def stats(self) -> dict[str, Any]:
        """Return counts, and the seconds from the first request to the last reply."""
        return {
            "requests": self.count(), "paths": dict(self.paths), "faults": dict(self.faults),
            "most_at_once": self.most_at_once, "seconds": round(self.last - self.first, 3),
        }  # fmt: skip

    def _fault(self, model: str) -> str:
        planned = self._planned[model] or self._planned[""]
        if planned:
            return planned.popleft()
        draw = self._random.random()
        for fault, share in self.rates.items():
            draw -= share
            if draw < 0:
                return fault
        return "ok"

    async def _send(self, writer: asyncio.StreamWriter, reply: Reply) -> bool:
        headers = {**reply.headers, "content-length": str(len(reply.body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        body = reply.body[: len(reply.body) - reply.cut]
        writer.write(f"HTTP/1.1 {reply.status} Status\r\n{head}\r\n".encode("latin-1") + body)
        await writer.drain()
        if reply.stall:
            await asyncio.sleep(3600)
        return reply.cut == 0

    def _reply(self, path: str, fault: str, headers: dict[str, str], document: dict[str, Any]) -> Reply:
        said = f" for {headers.get(KEY_HEADER)}" if self.echo else ""
        extra = {"x-echo": headers.get(KEY_HEADER, "")} if self.echo else {}
        reply = self._failed(fault, said) or self._answer(path, fault, document, said)
        return reply._replace(headers={**reply.headers, **extra})

    def _bill(self) -> float | None:
        """Bill a reply, and return what it costs; None if nothing is said of costs."""
        if self.cost is None:
            return None
        cost = self.cost(self._bills)
        self._bills, self.billed = self._bills + 1, self.billed + cost
        return cost

    def _failed(self, fault: str, said: str) -> Reply | None:
        """Return the reply for faults that are the same at every endpoint."""
        if fault == "wrong_type":
            self._bill()
        if fault == "rate_limit":
            return error(429, f"Rate limit reached{said}", "rate_limit_exceeded", retry_after=self.retry_after)
        replies = {
            "rate_limit_ms": error(429, "Slow down", "rate_limit_exceeded", retry_after_ms="20"),
            "rate_limit_long": error(429, f"Come back tomorrow{said}", "rate_limit_exceeded", retry_after="90000"),
            "rate_limit_bare": error(429, "Too many requests"),
            "server_error": error(500, f"The server had an error{said}", "server_error"),
            "html": Reply(502, HTML, {"content-type": "text/html"}),
            "wrong_type": Reply(200, HTML, {"content-type": "text/html"}),
            "error_in_body": Reply(200, b'{"error": {"message": "upstream failed", "code": 502}}', JSON),
            "long": error(400, f"{'Too long. ' * 29}{said}", "invalid_request_error"),
            "rejected": error(400, f"Invalid image{said}", "invalid_request_error"),
            "unsupported": error(400, "Unsupported parameter: 'temperature'", "unsupported_parameter"),
            "moderation": error(400, f"Your request was rejected by the safety system{said}", "moderation_blocked"),
            "unauthorized": error(401, f"Incorrect API key provided{said}", "invalid_api_key"),
            "redirect": Reply(308, b"", {"location": "/v2/chat/completions"}),
            "forbidden": error(403, "Country not supported", "unsupported_country_region_territory"),
            "no_model": error(404, f"The model does not exist{said}", "model_not_found"),
            "too_many_pictures": error(400, "At most 2 image(s) may be provided in one prompt.", "BadRequestError"),
            "context": error(400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192."),
            "no_edits": Reply(404, b'{"detail": "Not Found"}', JSON),
            "no_quota": error(429, f"You exceeded your current quota{said}", "insufficient_quota"),
        }
        return replies.get(fault)

    def _answer(self, path: str, fault: str, document: dict[str, Any], said: str) -> Reply:
        if path.startswith("/images/"):
            answer = self._images(fault)
        elif path == "/chat/completions":
            answer = self._chat(fault, document, said)
        elif path == "/responses":
            answer = self._responses(fault, document, said)
        else:
            return error(404, f"Unknown path {path}")
        if (cost := self._bill()) is not None:
            answer["usage"]["cost"] = cost
        if fault.startswith("streamed"):
            return Reply(200, events(answer, fault == "streamed_half"), {"content-type": "text/event-stream"})
        body = json.dumps(answer).encode()
        cut = len(body) // 3 if fault in ("truncate", "stall") else 0
        return Reply(200, body, JSON, cut, fault == "stall")

    def _image(self, fault: str) -> str:
        data = {"tiny": TINY, "huge": HUGE, "not_image": NO_PICTURE}.get(fault) or self._picture()
        return base64.b64encode(data).decode()

    def _images(self, fault: str) -> dict[str, Any]:
        details = {"text_tokens": 50, "image_tokens": 0}
        usage = {"input_tokens": 50, "output_tokens": 272, "total_tokens": 322, "input_tokens_details": details}
        if fault == "address":
            return {"created": 0, "data": [{"url": "https://pictures.example/1.png"}], "usage": usage}
        if fault in ("own_address", "own_path"):
            place = "/pictures/1.png" if fault == "own_path" else f"http://127.0.0.1:{self.port}/pictures/1.png"
            return {"created": 0, "data": [{"url": place}], "usage": usage}
        data = [{}] if fault == "no_image" else [{"b64_json": self._image(fault)}]
        return {"created": 0, "data": [] if fault == "empty_choices" else data, "usage": usage}

    def _chat(self, fault: str, document: dict[str, Any], said: str) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
        finish = {"filtered": "content_filter", "cut_off": "length"}.get(fault, "stop")
        if fault == "refusal":
            message["refusal"] = f"I cannot help with that{said}"
        elif fault in ("cut_off", "empty"):
            message["content"] = ""
        elif fault == "nothing_said":
            message["content"] = "<DESCRIPTION>\n</DESCRIPTION>"
        elif "image" in document.get("modalities", ()):
            message["content"] = "Here it is." if fault != "no_image" else f"Shall I draw it in oil?{said}"
            address = f"data:image/png;base64,{self._image(fault)}"
            message["images"] = (
                [] if fault in ("no_image", "filtered") else [{"type": "image_url", "image_url": {"url": address}}]
            )
        elif document["model"].startswith(("judge", "chooser")):
            message["content"] = self.judge(read_judged(document["messages"])) + said
        else:
            turn = 1 + sum(message["role"] == "assistant" for message in document["messages"])
            message["content"] = self._said(turn, said)
        choices = [] if fault == "empty_choices" else [{"index": 0, "message": message, "finish_reason": finish}]
        details = {"reasoning_tokens": 64}
        usage = {
            "prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000, "completion_tokens_details": details,
            "cost": 0.001,
        }  # fmt: skip
        served = {
            "model": f"{document['model']}-0613",
            "system_fingerprint": "fp_2" if fault == "other_version" else "fp_1",
        }
        return {"id": "c", "object": "chat.completion", **served, "choices": choices, "usage": usage}

    def _responses(self, fault: str, document: dict[str, Any], said: str) -> dict[str, Any]:
        tools = [tool["type"] for tool in document.get("tools", ())]
        text = {"type": "output_text", "text": ""}
        details, status = None, "completed"
        output: list[dict[str, Any]] = [{"type": "reasoning", "summary": []}]
        if fault == "refusal":
            text = {"type": "refusal", "refusal": f"I cannot help with that{said}"}
        elif fault in ("cut_off", "filtered"):
            reason = {"cut_off": "max_output_tokens", "filtered": "content_filter"}[fault]
            details, status = {"reason": reason}, "incomplete"
        elif "image_generation" in tools and fault != "no_image":
            output.append({"type": "image_generation_call", "status": "completed", "result": self._image(fault)})
        elif document["model"].startswith(("judge", "chooser")) and fault != "empty":
            text["text"] = self.judge(read_judged(document["input"])) + said
        elif fault not in ("empty", "no_image"):
            text["text"] = self._said(1 + sum(message["role"] == "assistant" for message in document["input"]), said)
        output.append({"type": "message", "role": "assistant", "content": [text]})
        usage = {"input_tokens": 900, "output_tokens": 100, "output_tokens_details": {"reasoning_tokens": 64}}
        shown = [] if fault == "empty_choices" else output
        return {
            "id": "r", "status": status, "error": None, "incomplete_details": details, "output": shown, "usage": usage,
        }  # fmt: skip

    def _said(self, turn: int, said: str) -> str:
        if turn > self.turns:
            return "<DONE>"
        return f"<DESCRIPTION>Message {turn}: a red circle {self.place}, larger than before{said}.</DESCRIPTION>"


def events(answer: dict[str, Any], half: bool) -> bytes:
    """Return an answer as server-sent events: word by word, or whole in the last event; ``half`` breaks off."""
    if "choices" in answer:
        message, finish = answer["choices"][0]["message"], answer["choices"][0]["finish_reason"]
        words = re.findall(r" *[^ ]+", message["content"] or "")
        deltas: list[dict[str, Any]] = [{"role": "assistant"}, *({"content": word} for word in words)]
        if message.get("images"):
            deltas.append({"images": message["images"]})
        named = {"object": "chat.completion.chunk", "model": answer["model"]}
        chunks = [{**named, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        last = {**named, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": answer["usage"]}
        # As many services write them: what is no ASCII stays as it is.
        said = [json.dumps(chunk, ensure_ascii=False) for chunk in chunks]
        said += [] if half else [json.dumps(last), "[DONE]"]
    elif "output" in answer:
        said = [json.dumps({"type": "response.created"})]
        whole = {"type": "response.completed", "response": answer}
        said += [] if half else [json.dumps(whole, ensure_ascii=False)]
    else:
        whole = {"type": "image_generation.completed", **answer["data"][0], "usage": answer["usage"]}
        said = [json.dumps({"type": "image_generation.partial_image"})] + ([] if half else [json.dumps(whole)])
    return "".join(f": ping\n\ndata: {text}\n\n" for text in said).encode()


async def read_request(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str], bytes]:
    """Read one request: method, path, headers (names in lower case), body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    if "content-length" in headers:
        return method, path, headers, await reader.readexactly(int(headers["content-length"]))
    if headers.get("transfer-encoding") != "chunked":
        return method, path, headers, b""
    body = bytearray()
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return method, path, headers, bytes(body)


def parse_body(headers: dict[str, str], body: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return a request's JSON, or the fields and files of its form."""
    kind = headers.get("content-type", "")
    if "boundary=" not in kind:
        return json.loads(body), {}
    fields: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    for part in body.split(b"--" + kind.split("boundary=")[1].encode())[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        name = known(re.search(rb'name="([^"]*)"', head))
        if b"filename=" in head:
            files[name[1].decode()] = content[:-2]
        else:
            fields[name[1].decode()] = content[:-2].decode()
    return fields, files


@contextmanager
def serving(**options: Any) -> Iterator[OpenAIServer]:
    """Serve from a thread of its own while the block runs; ``options`` as for ``OpenAIServer``."""
    server, ready = OpenAIServer(**options), threading.Event()
    loop = asyncio.new_event_loop()
    task = loop.create_task(server.serve(ready.set))

    def run() -> None:
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            loop.run_until_complete(asyncio.sleep(0))
        finally:
            loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(60)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(60)


def main() -> None:
    """Serve as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--side", type=int, default=512)
    parser.add_argument("--noise-rows", type=int, default=24, help="24 make about 38 kB at 512 px")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--retry-after", default="1")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME=SHARE")
    given = parser.parse_args()
    rates = {name: float(share) for name, _, share in (item.partition("=") for item in given.fault)}
    server = OpenAIServer(
        given.turns, given.latency, given.side, given.noise_rows, rates, given.seed, given.retry_after, remember=False
    )
    ready = lambda: print(server.base_url, flush=True)  # noqa: E731
    try:
        asyncio.run(server.serve(ready, given.port))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
