"""Remedies for each kind of fault of a service."""

from typing import cast

from ircore.core.episode_records import FaultKind
from ircore.core.records import PlayerSpec
from ircore.core.tables import read_table


def remedies_for(spec: PlayerSpec) -> dict[FaultKind, str]:
    """Return the remedy for each kind of fault that a player behind a service may meet.

    Args:
        spec: The player, as in the manifest.
    """
    key = f"the key in {spec.api_key_env}" if spec.api_key_env else "api_key_env, which the manifest does not give"
    again = "the same command then goes on where it stopped"
    return {
        **cast("dict[FaultKind, str]", read_table("ircore.players.openai", "remedies")),
        "denied": f"Check {key}, and what it may use; {again}.",
        "no_credit": f"Add credit with the provider, or wait until the quota is renewed; {again}.",
    }
