"""Looking at a built site in a real browser, and noting what goes wrong on it."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ARGUMENTS = [
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def launched(chromium: str) -> Iterator["Browser"]:
    """A headless Chromium while the block runs."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, chromium_sandbox=False, args=ARGUMENTS, timeout=180_000
        )
        yield browser
        browser.close()


def find_chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next((path for name in names if (path := shutil.which(name))), None)


@dataclass
class Visit:
    """An open page and what went wrong on it."""

    page: "Page"
    address: str
    outside: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> "Page":
        self.page.goto(self.address + path, wait_until="load")
        return self.page

    def draw_charts(self) -> int:
        """Scroll to every chart and wait until it is drawn or has failed."""
        folded = self.page.locator(".figures-button[aria-expanded=false]")
        if folded.count() and folded.is_visible():
            folded.click()
        figures = self.page.locator("figure[data-chart]")
        for figure in figures.all():
            figure.scroll_into_view_if_needed()
            figure.and_(self.page.locator("[data-state='drawn'], [data-state='failed']")).wait_for()
        return figures.count()


COLOURS = ("color-contrast", "link-in-text-block")
"""Rules of axe for where all else was looked at in the other scheme."""


def axe_findings(page: "Page", only: Sequence[str] = (), **options: Any) -> list[str]:
    """What axe finds on a page, by some of its rules or by all."""
    from axe_playwright_python.sync_playwright import Axe

    rules = {"runOnly": list(only)} if only else {}
    asked = {"resultTypes": ["violations"], **rules}  # of all that passes, its answer would be many megabytes
    violations = Axe().run(page, options=asked, **options).response["violations"]
    return [
        f"{page.url}: {violation['id']}: {node['html'][:160]}"
        for violation in violations
        for node in violation["nodes"]
    ]


def fits(page: "Page", width: int, height: int = 800) -> bool:
    """Whether a page comes to be no wider than its window; the shell takes a moment to move its search."""
    from playwright.sync_api import TimeoutError as TooLate

    page.set_viewport_size({"width": width, "height": height})
    try:
        page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
    except TooLate:
        return False
    return True


def visit_in(context: "BrowserContext", address: str) -> Visit:
    """A page in a browser."""
    visit = Visit(context.new_page(), address)
    page = visit.page
    page.set_default_timeout(60_000)
    page.on(
        "request",
        lambda sent: None if sent.url.startswith((address, "data:", "blob:")) else visit.outside.append(sent.url),
    )
    page.on("console", lambda said: visit.complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    return visit
