"""``ircore submission hand-in``: from nothing to a pull request, one step after the other."""

import hashlib
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

import click

from ircore import __version__
from ircore.commands.options import (
    PATH,
    POSITIVE,
    draw_own_set,
    format_options,
    path_option,
    published_option,
    run_nested,
)
from ircore.core.episode_records import list_renderings
from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.plain_words import format_count
from ircore.core.plugins import require_extras
from ircore.core.terminal import make_printable
from ircore.games.registry import load_game
from ircore.instances.store import read_instances
from ircore.players.submission import MANIFEST, LoadedSubmission, read_manifest
from ircore.runs.costs.prices import RunPrices, read_prices
from ircore.runs.folder import JOURNAL, RUN_FILE, SCORES, RunFolder, add_facts, read_facts
from ircore.submissions.branches import Clone
from ircore.submissions.drafts import choose_new_folder, find_purpose, read_draft
from ircore.submissions.pending_work import list_unpriced, write_bounds
from ircore.submissions.rescoring.fetch import check_repository
from ircore.submissions.texts import format_seat_options


@dataclass
class _Plan:
    """Options about a pair that is handed in."""

    folder: Path
    game: str
    seats: tuple[str, ...]
    rules: tuple[str, ...]
    played_by: str | None
    repo: str | None
    instances: Path | None
    published: str | None
    play_options: list[str]
    prices: Path | None
    is_limited: bool
    remote: str
    upstream: str
    main: str
    work: Path
    commits: bool
    dry_run: bool
    yes: bool

    @property
    def salt(self) -> Path:
        return Path(f"{self.slug}.salt")

    @property
    def slug(self) -> str:
        return self.folder.absolute().name

    @property
    def game_played(self) -> str:
        return self.load().submission.game

    @property
    def run(self) -> Path:
        return self.work / "runs" / self.slug

    @property
    def packed(self) -> Path:
        return self.work / "packed" / self.slug

    def load(self) -> LoadedSubmission:
        return read_manifest(self.folder)


@click.command("hand-in", short_help="From nothing to a pull request: asks, shows, does.")
@click.argument("path", type=PATH)
@click.option("--game", default="reconstruction", show_default=True, metavar="NAME", help="The game of a new pair.")
@click.option(
    "--seat",
    "seats",
    metavar="'SEAT=PLAYER [MODEL] [ADDRESS] [KEY_VARIABLE] [NAME=VALUE]…'",
    multiple=True,
    help="Player of a seat of a new pair, such as 'describer=openai gpt-5.2 temperature=0'.",
)
@click.option(
    "--rule", "rules", metavar="NAME=VALUE", multiple=True, help="Rule of a new pair; may be given several times."
)
@click.option("--played-by", type=click.Choice(["me", "maintainers"]), help="Who plays the pair.")
@click.option("--repo", metavar="ORG/NAME", help="Your public dataset repository for the transcripts.")
@path_option("--instances", "The instance set; drawn if not given.")
@published_option
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, show_default=True, help="Episodes at once.")
@click.option("--max-cost", type=POSITIVE, metavar="USD", help="Stop playing at this cost.")
@path_option("--prices", "File of prices that are added to the built-in prices.")
@click.option("--remote", default="origin", show_default=True, help="Git remote to push to: your fork.")
@click.option("--upstream", help="Git remote to be merged into; by default upstream, or origin if there is none.")
@click.option("--main", default="main", show_default=True, metavar="BRANCH", help="Branch to be merged into.")
@click.option("--work", type=PATH, default=Path("build"), show_default=True, help="Folder for runs and packed files.")
@click.option("--commit", "commits", is_flag=True, help="Commit to one run before it is played.")
@click.option(
    "--dry-run", is_flag=True, help="Do all but push: no pull request, and transcripts are uploaded only with --repo."
)
@click.option("--yes", is_flag=True, help="Ask nothing: take the values of options, else the proposed values.")
def hand_in(
    path: Path,
    game: str,
    seats: tuple[str, ...],
    rules: tuple[str, ...],
    played_by: str | None,
    repo: str | None,
    instances: Path | None,
    published: str | None,
    concurrency: int,
    max_cost: float | None,
    prices: Path | None,
    remote: str,
    upstream: str | None,
    main: str,
    work: Path,
    commits: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Hand in the submission PATH, such as submissions/my-pair: manifest, play, transcripts, branch, pull request.

    Each step is shown before it is done, and can be given by hand as it is shown; a step that is left out says why.
    Stop it whenever you like: the same command goes on where it stopped, and no answer is asked or paid for twice. The
    branch goes to your fork; to the repository to be merged into nothing is pushed.
    """
    # In a script a question would wait for ever.
    if not (yes or sys.stdin.isatty()):
        raise InputError("nobody can be asked here", "Say everything by options, and --yes: hand-in --help.")
    options = format_options({"--concurrency": concurrency, "--max-cost": max_cost})
    folder = choose_new_folder(path)
    clone = Clone(folder)
    upstream = upstream or ("upstream" if "upstream" in clone.remotes() else "origin")
    plan = _Plan(
        folder,
        game,
        seats,
        rules,
        played_by,
        repo,
        instances,
        published,
        options,
        prices,
        max_cost is not None,
        remote,
        upstream,
        main,
        work,
        commits,
        dry_run,
        yes,
    )
    if plan.slug == main:
        raise InputError(f"{path}: is called like the branch to be merged into", "Choose another name.")
    if why := _find_push_fault(plan, clone):
        # Told at once, although the other steps can be done: play may take hours.
        click.echo(make_printable(f"Nothing will be pushed: {why.problem}\n  {why.remedy}"), err=True)
    _prepare_manifest(plan, clone)
    if _decide_to_play(plan):
        # Before anything is paid for: the preview needs one, the upload the other.
        require_extras("submission hand-in", ["site", "release"])
        if not _commit_to_run(plan, clone):
            return
        _play(plan)
        _rehearse(plan)
        uploaded = _upload(plan)
        _propose(plan, clone, "" if uploaded else "the manifest names no transcripts yet")
        return
    for number, title in enumerate(STEPS[2:6], start=3):
        _leave_out(number, title, _explain_not_played(plan))
    _propose(plan, clone)


STEPS = (
    *("The manifest", "Who plays it", "Commit to one run", "Play and score"),
    *("Rehearse what the maintainers will do", "Upload the transcripts", "Branch and pull request"),
)
"""Titles of the steps."""


def _find_push_fault(plan: _Plan, clone: Clone) -> InputError | None:
    """Return why nothing can be pushed: the remote to push to is the repository to be merged into; None if it is not.

    Raises:
        InputError: There is no such remote.
    """
    remotes = clone.remotes()
    upstream = clone.fetch_places(plan.upstream)
    upstream |= clone.push_places(plan.upstream) if plan.upstream in remotes else set()
    if clone.push_places(plan.remote).isdisjoint(upstream):
        return None
    others = [name for name in remotes if clone.push_places(name).isdisjoint(upstream)]
    remedy = "Fork it, name your fork once, git remote add fork ADDRESS, and give the command with --remote fork."
    if others:
        remedy = f"Name your fork: {' or '.join(f'--remote {name}' for name in others[:5])}."
    elif plan.upstream == plan.remote:
        remedy += (
            f" Where {plan.remote} is your fork, name the repository that it is a fork of: "
            "git remote add upstream ADDRESS."
        )
    same = "is" if plan.remote == plan.upstream else f"leads to {plan.upstream},"
    return InputError(f"{plan.remote} {same} the repository to be merged into", remedy)


def _print_heading(number: int, about: str) -> None:
    """Show a step with what it does."""
    click.echo(make_printable(f"\n{number}. {STEPS[number - 1]}: {about}"), err=True)


def _leave_out(number: int, title: str, why: str) -> None:
    click.echo(make_printable(f"\n{number}. {title}: left out, since {why}"), err=True)


def _explain_not_played(plan: _Plan) -> str:
    named = plan.load().submission.transcripts
    return "the maintainers will play the pair" if named is None else f"the manifest names the run {named.run}"


def _ask_user(plan: _Plan, question: str, proposal: str = "") -> str:
    """Return the user's answer; the proposal where nobody is to be asked."""
    if plan.yes:
        return proposal
    answer: str = click.prompt(question, default=proposal, show_default=bool(proposal), err=True)
    return answer.strip()


def _confirm(plan: _Plan, question: str, proposal: bool = True) -> bool:
    """Return whether the user agrees; the proposal where nobody is to be asked."""
    return proposal if plan.yes else click.confirm(question, default=proposal, err=True)


def _prepare_manifest(plan: _Plan, clone: Clone) -> None:
    there = (plan.folder / MANIFEST).exists()
    _print_heading(1, "is there, and is checked" if there else "is written, and checked")
    if not there:
        words = ["submission", "new", str(plan.folder), "--game", plan.game, "--yes"]
        if owner := clone.owner(plan.remote):
            words += ["--submitter", owner]
        run_nested([*words, *_build_seat_options(plan)])
    run_nested(["submission", "check", str(plan.folder), *(["--unplayed"] if _needs_transcripts(plan) else [])])


def _build_seat_options(plan: _Plan) -> list[str]:
    stated = dict(text.partition("=")[::2] for text in plan.seats)
    words: list[str] = []
    ruled = {text.partition("=")[0] for text in plan.rules}
    words += [word for rule in plan.rules for word in ("--rule", rule)]
    for seat in load_game(plan.game, "--game").seats:
        if seat.when and seat.name not in stated:
            continue
        # Whoever names a player of such a seat wants the seat to be asked.
        if seat.when and seat.when not in ruled:
            words += ["--rule", f"{seat.when}=true"]
            ruled.add(seat.when)
        if seat.name not in stated:
            click.echo("  PLAYER, then its MODEL, ADDRESS, KEY_VARIABLE and NAME=VALUE where it has them", err=True)
        line = stated.get(seat.name) or _ask_user(plan, f"Who is the {seat.name}")
        words += format_seat_options(seat.name, line)
    return words


def _needs_transcripts(plan: _Plan) -> bool:
    """Return whether transcripts of the submitter's are still to come, since maintainers cannot play the pair."""
    draft = read_draft(plan.folder)
    return "transcripts" not in draft and (plan.played_by == "me" or find_purpose(draft, False).unplayed)


def _decide_to_play(plan: _Plan) -> bool:
    """Return whether the submitter plays the pair now; ask for it unless it is known."""
    if plan.load().submission.transcripts is not None:
        _leave_out(2, STEPS[1], _explain_not_played(plan))
        return False
    _print_heading(2, "you, here and now, or the maintainers after the merge")
    own = find_purpose(read_draft(plan.folder), False).unplayed
    if own and plan.played_by == "maintainers":
        raise InputError("--played-by maintainers: they cannot reach a server or a player of your own", "Play it.")
    if plan.played_by is not None or (not own and plan.yes):
        return plan.played_by == "me"
    if own:
        if _confirm(plan, "Maintainers cannot: without your transcripts it is self-reported. Play it here now?"):
            return True
        raise click.exceptions.Exit(0)
    return _confirm(plan, "Play it here now? If not, maintainers do, as far as they have keys and money", False)


def _commit_to_run(plan: _Plan, clone: Clone) -> bool:
    """Commit to one run if that is wanted, and return whether the run can be played now.

    The pull request comes first: seed and order follow from the commit by which it is merged.
    """
    from ircore.submissions.commitments import register_of

    stated = plan.load().submission.commitment
    if stated is None and not plan.commits:
        why = "--commit is not given: the run will be marked uncommitted"
        _leave_out(3, STEPS[2], why)
        return True
    _print_heading(3, "the run is announced before it is played")
    run_nested(["submission", "commit", str(plan.folder), "--salt", str(plan.salt)])
    stated = plan.load().submission.commitment
    clone.fetched_base(plan.upstream, plan.main)
    if (plan.slug, stated) in register_of(plan.folder):
        return True
    _propose(plan, clone)
    click.echo("Once the pull request is merged, give the same command again: the run is played then.", err=True)
    return False


def _play(plan: _Plan) -> None:
    """Try the players, forecast the cost, play and score."""
    begun = "the run that was begun goes on" if plan.run.exists() else "the players are tried, then play"
    _print_heading(4, f"{begun}; folder {plan.run}")
    folder, run = str(plan.folder), str(plan.run)
    if plan.instances is None:
        plan.instances = draw_own_set(plan.run, plan.load().submission.game)
    _refuse_other_set(plan)
    # A run that was begun has answers of these players already.
    if not plan.run.exists():
        run_nested(["doctor", folder])
    play = ["play", folder, "--instances", str(plan.instances), "--out", run]
    play += ["--salt", str(plan.salt)] if plan.load().submission.commitment else []
    # The cost at most is shown before anything is asked; Ctrl-C stops here at no cost.
    run_nested([*play, "--dry-run"])
    run_nested([*play, *plan.play_options, *format_options({"--prices": _write_own_prices(plan)})])
    run_nested(["score", run])


def _refuse_other_set(plan: _Plan) -> None:
    """Refuse a set whose transcripts nobody would score: the published runs say which set counts.

    Raises:
        InputError: It is not the set of the published runs of its game, such as a part of it.
    """
    from ircore.commands.submission.preview import fetch_published_runs, find_dataset_name

    if plan.instances is None or (plan.published is None and find_dataset_name() is None):
        return  # nothing is published yet that a set could be compared with
    runs = [run for path in fetch_published_runs(plan.published) if (run := RunFolder(path)).game == plan.game_played]
    given, counted_sets = read_instances(plan.instances), {run.run.instance_set: run for run in runs}
    if counted_sets and given.identity not in counted_sets:
        known = next(iter(counted_sets.values())).instances.instances.ids
        shared = len(set(known) & set(given.instances.ids))
        raise InputError(
            f"{plan.instances}: has {shared} of the {format_count(len(known), 'instance')} that count for {given.game}",
            "Transcripts of another set are not scored. Leave --instances out, and the whole set is drawn.",
        )


def _write_own_prices(plan: _Plan) -> Path | None:
    """Return the file of prices to play by: with a limit on cost, models of a server on this machine cost nothing."""
    submission = plan.load().submission
    models = list_unpriced(RunPrices(read_prices(plan.prices), submission).seats.values())
    own = {spec.label for spec in submission.players.values() if spec.on_loopback}
    # What another service bills is for the user to say: play refuses it.
    if not (plan.is_limited and models and own.issuperset(models)):
        return plan.prices
    click.echo(
        make_printable(f"  {', '.join(models)}: on this machine, taken to cost nothing; else give --prices"), err=True
    )
    return write_bounds(submission, 0, plan.prices, plan.work / f"{plan.slug}~prices.yaml", "a server of one's own")


def _rehearse(plan: _Plan) -> None:
    """Pack the run, rehearse its evaluation after the merge, and show its place among published pairs."""
    rehearsal, preview = plan.work / "rehearsal" / plan.slug, plan.work / "preview" / plan.slug
    # A name that no submission can have stands beside those of submissions.
    mark, state = plan.work / "rehearsal" / f"{plan.slug}~rehearsed", _state(plan)
    if mark.is_file() and mark.read_text("utf-8") == state and plan.packed.is_dir() and preview.is_dir():
        _leave_out(5, STEPS[4], f"this very run was rehearsed: {preview}/pairs/{plan.slug}.html")
        return
    _print_heading(5, "the run is packed, checked, and shown at its place among published pairs")
    mark.unlink(missing_ok=True)
    # Made anew: the run has gone on since the last rehearsal.
    for earlier in (plan.packed, rehearsal, preview):
        rmtree(earlier, ignore_errors=True)
    run_nested(["submission", "pack", str(plan.run), "--out", str(plan.packed)])
    places = ["--transcripts", str(plan.packed), "--instances", str(plan.instances), "--out", str(rehearsal)]
    run_nested(["maintain", "rescore", str(plan.folder), *places])
    _take_scores(plan.run, rehearsal)
    run_nested(["score", str(rehearsal)])
    site = format_options({"--preview": preview, "--runs": rehearsal, "--published": plan.published or None})
    run_nested(["submission", "check", str(plan.folder), "--unplayed", *site])
    write_text(mark, state)


def _state(plan: _Plan) -> str:
    """Return a hash of all that a rehearsal depends on: program, manifest, run, and what it is shown beside."""
    files = [plan.folder / MANIFEST, *(plan.run / name for name in (RUN_FILE, JOURNAL, SCORES))]
    parts = [__version__.encode(), (plan.published or "").encode(), *(path.read_bytes() for path in files)]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def _take_scores(played: Path, rehearsed: Path) -> None:
    """Give the rehearsal the scores of the run's renderings that have the same pixels there; others are computed."""
    import numpy as np

    run, rehearsal = RunFolder(played), RunFolder(rehearsed)
    played_renderings, packed_renderings = (
        [rendering for episode in folder.episodes() for _, rendering in list_renderings(episode)]
        for folder in (run, rehearsal)
    )
    # Packing encodes pictures anew where their files held more than pixels.
    packed = {
        before.sha256: after.sha256
        for before, after in zip(played_renderings, packed_renderings, strict=True)
        if before == after or np.array_equal(run.rendering(before).pixels, rehearsal.rendering(after).pixels)
    }
    with rehearsal.lock():
        for judge in run.judges().values():
            rehearsal.keep_judge(judge)
        rehearsal.add_scores(
            score.model_copy(update={"rendering": packed[score.rendering]})
            for score in run.scores()
            if score.rendering in packed
        )
        add_facts(
            rehearsal,
            (
                facts.model_copy(update={"rendering": packed[facts.rendering]})
                for facts in read_facts(run)
                if facts.rendering in packed
            ),
        )


def _upload(plan: _Plan) -> bool:
    """Upload the packed run and name it in the manifest; return whether that was done."""
    if plan.dry_run and plan.repo is None:
        _leave_out(6, STEPS[5], "--dry-run is given, and no --repo: anybody could read them there")
        return False
    _print_heading(6, "the packed run goes to a public dataset of yours, which the manifest then names")
    repo = plan.repo or _ask_user(plan, "Your public dataset repository for them, ORG/NAME")
    if not repo:
        raise InputError("no repository for the transcripts is named", "Give --repo ORG/NAME.")
    check_repository(repo, "--repo")
    run_nested(["submission", "pin", str(plan.folder), "--repo", repo, "--packed", str(plan.packed)])
    return True


def _propose(plan: _Plan, clone: Clone, unplayed: str = "") -> None:
    """Commit the submission to a branch of its own, check it as the pull request will be, push it, and open it.

    Args:
        plan: The options.
        clone: The clone.
        unplayed: Why the manifest names no transcripts yet, without which the check of the pull request is red; empty
            where it needs none, or names them.
    """
    refusal = _find_push_fault(plan, clone)
    goes = "" if plan.dry_run or refusal else f", and pushed to {plan.remote}"
    _print_heading(7, f"a branch {plan.slug} with the submission alone is made, checked{goes}")
    run_nested(["submission", "check", str(plan.folder), *(["--unplayed"] if unplayed else [])])
    base = clone.fetched_base(plan.upstream, plan.main)
    head = clone.commit(base, f"Submit {plan.slug}")
    click.echo(make_printable(f"{plan.slug}: commit {head[:12]} on the branch of this name"), err=True)
    if unplayed:
        click.echo(f"The check of the change is left out, since {unplayed}. Until then it is red at the", err=True)
        click.echo("pull request, and nothing is merged.", err=True)
    else:
        run_nested(["submission", "check-change", base, head, "--repo", str(clone.root)])
    if plan.dry_run:
        click.echo(
            f"The push and the pull request are left out, since --dry-run is "
            f"given.{_describe_later_push(plan, refusal)}",
            err=True,
        )
        return
    if refusal is not None:
        raise refusal
    if not _confirm(plan, f"Push the branch {plan.slug} to {plan.remote} and open the pull request?"):
        click.echo(
            f"The push and the pull request are left out, as you say.{_describe_later_push(plan, None)}", err=True
        )
        return
    clone.push(plan.remote)
    click.echo(make_printable(f"{plan.slug}: pushed to {plan.remote}"))
    _open(plan, clone)


def _describe_later_push(plan: _Plan, refusal: InputError | None) -> str:
    """Return how to push later."""
    return f" {refusal.remedy}" if refusal is not None else f" Later: git push {plan.remote} {plan.slug}"


def _open(plan: _Plan, clone: Clone) -> None:
    """Open the pull request, or say how to where the program ``gh`` is not installed."""
    title, root = f"Submit {plan.slug}", clone.root
    words = ["gh", "pr", "create", *_list_sides(plan, clone), "--title", title, "--body", title]
    # The only step that needs an account: without the program the branch is pushed all the same.
    if shutil.which("gh") is None:
        click.echo(
            "The pull request is left out, since the program gh is not installed. Open it on the page, or by", err=True
        )
        click.echo(make_printable(f"  {shlex.join(words)}"))
        return
    click.echo(make_printable(f"+ {shlex.join(words)}"), err=True)
    if subprocess.run(words, cwd=root, check=False).returncode:  # noqa: S603 - words of this function
        raise InputError("gh pr create failed", "See above; the branch is pushed, so that it can be opened by hand.")


def _list_sides(plan: _Plan, clone: Clone) -> list[str]:
    """Return the words by which ``gh`` knows both sides: a fork's branch is named with the fork's owner."""
    owner, main = clone.owner(plan.remote), min(clone.fetch_places(plan.upstream))
    # A folder of this machine has no owner.
    repo = ["--repo", main] if main.count("/") == 1 else []
    return [*repo, "--base", plan.main, "--head", f"{owner}:{plan.slug}" if owner else plan.slug]
