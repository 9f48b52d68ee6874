"""The verdict on words that would keep workflows from running: in messages of commits, and in a pull request's title.

GitHub leaves out the workflows of a push or pull request whose last commit holds such words, and a title becomes part
of the message of the merge.
"""

import re
from collections.abc import Iterator

from ircore.submissions.check.git_objects import Repository
from ircore.submissions.findings import Finding, finding

_SPACE = r"[\s_-]*"
_SKIP = re.compile(
    rf"\[{_SPACE}(?:(?:skip|no){_SPACE}(?:ci|actions?|checks?)|(?:ci|actions?){_SPACE}skip){_SPACE}\]"
    rf"|\*\*\*\s*no_ci\s*\*\*\*|^\s*skip-checks?\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_REMEDY = "Write the message anew, without it: git commit --amend, or git rebase -i for an earlier commit."
MOST_COMMITS = 1000
"""Commits of a pull request whose messages are read; a pull request of more is refused."""


def skipping_words(text: str) -> str | None:
    """Return the first words in a message that keep workflows from running; None without.

    >>> skipping_words("Submit my-pair [Skip CI]"), skipping_words("Do not skip the ci")
    ('[Skip CI]', None)
    """
    match = _SKIP.search(text)
    return match[0].strip() if match is not None else None


def message_findings(objects: Repository, base: str, head: str, title: str = "") -> Iterator[Finding]:
    """Yield a finding for each commit whose message keeps workflows from running, and for such a title.

    Args:
        objects: The repository.
        base: The commit that the change is to be merged into.
        head: The change's last commit.
        title: Title of the pull request; empty where there is none.
    """
    if words := skipping_words(title):
        problem = f"the title of the pull request holds {words!r}, by which checks are left out"
        yield finding("the pull request", problem, "", "Take it out of the title.")
    # One more than is allowed tells that there are too many.
    messages = objects.messages(base, head, MOST_COMMITS + 1)
    if len(messages) > MOST_COMMITS:
        problem, remedy = f"more than {MOST_COMMITS} commits", "Make one commit of them: git rebase -i."
        yield finding("the pull request", problem, "one commit", remedy)
    for commit, message in messages:
        if words := skipping_words(message):
            problem = f"the message of commit {commit[:12]} holds {words!r}, by which checks are left out"
            yield finding("the pull request", problem, "", _REMEDY)
