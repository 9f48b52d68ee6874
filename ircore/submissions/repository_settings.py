"""The settings of the repository on GitHub that the workflows rely on, and which of them are missing.

``docs/maintain.md`` says in which order they are made; here each is read through GitHub's REST API.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ircore.submissions.addresses import service_hosts
from ircore.submissions.github import GitHub

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


def repository_settings(service: GitHub, clone: Path) -> Iterator[Setting]:
    """Yield every setting that the workflows rely on.

    Args:
        service: The repository, asked with the token of an administrator.
        clone: Root of a clone, whose files name the dataset.

    Raises:
        WorkError: The service cannot be asked.
    """
    read = _Reader(service)
    yield from _repository(read)
    yield from _rules(read)
    yield from _actions(read)
    yield from _environments(read)
    yield from _secrets_and_variables(read, clone)


def _repository(read: Callable[..., Any]) -> Iterator[Setting]:
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


def _rules(read: Callable[..., Any]) -> Iterator[Setting]:
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


def _actions(read: Callable[..., Any]) -> Iterator[Setting]:
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


def _environments(read: Callable[..., Any]) -> Iterator[Setting]:
    for name in ("evaluation", "dataset", "github-pages"):
        place = f"Settings, Environments, {name}"
        about = read(f"/environments/{name}")
        policies = read(f"/environments/{name}/deployment-branch-policies").get("branch_policies", [])
        branches = {policy.get("name") for policy in policies if policy.get("type", "branch") == "branch"}
        yield Setting(f"the environment {name} is for the branch main alone", place, branches == {"main"})
        reviewers = [reviewer for rule in about.get("protection_rules", []) for reviewer in rule.get("reviewers", ())]
        if name == "evaluation":
            yield Setting("somebody has to approve an evaluation", place, bool(reviewers))


def _secrets_and_variables(read: Callable[..., Any], clone: Path) -> Iterator[Setting]:
    place = "Settings, Secrets and variables, Actions"
    shared = [read(path).get("total_count") for path in ("/actions/secrets", "/actions/organization-secrets")]
    yield Setting("no secret is outside of an environment", place, shared == [0, 0])
    secrets = {secret["name"] for secret in read("/environments/evaluation/secrets?per_page=100").get("secrets", [])}
    is_keyed = any(service_hosts(name) for name in secrets)
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
