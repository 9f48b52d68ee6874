"""Pages that a person plays on, asked over HTTP as their scripts do."""

import json
import time
import urllib.request
from collections.abc import Callable
from typing import Any


def get(address: str) -> bytes:
    """Return the body of an answer."""
    with urllib.request.urlopen(address) as answer:
        data: bytes = answer.read()
    return data


def state_of(address: str) -> dict[str, Any]:
    """Return the state of the page."""
    state: dict[str, Any] = json.loads(get(f"{address}state.json"))
    return state


def post(address: str, document: Any, **headers: str) -> dict[str, Any]:
    """Send a document as JSON."""
    sent = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(address, json.dumps(document).encode(), sent)
    with urllib.request.urlopen(request) as answer:
        said: dict[str, Any] = json.load(answer)
    return said


def wait_until(address: str, wanted: Callable[[dict[str, Any]], object], seconds: float = 90) -> dict[str, Any]:
    """Return the state as soon as it is as wanted."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if wanted(state := state_of(address)):
            return state
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {state}")
