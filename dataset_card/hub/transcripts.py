"""Uploading packed transcripts to a public dataset repository of their submitter."""

from collections.abc import Callable
from pathlib import Path

from dataset_card.hub.repository import HubRepository
from dataset_card.releases.files import read_local_file
from ircore.core.errors import InputError, WorkError
from ircore.core.plain_words import format_count


def upload_transcripts(folder: Path, repo: str, say: Callable[[str], None]) -> str:
    """Upload transcripts packed by ``ircore submission pack``, and return the commit that holds them.

    The entry point ``ircore.releases: upload_transcripts``. A repository that is not there is made, for everybody to
    read; files that are there already are not sent again, and nothing that is there is removed.

    Args:
        folder: The folder that was packed into.
        repo: The repository, ``ORG/NAME``.
        say: Shows a line to the user.

    Raises:
        InputError: There is no token, or the repository is private.
        WorkError: The Hub refuses or cannot be reached.
    """
    hub = HubRepository(repo)
    hub.require_token()
    remote = hub.read()
    if remote is None:
        hub.create()
        # The repository was made private, and a private one cannot be re-scored.
        hub.publish()
        say(f"{hub.url}: made, for everybody to read")
        remote = hub.read()
    if remote is None:
        raise WorkError(f"{repo}: the Hub does not show the repository that it made", "Give the same command again.")
    if remote.private:
        raise InputError(f"{repo}: is private, so that nobody can check the transcripts", "Make it public on the Hub.")
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    new = {
        name: path
        for name, path in files.items()
        if not ((there := remote.files.get(name)) and there.same_as(read_local_file(path)))
    }
    if not new:
        return remote.commit
    say(f"{hub.url}: {len(new)} of {format_count(len(files), 'file')} to upload")
    return hub.commit(new, (), remote.commit, "Transcripts for the Image Reconstruction Game")
