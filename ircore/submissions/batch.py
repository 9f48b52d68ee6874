"""Evaluating all pending submissions in one go: the pairs, their expected cost, and the cost paid already."""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ircore.core.files import write_text
from ircore.core.strict_yaml import read_mapping
from ircore.core.submission_records import Submission
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet
from ircore.players.submission import LoadedSubmission, read_manifest
from ircore.runs.costs.forecast import IMAGE_WRITTEN_TOKENS, PlannedPlay, estimate
from ircore.runs.costs.prices import MILLION, RunPrices, SeatPrice, prices_of_run, read_prices
from ircore.runs.costs.totals import Totals
from ircore.runs.folder import RUN_FILE, RunFolder
from ircore.submissions.decisions import is_gone, read_decisions


class Forecast(NamedTuple):
    """Cost that evaluating a submission may have.

    >>> Forecast(cost_usd=3.2).text
    'at most about 3.20 US$'
    >>> Forecast(cost_usd=None, unknown=("my-model",)).text
    'no price of my-model is known: give a bound'
    """

    cost_usd: float | None
    """US dollars at most; None if it cannot be said."""

    unknown: tuple[str, ...] = ()
    """Models without a known price."""

    @property
    def text(self) -> str:
        """The forecast for people."""
        if self.unknown:
            return f"no price of {' and '.join(self.unknown)} is known: give a bound"
        if self.cost_usd is None:
            return "cost not foretold; prices are known"
        return f"at most about {self.cost_usd:.2f} US$" if self.cost_usd else "nothing to pay"


def forecast(loaded: LoadedSubmission, instances: InstanceSet | None, prices_file: Path | None = None) -> Forecast:
    """Return the cost of playing a submission if every episode takes all its steps.

    Args:
        loaded: The submission; re-scoring its transcripts costs nothing.
        instances: The set of its game; None if it is not known here.
        prices_file: Prices on top of the built-in ones.
    """
    if loaded.submission.transcripts is not None:
        return Forecast(0.0)
    prices = RunPrices(read_prices(prices_file), loaded.submission)
    if unknown := unpriced(prices.seats.values()):
        return Forecast(None, unknown)
    if all(seat.offline for seat in prices.seats.values()):
        return Forecast(0.0)
    if instances is None:
        return Forecast(None)
    game, submission = load_game(loaded.submission.game), loaded.submission
    rules = game.rules.model_validate(submission.rules)
    planned = PlannedPlay(game, submission, rules, game.prompts(None), instances)
    return Forecast(estimate(planned, dict.fromkeys(instances.instances.ids, 1), prices).cost_usd)


def unpriced(seats: Iterable[SeatPrice]) -> tuple[str, ...]:
    """Return the models that a provider bills and whose price is not known, each once."""
    return tuple(dict.fromkeys(seat.label for seat in seats if not seat.offline and seat.price is None))


def write_bounds(
    submission: Submission,
    bound: float,
    prices_file: Path | None,
    out: Path,
    source: str = "a bound that maintainers gave, no price",
) -> Path | None:
    """Write a table of prices in which models without a known price cost at most a bound, and return it.

    Args:
        submission: The submission.
        bound: US dollars a million tokens, read or written; an image counts as ``IMAGE_WRITTEN_TOKENS`` tokens.
        prices_file: Known prices on top of the built-in ones, which the table repeats.
        out: The file.
        source: Where the bound comes from.

    Returns:
        The file; ``prices_file`` if every price is known.
    """
    import yaml

    known = read_prices(prices_file)
    models = unpriced(RunPrices(known, submission).seats.values())
    if not models:
        return prices_file
    image = bound * IMAGE_WRITTEN_TOKENS / MILLION

    def priced() -> dict[str, object]:
        # Made anew for each model: YAML would name what stands twice once, and no table of prices may do so.
        day = datetime.now(UTC).date()
        return {"input": bound, "output": bound, "images": {"*/*": image}, "date": day, "source": source}

    table = {model: priced() for model in models}
    stated = read_mapping(prices_file, "", "")["models"] if prices_file is not None else {}
    write_text(out, yaml.safe_dump({"models": {**stated, **table}}, sort_keys=False))
    return out


def spent(run: Path) -> float:
    """Return the cost of a run so far, in US dollars, as far as known; 0 without a run."""
    if not (run / RUN_FILE).is_file():
        return 0.0
    folder = RunFolder(run)
    return Totals.of(folder.questions(), prices_of_run(folder)).cost_usd


def names_in(text: str) -> list[str]:
    """Return the names in a list that commas part, as workflows are given it.

    >>> names_in("one, two,")
    ['one', 'two']
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def chosen(slugs: Sequence[str], pending: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the pending submissions that were asked for, in the order in which they wait, and the names left out.

    All that wait are chosen if none is named. A name that does not wait is left out: its run is published already, or
    no such submission is merged.

    >>> chosen(["b", "c"], ["a", "b"]), chosen([], ["a", "b"])
    ((['b'], ['c']), (['a', 'b'], []))
    """
    return [slug for slug in pending if not slugs or slug in slugs], [slug for slug in slugs if slug not in pending]


def goes_on(run: Path, submission: Path, sets: Collection[str]) -> bool:
    """Return whether a run that was begun is one of a submission as it is now, and was not taken off the boards.

    Args:
        run: The run folder.
        submission: The submission's folder.
        sets: Identities of the sets that count.
    """
    if not (run / RUN_FILE).is_file():
        return False
    begun = RunFolder(run).run
    # A manifest that was changed since asks for another run, however far the first one came.
    as_now = read_manifest(submission).submission == begun.submission
    gone = is_gone(read_decisions(submission), begun.run_id)
    return as_now and begun.instance_set in sets and not gone


def is_finished(run: Path) -> bool:
    """Return whether every episode of a run has a result."""
    if not (run / RUN_FILE).is_file():
        return False
    folder = RunFolder(run)
    ended = folder.ended()
    # An episode that failed for technical reasons has ended, and will be played again.
    return len(ended) == len(folder.instances.instances) and all(episode.finished for episode in ended.values())
