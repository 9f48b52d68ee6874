"""What a reader waits for: first and largest contentful paint, layout shift, length of the board, commonest actions.

Run: ``python benchmarks/site_view.py SITE [--chromium PATH]`` on a built site, such as the one that
``benchmarks/site.py --keep`` leaves. Pages come from this machine, each into a fresh browser (nothing cached), on a
phone and on a desktop, with the processor slowed down four times throughout. Actions are measured from the event to
the laid-out page, the median of three. Exit status 1 if a bar is not held.

Layout shift is the largest session window of shifts less than a second apart and five seconds in all, as browsers
report it (https://web.dev/articles/cls).
"""

import argparse
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from leaderboard.building.serve import make_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SLOWER = 4
WIDTHS = {390: 844, 1440: 900}
"""Widths of a phone and of a desktop with their heights, CSS pixels."""

FIRST_BAR = 1500.0
PHONE_BAR = 12_000
"""Height of the overall board on a phone, CSS pixels."""

SEARCH_BAR = 100.0
SHIFT_BAR = 0.05
SORT_BAR = 50.0
STEP_BAR = 100.0
REPEATS = 3
SETTLED = 1500
"""Milliseconds after loading in which late paints and shifts are waited for."""

OBSERVE = """
window.seen = { first: 0, paint: 0, what: "", shifts: [] };
new PerformanceObserver((list) => {
  for (const entry of list.getEntriesByName("first-contentful-paint")) window.seen.first = entry.startTime;
}).observe({ type: "paint", buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    window.seen.paint = entry.startTime;
    window.seen.what = entry.element ? entry.element.tagName.toLowerCase() + "." + entry.element.className : "";
  }
}).observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) {
      const names = entry.sources.map((source) => {
        const node = source.node?.nodeType === 1 ? source.node : source.node?.parentElement;
        return node ? node.tagName.toLowerCase() + "." + String(node.className.baseVal ?? node.className) : "";
      });
      window.seen.shifts.push([entry.startTime, entry.value, names[0] ?? ""]);
    }
  }
}).observe({ type: "layout-shift", buffered: true });
"""

SCROLL = """async () => {
  for (let down = 0; down < Math.min(document.body.scrollHeight, 12000); down += innerHeight * 0.8) {
    scrollTo({ top: down, behavior: "instant" });
    await new Promise((done) => setTimeout(done, 120));
  }
}"""

SORT = """async (name) => {
  const button = document.querySelector(`table.board th[data-name="${name}"] button`);
  const begun = performance.now();
  button.click();
  document.body.getBoundingClientRect();
  return performance.now() - begun;
}"""

FILTER = """async (words) => {
  const field = document.querySelector("[data-board-tools] input[name=find]");
  const begun = performance.now();
  field.value = words;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  document.body.getBoundingClientRect();
  return performance.now() - begun;
}"""

SEARCH = """async (words) => {
  const field = document.querySelector("[data-md-component=search-query]");
  const begun = performance.now();
  field.value = words;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  // The answers come with the next microtask: the list of entries is there since the field was focused.
  await Promise.resolve();
  document.body.getBoundingClientRect();
  return performance.now() - begun;
}"""

KEY = """async (key) => {
  const begun = performance.now();
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  document.body.getBoundingClientRect();
  return performance.now() - begun;
}"""


class Seen(NamedTuple):
    """How a page appeared."""

    first: float
    """Milliseconds until its first text or picture was there."""

    paint: float
    """Milliseconds until its largest part was there."""

    what: str
    """Which part that is."""

    shift: float
    """Largest session window of layout shifts while it loaded and was scrolled through."""

    moved: str
    """What shifted most."""


def main() -> None:
    """Look at the pages, then act on them, and say whether the bars are held."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with make_server(options.site, 0) as server, sync_playwright() as playwright:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--disable-gpu"])
        held = [*act(browser, address, options.site), *phone(browser, address), *look(browser, address, options.site)]
        browser.close()
        server.shutdown()
    sys.exit(0 if all(held) else 1)


def pages_of(site: Path) -> list[str]:
    """Return the front page, the overall board, a pair, an instance and the figures."""
    pair = min(path.name for path in (site / "pairs").glob("*.html") if path.stem != "index")
    instance = min(path.name for path in (site / "gallery").glob("*.html") if path.stem != "index")
    return ["index.html", "boards/index.html", f"pairs/{pair}", f"gallery/{instance}", "figures.html"]


def look(browser: "Browser", address: str, site: Path) -> Iterator[bool]:
    """Print how each page appears at each width; yield whether the bars are held."""
    for path in pages_of(site):
        for width, height in WIDTHS.items():
            seen = [view(browser, address + path, width, height) for _ in range(REPEATS)]
            first, paint, shift = (
                median(getattr(entry, name) for entry in seen) for name in ("first", "paint", "shift")
            )
            worst = max(seen, key=lambda entry: entry.shift)
            print(
                f"{path:<34} {width:>5} px: first {first:5.0f} ms, largest {paint:5.0f} ms ({seen[0].what}), "
                f"shift {shift:.3f} {worst.moved}",
                flush=True,
            )
            yield first <= FIRST_BAR and shift <= SHIFT_BAR


def view(browser: "Browser", address: str, width: int, height: int) -> Seen:
    """Load a page once in a fresh context and scroll through it."""
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        page = context.new_page()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.add_init_script(OBSERVE)
        page.goto(address, wait_until="load")
        page.wait_for_timeout(SETTLED)
        # Scrolling by script does not end the search for the largest part, as a reader's would.
        first, paint, what = page.evaluate("[window.seen.first, window.seen.paint, window.seen.what]")
        page.evaluate(SCROLL)
        state = page.evaluate("window.seen")
    worst = max(state["shifts"], key=lambda entry: entry[1], default=(0, 0, ""))
    return Seen(first, paint, what, largest_window([item[:2] for item in state["shifts"]]), worst[2])


def largest_window(shifts: list[list[float]]) -> float:
    """Return the largest sum of shifts in a session window.

    Args:
        shifts: Time in milliseconds and size of each, in order.
    """
    largest = total = begun = last = 0.0
    for when, size in shifts:
        if when - last >= 1000 or when - begun >= 5000:
            total, begun = 0.0, when
        total, last = total + size, when
        largest = max(largest, total)
    return largest


def act(browser: "Browser", address: str, site: Path) -> Iterator[bool]:
    """Print what sorting, filtering, searching, stepping and zooming take; yield whether the bars are held."""
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = context.new_page()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.goto(address + "boards/index.html", wait_until="networkidle")
        page.wait_for_selector("th[data-name=Score] button")
        for name in ("Pair", "ΔQ", "Score"):
            # A second click turns the order round, so every repetition moves all rows; readers look in between.
            took = median([page.evaluate(SORT, name) for _ in pauses(page)])
            yield say(f"sort the overall board by {name}", took, SORT_BAR)
        for words in ("3", "describer", "7"):
            took = median([page.evaluate(FILTER, words), page.evaluate(FILTER, ""), page.evaluate(FILTER, words)])
            yield say(f"filter it by {words!r}", took, SORT_BAR)
        page.locator("[data-md-component=search-query]").focus()
        page.wait_for_timeout(SETTLED)
        for words in ("describer-07", "hard pie", "worst of describer-07"):
            yield say(f"search for {words!r}", median(page.evaluate(SEARCH, words) for _ in range(REPEATS)), SEARCH_BAR)
        page.goto(address + pages_of(site)[3], wait_until="networkidle")
        every_pair(page)
        page.locator(".cell-button").first.focus()
        for what, key in (("turn step", "ArrowRight"), ("pair step", "ArrowDown"), ("difference", "d")):
            yield say(f"gallery of all pairs, {what}", page.evaluate(KEY, key), STEP_BAR)
        for what in ("first zoom", "zoom closed", "second zoom", "step in the zoom"):
            key = "ArrowRight" if what.startswith("step") else "z"
            yield say(f"gallery of all pairs, {what}", page.evaluate(KEY, key), STEP_BAR)


def pauses(page: "Page") -> Iterator[None]:
    """Yield before each repetition, when the page has come to rest."""
    for _ in range(REPEATS):
        page.wait_for_timeout(SETTLED)
        yield


def phone(browser: "Browser", address: str) -> Iterator[bool]:
    """Print how tall the overall board is on a phone, rows folded; yield whether the bar is held."""
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.goto(address + "boards/index.html", wait_until="networkidle")
        height = page.evaluate("document.documentElement.scrollHeight")
    print(f"{'overall board on a phone':<40} {height:6.0f} px (bar {PHONE_BAR})", flush=True)
    yield height <= PHONE_BAR


def every_pair(page: "Page") -> None:
    """Show all pairs of an instance."""
    more = page.get_by_role("button", name="Show 20 more pairs")
    while more.count() and more.is_visible():
        before = page.locator("[data-pair]").count()
        more.click()
        page.wait_for_function("before => document.querySelectorAll('[data-pair]').length > before", arg=before)
    page.wait_for_timeout(SETTLED)


def say(what: str, took: float, bar: float) -> bool:
    """Print what an action took, and return whether that is within its bar (milliseconds)."""
    print(f"{what:<40} {took:6.1f} ms (bar {bar:.0f})", flush=True)
    return took <= bar


if __name__ == "__main__":
    main()
