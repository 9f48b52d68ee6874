"""The form of a game's manifest ``submission.yaml`` by the game's declarations: a key for each seat, the game's rules.

``Submission`` reads the manifest of any game, installed or not; this closed form of it knows every key, and so can say
which one is misspelt, and complete a manifest in an editor.
"""

import re
from typing import Any

from pydantic import Field, create_model

from ircore.core.records import Name, PlayerSpec
from ircore.core.submission_records import SubmissionFields, game_field
from ircore.games.base import Game


def manifest_form(game: Game[Any]) -> type[SubmissionFields]:
    """Return the closed record of a game's manifests.

    >>> from ircore.games.registry import load_game
    >>> form = manifest_form(load_game("reference"))
    >>> [name for name, field in form.model_fields.items() if field.annotation is PlayerSpec]
    ['speaker', 'listener']
    """
    default: Any = Field(
        default=... if game_field(game.name) else game.name, pattern=f"^{game.name}$", description=game.title
    )
    fields: dict[str, Any] = {"game": (Name, default)}
    for seat in game.seats:
        about = f"Who sees {seat.sees}, and answers with a {seat.answers}."
        # A seat that is asked under one rule alone may be empty.
        kind, initial = (PlayerSpec | None, None) if seat.when else (PlayerSpec, ...)
        fields[seat.name] = kind, Field(default=initial, description=about)
    rules = Field(default_factory=game.rules, description="Rules that differ from the game's defaults.")
    name = "".join(word.capitalize() for word in re.split("[^a-z0-9]+", game.name)) + "Submission"
    return create_model(name, __base__=SubmissionFields, rules=(game.rules, rules), **fields)
