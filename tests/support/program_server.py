"""Two models behind an OpenAI-compatible service on loopback: real HTTP, prepared descriptions and programs.

In tests::

    with program_server({"figure 1": [BLANK, bars(1)], "figure 2": [bars(2)]}) as server:
        ...  # server.base_url is the address; models "describer" and "coder"
        assert server.asked == ["describer", "coder", ...]

The n-th description is "figure n"; the coder answers it with the programs prepared for that description, one
after the other by the number of its earlier answers in the conversation.
"""

import hashlib
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from loopback import serving_until_the_end


@dataclass
class ProgramServer:
    """The service.

    Attributes:
        programs: Programs by description, in the order of the tries.
        base_url: Its address.
        asked: Models that were asked, in order.
        words: The last message of each request.
        slow_s: Seconds before each answer.
        log: File that gets a line for each request; None for none.
    """

    programs: Mapping[str, Sequence[str]]
    base_url: str = ""
    asked: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    slow_s: float = 0.0
    log: Path | None = None

    def answer(self, model: str, messages: list[dict[str, Any]]) -> str:
        """Return the text of an answer."""
        words = "\n".join(_text(message["content"]) for message in messages if message["role"] == "user")
        own = sum(message["role"] == "assistant" for message in messages)
        self.asked.append(model)
        self.words.append(_text(messages[-1]["content"]))
        if model == "describer":
            number = next(n for n in range(1, 100) if f"figure {n}:" not in words)
            return f"<DESCRIPTION>figure {number}: as prepared</DESCRIPTION><SUMMARY>figure {number}: a\nplan</SUMMARY>"
        description = max(name for name in self.programs if f"{name}:" in words)
        programs = self.programs[description]
        return f"Here it is.\n```python\n{programs[min(own, len(programs) - 1)]}\n```\n"


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


@contextmanager
def program_server(
    programs: Mapping[str, Sequence[str]], slow_s: float = 0.0, log: Path | None = None
) -> Iterator[ProgramServer]:
    """Serve until the block ends."""
    service = ProgramServer(programs, slow_s=slow_s, log=log)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            time.sleep(service.slow_s)
            with lock:
                said = service.answer(asked["model"], asked["messages"])
                if service.log is not None:
                    with service.log.open("a") as file:
                        digest = hashlib.sha256(json.dumps(asked["messages"]).encode()).hexdigest()
                        file.write(f"{asked['model']} {digest}\n")
            body = json.dumps({
                "id": "1", "object": "chat.completion", "created": 0, "model": asked["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150},
            }).encode()  # fmt: skip
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    with serving_until_the_end(server):
        yield service


BLANK = """
import matplotlib.pyplot as plt
def draw():
    return plt.figure(figsize=(5.12, 5.12))
"""


def bars(values: Sequence[float], colour: str = "#1f77b4", extra: str = "") -> str:
    """Return a program that draws a bar graph; ``extra`` is a further line of it."""
    return f"""
import matplotlib.pyplot as plt
def draw():
    figure, axes = plt.subplots(figsize=(5.12, 5.12))
    axes.bar([chr(65 + k) for k in range({len(values)})], {list(values)}, color={colour!r})
    axes.set_ylabel("units")
    {extra or "axes.set_xlabel('kind')"}
    return figure
"""
