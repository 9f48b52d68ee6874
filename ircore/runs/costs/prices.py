"""The cost of answers: the provider's own figure if reported, else tokens and images times a table of prices.

The table is ``prices.yaml`` beside this module; a user's own (``--prices FILE``) goes on top of it. A model that is in
neither has no known cost: nothing is guessed.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from importlib.resources import files
from math import fsum
from pathlib import Path
from typing import Annotated, NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, model_validator

from ircore.core.episode_records import Attempt, FaultKind, Usage
from ircore.core.errors import InputError
from ircore.core.files import write_bytes
from ircore.core.records import Line, PlayerSpec, Record
from ircore.core.strict_yaml import load_own_mapping, read_mapping
from ircore.core.submission_records import Submission
from ircore.core.validation import convert_validation_errors
from ircore.games.registry import load_game
from ircore.players.base import RECORDED
from ircore.players.calls import sum_usage
from ircore.players.traits import load_traits
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder
from ircore.runs.judge_questions import JudgeQuestion

Asked = Call | Failure | JudgeQuestion
"""A question to a player or to a judge, answered or not."""

PERHAPS_BILLED: frozenset[FaultKind] = frozenset({"timeout", "dropped", "malformed", "cut_off", "bad_image"})
"""Faults after which a picture may have been made, and billed, that never arrived or could not be used."""

NEVER_BILLED: frozenset[FaultKind] = frozenset(
    {
        *("rate_limit", "server", "unreachable", "refused", "rejected", "denied", "not_found", "no_credit"),
        *("unsupported", "no_edits", "too_many_pictures", "context_too_long", "answer_too_long"),
    }
)
"""Faults without an answer, so without a bill, unless the provider counts tokens all the same."""

DEFAULT_HOST = "api.openai.com"
"""Host that a seat without ``base_url`` is assumed to ask."""

MILLION = 1_000_000
WRITTEN = 16_000
"""Tokens that an answer may have where a manifest does not limit them: the default of ``max_completion_tokens``."""

RUN_PRICES = "prices.yaml"
"""File in a run folder: the prices that play was given with ``--prices``, so that they need not be given again."""


SizeAndQuality = Annotated[str, StringConstraints(pattern=r"^[^/]+/[^/]+$")]


class Price(Record):
    """Prices of a model in US dollars.

    >>> price = Price(input=2, output=10, date="2026-11-22", source="the provider's page", images={"1024x1024/*": 0.04})
    >>> price.tokens(Usage(prompt_tokens=1_000_000, completion_tokens=500_000))  # 2 $ read + 5 $ written
    7.0
    >>> price.image({"size": "1024x1024", "quality": "high"})
    0.04
    """

    host: str | None = Field(default=None, description="Host of the provider that these prices hold for; null: any.")
    input: float | None = Field(default=None, ge=0, description="A million tokens read; null: only images are billed.")
    output: float | None = Field(default=None, ge=0, description="A million tokens written, reasoning included.")
    cached: float | None = Field(default=None, ge=0, description="A million tokens from the provider's cache.")
    reasoning: float | None = Field(default=None, ge=0, description="A million reasoning tokens, if not as output.")
    images: dict[SizeAndQuality, Annotated[float, Field(ge=0)]] = Field(
        default_factory=dict, description="One image by SIZE/QUALITY; * stands for any."
    )
    date: date
    source: Line

    @model_validator(mode="after")
    def _bills_something(self) -> Self:
        if (self.input is None) != (self.output is None):
            raise ValueError("give both input and output, or neither where only images are billed")
        if self.input is None and not self.images:
            raise ValueError("give input and output, or images")
        return self

    def image(self, parameters: Mapping[str, object]) -> float | None:
        """Return the price of an image with these parameters of a player; None if unknown."""
        size, quality = (str(parameters.get(name, "auto")) for name in ("size", "quality"))
        keys = (f"{size}/{quality}", f"{size}/*", f"*/{quality}", "*/*")
        return next((self.images[key] for key in keys if key in self.images), None)

    def tokens(self, usage: Usage) -> float | None:
        """Return the price of the tokens that a provider counted; None if it did not count, or bills images alone."""
        if self.input is None or self.output is None:
            return None
        if usage.prompt_tokens is None and usage.completion_tokens is None:
            return None
        # Providers count reasoning tokens among those written, and cached ones among those read.
        reasoning = (usage.reasoning_tokens or 0) if self.reasoning is not None else 0
        written = max(0, (usage.completion_tokens or 0) - reasoning)
        cached = min(usage.cached_tokens or 0, usage.prompt_tokens or 0) if self.cached is not None else 0
        read = (usage.prompt_tokens or 0) - cached
        spent = read * self.input + cached * (self.cached or 0) + written * self.output
        return (spent + reasoning * (self.reasoning or 0)) / MILLION


class _Table(Record):
    models: dict[Line, Price]


@dataclass(frozen=True)
class SeatPrice:
    """The prices of a seat's player.

    >>> read_prices().seat(PlayerSpec(player="canvas")).offline
    True

    Attributes:
        label: Name of the seat's player for people.
        offline: Whether the player asks no provider, so that nothing is billed.
        price: Prices of the model, if known.
        image: US dollars an image, if known.
        images_apart: Whether images are billed besides the tokens that the provider counts.
        draws: Whether the player is known to answer with pictures and with nothing else.
        rewriter: Prices of the text model that writes the player's prompts, if known.
        written: Tokens that an answer may have at most.
    """

    label: str
    offline: bool
    price: Price | None
    image: float | None
    images_apart: bool = False
    draws: bool = False
    rewriter: Price | None = None
    written: int = WRITTEN

    @property
    def lost(self) -> float | None:
        """US dollars that a lost request is taken to have cost before any is known: its limit of tokens × the price."""
        if self.image is not None or self.price is None or self.price.output is None:
            return self.image
        return self.written * max(self.price.output, self.price.reasoning or 0.0) / MILLION

    @property
    def most(self) -> float | None:
        """US dollars that a request can cost at most; None where its tokens are billed or no price is known."""
        return self.image if self.price is not None and self.price.input is None else None

    def cost(self, attempt: Attempt, draws: bool) -> float | None:
        """Return US dollars for a request, None if unknown; a picture that may have been made counts as billed.

        Args:
            attempt: The request.
            draws: Whether the seat's answers are pictures.
        """
        # What the provider states is what the provider bills, so no table stands above it.
        if attempt.cost_usd is not None:
            return attempt.cost_usd
        if self.offline or not attempt.reached:
            return 0.0
        if attempt.kind in NEVER_BILLED and attempt.completion_tokens is None:
            return 0.0
        price, draws = (self.rewriter, False) if attempt.purpose == "rewriter" else (self.price, draws)
        if price is None:
            return None
        by_tokens = price.tokens(sum_usage((attempt,)))
        pictures = draws and (attempt.kind == "answered" or attempt.kind in PERHAPS_BILLED)
        if not pictures and price.input is None:
            return 0.0  # pictures alone are billed
        # Tokens that the provider counted are the picture's own, unless pictures are billed besides.
        if not pictures or (by_tokens is not None and not self.images_apart):
            return by_tokens
        return None if self.image is None else (by_tokens or 0.0) + self.image


class Billed(NamedTuple):
    """What some requests cost.

    >>> Billed(0.25, lost=1).known
    0.25

    Attributes:
        known: US dollars, as far as known.
        lost: Requests of unknown cost that brought no answer and may have been billed.
        dearest: The dearest request that brought an answer, in US dollars; None if there is none of known cost.
        unknown: Whether an answer's cost is not known.
    """

    known: float = 0.0
    lost: int = 0
    dearest: float | None = None
    unknown: bool = False


class Prices:
    """Known prices by model.

    >>> prices = Prices({"my-model": Price(input=1, output=4, date="2026-11-22", source="by hand")})
    >>> prices.seat(PlayerSpec(player="openai", model="my-model")).price.output
    4.0

    Args:
        models: Price of each model by its name.
    """

    def __init__(self, models: Mapping[str, Price]) -> None:
        self.models = dict(models)

    def seat(self, spec: PlayerSpec) -> SeatPrice:
        """Return the prices of a player."""
        traits = load_traits(spec.player)
        price = self._find_price(spec.base_url, spec.label)
        draws = (
            self._find_price(spec.base_url, str(spec.parameters.get("image_model"))) if traits.draws_apart else price
        )
        image = draws.image(spec.parameters) if draws is not None else None
        offline, rewriter = spec.player == RECORDED or traits.offline, spec.parameters.get("rewriter")
        written = spec.parameters.get("max_completion_tokens", WRITTEN)
        return SeatPrice(
            spec.label,
            offline,
            price,
            image,
            traits.draws_apart,
            draws=traits.answers == ("picture",),
            rewriter=self._find_price(spec.base_url, rewriter) if isinstance(rewriter, str) else None,
            written=written if isinstance(written, int) else WRITTEN,
        )

    def _find_price(self, base_url: str | None, model: str) -> Price | None:
        price = self.models.get(model)
        # Several providers serve a model of the same name at prices of their own.
        host = urlsplit(base_url).hostname if base_url else DEFAULT_HOST
        return price if price is not None and price.host in (None, host) else None


def read_prices(*more: Path | None) -> Prices:
    """Read the built-in table of prices, with further tables on top; the last table that names a model decides.

    Raises:
        InputError: A file is not a table of prices.
    """
    tables = [_load_built_in(), *(_read(path) for path in more if path is not None)]
    return Prices({model: price for table in tables for model, price in table.items()})


@cache
def _load_built_in() -> dict[str, Price]:
    return dict(_Table.model_validate(load_own_mapping(files("ircore.runs.costs") / "prices.yaml")).models)


def _read(path: Path) -> dict[str, Price]:
    remedy = "See ircore/runs/costs/prices.yaml for the format."
    document = read_mapping(path, "Name a file of prices.", remedy)
    with convert_validation_errors(path, remedy):
        return dict(_Table.model_validate(document).models)


class RunPrices:
    """Prices of a run's players and of its judges.

    >>> judges = RunPrices(read_prices(), judges={"eye": PlayerSpec(player="openai", model="unheard-of")}).judges
    >>> judges["eye"].price is None  # not in the table: no price is guessed
    True

    Args:
        prices: Known prices.
        submission: The pair.
        judges: Players of the judges that are models, by the judges' names.
    """

    def __init__(
        self, prices: Prices, submission: Submission | None = None, judges: Mapping[str, PlayerSpec] | None = None
    ) -> None:
        pair: Mapping[str, PlayerSpec] = submission.players if submission is not None else {}
        self._game = None if submission is None else submission.game
        self.seats: dict[str, SeatPrice] = {seat: prices.seat(spec) for seat, spec in pair.items()}
        self.judges = {name: prices.seat(spec) for name, spec in (judges or {}).items()}

    def seat_of(self, question: Asked) -> SeatPrice:
        """Return the prices of the player or judge who was asked; the price of an unlisted judge is unknown."""
        if not isinstance(question, JudgeQuestion):
            return self.seats[question.role]
        return self.judges.get(question.judge) or SeatPrice(question.judge, offline=False, price=None, image=None)

    def of(self, seat: str) -> SeatPrice:
        """Return the prices of a seat's player or of a judge; those of an unlisted one are unknown."""
        known = self.seats.get(seat) or self.judges.get(seat)
        return known or SeatPrice(seat, offline=False, price=None, image=None)

    def offline(self, seat: str) -> bool:
        """Return whether a seat or judge asks no provider."""
        return self.of(seat).offline

    @cached_property
    def _seats_of_pictures(self) -> frozenset[str]:
        """Seats whose answers are pictures: as the game says, else as their players do."""
        if self._game is not None:
            with suppress(InputError):  # the game of a run may not be installed where the run is read
                return frozenset(seat.name for seat in load_game(self._game).seats if seat.answers == "picture")
        return frozenset(name for name, seat in self.seats.items() if seat.draws)

    def draws(self, question: Asked) -> bool:
        """Return whether a question asked for a picture."""
        if isinstance(question, JudgeQuestion):
            return False
        if isinstance(question, Call):
            return question.rendering is not None
        return self.draws_in(question.role)

    def draws_in(self, seat: str) -> bool:
        """Return whether a seat's answers are pictures."""
        return seat in self._seats_of_pictures

    def cost(self, question: Asked) -> float | None:
        """Return US dollars for a question, failed attempts included; None if unknown.

        A picture that may have been made and billed without arriving is counted as billed. Words that may have been
        written and billed without arriving are not, unless the whole question brought nothing else.
        """
        usage, seat = find_usage(question), self.seat_of(question)
        # No request, as from a cache, is no cost, also where the price is not known.
        if usage.cost_usd is None and (usage.requests == 0 or seat.offline):
            return 0.0
        if not question.attempts or usage != sum_usage(question.attempts):
            return self._cost_of_usage(question, usage, seat)
        draws = self.draws(question)
        costs = []
        for attempt in question.attempts:
            cost = seat.cost(attempt, draws)
            if cost is None and not (is_answered(question) and _is_cut_short(attempt, draws)):
                return None
            costs.append(cost or 0.0)
        return fsum(costs)

    def _cost_of_usage(self, question: Asked, usage: Usage, seat: SeatPrice) -> float | None:
        """Return the cost of a question whose player states a usage, not one for each request."""
        draws = self.draws(question)
        lost = count_doubtful_images(question, self)
        lost_cost = 0.0 if not lost else None if seat.image is None else lost * seat.image
        if lost_cost is None:
            return None
        if usage.cost_usd is not None:
            return usage.cost_usd + lost_cost
        if seat.price is None:
            return None
        by_tokens = seat.price.tokens(usage)
        if not draws or (by_tokens is not None and not seat.images_apart):
            return None if by_tokens is None else by_tokens + lost_cost
        return None if seat.image is None else (by_tokens or 0.0) + count_images(question) * seat.image + lost_cost

    def compute_bill(self, question: Asked) -> Billed:
        """Return what a question cost for the limit of cost, which lost requests of unknown cost count towards, too."""
        usage, seat, cost = find_usage(question), self.seat_of(question), self.cost(question)
        if not question.attempts or usage != sum_usage(question.attempts):
            lost = sum(attempt.kind != "answered" for attempt in question.attempts) if cost is None else 0
            dearest = cost if is_answered(question) and usage.requests else None
            return Billed(cost or 0.0, lost, dearest, unknown=cost is None and is_answered(question))
        return self.billed_requests(seat, question.attempts, self.draws(question))

    @staticmethod
    def billed_requests(seat: SeatPrice, attempts: Iterable[Attempt], draws: bool) -> Billed:
        """Return what some requests of a question to a seat cost."""
        known, lost, dearest, unknown = 0.0, 0, None, False
        for attempt in attempts:
            cost = seat.cost(attempt, draws)
            if cost is None:
                lost, unknown = lost + (attempt.kind != "answered"), unknown or attempt.kind == "answered"
                continue
            known += cost
            if attempt.kind == "answered":
                dearest = max(cost, dearest or 0.0)
        return Billed(known, lost, dearest, unknown)


def _is_cut_short(attempt: Attempt, draws: bool) -> bool:
    """Return whether a request brought no whole reply and asked for words: most services bill nothing then."""
    # A reply of status 200 was made and billed, whatever was wrong with it.
    return attempt.kind != "answered" and attempt.status is None and (not draws or attempt.purpose is not None)


def load_run_prices(folder: RunFolder, further: Path | None = None) -> RunPrices:
    """Return the prices of a run: the user's table, on top of the run's own, on top of the built-in table."""
    judges = {name: judge.player for name, judge in folder.judges().items() if judge.player is not None}
    return RunPrices(read_prices(find_own_prices(folder.path), further), folder.run.submission, judges)


def find_own_prices(folder: Path) -> Path | None:
    """Return the file of the run's own table of prices; None if there is no such file."""
    own = folder / RUN_PRICES
    return own if own.is_file() else None


def store_prices(folder: Path, table: Path | None) -> None:
    """Check a user's table of prices and store it in the run folder for the next session, on top of an earlier table.

    Raises:
        InputError: It is not a table of prices.
    """
    if table is None:
        return
    new, own = _read(table), find_own_prices(folder)
    known = _read(own) if own is not None else {}
    if known.keys() <= new.keys():
        write_bytes(folder / RUN_PRICES, table.read_bytes())
    elif known | new != known:
        import yaml

        # The run's own table has models that the new one lacks, whose answers would lose their price.
        models = {name: price.model_dump(mode="json", exclude_none=True) for name, price in (known | new).items()}
        write_bytes(folder / RUN_PRICES, yaml.safe_dump({"models": models}, sort_keys=False).encode())


def find_usage(question: Asked) -> Usage:
    """Return the usage of a question: as the player states it, or the sum of the attempts if there is no answer."""
    return sum_usage(question.attempts) if isinstance(question, Failure) else question.usage


def is_answered(question: Asked) -> bool:
    """Return whether a question has an answer."""
    return question.text is not None if isinstance(question, JudgeQuestion) else isinstance(question, Call)


def measure_seconds(question: Asked) -> float:
    """Return how long an answer was waited for, in seconds."""
    return sum(attempt.seconds for attempt in question.attempts) if isinstance(question, Failure) else question.seconds


def count_images(question: Asked) -> int:
    """Return how many pictures a question brought: 0 or 1."""
    return int(isinstance(question, Call) and question.rendering is not None)


def count_doubtful_images(question: Asked, prices: RunPrices) -> int:
    """Return how many pictures may have been billed without arriving."""
    if not prices.draws(question):
        return 0
    return sum(attempt.kind in PERHAPS_BILLED and attempt.purpose is None for attempt in question.attempts)
