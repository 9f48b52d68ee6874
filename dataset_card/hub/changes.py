"""Changes that a push makes to the files of a repository."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from time import sleep

from dataset_card.hub.remote import RemoteFile, StaleError, TemporaryError
from dataset_card.hub.repository import WAITS, Repository
from dataset_card.releases.files import LocalFile, belongs_to_release
from ircore.core.counted import counted
from ircore.core.errors import WorkError

Say = Callable[[str], object]
"""Takes a line about the progress."""


@dataclass(frozen=True)
class Changes:
    """Changes that a push makes to the files of a repository.

    >>> list(Changes(added=("runs.jsonl",), changed=(), removed=(), unchanged=(), sent=1500).lines({}))
    ['  added    runs.jsonl', '1 added, 0 changed, 0 removed, 0 unchanged; 1.5 kB to send']
    """

    added: tuple[str, ...]
    """Paths that are new."""

    changed: tuple[str, ...]
    """Paths whose content changes."""

    removed: tuple[str, ...]
    """Files of earlier releases that this release lacks: shards of tables, tombstones, pictures of the card."""

    unchanged: tuple[str, ...]
    """Paths that stay as they are."""

    sent: int
    """Bytes of new and changed files."""

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def lines(self, files: Mapping[str, LocalFile]) -> Iterator[str]:
        """Yield a line for each change, and a last line with the sums."""
        for word, paths in (("added", self.added), ("changed", self.changed), ("removed", self.removed)):
            for path in paths:
                yield f"  {word:<8} {path}" + (f"  {size_text(files[path].size)}" if path in files else "")
        counts = ((self.added, "added"), (self.changed, "changed"), (self.removed, "removed"))
        summary = ", ".join(f"{len(paths)} {word}" for paths, word in (*counts, (self.unchanged, "unchanged")))
        yield f"{summary}; {size_text(self.sent)} to send"


def compare_files(
    local: Mapping[str, LocalFile], remote: Mapping[str, RemoteFile], listed: Collection[str] = ()
) -> Changes:
    """Return the changes that make a repository hold a release; files of the maintainers stay as they are.

    Args:
        local: The release's files.
        remote: The repository's.
        listed: Files that the release in the repository says it is made of, whatever they are called.
    """
    added = tuple(path for path in local if path not in remote)
    changed = tuple(path for path, file in local.items() if path in remote and not remote[path].same_as(file))
    removed = tuple(sorted(path for path in remote if path not in local and is_owned(path, listed)))
    unchanged = tuple(path for path in local if path not in {*added, *changed})
    return Changes(added, changed, removed, unchanged, sum(local[path].size for path in (*added, *changed)))


def commit_changes(
    repo: Repository, files: Mapping[str, LocalFile], look: Callable[[], tuple[str, Changes]], message: str, say: Say
) -> tuple[str, bool]:
    """Commit the files that a repository lacks; list its files again after another commit or a failure.

    Args:
        repo: The repository.
        files: The files that it has to hold.
        look: Returns the newest commit there, and the changes that are to be made upon it.
        message: Message of the commit.
        say: Takes a line about each step.

    Returns:
        The commit that holds the files, and whether it was made just now.

    Raises:
        WorkError: The Hub refuses or cannot be reached, or other commits keep coming first.
    """
    for wait in (*WAITS, None):
        newest, changes = look()
        if not changes:
            say("the files are there already")
            return newest, False
        try:
            adding = {path: files[path].path for path in (*changes.added, *changes.changed)}
            commit = repo.commit(adding, changes.removed, newest, message)
        except StaleError:
            say("another commit came first: looking again")
        except TemporaryError as error:
            if wait is None:
                raise
            # The commit may have been made all the same, which the next look shows.
            say(f"{error.problem}: trying again")
            sleep(error.wait or wait)
        else:
            say(f"committed {counted(len(adding) + len(changes.removed), 'file')}, {size_text(changes.sent)}: {commit}")
            return commit, True
    raise WorkError(f"{repo.name}: other commits keep coming first", "Give the same command again later.")


def is_owned(path: str, listed: Collection[str]) -> bool:
    """Return whether a file of a repository belongs to a release rather than to the maintainers.

    Args:
        path: Path of the file.
        listed: Files that the release in the repository lists, as in ``compare_files``.
    """
    # Hidden files, such as .gitattributes, are the maintainers' whatever a record lists.
    return belongs_to_release(path) or (path in listed and not path.startswith("."))


def size_text(size: int) -> str:
    """Return a number of bytes for people."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} kB"
