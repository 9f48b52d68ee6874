"""A release folder to the Hub: one commit, one tag, nothing of anybody else touched."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Literal, NamedTuple

from dataset_card.checking.check import check_release
from dataset_card.hub.repository import WAITS, Remote, RemoteFile, Repository, StaleError, TemporaryError
from dataset_card.releases.files import LocalFile, is_table_file, read_release_files
from dataset_card.releases.record import read_release
from ircore.core.errors import InputError, WorkError

Visibility = Literal["private", "public"]
Say = Callable[[str], object]
"""Takes a line about the progress."""

TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Changes:
    """What a push does to the files of a repository."""

    added: tuple[str, ...]
    """Paths that are new."""

    changed: tuple[str, ...]
    """Paths whose content becomes another."""

    removed: tuple[str, ...]
    """Shards of tables that the release has not."""

    unchanged: tuple[str, ...]
    """Paths that stay as they are."""

    sent: int
    """Bytes of what is new or changed."""

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def lines(self, files: Mapping[str, LocalFile]) -> Iterator[str]:
        """Yield one line a change and one of the sums."""
        for word, paths in (("added", self.added), ("changed", self.changed), ("removed", self.removed)):
            for path in paths:
                yield f"  {word:<8} {path}" + (f"  {size_text(files[path].size)}" if path in files else "")
        counts = ((self.added, "added"), (self.changed, "changed"), (self.removed, "removed"))
        said = ", ".join(f"{len(paths)} {word}" for paths, word in (*counts, (self.unchanged, "unchanged")))
        yield f"{said}; {size_text(self.sent)} to send"


@dataclass(frozen=True)
class PushPlan:
    """What is asked of a push."""

    repo: str
    """``ORG/NAME``."""

    revision: str | None = None
    """Tag that the release gets; its name if None."""

    visibility: Visibility | None = None
    """Who may see it; a new repository is private, an existing one stays as it is if None."""

    message: str | None = None
    """Of the commit."""


class Pushed(NamedTuple):
    """Where a release is."""

    repo: str
    """``ORG/NAME``."""

    tag: str
    """Its tag."""

    commit: str
    """The commit that holds it."""


def compare_files(local: Mapping[str, LocalFile], remote: Mapping[str, RemoteFile]) -> Changes:
    """Say what makes a repository hold a release; files that no release is made of are not looked at."""
    added = tuple(path for path in local if path not in remote)
    changed = tuple(path for path, file in local.items() if path in remote and not remote[path].same_as(file))
    removed = tuple(sorted(path for path in remote if path not in local and is_table_file(path)))
    unchanged = tuple(path for path in local if path not in {*added, *changed})
    return Changes(added, changed, removed, unchanged, sum(local[path].size for path in (*added, *changed)))


def preview_push(folder: Path, plan: PushPlan) -> tuple[str, ...]:
    """Return what a push would do, as lines for people; nothing is changed.

    Raises:
        InputError: As ``push_release``.
        WorkError: As ``push_release``.
    """
    repo, local, tag = _prepared(folder, plan)
    remote = repo.read()
    _refuse_wish(plan, remote)
    if remote is None:
        first = f"{plan.repo}: would be made, private"
        return first, *compare_files(local, {}).lines(local), *_later(plan, tag, None)
    if _is_released(repo, remote, tag, local):
        return (f"{plan.repo}: has this release already, as {tag}",)
    there = f"{plan.repo}: is there, {'private' if remote.private else 'public'}"
    return there, *compare_files(local, remote.files).lines(local), *_later(plan, tag, remote)


def push_release(folder: Path, plan: PushPlan, say: Say) -> Pushed:
    """Bring a release to the Hub: check it, make the repository if need be, commit once, tag, then publish if asked.

    The same command again goes on where it was stopped, and does nothing to what is done. Commits that others make
    meanwhile are kept: only if one of them changed a file of the release is it left to the user.

    Args:
        folder: The release.
        plan: Where to and how.
        say: Takes a line about each step.

    Raises:
        InputError: The release, the name or the tag is not usable, or there is no token.
        WorkError: The release has faults, the tag is another release's, or the Hub refuses or cannot be reached.
    """
    repo, local, tag = _prepared(folder, plan)
    repo.require_token()
    remote = repo.read()
    _refuse_wish(plan, remote)
    if remote is None:
        repo.create()
        say(f"made {repo.url} (private)")
        remote = repo.read()
    if remote is None:
        raise WorkError(f"{plan.repo}: was made, but this token may not see it", "Give the token access to it.")
    if _is_released(repo, remote, tag, local):
        commit = remote.tags[tag]
        say(f"{tag} is there already with the same files")
    else:
        commit = _commit(repo, remote, local, plan.message or f"Release {tag}", say)
        repo.tag(tag, commit)
        say(f"tagged {tag}")
    if plan.visibility == "public" and remote.private:
        repo.publish()
        say("made public")
    return Pushed(plan.repo, tag, commit)


def loading_code(pushed: Pushed) -> tuple[str, str, str]:
    """Return three lines of Python that load what was pushed."""
    return (
        "from datasets import load_dataset",
        f'turns = load_dataset("{pushed.repo}", split="test", revision="{pushed.tag}")',
        'print(turns[0]["message"])',
    )


def size_text(size: int) -> str:
    """Return a number of bytes for people."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} kB"


def _prepared(folder: Path, plan: PushPlan) -> tuple[Repository, dict[str, LocalFile], str]:
    """Check the release and what is asked; return the repository, the release's files and its tag."""
    repo = Repository(plan.repo)
    if plan.revision is not None and (not TAG.fullmatch(plan.revision) or plan.revision == "main"):
        raise InputError(f"--revision {plan.revision}: not the name of a tag", "Such as: v1.0.0")
    local = read_release_files(folder)
    faults = check_release(folder).faults
    if faults:
        more = f" (and {len(faults) - 1} more faults)" if len(faults) > 1 else ""
        raise WorkError(f"{folder}: {faults[0]}{more}", f"See them with: ircore release check {folder}")
    return repo, local, plan.revision or read_release(folder).name


def _refuse_wish(plan: PushPlan, remote: Remote | None) -> None:
    if plan.visibility == "private" and remote is not None and not remote.private:
        raise InputError(f"{plan.repo}: is public already", "Leave --private out, or change it in its settings.")


def _is_released(repo: Repository, remote: Remote, tag: str, local: Mapping[str, LocalFile]) -> bool:
    """Say whether the tag is there with these very files.

    Raises:
        WorkError: It is there with others.
    """
    if tag not in remote.tags:
        return False
    if compare_files(local, repo.files(remote.tags[tag])):
        raise WorkError(
            f"{repo.name}: tag {tag} exists already, with another release",
            "Tags of releases are never moved: choose another --revision.",
        )
    return True


def _commit(repo: Repository, first: Remote, local: Mapping[str, LocalFile], message: str, say: Say) -> str:
    """Make the one commit; look again whenever it is not certain what the repository holds."""
    seen: Remote | None = first
    for wait in (*WAITS, None):
        now = seen or _reread(repo, first, local)
        changes = compare_files(local, now.files)
        if not changes:
            say("the files are there already")
            return now.commit
        try:
            adding = {path: local[path].path for path in (*changes.added, *changes.changed)}
            made = repo.commit(adding, changes.removed, now.commit, message)
        except StaleError:
            say("another commit came first: looking again")
        except TemporaryError as error:
            if wait is None:
                raise
            say(f"{error.problem}: trying again")
            sleep(error.wait or wait)
        else:
            say(f"committed {len(adding) + len(changes.removed)} files, {size_text(changes.sent)}: {made}")
            return made
        seen = None
    raise WorkError(f"{repo.name}: other commits keep coming first", "Give the same command again later.")


def _reread(repo: Repository, first: Remote, local: Mapping[str, LocalFile]) -> Remote:
    """Read the repository again and refuse to overwrite what somebody else wrote into the release meanwhile."""
    now = repo.read()
    if now is None:
        raise WorkError(f"{repo.name}: has gone meanwhile", "Look at it, then give the same command again.")
    ours = {*local, *(path for path in {*first.files, *now.files} if is_table_file(path))}
    for path in sorted(ours):
        before, after = first.files.get(path), now.files.get(path)
        if after != before and not _as_wanted(after, local.get(path)):
            raise WorkError(
                f"{repo.name}: {path} was changed by another commit meanwhile",
                "Look at it, then give the same command again to overwrite it.",
            )
    return now


def _as_wanted(remote: RemoteFile | None, local: LocalFile | None) -> bool:
    return local is None if remote is None else local is not None and remote.same_as(local)


def _later(plan: PushPlan, tag: str, remote: Remote | None) -> Iterator[str]:
    yield f"then tagged {tag}"
    if plan.visibility == "public" and (remote is None or remote.private):
        yield "then made public"
