"""The pages of the seats in a real browser: what axe finds, a phone's width, keys, and a study's first screen."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from visits import axe_findings, fits

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.instances.store import InstanceSet
from leaderboard.live.play_me.seats import DescriberTable, DrawingTable, ListeningTable, serve_table
from leaderboard.live.study.plan import BuiltStudy, StudyTable, plan_sessions

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LISTENED = """\
You and a speaker play a game.

That was wrong: picture B was meant.

Round 2. Which picture is meant by this message: the red one

shown-1.png: Picture A:
shown-2.png: Picture B:

One of: A, B

Write one of the choices into answer.txt.
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """No site: the pages here are served by the game itself."""
    return tmp_path_factory.mktemp("none")


def dot(colour: str) -> bytes:
    drawing = Drawing(64, 64)
    drawing.ellipse((32, 32), (20, 20), colour)
    return Picture.from_pixels(drawing.pixels).data


def put(folder: Path, **files: str | bytes) -> None:
    folder.mkdir(parents=True)
    for name, content in files.items():
        path = folder / name.replace("__", "-").replace("_", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def table_of(kind: str, folder: Path, instances: InstanceSet) -> DescriberTable:
    folder.mkdir()
    (folder / "instances").symlink_to(instances.folder)
    first = instances.instances[0]
    target = (instances.folder / first.pictures["target"].image).read_bytes()
    if kind == "draw":
        put(folder / "desk" / "generator-turn-01-0", message_txt="A red circle.", instructions_txt="Draw.")
        return DrawingTable(folder)
    if kind == "listen":
        pictures = {"shown__1_png": dot("#d62728"), "shown__2_png": dot("#1d4ed8")}
        put(folder / "desk" / "choice-turn-02-0", **pictures, instructions_txt=LISTENED)
        return _Listening(folder)
    put(folder / "desk" / "describer-turn-01-0", target_png=target, instructions_txt="Describe it.")
    if kind == "describe":
        return DescriberTable(folder)
    ids = [instance.instance_id for instance in instances.instances]
    made = plan_sessions(ids, 1, seed=0)
    study = BuiltStudy(consent="Do you agree?", generator=PlayerSpec(player="canvas"), max_turns=3, sessions=made)
    return StudyTable(folder, order=made[0].order, study=study, session=made[0])


class _Listening(ListeningTable):
    """A context that the test wrote by hand."""

    def as_dict(self) -> dict[str, object]:
        asked = self.question
        shown = None if asked is None else self._describe_question(asked)
        return {"total": 1, "ended": [], "finished": False, "question": shown}


@contextmanager
def opened(browser: "Browser", kind: str, folder: Path, instances: InstanceSet, scheme: str) -> Iterator["Page"]:
    # The pages' own policy lets no other script in, so that axe needs to pass by it.
    with (
        serve_table(table_of(kind, folder, instances), 0) as address,
        browser.new_context(color_scheme=scheme, bypass_csp=True) as context,  # type: ignore[arg-type]
    ):
        page = context.new_page()
        page.goto(address)
        yield page


@pytest.mark.parametrize(
    ("kind", "scheme"), [("describe", "light"), ("draw", "dark"), ("listen", "light"), ("study", "dark")]
)
def test_axe_finds_nothing_and_a_phone_scrolls_downwards_only(
    browser: "Browser", tmp_path: Path, instances: InstanceSet, kind: str, scheme: str
) -> None:
    with opened(browser, kind, tmp_path / "table", instances, scheme) as page:
        page.get_by_text(
            {"study": "Do you agree?", "draw": "A red circle.", "listen": "the red one"}.get(kind, "target 1")
        )
        page.wait_for_timeout(600)
        assert axe_findings(page) == []
        assert fits(page, 390)


def test_a_picture_is_chosen_by_its_letter(browser: "Browser", tmp_path: Path, instances: InstanceSet) -> None:
    with opened(browser, "listen", tmp_path / "table", instances, "light") as page:
        page.get_by_role("button", name="Picture A").wait_for()
        assert page.get_by_text("That was wrong: picture B was meant.").is_visible()
        page.keyboard.press("b")
        page.wait_for_timeout(600)
        assert (tmp_path / "table" / "desk" / "choice-turn-02-0" / "answer.txt").read_text() == "B\n"


def test_what_is_drawn_by_finger_is_sent(browser: "Browser", tmp_path: Path, instances: InstanceSet) -> None:
    with opened(browser, "draw", tmp_path / "table", instances, "light") as page:
        page.get_by_text("A red circle.").wait_for()
        page.locator("#tool").select_option("rectangle")
        box = page.locator("#sheet").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 50, box["y"] + 50)
        page.mouse.down()
        page.mouse.move(box["x"] + 150, box["y"] + 120)
        page.mouse.up()
        page.get_by_role("button", name="Send this drawing").click()
        page.wait_for_timeout(600)
        sent = Picture.read_untrusted(
            (tmp_path / "table" / "desk" / "generator-turn-01-0" / "picture.png").read_bytes(), "sent"
        )
        scale = sent.width / box["width"]
        assert sent.pixels[int(80 * scale), int(100 * scale)].tolist() == [214, 39, 40]
        assert sent.pixels[int(20 * scale), int(20 * scale)].tolist() == [255, 255, 255]


def test_nothing_is_shown_before_consent(browser: "Browser", tmp_path: Path, instances: InstanceSet) -> None:
    with opened(browser, "study", tmp_path / "table", instances, "light") as page:
        page.get_by_text("Do you agree?").wait_for()
        assert not page.get_by_label("Your message").is_visible()
        assert not page.locator("#pictures").is_visible()
        page.get_by_role("button", name="I agree: begin").click()
        page.get_by_label("Your message").wait_for()
        assert page.locator("#target").is_visible()
        assert (tmp_path / "table" / "consent.json").exists()
