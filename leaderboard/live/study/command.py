"""``ircore study``: build a study, let people take part, bring their runs to boards.

Participants' runs are brought where boards find them, except after a stop, without consent or without attention.
"""

import shutil
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ircore.commands.options import echo_json, json_option
from ircore.core.errors import InputError
from ircore.core.files import write_new_folder
from ircore.core.plain_words import format_count
from ircore.games.registry import require_support
from ircore.runs.folder import RUN_FILE, RunFolder
from leaderboard.live.study.plan import CONSENT, BuiltStudy, ParticipantSession, is_passed, read_answers, read_study

if TYPE_CHECKING:
    from ircore.instances.store import InstanceSet


PATH = click.Path(path_type=Path)


@click.group("study", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Ask people to play: the human baseline, under the conditions of models."""


@command.command()
@click.option("--out", type=PATH, required=True, help="Folder to make.")
@click.option("--instances", type=PATH, required=True, help="The set that the targets are taken from.")
@click.option(
    "--targets", type=click.IntRange(1, 200), default=8, show_default=True, help="Targets for each participant."
)
@click.option("--participants", type=click.IntRange(1, 1000), default=8, show_default=True, help="Sessions to plan.")
@click.option("--pair", default="classical+canvas", show_default=True, help="Pair whose generator draws.")
@click.option(
    "--max-turns", type=click.IntRange(1, 100), default=10, show_default=True, help="Messages for each target, at most."
)
@click.option("--consent", type=PATH, help="Text that participants agree to; by default the project's text.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of orders and checks.")
@json_option
def build(
    out: Path, instances: Path, targets: int, participants: int, pair: str, max_turns: int, consent: Path | None,
    seed: int, as_json: bool,
) -> None:  # fmt: skip
    """Plan a study of TARGETS targets, spread over the conditions of a set.

    Every participant describes all targets, in an order of a balanced design, agrees to a text first, and is asked to
    type a word twice, as an attention check. Neither scores nor facts are shown, since models are shown none.
    """
    from ircore.core.files import write_new_folder, write_text
    from ircore.instances.store import read_instances, write_instances
    from ircore.players.builtin_pairs import find_submission_place
    from ircore.players.submission import read_manifest
    from leaderboard.live.study.plan import PLAN, BuiltStudy, plan_sessions

    loaded = read_manifest(find_submission_place(Path(pair)))
    require_support("user study", loaded.submission.game, f"--pair {pair}")
    source = read_instances(instances)
    chosen = spread(source, targets)
    text = (consent or Path(__file__).parent / "consent.txt").read_text(encoding="utf-8").strip()
    study = BuiltStudy(
        consent=text, generator=loaded.submission.players["generator"], max_turns=max_turns,
        sessions=plan_sessions(chosen, participants, seed),
    )  # fmt: skip
    with write_new_folder(out) as made:
        of_study = [instance for instance in source.instances if instance.instance_id in chosen]
        taken = ((instance, source.pictures(instance)) for instance in of_study)
        write_instances(made / "instances", taken, source.categories)
        write_text(made / PLAN, study.model_dump_json(indent=2, by_alias=True, exclude_none=True) + "\n")
    checks = len(study.sessions[0].checks)
    if as_json:
        echo_json({"study": out, "targets": chosen, "participants": participants, "checks": checks})
        return
    click.echo(
        f"study     {out}: {format_count(len(chosen), 'target')}, {format_count(participants, 'participant')}, "
        f"{format_count(checks, 'check')}"
    )
    click.echo(f"compare   ircore play {pair} --instances {out}/instances --out runs/built-in")


def spread(source: "InstanceSet", count: int) -> list[str]:
    """Return ids of targets spread evenly over categories and difficulties, in the order of the set.

    Raises:
        InputError: The set has fewer targets.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for instance in source.instances:
        groups.setdefault((instance.category, instance.difficulty), []).append(instance.instance_id)
    if sum(map(len, groups.values())) < count:
        raise InputError(f"--targets {count}: the set has only {len(source.instances)}", "Ask for fewer.")
    chosen, conditions = set[str](), list(groups.values())
    if count < len(conditions):  # every so many-th condition, so that no category is left out while others come twice
        conditions = [conditions[place * len(conditions) // count] for place in range(count)]
    while len(chosen) < count:
        for group in conditions:
            if group and len(chosen) < count:
                chosen.add(group.pop(0))
    return [instance.instance_id for instance in source.instances if instance.instance_id in chosen]


@command.command("run")
@click.argument("study", type=PATH)
@click.option("--participant", "code", required=True, help="Code of the session, such as p01.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page; by default any free port.")
@click.option("--no-browser", is_flag=True, help="Open no browser; the page's address is printed.")
def run_session(study: Path, code: str, port: int, no_browser: bool) -> int:
    """Let a participant take part in the study in the folder STUDY; the same command goes on where it stopped."""
    from leaderboard.live.play_me.command import start_play_process, write_pair
    from leaderboard.live.play_me.seats import serve_table
    from leaderboard.live.study.plan import StudyTable, read_study

    plan = read_study(study)
    session = plan.session(code)
    own = study / "results" / code
    own.mkdir(parents=True, exist_ok=True)
    if not (own / "instances").exists():
        # A relative link, so that the study's folder can be moved or sent.
        (own / "instances").symlink_to(Path("../../instances"))
    settings = plan.generator.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    write_pair(own, "describer", settings, f"human-{code}", desk="desk")
    table = StudyTable(own, order=session.order, study=plan, session=session)
    with (own / "play.log").open("ab") as log:
        words = [
            f"human-{code}",
            "--out",
            "run",
            "--concurrency",
            # All targets are asked at once, so that the page can show them in the participant's order.
            str(len(session.order)),
            "--max-turns",
            str(plan.max_turns),
        ]
        # Run inside the participant's folder, since the manifest and the command name everything by relative paths.
        playing = start_play_process(words, Path(), log, inside=own)
        try:
            with serve_table(table, port) as address:
                click.echo(f"study     {address}   (Ctrl-C ends this; the same command goes on)")
                if not no_browser:
                    webbrowser.open(address)
                status = playing.wait()
        except KeyboardInterrupt:
            status = 0
        finally:
            playing.kill()  # what was answered is on the disk
            playing.wait()
    click.echo(f"kept      {own}")
    return status


@command.command("import")
@click.argument("study", type=PATH)
@click.option("--out", type=PATH, required=True, help="Folder of runs; a run human-CODE is added for each participant.")
@json_option
def import_command(study: Path, out: Path, as_json: bool) -> None:
    """Bring the runs of a study's participants to boards, as the pair human + generator."""
    from dataclasses import asdict

    imported = import_study(study, out)
    taken = [str(out / f"human-{each.code}") for each in imported if each.is_taken]
    if as_json:
        echo_json({"runs": taken, "participants": [asdict(each) for each in imported]})
    for each in () if as_json else imported:
        checks = f"{each.passed} of {format_count(each.checks, 'check')}"
        click.echo(
            f"{each.code}  {format_count(each.targets, 'target')}, {checks}"
            + (f": left out, {each.why}" if each.why else "")
        )
    if not taken:
        click.echo("nothing was imported", err=True)
        sys.exit(1)


@dataclass(frozen=True)
class ImportedPart:
    """A participant's part of a study.

    >>> ImportedPart("p01", targets=4, checks=2, passed=2, why="").is_taken
    True

    Attributes:
        code: Of the participant.
        targets: Targets that were played to the end.
        checks: Attention checks that were asked.
        passed: Of them, those that were passed.
        why: Why the run was left out; empty if it was taken.
    """

    code: str
    targets: int
    checks: int
    passed: int
    why: str

    @property
    def is_taken(self) -> bool:
        """Whether the run was taken."""
        return not self.why


def import_study(folder: Path, out: Path) -> list[ImportedPart]:
    """Copy the runs of a study's participants to ``out/human-CODE`` and return the verdict on each.

    Raises:
        InputError: The folder holds no study, nobody has taken part, or a run is there already.
    """
    study = read_study(folder)
    taken = [_judge_participant(folder, session, study) for session in study.sessions]
    began = [imported for imported in taken if imported is not None]
    if not began:
        raise InputError(f"{folder}: nobody has taken part", f"Begin: ircore study run {folder} --participant p01")
    for imported in began:
        place = out / f"human-{imported.code}"
        # Checked for all before any is copied: an import is done wholly or not at all.
        if imported.is_taken and place.exists():
            raise InputError(f"{place}: is there already", "Name another folder with --out.")
    for imported in began:
        if imported.is_taken:
            with write_new_folder(out / f"human-{imported.code}") as made:
                shutil.copytree(folder / "results" / imported.code / "run", made, dirs_exist_ok=True)
    return began


def _judge_participant(folder: Path, session: ParticipantSession, study: BuiltStudy) -> ImportedPart | None:
    """Return the verdict on a participant's run; None if the participant never began."""
    own = folder / "results" / session.code
    if not (own / "run" / RUN_FILE).is_file():
        return None
    ended = sum(episode.played for episode in RunFolder(own / "run").episodes())
    checks = read_answers(own)
    right = sum(map(is_passed, checks))
    if not (own / CONSENT).exists():
        why = "did not agree"
    # Attention comes before completeness: whoever failed a check is named for the check.
    elif right < len(checks):
        why = f"failed {len(checks) - right} of {format_count(len(checks), 'attention check')}"
    elif ended < len(session.order):
        why = f"played {ended} of {format_count(len(session.order), 'target')}"
    else:
        why = "" if len(checks) == len(study.session(session.code).checks) else "was not asked every attention check"
    return ImportedPart(session.code, ended, len(checks), right, why)
