"""The inbox is data: lines of one form are decisions, all else is text, whoever wrote it."""

import json
from pathlib import Path

import pytest
from github_server import TOKEN, git, running_github

from ircore.commands.main import run as ircore
from ircore.runs.provenance import Flag
from ircore.submissions.github import PullRequest
from ircore.submissions.inbox import Box, HeldRun, Inbox, boxes, newly_ticked, shown

HEAD = "a" * 40
HOSTILE = (
    "- [x] **accept** `#1` `" + HEAD + "`",
    "x\n- [x] **evaluate** `my-pair`",
    "x\r- [x] **withdraw** `my-pair`",
    "<img src=x onerror=alert(1)>",
    "[a](https://evil.example) @everyone #12 `code` **bold** <!-- x -->",
    "www.evil.example _a_ GH-1 e-mail: a@b.example",
    "$(touch /tmp/owned) ${{ secrets.KEY }} ; rm -rf",
    "‮ right to left ​",
    "A" * 100_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_words_of_strangers_are_no_boxes_and_no_markup(text: str) -> None:
    inbox = Inbox(
        pull_requests=[(PullRequest(1, HEAD, text, text), True), (PullRequest(2, HEAD, text, text), False)],
        evaluations=[("my-pair", text)],
        held=[HeldRun("held", "held-1", (Flag(rule="copy", where="turn 1", what="seen"),))],
        disputed=[("disputed", text)],
        disputes=[(3, text)],
        failed=[text],
    )
    written = inbox.text("now")
    assert boxes(written, ticked=True) == []
    assert boxes(written) == [
        Box("accept", "#1", HEAD),
        Box("evaluate", "my-pair"),
        Box("clear", "held", "held-1"),
        Box("withdraw", "held", "held-1"),
        Box("settle", "disputed"),
        Box("withdraw", "disputed"),
    ]
    inert = shown(text).removeprefix("<code>").removesuffix("</code>")
    assert not set(inert) & set("<>@[]()`*$!._\n\r")
    assert len(written) < 65_536


def test_only_a_box_that_was_offered_and_is_ticked_now_counts() -> None:
    before = "- [ ] **evaluate** `a` text\n- [x] **evaluate** `b` text\n- [ ] **settle** `c` text"
    after = before.replace("[ ]", "[X]") + "\n- [x] **withdraw** `d`\n- [x] **delete** `a`\n - [x] **settle** `a`"
    assert newly_ticked(before, after) == [Box("evaluate", "a"), Box("settle", "c")]
    assert newly_ticked(after, after) == []
    for line in (
        "- [x] **evaluate** `../a`",
        "- [x] **evaluate** `a` `../b`",
        "- [x] **evaluate** a",
        "* [x] **settle** `a`",
    ):
        assert boxes(line) == []


def test_the_minutes_of_a_week_are_counted() -> None:
    """One to read, one to approve the evaluation, one each to accept, clear and settle, a tick for each evaluation."""
    inbox = Inbox(
        pull_requests=[(PullRequest(number, HEAD, "t", "a"), True) for number in (1, 2)],
        evaluations=[("a", "x"), ("b", "x")],
        held=[HeldRun("c", "c-1", (Flag(rule="copy", where="turn 1", what="seen"),))],
        disputed=[("d", "x")],
    )
    assert inbox.minutes == pytest.approx(1 + 1 + 2 + 0.4 + 1 + 1)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A bare repository with one submission, and a clone of it."""
    clone = tmp_path / "clone"
    folder = clone / "submissions" / "my-pair"
    folder.mkdir(parents=True)
    text = "schema: 1\nname: A\nlicence: Apache-2.0\ndescriber: {player: classical}\ngenerator: {player: canvas}\n"
    (folder / "submission.yaml").write_text(text)
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(tmp_path / "origin.git"))
    git(clone, "init", "-q", "-b", "main")
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "start")
    git(clone, "push", "-q", str(tmp_path / "origin.git"), "main")
    return clone


@pytest.mark.slow
def test_ticks_of_maintainers_alone_are_followed(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    origin, event = repository.parent / "origin.git", repository.parent / "event.json"
    before = "- [ ] **withdraw** `my-pair` x\n- [ ] **withdraw** `nobody` x\n- [ ] **evaluate** `my-pair` x"

    def act(sender: str, number: int, before: str, after: str) -> int:
        issue = {"number": number, "body": after}
        document = {"issue": issue, "sender": {"login": sender}, "changes": {"body": {"from": before}}}
        event.write_text(json.dumps(document))
        words = ["submission", "inbox-act", str(repository / "submissions"), "--event", str(event), "--issue", "5"]
        return ircore(words)

    with running_github(origin, repository.parent / "artefacts") as github:
        github.maintainers = {"me"}
        for name, value in (("API_URL", github.url), ("REPOSITORY", "org/benchmark"), ("TOKEN", TOKEN)):
            monkeypatch.setenv(f"GITHUB_{name}", value)
        assert act("somebody", 5, before, before.replace("[ ]", "[x]")) == 2
        assert act("me/../me", 5, before, before.replace("[ ]", "[x]")) == 2
        assert act("me", 6, before, before.replace("[ ]", "[x]")) == 0
        assert act("me", 5, before, before) == 0
        assert github.started == []
        # Of two decisions one is about nobody: it is told, the others are done.
        assert act("me", 5, before, before.replace("[ ]", "[x]")) == 1
        told = capsys.readouterr().out
        assert "withdraw my-pair: done" in told
        assert "withdraw nobody: nobody: no such submission" in told
        assert github.started == [("withdrawals.yml", {}), ("evaluate.yml", {"slugs": "my-pair", "max_cost": "100"})]
    step = json.loads(git(origin, "show", "main:submissions/my-pair/history.jsonl"))
    assert (step["kind"], step.get("run_id")) == ("withdrawn", None)


@pytest.mark.slow
def test_a_pull_request_is_checked_here_before_it_is_merged(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A green mark proves nothing: a fork can change the workflow that makes it."""
    origin, event = repository.parent / "origin.git", repository.parent / "event.json"
    good = (repository / "submissions" / "my-pair" / "submission.yaml").read_text().replace("name: A", "name: B")
    git(repository, "remote", "add", "origin", str(origin))
    heads = {}
    for number, (path, text) in enumerate([("submissions/b/submission.yaml", good), ("ircore/evil.py", "x")], start=1):
        git(repository, "switch", "-qC", f"change-{number}", "main")
        (repository / path).parent.mkdir(parents=True)
        (repository / path).write_text(text)
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "a change")
        git(repository, "push", "-q", "origin", f"HEAD:refs/pull/{number}/head")
        heads[number] = git(repository, "rev-parse", "HEAD").strip()
    git(repository, "switch", "-q", "main")

    with running_github(origin, repository.parent / "artefacts") as github:
        github.maintainers = {"me"}
        for name, value in (("API_URL", github.url), ("REPOSITORY", "org/benchmark"), ("TOKEN", TOKEN)):
            monkeypatch.setenv(f"GITHUB_{name}", value)
        lines = [f"**accept** `#{number}` `{head}`" for number, head in heads.items()]
        lines.append(f"**accept** `#1` `{heads[2]}`")  # of another commit than was looked at
        before, after = ("\n".join(f"- [{tick}] {line}" for line in lines) for tick in (" ", "x"))
        issue = {"number": 5, "body": after}
        event.write_text(json.dumps({"issue": issue, "sender": {"login": "me"}, "changes": {"body": {"from": before}}}))
        words = ["submission", "inbox-act", str(repository / "submissions"), "--event", str(event), "--issue", "5"]
        assert ircore(words) == 1
        assert github.started == [("pages.yml", {})]
    told = capsys.readouterr().out
    assert f"accept #1 {heads[1]}: done" in told
    assert "ircore/evil.py" in told
    assert "another one by now" in told
    assert heads[1] in git(origin, "rev-list", "main")
    assert heads[2] not in git(origin, "rev-list", "main")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"issue": 1}', "[" * 100_000, '{"issue": {"number": true}}'])
def test_an_event_of_another_form_is_refused(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("API_URL", "http://127.0.0.1:9"), ("REPOSITORY", "org/benchmark"), ("TOKEN", TOKEN)):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    (tmp_path / "event.json").write_text(text)
    assert ircore(["submission", "inbox-act", "--event", str(tmp_path / "event.json"), "--issue", "5"]) == 2
    assert "no event of an edited issue" in capsys.readouterr().err
