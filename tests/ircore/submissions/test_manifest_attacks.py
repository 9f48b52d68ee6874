"""Hostile manifests: each is refused with file, line, field and remedy; nothing is written, run or asked."""

import socket
from pathlib import Path
from re import search

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as some
from manifest_attacks import ATTACKS, GOOD, SLUGS, TAKEN, Attack
from manifest_promises import SEEDS, keeps_promises

from ircore.core.strict_yaml import MAX_BYTES
from ircore.submissions.check.reports import format_annotations, format_summary
from ircore.submissions.check.submission import OtherSubmission, Purpose, check_bytes, check_slug, check_submission
from ircore.submissions.findings import Finding, select_errors

pytestmark = [pytest.mark.attack, pytest.mark.slow]

FILE = "submissions/plain-pair/submission.yaml"
THERE = (OtherSubmission("builtin-classical-canvas", "classical + canvas", {}),)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise AssertionError("a check asked the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


def checked(text: str | bytes, slug: str = "plain-pair", purpose: Purpose | None = None) -> list[Finding]:
    data = text.encode() if isinstance(text, str) else text
    return list(check_bytes(data[: MAX_BYTES + 1], FILE, slug, THERE, purpose or Purpose()).findings)


def test_nothing_is_wrong_with_a_good_manifest() -> None:
    assert checked(GOOD) == []


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda entry: entry.name)
def test_an_attack_is_refused_and_the_message_says_where_what_and_how_to_mend(attack: Attack) -> None:
    wrong = select_errors(checked(attack.text))
    told = [fault for fault in wrong if fault.field == attack.field and attack.problem in fault.problem]
    assert told, [str(fault) for fault in wrong]
    assert told[0].file == FILE
    assert told[0].line == attack.line
    assert told[0].remedy


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda entry: entry.name)
def test_a_report_of_an_attack_is_inert(attack: Attack) -> None:
    faults = checked(attack.text)
    text = "\n".join(str(item) for item in faults)
    assert all(item.isprintable() or item == "\n" for item in text)
    assert len(text) < 30_000
    for line in format_annotations(faults):
        assert search(r"^::(error|warning) file=submissions/plain-pair/submission\.yaml,line=\d+,col=\d+,title=S", line)
        assert not search(r"[\r\n]", line)
    told = format_summary((), faults)
    assert told.count("<") == told.count("<pre>") * 2 + told.count("<code>") * 2


def test_a_check_writes_nothing_and_follows_no_link(tmp_path: Path) -> None:
    folder = tmp_path / "submissions" / "plain-pair"
    folder.mkdir(parents=True)
    manifest = folder / "submission.yaml"
    for attack in ATTACKS:
        manifest.write_bytes(attack.text.encode() if isinstance(attack.text, str) else attack.text[: MAX_BYTES + 9])
        assert not check_submission(folder).valid, attack.name
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "submissions", folder, manifest]


@pytest.mark.parametrize("slug", SLUGS)
def test_names_of_folders_that_are_refused(slug: str) -> None:
    wrong = [problem for problem in checked(GOOD, slug) if problem.level == "error"]
    assert len(wrong) == 1
    assert "cannot be used" in wrong[0].problem
    assert "lower-case letter" in wrong[0].remedy


@pytest.mark.parametrize("slug", ["good-pair-97e64db0", "good-pair_97e64db0", "a.00000000", "pair-20260101"])
def test_a_folder_must_not_be_called_like_a_run(slug: str) -> None:
    """Pages of runs are named by their ids, such as ``good-pair-97e64db0``."""
    (fault,) = select_errors(checked(GOOD, slug))
    assert "ends like the id of a run" in fault.problem
    assert (
        select_errors(checked(GOOD, "good-pair-97e64db")) == select_errors(checked(GOOD, "good-pair-97e64db0a")) == []
    )


@pytest.mark.parametrize(("slug", "problem"), TAKEN["slug"].items())
def test_a_folder_must_not_look_like_another(slug: str, problem: str) -> None:
    (fault,) = check_slug(slug, THERE)
    assert problem in fault.problem


@pytest.mark.parametrize(("name", "problem"), TAKEN["name"].items())
def test_a_name_must_not_look_like_another(name: str, problem: str) -> None:
    wrong = select_errors(checked(GOOD.replace("A plain pair", name)))
    assert any(fault.field == "name" and search(problem, fault.problem) for fault in wrong)


def test_the_very_same_name_is_taken() -> None:
    (result,) = checked(GOOD.replace("A plain pair", "classical + canvas"))
    assert (result.level, result.field, result.line) == ("error", "name", 2)


def test_a_key_goes_to_one_service_only() -> None:
    spec = (
        "{player: openai, model: m-2026-01-01, base_url: 'https://%s/v1', api_key_env: LAB_KEY, parameters: {top_p: 1}}"
    )
    lines = GOOD.splitlines()
    lines[2] = f"describer: {spec % 'b.example.org'}"
    others = (OtherSubmission("other", "Other", {"LAB_KEY": "a.example.org"}),)
    data = "\n".join(lines).encode()
    (wrong,) = select_errors(check_bytes(data, FILE, "plain-pair", others).findings)
    assert "LAB_KEY is sent to a.example.org by another submission" in wrong.problem
    lines[3] = (
        "generator: {player: openai-chat, model: m-2026-01-01, base_url: 'https://c.example.org', api_key_env: LAB_KEY}"
    )
    (wrong,) = select_errors(check_bytes("\n".join(lines).encode(), FILE, "plain-pair").findings)
    assert (wrong.field, wrong.line) == ("generator.api_key_env", 4)


def test_every_error_is_told_at_once() -> None:
    text = (
        GOOD.replace("name:", "nmae:").replace("0}}", "hot}}").replace("CC-BY-4.0", "[5]").replace("github.com", "x.y")
    )
    fields = {error.field for error in select_errors(checked(text))}
    assert fields == {"nmae", "describer.parameters.temperature", "licence", "links.code"}


@pytest.mark.parametrize(
    "text", [f"{GOOD}{'k{}: 1;' * 2000}".replace(";", "\n"), GOOD.replace("Someone", "5, " * 5_000)]
)
def test_thousands_of_errors_are_told_shortly(text: str) -> None:
    lines = (line.replace("{}", str(number)) for number, line in enumerate(text.splitlines()))
    faults = checked("\n".join(lines))
    assert len(faults) == 101
    assert "more findings are not shown" in faults[-1].problem


def test_a_summary_is_never_larger_than_the_service_takes() -> None:
    quotes = "'" + '"' * 4000
    matches = [Finding("error", f"{quotes}{number}", 1, 1, quotes, quotes, quotes, quotes) for number in range(150)]
    assert len(format_summary((), matches).encode()) < 1024**2
    assert "150 errors" in format_summary((), matches)


def test_what_stays_at_home_may_use_a_server_and_people_of_ones_own() -> None:
    home = GOOD.replace("player: canvas", "player: human, parameters: {folder: desk/eyes}")
    own = home.replace("api_key_env: OPENAI_API_KEY", "base_url: 'http://127.0.0.1:8000/v1'")
    assert checked(own, purpose=Purpose(local=True)) == []
    fields = {error.field for error in select_errors(checked(own))}
    assert fields == {"describer.base_url", "generator.parameters.folder", "generator.player"}


def test_with_transcripts_a_server_of_ones_own_is_never_asked_from_here() -> None:
    own = GOOD.replace("api_key_env: OPENAI_API_KEY", "base_url: 'http://127.0.0.1:8000/v1'")
    with_them = own + f"transcripts: {{repo: some/data, revision: {'a' * 40}, run: a-1}}\n"
    assert select_errors(checked(own)) != []
    assert checked(with_them) == []
    other = with_them.replace("{player: canvas}", "{player: their-own, model: x-2026-01-01}")
    assert [(problem.level, problem.field) for problem in checked(other)] == [("warning", "generator.player")]
    private = with_them.replace("http://127.0.0.1:8000", "https://10.0.0.1")
    assert [error.field for error in select_errors(checked(private))] == ["describer.api_key_env", "describer.base_url"]


def test_before_it_is_played_a_host_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(host: str, *arguments: object, **named: object) -> list[tuple[object, ...]]:
        address = "169.254.169.254" if host == "rebound.example.org" else "8.8.8.8"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443))]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    text = GOOD.replace("OPENAI_API_KEY", "LAB_KEY, base_url: 'https://rebound.example.org/v1'")
    assert select_errors(checked(text)) == []
    (wrong,) = select_errors(checked(text, purpose=Purpose(resolve=True)))
    assert "a name for 169.254.169.254" in wrong.problem
    assert select_errors(checked(text.replace("rebound", "public"), purpose=Purpose(resolve=True))) == []


TEXTS = some.text(max_size=40) | some.sampled_from(
    ["\u202e", "{{x}}", "=1+1", "https://127.0.0.1", "a\nb", "\ud800", "~"]
)
VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | TEXTS | some.dates() | some.datetimes(),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(TEXTS | some.integers(), inner, max_size=4),
    max_leaves=12,
)
SPECS = some.fixed_dictionaries(
    {"player": some.sampled_from(["openai", "canvas", "classical", "openai-images", "human", "replay"]) | VALUES},
    optional=dict.fromkeys(("model", "revision", "base_url", "api_key_env", "parameters", "extra"), TEXTS | VALUES),
)
MANIFESTS = some.fixed_dictionaries(
    {"schema": some.just(1) | VALUES, "name": TEXTS, "describer": SPECS | VALUES, "generator": SPECS},
    optional={
        **dict.fromkeys(("rules", "authors", "hardware", "dates", "transcripts", "licence", "x"), VALUES),
        "links": some.dictionaries(TEXTS, TEXTS, max_size=3) | VALUES,
    },
)


@settings(deadline=None)
@given(some.binary(max_size=2000))
def test_any_bytes(data: bytes) -> None:
    keeps_promises(data)


@settings(max_examples=100, deadline=None)
@given(MANIFESTS)
def test_any_values_in_the_right_places(manifest: dict[str, object]) -> None:
    keeps_promises(yaml.safe_dump(manifest, allow_unicode=True).encode(errors="surrogatepass"))


@settings(max_examples=300, deadline=None)
@given(some.sampled_from(SEEDS), some.integers(0, 4000), some.integers(0, 60), some.binary(max_size=12))
def test_attacks_with_a_part_replaced(seed: bytes, start: int, length: int, new: bytes) -> None:
    keeps_promises(seed[:start] + new + seed[start + length :])


@settings(deadline=None)
@given(
    some.lists(some.sampled_from(GOOD.splitlines()), max_size=20),
    some.text(alphabet=" \t\n:-?[]{}&*!|>%@`'\"#,", max_size=30),
)
def test_lines_in_any_order_with_signs_that_mean_something(lines: list[str], signs: str) -> None:
    keeps_promises("\n".join([*lines, signs]).encode())
