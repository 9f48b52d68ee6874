"""Changes that a push makes to the files of a repository."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from time import sleep

from dataset_card.hub.repository import WAITS, HubRepository, RemoteFile, StaleError, TemporaryError
from dataset_card.releases.files import LocalFile, is_release_file
from ircore.core.errors import WorkError
from ircore.core.plain_words import format_count

Say = Callable[[str], object]
"""Takes a line about the progress."""

MOST_FILES = 100
"""Files of a commit: https://huggingface.co/docs/hub/repositories-recommendations asks for no more."""


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

    def __len__(self) -> int:
        return len(self.added) + len(self.changed) + len(self.removed)

    def first(self, most: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the paths to write and those to remove that come first, in all at most ``most``.

        Files at the top say what the others are. They come last, in one commit with what goes where that fits: until
        then the repository says that it holds what it held before.

        >>> changes = Changes(("README.md", "data/a", "data/b"), ("data/c",), ("data/d",), (), 0)
        >>> changes.first(4), changes.first(5)
        ((('data/a', 'data/b', 'data/c'), ()), (('data/a', 'data/b', 'data/c', 'README.md'), ('data/d',)))
        """
        written = sorted((*self.added, *self.changed), key=lambda path: "/" not in path)
        below = [path for path in written if "/" in path]
        if len(self) > most and below:
            return tuple(below[:most]), ()
        removed = self.removed[:most]
        return tuple(written[: most - len(removed)]), removed

    def lines(self, files: Mapping[str, LocalFile]) -> Iterator[str]:
        """Yield a line for each change, and a last line with the sums."""
        for word, paths in (("added", self.added), ("changed", self.changed), ("removed", self.removed)):
            for path in paths:
                yield f"  {word:<8} {path}" + (f"  {format_size(files[path].size)}" if path in files else "")
        counts = ((self.added, "added"), (self.changed, "changed"), (self.removed, "removed"))
        summary = ", ".join(f"{len(paths)} {word}" for paths, word in (*counts, (self.unchanged, "unchanged")))
        yield f"{summary}; {format_size(self.sent)} to send"


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
    repo: HubRepository, files: Mapping[str, LocalFile], look: Callable[[], tuple[str, Changes]], message: str, say: Say
) -> tuple[str, bool]:
    """Commit the files that a repository lacks, at most ``MOST_FILES`` at once.

    Its files are listed again after each commit, of others or its own, and after a failure.

    Args:
        repo: The repository.
        files: The files that it has to hold.
        look: Returns the newest commit there, and the changes that are to be made upon it.
        message: Message of the commits.
        say: Takes a line about each step.

    Returns:
        The commit that holds the files, and whether it was made just now.

    Raises:
        WorkError: The Hub refuses or cannot be reached, or other commits keep coming first.
    """
    waits = iter(WAITS)
    while True:
        newest, changes = look()
        if not changes:
            say("the files are there already")
            return newest, False
        writing, removing = changes.first(MOST_FILES)
        try:
            commit = repo.commit({path: files[path].path for path in writing}, removing, newest, message)
        except StaleError as error:
            if next(waits, None) is None:
                problem = f"{repo.name}: other commits keep coming first"
                raise WorkError(problem, "Give the same command again later.") from error
            say("another commit came first: looking again")
        except TemporaryError as error:
            wait = next(waits, None)
            if wait is None:
                raise
            # The commit may have been made all the same, which the next look shows.
            say(f"{error.problem}: trying again")
            sleep(error.wait or wait)
        else:
            made, sent = len(writing) + len(removing), sum(files[path].size for path in writing)
            say(f"committed {format_count(made, 'file')}, {format_size(sent)}: {commit}")
            if made == len(changes):
                return commit, True


def is_owned(path: str, listed: Collection[str]) -> bool:
    """Return whether a file of a repository belongs to a release rather than to the maintainers.

    Args:
        path: Path of the file.
        listed: Files that the release in the repository lists, as in ``compare_files``.
    """
    # Hidden files, such as .gitattributes, are the maintainers' whatever a record lists.
    return is_release_file(path) or (path in listed and not path.startswith("."))


def format_size(size: int) -> str:
    """Return a number of bytes for people."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} kB"
