"""Citations of the benchmark, the paper and the pairs: BibTeX from ``CITATION.cff`` and from manifests."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from ircore.core.untrusted_text import format_one_line
from ircore.results.benchmark_version import Version
from leaderboard.model.site import Page, Pair
from leaderboard.skeleton import SKELETON

SOURCE = SKELETON / "CITATION.cff"
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


def build_citation_page(version: Version, address: str) -> Page:
    """Return the page that says how to cite.

    Args:
        version: The benchmark version that the site shows.
        address: The site's absolute address, ending in a slash; empty leaves it out.
    """
    cff = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
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
                {**cff, "year": _find_year(cff), "notes": _name_benchmark(version), "url": address or cff.get("url")}
            ),
        },
    ]
    return Page("cite", "Cite", "cite", {"entries": entries, "paper_url": paper["url"]}, searchable=True)


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


def pair_bibtex(pair: Pair, address: str) -> str:
    """Return the BibTeX entry of a pair's results.

    Args:
        pair: Pair to be cited.
        address: Absolute address of its page; empty leaves it out.
    """
    run = pair.result.run
    # Labels of players are strangers' text: a line break or a brace in a label must not end the field.
    title = escape_bibtex(format_one_line(f"{pair.describer} + {pair.generator} in the Image Reconstruction Game", 300))
    authors = [f"{{{escape_bibtex(format_one_line(name))}}}" for name in run.submission.authors]
    note = f"Run {run.run_id}, instance set {run.instance_set[:12]}, ircore {format_one_line(run.version, 40)}"
    fields = {
        "title": f"{{{title}}}",
        "author": " and ".join(authors) or None,
        # The year in which the run was played, since a build of the site may be years later.
        "year": run.started[:4],
        "note": escape_bibtex(note),
        "url": address or None,
    }
    return _format_entry("misc", re.sub(r"[^A-Za-z0-9-]", "-", run.run_id), fields)


def answer_bibtex(key: str, question: str, version: Version, judge: str, address: str) -> str:
    """Return the BibTeX entry of an answer to a ready question.

    Args:
        key: Name of the question in addresses.
        question: The question, in our own words.
        version: The benchmark version that the site shows.
        judge: Whose scores answer.
        address: Absolute address of the answer; empty leaves it out.
    """
    fields = {
        "title": f"{{{escape_bibtex(question)}}}",
        "howpublished": "Leaderboard of the Image Reconstruction Game",
        "note": escape_bibtex(f"{_name_benchmark(version)}, judge {judge}"),
        "url": address or None,
    }
    return _format_entry("misc", f"ask-{key}", fields)


def format_misc_entry(key: str, title: str, note: str, address: str) -> str:
    """Return the BibTeX entry of a page.

    Args:
        key: Name of the entry.
        title: Title of the page.
        note: What its numbers rest on.
        address: Absolute address; empty leaves it out.
    """
    fields = {"title": f"{{{escape_bibtex(title)}}}", "note": escape_bibtex(note), "url": address or None}
    return _format_entry("misc", key, fields)


def escape_bibtex(text: str) -> str:
    """Return text with every character escaped that TeX or BibTeX would interpret."""
    return "".join(_SPECIAL.get(character, character) for character in text)


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
    return "".join(_strip_words(parts)).lower()


def _strip_words(words: Sequence[str]) -> Iterator[str]:
    return (re.sub(r"[^A-Za-z0-9]", "", word) for word in words)


def _name_benchmark(version: Version) -> str:
    # The words of an unreleased benchmark name its instance set already.
    return version.words + (f", instance set {version.instance_set[:12]}" if version.released else "")


def _find_year(cff: Mapping[str, Any]) -> str | None:
    released = str(cff.get("date-released") or cff["preferred-citation"].get("year") or "")
    return released[:4] or None
