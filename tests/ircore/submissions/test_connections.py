"""Whoever a name leads to by the time it is asked: a stranger's pair reaches nothing inside a network."""

import asyncio
import json
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer
from samples import sample_instances

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.players import calls
from ircore.players.calls import FaultError
from ircore.players.openai.connection import Connection
from ircore.players.openai.replies import ChatReply
from ircore.players.openai.transport import JsonBody
from ircore.submissions.services import InsideError, refuse_internal

HOST = "models.example.org"
OUTSIDE = "93.184.216.34"
QUESTION = JsonBody({"model": "m", "messages": [{"role": "user", "content": "?"}]})


class Resolver:
    """Answers for one name as it is told, one answer a look-up and the last one for good; other names as ever.

    Attributes:
        answers: Addresses of each look-up.
        asked: How often the name was looked up.
    """

    def __init__(self) -> None:
        self.answers: list[tuple[str, ...]] = [("127.0.0.1",)]
        self.asked = 0
        self._real = socket.getaddrinfo

    def __call__(self, host: Any, port: Any, *more: Any, **named: Any) -> Any:
        if (host.decode() if isinstance(host, bytes) else host) != HOST:
            return self._real(host, port, *more, **named)
        addresses = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        return [result for address in addresses for result in self._real(address, port, type=socket.SOCK_STREAM)]


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Resolver:
    item = Resolver()
    monkeypatch.setattr(socket, "getaddrinfo", item)
    monkeypatch.setattr(calls, "BACKOFF_S", 0.01)
    for name in ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    return item


def port_of(server: OpenAIServer) -> int:
    return int(server.base_url.rsplit(":", 1)[1].split("/")[0])


def asked(server: OpenAIServer, transport: str) -> str:
    """Ask the server by a name that looks public; return what came of it."""

    async def ask() -> str:
        connection = Connection(f"http://{HOST}:{port_of(server)}/v1", "", transport, 30)
        try:
            return f"status {(await connection.post('/chat/completions', QUESTION, ChatReply)).status}"
        except FaultError as error:
            return f"{error.fault.kind}: {error.fault.detail}"
        finally:
            await connection.close()

    return asyncio.run(ask())


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["httpx", "aiohttp"])
@pytest.mark.parametrize("addresses", [("127.0.0.1",), ("127.0.0.1", "127.0.0.2")])
def test_the_address_that_is_connected_to_counts(
    server: OpenAIServer, resolver: Resolver, transport: str, addresses: tuple[str, ...]
) -> None:
    pytest.importorskip("aiohttp" if transport == "aiohttp" else "openai")
    resolver.answers = [addresses]
    with refuse_internal():
        refused = asked(server, transport)
    assert refused.startswith("unreachable: ")
    assert "this machine's own address: nothing there is asked for a stranger's pair" in refused
    assert server.seen == []
    # Without the guard, such as for a server of one's own, the same question arrives.
    assert asked(server, transport) == "status 200"


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "169.254.169.254", "168.63.129.16", "0.0.0.0", "fe80::1",
     "fc00::1", "::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "fd00:ec2::254", "224.0.0.1"],
)  # fmt: skip
def test_no_connection_leads_inside(address: str) -> None:
    """Python says so before each connection; IPv6 need not be there."""
    with refuse_internal(), pytest.raises(InsideError, match=address):
        sys.audit("socket.connect", None, (address, 80))


def test_sockets_of_whichever_client_ask_first() -> None:
    with socket.socket() as item, refuse_internal():
        with pytest.raises(InsideError, match=r"10\.0\.0\.1 is an address inside a network"):
            item.connect(("10.0.0.1", 80))
        with pytest.raises(InsideError):
            item.connect_ex(("10.0.0.1", 80))


def test_a_name_that_the_socket_itself_would_look_up_is_refused() -> None:
    with socket.socket() as item, refuse_internal(), pytest.raises(InsideError, match="not looked up"):
        item.connect(("localhost", 80))


def test_it_ends_with_its_block_and_leaves_files_of_this_machine_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket has at most 107 characters
    with socket.create_server(("127.0.0.1", 0)) as inside, socket.socket(socket.AF_UNIX) as own:
        own.bind("s")
        own.listen()
        with refuse_internal(), socket.socket(socket.AF_UNIX) as item:
            item.connect("s")
        socket.create_connection(inside.getsockname()).close()


def test_a_proxy_would_look_names_up_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.org:3128")
    with pytest.raises(InputError, match="HTTPS_PROXY is set"), refuse_internal():
        pytest.fail("not to be begun")


def a_pair(folder: Path, describer: Mapping[str, Any]) -> Path:
    folder.mkdir(parents=True)
    pair = {"describer": {"player": "openai", "model": "m", **describer}, "generator": {"player": "sketch"}}
    document = {"schema": 1, "name": "A pair", **pair, "licence": "MIT", "authors": ["Somebody"]}
    (folder / "submission.yaml").write_text(json.dumps(document))
    return folder


@pytest.mark.slow
def test_a_host_that_moves_inside_after_its_check_is_not_asked(
    tmp_path: Path, resolver: Resolver, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    sample_instances(tmp_path / "set")
    monkeypatch.setenv("MY_SERVER_KEY", "secret")
    resolver.answers = [(OUTSIDE,), ("127.0.0.1",)]
    with socket.create_server(("127.0.0.1", 0)) as inside:
        inside.setblocking(False)
        address = f"https://{HOST}:{inside.getsockname()[1]}/v1"
        pair = a_pair(tmp_path / "submissions" / "a-pair", {"base_url": address, "api_key_env": "MY_SERVER_KEY"})
        words = ["evaluate", str(pair), "--instances", str(tmp_path / "set"), "--out", str(tmp_path / "run")]
        assert ircore(["maintain", *words]) == 1
        with pytest.raises(BlockingIOError):
            inside.accept()
    told = capfd.readouterr()
    assert "valid" in told.out
    assert "127.0.0.1 is this machine's own address: nothing there is asked for a stranger's pair" in told.err
    assert "secret" not in told.out + told.err
    assert resolver.asked > 1


def test_workers_elsewhere_cannot_be_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample_instances(tmp_path / "set")
    pair = a_pair(tmp_path / "a-pair", {"base_url": "http://127.0.0.1:9/v1"})
    words = ["play", str(pair), "--instances", str(tmp_path / "set"), "--out", str(tmp_path / "run"), "--only-outside"]
    assert ircore([*words, "--executor", "dask", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "--only-outside, --executor dask and --processes go with none" in capsys.readouterr().err
