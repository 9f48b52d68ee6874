"""The gallery in a real browser: keys, comparisons, addresses, pairs fetched from shards, the replay."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from samples import BlockGenerator, CentreDescriber, sample_instances, sample_run
from site_samples import built_once, named_submission, rate_turns
from visits import Visit, axe_findings, visit_in

from ircore.instances.store import InstanceSet
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, TextAnswer
from leaderboard.building.site_build import build_site
from leaderboard.building.sources import bundle
from leaderboard.gallery.fragments import build_episode_json, view_episode
from leaderboard.model.site import Site
from leaderboard.model.site_runs import read_runs
from leaderboard.rendering.render import render_block

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

INSTANCE = "gallery/simple_shapes-easy-01.html"
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script> move {{ 7 * 7 }} left \u202eevil'


class HostileDescriber(CentreDescriber):
    """Says what the other one says, and more."""

    async def describe(self, view: DescriberView) -> TextAnswer:
        said = await super().describe(view)
        return TextAnswer(said.text.replace("</DESCRIPTION>", f" {HOSTILE}</DESCRIPTION>"))


class HostileGenerator(BlockGenerator):
    """Reads no more than the beginning, and notes what it should not."""

    async def render(self, view: GeneratorView) -> PictureAnswer:
        short = replace(view, message=" ".join(view.message.split()[:4]))
        return replace(await super().render(short), notes=(HOSTILE,))


def play_pair(folder: Path, instances: InstanceSet, describer: str, generator: str, first: float) -> Path:
    """Play a pair; its first renderings get the score ``first``, its second ones two points more."""
    slug = "hostile" if "<" in describer else f"{describer}-{generator}"
    loaded = named_submission(slug, describer, generator)
    hostile: dict[str, Any] = {"describer": HostileDescriber, "generator": HostileGenerator}
    players = hostile if slug == "hostile" else {}
    return rate_turns(sample_run(folder / slug, instances, loaded, **players), first, by_turn=2).path


def make_site(folder: Path) -> None:
    """Ten pairs on four targets: seer-painter, seer-sketcher, … poet-plotter, and the hostile one last."""
    instances = sample_instances(folder / "instances")
    names = [(item, other) for item in ("seer", "teller", "poet") for other in ("painter", "sketcher", "plotter")]
    runs = [play_pair(folder, instances, *pair, 7.5 - 0.5 * place) for place, pair in enumerate(names)]
    runs.append(play_pair(folder, instances, HOSTILE[:60], "plotter", 1.0))
    build_site(runs, folder / "site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "gallery-site", make_site)


def open_gallery(visit: Visit, path: str = INSTANCE) -> "Page":
    """Open an instance page and wait until it shows what its address asks for."""
    page = visit.open(path)
    page.locator("[data-gallery='ready'][data-restored]").wait_for()
    return page


def focus_first(page: "Page") -> None:
    page.locator(".cell-button[tabindex='0']").focus()


def focused(page: "Page") -> str:
    return str(page.evaluate("document.activeElement?.closest('[data-turn]')?.id"))


def shown_pairs(page: "Page") -> list[str]:
    return [str(element.get_attribute("data-pair")) for element in page.locator("[data-pair]:visible").all()]


def test_a_rendering_is_compared_with_the_target_by_keyboard(visit: Visit) -> None:
    page = open_gallery(visit)
    focus_first(page)
    for key, place in (("ArrowRight", "~2"), ("ArrowRight", "~2"), ("ArrowDown", "~2"), ("ArrowLeft", "~1")):
        page.keyboard.press(key)
        assert focused(page).endswith(place)
    assert focused(page) == "seer-sketcher~1"
    page.wait_for_url("**#seer-sketcher~1")
    overlay = page.locator(".compare-overlay")
    for key, mode in (("d", "difference"), ("b", "blink"), ("s", "swipe")):
        page.keyboard.press(key)
        assert page.locator("[data-turn] .compare-frame[data-mode]").get_attribute("data-mode") == mode
        assert page.locator(f".gallery-panel [data-mode='{mode}']").get_attribute("aria-pressed") == "true"
        assert overlay.count() == 1
    page.keyboard.press("ArrowRight")
    assert page.locator(".compare-slider").input_value() == "51"
    page.keyboard.press("Escape")
    assert overlay.count() == 0
    assert page.evaluate("document.activeElement.className").startswith("cell-button")


def test_two_renderings_are_compared_with_each_other(visit: Visit) -> None:
    page = open_gallery(visit)
    focus_first(page)
    first = page.locator("#seer-painter\\~1 img")
    address = first.evaluate("image => image.src")
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("d")
    assert page.locator(".compare-overlay").evaluate("image => image.src") == address
    page.keyboard.press("z")
    dialog = page.locator("dialog.zoom")
    captions = dialog.locator("figcaption strong")
    assert captions.all_inner_texts() == ["seer + painter, turn 1", "seer + painter, turn 2", "Difference"]
    page.wait_for_url("**?against=seer-painter~1&compare=difference&open=zoom#seer-painter~2")
    page.reload()
    dialog.wait_for()
    assert captions.all_inner_texts()[0] == "seer + painter, turn 1"
    dialog.locator(".compare-frame[data-mode='difference']").wait_for()


def test_the_zoom_gives_the_focus_back(visit: Visit) -> None:
    page = open_gallery(visit, f"{INSTANCE}#seer-sketcher~2")
    focus_first(page)
    page.keyboard.press("z")
    dialog = page.locator("dialog.zoom")
    captions = dialog.locator("figcaption strong")
    assert captions.all_inner_texts() == ["Target", "seer + sketcher, turn 2"]
    page.keyboard.press("ArrowLeft")
    assert captions.all_inner_texts()[1] == "seer + sketcher, turn 1"
    assert "left 21 colour" in dialog.locator(".zoom-message").inner_text()
    page.keyboard.press("d")
    assert dialog.locator(".compare-frame[data-mode='difference']").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    # The browser tells of the closing a moment after it.
    page.wait_for_function("() => document.activeElement?.closest('[data-turn]')?.id === 'seer-sketcher~1'")


def test_nothing_blinks_for_readers_who_want_no_motion(browser: "Browser", address: str) -> None:
    with browser.new_context(reduced_motion="reduce") as context:
        page = open_gallery(visit_in(context, address))
        focus_first(page)
        page.keyboard.press("b")
        page.wait_for_timeout(1600)
        assert page.locator(".compare-overlay").is_visible()
        page.keyboard.press("b")
        assert page.locator(".compare-overlay").is_hidden()


def test_other_pairs_are_fetched_when_asked_for(visit: Visit) -> None:
    page = open_gallery(visit)
    assert len(shown_pairs(page)) == 6
    page.get_by_role("button", name="Show 20 more pairs").click()
    page.locator("#hostile").wait_for()
    assert shown_pairs(page)[5:] == ["teller-plotter", "poet-painter", "poet-sketcher", "poet-plotter", "hostile"]
    assert page.locator("[data-more]").is_hidden()
    for key in ("~1", "poet-painter~2"):
        assert page.locator(f"[id$='{key}'] .cell-button img").count() >= 1


PARTS = """made => {
  const box = document.createElement("div");
  if (typeof made === "string") box.innerHTML = made;
  else box.append(made);
  const words = (node) => [...node.childNodes].filter((part) => part.nodeType === 3).map((part) => part.data).join(" ");
  const attributes = (part) => [...part.attributes].map(({ name, value }) => value && `${name}=${value}`).sort();
  return [...box.querySelectorAll("*")].map((part) => [
    part.tagName, ...attributes(part).filter(Boolean),
    words(part).replace(/\\s+/g, " ").trim(),
  ].join("|"));
}"""
"""Every element of a row with its attributes and its own words."""


@pytest.mark.parametrize("key", ["poet-painter", "hostile"])
def test_a_row_made_here_is_the_one_that_a_template_makes(visit: Visit, site: Path, key: str) -> None:
    shown = Site(read_runs(sorted(path.parent for path in site.parent.glob("*/run.json"))))
    pair = next(pair for pair in shown.pairs.values() if pair.key == key)
    view = view_episode(shown, pair, shown.galleries["simple_shapes-easy-01"])
    data = json.dumps([build_episode_json(view), pair.shown, "../"])
    page = open_gallery(visit)
    script = f"() => {{ const {{ episodeRow }} = {bundle('gallery-rows')} return ({PARTS})(episodeRow(...{data})); }}"
    assert page.evaluate(script) == page.evaluate(PARTS, render_block("episode", {"row": view, "root": "../"}))


def test_pairs_are_laid_side_by_side_and_the_address_says_so(visit: Visit) -> None:
    page = open_gallery(visit)
    page.get_by_text("Choose pairs to lay side by side").click()
    page.get_by_label("Find a pair").fill("poet plot")
    page.get_by_role("checkbox", name="poet + plotter").check()
    page.locator("#poet-plotter").wait_for()
    page.get_by_label("Find a pair").fill("")
    page.get_by_role("checkbox", name="seer + sketcher").check()
    page.wait_for_url("**?pair=poet-plotter&pair=seer-sketcher*")
    assert shown_pairs(page) == ["seer-sketcher", "poet-plotter"]
    page.reload()
    page.locator("[data-restored]").wait_for()
    assert shown_pairs(page) == ["seer-sketcher", "poet-plotter"]
    focus_first(page)
    page.keyboard.press("ArrowDown")
    assert focused(page).startswith("poet-plotter")


def test_a_link_leads_to_a_turn_of_a_pair_that_is_not_in_the_page(visit: Visit) -> None:
    page = open_gallery(visit, f"{INSTANCE}?open=replay#poet-plotter~2")
    dialog = page.get_by_role("dialog", name="poet + plotter")
    assert dialog.locator(".replay-turn").inner_text() == "Turn 2 of 2, score 5.5"
    page.keyboard.press("ArrowLeft")
    assert dialog.locator(".replay-turn").inner_text() == "Turn 1 of 2, score 3.5"
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    page.wait_for_function("() => document.activeElement?.closest('[data-turn]')?.id === 'poet-plotter~1'")
    page.wait_for_url("**simple_shapes-easy-01.html#poet-plotter~1")


def test_the_replay_plays(visit: Visit) -> None:
    page = visit.open("replay.html")
    turn = page.locator(".replay-turn")
    assert turn.inner_text().startswith("Turn 1 of 2")
    assert page.locator(".exchange:visible").count() == 1
    page.evaluate(
        """() => {
          const button = document.querySelector(".replay-play");
          window.words = [];
          new MutationObserver(() => window.words.push(button.textContent)).observe(button, { childList: true });
        }"""
    )
    page.get_by_role("slider", name="Turn").focus()
    page.keyboard.press("Space")
    page.get_by_text("Turn 2 of 2").wait_for()
    page.get_by_role("button", name="Play").wait_for()
    assert page.evaluate("window.words") == ["Pause", "Play"]
    assert page.locator(".replay-end").is_visible()
    page.keyboard.press("Home")
    assert turn.inner_text().startswith("Turn 1 of 2")
    page.get_by_role("button", name="Turn →").click()
    page.reload()
    assert turn.inner_text().startswith("Turn 2 of 2")
    assert page.locator(".target img").is_visible()


def test_a_strangers_words_stay_text_in_rows_made_here(visit: Visit) -> None:
    page = open_gallery(visit, f"{INSTANCE}#hostile~1")
    title = page.title()
    row = page.locator("#hostile")
    shown = row.locator(".message").first.text_content() or ""
    assert '<img src=x onerror="document.title=1"><script>document.title=2</script> move {{ 7 * 7 }} left' in shown
    # A character that reorders text is not recorded.
    assert shown.rstrip().endswith("left evil")
    assert row.locator("script").count() == 0
    assert row.locator("img").count() == row.locator("[data-turn]").count()
    assert row.locator("mark", has_text="move").first.get_attribute("title") == "position"
    focus_first(page)
    page.keyboard.press("z")
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.locator("dialog.replay-dialog").wait_for()
    assert page.title() == title


def test_the_index_shows_the_targets_as_one_pair_played_them(visit: Visit) -> None:
    page = visit.open("gallery/index.html")
    page.locator(".filter-tools").get_by_label("Pair").select_option("poet-plotter")
    entry = page.locator("[data-instance='simple_shapes-easy-01']")
    page.wait_for_url("**?pair=poet-plotter")
    assert entry.locator(".final").inner_text() == "5.5"
    assert (entry.get_attribute("href") or "").endswith("simple_shapes-easy-01.html?pair=poet-plotter#poet-plotter")
    page.reload()
    page.get_by_text("5.5").first.wait_for()
    assert page.locator(".filter-tools").get_by_label("Pair").input_value() == "poet-plotter"
    page.locator(".filter-tools").get_by_label("Pair").select_option("any")
    page.get_by_text("3.0–9.5").first.wait_for()
    assert "pair=" not in page.url


def test_a_chosen_pairs_renderings_are_sorted_and_best_and_worst_follow_the_choice(visit: Visit) -> None:
    page = visit.open("gallery/index.html")
    assert page.locator("#best").inner_text() == "Best of all pairs"
    assert page.locator(".filter-tools ~ .selection").count() > 0  # the menus stand above what follows them
    page.locator(".filter-tools").get_by_label("Pair").select_option("poet-plotter")
    page.wait_for_url("**?pair=poet-plotter")
    assert page.locator(".duo img").count() == 2 * page.locator("[data-instance]").count()
    shown = page.locator("[data-selection='worst'] .pair").all_inner_texts()
    assert shown
    assert all("poet" in name and "plotter" in name for name in shown)
    assert page.locator("#worst").is_visible()
    assert page.locator("#worst").inner_text() == "Worst of poet + plotter"
    assert page.locator("[data-selection='regressed']").is_hidden()
    for order, sign in (("score", 1), ("best", -1)):
        page.get_by_label("Sort").select_option(order)
        page.wait_for_url(f"**?pair=poet-plotter&sort={order}")
        scores = [float(text.split(",")[0]) for text in page.locator(".sorted .final").all_inner_texts()]
        assert scores == sorted(scores, key=lambda score: sign * score)
        assert len(scores) == 4
    page.reload()
    page.locator(".sorted a").first.wait_for()
    page.locator(".filter-tools").get_by_label("Pair").select_option("any")
    page.locator(".duo").first.wait_for(state="detached")
    assert page.locator(".sorted a").count() == 0


def test_best_and_worst_follow_the_filters_of_all_pairs_and_of_one(visit: Visit) -> None:
    page = visit.open("gallery/index.html?difficulty=hard")
    shown = page.locator("[data-selection='best'] .trio-link")
    page.get_by_text("Best of all pairs, hard").wait_for()
    # Two of the four targets are hard; each target stands there once, as the best pair of all drew it.
    assert shown.count() == 2
    assert all("-hard-" in str(link.get_attribute("href")) for link in shown.all())
    assert page.locator("[data-selection='best'] .badge").all_inner_texts().count("9.5") == 2
    assert page.locator("[data-selection='worst'] .badge").all_inner_texts().count("3.0") == 2
    page.get_by_label("Category").select_option("geometry")
    page.get_by_text("Best of all pairs, geometry, hard").wait_for()
    assert shown.count() == 1
    page.locator(".filter-tools").get_by_label("Pair").select_option("poet-plotter")
    page.get_by_text("Best of poet + plotter, geometry, hard").wait_for()
    assert [link.get_attribute("href") for link in shown.all()] == [
        "../gallery/geometry-hard-01.html?pair=poet-plotter#poet-plotter~2"
    ]
    for label, choice in (("Category", ""), ("Difficulty", ""), ("Pair", "")):
        page.locator(".filter-tools").get_by_label(label).select_option(choice)
    page.get_by_text("Best of all pairs", exact=True).wait_for()
    assert shown.count() == 4


def test_from_a_disk_the_first_rows_stay_and_one_line_says_why(browser: "Browser", site: Path) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((site / INSTANCE).as_uri())
        page.get_by_role("button", name="Show 20 more pairs").click()
        page.get_by_text("a browser fetches no files from a disk").wait_for()
        assert len(shown_pairs(page)) == 6
        focus_first(page)
        page.keyboard.press("d")
        assert page.locator(".compare-overlay").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_dialogs(browser: "Browser", address: str, scheme: Literal["light", "dark"]) -> None:
    collected = []
    with browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 800}) as context:
        visit = visit_in(context, address)
        for keys in ("z", "r"):
            page = open_gallery(visit)
            focus_first(page)
            page.keyboard.press(keys)
            collected += axe_findings(page)
    assert collected == []
