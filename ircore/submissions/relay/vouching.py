"""Vouching for a run that lies here and that a relay has signed."""

from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.game_records import stated_rules
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet
from ircore.players.submission import AnyLoaded
from ircore.runs.folder import open_any_run
from ircore.runs.provenance import Witness, make_provenance, write_provenance
from ircore.runs.setup import rules_of
from ircore.runs.witness import check_witness
from ircore.runs.writer import RunWriter
from ircore.submissions.relay.keys import known_relays


def vouch(loaded: AnyLoaded, out: Path, instances: InstanceSet, relay_keys: Path | None = None) -> Witness:
    """Verify a witnessed run, and record that the maintainers vouch for it.

    Args:
        loaded: The submission.
        out: The run folder.
        instances: The set that counts.
        relay_keys: Public keys of relays that count beside this project's keys.

    Raises:
        InputError: The run is of another pair or set, or not every instance was played to its end.
        WitnessError: The signatures do not fit the run.
    """
    folder = open_any_run(out)
    # Signatures first: without them nothing in the folder can be relied on.
    witness = check_witness(out, known_relays(relay_keys))
    run, pair, game = folder.run, loaded.submission, load_game(folder.game)
    for name, played, stated in (
        ("game", run.game, pair.game),
        ("slug", run.slug, loaded.slug),
        ("players", run.submission.players, pair.players),
        ("rules", stated_rules(run), rules_of(game, loaded, {}).model_dump(mode="json")),
        ("prompts", run.prompts, game.prompts(None).version),
        ("instance_set", run.instance_set, instances.identity),
    ):
        if played != stated:
            raise InputError(f"{out}: {name}: is not that of {loaded.path}", "Name the run that the relay played.")
    missing = len(folder.any_instances.instances) - len(RunWriter.finished_episodes(folder))
    if missing:
        remedy = "Start the relay again: ircore relay serve"
        raise InputError(f"{out}: {missing} instances were not played to their end", remedy)
    write_provenance(out, make_provenance(loaded.path, witness=witness))
    return witness
