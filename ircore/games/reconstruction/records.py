"""Records of the Image Reconstruction Game: its categories, the rules of a run, the turns of an episode."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError

from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.core.records import GameRules, Name, Record
from ircore.instances.targets import SYNTHETIC

RECONSTRUCTION = "reconstruction"
"""Name of the game."""

CATEGORIES = (*SYNTHETIC, "photos")
"""The paper's seven categories, in the order in which boards show them."""

NEWEST_EDITION = 2
"""Number of the newest edition of the builders of targets; see ``ircore.instances.targets.categories.EDITIONS``."""

Action = Literal["describe", "done"]
Outcome = Literal["converged", "turn_limit", "aborted"]


class Rules(GameRules):
    """The rules of a run of the reconstruction game; part of the run's identity.

    >>> Rules(token_budget=50).model_dump()
    {'token_budget': 50, 'max_turns': 10, 'over_budget': 'allow'}
    """

    token_budget: int = Field(
        default=200, strict=True, ge=1, le=10_000, description="Tokens a describer message may have (o200k_base)."
    )
    max_turns: int = Field(
        default=10, strict=True, ge=1, le=100, description="Turns after which an episode ends as turn_limit."
    )
    over_budget: Literal["allow", "truncate", "abort"] = Field(
        default="allow", description="What happens to a message over the budget; allow only flags it, as in the paper."
    )
    history: Annotated[str, StringConstraints(pattern=r"^(all|last [1-9][0-9]?|first and last)$")] = Field(
        default="all",
        exclude_if=lambda value: value == "all",  # as runs before there was a choice
        description="Renderings, with the messages they followed, that the describer is shown beside the target: all,"
        " last N, or first and last.",
    )
    drawing: Literal["edit", "redraw", "rewrite"] = Field(
        default="edit",
        exclude_if=lambda value: value == "edit",
        description="How the generator draws from turn 2 on: it edits its own rendering; or draws anew from the whole"
        " dialogue; or from a single prompt into which a rewriter model merged the dialogue.",
    )

    @classmethod
    def of(cls, stated: Any) -> "Rules":
        """Return the rules of a run of reconstruction, or of a manifest, which states them by name.

        Raises:
            InputError: They do not fit.
        """
        if isinstance(stated.rules, cls):
            return stated.rules
        try:
            return cls.model_validate(stated.rules)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join((str(getattr(stated, "run_id", "submission")), "rules", *map(str, fault["loc"])))
            raise InputError(f"{where}: {fault['msg']}", "Restore run.json from a copy of the run.") from error

    @property
    def key(self) -> str:
        """The rules as a single word, the same in every table, file and export; safe in file names and addresses.

        ``b`` and the token budget, ``t`` and the turn limit, then what happens to a message over the budget; then
        history and drawing, where they are not the paper's.

        >>> Rules().key, Rules(history="last 4", drawing="redraw").key
        ('b200-t10-allow', 'b200-t10-allow-last4-redraw')
        """
        history = [] if self.history == "all" else [self.history.replace("and ", "").replace(" ", "")]
        drawing = [] if self.drawing == "edit" else [self.drawing]
        return "-".join([f"b{self.token_budget}-t{self.max_turns}-{self.over_budget}", *history, *drawing])

    @property
    def variants(self) -> tuple[str, ...]:
        """History and drawing in words, where they are not the paper's.

        >>> Rules(history="first and last", drawing="redraw").variants
        ('history: first and last', 'drawing: redraw')
        """
        history = () if self.history == "all" else (f"history: {self.history}",)
        return history if self.drawing == "edit" else (*history, f"drawing: {self.drawing}")

    @property
    def unusual(self) -> tuple[str, ...]:
        """Differences to the default rules, in words.

        >>> Rules(max_turns=1, drawing="redraw").unusual
        ('1 turn', 'drawing: redraw')
        """
        usual, turns = Rules(), "1 turn" if self.max_turns == 1 else f"{self.max_turns} turns"
        return (
            *([f"budget {self.token_budget}"] if self.token_budget != usual.token_budget else []),
            *([turns] if self.max_turns != usual.max_turns else []),
            *([f"over budget: {self.over_budget}"] if self.over_budget != usual.over_budget else []),
            *self.variants,
        )

    @property
    def words(self) -> str:
        """The rules for people.

        >>> Rules(history="last 4").words
        'at most 200 tokens a message and 10 turns, history: last 4'
        """
        over = {"allow": [], "truncate": ["longer messages cut"], "abort": ["longer messages end the episode"]}
        turns = "1 turn" if self.max_turns == 1 else f"{self.max_turns} turns"
        most = f"at most {self.token_budget} tokens a message and {turns}"
        return ", ".join([most, *over[self.over_budget], *self.variants])

    def describe(self, among: "Sequence[Rules]") -> str:  # noqa: ARG002 - as other games' rules are called
        """Return the rules below the heading of a board."""
        return self.words

    def apart(self, among: "Sequence[Rules]") -> str:  # noqa: ARG002 - as other games' rules are called
        """Return the rules beside a pair's name where pairs by several rules stand together.

        >>> Rules(token_budget=50, over_budget="abort").apart([Rules()])
        '50 tokens, 10 turns, over budget: abort'
        """
        over = [] if self.over_budget == "allow" else [f"over budget: {self.over_budget}"]
        return ", ".join([f"{self.token_budget} tokens", format_count(self.max_turns, "turn"), *over, *self.variants])

    def label(self, among: "Sequence[Rules]") -> str:
        """Return a short name that tells these rules from others: the budget, and what else differs.

        >>> Rules().label([Rules(), Rules(max_turns=5)])
        '200 tokens, 10 turns'
        """
        turns = len({rules.max_turns for rules in among}) > 1
        over = len({rules.over_budget for rules in among}) > 1
        words = f"{self.token_budget} tokens" + f", {self.max_turns} turns" * turns + f", {self.over_budget}" * over
        return ", ".join([words, *self.variants])

    def slug(self, among: "Sequence[Rules]") -> str:
        """Return the same name for addresses.

        >>> Rules(history="last 4").slug([Rules(), Rules(history="last 4")])
        'budget-200-last4'
        """
        name = f"budget-{self.token_budget}"
        if len({rules.max_turns for rules in among}) > 1:
            name += f"-turns-{self.max_turns}"
        if len({rules.over_budget for rules in among}) > 1:
            name += f"-{self.over_budget}"
        # History and drawing stand at the end of the rules' own key, where they are not the paper's.
        return name + self.key.removeprefix(f"b{self.token_budget}-t{self.max_turns}-{self.over_budget}")

    def select_remembered_turns(self, turns: int) -> tuple[int, ...]:
        """Return the places (0-based) of the earlier turns that the describer is shown, oldest first.

        Args:
            turns: Number of turns so far, ≥ 0.

        >>> Rules(history="last 2").select_remembered_turns(5)
        (3, 4)
        >>> Rules(history="first and last").select_remembered_turns(5)
        (0, 4)
        """
        places = tuple(range(turns))
        if self.history == "first and last":
            # After one turn the first is the last, and is shown once.
            return places[:1] + places[1:][-1:]
        return places if self.history == "all" else places[-int(self.history.removeprefix("last ")) :]

    def add_rules_key(self, label: str) -> str:
        """Return a model's name followed by the rules' key, so that runs under different rules differ elsewhere too."""
        return f"{label}-{self.key}"

    def remove_rules_key(self, name: str) -> str:
        """Return a model's own name from a name that ``tagged`` returned; any other name unchanged."""
        return name.removesuffix(f"-{self.key}") or name


class Turn(Record):
    """A move of the describer and, unless that move ended the game, the rendering that answered the move.

    >>> Turn(turn=1, action="describe", message="A red circle.", message_tokens=4).over_budget
    False
    """

    turn: int = Field(ge=1, description="1-based.")
    action: Action = Field(description="describe, or done.")
    message: str | None = Field(default=None, description="What the generator was told; null on a done turn.")
    message_tokens: int = Field(
        default=0, ge=0, description="o200k_base tokens of the message as the describer wrote it."
    )
    over_budget: bool = Field(default=False, description="Whether message_tokens exceeds the token budget.")
    leniencies: tuple[Name, ...] = Field(default=(), description="Deviations from the protocol that were accepted.")
    notes: tuple[str, ...] = Field(default=(), description="What the generator said it could not follow.")
    rendering: Rendering | None = Field(default=None, description="Null on a done turn and where none was made.")
    seconds: float = Field(default=0.0, ge=0, description="Seconds that describer and generator took to answer.")


def list_turns(episode: Episode) -> tuple[Turn, ...]:
    """Return the steps of an episode as turns; see ``Episode.steps_as``."""
    return episode.steps_as(Turn)


def list_rendered_turns(episode: Episode) -> tuple[Turn, ...]:
    """Return the turns of an episode that have a rendering, in order."""
    return tuple(turn for turn in list_turns(episode) if turn.rendering is not None)


def collect_renderings(episode: Episode) -> dict[int, Rendering]:
    """Return the renderings of an episode by turn, in order."""
    return {turn.turn: turn.rendering for turn in list_turns(episode) if turn.rendering is not None}
