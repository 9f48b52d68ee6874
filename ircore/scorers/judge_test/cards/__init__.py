"""Cards of this project's judges; ``ircore judge-test`` makes cards of other judges."""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path

from ircore.core.errors import InputError
from ircore.core.score_records import JudgeIdentity
from ircore.scorers.judge_test.card import JudgeCard, read_card


def read_cards(judges: Mapping[str, JudgeIdentity], card_files: Iterable[Path] = ()) -> dict[str, JudgeCard]:
    """Return the cards of judges by name, as far as there are any.

    Args:
        judges: Who the judges are, by name.
        card_files: Files of cards on top of those that come with this project.

    Raises:
        InputError: A file is no card, or of a judge that none of these is.
    """
    # A shipped card counts for the very version that it was made with; a later version is shown without a card.
    texts = (entry.read_bytes() for entry in files(__package__).iterdir() if entry.name.endswith(".json"))
    own = map(JudgeCard.model_validate_json, texts)
    cards = {card.judge.name: card for card in own if judges.get(card.judge.name) == card.judge}
    for path in card_files:
        card = read_card(path)
        if judges.get(card.judge.name) != card.judge:
            known = "another judge of that name" if card.judge.name in judges else "none of them"
            raise InputError(
                f"{path}: the card of {card.judge.name}; the runs were judged by {known}",
                "Make the card with the judge that scored the runs: ircore judge-test",
            )
        cards[card.judge.name] = card
    return cards
