"""Cards that other sites show beside a link (Open Graph): the top of a board, a run with its pictures, a target."""

import io
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from ircore.core.untrusted_text import format_one_line
from ircore.results.ranking import RankedRow
from leaderboard.charts.grammar import name_pair
from leaderboard.components.markup import macro
from leaderboard.model.site import Page, Pair, Site
from leaderboard.pages.boards import build_board_lines
from leaderboard.pages.finding import describe_best_on_target, describe_outcome
from leaderboard.pages.selections import Chosen, choose_front_episode
from leaderboard.theme import ACCENT, describer_colour, neutral
from leaderboard.words import format_interval_width, number, shorten_category

SIZE = (1200, 630)
"""Width and height in pixels, as Open Graph recommends."""

_PLAIN = {"–": "-", "−": "-", "’": "'", "×": "x", "±": "±", "°": ""}
"""Signs beyond ASCII in signs that the font of cards has; what ° marks is said on pages alone."""

_CLAUSE = re.compile(r"[;.,] (?![^(]*\))|$")
"""The end of a clause, outside of parentheses."""

_INTERVAL = re.compile(r" \(95 % interval [^)]*\)")
_MARGIN = 60
_WIDE = SIZE[0] - 2 * _MARGIN
_ROWS = 5
_TILE = 270
_TILES = 4
_INK, _MUTED, _LINE = neutral("text"), neutral("muted"), neutral("hairline")


def card_path(folder: Path, page: str) -> Path:
    """Return where the card of a page stands.

    Args:
        folder: Root of a site.
        page: Path of the page, without suffix.
    """
    return folder / "cards" / f"{page}.png"


def build_card_tags(folder: Path, page: str, title: str, address: str, words: str = "") -> str:
    """Return the tags by which other sites show a link to a page; of a site without an address, its words alone.

    Args:
        folder: Root of the site, with its cards.
        page: Path of the page, without suffix.
        title: Title of the page.
        address: Address of the site, absolute, ending in a slash; empty if unknown.
        words: Description of the page; empty for none.
    """
    tags = {"og:type": "website", "og:title": title}
    tags |= {"og:description": words} if words else {}
    # Addresses in these tags must be absolute.
    tags |= {"og:url": f"{address}{page}.html"} if address else {}
    # A page without a card has that of its folder, else that of its game.
    home = "/".join([*page.split("/")[:2], "index"]) if page.startswith("games/") else "index"
    names = page, f"{page.rpartition('/')[0]}/index", home
    if address and (card := next((name for name in names if card_path(folder, name).is_file()), None)):
        tags |= {"og:image": f"{address}cards/{card}.png", "og:image:width": str(SIZE[0])}
        tags |= {"og:image:height": str(SIZE[1]), "twitter:card": "summary_large_image"}
    return macro("meta_tags")(tags)


def draw_card(site: Site, page: Page) -> bytes | None:
    """Return the card of a page as PNG; None for a page that has none."""
    draw = _DRAWN.get(page.template)
    return draw(site, page) if draw else None


class _Card:
    """A card that is being drawn; the exact but slow rasteriser of targets is not needed here."""

    def __init__(self, title: str, words: str) -> None:
        self.image = Image.new("RGB", SIZE, neutral("background"))
        self.draw = ImageDraw.Draw(self.image)
        self.draw.rectangle((0, 0, SIZE[0], 12), fill=ACCENT[False])
        self.text((_MARGIN, 50), "The Image Reconstruction Game", 24, _MUTED)
        self.text((_MARGIN, 95), title, 48)
        if words:
            self.text((_MARGIN, 165), select_clauses(words, 24), 24, _MUTED)

    def text(
        self,
        at: tuple[float, float],
        text: str,
        size: int,
        colour: str = _INK,
        anchor: str = "lt",
        width: float = _WIDE,
    ) -> None:
        """Write a line of text, cut at a width."""
        self.draw.text(at, cut_to_width(text, size, width), fill=colour, font=_load_font(size), anchor=anchor)

    def png(self) -> bytes:
        """Return the card as PNG of few colours, some 20 kB."""
        written = io.BytesIO()
        self.image.quantize(96).save(written, "PNG")
        return written.getvalue()


@lru_cache(maxsize=8)
def _load_font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def cut_to_width(text: str, size: int, width: float) -> str:
    """Return a text, cut where it would be wider than so many pixels; only signs that the font of cards has."""
    # Letters lose their accents.
    bare = (sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    plain = "".join(sign if sign.isascii() else _PLAIN.get(sign, "?") for sign in bare)
    while plain and _load_font(size).getlength(plain) > width:
        plain = plain[:-4].rstrip() + "..."
    return plain or "-"


def select_clauses(words: str, size: int) -> str:
    """Return as many clauses of some sentences, without their intervals, as fit on a line; the first in any case."""
    short = _INTERVAL.sub("", words)
    ends = [end.start() for end in _CLAUSE.finditer(short)]
    fitting = [short[:end] for end in ends if _load_font(size).getlength(short[:end]) <= _WIDE]
    return fitting[-1] if fitting else short[: ends[0]]


def _describe_rank(low: int | None, high: int | None) -> str:
    """Return ranks in words, since the font has no sign for a range."""
    return "no rank" if low is None else f"{low}" if low == high else f"{low} to {high}"


def _draw_board_card(_site: Site, page: Page) -> bytes | None:
    site: Site = page.values["site"]
    rows = [_Row(line.row, line.pair.name, line.pair.hue) for line in build_board_lines(site, page.values["view"])]
    heading = f"{site.game.title}: {page.values['heading']}" if site.folder else str(page.values["heading"])
    return _draw_rows(_Card(heading, str(page.values["words"])), rows)


def _draw_player_board_card(_site: Site, page: Page) -> bytes | None:
    values = page.values
    # A card takes a tenth of a second, so the boards of single conditions share that of the board of all.
    if not page.path.endswith("/index"):
        return None
    # The number of a generator is that of its shape, and a card has no shapes.
    coloured = values["role"] == values["site"].roles[0]
    rows = [_Row(line["row"], line["label"], line["mark"] if coloured else -1) for line in values["lines"]]
    return _draw_rows(_Card(str(values["heading"]), str(values["words"])), rows)


class _Row(NamedTuple):
    """A row of a board: ranks and main score, who played, and the number of the colour, -1 for none."""

    ranked: RankedRow[Any, Any]
    names: str
    hue: int


def _draw_rows(card: _Card, rows: Sequence[_Row]) -> bytes | None:
    """Draw the first rows that have a main score; None where none has."""
    scored = [row for row in rows if row.ranked.cell.main.mean is not None]
    for place, row in enumerate(scored[:_ROWS]):
        _draw_row(card, 225 + 76 * place, row)
    return card.png() if scored else None


def _draw_row(card: _Card, top: float, row: _Row) -> None:
    """Draw a row of a board: rank, names, main score and its whisker."""
    main, colour = row.ranked.cell.main, describer_colour(row.hue) if row.hue >= 0 else _MUTED
    card.draw.line([(_MARGIN, top - 14), (SIZE[0] - _MARGIN, top - 14)], _LINE, 1)
    card.text((_MARGIN, top + 22), _describe_rank(row.ranked.rank_low, row.ranked.rank_high), 24, _MUTED, "lm")
    card.text((180, top + 22), format_one_line(row.names, 60), 28, _INK, "lm", 520)
    card.text((800, top + 22), number(main.mean, 1), 28, _INK, "rm")
    left, length = 830.0, 310.0
    card.draw.line([(left, top + 22), (left + length, top + 22)], _LINE, 2)
    if main.low is not None and main.high is not None:
        ends = [(left + length * end / 100, top + 22) for end in (main.low, main.high)]
        card.draw.line(ends, colour, 5)
    at = left + length * main.mean / 100
    card.draw.ellipse((at - 9, top + 13, at + 9, top + 31), fill=colour)


def _draw_front_card(site: Site, _page: Page) -> bytes | None:
    """Draw the episode with which the front page opens, without the name of the site twice."""
    chosen = choose_front_episode(site)
    if chosen is None:
        return None
    card = _Card(
        "Describe, draw, correct", f"{format_one_line(name_pair(chosen.pair), 60)} on {chosen.gallery.title.lower()}"
    )
    return _draw_strip(card, site, chosen.gallery.instance.instance_id, chosen.pair)


def _draw_game_start_card(_site: Site, page: Page) -> bytes | None:
    section = page.values["section"]
    rows = [
        _Row(row, pair.name, pair.hue)
        for row in section.boards[0].rows
        for pair in [section.pairs[row.submission.run_id]]
    ]
    return _draw_rows(_Card(section.game.title, page.values["lead"]), rows)


def _draw_game_run_card(_site: Site, page: Page) -> bytes:
    section, pair = page.values["section"], page.values["pair"]
    main = page.values["total"].main
    score = (
        "no score yet" if main.mean is None else f"main score {number(main.mean, 1)} ({format_interval_width(main, 1)})"
    )
    instances = [instance for instance in section.instances if section.picture_paths(instance)]
    tiles = [
        (f"{shorten_category(instance.category)}, {instance.difficulty}", section.picture_paths(instance)[0])
        for instance in instances[:_TILES]
    ]
    return _draw_tiles(_Card(format_one_line(pair.name, 60), f"{section.game.title}: {score}"), tiles)


def _draw_game_instance_card(_site: Site, page: Page) -> bytes:
    section, instance = page.values["section"], page.values["instance"]
    card = _Card(section.titles[instance.instance_id], section.game.title)
    return _draw_tiles(card, [("", path) for path in section.picture_paths(instance)[:_TILES]])


def _pair_card(site: Site, page: Page) -> bytes:
    pair: Pair = page.values["pair"]
    cell = site.results.cell(pair.run_id, site.judge)
    main = cell.main
    score = (
        "no score yet" if main.mean is None else f"main score {number(main.mean, 1)} ({format_interval_width(main, 1)})"
    )
    card = _Card(format_one_line(f"{pair.describer} + {pair.generator}", 60), f"{score}, judged by {site.judge}")
    gained = [
        (judged.delta, judged.final or 0.0, result.episode.instance_id)
        for result in site.results.episodes[pair.run_id]
        if (judged := site.judged(result)) is not None and judged.delta is not None
    ]
    if not gained:
        return card.png()
    return _draw_strip(card, site, max(gained)[2], pair)


def _replay_card(site: Site, page: Page) -> bytes | None:
    chosen: Chosen | None = page.values["chosen"]
    if chosen is None:
        return None
    card = _Card(
        format_one_line(name_pair(chosen.pair), 60), f"{chosen.gallery.title}: {describe_outcome(chosen, site.judge)}"
    )
    return _draw_strip(card, site, chosen.gallery.instance.instance_id, chosen.pair)


def _draw_target_card(site: Site, page: Page) -> bytes:
    gallery = page.values["gallery"]
    best: Chosen | None = page.values["best"]
    words = describe_best_on_target(site.judge, page.values) or "a target"
    card = _Card(gallery.title, f"{words[0].upper()}{words[1:]}")
    return _draw_strip(card, site, gallery.instance.instance_id, best.pair if best else None)


def _draw_strip(card: _Card, site: Site, instance_id: str, pair: Pair | None) -> bytes:
    """Draw the target and up to three renderings of an episode, the first and the last among them."""
    gallery = site.galleries[instance_id]
    tiles = [("target", site.target_path(gallery.instance))]
    result = site.episode(pair.run_id, instance_id) if pair else None
    turns = [*result.episode.renderings.items()] if result and pair else []
    chosen = sorted({0, len(turns) // 2, len(turns) - 1}) if turns else []
    for place in chosen:
        turn, rendering = turns[place]
        if pair is not None:
            path = site.runs[pair.run_id].source.rendering_path(rendering.sha256)
            judged = site.judged(result)
            score = judged.trajectory.get(turn) if judged else None
            tiles.append((f"turn {turn}" + ("" if score is None else f": {number(score, 1)}"), path))
    return _draw_tiles(card, tiles)


def _draw_tiles(card: _Card, tiles: Sequence[tuple[str, Path]]) -> bytes:
    """Draw pictures beside each other, each over its words."""
    for place, (words, path) in enumerate(tiles):
        left = _MARGIN + place * (_TILE + 5)
        with Image.open(path) as opened:
            tile = opened.convert("RGB")
        tile.thumbnail((_TILE - 10, _TILE - 10))
        card.image.paste(_LINE, (left - 1, 234, left + tile.width + 1, 236 + tile.height))
        card.image.paste(tile, (left, 235))
        if words:
            card.text((left, 525), words, 24, _MUTED, width=_TILE - 10)
    return card.png()


_DRAWN: dict[str, Callable[[Site, Page], bytes | None]] = {
    "board": _draw_board_card,
    "front": _draw_front_card,
    "game_instance": _draw_game_instance_card,
    "game_run": _draw_game_run_card,
    "game_start": _draw_game_start_card,
    "instance": _draw_target_card,
    "pair": _pair_card,
    "player_board": _draw_player_board_card,
    "replay": _replay_card,
}
"""What draws the card of a page, by the page's template."""
