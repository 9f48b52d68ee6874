"""A browser on a site; every module that asks for it has a fixture ``site`` of its own, the folder it looks at."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import plotly.graph_objects as go
import pytest
from loopback import serving_until_the_end
from short_pages import _sites_with_short_pages
from visits import Visit, launched, visit_in

from leaderboard.building.serve import make_server
from leaderboard.charts.grammar import Json, PlotlyDrawing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["_sites_with_short_pages"]


@pytest.fixture(autouse=True)
def _plotly_checks_every_drawing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build writes drawings as they are; where tests are about them, Plotly refuses what it does not know."""
    if not {"charts", "games"} & set(request.path.parts):  # it takes a fifth of the build of a small site
        return
    write = PlotlyDrawing.plotly

    def check(drawing: PlotlyDrawing) -> Json:
        go.Figure(list(drawing.traces), drawing.wide)
        if drawing.narrow is not drawing.wide:
            go.Layout(drawing.narrow)
        return write(drawing)

    monkeypatch.setattr(PlotlyDrawing, "plotly", check)


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with serving_until_the_end(make_server(site, 0)) as served:
        yield served


@pytest.fixture(scope="module")
def browser(chromium: str, site: Path) -> Iterator["Browser"]:
    """A headless Chromium, started after the site is built: Playwright's event loop and the game's do not mix."""
    with launched(chromium) as started:
        yield started


@pytest.fixture
def visit(browser: "Browser", address: str) -> Iterator[Visit]:
    """A page on a desktop; nothing may be fetched from elsewhere and nothing may fail on it."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        made = visit_in(context, address)
        yield made
        assert made.outside == []
        assert made.complaints == []
