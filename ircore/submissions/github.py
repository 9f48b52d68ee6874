"""The few questions to GitHub's REST API that a leaderboard needs: artefacts, runs of workflows, settings.

Of the settings that the workflows rely on it is told which are missing; ``docs/maintain.md`` says in which order they
are made.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ircore.core.errors import InputError, WorkError
from ircore.submissions.services import find_service_hosts

SECONDS = 60.0
"""Seconds that the service may be silent."""

MOST_BYTES = 64 * 1024**2
"""Largest answer in bytes: a page of a list, or a file of the repository."""

MOST_ARTEFACT_BYTES = 4 * 1024**3
"""Largest artefact in bytes: the runs of a batch."""

DOWNLOAD_SECONDS = 1800.0
"""Seconds that an artefact may take to arrive."""

PAGE = 100
"""Entries of a page, the most that the service gives."""

MOST_PAGES = 100
"""Pages of a list that are read: what is behind ten thousand entries is not looked for."""

MAIN = "main"
"""The branch whose workflows are trusted."""

_PIECE = 1024**2
_NOTHING: Mapping[str, Any] = {}

_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


class Artefact(NamedTuple):
    """An artefact that a workflow's run left."""

    number: int
    """Its number."""

    run: int
    """Number of the workflow's run."""

    created: str
    """When it was uploaded, as the service writes it: sorts by time."""

    size: int = 0
    """Size in bytes, as far as the service tells."""


class _NoCredentialsElsewhere(HTTPRedirectHandler):
    """Follow redirects without the token: an artefact lies at another host, behind a signed address."""

    def redirect_request(self, *about: Any) -> Request | None:
        """Return the next request: urllib gives its address last."""
        newurl = str(about[-1])
        # A new request has no header of the old one, and so no token.
        return Request(newurl) if newurl.startswith(("https://", "http://127.0.0.1:")) else None  # noqa: S310 - checked


class GitHub:
    """A repository on GitHub, asked with the token of a workflow's job.

    Args:
        api: Address of the API.
        repository: ``OWNER/NAME``.
        token: The job's token.

    Raises:
        InputError: The repository's name cannot be one.

    >>> GitHub("https://api.github.com", "owner/name", "token").repository
    'owner/name'
    """

    def __init__(self, api: str, repository: str, token: str) -> None:
        if not _REPOSITORY.fullmatch(repository):
            raise InputError(f"{repository!a}: no repository", "Give it as OWNER/NAME in GITHUB_REPOSITORY.")
        self.repository = repository
        self._api, self._token = api.rstrip("/"), token
        self._opener = build_opener(_NoCredentialsElsewhere)

    @classmethod
    def of_job(cls) -> "GitHub":
        """Return the repository whose workflow runs this.

        Raises:
            InputError: The variables of a job are not set.
        """
        names = ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN")
        missing = [name for name in names if not os.environ.get(name)]
        if missing:
            raise InputError(f"{', '.join(missing)} not set", "This is for a workflow of the repository.")
        return cls(*(os.environ[name] for name in names))

    def read(self, path: str) -> Any:
        """Return an answer about the repository as JSON; None where there is no such thing.

        Raises:
            WorkError: The service cannot be asked, or does not let this token read it.
        """
        return self._ask("GET", path, missing=_NOTHING) or None

    def playing(self, workflow: str, job: str, own: str = "") -> list[int]:
        """Return the numbers of the workflow's runs whose job of a name is under way.

        Args:
            workflow: File name of the workflow.
            job: Name of the job, as the workflow states it.
            own: Number of the run that asks, which is left out.
        """
        under_way = [number for number in self._runs(workflow, "in_progress") if str(number) != own]
        return [
            number
            for number in under_way
            if any(
                (each["name"], each["status"]) == (job, "in_progress")
                for each in self._list_entries(f"/actions/runs/{number}/jobs", "jobs")
            )
        ]

    def list_unapproved(self, workflow: str) -> list[int]:
        """Return the numbers of the workflow's runs that wait for somebody's approval."""
        return self._runs(workflow, "waiting")

    def _runs(self, workflow: str, status: str) -> list[int]:
        listed = self._list_entries(
            f"/actions/workflows/{quote(workflow, safe='')}/runs?status={status}", "workflow_runs"
        )
        return sorted(int(run["id"]) for run in listed if run["head_branch"] == MAIN)

    def artefacts(self, name: str, workflow: str) -> Iterator[Artefact]:
        """Yield the artefacts that a workflow of this repository's branch ``main`` left, the newest first.

        Anybody can upload an artefact of any name, from a branch of any name: a pull request from a fork runs the
        fork's own workflow, and its artefacts stand in the same list. So nothing that its author can choose counts,
        but the repository that the commit lies in, and the event and file of the run, as the service tells them.

        Args:
            name: Name of the artefacts.
            workflow: File name of the workflow, which is started by hand or by schedule.

        Raises:
            WorkError: The service cannot be asked, or lists more than ``MOST_PAGES`` pages.
        """
        about = self._list_entries(f"/actions/artifacts?name={quote(name, safe='')}", "artifacts")
        named = [known for each in about if each["name"] == name and (known := _own_artefact(each)) is not None]
        for artefact in sorted(named, key=lambda each: (each.created, each.number), reverse=True):
            if _is_own_run(self._ask("GET", f"/actions/runs/{artefact.run}", missing={}), workflow):
                yield artefact

    def download(self, artefact: Artefact, file: Path) -> bool:
        """Write the ZIP file of an artefact; return whether it is still there and not too large.

        Raises:
            WorkError: It does not arrive, or the file cannot be written.
        """
        until = monotonic() + DOWNLOAD_SECONDS
        path = f"/actions/artifacts/{artefact.number}/zip"
        size = 0
        if artefact.size > MOST_ARTEFACT_BYTES:
            return False
        try:
            with file.open("wb") as written, self._opener.open(self._request("GET", path), timeout=SECONDS) as answer:
                while piece := answer.read(_PIECE):
                    size += len(piece)
                    if size > MOST_ARTEFACT_BYTES:
                        return False
                    if monotonic() > until:
                        raise WorkError(f"artefact {artefact.number}: does not arrive", "Start the job again.")
                    written.write(piece)
        except HTTPError as error:
            # Deleted or expired since it was listed.
            if error.code in (404, 410):
                return False
            raise WorkError(f"GitHub answers {error.code} to GET {path}", "See the job's permissions.") from error
        except (URLError, HTTPException, OSError) as error:
            raise WorkError(f"artefact {artefact.number}: does not arrive: {error}", "Start the job again.") from error
        return True

    def _list_entries(self, path: str, key: str = "") -> Iterator[Any]:
        """Yield the entries of a list of the service, page by page.

        Args:
            path: The list.
            key: Name of the list in the answer; empty where the answer is the list.

        Raises:
            WorkError: There are more pages than are read.
        """
        for page in range(1, MOST_PAGES + 1):
            answer = self._ask("GET", f"{path}{'&' if '?' in path else '?'}per_page={PAGE}&page={page}")
            entries = answer[key] if key else answer
            yield from entries
            if len(entries) < PAGE:
                return
        # Not cut in silence: strangers can make most of these lists longer.
        remedy = "Close or delete what strangers made, and start the job again."
        raise WorkError(f"GitHub lists more than {MOST_PAGES * PAGE:,} entries at {path}", remedy)

    def _ask(self, method: str, path: str, document: Any = None, missing: Any = None) -> Any:
        """Return the answer as JSON; ``missing`` where there is no such thing, unless that is None."""
        try:
            return json.loads(self._bytes(method, path, document) or b"{}")
        except HTTPError as error:
            if error.code == 404 and missing is not None:
                return missing
            raise WorkError(f"GitHub answers {error.code} to {method} {path}", "See the job's permissions.") from error

    def _bytes(self, method: str, path: str, document: Any) -> bytes:
        data = None if document is None else json.dumps(document).encode()
        try:
            with self._opener.open(self._request(method, path, data), timeout=SECONDS) as answer:
                result: bytes = answer.read(MOST_BYTES + 1)
        # Caught first: it is a URLError too, but an answer, which callers tell apart by its status.
        except HTTPError:
            raise
        except (URLError, HTTPException, OSError) as error:
            raise WorkError(f"GitHub cannot be reached: {error}", "Start the job again.") from error
        if len(result) > MOST_BYTES:
            raise WorkError(f"GitHub answers {method} {path} with more than {MOST_BYTES // 1024**2} MiB", "")
        return result

    def _request(self, method: str, path: str, data: bytes | None = None) -> Request:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/vnd.github+json"}
        return Request(f"{self._api}/repos/{self.repository}{path}", data, headers, method=method)  # noqa: S310


def _own_artefact(about: Mapping[str, Any]) -> Artefact | None:
    """Return an artefact that a run on the branch ``main`` of its own repository left; None for any other."""
    run = about.get("workflow_run") or {}
    # A fork's branch may be called main, too: its commit lies in another repository.
    own = run.get("repository_id") is not None and run["repository_id"] == run.get("head_repository_id")
    if about["expired"] or not own or run.get("head_branch") != MAIN:
        return None
    return Artefact(int(about["id"]), int(run["id"]), str(about["created_at"]), int(about.get("size_in_bytes") or 0))


def _is_own_run(run: Mapping[str, Any], workflow: str) -> bool:
    """Return whether a workflow's run was started by hand or by schedule on this repository's branch ``main``."""
    repositories = [(run.get(name) or {}).get("id") for name in ("repository", "head_repository")]
    # With the branch behind an @, in some answers.
    path, _, ref = str(run.get("path")).partition("@")
    return (
        repositories[0] is not None
        and repositories[0] == repositories[1]
        and path == f".github/workflows/{workflow}"
        and ref in ("", MAIN, f"refs/heads/{MAIN}")
        and run.get("event") in ("workflow_dispatch", "schedule")
        and run.get("head_branch") == MAIN
    )


CHECK = "Check what is submitted"
"""Name of the required check: that of the job in ``submission.yml``."""


class Setting(NamedTuple):
    """A setting, and whether the repository has it."""

    name: str
    """The setting, in words."""

    place: str
    """Where it is made on GitHub's pages."""

    is_met: bool
    """Whether it is as it has to be."""


class _Reader:
    """Answers of the API about a repository, each asked once; nothing where there is no such thing."""

    def __init__(self, service: GitHub) -> None:
        self._service = service
        self._known: dict[str, Any] = {}

    def __call__(self, path: str, default: Any = None) -> Any:
        if path not in self._known:
            self._known[path] = self._service.read(path)
        answer = self._known[path]
        return ({} if default is None else default) if answer is None else answer


def list_repository_settings(service: GitHub, clone: Path) -> Iterator[Setting]:
    """Yield every setting that the workflows rely on.

    Args:
        service: The repository, asked with the token of an administrator.
        clone: Root of a clone, whose files name the dataset.

    Raises:
        WorkError: The service cannot be asked.
    """
    read = _Reader(service)
    yield from _check_repository(read)
    yield from _check_rules(read)
    yield from _check_actions(read)
    yield from _check_environments(read)
    yield from _check_secrets_and_variables(read, clone)


def _check_repository(read: Callable[..., Any]) -> Iterator[Setting]:
    about, general = read(""), "Settings, General"
    yield Setting("the repository is public", general, about.get("visibility") == "public")
    yield Setting("the default branch is main", general, about.get("default_branch") == "main")
    merges = [about.get(f"allow_{how}") for how in ("merge_commit", "squash_merge", "rebase_merge")]
    yield Setting("pull requests are merged by merge commits alone", general, merges == [True, False, False])
    labels = {label.get("name") for label in read("/labels?per_page=100", [])}
    yield Setting("there is a label dispute", "Issues, Labels", "dispute" in labels)
    reporting = read("/private-vulnerability-reporting").get("enabled")
    yield Setting("holes are reported in private", "Settings, Advanced Security", reporting is True)
    pages = read("/pages").get("build_type")
    yield Setting("pages are deployed by GitHub Actions", "Settings, Pages", pages == "workflow")


def _check_rules(read: Callable[..., Any]) -> Iterator[Setting]:
    # Of rulesets; a branch protection of the older kind is not listed there.
    rules: Mapping[str, Any] = {
        rule["type"]: rule.get("parameters") or {} for rule in read("/rules/branches/main?per_page=100", [])
    }
    place = "Settings, Rules, a ruleset for main"
    review = rules.get("pull_request", {})
    yield Setting(
        "main takes pull requests with a review alone", place, review.get("required_approving_review_count", 0) >= 1
    )
    yield Setting("reviews of code owners are required", place, review.get("require_code_owner_review") is True)
    checks = {
        check.get("context") for check in rules.get("required_status_checks", {}).get("required_status_checks", [])
    }
    yield Setting(f"the check {CHECK!r} is required", place, CHECK in checks)
    yield Setting("main is not force-pushed", place, "non_fast_forward" in rules)
    yield Setting("main is not deleted", place, "deletion" in rules)
    queue = rules.get("merge_queue")
    yield Setting("a merge queue, if any, merges", place, queue is None or queue.get("merge_method") == "MERGE")


def _check_actions(read: Callable[..., Any]) -> Iterator[Setting]:
    place = "Settings, Actions, General"
    yield Setting("workflows may run", place, read("/actions/permissions").get("enabled") is True)
    workflow = read("/actions/permissions/workflow")
    is_reading = workflow.get("default_workflow_permissions") == "read"
    yield Setting("workflows may read, unless they say more", place, is_reading)
    approves = workflow.get("can_approve_pull_request_reviews")
    yield Setting("workflows approve no pull requests", place, approves is False)
    policy = read("/actions/permissions/fork-pr-contributor-approval").get("approval_policy")
    name = "workflows of all external contributors wait for an approval"
    yield Setting(name, place, policy == "all_external_contributors")


def _check_environments(read: Callable[..., Any]) -> Iterator[Setting]:
    for name in ("evaluation", "dataset", "github-pages"):
        place = f"Settings, Environments, {name}"
        about = read(f"/environments/{name}")
        policies = read(f"/environments/{name}/deployment-branch-policies").get("branch_policies", [])
        branches = {policy.get("name") for policy in policies if policy.get("type", "branch") == "branch"}
        yield Setting(f"the environment {name} is for the branch main alone", place, branches == {"main"})
        reviewers = [reviewer for rule in about.get("protection_rules", []) for reviewer in rule.get("reviewers", ())]
        if name == "evaluation":
            yield Setting("somebody has to approve an evaluation", place, bool(reviewers))


def _check_secrets_and_variables(read: Callable[..., Any], clone: Path) -> Iterator[Setting]:
    place = "Settings, Secrets and variables, Actions"
    shared = [read(path).get("total_count") for path in ("/actions/secrets", "/actions/organization-secrets")]
    yield Setting("no secret is outside of an environment", place, shared == [0, 0])
    secrets = {secret["name"] for secret in read("/environments/evaluation/secrets?per_page=100").get("secrets", [])}
    is_keyed = any(find_service_hosts(name) for name in secrets)
    yield Setting("there is a key of a service", "Settings, Environments, evaluation", is_keyed)
    listed = read("/actions/variables?per_page=30").get("variables", [])
    variables = {variable["name"]: variable["value"] for variable in listed}
    for name in ("DATASET", "SITE_URL"):
        yield Setting(f"there is a variable {name}", place, bool(variables.get(name)))
    if "SEASON" in variables:
        yield Setting("there is a SEASON_SECRET for SEASON", place, "SEASON_SECRET" in secrets)
    workflow = clone / ".github" / "workflows" / "submission.yml"
    written = f"vars.DATASET || '{variables.get('DATASET', '')}'"
    # Pull requests of forks are given no variables.
    is_written = bool(variables.get("DATASET")) and workflow.is_file() and written in workflow.read_text("utf-8")
    yield Setting("submission.yml names the dataset", ".github/workflows/submission.yml", is_written)
