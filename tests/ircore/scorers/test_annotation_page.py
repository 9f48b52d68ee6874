"""The page in which people rate renderings, in a real browser."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from loopback import serving_until_the_end
from samples import sample_instances, sample_run, sample_submission
from visits import Visit, launched, visit_in

from ircore.commands.main import run as ircore
from ircore.runs.folder import RunFolder
from ircore.scorers.ratings import import_ratings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = "<img src=x onerror=alert(1)>"
KEPT = "Object.keys(localStorage).find((key) => key.startsWith('ircore-ratings:'))"
SIZES = {"phone": {"width": 390, "height": 844}, "desktop": {"width": 1440, "height": 900}}


@dataclass(frozen=True)
class Built:
    """A page for four episodes: eight renderings to rate, then four choices."""

    run: RunFolder
    folder: Path
    address: str

    @property
    def study(self) -> dict[str, Any]:
        text = (self.folder / "study.js").read_text()
        document: dict[str, Any] = json.loads(text.partition("window.ircoreStudy = ")[2].rstrip(";\n"))
        return document


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_: object) -> None: ...


@contextmanager
def served(folder: Path) -> Iterator[str]:
    handler = partial(QuietHandler, directory=str(folder))
    with serving_until_the_end(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield address


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """The page of a run whose submission has a hostile name; anyone may rate."""
    folder = tmp_path_factory.mktemp("annotation")
    instances = sample_instances(folder / "instances")
    run = sample_run(folder / "run", instances, sample_submission("hostile", HOSTILE))
    assert ircore(["annotate", "build", str(run.path), "--out", str(folder / "page")]) == 0
    with served(folder / "page") as address:
        yield Built(run, folder / "page", address)


@pytest.fixture(scope="module")
def browser(chromium: str, built: Built) -> Iterator["Browser"]:
    """A headless Chromium, started after the run is played: Playwright's event loop and the game's do not mix."""
    with launched(chromium) as started:
        yield started


@pytest.fixture
def visiting(browser: "Browser", built: Built) -> Callable[..., AbstractContextManager[Visit]]:
    """Opens fresh browsers on the page; nothing may be fetched from elsewhere and nothing may fail."""

    @contextmanager
    def open_one(address: str = built.address, **settings: Any) -> Iterator[Visit]:
        with browser.new_context(**{"viewport": SIZES["desktop"], **settings}) as context:
            visit = visit_in(context, address)
            yield visit
            assert visit.outside == []
            assert visit.complaints == []

    return open_one


Visiting = Callable[..., AbstractContextManager[Visit]]


def begun(visit: Visit, annotator: str = "a1") -> "Page":
    page = visit.open(f"index.html?annotator={annotator}")
    page.click("#begin")
    return page


def seen(page: "Page", selector: str) -> str:
    return page.locator(selector).inner_text()


def kept(page: "Page") -> dict[str, Any]:
    """Return what the browser keeps, by item."""
    return dict(page.evaluate(f"JSON.parse(localStorage[{KEPT}] ?? '{{}}')"))


def given(page: "Page") -> list[tuple[int | None, str]]:
    return sorted(((item["value"], item["reason"]) for item in kept(page).values()), key=str)


def pictures(page: "Page") -> list[str]:
    return [element.get_attribute("src") or "" for element in page.locator("#pictures img").all()]


def to_the_choices(page: "Page") -> "Page":
    for _ in range(8):
        page.keyboard.press("5")
        page.keyboard.press("Enter")
    return page


def to_the_end(page: "Page") -> "Page":
    for key in "abab":
        page.keyboard.press(key)
        page.keyboard.press("Enter")
    return page


def exported(page: "Page", folder: Path, button: str = "#end-export") -> Path:
    with page.expect_download() as caught:
        page.click(button)
    path = folder / caught.value.suggested_filename
    caught.value.save_as(path)
    return path


def test_rating_with_the_keyboard_alone(visiting: Visiting) -> None:
    with visiting() as visit:
        page = visit.open("index.html")
        page.locator("#annotator").focus()
        page.keyboard.type("a1")
        page.keyboard.press("Enter")
        assert seen(page, "#count") == "1 of 12"
        page.keyboard.press("3")
        assert seen(page, "#reading") == "3: very different, few shared elements"
        for _ in range(10):  # who takes more than a second between the two, as a busy machine may, begins again
            page.keyboard.press("1")
            page.keyboard.press("0")
            if not seen(page, "#reading").startswith("0:"):
                break
        assert seen(page, "#reading") == "10: identical or indistinguishable"
        page.keyboard.press("Enter")
        page.locator("#slider").focus()
        page.keyboard.press("ArrowRight")
        assert seen(page, "#reading") == "6: partial match: some key elements, important differences"
        page.keyboard.press("Backspace")
        assert (seen(page, "#count"), seen(page, "#reading")[:3]) == ("1 of 12", "10:")
        assert given(page) == [(10, ""), (6, "")]


def test_an_untouched_slider_is_no_answer(visiting: Visiting) -> None:
    with visiting() as visit:
        page = begun(visit)
        assert seen(page, "#reading") == "Not rated yet"
        page.click("#next")
        page.locator("#question").focus()
        page.keyboard.press("Enter")
        assert seen(page, "#count") == "1 of 12"
        assert "Move the slider first" in seen(page, "#reading")
        assert kept(page) == {}
        page.locator("#slider").click()  # the middle, where the thumb would stand
        assert given(page) == [(5, "")]


def test_a_reload_goes_on_where_it_was(visiting: Visiting) -> None:
    with visiting() as visit:
        page = begun(visit)
        for key in "39":
            page.keyboard.press(key)
            page.keyboard.press("Enter")
        before = pictures(page)
        page.reload()
        assert page.locator("#annotator").input_value() == "a1"
        assert seen(page, "#begin") == "Go on: 2 of 12 answered"
        page.click("#begin")
        assert (seen(page, "#count"), pictures(page)) == ("3 of 12", before)
        page.goto(f"{visit.address}index.html?annotator=a2")
        assert seen(page, "#begin") == "Begin"


def test_cannot_tell_and_why(visiting: Visiting) -> None:
    with visiting() as visit:
        page = begun(visit)
        page.click("#cannot")
        page.fill("#reason", "  both  are empty ")
        assert given(page) == [(None, "cannot tell: both are empty")]
        page.keyboard.press("Enter")
        assert seen(page, "#count") == "2 of 12"
        page.click("#cannot")
        page.keyboard.press("Enter")  # goes on: the button does not hold what is typed next
        assert seen(page, "#count") == "3 of 12"
        page.click("#back")
        page.keyboard.press("c")
        assert given(page) == [(None, "cannot tell: both are empty")]
        page.click("#back")
        assert page.locator("#reason").input_value() == "both are empty"
        page.keyboard.press("6")
        assert given(page) == [(6, "")]
        assert page.locator("#reason-line").is_hidden()


def test_choosing_between_two(visiting: Visiting, built: Built) -> None:
    """What is stored is which rendering, whichever side it stood on; first and final lead equally often."""
    with visiting() as visit:
        page = to_the_choices(begun(visit))
        leading = []
        for choice in "abab":
            assert seen(page, "#question") == "Which is more similar to the target?"
            _, a, b = pictures(page)
            [item] = [
                row for row in built.study["items"] if row["task"] == "preference"
                and {a, b} == {row["pictures"][role]["file"] for role in ("first", "final")}
                and row["pictures"]["target"]["file"] == pictures(page)[0]
            ]  # fmt: skip
            leading.append(a == item["pictures"]["first"]["file"])
            page.keyboard.press(choice)
            chosen = a if choice == "a" else b
            value = kept(page)[str(built.study["items"].index(item))]["value"]
            assert value == (1 if chosen == item["pictures"]["final"]["file"] else 0)
            page.keyboard.press("Enter")
        assert sorted(leading) == [False, False, True, True]
        assert seen(page, "#end-title") == "All 12 items answered. Thank you."
        page.click("#end-back")
        assert page.locator("input[name=choice]:checked").get_attribute("value") == "B"
        page.get_by_label("A is more similar").check()
        assert page.locator("input[name=choice]:checked").get_attribute("value") == "A"


def order_of(page: "Page") -> list[tuple[str, ...]]:
    shown = []
    for place in range(12):
        shown.append(tuple(pictures(page)))
        page.keyboard.press("5" if place < 8 else "a")
        page.keyboard.press("Enter")
    return shown


def test_each_annotator_has_an_order_of_their_own(visiting: Visiting) -> None:
    orders = []
    for annotator in ("a1", "a2", "a1"):
        with visiting() as visit:
            orders.append(order_of(begun(visit, annotator)))
    assert orders[0] == orders[2]
    assert orders[0] != orders[1]
    assert {frozenset(order) for order in orders[0]} == {frozenset(order) for order in orders[1]}


@pytest.mark.parametrize("way", ["http", "file"])
def test_what_is_exported_can_be_imported(
    way: Literal["http", "file"], visiting: Visiting, built: Built, tmp_path: Path
) -> None:
    with visiting(built.address if way == "http" else f"{built.folder.as_uri()}/") as visit:
        page = begun(visit, f"by-{way}")
        page.keyboard.press("9")
        half = exported(page, tmp_path, "#export-button")
        to_the_end(to_the_choices(page))
        page.click("#end-back")
        page.click("#cannot")
        page.fill("#reason", '=1+1, "so"; \u00e9')
        page.click("#next")
        path = exported(page, tmp_path / "end")
    assert re.fullmatch(rf"ratings-[0-9a-f]{{16}}-by-{way}\.csv", path.name)
    done = import_ratings(half, [built.run], check=True)
    assert [(annotator.answered, annotator.items) for annotator in done.annotators] == [(1, 12)]
    done = import_ratings(path, [built.run])
    assert [(annotator.answered, annotator.without_value, annotator.items) for annotator in done.annotators] == [
        (12, 1, 12)
    ]
    scores = [score for score in built.run.scores() if score.annotator == f"by-{way}"]
    assert Counter(score.task for score in scores) == {"similarity": 8, "preference": 4}
    assert [score.reason for score in scores if score.value is None] == ['cannot tell: =1+1, "so"; \u00e9']


def screens(page: "Page") -> Iterator[str]:
    """Go through every screen, from the start to the end."""
    yield "start"
    page.click("#begin")
    yield "similarity"
    page.keyboard.press("7")
    yield "rated"
    page.click("#cannot")
    yield "cannot tell"
    page.click("#guide-button")
    yield "guide"
    page.click("#guide-close")
    page.keyboard.press("z")
    yield "enlarged"
    page.keyboard.press("Escape")
    to_the_choices(page)
    yield "preference"
    page.keyboard.press("a")
    yield "chosen"
    to_the_end(page)
    yield "end"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_screen(visiting: Visiting, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    axe = Axe()
    collected = []
    with visiting(color_scheme=scheme) as visit:
        page = visit.open("index.html?annotator=a1")
        for name in screens(page):
            for violation in axe.run(page).response["violations"]:
                collected += [f"{name}: {violation['id']}: {node['html'][:160]}" for node in violation["nodes"]]
    assert collected == []


@pytest.mark.parametrize(
    "pseudonym", [HOSTILE, "%3Cimg src=x onerror=alert(1)%3E", "Ann Smith", "../../x", "a" * 101, "__proto__"]
)
def test_a_pseudonym_that_is_none_is_only_refused(pseudonym: str, visiting: Visiting) -> None:
    with visiting() as visit:
        page = visit.open(f"index.html?annotator={pseudonym}")
        assert "not one of this study" in seen(page, "#notice")
        assert page.locator("#annotator").input_value() == ""
        page.click("#begin")
        assert "Give your pseudonym first" in seen(page, "#notice")
        page.fill("#annotator", HOSTILE)
        page.click("#begin")
        assert page.locator("#item").is_hidden()
        assert page.locator("img[src=x]").count() == 0


@pytest.mark.slow
def test_hostile_names_of_runs_stay_outside(built: Built) -> None:
    """The page needs ids and pictures only; what a submitter wrote is in none of its files."""
    for path in built.folder.rglob("*"):
        if path.is_file():
            assert b"onerror" not in path.read_bytes(), path
    assert {path.name for path in built.folder.iterdir()} == {
        "index.html", "icon.svg", "annotate.css", "order.js", "answers.js", "parts.js", "page.js", "study.js",
        "pictures",
    }  # fmt: skip


@pytest.mark.parametrize("broken", ["setItem", "getItem"])
def test_a_browser_that_keeps_nothing_is_told(broken: str, visiting: Visiting, tmp_path: Path) -> None:
    """As in some private windows; the answers are still there to be exported."""
    with visiting() as visit:
        visit.page.add_init_script(
            f"Storage.prototype.{broken} = () => {{ throw new DOMException('no', 'SecurityError'); }}"
        )
        page = begun(visit)
        page.keyboard.press("7")
        assert "This browser does not keep your answers" in seen(page, "#notice")
        page.keyboard.press("Enter")
        page.keyboard.press("3")
        rows = exported(page, tmp_path, "#export-button").read_text().splitlines()
        assert sum(",7,," in row or ",3,," in row for row in rows) == 2
