"""Servers that others wrote: LiteLLM's proxy, and ``transformers serve`` with a tiny random vision model.

Both have requirements that differ from ours, so that each has a Python of its own: ``IRCORE_LITELLM_PYTHON`` (with
``litellm[proxy]``) and ``IRCORE_TRANSFORMERS_PYTHON`` (with ``transformers[serving]``, torch, torchvision).
"""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from openai_server import OpenAIServer, serving
from pairs import play_pair, write_pair

from ircore.commands.main import run as ircore
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder

SUPPORT = Path(__file__).resolve().parents[2] / "support"
LITELLM = os.environ.get("IRCORE_LITELLM_PYTHON", "")
TRANSFORMERS = os.environ.get("IRCORE_TRANSFORMERS_PYTHON", "")
PROXY_KEY = f"sk-{token_hex(24)}"
OFFLINE = {
    "LITELLM_MASTER_KEY": PROXY_KEY, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*",
}  # fmt: skip
STARTS_S = 120

pytestmark = pytest.mark.slow
needs_litellm = pytest.mark.skipif(not LITELLM, reason="IRCORE_LITELLM_PYTHON names no Python with litellm[proxy]")
needs_transformers = pytest.mark.skipif(
    not TRANSFORMERS, reason="IRCORE_TRANSFORMERS_PYTHON names no Python with transformers[serving]"
)


@contextmanager
def started(folder: Path, python: str, program: str, *options: str, ready: str) -> Iterator[str]:
    """Run a server on a free port of this machine until the block ends; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(python).parent / program), *options, "--host", "127.0.0.1", "--port", str(port)]
    log = folder / f"{program}.log"
    with log.open("wb") as written:
        server = subprocess.Popen(command, stdout=written, stderr=written, env={**os.environ, **OFFLINE}, cwd=folder)
    try:
        end = time.monotonic() + STARTS_S
        while not _answers(f"http://127.0.0.1:{port}{ready}"):
            assert server.poll() is None, log.read_text()[-3000:]
            assert time.monotonic() < end, log.read_text()[-3000:]
            time.sleep(0.3)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(30)


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=5) as reply:
            return bool(reply.status == 200)
    except (URLError, OSError):
        return False


def seat(player: str, model: str, address: str, **parameters: Any) -> dict[str, Any]:
    # A fault that lasts ends the test soon, not after the hour that play waits.
    return {"player": player, "model": model, "base_url": address, "parameters": {"deadline_s": 30, **parameters}}


@contextmanager
def proxied(folder: Path, server: OpenAIServer) -> Iterator[str]:
    """Run LiteLLM's proxy in front of a server."""
    models = [
        {
            "model_name": name,
            "litellm_params": {"model": f"openai/{name}", "api_base": server.base_url, "api_key": "none"},
        }
        for name in ("eyes", "hands")
    ]
    config = folder / "proxy.yaml"
    config.write_text(json.dumps({"model_list": models, "litellm_settings": {"num_retries": 0}}))
    with started(folder, LITELLM, "litellm", "--config", str(config), ready="/health/liveliness") as address:
        yield address


@needs_litellm
def test_a_pair_behind_litellms_proxy(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROXY_API_KEY", PROXY_KEY)
    with serving() as server, proxied(tmp_path, server) as address:
        key = {"api_key_env": "PROXY_API_KEY"}
        path = write_pair(
            tmp_path, seat("openai", "eyes", address) | key, seat("openai-images", "hands", address) | key
        )
        assert play_pair(path, instances, tmp_path / "run") == 0
        run = RunFolder(tmp_path / "run")
        assert {episode.outcome for episode in run.episodes()} == {"converged"}
        assert server.count() == 20  # what the pair asks without a proxy between: see test_openai_players
        capsys.readouterr()
        assert ircore(["doctor", str(path), "--deep", "--timeout", "60", "--out", str(tmp_path / "mended")]) == 0
        said = capsys.readouterr().out
    assert "works  ten pictures: takes 10" in said
    assert "works  correction: 64 × 64 px" in said


@needs_transformers
def test_a_tiny_model_behind_transformers_serve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "tiny"
    made = subprocess.run(
        [TRANSFORMERS, str(SUPPORT / "tiny_vision_model.py"), str(model)], env={**os.environ, **OFFLINE}, check=False
    )
    assert made.returncode == 0
    options = ("serve", str(model), "--device", "cpu")
    with started(tmp_path, TRANSFORMERS, "transformers", *options, ready="/health") as address:
        describer = seat("openai", str(model), address, max_completion_tokens=40)
        path = write_pair(tmp_path, describer, {"player": "canvas"})
        status = ircore(["doctor", str(path), "--deep", "--timeout", "60"])
    said = capsys.readouterr().out
    # Random weights speak no language, so that the protocol is broken; the service itself takes all that play asks.
    assert status == 1
    assert "FAILS  image input: answers, but not in the protocol" in said
    assert "works  ten pictures: takes 10" in said
    assert "works  seed: is taken" in said
    assert "works  determinism: two answers at temperature 0 are alike" in said
    assert f"works  served model: answers as {model}" in said
