"""Instance sets as releases on the Hub: commits and a tag named after the set's identity, checked by hash both ways.

Pictures that must not be published stay here; their records are pushed, so that the set keeps its identity.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from dataset_card.hub.changes import Changes, Say, commit_changes, compare_files
from dataset_card.hub.pull import refuse_unsafe
from dataset_card.hub.repository import HubRepository, Remote
from dataset_card.releases.files import LocalFile, read_local_file
from ircore.core.errors import InputError, WorkError
from ircore.core.files import read_bounded, write_bytes, write_new_folder, write_text
from ircore.core.images import ImageError, Picture, read_image_bytes
from ircore.core.plain_words import format_count
from ircore.core.records import PictureFile
from ircore.instances.records import MOST_BYTES
from ircore.instances.store import INDEX, UNSTATED, InstanceSet, describe_ways_to_get, may_be_published, read_instances

CARD = "README.md"
TAG_DIGITS = 12


def make_tag(identity: str) -> str:
    """Return the tag of a set on the Hub.

    >>> make_tag("b5c6b65ba24b" + "0" * 52)
    'set-b5c6b65ba24b'
    """
    return f"set-{identity[:TAG_DIGITS]}"


def push_instances(folder: Path, name: str, dry_run: bool, say: Say) -> str:
    """Publish an instance set and tag it; the same command again goes on where it stopped.

    Args:
        folder: The set.
        name: ``ORG/NAME``; a new dataset is private.
        dry_run: Only say what would change.
        say: Takes a line about each step.

    Returns:
        The tag.

    Raises:
        InputError: The set is damaged, a picture states no licence, or there is no token.
        WorkError: The Hub refuses or cannot be reached, or its tag is another commit's.
    """
    instances, repo = read_instances(folder), HubRepository(name)
    _refuse_unstated(instances)
    tag = make_tag(instances.identity)
    with TemporaryDirectory() as made:
        write_text(Path(made) / CARD, _render_card(instances, name))
        files = _list_files(instances) | {CARD: read_local_file(Path(made) / CARD)}
        if dry_run:
            remote = repo.read()
            for line in _plan_changes(files, remote).lines(files):
                say(line)
            return tag
        repo.require_token()
        repo.create()
        repo.tag(tag, _commit_missing(repo, files, f"Instance set {instances.identity[:TAG_DIGITS]}", say))
    say(f"tagged {tag}")
    return tag


def pull_instances(name: str, out: Path, revision: str | None) -> InstanceSet:
    """Bring an instance set back from the Hub; the folder appears when every picture is there and has its hash.

    Files that were fetched before are taken from the Hub's cache, so that the same command again goes on.

    Args:
        name: ``ORG/NAME``.
        out: The folder to make; it must not exist or be empty.
        revision: Tag or commit; the newest commit if None. A tag ``set-…`` also says which set it must be.

    Raises:
        InputError: ``out`` holds something.
        WorkError: There is no set, it or a picture is not what it should be, or the Hub cannot be reached.
    """
    repo = HubRepository(name)
    remote = repo.read()
    if remote is None:
        raise WorkError(f"{name}: no such dataset, or none that this token may see", "Check the name, and HF_TOKEN.")
    # Resolved once, so that index and pictures are of the same commit even if a tag is moved meanwhile.
    commit = remote.commit if revision is None else remote.tags.get(revision, revision)
    fetched = repo.fetch(commit, (INDEX, "images/*"))
    if not (fetched / INDEX).is_file():
        raise WorkError(f"{name}: holds no instance set", "Name a dataset made by: ircore instances push")
    index = read_bounded(fetched / INDEX, MOST_BYTES, "Give the same command again.", "Ask its maintainers.")
    identity = hashlib.sha256(index).hexdigest()
    # A tag can be moved on the Hub, and its name promises a certain set.
    if revision is not None and revision.startswith("set-") and revision != make_tag(identity):
        raise WorkError(f"{name}: {revision} holds the set {make_tag(identity)}", "Ask the dataset's maintainers.")
    pictures = _list_published(read_instances(fetched))
    with write_new_folder(out) as temporary:
        for image, file in pictures.items():
            try:
                write_bytes(temporary / image, _read_checked(fetched / image, file, f"{name}: {image}"))
            except ImageError as error:
                raise WorkError(error.problem, error.remedy) from error  # the fault is not in what the user gave
        write_bytes(temporary / INDEX, index)
    return read_instances(out)


def fetch_files(name: str) -> Path:
    """Bring the files of a dataset that somebody else made into the user's Hub cache, and return the folder.

    Args:
        name: ``ORG/NAME``.

    Raises:
        WorkError: There is no such dataset, or the Hub cannot be reached.
    """
    return HubRepository(name).fetch(None, ("*",))


def _list_published(instances: InstanceSet) -> dict[str, PictureFile]:
    """Return every picture that may be published, by the name of its file."""
    pictures: dict[str, PictureFile] = {}
    for instance in instances.instances:
        if may_be_published(instance.licence):
            pictures |= {file.image: file for file in instance.pictures.values()}
    # The set may be a stranger's, from the Hub: no name may lead out of the folder.
    refuse_unsafe((image, image) for image in pictures)
    strays = [image for image in pictures if not image.startswith("images/")]
    if strays:
        raise WorkError(f"{strays[0]}: a picture outside of images/", "Build the set again.")
    return pictures


def _read_checked(path: Path, file: PictureFile, where: str) -> bytes:
    if not path.is_file():
        raise WorkError(f"{where}: is missing there", "Push the set again.")
    return Picture.from_own_file(read_image_bytes(path), file, where, "Push the set again.").data


def _list_files(instances: InstanceSet) -> dict[str, LocalFile]:
    """Return the files to push, each picture checked."""
    files = {INDEX: read_local_file(instances.folder / INDEX)}
    for image, file in _list_published(instances).items():
        _read_checked(instances.folder / image, file, str(instances.folder / image))
        files[image] = read_local_file(instances.folder / image)
    return files


def _refuse_unstated(instances: InstanceSet) -> None:
    for instance in instances.instances:
        if instance.licence == UNSTATED:
            raise InputError(
                f"instance {instance.instance_id}: no licence is stated, so its picture must not be published",
                "Import the pictures again with --licence, or with a metadata.jsonl that names their licences.",
            )


def _plan_changes(files: Mapping[str, LocalFile], remote: Remote | None) -> Changes:
    """Return the changes of a push: files to add, and pictures of an earlier set to remove."""
    there = remote.files if remote is not None else {}
    return compare_files(files, there, [path for path in there if path.startswith("images/")])


def _commit_missing(repo: HubRepository, files: Mapping[str, LocalFile], message: str, say: Say) -> str:
    """Commit the missing files and return the commit that holds every file as it is here."""

    def look() -> tuple[str, Changes]:
        remote = repo.read()
        if remote is None:
            raise WorkError(f"{repo.name}: was made, but this token may not see it", "Give the token access to it.")
        return remote.commit, _plan_changes(files, remote)

    commit, is_new = commit_changes(repo, files, look, message, say)
    if is_new and compare_files(files, repo.files(commit)):
        raise WorkError(f"{repo.name}: commit {commit} lacks files", "Give the same command again.")
    return commit


def _render_card(instances: InstanceSet, name: str) -> str:
    """Return the dataset card: contents of the set, its licences, and the command that brings it back."""
    licences = Counter(instance.licence for instance in instances.instances)
    withheld = [f"* {way}" for way in describe_ways_to_get(instances.instances)]
    head = ("license: other", "license_name: per-picture", f"license_link: {INDEX}")
    lines = ["---", *head, "---", "", f"# Instance set of the game {instances.game}", ""]
    lines += [
        f"{format_count(len(instances.instances), 'instance')}; identity `{instances.identity}`, the "
        f"SHA-256 of `{INDEX}`,"
    ]
    lines += ["which holds the SHA-256, the source and the licence of every picture.", ""]
    lines += [f"    ircore instances pull {name} --revision {make_tag(instances.identity)} --out DIR", ""]
    rows = [f"| {licence} | {count} |" for licence, count in licences.items()]
    lines += ["| Licence | Instances |", "|---|---|", *rows, ""]
    if withheld:
        lines += ["Pictures that must not be published are left out:", "", *withheld, ""]
    return "\n".join(lines)
