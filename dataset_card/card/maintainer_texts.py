"""Maintainers' sections: the only places of a card and a datasheet that maintainers write themselves.

All other text of a release is made from its data, and ``release check`` makes it again. A section stands between
two markers, each alone on a line; the next build takes its text over from the previous release. What strangers wrote
never begins a line of a card, so that it cannot open one. A section holds plain paragraphs, lists and links: what
could pass for a board or a heading of the card has no place in it.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from dataset_card.markdown import Markdown
from ircore.core.errors import InputError

CARD = "README.md"
DATASHEET = "DATASHEET.md"

SECTIONS: Mapping[str, tuple[str, ...]] = {
    CARD: ("homepage", "repository", "doi", "acknowledgements", "funding", "contact"),
    DATASHEET: ("funding", "contact"),
}
"""The maintainers' sections of each file, in the order in which they stand there."""

MAX_CHARACTERS = 4000
"""Characters of one section."""

MAX_BYTES = 4 * 1024 * 1024
"""Bytes that are read of a file in search of maintainers' sections."""

MaintainerTexts = Mapping[tuple[str, str], tuple[str, ...]]
"""Lines of maintainers' sections by file and name; a section without an entry is empty."""

_REFUSED = (
    # Addresses in angle brackets are links in Markdown, and the only use of the bracket that stays.
    (re.compile(r"<(?!https://[^\s<>]+>|[\w.+-]+@[\w.-]+>)"), "HTML"),
    (re.compile(r"^\s{0,3}#"), "a heading"),
    (re.compile(r"^\s*(=+|-+)\s*$"), "the underline of a heading"),
    (re.compile(r"\|"), "a table"),
    (re.compile(r"```|~~~"), "a block of code"),
    (re.compile(r"!\["), "a picture"),
    (re.compile(r"^\s{0,3}\[[^\]]*\]:"), "the definition of a link"),
    (re.compile(r"\]\(\s*(?!https://|mailto:)"), "a link that is neither https nor mailto"),
)


def begin(name: str) -> str:
    """Return the line that opens a maintainers' section."""
    return f"<!-- begin of the maintainers' text: {name} -->"


def format_end_marker(name: str) -> str:
    """Return the line that closes a maintainers' section."""
    return f"<!-- end of the maintainers' text: {name} -->"


def build_sections(file: str, texts: MaintainerTexts) -> dict[str, Markdown]:
    """Return the maintainers' sections of a file with their markers, by name."""
    return {
        name: Markdown("\n".join((begin(name), *texts.get((file, name), ()), format_end_marker(name))))
        for name in SECTIONS[file]
    }


def find_texts(file: str, text: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the lines of the maintainers' sections of a file, left out where a marker is missing or repeated."""
    # splitlines would also cut at signs such as U+2028, which must be seen and refused as control characters.
    lines = text.split("\n")
    places = ((name, _place(lines, name)) for name in SECTIONS[file])
    return {(file, name): tuple(lines[at[0] + 1 : at[1]]) for name, at in places if at is not None}


def check_sections(file: str, text: str) -> Iterator[str]:
    """Yield the faults of the maintainers' sections of a file, a line each."""
    lines = text.split("\n")
    for name in SECTIONS[file]:
        place = _place(lines, name)
        if place is None:
            remedy = f"copy them from a newly built {file}"
            yield f"maintainers' section {name}: its two markers must each be there once; {remedy}"
            continue
        inside = lines[place[0] + 1 : place[1]]
        if (length := len("\n".join(inside))) > MAX_CHARACTERS:
            yield f"maintainers' section {name}: {length:,} characters, at most {MAX_CHARACTERS:,}; shorten it"
        for number, line in enumerate(inside, place[0] + 2):
            if refused := _find_refusal(line):
                remedy = "write plain paragraphs, lists and links"
                yield f"line {number}: {refused} in the maintainers' section {name}; {remedy}"


def read_maintainer_texts(release: Path) -> MaintainerTexts:
    """Return the maintainers' sections of a release.

    Raises:
        InputError: A section is not as it must be.
    """
    texts: dict[tuple[str, str], tuple[str, ...]] = {}
    for file in SECTIONS:
        path = release / file
        text = path.read_bytes()[:MAX_BYTES].decode(errors="replace") if path.is_file() else ""
        if fault := next(check_sections(file, text), None):
            raise InputError(
                f"{path}: {fault.partition(';')[0]}", "Mend it in the previous release, or leave it empty."
            )
        texts |= find_texts(file, text)
    return texts


def find_homepage(texts: MaintainerTexts) -> str | None:
    """Return the first address in the maintainers' section ``homepage``; None without any.

    >>> find_homepage({(CARD, "homepage"): ("- **Homepage:** [our page](https://example.org/game)",)})
    'https://example.org/game'
    """
    address = re.search(r"https://[^\s<>()]+", "\n".join(texts.get((CARD, "homepage"), ())))
    return None if address is None else address[0]


def _place(lines: list[str], name: str) -> tuple[int, int] | None:
    """Return the lines of both markers; None unless each occurs once, in order, with no other marker between."""
    if lines.count(begin(name)) != 1 or lines.count(format_end_marker(name)) != 1:
        return None
    first, last = lines.index(begin(name)), lines.index(format_end_marker(name))
    # Markers of every section count, so that no text can hold a section that a later build would take over.
    markers = {marker(other) for names in SECTIONS.values() for other in names for marker in (begin, format_end_marker)}
    return (first, last) if first < last and not markers & set(lines[first + 1 : last]) else None


def _find_refusal(line: str) -> str | None:
    # Some of these show a line in another order than programs read it.
    if any(not character.isprintable() for character in line):
        return "a control character"
    return next((description for pattern, description in _REFUSED if pattern.search(line)), None)
