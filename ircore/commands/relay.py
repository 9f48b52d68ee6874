"""``ircore relay``: hand out the questions of a run to a submitter's models, and sign every answer."""

import asyncio
import os
from functools import partial
from pathlib import Path
from secrets import randbits
from typing import Any

import click

from ircore.commands.options import PATH, POSITIVE, echo_json, json_option, path_option
from ircore.commands.play_report import tell_outcomes
from ircore.core.counted import counted
from ircore.core.errors import InputError
from ircore.core.extras import need_packages
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet
from ircore.players.builtin_pairs import submission_place
from ircore.players.submission import AnyLoaded, read_any_manifest
from ircore.runs.folder import JOURNAL, RUN_FILE, WITNESS, open_any_run
from ircore.runs.play import make_run, play
from ircore.runs.session import PlayPlan
from ircore.runs.setup import begin_run, check_seats, make_players, prepare, rules_of
from ircore.runs.witness import WitnessedWriter, check_witness, key_pem, new_key, public_half, read_key
from ircore.submissions.relay.client import TOKEN, RelayClient, check_relay
from ircore.submissions.relay.keys import known_relays
from ircore.submissions.relay.server import Relay, token_of


@click.group("relay")
def command() -> None:
    """Play a pair whose models run on its submitter's machine, and sign their answers."""


@command.command("key", short_help="Make the key that a relay signs with.")
@click.argument("path", metavar="FILE", type=PATH)
def make_key(path: Path) -> None:
    """Write a new private key to FILE, which nobody else may read, and print its public half.

    Whoever has the file can sign runs. The public half goes into ircore/submissions/relay/keys.yaml.
    """
    key = new_key()
    try:
        # Made with these rights at once: a file that is restricted afterwards can be read in between.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(key_pem(key))
    except FileExistsError as error:
        raise InputError(f"{path}: exists already", "A key is never replaced: name another file.") from error
    click.echo(f"{path}: keep it secret. In ircore/submissions/relay/keys.yaml:", err=True)
    click.echo(f"relays: {{NAME: {public_half(key)}}}")


@command.command("serve", short_help="Hand out the questions of a run; run again to resume.")
@click.argument("submission", type=PATH)
@path_option("--instances", "The instance set, such as the set of a secret season.", required=True)
@path_option("--out", "The run folder: created, or resumed if it exists.", required=True)
@path_option("--key", "The relay's private key, see ircore relay key.", required=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(1, 65535), default=8750, show_default=True, help="Port to listen at.")
@click.option("--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Episodes at once.")
@click.option(
    "--patience",
    type=POSITIVE,
    default=1800,
    show_default=True,
    metavar="SECONDS",
    help="Longest time to wait for an answer.",
)
@click.option("--deadline", type=POSITIVE, metavar="SECONDS", help="Stop after this time.")
def serve(
    submission: Path,
    instances: Path,
    out: Path,
    key: Path,
    host: str,
    port: int,
    concurrency: int,
    patience: float,
    deadline: float | None,
) -> int:
    """Play SUBMISSION on an instance set with players that answer over HTTP, and sign the journal line by line.

    Prints address and token for the submitter, who gives: ircore play SUBMISSION --relay URL
    """
    need_packages("a relay", "relay", "aiohttp")
    signing = read_key(key)
    loaded, game, known, rules = prepare(submission, instances, {}, installed=False)
    prompts = game.prompts(None)
    run = _run(loaded, known, rules, prompts, out)
    plan = PlayPlan(run, known, known.instances, prompts, concurrency, deadline)

    def listening(address: str) -> None:
        click.echo(
            f"{run.slug}: {counted(len(plan.episode_ids), 'episode')}, questions at {address}; the submitter gives:\n\n"
            f"  export IRCORE_RELAY_TOKEN={token}\n  ircore play {submission} --relay {address}\n"
        )

    with begin_run(plan, loaded, out) as (folder, cost_limit):
        token = token_of(signing, (out / RUN_FILE).read_bytes())
        relay = Relay(game, token, host, port, patience, listening)
        episodes = play(plan, folder, game, {}, cost_limit, pool=relay, writing=partial(WitnessedWriter, key=signing))
    return tell_outcomes(plan, game, episodes)


def _run(loaded: AnyLoaded, instances: InstanceSet, rules: Any, prompts: Any, out: Path) -> Any:
    """Return the run's identity: with the seed that it began with, or one that nobody can have tried.

    Raises:
        InputError: A player of the pair is told more than a relay hands out, or the run was begun without a relay.
    """
    # Answers without a signature cannot be signed afterwards.
    if (out / JOURNAL).exists() and not (out / WITNESS).exists():
        raise InputError(f"{out}: was begun without a relay", "Choose another --out.")
    # Drawn here, so that a submitter cannot have tried many seeds before; a resumed run keeps its own.
    seed = open_any_run(out).run.seed if (out / RUN_FILE).is_file() else randbits(62)
    # Signed as it is published: transcripts name themselves nowhere.
    plain = loaded._replace(submission=loaded.submission.model_copy(update={"transcripts": None}))  # type: ignore[arg-type]
    run = make_run(plain, instances, rules, prompts, seed)
    if run.reference:
        raise InputError(f"{loaded.path}: a reference player is told more than a relay hands out", "Play it here.")
    return run


@command.command("verify", short_help="Verify the signatures of a run.")
@click.argument("run", type=PATH)
@path_option("--relay-keys", "Public keys that count beside this project's keys.")
@json_option
def verify(run: Path, relay_keys: Path | None, as_json: bool) -> None:
    """Verify that a relay signed every line of the journal of RUN, and say which relay and when."""
    witness = check_witness(run, known_relays(relay_keys))
    if as_json:
        echo_json({"run": run, **witness.model_dump()})
        return
    click.echo(f"{run}: {counted(witness.records, 'record')} signed by {witness.relay}")
    click.echo(f"  from {witness.first} to {witness.last}")
    click.echo(f"  key  {witness.key}\n  head {witness.head}")


def answer_relay(submission: Path, address: str, concurrency: int) -> int:
    """Let the players of a submission answer the questions of a relay."""
    context = click.get_current_context()
    # The rules of the run are the maintainer's: an option that is silently ignored would look obeyed.
    for option in context.command.params:
        stated = context.get_parameter_source(option.name or "") is click.core.ParameterSource.COMMANDLINE
        if stated and option.name not in ("submission", "relay", "concurrency"):
            raise click.UsageError(f"{option.opts[0]} is for the maintainer who starts the relay, not for --relay")
    token = check_relay(address, os.environ.get(TOKEN))
    loaded = read_any_manifest(submission_place(submission))
    game = load_game(loaded.submission.game, f"{loaded.path}: game")
    check_seats(game, loaded, rules_of(game, loaded, {}))
    client = RelayClient(loaded, make_players(game, loaded), address, token, concurrency)
    answers = asyncio.run(client.play())
    click.echo(f"{loaded.slug}: the run is over; {counted(answers, 'question')} answered now", err=True)
    return 0
