"""What holds for the workflows beyond what zizmor and actionlint read: who writes, what reports, where keys are."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from command_lines import parsed
from workflows import read_workflow, steps_of

ROOT = Path(__file__).resolve().parents[2]
FILES = {path.stem: path for path in sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))}
WORKFLOWS = {name: read_workflow(path) for name, path in FILES.items()}
STEPS = [(name, job, step) for name, workflow in WORKFLOWS.items() for job, step in steps_of(workflow)]
RUNS = [(name, job, step["run"]) for name, job, step in STEPS if "run" in step]


def test_no_workflow_writes_to_the_code_repository() -> None:
    writes = {
        (name, job, scope)
        for name, workflow in WORKFLOWS.items()
        for job, body in workflow["jobs"].items()
        for scope, access in {**workflow["permissions"], **body["permissions"]}.items()
        if access != "read"
    }
    # Permissions of a called workflow are those of its caller.
    sites = {(name, "site") for name in ("dataset", "evaluate")} | {("pages", "deploy")}
    publishing = {("dataset", "publish"), ("evaluate", "publish")}
    assert writes == {(*site, scope) for site in sites for scope in ("pages", "id-token")} | {
        (*job, "id-token") for job in publishing
    }


def test_the_required_check_always_reports() -> None:
    """Neither a filter nor a condition leaves it out: a job that is left out counts as passed."""
    assert WORKFLOWS["submission"]["on"] == {"pull_request": None, "merge_group": None}
    (job,) = WORKFLOWS["submission"]["jobs"].values()
    assert "if" not in job
    assert job["name"] == "Check what is submitted"
    assert "pull_request_target" not in "".join(path.read_text() for path in FILES.values())


def test_steps_are_one_command_each() -> None:
    """Whatever a workflow does can be given by hand on a laptop."""
    for name, job, run in RUNS:
        assert re.match(r"(\.venv/bin/ircore|make|git fetch) ", run), (name, job, run)
        assert not re.search(r"\$\{\{|[;&|\n`]|\$\(", run.strip()), (name, job, run)


def test_each_secret_stands_in_one_step_of_a_protected_job() -> None:
    season, evaluation = (step for name, _, step in STEPS if "secrets." in json.dumps(step))
    assert season["env"] == {"IRCORE_SEASON_SECRET": "${{ secrets.SEASON_SECRET }}"}
    services = yaml.safe_load((ROOT / "ircore" / "submissions" / "addresses.yaml").read_text())["services"]
    assert evaluation["env"] == {key: f"${{{{ secrets.{key} }}}}" for key in services.values()}
    job = WORKFLOWS["evaluate"]["jobs"]["evaluate"]
    assert season in job["steps"]
    assert evaluation in job["steps"]
    assert job["environment"] == "evaluation"
    # Nobody is asked to approve an evaluation of nothing.
    assert job["if"] == "github.ref == 'refs/heads/main' && needs.waiting.outputs.count != '0'"


def test_every_python_that_is_promised_is_run() -> None:
    """What pyproject.toml says of Pythons is what ``ci`` runs."""
    pythons = {"3.11", *WORKFLOWS["ci"]["jobs"]["python"]["strategy"]["matrix"]["python"]}
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    assert {f"Programming Language :: Python :: {python}" for python in pythons} == {
        classifier for classifier in promised if classifier.startswith("Programming Language")
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "options"),
    [("zizmor", ["--offline", "--no-config", "--persona", "pedantic", "--min-severity", "medium"]), ("actionlint", [])],
)
def test_readers_of_workflows_find_nothing(program: str, options: list[str]) -> None:
    place = shutil.which(program, path=str(Path(sys.executable).parent)) or shutil.which(program)
    if place is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run([place, *options, *map(str, FILES.values())], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_every_command_is_one_that_exists_with_these_options() -> None:
    """Also those that the rehearsal does not run: the whole of ``ci``, and the demo in ``pages``."""
    stand_ins = {"$PER_CONDITION": "10", "$MAX_COST": "1", "$BY": "maintainers"}
    for run in {run for *_, run in RUNS}:
        program, *words = shlex.split(run)
        if program == "make":
            dry = subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True, check=False)
            assert dry.returncode == 0, dry.stderr
        elif program == ".venv/bin/ircore":
            parsed([stand_ins.get(word, word) for word in words])
