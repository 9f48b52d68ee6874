"""What holds for every workflow, read from the files: whoever changes one against these rules is told here."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_lines import parsed
from workflows import read_workflow, steps_of

FOLDER = Path(__file__).resolve().parents[2] / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.y*ml"))
NAMES = [path.stem for path in FILES]
TRIGGERS = {
    "ci": {"push", "pull_request"},
    "submission": {"push", "pull_request"},
    "evaluate": {"workflow_dispatch"},
    "gate": {"schedule", "workflow_dispatch"},
    "inbox": {"issues"},
    "pages": {"push", "workflow_call", "workflow_dispatch"},
    "release-dataset": {"release"},
    "scheduled": {"schedule", "workflow_dispatch"},
    "withdrawals": {"push", "workflow_dispatch"},
}
WRITES = {
    ("evaluate", "publish"): {"id-token"},
    ("evaluate", "site"): {"pages", "id-token"},
    ("gate", "owners"): {"contents"},
    ("gate", "statuses"): {"statuses"},
    ("inbox", "act"): {"actions", "contents", "pull-requests"},
    ("pages", "deploy"): {"pages", "id-token"},
    ("release-dataset", "release"): {"id-token"},
    ("scheduled", "inbox"): {"issues"},
    ("withdrawals", "publish"): {"id-token"},
    ("withdrawals", "site"): {"pages", "id-token"},
}
"""Which job may write what; no other job may write anything."""

PINS = {
    "actions/checkout": "3d3c42e5aac5ba805825da76410c181273ba90b1",
    "actions/setup-python": "5fda3b95a4ea91299a34e894583c3862153e4b97",
    "actions/upload-artifact": "043fb46d1a93c77aae656e7c1c64a875d1fc6a0a",
    "actions/download-artifact": "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c",
    "actions/upload-pages-artifact": "fc324d3547104276b827a68afc52ff2a11cc49c9",
    "actions/deploy-pages": "cd2ce8fcbc39b97be8ca5fce6e763baed58fa128",
}
"""Commits of the actions' releases v7.0.1, v7.0.0, v7.0.1, v8.0.1, v5.0.0 and v5.0.0."""

pytestmark = pytest.mark.parametrize("path", FILES, ids=NAMES)


def jobs(path: Path) -> Mapping[str, Any]:
    result: Mapping[str, Any] = read_workflow(path)["jobs"]
    return result


def test_it_is_one_of_those_that_are_known(path: Path) -> None:
    assert set(read_workflow(path)["on"]) == TRIGGERS[path.stem]


def test_nothing_is_permitted_unless_a_job_asks_for_it(path: Path) -> None:
    assert read_workflow(path)["permissions"] == {}
    for name, job in jobs(path).items():
        writes = {scope for scope, access in job["permissions"].items() if access != "read"}
        assert writes == WRITES.get((path.stem, name), set())


def test_every_action_is_pinned_to_a_commit_with_its_version(path: Path) -> None:
    for line in path.read_text().splitlines():
        used = re.search(r"\buses:\s*(\S+)(.*)", line)
        if used is None or used[1].startswith("./"):
            continue
        action, _, commit = used[1].partition("@")
        assert PINS[action] == commit
        assert re.fullmatch(r" # v\d+\.\d+\.\d+ as of \d{4}-\d{2}-\d{2}", used[2])


def test_checkouts_keep_no_credentials(path: Path) -> None:
    for _, step in steps_of(read_workflow(path)):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_every_job_ends_in_time_and_no_two_collide(path: Path) -> None:
    assert "group" in read_workflow(path)["concurrency"]
    for job in jobs(path).values():
        assert "uses" in job or 0 < job["timeout-minutes"] <= 355


def test_whatever_pushes_to_the_dataset_takes_in_what_others_pushed(path: Path) -> None:
    """No two workflows share a group, where a third that waits would cancel the second; so each push merges."""
    pushes = [step["run"] for _, step in steps_of(read_workflow(path)) if "release push" in step.get("run", "")]
    assert all(run.endswith(" --rebase") for run in pushes)
    if pushes:
        assert path.stem in ("evaluate", "release-dataset", "withdrawals")
        assert read_workflow(path)["concurrency"]["cancel-in-progress"] is False
        groups = [read_workflow(other)["concurrency"]["group"] for other in FILES if other != path]
        assert read_workflow(path)["concurrency"]["group"] not in groups


def test_an_edited_issue_is_data(path: Path) -> None:
    """Only one workflow is started by an issue; nothing of the issue stands in it but its number, to be compared."""
    if "issues" not in read_workflow(path)["on"]:
        return
    text = path.read_text()
    assert "github.event.issue.body" not in text
    assert "github.event.issue.title" not in text
    act = jobs(path)["act"]
    assert act["if"] == "vars.INBOX != '' && github.event.issue.number == vars.INBOX"
    assert act["steps"][0]["with"] == {"ref": "main", "fetch-depth": 0, "persist-credentials": False}
    with_token = [step for step in act["steps"] if "github.token" in json.dumps(step)]
    assert [step["run"] for step in with_token] == [
        '.venv/bin/ircore submission inbox-act submissions --event "$GITHUB_EVENT_PATH" --issue "$INBOX"'
    ]


def test_no_expression_stands_in_a_command(path: Path) -> None:
    for _, step in steps_of(read_workflow(path)):
        assert "${{" not in step.get("run", "")


def test_steps_are_one_command_each(path: Path) -> None:
    """Whatever a workflow does can be given by hand on a laptop."""
    for _, step in steps_of(read_workflow(path)):
        if "run" in step:
            assert re.match(r"(\.venv/bin/ircore|make|git fetch) ", step["run"])
            assert not re.search(r"[;&|\n`]|\$\(", step["run"].strip())


def test_no_caches_and_no_scripts_of_others(path: Path) -> None:
    text = path.read_text()
    assert "actions/cache" not in text
    assert "cache:" not in text
    assert "curl" not in text
    assert "pip install" not in text


def test_each_secret_stands_in_one_step_of_a_protected_job(path: Path) -> None:
    text = path.read_text()
    if path.stem != "evaluate":
        assert "secrets." not in text
        assert "secrets:" not in text
        return
    with_secrets = [(job, step) for job, step in steps_of(read_workflow(path)) if "secrets." in json.dumps(step)]
    (name, season), (other, step) = with_secrets
    assert name == other == "evaluate"
    assert season["run"].startswith(".venv/bin/ircore submission season restore ")
    assert season["env"] == {"IRCORE_SEASON_SECRET": "${{ secrets.SEASON_SECRET }}"}
    assert step["run"].startswith(".venv/bin/ircore submission evaluate-pending ")
    assert jobs(path)[name]["environment"] == "evaluation"
    assert jobs(path)[name]["if"] == "github.ref == 'refs/heads/main'"
    services = yaml.safe_load((FOLDER.parents[1] / "ircore" / "submissions" / "addresses.yaml").read_text())["services"]
    assert step["env"] == {key: f"${{{{ secrets.{key} }}}}" for key in services.values()}


def test_whoever_takes_an_identity_is_protected(path: Path) -> None:
    for name, job in jobs(path).items():
        if job["permissions"].get("id-token") == "write" and "uses" not in job:
            environment = job["environment"]
            assert (environment if isinstance(environment, str) else environment["name"]) in ("dataset", "github-pages")
            assert "secrets." not in json.dumps(job), name


def test_strangers_files_are_never_checked_out(path: Path) -> None:
    """What a pull request brings is fetched as objects, and read by the code of the branch it is to be merged into."""
    assert "pull_request_target" not in path.read_text()
    assert "workflow_run" not in path.read_text()
    assert "issue_comment" not in path.read_text()
    if path.stem != "submission":
        return
    submitted = jobs(path)["submitted"]
    assert submitted["permissions"] == {"contents": "read"}
    assert submitted["steps"][0]["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"
    # The head is named in commands that read objects alone.
    for step in submitted["steps"]:
        if "$HEAD" in step.get("run", ""):
            assert re.match(r"\.venv/bin/ircore submission (check-change|preview) ", step["run"])


def test_what_stands_against_skipped_checks_cannot_be_skipped(path: Path) -> None:
    """Words in a commit message leave out workflows of pushes and pull requests; never those of the clock."""
    if path.stem == "gate":
        assert not {"push", "pull_request"} & set(read_workflow(path)["on"])
        assert [
            step["with"]["ref"] for _, step in steps_of(read_workflow(path)) if "checkout" in step.get("uses", "")
        ] == [
            "main",
            "main",
        ]
    if path.stem == "submission":
        (check,) = (step for _, step in steps_of(read_workflow(path)) if "check-change" in step.get("run", ""))
        assert '--account "$ACCOUNT"' in check["run"]
        assert jobs(path)["submitted"]["env"]["ACCOUNT"] == "${{ github.event.pull_request.user.id }}"


def test_every_python_and_system_that_is_promised_is_run(path: Path) -> None:
    """What pyproject.toml says of Pythons and systems is what ``ci`` runs."""
    if path.stem != "ci":
        return
    steps = jobs(path)
    pythons = {"3.11", *steps["python"]["strategy"]["matrix"]["python"]}
    promised = tomllib.loads((FOLDER.parents[1] / "pyproject.toml").read_text())["project"]["classifiers"]
    assert {f"Programming Language :: Python :: {python}" for python in pythons} == {
        classifier for classifier in promised if classifier.startswith("Programming Language")
    }
    systems = [steps["test"]["runs-on"], *steps["system"]["strategy"]["matrix"]["system"]]
    assert sorted(system.partition("-")[0] for system in systems) == ["macos", "ubuntu", "windows"]
    # The two other systems are promised when somebody has tried them.
    assert [name for name in promised if name.startswith("Operating System")] == ["Operating System :: POSIX :: Linux"]


def test_evaluations_read_texts_in_renderings(path: Path) -> None:
    """Without the extra ``ocr``, words to a judge that are drawn into a picture would pass unread."""
    if path.stem != "evaluate":
        return
    commands = [step["run"] for step in jobs(path)["evaluate"]["steps"] if "run" in step]
    assert commands[0] == "make install ocr"
    pinned = (FOLDER.parents[1] / "requirements" / "ocr.txt").read_text()
    assert "\nrapidocr==" in pinned
    assert "\nonnxruntime==" in pinned


def test_zizmor_finds_nothing_of_medium_severity_or_more(path: Path) -> None:
    program = shutil.which("zizmor", path=str(Path(sys.executable).parent)) or shutil.which("zizmor")
    if program is None:
        pytest.skip("zizmor is not installed")
    done = subprocess.run(
        [program, "--offline", "--no-config", "--persona", "pedantic", "--format", "json", str(path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    document = json.loads(done.stdout)
    assert [
        finding["ident"] for finding in document if finding["determinations"]["severity"] in ("Medium", "High")
    ] == []


@pytest.mark.slow
def test_every_command_is_one_that_exists_with_these_options(path: Path) -> None:
    """Also those that the pipeline's test does not run: the whole of ``ci``, and the demo in ``pages``."""
    for _, step in steps_of(read_workflow(path)):
        program, *words = shlex.split(step.get("run", "git"))
        if program == "make":
            dry = subprocess.run(
                ["make", "-n", *words], cwd=FOLDER.parents[1], capture_output=True, text=True, check=False
            )
            assert dry.returncode == 0, dry.stderr
        elif program == ".venv/bin/ircore":
            stand_ins = {"$PER_CONDITION": "10", "$MAX_COST": "1", "$INBOX": "1", "$BY": "maintainers", "$ACCOUNT": "7"}
            parsed([stand_ins.get(word, word) for word in words])
        else:
            assert program == "git"
