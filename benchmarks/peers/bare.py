"""A bare loop that plays without any framework, for ``benchmarks/play.py``: what a script of forty lines would do.

    python bare.py URL SET OUT TRANSPORT CONCURRENCY EPISODES

The transports are those of the package ``openai``, ``httpx`` and ``aiohttp``, and ``raw``, ``aiohttp`` alone.
"""

import asyncio
import base64
import json
import sys
from pathlib import Path
from typing import Any


class Client:
    """The three calls of a bare loop, over the package ``openai`` with one of its transports."""

    def __init__(self, url: str, transport: str) -> None:
        import openai

        http = openai.DefaultAioHttpClient() if transport == "aiohttp" else None
        self._client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, http_client=http)

    async def said(self, messages: list[Any]) -> str:
        """Return a describer's answer."""
        reply = await self._client.chat.completions.create(model="m", messages=messages)
        return reply.choices[0].message.content or ""

    async def drawn(self, text: str, previous: bytes) -> bytes:
        """Return a picture, drawn anew or from the previous one."""
        if previous:
            file = ("p.png", previous, "image/png")
            made = await self._client.images.edit(model="m", prompt=text, image=file)
        else:
            made = await self._client.images.generate(model="m", prompt=text)
        assert made.data is not None
        return base64.b64decode(made.data[0].b64_json or "")

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


class RawClient:
    """The same calls over ``aiohttp`` alone, without types, checks or errors."""

    def __init__(self, url: str, _: str) -> None:
        import aiohttp

        self._url = url
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=1000))

    async def said(self, messages: list[Any]) -> str:
        """Return a describer's answer."""
        reply = await self._post("/chat/completions", json={"model": "m", "messages": messages})
        return reply["choices"][0]["message"]["content"] or ""

    async def drawn(self, text: str, previous: bytes) -> bytes:
        """Return a picture, drawn anew or from the previous one."""
        import aiohttp

        if previous:
            form = aiohttp.FormData({"model": "m", "prompt": text})
            form.add_field("image", previous, filename="p.png", content_type="image/png")
            made = await self._post("/images/edits", data=form)
        else:
            made = await self._post("/images/generations", json={"model": "m", "prompt": text})
        return base64.b64decode(made["data"][0]["b64_json"])

    async def _post(self, path: str, **body: Any) -> dict[str, Any]:
        async with self._session.post(self._url + path, **body) as response:
            return json.loads(await response.read())

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()


async def bare(url: str, instances: Path, out: Path, transport: str, at_once: int, episodes: int) -> None:
    """Play without any framework: messages kept as they are sent, one file a picture, one line an answer."""
    client: Client | RawClient = (RawClient if transport == "raw" else Client)(url, transport)
    names = [
        json.loads(line)["pictures"]["target"]["image"]
        for line in (instances / "instances.jsonl").read_text().splitlines()
    ]
    (out / "renderings").mkdir(parents=True)
    waiting = iter(names[:episodes])
    with (out / "log.jsonl").open("w") as log:

        async def worker() -> None:
            for name in waiting:
                shown, previous = (instances / name).read_bytes(), b""
                messages: list[Any] = []
                for turn in range(1, 100):
                    address = f"data:image/png;base64,{base64.b64encode(shown).decode()}"
                    image = {"type": "image_url", "image_url": {"url": address}}
                    messages.append({"role": "user", "content": [{"type": "text", "text": "Describe."}, image]})
                    text = await client.said(messages)
                    log.write(json.dumps({"episode": name, "turn": turn, "text": text}) + "\n")
                    if "DONE" in text:
                        break
                    messages.append({"role": "assistant", "content": text})
                    shown = previous = await client.drawn(text, previous)
                    (out / "renderings" / f"{Path(name).stem}-{turn}.png").write_bytes(shown)
                    log.write(json.dumps({"episode": name, "turn": turn}) + "\n")
                    log.flush()

        await asyncio.gather(*(worker() for _ in range(at_once)))
    await client.close()


if __name__ == "__main__":
    url, instances, out, transport, *numbers = sys.argv[1:]
    asyncio.run(bare(url, Path(instances), Path(out), transport, *map(int, numbers)))
