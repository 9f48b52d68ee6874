"""The origin of a run: who played it, and which checks were made here. File ``provenance.json`` of a run folder.

Trust is computed, never declared. Two commands write this file, both given by maintainers in a protected job: ``ircore
play --as-maintainers``, which played the run, and ``ircore maintain rescore``, which fetched a submitter's transcripts
and checked them. A file of this name among a submitter's transcripts is never read.

Seed and order of a run can be such as neither its submitter nor the maintainers could choose. A submitter draws a
secret *salt* and publishes a hash of it together with players and rules: the *commitment*. When the commitment is
registered, a *nonce* is drawn that nobody knew before. Seed and order follow from both, so whoever wants another seed
needs another commitment, which everybody sees. The salt is published with the run. This is commitment by a hash with a
random opening (Goldreich, Foundations of Cryptography I, 4.4.1), and a draw by two parties of whom neither can bias it
alone (Blum, Coin flipping by telephone, 1981).
"""

import hashlib
import hmac
import json
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from ircore import __version__
from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.plugins import list_builtin
from ircore.core.records import Line, Name, Record, Sha256, is_none
from ircore.core.submission_records import Opening, Submission, TranscriptsReference
from ircore.core.validation import convert_validation_errors
from ircore.players.traits import select_deciding_settings

PROVENANCE = "provenance.json"
MAX_BYTES = 4 * 1024 * 1024
MAX_FLAGS = 200
"""Recorded findings at most; more of them add nothing."""

Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]


GRAVE_RULES = frozenset(
    {
        *("copied_picture", "identical_to_target", "not_reproduced", "rendering_of_another"),
        *(
            "encoded_message",
            "names_a_target",
            "replay_is_worse",
            "text_to_a_judge",
            "unstated_facts",
            "words_do_not_carry",
        ),
    }
)
"""Rules whose findings hold a run: it is listed without a rank until a maintainer clears it."""


class Evidence(Record):
    """Two pictures that a finding compares.

    >>> Evidence(rendering="0" * 64, instance="geometry-easy-01").run_id is None
    True
    """

    rendering: Sha256 = Field(description="The rendering of this run, by its SHA-256.")
    instance: Name | None = Field(default=None, description="The instance whose picture the rendering resembles.")
    run_id: Name | None = Field(default=None, description="The published run whose rendering this one resembles.")
    other: Sha256 | None = Field(default=None, description="That rendering, by its SHA-256.")


class Flag(Record):
    """A finding in a transcript that breaks no rule of the game: for people to look at.

    >>> Flag(rule="identical_to_target", where="geometry-easy-01, turn 1", what="the rendering is the target").grave
    True
    """

    rule: Name = Field(description="Which one, such as identical_to_target.")
    where: Line = Field(description="Episode and turn.")
    what: Line = Field(description="What was seen, one line.")
    evidence: Evidence | None = Field(
        default=None, exclude_if=is_none, description="The two pictures of a finding about copies."
    )
    explained: Line | None = Field(
        default=None, exclude_if=is_none, description="Why the finding is harmless; such a finding holds no run."
    )

    @property
    def grave(self) -> bool:
        """Whether the finding holds the run until a maintainer clears it."""
        return self.rule in GRAVE_RULES and self.explained is None


UNCOMMITTED = "uncommitted: seed and order were the submitter's choice, and so was the run among several"
"""Words about a run that its submitter played without a commitment."""


class RegisteredCommitment(Record):
    """The registered commitment that seed and order of a run follow from, see ``ircore.runs.provenance``."""

    commitment: Sha256 = Field(description="As the manifest states it.")
    when: Line = Field(description="When it was registered, ISO 8601 in UTC; the run says that it began later.")
    number: int = Field(ge=1, description="Place among those of this submission and of these players: 1 is the first.")

    @property
    def words(self) -> str:
        """The commitment in words: hash, time, and place among the players' commitments."""
        which = "the first" if self.number == 1 else f"number {self.number}"
        begun = "begun later, by the submitter's word"
        return f"{self.commitment[:12]}, registered {self.when}, {which} of these players; {begun}"


class Provenance(Record):
    """Who vouches for a run, and for which checks.

    >>> Provenance(kind="maintainers", when="2026-11-22T12:00:00+00:00", version="1.0", manifest="0" * 64).flags
    ()
    """

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this format.")
    kind: Literal["maintainers", "rescored"] = Field(
        description="maintainers: played here; rescored: played by the submitter, checked and scored here."
    )
    when: Line = Field(description="When it was played or checked, ISO 8601 in UTC.")
    version: Line = Field(description="Version of ircore that did it.")
    commit: Commit | None = Field(default=None, description="Commit of that code; null outside a git checkout.")
    manifest: Sha256 = Field(description="SHA-256 of the submission.yaml that was played or re-scored.")
    source: TranscriptsReference | None = Field(default=None, description="What was fetched, if the run was fetched.")
    committed: RegisteredCommitment | None = Field(
        default=None, exclude_if=is_none, description="The commitment of a run that its submitter played by one."
    )
    flags: tuple[Flag, ...] = Field(default=(), max_length=MAX_FLAGS, description="Findings for people to look at.")
    cleared: bool = Field(
        default=False,
        exclude_if=lambda value: not value,
        description="Whether a maintainer has looked at the findings, and lets the run stay. In a release; of a run "
        "folder the submission's history says it.",
    )

    @model_validator(mode="after")
    def _kind_follows_from_the_rest(self) -> "Provenance":
        if (self.source is None) == (self.kind == "rescored"):
            raise ValueError("source is given exactly when kind is rescored")
        return self

    @property
    def grave_flags(self) -> tuple[Flag, ...]:
        """The findings that hold the run until a maintainer clears it."""
        return () if self.cleared else tuple(flag for flag in self.flags if flag.grave)


def make_provenance(
    manifest: Path,
    source: TranscriptsReference | None = None,
    flags: tuple[Flag, ...] = (),
    committed: RegisteredCommitment | None = None,
) -> Provenance:
    """Return the provenance of a run that is played or re-scored now by this code.

    Args:
        manifest: The submission.yaml.
        source: Origin of the transcripts; None if the run is played here.
        flags: Findings in the transcripts; the first ``MAX_FLAGS`` are recorded.
        committed: The commitment that the run follows from; None for a run without one.
    """
    return Provenance(
        kind="maintainers" if source is None else "rescored",
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        commit=find_code_commit(),
        manifest=sha256(manifest.read_bytes()).hexdigest(),
        source=source,
        committed=committed,
        flags=flags[:MAX_FLAGS],
    )


def find_code_commit() -> str | None:
    """Return the commit of the checkout that this package runs from; None outside a checkout, or without git."""
    import subprocess

    root = Path(__file__).resolve().parents[2]
    # An installed package may lie inside some other repository, whose commit git would name.
    if not (root / ".git").exists():
        return None
    try:
        process = subprocess.run(  # noqa: S603 - fixed words
            ["git", "-C", str(root), "rev-parse", "HEAD"],  # noqa: S607 - as the user's PATH has it
            capture_output=True,
            encoding="utf-8",
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return process.stdout.strip()


def check_provenance(folder: Path, vouching: bool) -> None:
    """Check that a run that was begun may go on.

    Args:
        folder: The run folder.
        vouching: Whether the maintainers play it now.

    Raises:
        InputError: Somebody else began this run, or the maintainers did and do not go on with it.
    """
    known = read_provenance(folder)
    if known is not None and known.kind == "rescored":
        raise InputError(f"{folder}: was played by its submitter and re-scored", "Choose another --out.")
    # Vouching holds for every answer of a run, or for none.
    if vouching != (known is not None):
        who = "not begun" if vouching else "begun"
        raise InputError(
            f"{folder}: was {who} with --as-maintainers",
            "Choose another --out." if vouching else "Give --as-maintainers, or choose another --out.",
        )


def write_provenance(folder: Path, provenance: Provenance) -> None:
    """Write down where a run comes from."""
    write_text(folder / PROVENANCE, provenance.model_dump_json(indent=2, by_alias=True) + "\n")


def read_provenance(folder: Path) -> Provenance | None:
    """Return the origin of a run; None if nobody vouches for the run.

    Raises:
        InputError: The file is damaged.
    """
    path = folder / PROVENANCE
    if not path.is_file():
        return None
    # A larger file is cut, so that it is no longer JSON, and is refused.
    with path.open("rb") as file:
        data = file.read(MAX_BYTES)
    with convert_validation_errors(path, "Restore it from a copy of the run."):
        return Provenance.model_validate_json(data)


def record_findings(folder: Path, rules: Collection[str], flags: Sequence[Flag]) -> None:
    """Record the outcome of a test with a run's origin, in place of that of an earlier test by the same rules.

    Args:
        folder: The run folder.
        rules: The rules of the test.
        flags: The findings; empty if nothing was found.

    Raises:
        InputError: Nobody vouches for the run.
    """
    known = read_provenance(folder)
    if known is None:
        raise InputError(f"{folder}: nobody vouches for this run", "Play it with --as-maintainers, or re-score it.")
    # A test that is given again replaces its own findings; those of other tests stay.
    rest = (former for former in known.flags if former.rule not in rules)
    write_provenance(folder, known.model_copy(update={"flags": (*flags, *rest)[:MAX_FLAGS]}))


LABEL = "ircore commitment 1"
"""First words of what is hashed, so that no other hash of this project can stand for a commitment."""


def hash_players(submission: Submission) -> str:
    """Return the SHA-256 of a submission's game, rules and players: the same for one pair under several names.

    Names of keys, of people and of files, and timeouts, are left out: they change nothing that is answered.

    Args:
        submission: The manifest.
    """
    players = {
        # Of other packages' players not every machine knows which parameters change no answer.
        seat: (select_deciding_settings(player) if player.player in list_builtin("players") else player).model_dump(
            mode="json", exclude={"api_key_env"}
        )
        for seat, player in submission.players.items()
    }
    return _hash(submission.game, submission.rules, players)


def compute_commitment(slug: str, submission: Submission, salt: str) -> str:
    """Return the commitment of a submission: SHA-256 of its name, of game, rules and players, and of the salt.

    Args:
        slug: The submission's folder name.
        submission: The manifest.
        salt: The secret number, 64 hexadecimal digits.
    """
    return _hash(LABEL, slug, hash_players(submission), salt)


def compute_seed(opening: Opening) -> int:
    """Return the seed of a run: the first 63 bits of HMAC-SHA256 with the salt as key.

    >>> compute_seed(Opening(salt="0" * 64, nonce="1" * 64)) < 2**63
    True
    """
    return int.from_bytes(_compute_digest(opening, "seed")[:8]) >> 1


def sort_ids(opening: Opening, ids: Iterable[str]) -> list[str]:
    """Return the ids of instances in the order in which a run plays them: by HMAC-SHA256 of each id.

    >>> sorted(sort_ids(Opening(salt="0" * 64, nonce="1" * 64), ["a", "b", "c"]))
    ['a', 'b', 'c']
    """
    return sorted(ids, key=lambda name: _compute_digest(opening, f"instance {name}"))


def _hash(*parts: object) -> str:
    # As a JSON list, so that no two lists of parts give the same bytes, whatever the parts contain.
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _compute_digest(opening: Opening, purpose: str) -> bytes:
    return hmac.new(bytes.fromhex(opening.salt), f"{opening.nonce} {purpose}".encode(), hashlib.sha256).digest()
