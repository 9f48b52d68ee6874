"""Finding games: every installed game whose declarations are sound, and broken games with the reason."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, get_args, get_type_hints

from pydantic import Field, create_model

from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import convert_plugin_errors, list_available, list_unused, load_plugin
from ircore.core.records import DEFAULT_GAME, GameRules, Name, PlayerSpec, Record
from ircore.core.submission_records import SubmissionFields, build_game_field
from ircore.games.base import Game, GameOutcome, Measure, Seat
from ircore.games.declarations import CategoryWords, Pages
from ircore.players.base import AnswerKind

HEADLINE_BY_JUDGES = "headline by judges"
"""Feature of a game whose boards are headed by what each judge says."""

RATINGS = (0, 10)
"""Lowest and highest rating of judges and people."""

BOARD_COLUMNS = frozenset(
    {
        *("game", "run_id", "submission", "name", "category", "difficulty", "judge", "rules", "pair"),
        *("rank", "rank_low", "rank_high", "top", "unranked", "main_score", "mean", "low", "high", "n"),
        *("played", "played_of_all", "played_share", "rated_of_applicable", "episodes", "unfinished", "applicable"),
        *("rated", "refused", "not_yet", "detectable", "steps", "episode_tokens", "seconds", "over_budget", "cost"),
    }
)
"""Columns that every board has in tables and releases, which no seat and no measure may have, too."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def find_declaration_faults(game: Game[Any]) -> tuple[str, ...]:
    """Return the faults of a game's declarations, a line each; an empty tuple for a sound game."""
    needed = ("name", "title", "seats", "payload", "step", "outcomes", "measures")
    # Alone, since every other rule reads these attributes, and expects them to be of these kinds.
    if missing := tuple(f"{name} is missing" for name in needed if not getattr(game, name, None)):
        return missing
    if faults := tuple(fault for holds, fault in _check_kinds(game) if not holds):
        return faults
    rules = (_check_names, _check_measures, _check_ratings, _check_rules, _check_pages, _check_fields)
    # A measure that lacks may be named by a column, a figure and a chart.
    return tuple(dict.fromkeys(fault for rule in rules for holds, fault in rule(game) if not holds))


def has_rated_pictures(game: Game[Any]) -> bool:
    """Return whether judges and people rate pictures of a game, which names them in ``list_rated_pictures``."""
    return type(game).list_rated_pictures is not Game.list_rated_pictures


def build_manifest_form(game: Game[Any]) -> type[SubmissionFields]:
    """Return the closed record of a game's manifests.

    >>> from ircore.games.registry import load_game
    >>> form = build_manifest_form(load_game("reference"))
    >>> [name for name, field in form.model_fields.items() if field.annotation is PlayerSpec]
    ['speaker', 'listener']
    """
    default: Any = Field(
        default=... if build_game_field(game.name) else game.name, pattern=f"^{game.name}$", description=game.title
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


def load_game(name: str, where: str = "") -> Game[Any]:
    """Return a game by the name of its entry point.

    Args:
        name: Name of the game.
        where: File and field in which the name stood, for the error message.

    Raises:
        InputError: There is none of that name.
        WorkError: It cannot be imported, or its declarations are not sound.
    """
    named = load_plugin("games", name, where)
    with convert_plugin_errors(f"game {name!r}"):
        return _check_game(name, named)


def sort_game_names(names: Iterable[str]) -> list[str]:
    """Return names of games in the order in which games are listed: the default one first, others by their names."""
    return sorted(names, key=lambda name: (name != DEFAULT_GAME, name))


def find_title(name: str) -> str:
    """Return the title of a game; its name if it is not installed, or broken."""
    try:
        return load_game(name).title
    except WorkError:
        return name


def find_step_word(name: str) -> str:
    """Return a game's word for one of its steps; ``step`` if the game is not installed, or broken."""
    try:
        return load_game(name).step_word
    except WorkError:
        return "step"


def has_support(feature: str, name: str) -> bool:
    """Return whether a feature works with a game, see ``Game.supports``; not if the game is not installed, or broken.

    >>> has_support("replay", "reconstruction"), has_support("replay", "chess")
    (True, False)
    """
    try:
        return feature in load_game(name).supports
    except (InputError, WorkError):
        return False


def require_support(feature: str, name: str, subject: str) -> None:
    """Refuse a game with which a feature does not work; see ``Game.supports``.

    Args:
        feature: Name of the feature, such as ``spot replay``.
        name: Name of the game.
        subject: What is of the game, for the error message, such as the path of a run.

    Raises:
        InputError: It does not work with the game.
    """
    if feature in load_game(name).supports:
        return
    others = [game.name for game in load_installed_games()[0].values() if feature in game.supports]
    raise InputError(
        f"{subject}: the game {name} has no {feature}", f"It works with {' and '.join(others) or 'no installed game'}."
    )


def load_installed_games() -> tuple[dict[str, Game[Any]], dict[str, str]]:
    """Return the installed games by name, and the reasons why others cannot be used, also by name."""
    games: dict[str, Game[Any]] = {}
    broken = {plugin.label: plugin.reason for plugin in list_unused("games")}
    for name in list_available("games"):
        try:
            games[name] = load_game(name)
        except WorkError as error:
            broken[name] = error.problem.partition(": ")[2] or error.problem
    return games, broken


@cache
def find_category_words(category: str) -> CategoryWords:
    """Return the words of the site for a category: those of the first installed game that has some.

    >>> find_category_words("bar_graph").short, find_category_words("old_maps").title
    ('Bar', 'Old maps')
    """
    games = load_installed_games()[0]
    known = (games[name].pages.categories.get(category) for name in sort_game_names(games))
    return next(filter(None, known), CategoryWords(category.replace("_", " ").capitalize()))


def _check_kinds(game: Game[Any]) -> Iterator[tuple[bool, str]]:
    """Yield whether each declaration is of its kind, and the fault."""
    for name, kind in (("seats", Seat), ("outcomes", GameOutcome), ("measures", Measure)):
        declared = getattr(game, name)
        sound = isinstance(declared, Sequence) and all(isinstance(each, kind) for each in declared)
        yield sound, f"{name} are not all of the class {kind.__name__}"
    for name, base in (("payload", Record), ("step", Record), ("rules", GameRules)):
        declared = getattr(game, name)
        yield isinstance(declared, type) and issubclass(declared, base), f"{name} is no class of {base.__name__}"
    yield isinstance(game.pages, Pages), "pages are no Pages"
    yield isinstance(game.title, str), "the title is no text"


def _check_names(game: Game[Any]) -> Iterator[tuple[bool, str]]:
    """Yield whether each name can stand in files, columns and addresses, and its fault."""
    names = {
        "seat": [seat.name for seat in game.seats],
        "outcome": [outcome.name for outcome in game.outcomes],
        "measure": [measure.key for measure in game.measures],
    }
    for kind, each in ((kind, each) for kind, of_kind in names.items() for each in of_kind):
        sound = isinstance(each, str) and _NAME.fullmatch(each)
        yield bool(sound), f"the {kind} {each!r} is not named by small letters, digits and underscores"
        yield kind == "outcome" or each not in BOARD_COLUMNS, f"the {kind} {each!r} has the name of a column of boards"
    for name in set(names["seat"]) & set(names["measure"]):
        yield False, f"the seat {name} and the measure {name} would share a column of boards"
    for seat in game.seats:
        kinds = get_args(AnswerKind)
        yield seat.answers in kinds, f"the seat {seat.name} answers {seat.answers!r}; known: {', '.join(kinds)}"


def _check_measures(game: Game[Any]) -> Iterator[tuple[bool, str]]:
    """Yield whether direction, unit of values, source and range of each measure are known, and the fault."""
    types = get_type_hints(Measure)
    for measure in game.measures:
        for field in ("direction", "per", "needs"):
            known = get_args(types[field])
            yield (
                getattr(measure, field) in known,
                f"the measure {measure.key} has {field} {getattr(measure, field)!r}; known: {', '.join(known)}",
            )
        low, high = measure.range or (0, 1)
        yield low < high, f"the range of {measure.key} does not ascend"


def _check_ratings(game: Game[Any]) -> Iterator[tuple[bool, str]]:
    """Yield whether each measure that a judge or a person gives is a similarity of pictures, and the fault."""
    if HEADLINE_BY_JUDGES in game.supports:  # whose preferences are rated, too
        return
    for measure in game.measures:
        if measure.needs in ("judge", "person"):
            needs = f"the measure {measure.key} needs a {measure.needs}"
            fault = f"{needs}, and the game says in no method list_rated_pictures which pictures are rated"
            yield has_rated_pictures(game), fault
            similarity = measure.range == RATINGS and measure.direction == "higher"
            yield similarity, f"{needs}, so its range is 0–10 and higher is better"
            ranks = "boards rank by a number that does not depend on who was asked"
            yield measure is not game.headline, f"the headline {measure.key} needs a {measure.needs}; {ranks}"


def _check_rules(game: Game[Any]) -> Iterator[tuple[bool, str]]:
    """Yield whether each rule of names, outcomes and the headline holds, and its fault."""
    for kind, names in (
        ("seat", [seat.name for seat in game.seats]),
        ("measure", [measure.key for measure in game.measures]),
        ("outcome", [outcome.name for outcome in game.outcomes]),
    ):
        # Names are keys of files and columns, where the second would replace the first.
        yield len(set(names)) == len(names), f"two {kind}s have one name"
    for (per, title), count in Counter((measure.per, measure.title) for measure in game.measures).items():
        # People could not tell their columns apart.
        yield count == 1, f"{count} measures per {per} have the title {title!r}"
    # Boards place a headline on an axis from its lowest to its highest value.
    bounded = game.headline.bounds is not None
    yield bounded, f"the headline {game.headline.key} has no range with a lowest and a highest value"
    yield any(outcome.played for outcome in game.outcomes), "no outcome counts as played"
    yield (
        any(outcome.name == "aborted" and not outcome.played for outcome in game.outcomes),
        "there is no outcome aborted that does not count as played",
    )


def _check_pages(game: Game[Any]) -> Iterator[tuple[bool, str]]:
    """Yield the rules of the columns, figures, curves and matrix that a game's pages name."""
    pages, keys = game.pages, {measure.key for measure in game.measures}
    contrasts = [key for contrast in pages.contrasts for key in (contrast.measure, *contrast.beside)]
    charted = {*(curve.measure for curve in pages.curves), *(contrast.measure for contrast in pages.contrasts)}
    for key in (*pages.columns, *pages.figures, *(curve.measure for curve in pages.curves), *contrasts):
        yield key in keys, f"pages name the measure {key}, which is not declared"
    for name in pages.rules:
        yield name in game.rules.model_fields, f"pages name the rule {name}, which is not declared"
    for key in pages.stories:
        yield key in charted, f"pages tell a story of {key}, which no curve and no contrast is of"
    per_step = {measure.key for measure in game.measures if measure.per == "step"}
    for curve in pages.curves:
        yield curve.measure in per_step, f"a curve is of {curve.measure}, which is no measure per step"
        yield (
            not curve.over or curve.over in game.step.model_fields,
            f"a curve is over {curve.over}, no field of a step",
        )
    seats = {seat.name for seat in game.seats}
    sound = not pages.matrix or (len(set(pages.matrix)) == 2 and seats.issuperset(pages.matrix))
    yield sound, f"pages cross {', '.join(pages.matrix)} in a matrix, which are not two seats"


def _check_fields(game: Game[Any]) -> Iterator[tuple[bool, str]]:
    """Yield the rules of the fields and measures to which seats, differences, figures and runs refer."""
    for seat in game.seats:
        rule = game.rules.model_fields.get(seat.when)
        yield (
            not seat.when or (rule is not None and rule.annotation is bool),
            f"the seat {seat.name} is asked with {seat.when}, which is no rule that is true or false",
        )
    keys = {measure.key for measure in game.measures}
    for seat in game.seats:
        for key in set(seat.decides) - keys:
            yield False, f"the seat {seat.name} decides {key}, which is no measure"
    for measure in game.measures:
        sound = measure.difference is None or (measure.needs == "means" and keys.issuperset(measure.difference))
        yield sound, f"the measure {measure.key} is a difference of measures that are not declared"
    ranges = {measure.key: measure.range for measure in game.measures if measure.range}
    for figure in game.published:
        yield figure.measure in keys, f"the figure {figure.label!r} is of {figure.measure}, which is no measure"
        low, high = ranges.get(figure.measure, (figure.value, figure.value))
        # Scales end where the range does, so that such a figure would be seen nowhere.
        yield low <= figure.value <= high, f"the figure {figure.label!r} is {figure.value:g}, outside of the range"
        known = figure.low is not None and figure.high is not None and figure.low <= figure.value <= figure.high
        # A band is drawn between the ends, around the value.
        sound = known or (figure.low is None and figure.high is None)
        yield sound, f"the figure {figure.label!r} has an interval that does not hold its value"
        linked = figure.source.startswith("https://")
        yield linked, f"the figure {figure.label!r} has the source {figure.source!r}, which is no https address"
    required = [name for name, info in game.rules.model_fields.items() if info.is_required()]
    # A run may state no rule at all.
    yield not required, f"rules without a default: {', '.join(required)}"


@lru_cache(maxsize=32)
def _check_game(name: str, named: Any) -> Game[Any]:
    """Return the game that an entry point names, its declarations checked: once, while every run asks for it."""
    game = named() if isinstance(named, type) else named
    if not isinstance(game, Game):
        raise WorkError(
            f"game {name!r}: {type(game).__name__} is not an ircore.games.base.Game", "Derive the game from Game."
        )
    faults = find_declaration_faults(game)
    if game.name != name:
        faults += (f"its name is {game.name}, its entry point's {name}",)
    if faults:
        raise WorkError(f"game {name!r}: {'; '.join(faults)}", "Mend the game's package.")
    return game
