"""What holds for every workflow, read from the files: whoever changes one against these rules is told here."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_lines import parsed
from workflows import read_workflow, steps_of

ROOT = Path(__file__).resolve().parents[2]
FILES = {path.stem: path for path in sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))}
WORKFLOWS = {name: read_workflow(path) for name, path in FILES.items()}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in FILES.items()}
JOBS: list[tuple[str, str, dict[str, Any]]] = [
    (name, job, body) for name, workflow in WORKFLOWS.items() for job, body in workflow["jobs"].items()
]
STEPS = [(name, job, step) for name, workflow in WORKFLOWS.items() for job, step in steps_of(workflow)]
RUNS = [(name, job, step, step["run"]) for name, job, step in STEPS if "run" in step]
WRITES = {
    ("evaluate", "publish"): {"id-token"}, ("evaluate", "site"): {"pages", "id-token"},
    ("gate", "owners"): {"contents"}, ("gate", "statuses"): {"statuses"},
    ("inbox", "act"): {"actions", "contents", "pull-requests"}, ("pages", "deploy"): {"pages", "id-token"},
    ("release-dataset", "release"): {"id-token"}, ("scheduled", "inbox"): {"issues"},
    ("withdrawals", "publish"): {"id-token"}, ("withdrawals", "site"): {"pages", "id-token"},
}  # fmt: skip
"""Which job may write what; no other job may write anything."""


def test_nothing_is_permitted_unless_a_job_asks_for_it() -> None:
    assert [name for name, workflow in WORKFLOWS.items() if workflow["permissions"] != {}] == []
    writes = {
        (name, job): {scope for scope, access in body["permissions"].items() if access != "read"}
        for name, job, body in JOBS
    }
    assert {place: scopes for place, scopes in writes.items() if scopes} == WRITES


def test_whatever_pushes_to_the_dataset_takes_in_what_others_pushed() -> None:
    """No two workflows share a group, where a third that waits would cancel the second; so each push merges."""
    pushing = {name: run for name, _, _, run in RUNS if "release push" in run}
    assert set(pushing) == {"evaluate", "release-dataset", "withdrawals"}
    assert all(run.endswith(" --rebase") for run in pushing.values())
    groups = [workflow["concurrency"]["group"] for workflow in WORKFLOWS.values()]
    for name in pushing:
        assert WORKFLOWS[name]["concurrency"]["cancel-in-progress"] is False
        assert groups.count(WORKFLOWS[name]["concurrency"]["group"]) == 1


def test_an_edited_issue_is_data() -> None:
    """Only one workflow is started by an issue; nothing of the issue stands in it but its number, to be compared."""
    assert [name for name, workflow in WORKFLOWS.items() if "issues" in workflow["on"]] == ["inbox"]
    assert not re.search(r"github\.event\.issue\.(body|title)", TEXTS["inbox"])
    act = WORKFLOWS["inbox"]["jobs"]["act"]
    assert act["if"] == "vars.INBOX != '' && github.event.issue.number == vars.INBOX"
    assert act["steps"][0]["with"]["ref"] == "main"
    with_token = [step["run"].split()[:3] for step in act["steps"] if "github.token" in json.dumps(step)]
    assert with_token == [[".venv/bin/ircore", "submission", "inbox-act"]]


def test_steps_are_one_command_each_without_expressions_caches_or_scripts_of_others() -> None:
    """Whatever a workflow does can be given by hand on a laptop."""
    for name, job, _, run in RUNS:
        assert re.match(r"(\.venv/bin/ircore|make|git fetch) ", run), (name, job, run)
        assert not re.search(r"\$\{\{|[;&|\n`]|\$\(", run.strip()), (name, job, run)
    for name, text in TEXTS.items():
        assert not re.search(r"actions/cache|cache:|curl|pip install", text), name


def test_each_secret_stands_in_one_step_of_a_protected_job() -> None:
    assert [name for name, text in TEXTS.items() if "secrets." in text or "secrets:" in text] == ["evaluate"]
    season, evaluation = (step for *_, step in STEPS if "secrets." in json.dumps(step))
    assert season["run"].startswith(".venv/bin/ircore submission season restore ")
    assert season["env"] == {"IRCORE_SEASON_SECRET": "${{ secrets.SEASON_SECRET }}"}
    assert evaluation["run"].startswith(".venv/bin/ircore submission evaluate-pending ")
    services = yaml.safe_load((ROOT / "ircore" / "submissions" / "addresses.yaml").read_text())["services"]
    assert evaluation["env"] == {key: f"${{{{ secrets.{key} }}}}" for key in services.values()}
    job = WORKFLOWS["evaluate"]["jobs"]["evaluate"]
    assert season in job["steps"]
    assert evaluation in job["steps"]
    assert (job["environment"], job["if"]) == ("evaluation", "github.ref == 'refs/heads/main'")


def test_what_stands_against_skipped_checks_cannot_be_skipped() -> None:
    """Words in a commit message leave out workflows of pushes and pull requests; never those of the clock."""
    assert not {"push", "pull_request"} & set(WORKFLOWS["gate"]["on"])
    refs = [step["with"]["ref"] for name, _, step in STEPS if name == "gate" and "checkout" in step.get("uses", "")]
    assert set(refs) == {"main"}
    (check,) = (run for name, _, _, run in RUNS if name == "submission" and "check-change" in run)
    assert '--account "$ACCOUNT"' in check
    submitted = WORKFLOWS["submission"]["jobs"]["submitted"]
    assert submitted["env"]["ACCOUNT"] == "${{ github.event.pull_request.user.id }}"


def test_every_python_and_system_that_is_promised_is_run() -> None:
    """What pyproject.toml says of Pythons and systems is what ``ci`` runs."""
    steps = WORKFLOWS["ci"]["jobs"]
    pythons = {"3.11", *steps["python"]["strategy"]["matrix"]["python"]}
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    assert {f"Programming Language :: Python :: {python}" for python in pythons} == {
        classifier for classifier in promised if classifier.startswith("Programming Language")
    }
    systems = [steps["test"]["runs-on"], *steps["system"]["strategy"]["matrix"]["system"]]
    assert sorted(system.partition("-")[0] for system in systems) == ["macos", "ubuntu", "windows"]
    # The two other systems are promised when somebody has tried them.
    assert [name for name in promised if name.startswith("Operating System")] == ["Operating System :: POSIX :: Linux"]


def test_zizmor_finds_nothing_of_medium_severity_or_more() -> None:
    program = shutil.which("zizmor", path=str(Path(sys.executable).parent)) or shutil.which("zizmor")
    if program is None:
        pytest.skip("zizmor is not installed")
    options = ["--offline", "--no-config", "--persona", "pedantic", "--format", "json"]
    done = subprocess.run([program, *options, *map(str, FILES.values())], capture_output=True, text=True, check=False)
    severe = [found for found in json.loads(done.stdout) if found["determinations"]["severity"] in ("Medium", "High")]
    assert [found["ident"] for found in severe] == []


@pytest.mark.slow
def test_every_command_is_one_that_exists_with_these_options() -> None:
    """Also those that the pipeline's test does not run: the whole of ``ci``, and the demo in ``pages``."""
    stand_ins = {"$PER_CONDITION": "10", "$MAX_COST": "1", "$INBOX": "1", "$BY": "maintainers", "$ACCOUNT": "7"}
    for run in {run for *_, run in RUNS}:
        program, *words = shlex.split(run)
        if program == "make":
            dry = subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True, check=False)
            assert dry.returncode == 0, dry.stderr
        elif program == ".venv/bin/ircore":
            parsed([stand_ins.get(word, word) for word in words])
        else:
            assert program == "git"
