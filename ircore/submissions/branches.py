"""A branch that holds one submission and nothing else, made without touching the files or the branch of the user."""

import os
import re
import subprocess
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from ircore.core.errors import InputError, WorkError
from ircore.players.submission import FOLDER, MANIFEST
from ircore.submissions.decisions import DECISIONS


class Clone:
    """A clone of the repository, in which a submission's folder lies.

    Args:
        folder: The submission's folder, ``submissions/<slug>`` of the clone; made or still to be made.

    Raises:
        InputError: The folder does not lie in a clone, or git is not installed.

    >>> _ = subprocess.run(["git", "init", "--quiet", "clone"], check=True)
    >>> Clone(Path("clone/submissions/my-pair")).slug
    'my-pair'
    """

    def __init__(self, folder: Path) -> None:
        self.slug = folder.absolute().name
        self._folder = folder.absolute()
        self.root = find_clone_root(self._folder)
        # git names the root with links resolved, so both sides are compared resolved.
        if self._folder.resolve() != (self.root / FOLDER / self.slug).resolve():
            remedy = f"Move it to {self.root / FOLDER}."
            raise InputError(f"{folder}: is not in the folder {FOLDER}/ of the clone {self.root}", remedy)

    def fetched_base(self, remote: str, branch: str) -> str:
        """Fetch the branch to be merged into, and return its newest commit.

        Raises:
            InputError: There is no such remote or branch.
        """
        # By its whole name: a tag that is called like the branch would go first.
        self._git("fetch", "--quiet", "--no-tags", remote, f"refs/heads/{branch}")
        return self._git("rev-parse", "FETCH_HEAD")

    def commit(self, base: str, message: str) -> str:
        """Commit the submission to the branch of its name and return the commit; an equal tip is returned as it is.

        Args:
            base: Commit that a new branch begins at.
            message: Message of the commit.
        """
        # A branch that was begun before is carried on, so that an open pull request gets a further commit.
        tip = self._tip() or base
        with TemporaryDirectory() as work:
            # An index beside the clone's own: what the user has staged stays staged.
            index = Path(work) / "index"
            self._git("read-tree", tip, index=index)
            files = [name for name in (MANIFEST, DECISIONS) if (self._folder / name).is_file()]
            # The user's ignore rules, such as one for YAML files, are no reason to leave a manifest out.
            self._git("add", "--force", "--", *(f"{FOLDER}/{self.slug}/{name}" for name in files), index=index)
            tree = self._git("write-tree", index=index)
        if tree == self._git("rev-parse", f"{tip}^{{tree}}"):
            return tip
        made = self._git("commit-tree", tree, "-p", tip, "-m", message)
        if self._git("rev-parse", "--abbrev-ref", "HEAD") == self.slug:
            # The branch is checked out: the index follows, so that nothing seems to be changed.
            self._git("update-ref", "HEAD", made)
            self._git("reset", "--quiet", "--", f"{FOLDER}/{self.slug}")
        else:
            self._git("branch", "--force", self.slug, made)
        return made

    def remotes(self) -> list[str]:
        """Return the names of the clone's remotes."""
        return self._git("remote").splitlines()

    def fetch_places(self, remote: str) -> set[str]:
        """Return the repositories that a remote, or an address, fetches from, each in one spelling."""
        if remote in self.remotes():
            return self._places("remote", "get-url", "--all", remote)
        # Asks nobody: it applies the user's rules for addresses.
        return self._places("ls-remote", "--get-url", remote)

    def push_places(self, remote: str) -> set[str]:
        """Return the repositories that a push to a remote goes to, each in one spelling.

        Raises:
            InputError: There is no such remote. An address is none: settings of the user may lead it elsewhere.
        """
        names = self.remotes()
        if remote not in names:
            known = f"Remotes here: {', '.join(names)}." if names else "There is none here."
            raise InputError(f"{remote}: no remote of this clone", f"{known} Add it: git remote add NAME ADDRESS")
        return self._places("remote", "get-url", "--push", "--all", remote)

    def owner(self, remote: str) -> str:
        """Return the account or organisation whose repository a push to a remote goes to; empty for a folder.

        Raises:
            InputError: There is no such remote.
        """
        return min(self.push_places(remote)).partition("/")[0]

    def _places(self, *words: str) -> set[str]:
        return {place_of(address, self.root) for address in self._git(*words).splitlines()}

    def push(self, remote: str) -> None:
        """Push the branch of the submission's name.

        Raises:
            WorkError: The remote refuses.
        """
        self._git("push", "--quiet", remote, f"refs/heads/{self.slug}:refs/heads/{self.slug}")

    def _tip(self) -> str | None:
        try:
            return self._git("rev-parse", "--verify", "--quiet", f"refs/heads/{self.slug}^{{commit}}")
        except WorkError:
            return None

    def _git(self, *words: str, index: Path | None = None) -> str:
        return _run_git(self.root, *words, index=index)


_SCP = re.compile(r"(?:[^/@]+@)?(?P<host>[^/:]{2,}):(?!//)(?P<path>.*)")
"""An address such as ``git@github.com:org/name.git``; a drive of Windows, one letter, is no host."""


def place_of(address: str, root: Path) -> str:
    """Return the repository behind an address of git, in one spelling for all ways to reach it.

    Services tell repositories apart by owner and name. The host is left out, since a user's settings for ssh may call
    it by any name; so a mirror elsewhere counts as the same repository.

    Args:
        address: As git knows it: https, ssh, or a folder of this machine.
        root: The clone, from which a folder's path may start.

    >>> places = ("git@github.com:Org/Name.git", "ssh://git@work:22/org/name", "https://token@github.com/org/name/")
    >>> {place_of(place, Path(".")) for place in places}
    {'org/name'}
    """
    scheme, separator, rest = address.partition("://")
    match = None if separator else _SCP.fullmatch(address)
    if (separator and scheme != "file") or match is not None:
        path = rest.partition("/")[2] if match is None else match["path"]
        parts = [part for part in unquote(path).casefold().split("/") if part]
        return "/".join(parts[-2:]).removesuffix(".git")
    folder = os.path.realpath(root / (unquote(rest) if separator else address))
    # A clone's own folder and the folder .git in it are one repository.
    return folder.removesuffix("/.git")


def find_clone_root(folder: Path) -> Path:
    """Return the root of the clone that a folder lies in, or will lie in.

    Raises:
        InputError: It lies in none.
    """
    # git cannot be started in a folder that is still to be made.
    there = next(parent for parent in (folder, *folder.parents) if parent.is_dir())
    try:
        return Path(_run_git(there, "rev-parse", "--show-toplevel"))
    except WorkError as error:
        remedy = "Clone your fork, and make the folder there."
        raise InputError(f"{there}: not in a clone of the repository", remedy) from error


def _run_git(folder: Path, *words: str, index: Path | None = None) -> str:
    """Run git in a folder of a clone, perhaps with another index than the clone's, and return its output.

    Raises:
        InputError: git is not installed.
        WorkError: It fails.
    """
    variables = {} if index is None else {"GIT_INDEX_FILE": str(index)}
    try:
        done = subprocess.run(  # noqa: S603 - no shell; git's own arguments
            ["git", "-C", str(folder), *words],  # noqa: S607 - as the user's PATH has it
            env=os.environ | variables, capture_output=True, encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
    except OSError as error:
        raise InputError("git cannot be started", "Install git, and clone the repository with it.") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        # Options stand before the verb, and would say nothing to the user.
        verb = next(word for before, word in pairwise(("", *words)) if "-c" not in (before, word))
        raise WorkError(f"git {verb}: {lines[0]}", "Mend this, and give the same command again.")
    return done.stdout.strip()
