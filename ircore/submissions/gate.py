"""Facts about a pull request that only the service knows: its account, recorded at the merge, and its title.

The gate checks every open pull request from outside of it: by the code of ``main``, started by the clock, so that no
words in a commit and no workflow of a fork can keep it from running. Its verdict is a status that ``main`` may require.
"""

import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ircore.core.errors import InputError, WorkError
from ircore.core.strict_yaml import MAX_BYTES as MAX_MANIFEST
from ircore.players.submission import FOLDER
from ircore.runs.commitment import players_of
from ircore.submissions.branches import adding_commit, fetch_pull_request
from ircore.submissions.check.change import check_change, message_findings
from ircore.submissions.check.entries import is_maintainers, is_manifest
from ircore.submissions.check.git_objects import Repository
from ircore.submissions.check.ownership import merged_owners, ownership_findings
from ircore.submissions.check.submission import Purpose, check_bytes
from ircore.submissions.commitments import COMMITMENTS, Registered, number_of, parse_commitments
from ircore.submissions.findings import Finding, errors
from ircore.submissions.github import GitHub, PullRequest
from ircore.submissions.merged_submissions import merged_submissions
from ircore.submissions.owners import OWNERS, Owner, Proposer, parse_owners, with_lines

STATUS = "submission gate"
"""Name of the status."""

IN_ORDER = "the account and the messages are in order"
"""Text of the status of a pull request without faults."""

LONGEST = 140
"""Characters of a status's text that the service takes."""


def proposer_of(pull: PullRequest, repository: str) -> Proposer | None:
    """Return who proposes a pull request; None for a branch of the repository itself, which maintainers alone push.

    Args:
        pull: The pull request, as the service tells it.
        repository: The repository, ``OWNER/NAME``.
    """
    return None if pull.source == repository else Proposer(pull.account_id, pull.fork)


def check_pull_request(folder: Path, pull: PullRequest, repository: str) -> list[Finding]:
    """Return the errors in a pull request that was fetched; one without submissions must only let checks run.

    Args:
        folder: A clone, at the branch to be merged into, that has the commits of the pull request.
        pull: The pull request, as the service tells it.
        repository: The repository, ``OWNER/NAME``.

    Raises:
        InputError: It shares no history with the branch, or its objects are not what git makes.
        WorkError: Its listing is too long to read.
    """
    objects, proposer = Repository(folder), proposer_of(pull, repository)
    base = objects.commit("HEAD")
    changes = objects.changes(objects.merge_base(base, pull.head), pull.head)
    # A change of code or text is for reviewers: here it must only not switch the checks off.
    if any(change.path.startswith(f"{FOLDER}/") for change in changes):
        return errors(check_change(folder, base, pull.head, proposer is None, proposer, pull.title).findings)
    own = [] if proposer is None else list(ownership_findings(changes, (), {}, proposer))
    return [*own, *message_findings(objects, base, pull.head, pull.title)]


def set_statuses(folder: Path, service: GitHub) -> Iterator[str]:
    """Check every open pull request, set the status of its last commit, and yield a line about each.

    Args:
        folder: A clone of the branch ``main``.
        service: The repository.
    """
    faults: dict[str, str | None] = {}
    for pull in service.pull_requests():
        head, fault = _verdict(folder, pull, service.repository)
        # A status is of a commit, which others may propose too: what one of them may not do, it says of the commit.
        faults[head] = faults.get(head) or fault
        yield f"#{pull.number}: {fault or IN_ORDER}"
    for head, fault in faults.items():
        service.set_status(head, STATUS, fault is None, (fault or IN_ORDER)[:LONGEST])


def _verdict(folder: Path, pull: PullRequest, repository: str) -> tuple[str, str | None]:
    """Return the last commit of a pull request, and the first fault of the pull request in words; None without one."""
    try:
        head = fetch_pull_request(folder, pull.number)
        # The commit that was fetched, since the branch may have moved after the listing.
        wrong = check_pull_request(folder, pull._replace(head=head), repository)
    except (InputError, WorkError) as error:
        # What cannot be read is refused, not left without a status.
        return pull.head, error.problem
    return head, f"{wrong[0].where}: {wrong[0].what}" if wrong else None


def record_owner(service: GitHub, pull: PullRequest, slugs: Sequence[str]) -> list[str]:
    """Record the account of a merged pull request as the owner of new submissions, and return their names.

    Args:
        service: The repository, in which a line is added to ``owners.jsonl`` for each.
        pull: The pull request.
        slugs: Submissions that it adds or changes; those with an owner keep theirs.
    """
    data = service.read_file(OWNERS)
    known = parse_owners(data)
    # Built-in pairs belong to the maintainers together, so that none of them is recorded.
    new = [slug for slug in slugs if slug not in known and not is_maintainers(slug)]
    today = datetime.now(UTC).date().isoformat()
    owners = [
        Owner(slug=slug, account=pull.author, account_id=pull.account_id, organisation=pull.fork or None,
              pull_request=pull.number, date=today)
        for slug in new
    ]  # fmt: skip
    if new:
        service.write_file(OWNERS, with_lines(data, owners), f"{', '.join(new)}: handed in by {pull.author}")
    return new


def record_owners(folder: Path, service: GitHub) -> Iterator[str]:
    """Record the owners of merged submissions that have none, as after a merge by hand; yield a line about each.

    Args:
        folder: The folder of submissions in a clone of the branch ``main``.
        service: The repository.
    """
    known = parse_owners(service.read_file(OWNERS))
    for submission in merged_submissions(folder):
        slug = submission.slug
        if slug in known or is_maintainers(slug):
            continue
        # By the commit that added the manifest: later pull requests may be those of maintainers.
        commit = adding_commit(folder, submission.loaded.path)
        pull = service.merged_by(commit) if commit else None
        if pull is None:
            yield f"{slug}: no pull request brought it; a maintainer names the account: ircore submission own"
            continue
        record_owner(service, pull, [slug])
        yield f"{slug}: belongs to {pull.author}"


def register_commitments(folder: Path, service: GitHub) -> Iterator[str]:
    """Register the commitments in the manifests of open pull requests, and yield a line about each.

    Args:
        folder: A clone of the branch ``main``.
        service: The repository.
    """
    data = service.read_file(COMMITMENTS)
    known, new = parse_commitments(data), []
    for pull in service.pull_requests():
        try:
            entry = _announced(folder, pull, service.repository)
        except (InputError, WorkError) as error:
            yield f"#{pull.number}: {error.problem}"
            continue
        if entry is not None and (entry.slug, entry.commitment) not in known:
            # Known at once, so that two pull requests with the same commitment get one line.
            known[entry.slug, entry.commitment] = entry
            new.append(entry)
            yield f"#{pull.number}: {entry.slug}: commitment {entry.commitment[:12]}, number {number_of(entry, known)}"
    if new:
        names = ", ".join(sorted({entry.slug for entry in new}))
        service.write_file(COMMITMENTS, with_lines(data, new), f"{names}: commitments registered")


def _announced(folder: Path, pull: PullRequest, repository: str) -> Registered | None:
    """Return the commitment in the manifest that a pull request brings; None if it brings none.

    Raises:
        InputError, WorkError: Its commits cannot be read, or the submission is somebody else's.
    """
    objects, head = Repository(folder), fetch_pull_request(folder, pull.number)
    changes = objects.changes(objects.merge_base(objects.commit("HEAD"), head), head)
    manifests = [change.path for change in changes if is_manifest(change.path)]
    # A change of several submissions is refused by the check, and announces nothing.
    if len(manifests) != 1:
        return None
    slug, base, proposer = manifests[0].split("/")[1], objects.commit("HEAD"), proposer_of(pull, repository)
    merged = {slug} if objects.blobs(base, f"{FOLDER}/{slug}") else set()
    if proposer is not None:
        owners = merged_owners(objects, base)
        # Counted among those of the submission, it would look like an earlier choice of its owner's.
        for fault in ownership_findings(changes, merged, owners, proposer):
            raise InputError(f"{slug}: {fault.what}", fault.remedy)
    content = objects.content(head, manifests[0], MAX_MANIFEST + 1)
    submission = check_bytes(content, manifests[0], slug, purpose=Purpose(local=True)).submission
    if submission is None or submission.commitment is None:
        return None
    # The nonce is drawn once the commitment is public: nobody can choose a salt by the seed that follows from both.
    return Registered(
        slug=slug, commitment=submission.commitment, players=players_of(submission), nonce=secrets.token_hex(32),
        when=datetime.now(UTC).isoformat(timespec="seconds"), account_id=pull.account_id, pull_request=pull.number,
    )  # fmt: skip
