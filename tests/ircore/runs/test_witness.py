"""A relay's signatures: whatever is changed in a signed run is found, and the line is named."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from samples import sample_instances, sample_run

from ircore.core.errors import InputError
from ircore.runs.events import Call, Entry
from ircore.runs.folder import RunFolder
from ircore.runs.witness import (
    WitnessedWriter,
    WitnessError,
    WitnessLine,
    check_witness,
    key_pem,
    new_key,
    public_half,
    read_key,
)
from ircore.runs.writer import RunWriter

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEYS = {"other": "0" * 64, "berlin": public_half(KEY)}

Lines = list[bytes]


@pytest.fixture
def signed(tmp_path: Path) -> RunFolder:
    """A run whose journal a relay has signed."""
    folder = sample_run(tmp_path / "run", sample_instances(tmp_path / "set"))
    WitnessedWriter(folder, KEY).__exit__()
    return folder


@pytest.mark.slow
def test_the_record_says_who_signed_what_and_when(signed: RunFolder) -> None:
    witness = check_witness(signed.path, KEYS)
    journal = (signed.path / "journal.jsonl").read_bytes().splitlines()
    assert (witness.relay, witness.key, witness.records) == ("berlin", KEYS["berlin"], len(journal))
    assert witness.first <= witness.last


def test_signatures_are_those_of_rfc_8032_over_documented_bytes(signed: RunFolder) -> None:
    """Verified here with the library alone, by what docs/relay.md says."""
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(KEYS["berlin"]))
    before = hashlib.sha256((signed.path / "run.json").read_bytes()).hexdigest()
    journal = (signed.path / "journal.jsonl").read_bytes().splitlines()
    record = [json.loads(line) for line in (signed.path / "witness.jsonl").read_bytes().splitlines()]
    for number, (event, line) in enumerate(zip(journal, record, strict=True), start=1):
        text = f"ircore relay 1\n{number}\n{line['when']}\n{hashlib.sha256(event).hexdigest()}\n{before}\n"
        public.verify(bytes.fromhex(line["signature"]), text.encode())
        before = hashlib.sha256((text + line["signature"]).encode()).hexdigest()


@pytest.mark.slow
def test_a_run_goes_on_where_it_stopped_and_a_crash_loses_no_signature(signed: RunFolder) -> None:
    call = Call(episode_id="geometry-easy-01", turn=9, role="describer", text="More.", seconds=1)
    with WitnessedWriter(signed, KEY) as writer:
        writer.record([Entry(call)])
    count = check_witness(signed.path, KEYS).records
    path = signed.path / "witness.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]) + lines[-2][:50])  # the power went while the record was written
    with pytest.raises(WitnessError, match="the journal's line is not signed"):
        check_witness(signed.path, KEYS)
    with WitnessedWriter(signed, KEY):
        pass
    assert check_witness(signed.path, KEYS).records == count


@pytest.mark.slow
def test_nothing_unsigned_is_written_into_a_signed_run(signed: RunFolder) -> None:
    with pytest.raises(InputError, match="is played through a relay"):
        RunWriter(signed)


def swapped(lines: Lines) -> Lines:
    return [lines[1], lines[0], *lines[2:]]


CHANGES: dict[str, tuple[Callable[[Lines], Lines], Callable[[Lines], Lines]]] = {
    "a word of an answer": (lambda lines: [lines[0].replace(b"left", b"LEFT"), *lines[1:]], list),
    "a line left out of the journal": (lambda lines: lines[1:], list),
    "a line left out of both": (lambda lines: lines[1:], lambda lines: lines[1:]),
    "a line left out of the middle of both": (lambda lines: lines[:3] + lines[4:], lambda lines: lines[:3] + lines[4:]),
    "the end cut off the record": (list, lambda lines: lines[:-1]),
    "the end cut off the journal": (lambda lines: lines[:-1], list),
    "two lines of the journal exchanged": (swapped, list),
    "two lines of both exchanged": (swapped, swapped),
    "a line twice in both": (lambda lines: [*lines, lines[-1]], lambda lines: [*lines, lines[-1]]),
    "another time": (list, lambda lines: [_with(lines[0], when="1970-01-01T00:00:00.000+00:00"), *lines[1:]]),
    "another number": (list, lambda lines: [_with(lines[0], number=2), *lines[1:]]),
    "no record": (list, lambda lines: []),
}


def _with(line: bytes, **values: object) -> bytes:
    return json.dumps(json.loads(line) | values).encode() + b"\n"


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.parametrize("change", CHANGES)
def test_no_change_goes_unseen(signed: RunFolder, change: str) -> None:
    for name, edit in zip(("journal.jsonl", "witness.jsonl"), CHANGES[change], strict=True):
        path = signed.path / name
        path.write_bytes(b"".join(edit(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(WitnessError):
        check_witness(signed.path, KEYS)


@pytest.mark.slow
@pytest.mark.attack
def test_a_record_signed_by_somebody_else_does_not_count(signed: RunFolder) -> None:
    (signed.path / "witness.jsonl").unlink()
    WitnessedWriter(signed, new_key()).__exit__()
    with pytest.raises(WitnessError, match="not one of a known relay"):
        check_witness(signed.path, KEYS)


@pytest.mark.attack
def test_a_record_cannot_be_taken_to_another_run(signed: RunFolder) -> None:
    path = signed.path / "run.json"
    path.write_text(path.read_text().replace("Centre + Block", "Another Pair"))
    with pytest.raises(WitnessError, match="signs another line"):
        check_witness(signed.path, KEYS)


@pytest.mark.slow
@pytest.mark.attack
def test_two_relays_do_not_share_a_record(signed: RunFolder) -> None:
    """A line at the end by another known relay: each run has one signer."""
    other = new_key()
    path = signed.path / "witness.jsonl"
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[:-1]))
    with pytest.raises(WitnessError, match="the signature is not one of this key"):
        WitnessedWriter(signed, other)
    assert path.read_bytes() == b"".join(kept[:-1])
    unsigned = WitnessLine.model_validate_json(kept[-1])
    forged = unsigned.model_copy(update={"signature": other.sign(unsigned.signed).hex()})
    path.write_bytes(b"".join(kept[:-1]) + forged.model_dump_json().encode() + b"\n")
    with pytest.raises(WitnessError, match="not one of the relay berlin"):
        check_witness(signed.path, KEYS | {"second": public_half(other)})


def test_a_key_is_kept_as_a_pem_file(tmp_path: Path) -> None:
    (tmp_path / "relay.pem").write_bytes(key_pem(KEY))
    assert public_half(read_key(tmp_path / "relay.pem")) == KEYS["berlin"]
    for name, content in (("empty", b""), ("words", b"secret"), ("rsa", b"-----BEGIN RSA PRIVATE KEY-----\n")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="no private key of a relay"):
            read_key(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        read_key(tmp_path / "missing")
