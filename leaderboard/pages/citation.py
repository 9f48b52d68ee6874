"""Citations of the benchmark, the paper and the pairs, and what else leaves a page with its reader.

Citations are BibTeX, made from ``CITATION.cff`` and from manifests. Besides its citation a reader takes a page's link,
and the source of its numbers; a pair's authors take badges for a README, with the pair's rank range and main score,
overall and by category, as SVG and for shields.io.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Any

import yaml
from markupsafe import Markup

from ircore.core.untrusted_text import format_one_line
from ircore.results.benchmark_version import Version
from ircore.results.model import BoardRow
from ircore.results.questions import Answer
from ircore.results.tables.pairs import explain_no_rank
from leaderboard.components.markup import macro
from leaderboard.model.site import Page, Pair, Site
from leaderboard.pages.board_views import BoardView, describe_origin, name_versions
from leaderboard.skeleton import SKELETON
from leaderboard.words import format_category, format_interval_width, number, rank

CITATION_FILE = SKELETON / "CITATION.cff"
"""File in the Citation File Format 1.2, with the paper as preferred citation: the only place that says how to cite."""

_SPECIAL = {character: "\\" + character for character in "&%$#_"} | {
    # Not behind a backslash: BibTeX counts braces all the same, and a single one would end the field.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}

_SMALL_WORDS = frozenset(["a", "an", "the", "of", "and", "in", "on", "for", "through"])

_NAME = "The Image Reconstruction Game"

_LONGEST_FINDING = 400
"""Characters of what a page says in its citation."""

_BADGE_LABEL = "image reconstruction"
_BADGE_HEIGHT = 20
_BADGE_PADDING = 6

_NARROW_LETTERS = frozenset("ijl.,:;'|!()[]ftI1 ")
_WIDE_LETTERS = frozenset("mwMW%@±–—")


def build_citation_page(version: Version, address: str) -> Page:
    """Return the page that says how to cite.

    Args:
        version: The benchmark version that the site shows.
        address: The site's absolute address, ending in a slash; empty leaves it out.
    """
    cff = _read_citation_file()
    paper = cff["preferred-citation"]
    entries = [
        {
            "title": "The paper",
            "words": "Cite it for the game, its rules and its findings.",
            "bibtex": format_bibtex(paper),
        },
        {
            "title": "This leaderboard and its data",
            "words": "Cite it for numbers, pictures and dialogues of this site. They are of the benchmark named here.",
            "bibtex": format_bibtex(
                {
                    **cff,
                    "year": _find_release_year(cff),
                    "notes": _name_benchmark(version),
                    "url": address or cff.get("url"),
                }
            ),
        },
    ]
    return Page("cite", "Cite", "cite", {"entries": entries, "paper_url": paper["url"]}, searchable=True, cited=False)


def format_bibtex(cff: Mapping[str, Any]) -> str:
    """Return the BibTeX entry of a CFF reference.

    Args:
        cff: With ``title`` and ``authors``; ``type`` ``article`` becomes a preprint, everything else software.
    """
    names = [_format_author(author) for author in cff["authors"]]
    title = f"{{{escape_bibtex(cff['title'])}}}"
    fields: dict[str, str | None] = {"title": title, "author": " and ".join(names)}
    fields |= {"year": str(cff["year"]) if cff.get("year") else None, "version": cff.get("version")}
    fields["url"] = cff.get("url") or cff.get("repository-code")
    fields["note"] = escape_bibtex(cff["notes"]) if cff.get("notes") else None
    # The id in the address is enough for arXiv's fields, so CITATION.cff does not have to repeat the id.
    preprint = re.search(r"arxiv\.org/abs/(\d+\.\d+)", fields["url"] or "")
    if preprint:
        fields |= {"eprint": preprint[1], "archiveprefix": "arXiv"}
    kind = "article" if cff.get("type") == "article" else "misc"
    # BibTeX warns of an article without a journal, and a preprint has none of its own.
    if preprint and kind == "article":
        fields["journal"] = f"arXiv preprint arXiv:{preprint[1]}"
    # An organisation among the authors has no family name; the key then starts with words of the title.
    family = next((author["family-names"] for author in cff["authors"] if "family-names" in author), "")
    return _format_entry(kind, _make_key(family, fields["year"], cff["title"]), fields)


def format_pair_bibtex(pair: Pair, address: str, finding: str = "") -> str:
    """Return the BibTeX entry of a pair's results.

    Args:
        pair: Pair to be cited.
        address: Absolute address of its page; empty leaves it out.
        finding: Its rank and main score in words.
    """
    run = pair.result.run
    # Labels of players are strangers' text: a line break or a brace in a label must not end the field.
    title = escape_bibtex(format_one_line(f"{pair.describer} + {pair.generator} in the Image Reconstruction Game", 300))
    authors = [f"{{{escape_bibtex(format_one_line(name))}}}" for name in run.submission.authors]
    said = f"{finding[0].upper()}{finding[1:]}. " if finding else ""
    note = f"{said}Run {run.run_id}, instance set {run.instance_set[:12]}, ircore {format_one_line(run.version, 40)}"
    fields = {
        "title": f"{{{title}}}",
        "author": " and ".join(authors) or _list_contributors(),
        # The year in which the run was played, since a build of the site may be years later.
        "year": run.started[:4],
        "note": escape_bibtex(note),
        "url": address or None,
    }
    return _format_entry("misc", re.sub(r"[^A-Za-z0-9-]", "-", run.run_id), fields)


def format_answer_bibtex(answer: Answer, version: Version, judge: str, year: str, address: str) -> str:
    """Return the BibTeX entry of an answer to a ready question.

    Args:
        answer: With the question, in our own words.
        version: The benchmark version that the site shows.
        judge: Whose scores answer.
        year: In which the last run began.
        address: Absolute address of the answer; empty leaves it out.
    """
    sentence = format_one_line(answer.sentence, _LONGEST_FINDING)
    fields = {
        "title": f"{{{escape_bibtex(answer.question)}}}",
        "author": _list_contributors(),
        "year": year,
        "howpublished": "Leaderboard of the Image Reconstruction Game",
        "note": escape_bibtex(f"{sentence} {_name_benchmark(version)}, judge {judge}"),
        "url": address or None,
    }
    return _format_entry("misc", f"ask-{answer.key}", fields)


def format_misc_entry(key: str, title: str, note: str, year: str, address: str) -> str:
    """Return the BibTeX entry of a page.

    Args:
        key: Name of the entry.
        title: Title of the page.
        note: What the page says, and what its numbers rest on.
        year: In which the last run began.
        address: Absolute address; empty leaves it out.
    """
    fields = {
        "title": f"{{{escape_bibtex(title)}}}",
        "author": _list_contributors(),
        "year": year,
        "note": escape_bibtex(note),
        "url": address or None,
    }
    return _format_entry("misc", key, fields)


def escape_bibtex(text: str) -> str:
    """Return text with every character escaped that TeX or BibTeX would interpret."""
    return text.translate({ord(character): escaped for character, escaped in _SPECIAL.items()})


def render_share_strip(page: Page, site: Site | None, finding: str = "") -> Markup:
    """Return the buttons that copy a page's link and its citation; empty for a page without numbers.

    Args:
        page: The page.
        site: What is shown; None without runs of the reconstruction game.
        finding: What the page says, in sentences.
    """
    section = page.values.get("section")
    # A page of words alone is cited with the paper, on the page of citations.
    if not page.cited or (site is None and section is None):
        return Markup()
    # BibTeX ends a key at a comma or brace and does not allow spaces.
    key = re.sub(r"[^A-Za-z0-9-]", "-", f"image-reconstruction-game-{page.path}")
    shown = page.values.get("site", site) if site is None or section is None else section
    address = f"{shown.address}{page.path}.html" if shown.address else ""
    # What a page of many answers or figures says does not fit a note.
    said = f"{finding.rstrip('.')}; " if finding and len(finding) <= _LONGEST_FINDING else ""
    note = format_one_line(f"{said}{_describe_source(shown, page, said)}", 2 * _LONGEST_FINDING)
    title = page.title if page.title == _NAME else f"{page.title}. {_NAME}"
    entry = format_misc_entry(key, title, note, find_played_year(shown), address)
    # A site without the reconstruction game has no page on how to cite it.
    return macro("share_strip")(_dump_episode_links(page), entry, page.root, site is not None)


def dump_provenance(site: Site, view: BoardView, metric: str = "") -> str:
    """Return where the numbers of a board come from, as JSON for files that a reader saves.

    Args:
        site: What is shown.
        view: Condition of the board.
        metric: Image metric that measured in the place of a judge; empty for none.
    """
    facts = collect_provenance(site, view)
    if metric:
        del facts["judge"]
        facts = {"metric": metric, **facts}
    return json.dumps(facts, ensure_ascii=False)


def collect_provenance(site: Site, view: BoardView) -> dict[str, str]:
    """Return where the numbers of a board come from: each fact by its name."""
    return {
        "judge": view.judge,
        "category": view.category or "all",
        "difficulty": view.difficulty or "all",
        "rules": view.rules.key if view.rules else "all",
        "game": site.game.name,
        "benchmark": site.version.words,
        "instance_set": site.results.instance_set,
        "ircore": name_versions(site),
    }


@dataclass(frozen=True)
class Badge:
    """Content of one badge.

    >>> badge = Badge("badges/my-pair/overall", "all categories", "reconstruction", "rank 2 of 12", is_ranked=True)
    >>> "rank 2 of 12" in badge.svg()
    True
    """

    path: str
    """Without suffix, relative to the site's root: ``badges/<pair>/<category>``, or ``overall``."""

    condition: str
    """Condition in words: ``all categories``, or a category."""

    label: str
    """Left half: the game, the benchmark's version if it is released, the category."""

    message: str
    """Right half: ``rank 2–4 of 12 · 73.1 ± 4.2``, the main score; or why there is none."""

    is_ranked: bool
    """Whether the pair has a rank."""

    def svg(self) -> str:
        """Return the badge as a picture that needs no font file, script or style sheet."""
        left, right = (_estimate_width(text) + 2 * _BADGE_PADDING for text in (self.label, self.message))
        fill = "#4a3fa3" if self.is_ranked else "#5a5b66"
        return macro("badge_picture")(self, left, right, _BADGE_HEIGHT, _BADGE_PADDING, fill)

    def shields(self) -> str:
        """Return the same as an answer of shields.io's endpoint badge (schema version 1)."""
        colour = "4a3fa3" if self.is_ranked else "lightgrey"
        said = {"schemaVersion": 1, "label": self.label, "message": self.message, "color": colour}
        return json.dumps(said, ensure_ascii=False) + "\n"


def build_badges(site: Site) -> dict[str, list[Badge]]:
    """Return every pair's badges by run_id: the overall badge, then one per category, by the site's judge.

    A rank is among the pairs that were played under the same rules.
    """
    made: dict[str, list[Badge]] = {run_id: [] for run_id in site.pairs}
    for rules, category in product(site.rule_sets, (None, *site.results.categories)):
        board = site.under(rules).board(site.judge, category)
        ranked = sum(row.rank_low is not None for row in board)
        for row in board:
            pair = site.pairs[row.submission.run_id]
            made[pair.run_id].append(_build_badge(pair, row, category, ranked, site.version.name))
    return made


def build_badge_files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield path and text of every badge, as SVG and as JSON."""
    for badges_of_pair in build_badges(site).values():
        for badge in badges_of_pair:
            yield f"{badge.path}.svg", badge.svg()
            yield f"{badge.path}.json", badge.shields()


def format_badge_snippet(badge: Badge, pair: Pair, address: str) -> str:
    """Return Markdown that shows a badge and leads to the pair's page.

    Args:
        badge: One of the pair's.
        pair: Pair of the badge.
        address: The site's absolute address, ending in a slash; empty leaves a place to fill in.
    """
    base = address or "https://SITE/"
    return f"[![{badge.label}: {badge.message}]({base}{badge.path}.svg)]({base}pairs/{pair.key}.html)"


def _format_entry(kind: str, key: str, fields: Mapping[str, str | None]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def _format_author(author: Mapping[str, str]) -> str:
    if "name" in author:
        # Braces keep BibTeX from splitting the name of an organisation into given and family names.
        return f"{{{escape_bibtex(author['name'])}}}"
    return ", ".join(escape_bibtex(author[part]) for part in ("family-names", "given-names") if part in author)


def _make_key(family: str, year: str | None, title: str) -> str:
    words = [word for word in re.findall(r"[A-Za-z]+", title.lower()) if word not in _SMALL_WORDS]
    parts = [family, year or "", *words[:1]] if family else [*words[:3], year or ""]
    return "".join(re.sub(r"[^A-Za-z0-9]", "", word) for word in parts).lower()


@cache
def _read_citation_file() -> dict[str, Any]:
    known: dict[str, Any] = yaml.safe_load(CITATION_FILE.read_text(encoding="utf-8"))
    return known


@cache
def _list_contributors() -> str:
    """Return the authors of the leaderboard, who are those of what no author is named for."""
    return " and ".join(_format_author(author) for author in _read_citation_file()["authors"])


@lru_cache(maxsize=8)  # the citation of each page names it
def find_played_year(site: Site) -> str:
    """Return the year in which the last run of a site began."""
    return max(submission.run.started[:4] for submission in site.results.submissions)


def _name_benchmark(version: Version) -> str:
    # The words of an unreleased benchmark name its instance set already.
    return version.words + (f", instance set {version.instance_set[:12]}" if version.released else "")


def _find_release_year(cff: Mapping[str, Any]) -> str | None:
    released = str(cff.get("date-released") or cff["preferred-citation"].get("year") or "")
    return released[:4] or None


def _dump_episode_links(page: Page) -> str:
    """Return the page of each episode of a target that has a card of its own, by the pair's key, as JSON; or empty."""
    strips = {key: f"{page.root}{path}.html" for key, path in page.values.get("strips", {}).items()}
    return json.dumps(strips) if strips else ""


def _describe_source(site: Site, page: Page, said: str) -> str:
    """Return where the numbers of a page come from: that of a frozen board, a board by its judge, or the site's.

    Args:
        site: Whose numbers they are.
        page: The page.
        said: What stands before; what it says is left out.
    """
    values = page.values
    if page.template == "paper":
        return "scores as the paper reports them, not run here"
    released = site.version.released
    version, instance_set = site.version.words if released else "unreleased benchmark", site.results.instance_set
    if page.template == "frozen":
        version, instance_set = f"benchmark {values['record'].name}", values["record"].instance_set
    game = f"{site.game.title}, " if site.folder else ""
    view = page.values.get("view")
    # What a board's own words leave out for readers belongs to its citation.
    origin = f"; {describe_origin(site, view)}" if isinstance(view, BoardView) else ""
    rater = _describe_rater(site, page)
    return f"{game}{version}, instance set {instance_set[:12]}{'' if rater in said else rater}{origin}"


def _describe_rater(site: Site, page: Page) -> str:
    if page.template in ("judge_card", "metric_agreement", "people"):
        # A test of one judge, and a comparison of all.
        return ""
    if page.template == "metric_board":
        return f", measured by {page.values['metric']}"
    if not site.game.is_judged:
        return ""
    view = page.values.get("view")
    return f", judged by {site.judge if view is None else format_one_line(view.judge, 60)}"


def _build_badge(pair: Pair, row: BoardRow, category: str | None, pairs: int, version: str | None) -> Badge:
    label = f"{_BADGE_LABEL} {version}" if version else _BADGE_LABEL
    condition = "all categories" if category is None else format_category(category).lower()
    return Badge(
        path=f"badges/{pair.key}/{category or 'overall'}",
        condition=condition,
        label=format_one_line(label if category is None else f"{label}, {condition}", 80),
        message=_format_message(row, pairs),
        is_ranked=row.rank_low is not None,
    )


def _format_message(row: BoardRow, pairs: int) -> str:
    """Return rank range and main score in words; for an unranked pair the reason alone, without any number."""
    main = row.cell.main
    # A score without a rank would be read as a result, so the reason stands alone.
    if row.rank_low is None:
        return f"no rank: {explain_no_rank(row)}"
    words = f"rank {rank(row.rank_low, row.rank_high)} of {pairs} · {number(main.mean, 1)}"
    return f"{words} {format_interval_width(main, 1)}".rstrip()


def _estimate_width(text: str) -> int:
    """Return about how many pixels a text has in Verdana at 11 pixels; ``textLength`` evens out the rest."""
    return round(
        sum(
            4.2
            if character in _NARROW_LETTERS
            else 9.6
            if character in _WIDE_LETTERS or ord(character) > 0x2E7F
            else 6.9
            for character in text
        )
    )
