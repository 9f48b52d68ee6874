"""The reconstruction game as an evaluation of inspect_ai, for ``benchmarks/play.py --inspect PYTHON``.

    PYTHON inspect_game.py URL SET OUT CONCURRENCY EPISODES

The describer is a model of inspect_ai behind the client of ``openai``; the framework has no players that draw, so the
solver asks for pictures by the same client. Its log takes the place of the journal.
"""

import asyncio
import base64
import json
import sys
from pathlib import Path

import openai
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver


def _address(picture: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def _shown(picture: bytes) -> ChatMessageUser:
    return ChatMessageUser(content=[ContentText(text="Describe."), ContentImage(image=_address(picture))])


@solver
def steered(url: str, out: Path, at_once: int) -> Solver:
    """Play a game: a message, a picture, until the describer says DONE."""
    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    waiting = asyncio.Semaphore(at_once)

    async def drawn(text: str, previous: bytes) -> bytes:
        async with waiting:
            if previous:
                file = ("p.png", previous, "image/png")
                made = await client.images.edit(model="m", prompt=text, image=file)
            else:
                made = await client.images.generate(model="m", prompt=text)
        assert made.data is not None
        return base64.b64decode(made.data[0].b64_json or "")

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages, picture = [_shown(Path(state.input_text).read_bytes())], b""
        for turn in range(1, 100):
            state = await generate(state)
            if "DONE" in state.output.completion:
                return state
            picture = await drawn(state.output.completion, picture)
            (out / "renderings" / f"{Path(state.input_text).stem}-{turn}.png").write_bytes(picture)
            state.messages.append(_shown(picture))
        return state

    return solve


def main() -> None:
    """Play the first episodes of a set."""
    url, instances, out, at_once, episodes = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), *map(int, sys.argv[4:6])
    (out / "renderings").mkdir(parents=True)
    lines = (instances / "instances.jsonl").read_text().splitlines()[:episodes]
    samples = [Sample(input=str(instances / json.loads(line)["pictures"]["target"]["image"])) for line in lines]
    model: Model = get_model("openai/m", base_url=url, api_key="none", responses_api=False)
    game = Task(dataset=samples, solver=steered(url, out, at_once))
    evaluate(
        game,
        model,
        log_dir=str(out / "log"),
        max_samples=at_once,
        max_connections=at_once,
        display="none",
        fail_on_error=True,
    )


if __name__ == "__main__":
    main()
