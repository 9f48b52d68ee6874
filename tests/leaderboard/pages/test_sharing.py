"""What leaves a page with its reader: link, citation, card and the origin of its numbers."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from invented import invented_run, invented_set
from invented_games import Guessing, guessed, guessing_set
from pages import parse_page
from PIL import Image

from ircore.instances.benchmark import BenchmarkVersion
from ircore.results.model import Results
from leaderboard.building.cards import build_card_tags, card_path, cut_to_width, draw_card, select_clauses
from leaderboard.games.pages import build_game_pages
from leaderboard.model.section import GameSection
from leaderboard.model.site import Page, Site
from leaderboard.pages.board_views import BoardView
from leaderboard.pages.boards import build_board_pages
from leaderboard.pages.citation import render_share_strip
from leaderboard.pages.players import build_player_board_pages
from leaderboard.pages.search_entries import list_page_entries

SET = invented_set(8, ("geometry", "photos"))


@pytest.fixture(scope="module")
def site() -> Site:
    made = [invented_run(SET, f"seer-{index}", "painter", 4.0 + index, 0.3) for index in range(3)]
    return Site(made, address="https://example.org/board/")  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_page_with_numbers_has_its_link_and_an_entry_that_says_where_they_come_from(site: Site) -> None:
    strip = render_share_strip(Page("boards/all-hard", "All categories, hard", "board"), site)
    (entry,) = parse_page(strip).find("code")
    assert "url = {https://example.org/board/boards/all-hard.html}" in entry.text
    assert site.results.instance_set[:12] in entry.text
    assert "judged by structural" in entry.text
    assert "author = {{The Image Reconstruction Game leaderboard's contributors}}" in entry.text
    assert re.search(r"year = \{\d{4}\}", entry.text)
    strip = render_share_strip(Page("boards/index", "Board", "board"), site, "seer leads 3 pairs, main score 60.0.")
    assert "note = {seer leads 3 pairs, main score 60.0; unreleased" in strip
    assert render_share_strip(Page("cite", "Cite", "cite", cited=False), site) == ""


@pytest.mark.slow
def test_a_citation_names_who_rated_the_numbers_of_its_own_page(site: Site) -> None:
    view, record = (
        BoardView("eye"),
        BenchmarkVersion(name="2025.1", instance_set="f" * 64, prompts="p", date="2025-01-31"),
    )

    def cited(template: str, **values: object) -> str:
        return str(render_share_strip(Page("page", "A page", template, values), site))

    assert "judged by structural" in cited("board", view=BoardView("structural"))
    for template in ("board", "player_board", "matrix"):
        assert ", judged by eye" in cited(template, view=view)
        assert "structural" not in cited(template, view=view)
    assert ", measured by psnr" in cited("metric_board", metric="psnr")
    assert "benchmark 2025.1, instance set ffffffffffff, judged by eye" in cited("frozen", view=view, record=record)
    for template in ("judge_card", "metric_agreement", "paper", "people"):
        assert "judged by" not in cited(template)
    assert "instance set" not in cited("paper")


@pytest.mark.parametrize("template", ["ask", "gallery_index"])
def test_pages_beside_the_boards_are_cited_too(site: Site, template: str) -> None:
    assert "data-copy-link" in render_share_strip(Page(template, "A page", template), site)


def test_boards_and_runs_of_another_game_have_cards_too() -> None:
    run = guessed("pair", guessing_set(5), [4.0, 6.0] * 10)
    section = GameSection(Results.from_runs(game=Guessing(), runs=[run]))
    pages = {page.path: page for page in build_game_pages([section])}
    for path in ("games/guessing/index", "games/guessing/boards/index", "games/guessing/pairs/pair"):
        assert draw_card(section, pages[path].complete())


def test_a_board_has_a_card_that_other_sites_find(site: Site, tmp_path: Path) -> None:
    (page,) = (page for page in build_board_pages(site) if page.path == "boards/index")
    card = draw_card(site, page)
    assert card is not None
    assert Image.open(io.BytesIO(card)).size == (1200, 630)
    path = card_path(tmp_path, page.path)
    path.parent.mkdir(parents=True)
    path.write_bytes(card)
    tags = build_card_tags(tmp_path, page.path, 'A "board"', site.address, "Who leads & by how much")
    assert '<meta property="og:description" content="Who leads &amp; by how much">' in tags
    assert 'content="https://example.org/board/cards/boards/index.png"' in tags
    assert "&#34;board&#34;" in tags


def test_the_words_of_a_card_end_with_a_clause() -> None:
    leads = "With rules L2: seer + painter and 2 more have the highest main score of 6 pairs"
    words = f"{leads}, 98.7 (95 % interval 60.9 to 100.0, n = 6); no two of them can be told apart."
    assert select_clauses(words, 24) == f"{leads}, 98.7"
    assert select_clauses(words, 30) == leads
    assert cut_to_width("Café° – 1", 24, 200) == "Cafe - 1"


def pixels(card: bytes | None) -> bytes:
    assert card is not None
    image = Image.open(io.BytesIO(card))
    assert image.size == (1200, 630)
    return image.convert("RGB").tobytes()


@pytest.mark.slow
def test_a_board_of_players_has_a_card_and_those_of_single_conditions_show_it_too(site: Site, tmp_path: Path) -> None:
    pages = {page.path: page.complete() for page in build_player_board_pages(site)}
    page = pages["boards/describers/index"]
    assert pixels(draw_card(site, page))
    assert draw_card(site, replace(page, values={**page.values, "lines": []})) is None
    assert draw_card(site, pages["boards/describers/all-hard"]) is None
    path = card_path(tmp_path, page.path)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"a picture")
    assert "cards/boards/describers/index.png" in build_card_tags(
        tmp_path, "boards/describers/all-hard", "", site.address
    )


def test_a_page_without_a_card_has_that_of_the_front_page_unless_it_is_of_another_game(
    site: Site, tmp_path: Path
) -> None:
    front = card_path(tmp_path, "index")
    front.parent.mkdir(parents=True)
    front.write_bytes(b"a picture")
    assert "https://example.org/board/cards/index.png" in build_card_tags(tmp_path, "ask", "Ask", site.address)
    assert "og:image" not in build_card_tags(tmp_path, "games/guessing/method", "Guessing", site.address)


def test_without_an_address_a_page_has_its_title_and_description_for_other_sites(tmp_path: Path) -> None:
    tags = build_card_tags(tmp_path, "boards/index", "A board", "", "Who leads")
    assert '<meta property="og:title" content="A board">' in tags
    assert '<meta property="og:description" content="Who leads">' in tags
    # Addresses must be absolute, and a picture has nothing else to be found by.
    assert "og:url" not in tags
    assert "og:image" not in tags


def test_on_the_page_of_a_target_the_link_of_an_episode_with_a_card_is_offered(site: Site) -> None:
    page = Page("gallery/photos-easy-01", "Photos", "instance", {"strips": {"seer-0": "strips/photos-easy-01-seer-0"}})
    strip = render_share_strip(page, site)
    assert 'data-episodes="{&#34;seer-0&#34;: &#34;../strips/photos-easy-01-seer-0.html&#34;}"' in strip
    assert "data-episodes" not in render_share_strip(Page("ask", "Ask", "ask"), site)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("games/reference/boards/index", "board", "board"),
        ("games/reference/pairs/looker", "game_run", "pair"),
        ("games/reference/pairs/index", "game_players", "page"),
        ("games/reference/gallery/lineup-easy-01", "game_instance", "target"),
        ("games/reference/index", "game_start", "page"),
        ("boards/geometry-easy", "board", "board"),
        ("changes", "changes", "page"),
    ],
)
def test_pages_of_every_game_are_of_the_kind_that_their_folder_says(path: str, template: str, kind: str) -> None:
    ((found, title, _, address),) = list_page_entries([Page(path, "Title", template, found_by="news")])
    assert (found, title, address) == (kind, "Title", f"{path}.html")
