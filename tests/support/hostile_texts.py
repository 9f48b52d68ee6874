"""Texts that harm where they are not shown as text, and texts that must not be published."""

from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import TypeVar, get_args

from pydantic import BaseModel, ValidationError

MARKUP = {
    "a script": "<script>window.hacked=1</script>", "a picture that runs": "<img src=x onerror=window.hacked=1>",
    "a closing attribute": "\"'><svg onload=window.hacked=1>", "a link of Markdown": "[x](javascript:window.hacked=1)",
    "code of Markdown": "`--8<--`", "a Jinja expression": "{{ 7*7 }}",
    "a Jinja statement": "{% include '/etc/passwd' %}", "an entity": "&lt;script&gt;",
    "an address that runs": "javascript:alert(1)", "an address that is data": "data:text/html;base64,PHNjcmlwdD4=",
    "a formula": '=HYPERLINK("https://evil.example","x")', "a formula with plus": "+1+cmd|'/c calc'!A0",
    "a formula with minus": "-2+3+cmd|'/c calc'!A0", "a formula with at": "@SUM(1+1)*cmd|'/c calc'!A0",
}  # fmt: skip
"""Texts that are harmful where they are not shown as text."""

SECRETS = {
    "hf": "hf_" + "a" * 30, "openai": "sk-proj-" + "b" * 40, "anthropic": "sk-ant-" + "c" * 40,
    "google": "AIza" + "d" * 35, "github": "github_pat_" + "e" * 40, "slack": "xoxp-" + "1" * 20,
    "groq": "gsk_" + "2" * 40, "xai": "xai-" + "3" * 40, "replicate": "r8_" + "4" * 37, "registry": "pypi-" + "5" * 40,
    "aws": "ASIA" + "F" * 16, "pem": "-----BEGIN OPENSSH " + "PRIVATE KEY-----", "home": "/home/somebody/.cache",
    "windows": "C:\\Users\\somebody",
}  # fmt: skip
"""What must stay secret, by what it is."""

RUNS_ANYWHERE = "\"'}></script></title></text><x-hostile onload=window.hacked=1>&lt;"
"""An element of its own wherever it is not escaped: in text, in an attribute between either quotes, in a
script; and in BibTeX the end of its field."""

RecordT = TypeVar("RecordT", bound=BaseModel)


def filled(record: RecordT, text: str = RUNS_ANYWHERE, keep: Collection[str] = ()) -> RecordT:
    """Return a record with a text wherever its schema takes any text: also in fields that nobody has thought of.

    Args:
        record: A valid one.
        text: Which text; as an address it follows ``https://example.org/``.
        keep: Fields that stay as they are.
    """
    address = f"https://example.org/{text}"
    for name, field in type(record).model_fields.items():
        if name in keep:
            continue
        parts = [getattr(record, name), *_records_in(field.annotation)]
        nested = [filled(part, text, keep) for part in parts if isinstance(part, BaseModel)]
        for value in (*nested, text, address, (text, text), {text: text}, {"code": address}):
            values = {other: getattr(record, other) for other in type(record).model_fields} | (record.model_extra or {})
            with suppress(ValidationError):
                record = type(record).model_validate({**values, name: value})
                break
    # Keys that a record takes beside its fields, such as the seats of a manifest.
    others = {name: filled(part, text, keep) for name, part in (record.model_extra or {}).items()}
    return record.model_copy(update=others) if others else record


def _records_in(annotation: object) -> Iterator[BaseModel]:
    """Yield the records of an optional field that can be made without any value."""
    for part in get_args(annotation):
        if isinstance(part, type) and issubclass(part, BaseModel):
            with suppress(ValidationError):
                yield part()
