"""A browser on a site; every module that asks for it has a fixture ``site`` of its own, the folder it looks at."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from visits import ARGUMENTS, Visit, visit_in

from leaderboard.building.serve import make_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with make_server(site, 0) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(chromium: str, site: Path) -> Iterator["Browser"]:
    """A headless Chromium, started after the site is built: Playwright's event loop and the game's do not mix."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium, chromium_sandbox=False, args=ARGUMENTS, timeout=180_000
        )
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: "Browser", address: str) -> Iterator[Visit]:
    """A page on a desktop; nothing may be fetched from elsewhere and nothing may fail on it."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        made = visit_in(context, address)
        yield made
        assert made.outside == []
        assert made.complaints == []
