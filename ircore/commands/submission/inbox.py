"""``ircore submission inbox`` and ``inbox-act``: one issue that says what waits, and what its ticked boxes start."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ircore.commands.options import PATH, POSITIVE, path_option, published_runs
from ircore.core.errors import InputError
from ircore.core.terminal import printable
from ircore.instances.store import read_instances
from ircore.players.submission import MANIFEST
from ircore.submissions.batch import forecast
from ircore.submissions.branches import fetch_pull_request
from ircore.submissions.check.change import check_change
from ircore.submissions.check.reports import add_step_summary
from ircore.submissions.findings import errors
from ircore.submissions.gate import STATUS, proposer_of, record_owner
from ircore.submissions.github import GitHub
from ircore.submissions.history import HISTORY, Kind, Step, add_step
from ircore.submissions.inbox import Box, Inbox, boxes, held_runs, newly_ticked
from ircore.submissions.merged_submissions import merged_submissions
from ircore.submissions.pending_submissions import pending_submissions

KINDS: dict[str, Kind] = {"clear": "cleared", "withdraw": "withdrawn", "settle": "settled"}
"""The decisions that are a line in a submission's history."""

MOST_BYTES = 1024**2
"""Largest event that is read, in bytes."""

_folder = click.argument("folder", default="submissions", type=PATH)
_issue = click.option("--issue", type=click.IntRange(min=1), metavar="N", help="The issue that is the inbox.")


@click.command("inbox", short_help="Write what waits for maintainers, with a box for each decision.")
@_folder
@path_option("--published", "Folder of published runs, made by ircore release pull.", required=True)
@path_option("--instances", "Instance set that counts: its size decides the cost of playing.")
@path_option("--reproduced", "Report written by ircore submission reproduce --report.")
@path_option("--prices", "File of prices that are added to the built-in prices.")
@click.option("--github", is_flag=True, help="Ask GitHub for pull requests and disputes: in a job alone.")
@_issue
def inbox(
    folder: Path,
    published: Path,
    instances: Path | None,
    reproduced: Path | None,
    prices: Path | None,
    github: bool,
    issue: int | None,
) -> None:
    """Print the inbox for the submissions in FOLDER, or write it to the issue --issue (with --github)."""
    service = GitHub.of_job() if github else None
    known = _collected(folder, published, instances, reproduced, prices, service)
    text = known.text(datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"))
    add_step_summary(text)
    if service is None or issue is None:
        click.echo(text)
        return
    service.write_issue(issue, text)
    click.echo(f"issue {issue}: about {known.minutes:g} minutes of work")


def _collected(
    folder: Path,
    published: Path,
    instances: Path | None,
    reproduced: Path | None,
    prices: Path | None,
    service: GitHub | None,
) -> Inbox:
    current = read_instances(instances) if instances is not None else None
    runs, merged = published_runs(published), merged_submissions(folder)
    loaded = {submission.slug: submission.loaded for submission in merged}

    waiting = {}
    for each in pending_submissions(folder, runs, current):
        pair = loaded[each.slug]
        known = current if current and current.game == pair.submission.game else None
        waiting[each.slug] = (each.what, forecast(pair, known, prices))
    costs = [known.cost_usd for _, known in waiting.values()]
    total = f"All of them: at most about {sum(cost or 0 for cost in costs):.2f} US$"
    total += " and what is not foretold." if None in costs else "."
    disputed = [submission for submission in merged if submission.status == "disputed"]
    pulls = service.pull_requests() if service is not None else []
    return Inbox(
        [(pull, service.is_checked(pull.head, STATUS)) for pull in pulls if service is not None],
        [(slug, f"{kind}; {known.text}") for slug, (kind, known) in waiting.items()],
        held_runs(merged, runs),
        [
            (each.slug, next(step.reason for step in reversed(each.steps) if step.kind == "disputed"))
            for each in disputed
        ],
        service.open_disputes() if service is not None else (),
        reproduced.read_text("utf-8").splitlines() if reproduced is not None and reproduced.is_file() else (),
        total,
    )


@click.command("inbox-act", short_help="Do what boxes ticked in the inbox say.")
@_folder
@click.option("--event", type=PATH, required=True, help="The event, as GitHub wrote it.")
@_issue
@click.option(
    "--max-cost", type=POSITIVE, default=100, show_default=True, metavar="USD", help="Cost limit of an evaluation."
)
def inbox_act(folder: Path, event: Path, issue: int | None, max_cost: float) -> int:
    """Carry out the decisions that a maintainer ticked in the inbox.

    The event is data: the issue must be the inbox, the account one that may push, and a box one that was there and not
    ticked before. Everything else in the text is left unread.
    """
    service = GitHub.of_job()
    number, sender, before, after = _edit(event)
    if issue is None or number != issue:
        click.echo("another issue than the inbox: nothing to do")
        return 0
    # Whoever opened the issue can edit it, too.
    if not service.is_maintainer(sender):
        raise InputError(f"{sender[:80]!a}: may not push to the repository", "A maintainer ticks the boxes.")
    ticked = newly_ticked(before, after)
    lines = _done(service, folder, ticked, after, sender, max_cost)
    add_step_summary("### Inbox\n\n" + "".join(f"* {line}\n" for _, line in lines))
    for _, line in lines:
        click.echo(printable(line))
    if not lines:
        click.echo("no box was ticked")
    return 0 if all(good for good, _ in lines) else 1


def _edit(event: Path) -> tuple[int, str, str, str]:
    """Return issue, account, and the text before and after an edit; ``InputError`` for any other event."""
    remedy = "This is for the workflow inbox, which edited issues start."
    # Anybody can write into an issue, so the event is a stranger's text.
    if event.stat().st_size > MOST_BYTES:
        raise InputError(f"{event}: larger than {MOST_BYTES // 1024} KiB", remedy)
    try:
        known: Any = json.loads(event.read_bytes())
        # An edit of the title alone has no earlier body; the text is then the same before and after.
        before = known["changes"].get("body", {}).get("from") or known["issue"]["body"]
        stated = (known["issue"]["number"], known["sender"]["login"], before, known["issue"]["body"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{event}: no event of an edited issue", remedy) from error
    number, sender, earlier, later = stated
    if type(number) is not int or not all(isinstance(text, str) for text in (sender, earlier, later)):
        raise InputError(f"{event}: no event of an edited issue", remedy)
    return number, sender, earlier, later


def _done(
    service: GitHub, folder: Path, ticked: list[Box], text: str, sender: str, max_cost: float
) -> list[tuple[bool, str]]:
    """Carry out decisions; return for each whether it succeeded, and a line about it."""
    lines: list[tuple[bool, str]] = []

    def attempt(about: str, act: Callable[[], object]) -> None:
        try:
            act()
            lines.append((True, f"{about}: done"))
        except InputError as error:
            lines.append((False, f"{about}: {error.problem}"))

    for box in ticked:
        about = " ".join(part for part in box if part)
        if box.action == "accept":
            attempt(about, lambda box=box: _accept(service, folder, box))  # type: ignore[misc]
        elif box.action in KINDS:
            attempt(about, lambda box=box: _decide(service, folder, box, sender))  # type: ignore[misc]
    # Commits of a job start no other workflow.
    if any(box.action in KINDS for box in ticked):
        attempt("site and dataset", lambda: service.dispatch("withdrawals.yml", {}))
    elif any(box.action == "accept" for box in ticked):
        attempt("site", lambda: service.dispatch("pages.yml", {}))
    if any(box.action == "evaluate" for box in ticked):
        # Those ticked earlier too: a later job takes the place of one that still waits.
        slugs = dict.fromkeys(box.target for box in boxes(text, ticked=True) if box.action == "evaluate")
        inputs = {"slugs": ",".join(slugs), "max_cost": f"{max_cost:g}"}
        attempt(f"evaluate {inputs['slugs']}", lambda: service.dispatch("evaluate.yml", inputs))
    return lines


def _accept(service: GitHub, folder: Path, box: Box) -> None:
    """Check a pull request by the code that is here, and merge it: a fork can change the workflow that checks it there.

    Raises:
        InputError: Its last commit is another one by now, or it is not one valid submission of its account.
    """
    number = int(box.target.removeprefix("#"))
    # The box names the commit that was looked at; a later one was seen by nobody.
    if fetch_pull_request(folder, number) != box.detail:
        raise InputError("its last commit is another one by now", "Look at it again: the inbox is rewritten weekly.")
    pull = service.pull_request(number)
    checked = check_change(folder, "HEAD", box.detail, proposer=proposer_of(pull, service.repository), title=pull.title)
    for finding in errors(checked.findings):
        raise InputError(f"{finding.where}: {finding.what}", "It is merged by hand, if at all.")
    service.merge(number, box.detail)
    record_owner(service, pull, [each.slug for each in checked.checked if not (folder / each.slug).is_dir()])


def _decide(service: GitHub, folder: Path, box: Box, sender: str) -> None:
    """Add a line to the history of a submission, here and on the branch ``main``."""
    # Looked up among the names that are there: the name of a box is text that anybody may have written.
    place = folder / box.target
    if box.target not in {path.parent.name for path in folder.glob(f"*/{MANIFEST}")}:
        raise InputError(f"{box.target}: no such submission", "See submissions/.")
    kind, today = KINDS[box.action], datetime.now(UTC).date().isoformat()
    reason = {"cleared": "findings were looked at", "withdrawn": "withdrawn", "settled": "looked at"}[kind]
    step = Step(date=today, kind=kind, reason=f"{reason} by maintainers, in their inbox", run_id=box.detail or None)
    add_step(place, step)
    name = f"submissions/{box.target}/{HISTORY}"
    service.write_file(name, (place / HISTORY).read_bytes(), f"{box.target}: {kind} by {sender}")
