"""Writes the reference page of the library from its docstrings.

python benchmarks/docs_library.py > docs/library.md    renews the page
"""

import inspect
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import ircore
import ircore.library

HEAD = """\
---
hide: [navigation]
---

# Python library

"""

SECTIONS = ("Args", "Returns", "Raises", "Example")


def page() -> str:
    """Return the page as Markdown."""
    return HEAD + "\n".join(_lines()).rstrip() + "\n"


def public_functions() -> list[Callable[..., Any]]:
    """Return the functions of ``import ircore``, in the order of the page."""
    named = (getattr(ircore, name) for name in ircore._HOMES)
    return [public for public in named if inspect.isfunction(public)]


def _lines() -> Iterator[str]:
    introduction = inspect.cleandoc(ircore.library.__doc__ or "")
    yield from (_code_marks(line) for line in introduction.splitlines())
    yield ""
    for module, functions in groupby(public_functions(), inspect.getmodule):
        yield f"## {(inspect.getdoc(module) or '').partition(':')[0]}"
        yield ""
        for function in functions:
            yield from _function(function)


def _function(function: Callable[..., Any]) -> Iterator[str]:
    summary, sections = _parts(inspect.cleandoc(function.__doc__ or ""))
    yield f"### {function.__name__}"
    yield ""
    yield f"    ircore.{function.__name__}{_call(function)}"
    yield ""
    yield _code_marks(summary)
    yield ""
    for name, text in sections.items():
        yield from _section(name, text)


def _call(function: Callable[..., Any]) -> str:
    """Return the signature without types, which the descriptions say in words."""
    signature = inspect.signature(function)
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def _parts(docstring: str) -> tuple[str, dict[str, str]]:
    """Return what stands before the sections of a docstring, and each section's text."""
    pieces = re.split(rf"^({'|'.join(SECTIONS)}):\n", docstring, flags=re.MULTILINE)
    texts = (inspect.cleandoc(text) for text in pieces[2::2])
    return pieces[0].strip(), dict(zip(pieces[1::2], texts, strict=True))


def _section(name: str, text: str) -> Iterator[str]:
    if name == "Example":
        yield from ("```pycon", text, "```", "")
    elif name == "Returns":
        yield from (f"**Returns** {_code_marks(_joined(text))}", "")
    else:
        yield from ("| Argument | Meaning |" if name == "Args" else "| Error | When |", "|---|---|")
        for entry in re.split(r"\n(?=\S)", text):
            subject, _, description = _joined(entry).partition(": ")
            yield f"| `{subject}` | {_code_marks(description)} |"
        yield ""


def _joined(text: str) -> str:
    return " ".join(text.split())


def _code_marks(text: str) -> str:
    return text.replace("``", "`")


if __name__ == "__main__":
    print(page(), end="")
