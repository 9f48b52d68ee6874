"""Keys, addresses and paths in texts that are about to be published, and texts that only look like them."""

import base64
import random
import string
from base64 import b64encode, urlsafe_b64encode

import pytest

from ircore.core.private_text import find_leaks, redact_leaks, remove_invisible
from ircore.core.records import PlayerSpec

DRAW = random.Random(7)


def drawn(count: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "".join(DRAW.choice(letters) for _ in range(count))


def token(part: str) -> str:
    return urlsafe_b64encode(part.encode()).decode().rstrip("=")


JWT = ".".join([token('{"alg":"HS256","typ":"JWT"}'), token('{"sub":"1234567890","name":"A"}'), drawn(43)])

SECRETS = {
    "a JSON Web Token": JWT,
    "the same in a header": f"Authorization: Bearer {JWT}",
    "Azure's storage": "AccountKey=" + b64encode(DRAW.randbytes(64)).decode(),
    "Azure's signature": "https://x.blob.core.windows.net/y?sv=2024&sig=" + drawn(43) + "%3D",
    "Azure's OpenAI service": "api-key: " + drawn(32, "0123456789abcdef"),
    "a new kind of Azure key": drawn(84),
    "a password in an address": "https://me:hunter22@models.example.org/v1",
    "a header": "Authorization: Basic " + b64encode(b"me:a long password").decode(),
    "an encoded key": b64encode(("sk-" + "a1B2" * 10).encode()).decode(),
    "an encoded token of GitHub": b64encode(("ghp_" + "a1B2" * 10).encode()).decode(),
    "forty random characters": drawn(40),
    "random bytes": b64encode(DRAW.randbytes(32)).decode(),
    "the same for addresses": urlsafe_b64encode(DRAW.randbytes(48)).decode(),
    "Slack's hook": "https://hooks.slack.com/services/T0A1B2C3D/B0A1B2C3D/" + drawn(24),
    "an allowed line": "AccountKey=" + b64encode(DRAW.randbytes(64)).decode() + "  # pragma: allowlist secret",
}

ADDRESSES = (
    "ann@university.edu", "write to ann.smith+x@mail.co.uk please", "10.0.0.7", "http://192.168.1.20:8000/v1",
    "172.16.4.1",
    "172.31.255.9",
    "169.254.169.254", "fe80::1ff:fe23:4567:890a", "fd12:3456:789a::1", "http://models.internal/v1", "gpu7.lan:8000",
    "http://llm.default.svc.cluster.local/v1",
    "+49 30 1234567", "+49 (0)30 1234-567", "call +1 415 555 2671.", "+33 1 23 45 67 89", "(415) 555-2671",
    "415-555-2671", "tel:4155552671",
)  # fmt: skip

PLAIN = (
    "A red circle of 40 pixels at 10, 20; below it 3 bars, 10.5, 20.25 and 7.", "version 1.10.0.1.2",
    "172.15.0.1 and 172.32.0.1 are public",
    "8.8.8.8", "127.0.0.1", "someone@example.org", "user@example.com", "an @ sign", "a@b", "f(x) = 10.2.3",
    "{{ 7*7 }} and {% raw %}",
    "3f786850e387550fdab836ed7e6dc881de23001b", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "gpt-5.2-2026-01-15 with claude-opus-4-5-20260101", "Donaudampfschifffahrtsgesellschaftskapitän",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "bar_graph-easy-01/line_graph-hard-02/simple_shapes-easy-07", "eyJust a word",
    "https://github.com/someone/pair-of-models-and-more-words-2026",
    "the.internal.angle is 60 degrees", "10:30 at local.time", "MovedTheUpperLeftTriangle12PixelsToTheRightAndDown",
    "1234567890" * 4,
    "+10 20 30 40", "shift by +100 200 300 px", "y = x+12345678", "a slope of +2.7182818", "from 100-200-3000 to 7",
    "+1 415-555-0123 is kept for examples", "415-555-0123", "2026-11-22", "978-3-16-148410-0",
    "authorization: none", "a bearer of news", "the key: a small legend",
)  # fmt: skip


@pytest.mark.parametrize("name", SECRETS)
def test_a_key_is_found_and_never_repeated(name: str) -> None:
    text = f"see {SECRETS[name]} there"
    leaks = list(find_leaks(text))
    assert leaks
    assert all(leak.is_secret for leak in leaks), [str(leak) for leak in leaks]
    assert not any(
        part in redact_leaks(text) for part in SECRETS[name].split() if len(part) > 30 and "/" not in part[:8]
    )


KEYS = {
    "a Hugging Face token": ["hf_"],
    "an API key (sk-…)": ["sk-"],
    "a Google API key": ["AIza"],
    "a GitHub token": ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    "a Slack token": ["xoxb-", "xoxp-"],
    "a key of a model service": ["gsk_", "xai-", "pplx-", "r8_", "nvapi-", "tgp_v1_", "fw_"],
    "a token of a package registry": ["pypi-", "npm_", "glpat-"],
    "a key in a header": ["API-Key=", "x-api-\u212aey: ", "AUTHOR\u0131ZATION: ", "ocp-apim-subscription-key: "],
}
OTHERS = {
    "a private key": ["-----BEGIN RSA PRIVATE KEY-----"], "an AWS key": ["AKIA" + "A1" * 8, "ASIA" + "A1" * 8],
    "an Azure signature": ["&sig=" + "a1" * 20],
    "a path of a machine": [
        "/home/a", "/Users/a", "/root/a", "/tmp/a", "/var/a", "/mnt/a", "/srv/a", "/opt/a", "/etc/a", "/private/a",
        "/media/a", "C:\\Users", "d:\\temp", "file://",
    ],
}  # fmt: skip


def test_every_rule_finds_each_of_its_forms_in_a_long_text() -> None:
    forms = [(rule, begin + "a1" * 15) for rule, begins in KEYS.items() for begin in begins]
    for rule, form in [*forms, *((rule, form) for rule, forms in OTHERS.items() for form in forms)]:
        assert rule in [leak.rule for leak in find_leaks(f"a red circle, 10 by 20\n{form}\nand a bar")], form


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_of_a_person_or_inside_a_network(text: str) -> None:
    (leak,) = find_leaks(text)
    assert not leak.is_secret


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_looks_alike(text: str) -> None:
    assert [str(leak) for leak in find_leaks(text)] == []


def test_places_are_those_of_the_whole_text() -> None:
    text = f"first line\nkey {JWT}\nfrom /home/ann/key"
    first, second = find_leaks(text)
    assert text[first.begin : first.end].startswith("eyJ")
    assert (text[second.begin : second.end], second.is_secret) == ("/home/ann", False)
    redacted = redact_leaks(text).splitlines()
    assert redacted == ["first line", f"key [{first.rule} was here]", "from [a path of a machine was here]/key"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a red \u202ekcolb\u202c", "a red kcolb"), ("a r\u200bed\ufeff block", "a red block"),
        ("a r\u200ced blo\u200dck", "a red block"), ("a red\x00\x1b block", "a red block"),
        ("a\U000e0041\U000e0042", "a"), ("a\ufe01\ufe02\ufe03\ufe04", "a"),
    ],
)  # fmt: skip
def test_a_character_that_nobody_sees(text: str, plain: str) -> None:
    leaks = list(find_leaks(text))
    assert leaks
    assert not any(leak.is_secret for leak in leaks)
    assert remove_invisible(text) == plain
    assert not list(find_leaks(plain))


@pytest.mark.parametrize(
    "text", ["a\r\n\tb", "می\u200cخواهم", "👩\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "1\ufe0f⃣", "50\u202f%", "\ue000"]
)
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    assert not list(find_leaks(text))
    assert remove_invisible(text) == text


def test_a_key_hidden_in_either_alphabet_of_base64_is_found() -> None:
    secret = b"?>?>?> sk-proj-" + b"b" * 40
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for word in (encode(secret).decode(), encode(secret).decode().rstrip("=")):
            assert list(find_leaks(f"said {word} here")), word


@pytest.mark.parametrize("address", ["http://10.0.0.1/v1", "http://example.org/v1", "http://127.0.0.1.example.org/v1"])
def test_a_key_travels_in_clear_text_on_this_machine_alone(address: str) -> None:
    with pytest.raises(ValueError, match="https, or http on loopback"):
        PlayerSpec(player="openai", model="m", base_url=address)
    assert PlayerSpec(player="openai", model="m", base_url="http://127.0.0.1:1/v1").on_loopback
