"""What stands around the code for contributors: forms that the hosting service takes, pages that name all there is."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ircore.submissions.addresses import link_hosts

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / ".github"
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
LABELS = {entry["name"] for entry in yaml.safe_load((GITHUB / "labels.yml").read_text())}
FIELDS = {"markdown", "input", "textarea", "dropdown", "checkboxes"}


def read(path: Path) -> dict[str, Any]:
    result: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return result


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_is_as_the_service_takes_it(path: Path) -> None:
    form = read(path)
    assert form["name"]
    assert form["description"]
    assert set(form["labels"]) <= LABELS
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert {part["type"] for part in form["body"]} <= FIELDS
    assert len({part["id"] for part in asked}) == len(asked) == len({part["attributes"]["label"] for part in asked})
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", part["id"]) for part in asked)
    assert all(part["attributes"]["options"] for part in asked if part["type"] in ("dropdown", "checkboxes"))
    assert any(part.get("validations", {}).get("required") for part in asked)


def test_the_instructions_list_every_host_and_every_key() -> None:
    from ircore.core.records import PlayerSpec
    from ircore.core.submission_records import Submission

    pages = ("submit.md", "who-plays.md", "submission-checks.md")
    page = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in pages)
    services = yaml.safe_load((ROOT / "ircore" / "submissions" / "addresses.yaml").read_text())["services"]
    assert [key for key in services.values() if key.removesuffix("_API_KEY").lower() not in page.lower()] == []
    for host in link_hosts():
        assert f"{'*' if host.startswith('.') else ''}{host}" in page
    for record in (Submission, PlayerSpec):
        for name, field in record.model_fields.items():
            assert f"`{field.alias or name}" in page


def test_what_the_threat_model_points_to_is_there() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:tests|ircore)/[\w./]+)`", text):
        assert (ROOT / path).exists(), path
