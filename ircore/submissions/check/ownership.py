"""The verdict on who proposes a change: its account, or maintainers, may change a merged submission; nobody else.

The pull request says nothing of it: the account is the service's word, and owners are read from the merged state.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from ircore.players.submission import FOLDER
from ircore.submissions.check.entries import submission_slug
from ircore.submissions.check.git_objects import Change, Repository
from ircore.submissions.commitments import COMMITMENTS
from ircore.submissions.findings import Finding, finding
from ircore.submissions.owners import MAX_BYTES, OWNERS, Owner, Proposer, parse_owners

_ASK = "Ask it to open the pull request. To object to a result, use the issue form Dispute a result."
_RECORD = (
    "Ask a maintainer, who records the account: ircore submission own submissions/SLUG --account NAME --account-id N"
)


def merged_owners(objects: Repository, base: str) -> dict[str, Owner]:
    """Return the recorded owners of the merged submissions.

    Args:
        objects: The repository.
        base: The merged state.

    Raises:
        InputError: The record is damaged.
    """
    return parse_owners(objects.content(base, OWNERS, MAX_BYTES + 1))


def is_theirs(slug: str, owners: Mapping[str, Owner], proposer: Proposer) -> bool:
    """Return whether a submission belongs to the account that proposes a change."""
    owner = owners.get(slug)
    # By the number: a name can be given up, and be taken by somebody else.
    return owner is not None and owner.account_id == proposer.account_id


def ownership_findings(
    changes: Sequence[Change], merged: Collection[str], owners: Mapping[str, Owner], proposer: Proposer
) -> Iterator[Finding]:
    """Yield a finding for each file of somebody else's submission that a change adds, alters or deletes.

    Args:
        changes: The changed files.
        merged: Names of the folders that are merged already.
        owners: Their recorded owners.
        proposer: Who proposes the change.
    """
    for change in changes:
        if change.path in (OWNERS, COMMITMENTS):
            yield finding(
                change.path, "only the repository's workflows and maintainers write it", "", "Restore the file."
            )
        slug = submission_slug(change.path)
        if slug is None or slug not in merged or is_theirs(slug, owners, proposer):
            continue
        owner = owners.get(slug)
        if owner is None:
            problem = "has no recorded submitter, so that only maintainers may change it"
            yield finding(change.path, problem, "", _RECORD.replace("SLUG", slug))
        else:
            problem = f"belongs to the account {owner.account}, which alone may change {FOLDER}/{slug}"
            yield finding(change.path, problem, "", _ASK)
