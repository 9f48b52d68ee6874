"""The maintainers' inbox: an issue that lists all pending work, with a box to tick for each decision.

The text is written by a workflow once a week. When a maintainer ticks a box, another workflow reads the text as data:
lines of exactly one form count, words of strangers stand in them as inert text, and nothing else is read.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from ircore.core.untrusted_text import shortened, without_controls
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Flag, read_provenance
from ircore.submissions.github import PullRequest
from ircore.submissions.history import is_cleared, is_gone
from ircore.submissions.merged_submissions import MergedSubmission

Action = Literal["accept", "evaluate", "clear", "withdraw", "settle"]
ACTIONS: tuple[Action, ...] = get_args(Action)

MINUTES: dict[Action, float] = {"accept": 1, "evaluate": 0.2, "clear": 1, "withdraw": 0, "settle": 1}
"""Minutes of a person that an offered decision takes: withdrawal is the other choice beside clearing and settling."""

MOST_CHARACTERS = 60_000
"""Of the whole text; GitHub takes 65,536."""

MOST_SHOWN = 300
"""Characters of a stranger's text that are shown."""

MARK = "<!-- inbox of the Image Reconstruction Game: boxes are read, all other text is not -->"

_LINE = re.compile(
    r"- \[(?P<tick>[ xX])\] \*\*(?P<action>[a-z]+)\*\* `(?P<target>#?[a-z0-9][a-z0-9_.-]{0,79})`"
    r"(?: `(?P<detail>[A-Za-z0-9][A-Za-z0-9_.-]{0,127})`)?(?: (?!`).*)?"
)


class Box(NamedTuple):
    """A decision that a box stands for.

    >>> Box("evaluate", "my-pair").line("to be played")
    '- [ ] **evaluate** `my-pair` to be played'
    """

    action: Action
    """The decision."""

    target: str
    """The submission's folder; ``#12`` for a pull request."""

    detail: str = ""
    """The run, or the pull request's last commit; empty if the decision is about the whole submission."""

    def line(self, text: str) -> str:
        """Return the line of the inbox; ``text`` is Markdown."""
        detail = f" `{self.detail}`" if self.detail else ""
        return f"- [ ] **{self.action}** `{self.target}`{detail} {text}"


class HeldRun(NamedTuple):
    """A published run with grave findings that no maintainer has cleared."""

    slug: str
    """Name of the submission's folder."""

    run_id: str
    """The run."""

    flags: tuple[Flag, ...]
    """The findings."""


class Inbox(NamedTuple):
    """Pending work of a maintainer.

    >>> Inbox(evaluations=(("my-pair", "to be played; at most 3.20 US$"),)).minutes
    2.2
    """

    pull_requests: Sequence[tuple[PullRequest, bool]] = ()
    """Open pull requests, and whether checks and gate of each ended well."""

    evaluations: Sequence[tuple[str, str]] = ()
    """Merged submissions to be evaluated, each with the reason and the cost."""

    held: Sequence[HeldRun] = ()
    """Published runs with findings."""

    disputed: Sequence[tuple[str, str]] = ()
    """Disputed submissions, each with the reason."""

    disputes: Sequence[tuple[int, str]] = ()
    """Open issues of the form *Dispute a result*: number and title."""

    failed: Sequence[str] = ()
    """Lines about published runs that did not come out the same when played again."""

    cost: str = ""
    """Sentence of this program on what all evaluations together cost."""

    @property
    def minutes(self) -> float:
        """Minutes of a person that all of it takes: reading, then the decisions, then one approval."""
        offered = sum(MINUTES[box.action] for box in boxes(self._body()))
        # One approval starts all evaluations together.
        return round(offered + (1 if self.evaluations else 0) + len(self.disputes) + len(self.failed[:10]) / 10 + 1, 1)

    def text(self, when: str) -> str:
        """Return the whole text of the issue, in Markdown.

        Args:
            when: The time at which it is written, for people.
        """
        about = (
            f"About {self.minutes:g} minutes. Written {when}. Tick a box to decide; an untouched box decides nothing."
        )
        text = f"{MARK}\n\n{about}\n\n{self._body()}"
        if len(text) <= MOST_CHARACTERS:
            return text
        # Cut at a line's end: half of a line could be read as another box.
        return text[:MOST_CHARACTERS].rpartition("\n")[0] + "\n\nMore waits: decide these first.\n"

    def _body(self) -> str:
        """Return the sections; empty sections share a line."""
        lines: list[str] = []
        idle = []
        for title, count, about, entries in self._sections():
            if count:
                lines += [f"## {title} ({count})", "", about, "", *entries, ""]
            else:
                idle.append(title.lower())
        return "\n".join([*lines, *([f"Nothing: {', '.join(idle)}.", ""] if idle else [])])

    def _sections(self) -> Iterator[tuple[str, int, str, Iterator[str]]]:
        """Yield title, number of things, explanation and lines of each section."""
        about = "Merges the pull request at this commit, after one more check. Its page says what was checked."
        yield "Accept", len(self.pull_requests), about, self._accept()
        about = "Plays or re-scores all ticked pairs in one run of *evaluate*, which asks for one approval."
        lines = (Box("evaluate", slug).line(shown(text)) for slug, text in self.evaluations)
        yield "Evaluate", len(self.evaluations), f"{about} {self.cost}".rstrip(), lines
        about = "Findings in published runs: clear what is honest, withdraw what is not."
        yield "Held", len(self.held), about, self._held()
        disputed = len(self.disputed) + len(self.disputes)
        yield "Disputed", disputed, "Settle (the run stays) or withdraw.", self._disputed()
        about = "Published runs of offline players that came out otherwise."
        yield "Failed reproductions", len(self.failed), about, (f"- {shown(line)}" for line in self.failed[:50])

    def _accept(self) -> Iterator[str]:
        for pull, checked in self.pull_requests:
            text = f"{shown(pull.title)} by {shown(pull.author)}"
            if checked:
                yield Box("accept", f"#{pull.number}", pull.head).line(text)
            else:
                yield f"- #{pull.number}: {text}: checks failed or still run"

    def _held(self) -> Iterator[str]:
        for run in self.held:
            first = "; ".join(f"{flag.rule} at {flag.where}: {flag.what}" for flag in run.flags[:3])
            more = f" and {len(run.flags) - 3} more" if len(run.flags) > 3 else ""
            yield Box("clear", run.slug, run.run_id).line(f"{shown(first)}{more}")
            yield Box("withdraw", run.slug, run.run_id).line("the run leaves the boards")

    def _disputed(self) -> Iterator[str]:
        for slug, reason in self.disputed:
            yield Box("settle", slug).line(shown(reason))
            yield Box("withdraw", slug).line("the pair leaves the boards")
        for number, title in self.disputes:
            yield f"- #{number}: {shown(title)}"


def boxes(text: str, ticked: bool | None = None) -> list[Box]:
    """Return the boxes of an inbox; every line of another form is left out.

    Args:
        text: The issue's text, from anybody.
        ticked: Only boxes that are ticked, or are not; all if None.
    """
    # GitHub sends texts that were edited in a browser with carriage returns.
    matches = [_LINE.fullmatch(line.rstrip("\r")) for line in text.split("\n")]
    return [
        Box(action, match["target"], match["detail"] or "")
        for match in matches
        if match is not None and (ticked is None or (match["tick"] != " ") == ticked)
        for action in ACTIONS
        if match["action"] == action
    ]


def newly_ticked(before: str, after: str) -> list[Box]:
    """Return the boxes that an edit ticked: there before, not ticked then, ticked now."""
    # A line that the edit itself brought in decides nothing.
    offered = set(boxes(before, ticked=False))
    return list(dict.fromkeys(box for box in boxes(after, ticked=True) if box in offered))


def shown(text: str) -> str:
    """Return a stranger's text as inert Markdown: no markup, link, mention or reference comes of it."""
    plain = without_controls(shortened(text, MOST_SHOWN))
    # GitHub links no name or number inside of <code>; entities are text, whatever they stand for.
    return f"<code>{re.sub(r'[^A-Za-z0-9 ,]', lambda match: f'&#{ord(match[0])};', plain)}</code>"


def held_runs(submissions: Iterable[MergedSubmission], published: Iterable[Path]) -> list[HeldRun]:
    """Return the published runs with grave findings that no maintainer has cleared, without withdrawn ones.

    Args:
        submissions: All merged submissions.
        published: Folders of the published runs.

    Raises:
        InputError: A run is damaged.
    """
    steps = {submission.slug: submission.steps for submission in submissions}
    runs = []
    for path in published:
        run, provenance = RunFolder(path).run, read_provenance(path)
        decided = steps.get(run.slug, ())
        grave = tuple(flag for flag in provenance.flags if flag.grave) if provenance is not None else ()
        if grave and not (is_cleared(decided, run.run_id) or is_gone(decided, run.run_id)):
            runs.append(HeldRun(run.slug, run.run_id, grave))
    return runs
