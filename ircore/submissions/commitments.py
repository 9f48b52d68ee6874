"""Commitments to one run before it is played: announced in the manifest, registered by the merge, played by.

A commitment counts from the merge commit on that brought it to the branch ``main``. The id of that commit is the nonce:
neither submitter nor maintainers know it before, since time, title and the service's signature are hashed in it. So the
register is the history of ``main`` itself, and nothing but a merge writes it. See ``ircore.runs.provenance``.
"""

import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_text
from ircore.core.strict_yaml import MAX_BYTES
from ircore.core.submission_records import Opening
from ircore.players.submission import FOLDER, MANIFEST, LoadedSubmission, find_folder, read_manifest
from ircore.runs.provenance import compute_commitment, hash_players
from ircore.submissions.branches import find_clone_root
from ircore.submissions.check.entries import GitRepository, is_manifest
from ircore.submissions.check.submission import Purpose, check_bytes

MAIN_BRANCHES = ("refs/remotes/upstream/main", "refs/remotes/origin/main", "HEAD")
"""Where the branch ``main`` of the repository is looked for in a clone, the first that is there."""


class Registered(NamedTuple):
    """A commitment that was merged."""

    slug: str
    """The submission's folder name."""

    commitment: str
    """As in the manifest."""

    players: str
    """Hash of game, rules and players, see ``players_of``."""

    nonce: str
    """The merge commit that brought it."""

    when: str
    """When it was merged, ISO 8601."""


Register = Mapping[tuple[str, str], Registered]
"""Merged commitments by submission and commitment: a copy under another name takes nothing from its owner."""


def register_of(folder: Path) -> Register:
    """Return the commitments in the history of the clone that a folder lies in, else of the clone at hand.

    Args:
        folder: Any folder; outside of a clone the register is empty.

    Raises:
        WorkError: Git fails.
    """
    # A submission may lie outside of the clone in which a command is given.
    for place in (folder.absolute(), Path.cwd()):
        with suppress(InputError):
            repository = GitRepository(find_clone_root(place))
            known: dict[tuple[str, str], Registered] = {}
            for entry in _list_merged(repository, _find_main_commit(repository)):
                known.setdefault((entry.slug, entry.commitment), entry)
            return known
    return {}


def _find_main_commit(repository: GitRepository) -> str:
    for name in MAIN_BRANCHES[:-1]:
        with suppress(InputError):
            return repository.commit(name)
    return repository.commit(MAIN_BRANCHES[-1])


def _list_merged(repository: GitRepository, tip: str) -> Iterator[Registered]:
    """Yield the commitments that merges brought, the oldest first."""
    # Merges alone: the id of a commit of the submitter's own would be the submitter's choice.
    for merge in repository.merges(tip, "^commitment:", FOLDER):
        for path in filter(is_manifest, merge.paths):
            content = repository.content(merge.commit, path, MAX_BYTES + 1)
            slug = path.split("/")[1]
            submission = check_bytes(content, path, slug, purpose=Purpose(local=True)).submission
            if submission is not None and submission.commitment is not None:
                yield Registered(slug, submission.commitment, hash_players(submission), merge.commit, merge.when)


def number_of(entry: Registered, register: Register) -> int:
    """Return the place of a commitment among the commitments of its submission and of its players' other names.

    From 1 on; more than one may be a choice.
    """
    # Several commitments of the same players could be a choice of the best run, under whatever names.
    alike = [known for known in register.values() if known.slug == entry.slug or known.players == entry.players]
    return alike.index(entry) + 1


def write_new_salt(file: Path) -> str:
    """Draw a salt and write it into a new file that nobody else may read.

    Raises:
        InputError: The file is there already.
        WorkError: The place cannot be written.
    """
    salt = secrets.token_hex(32)
    try:
        # Exclusive and for the owner alone: a salt that others read, or that is replaced, commits to nothing.
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
            opened.write(f"{salt}\n")
    except FileExistsError as error:
        raise InputError(f"{file}: exists already", "A salt is never replaced: name another file.") from error
    except OSError as error:
        raise WorkError(f"{file}: cannot be written ({error.strerror})", "Name another file with --salt.") from error
    return salt


def read_salt(file: Path) -> str:
    """Return the salt in a file.

    Raises:
        InputError: It cannot be read, or holds something else.
    """
    remedy = "Name the file that ircore submission commit wrote."
    try:
        text = file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read as a salt", remedy) from error
    if len(text) != 64 or text.strip("0123456789abcdef"):
        raise InputError(f"{file}: holds no salt (64 hexadecimal digits)", remedy)
    return text


def commit_to(folder: Path, salt_file: Path, renew: bool) -> str:
    """Write a commitment into the manifest of a submission, its salt into a file, and return the commitment.

    A second call with the same salt and the same players changes nothing.

    Args:
        folder: The submission's folder.
        salt_file: File of the salt: new, or the salt of the commitment that stands there.
        renew: Whether a commitment of other players, rules or another salt may be replaced.

    Raises:
        InputError: The manifest cannot be read, names transcripts, has another commitment, or the salt is not usable.
        WorkError: A file cannot be written.
    """
    loaded = read_manifest(folder)
    path, stated = find_folder(folder) / MANIFEST, loaded.submission.commitment
    if loaded.submission.transcripts is not None:
        raise InputError(f"{path}: names transcripts already", "A commitment is announced before play.")
    known = read_salt(salt_file) if salt_file.is_file() else None
    if stated is not None and not renew:
        if known is not None and compute_commitment(loaded.slug, loaded.submission, known) == stated:
            return stated
        raise InputError(
            f"{path}: commitment: is of other players, other rules or another salt",
            "Name its salt with --salt, or announce another commitment with --new, which everybody will see.",
        )
    made = compute_commitment(loaded.slug, loaded.submission, known or write_new_salt(salt_file))
    text = path.read_text("utf-8")
    remaining_text = re.sub(r"^commitment:.*\n?", "", text, flags=re.MULTILINE).rstrip()
    changed = f'{remaining_text}\ncommitment: "{made}"\n'
    # The line could land inside a block scalar or a flow mapping: the changed text is read again.
    again = check_bytes(changed.encode(), MANIFEST, loaded.slug, purpose=Purpose(local=True)).submission
    if again is None or again.model_copy(update={"commitment": stated}) != loaded.submission:
        raise InputError(f"{path}: a line cannot be added at its end", f'Add it by hand: commitment: "{made}"')
    write_text(path, changed)
    return made


def find_opening(loaded: LoadedSubmission, salt: str) -> Opening:
    """Return the source of a run's seed and order.

    Args:
        loaded: The submission, in a clone whose branch ``main`` has its commitment.
        salt: The secret number behind the commitment.

    Raises:
        InputError: The manifest has no commitment, the commitment is of other players, rules or another salt, or it
            is not merged.
    """
    stated = loaded.submission.commitment
    if stated is None:
        raise InputError(f"{loaded.path}: has no commitment", "Announce one first: ircore submission commit FOLDER")
    if compute_commitment(loaded.slug, loaded.submission, salt) != stated:
        raise InputError(
            f"{loaded.path}: commitment: is not of these players, these rules and this salt",
            "Name the salt of this commitment, or announce a new one: ircore submission commit FOLDER --new",
        )
    # Only a merged commitment has a nonce, without which no seed follows.
    entry = register_of(loaded.path.parent).get((loaded.slug, stated))
    if entry is None:
        raise InputError(
            f"{loaded.path}: commitment: no merge has brought it to the branch main of this clone",
            "Open the pull request, wait until it is merged, and fetch: git fetch upstream (or origin).",
        )
    return Opening(salt=salt, nonce=entry.nonce)
