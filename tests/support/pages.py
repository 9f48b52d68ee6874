"""Reading built pages with the standard library: elements, attributes, text."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


@dataclass
class Element:
    """One element of a page."""

    tag: str
    attributes: dict[str, str]
    children: "list[Element | str]" = field(default_factory=list)

    def walk(self) -> "Iterator[Element]":
        """Yield this element and everything in it."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def find(self, tag: str = "", **attributes: str) -> "list[Element]":
        """Elements with this tag and these attributes; ``class_`` asks for one of the classes."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            element
            for element in self.walk()
            if (not tag or element.tag == tag)
            and all(value in element.attributes.get(name, "").split() for name, value in wanted.items())
        ]

    @property
    def text(self) -> str:
        """All its text."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("document", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if any(element.tag == tag for element in self.open[1:]):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse_page(text: str) -> Element:
    """Parse the text of a page."""
    reader = _Reader()
    reader.feed(text)
    return reader.root


def read_page(path: Path) -> Element:
    """Parse a page."""
    return parse_page(path.read_text(encoding="utf-8"))


@cache
def varied_pages(site: Path) -> list[str]:
    """Few pages of a site that together have a page of each folder and every kind of element, by tag and first class.

    The page that adds most comes first. The shell, which is the same around every page, and spans do not count.
    """
    parts: dict[str, set[str]] = {}
    for path in sorted(site.rglob("*.html")):
        page, name = read_page(path), path.relative_to(site).as_posix()
        article = next(iter(page.find("article")), page)
        items = (item for item in article.walk() if item.tag != "span")
        parts[name] = {f"{item.tag} {item.attributes.get('class', '').partition(' ')[0]}" for item in items}
        parts[name].add(name.rpartition("/")[0].partition("/")[0])
    missing, chosen = set().union(*parts.values()), []
    while missing:
        chosen.append(max(parts, key=lambda name: len(parts[name] & missing)))
        missing -= parts[chosen[-1]]
    return chosen
