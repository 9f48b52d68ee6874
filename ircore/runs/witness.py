"""The signed record of a run that was played through a relay. File ``witness.jsonl`` beside the journal.

Each line belongs to the journal's line of the same number. It holds the SHA-256 of that line, the time, the SHA-256 of
the line before it and an Ed25519 signature (RFC 8032) of all of these; the first line follows ``run.json``. So no line
of the journal can be changed, left out, added or moved unnoticed, and none can be taken to another run.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, StringConstraints, TypeAdapter

from ircore.core.errors import InputError
from ircore.core.extras import need_packages
from ircore.core.journal import JournalWriter, read_lines, read_records
from ircore.core.records import Line, Record, Sha256
from ircore.runs.events import Entry
from ircore.runs.folder import JOURNAL, RUN_FILE, WITNESS, AnyRunFolder
from ircore.runs.provenance import Witness
from ircore.runs.writer import RunWriter

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

MAX_KEY_BYTES = 16 * 1024
_UNSOUND = "Restore witness.jsonl and the journal from a copy of the run."


class WitnessError(InputError):
    """A signed record that does not fit its run.

    >>> raise WitnessError("run/witness.jsonl:3: the signature is not one of a known relay", _UNSOUND)
    Traceback (most recent call last):
    ...
    ircore.runs.witness.WitnessError: run/witness.jsonl:3: the signature is not one of a known relay
    Restore witness.jsonl and the journal from a copy of the run.
    """


class WitnessLine(Record):
    """A line of the record.

    >>> line = WitnessLine(number=1, when="2026-11-23T10:00:00.000+00:00", event="a" * 64, before="b" * 64,
    ...                    signature="c" * 128)
    >>> line.signed.splitlines()[:2]
    [b'ircore relay 1', b'1']
    """

    number: int = Field(ge=1, description="Number of the journal's line, from 1.")
    when: Line = Field(description="When the relay recorded it, ISO 8601 in UTC with milliseconds.")
    event: Sha256 = Field(description="Of the journal's line, without its newline.")
    before: Sha256 = Field(description="Of the line before in this record; of run.json for the first.")
    signature: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{128}$")] = Field(description="Ed25519.")

    @property
    def signed(self) -> bytes:
        """The bytes that are signed."""
        return f"ircore relay 1\n{self.number}\n{self.when}\n{self.event}\n{self.before}\n".encode()

    @property
    def sha256(self) -> str:
        """Hash that the next line names: of the signed bytes and the signature."""
        return _sha256(self.signed + self.signature.encode())


_LINES = TypeAdapter(WitnessLine)


class WitnessedWriter(RunWriter):
    """Records a run and signs every line of the journal; arguments as of ``RunWriter``, and the relay's private key.

    Lines that a crash left without a signature are signed when the run is taken up again, with that time.

    >>> from ircore.runs.events import Call
    >>> from ircore.runs.folder import RunFolder
    >>> folder, key = RunFolder(Path("run")), new_key()
    >>> with WitnessedWriter(folder, key) as writer:
    ...     pass
    >>> check_witness(folder.path, {"example": public_half(key)}).records == len(list(folder.events()))
    True
    """

    def __init__(self, folder: AnyRunFolder, key: "Ed25519PrivateKey") -> None:
        super().__init__(folder, witnessed=True)
        self._key = key
        path = folder.path / WITNESS
        known = list(read_records(path, _LINES))
        if known and not _is_signed(known[-1], public_half(key)):
            raise WitnessError(f"{path}: the signature is not one of this key", "Name the key that the run began with.")
        self._before = known[-1].sha256 if known else _sha256((folder.path / RUN_FILE).read_bytes())
        self._when = known[-1].when if known else ""
        self._number = len(known)
        self._record = JournalWriter(path)
        # The journal is written before the record, so after a crash it may be ahead by some lines.
        self._sign(list(_journal(folder.path))[len(known) :])
        # A relay goes on only with a record that holds: it would otherwise sign what somebody has changed.
        if known:
            check_witness(folder.path, {"this relay": public_half(key)})

    def record(self, entries: Sequence[Entry]) -> None:
        """Record and sign all events; see ``RunWriter.record``."""
        super().record(entries)
        self._sign(self.lines(entries))

    def _sign(self, lines: Sequence[bytes]) -> None:
        signed = []
        for line in lines:
            self._number += 1
            # A clock that was set back must not make a line older than the one before, which ``check_witness`` refuses.
            self._when = max(self._when, datetime.now(UTC).isoformat(timespec="milliseconds"))
            unsigned = WitnessLine(
                number=self._number, when=self._when, event=_sha256(line), before=self._before, signature="0" * 128
            )
            signature = self._key.sign(unsigned.signed).hex()
            signed.append(unsigned.model_copy(update={"signature": signature}))
            self._before = signed[-1].sha256
        self._record.append((line.model_dump_json().encode() for line in signed), durable=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._record.__exit__(None, None, None)
        super().__exit__(*error)


def check_witness(folder: Path, keys: Mapping[str, str]) -> Witness:
    """Verify the signed record of a run, and return who signed it and when.

    Args:
        folder: Folder with ``run.json``, ``journal.jsonl`` and ``witness.jsonl``.
        keys: Public keys that count, 64 hexadecimal digits each, by the relay's name.

    Raises:
        WitnessError: A line is missing, was changed, added or moved, or none of the keys signed it.
    """
    from itertools import zip_longest

    path, before = folder / WITNESS, _sha256((folder / RUN_FILE).read_bytes())
    lines = list(read_records(path, _LINES))
    if not lines:
        raise WitnessError(f"{path}: signs nothing", _UNSOUND)
    # The first line decides the key: a record may not go over from one relay to another.
    relay = next((name for name, key in keys.items() if _is_signed(lines[0], key)), None)
    if relay is None:
        remedy = "Name its public key with --relay-keys, or in ircore/submissions/relay/keys.yaml."
        raise WitnessError(f"{path}:1: the signature is not one of a known relay", remedy)
    when = ""
    for count, (event, line) in enumerate(zip_longest(_journal(folder), lines), start=1):
        if line is None or event is None:
            fault = "the journal's line is not signed" if line is None else "signs a line that the journal lacks"
            raise WitnessError(f"{path}:{count}: {fault}", _UNSOUND)
        if not _is_signed(line, keys[relay]):
            raise WitnessError(f"{path}:{count}: the signature is not one of the relay {relay}", _UNSOUND)
        if (line.number, line.event, line.before) != (count, _sha256(event), before) or line.when < when:
            raise WitnessError(f"{path}:{count}: signs another line than the journal's", _UNSOUND)
        before, when = line.sha256, line.when
    first, last = lines[0].when, lines[-1].when
    return Witness(relay=relay, key=keys[relay], records=len(lines), first=first, last=last, head=before)


def _journal(folder: Path) -> Iterator[bytes]:
    return (line for _, line in read_lines(folder / JOURNAL))


def new_key() -> "Ed25519PrivateKey":
    """Return a new private key of a relay."""
    need_packages("a relay's signature", "relay", "cryptography")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.generate()


def key_pem(key: "Ed25519PrivateKey") -> bytes:
    """Return a private key as a PEM file, without a password."""
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def read_key(path: Path) -> "Ed25519PrivateKey":
    """Read a relay's private key; ``InputError`` if it is missing, or no such key."""
    need_packages("a relay's signature", "relay", "cryptography")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    from ircore.core.files import read_bounded

    remedy = "Make one with: ircore relay key FILE"
    data = read_bounded(path, MAX_KEY_BYTES, remedy, remedy)
    try:
        key = load_pem_private_key(data, None)
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: no private key of a relay", remedy) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(f"{path}: a private key that is not Ed25519", remedy)
    return key


def public_half(key: "Ed25519PrivateKey") -> str:
    """Return the public key as 64 hexadecimal digits."""
    return key.public_key().public_bytes_raw().hex()


def _is_signed(line: WitnessLine, key: str) -> bool:
    need_packages("a relay's signature", "relay", "cryptography")
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(line.signature), line.signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
