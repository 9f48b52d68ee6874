"""A service says what the runner of a workflow would take for commands: no line of what runs there begins so."""

import re
from pathlib import Path

import pytest
from pairs import write_pair
from samples import sample_instances
from service_errors import Form, answering

from ircore.commands.main import run as ircore

pytestmark = pytest.mark.attack

SAID = "x\n::add-mask::y\n##[error]z\r\n ::stop-commands::q\u2028::error::\x1b[2J"
COMMAND = re.compile(r"^\s*(::|##\[)", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("status", [200, 400, 401, 404])
def test_nothing_that_it_says_begins_a_line(tmp_path: Path, status: int, capfd: pytest.CaptureFixture[str]) -> None:
    sample_instances(tmp_path / "set")
    said = {"choices": [{"message": {"content": f"<DESCRIPTION>{SAID}</DESCRIPTION>"}}]}
    failed = {"error": {"message": SAID, "code": SAID}}
    run = str(tmp_path / "run")
    few = ["--instances", str(tmp_path / "set"), "--limit", "1", "--max-turns", "2"]
    with answering(Form(status, said if status == 200 else failed, "")) as service:
        seat = {"player": "openai", "model": "m", "base_url": service.base_url}
        pair = str(write_pair(tmp_path, seat, {"player": "sketch"}))
        assert ircore(["play", pair, *few, "--out", run]) == (status != 200)
    ircore(["score", run, "--judge", "structural", "--metric", "psnr"])
    ircore(["results", run])
    told = "\n".join(capfd.readouterr())
    assert status == 200 or "add-mask" in told
    assert not COMMAND.search(told)
    assert "\x1b" not in told
