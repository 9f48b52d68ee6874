"""The vocabulary that instances, play, score, site and release share.

Every record is validated when it is made, frozen afterwards, and refuses unknown fields. ``Record.model_json_schema()``
gives the JSON Schema of each; the descriptions below are part of it. Turns are counted from 1 everywhere. Seeds that
follow from other seeds are the same on every machine.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
    model_validator,
)

from ircore.core.images import Picture
from ircore.core.plain_words import Day

DIFFICULTIES = ("easy", "hard")

LONGEST_NAME = 100
"""Characters of an identifier at most."""

NAME = rf"^[a-z0-9][a-z0-9_.-]{{0,{LONGEST_NAME - 1}}}$"
Name = Annotated[str, StringConstraints(pattern=NAME)]
"""An identifier that is safe as a file name and in a URL: lower-case ASCII letters, digits, ``_ . -``."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")]
ONE_LINE = r"^[^\x00-\x1f\x7f]*$"
Line = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=ONE_LINE)]
"""Text of one line, 1–300 characters, no control characters."""

DEFAULT_GAME = "reconstruction"
"""Game of a manifest, run or command that names none."""

Difficulty = Literal["easy", "hard"]


def _drop_examples(schema: dict[str, Any]) -> None:
    """Leave the examples of a class's docstring out of the description in its JSON Schema."""
    if "description" in schema:
        schema["description"] = schema["description"].partition(">>>")[0].rstrip()


def is_none(value: object) -> bool:
    """Say whether a written record leaves a field out: one without a value, so that older records keep their bytes."""
    return value is None


class Record(BaseModel):
    """Base of every record: frozen, closed, finite numbers only.

    >>> class Guess(Record):
    ...     word: str
    >>> Guess(word="apple").model_dump()
    {'word': 'apple'}
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True, json_schema_extra=_drop_examples
    )


class Box(NamedTuple):
    """A rectangle of pixels, half open: column ``left`` is inside, column ``right`` is not.

    >>> box = Box(left=10, top=20, right=15, bottom=22)
    >>> box.right - box.left  # pixels wide
    5
    """

    left: int
    top: int
    right: int
    bottom: int

    def overlaps(self, other: "Box") -> bool:
        """Return whether the two boxes have a pixel in common."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


class Element(Record):
    """A shape, line or text drawn in a target.

    >>> Element(type="bar", colour="#1f77b4", box=(10, 20, 30, 100), parameters={"value": 8}).box.bottom
    100
    """

    type: Name = Field(description="What it is: circle, rectangle, line, curve, bar, wedge, axis, tick, label, point …")
    text: str | None = Field(default=None, max_length=200, description="The characters drawn, if it is a text.")
    colour: Colour | None = Field(default=None, description="Its main colour as drawn, #rrggbb.")
    box: Box = Field(description="The smallest box of pixels that holds all it touched, [left, top, right, bottom).")
    parameters: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="What defines it (values, coordinates in pixels unless the key says otherwise).",
    )

    def number(self, name: str, default: float = 0.0) -> float:
        """Return a parameter that is a number; ``default`` if the element has no parameter of this name."""
        value: Any = self.parameters.get(name, default)
        return float(value)

    def numbers(self, name: str) -> list[float]:
        """Return a parameter that is a list of numbers; empty if the element has no parameter of this name."""
        values: Any = self.parameters.get(name, [])
        return [float(value) for value in values]

    def point(self, name: str) -> tuple[float, float]:
        """Return a parameter that is a point, ``[x, y]`` in pixels."""
        point: Any = self.parameters[name]
        return float(point[0]), float(point[1])

    def points(self, name: str) -> list[tuple[float, float]]:
        """Return a parameter that is a list of points."""
        points: Any = self.parameters[name]
        return [(float(x), float(y)) for x, y, *_ in points]


class Scene(Record):
    """Everything that was drawn in a target, back to front: ground truth that no judge model can bias.

    >>> circle = Element(type="circle", colour="#d62728", box=(10, 10, 50, 50))
    >>> [element.type for element in Scene(width=64, height=64, background="#ffffff", elements=(circle,)).elements]
    ['circle']
    """

    width: int = Field(ge=1, le=8192, description="Pixels.")
    height: int = Field(ge=1, le=8192, description="Pixels.")
    background: Colour | None = Field(
        default=None, description="Colour of the pixels no element touched; null if not one colour."
    )
    elements: tuple[Element, ...] = Field(description="Back to front.")
    kinds: dict[Name, Annotated[float, Field(gt=0, le=10)]] = Field(
        default_factory=dict,
        max_length=50,
        exclude_if=lambda value: not value,  # scenes without kinds of their own keep their bytes
        description="Types of elements that are the category's own, and what the presence of one weighs in verified;"
        " the presence of a bar weighs 1.",
    )


class PictureFile(Record):
    """A picture of an instance, stored in the set beside the records.

    >>> PictureFile(image="images/one.png", sha256="0" * 64, width=640, height=480).height
    480
    """

    image: Line = Field(description="The file, relative to the instance set's folder, with forward slashes.")
    sha256: Sha256 = Field(description="Of the picture's size and pixels.")
    width: int = Field(ge=1, le=8192, description="Pixels.")
    height: int = Field(ge=1, le=8192, description="Pixels.")

    @classmethod
    def of(cls, image: str, picture: Picture) -> "PictureFile":
        """Return the record of a picture that lies in a file of the set."""
        return cls(image=image, sha256=picture.sha256, width=picture.width, height=picture.height)


Fields = dict[Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,99}$")], JsonValue]
"""A game's own fields by name; the game's records check them where they are read."""


class Instance(Record):
    """An item to be played, of any game: labels, pictures, the game's own fields, origin and licence.

    >>> apple = Instance(instance_id="a", game="guess", category="fruit", difficulty="easy", licence="CC0-1.0",
    ...                  source="made by hand", payload={"secret": "apple"})
    >>> apple.payload["secret"], apple.scene is None
    ('apple', True)
    """

    instance_id: Name = Field(description="Unique in its set.")
    game: Name = Field(description="Entry-point name in the group ircore.games.")
    category: Name = Field(description="One of the game's categories, such as bar_graph.")
    difficulty: Difficulty = Field(description="easy or hard.")
    pictures: dict[Name, PictureFile] = Field(default_factory=dict, description="Its pictures by name.")
    payload: Fields = Field(default_factory=dict, description="The game's own fields, such as texts and answers.")
    source: Line = Field(description="Where it comes from, for people: 'procedural' or a work and its author.")
    licence: Line = Field(description="SPDX identifier, or 'LicenseRef-…' for a public-domain statement.")
    seed: int | None = Field(default=None, ge=0, description="The seed it was made from; null if it was not drawn.")

    @property
    def scene(self) -> Scene | None:
        """What was drawn: the field ``scene`` of the payload; None for photographs, imported pictures and texts."""
        stated = self.payload.get("scene")
        # Known by its fields: a game may call a text its scene.
        if not isinstance(stated, dict) or not {"width", "height", "elements"} <= stated.keys():
            return None
        # Beside the fields, and with what it was made of: a copy with another payload has another scene.
        known: tuple[Any, Scene | None] = self.__dict__.get("_scene", (None, None))
        if known[0] is not stated:
            self.__dict__["_scene"] = known = stated, Scene.model_validate(stated)
        return known[1]

    @model_validator(mode="after")
    def _is_playable(self) -> Self:
        # Its page would be the index of all pages.
        if self.instance_id == "index":
            raise ValueError("instance_id: index is a page of every site; name the instance otherwise")
        try:
            _ = self.scene
        except ValidationError as error:
            # With the place in the record, as if the scene were a field of its own.
            detail = error.errors(include_url=False)[0]
            place = ".".join(("payload", "scene", *map(str, detail["loc"])))
            raise ValueError(f"{place}: {detail['msg']}") from error
        return self


def collect_measures(instance: Instance) -> dict[str, float]:
    """Return the numbers known of an instance's picture, such as how differently people name it (snd)."""
    stated = instance.payload.get("measures")
    numbers = stated.items() if isinstance(stated, dict) else ()
    return {name: float(value) for name, value in numbers if isinstance(value, int | float)}


class ModelFacts(Record):
    """A submitter's statements about the model in a seat; nothing is played or scored by them.

    >>> ModelFacts(organisation="Example Lab", open_weights=True, parameters_b=8, licence="Apache-2.0").weights
    'open'
    """

    organisation: Line | None = Field(default=None, exclude_if=is_none, description="Who made the model.")
    open_weights: bool | None = Field(
        default=None, strict=True, exclude_if=is_none, description="Whether anybody can download the weights."
    )
    parameters_b: float | None = Field(
        default=None, gt=0, le=100_000, exclude_if=is_none, description="Size: thousands of millions of parameters."
    )
    released: Day | None = Field(default=None, exclude_if=is_none, description="When it came out, YYYY-MM-DD.")
    licence: Line | None = Field(default=None, exclude_if=is_none, description="SPDX identifier of the weights.")
    usd_per_episode: float | None = Field(
        default=None, ge=0, le=1_000, exclude_if=is_none, description="What an episode costs in this seat, US dollars."
    )

    @property
    def weights(self) -> str:
        """``open`` or ``closed``; empty if that is not stated."""
        return "" if self.open_weights is None else "open" if self.open_weights else "closed"


LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Hosts of a server on the machine that asks: the ones to which keys may go in clear text."""

OWN_SERVER = "https://own-server.invalid"
"""Published in place of an address on loopback, which names another machine wherever it is read; it leads nowhere."""


class PlayerSpec(Record):
    """The player of a seat, with its settings.

    >>> PlayerSpec(player="openai", model="gpt-5.2", api_key_env="OPENAI_API_KEY").label
    'gpt-5.2'
    """

    player: Name = Field(description="Entry-point name in the group ircore.players.")
    model: Line | None = Field(default=None, description="Model name as the provider knows it.")
    revision: Line | None = Field(
        default=None,
        exclude_if=is_none,
        description="Which version of the model: the commit of its weights, or the name or date of a snapshot.",
    )
    base_url: Line | None = Field(default=None, description="https, or http on loopback.")
    api_key_env: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*_(KEY|TOKEN)$")] | None = Field(
        default=None, description="Name of the environment variable that holds the key; never the key."
    )
    parameters: dict[str, JsonValue] = Field(default_factory=dict, description="Passed to the player as they are.")
    source: Name | None = Field(
        default=None,
        exclude_if=is_none,
        description="Of the player 'recorded': whose recorded answers take the seat, such as human.",
    )
    about: ModelFacts | None = Field(
        default=None, exclude_if=is_none, description="What is known of the model: maker, weights, size, day, price."
    )

    @property
    def label(self) -> str:
        """The name shown for this player: the model, or the built-in player's own name."""
        return self.model or self.player

    @property
    def on_loopback(self) -> bool:
        """Whether the player asks a server on its own machine."""
        from urllib.parse import urlsplit

        return self.base_url is not None and urlsplit(self.base_url).hostname in LOOPBACK

    @property
    def published(self) -> "PlayerSpec":
        """The player as others may read it: without an address on the machine that played.

        >>> PlayerSpec(player="openai", model="m", base_url="http://localhost:8000/v1").published.base_url
        'https://own-server.invalid'
        """
        return self.model_copy(update={"base_url": OWN_SERVER}) if self.on_loopback else self

    @model_validator(mode="after")
    def _base_url_is_safe(self) -> "PlayerSpec":
        if self.base_url is not None:
            from urllib.parse import urlsplit

            parts = urlsplit(self.base_url)
            # Keys travel to this address: in clear text only on the machine itself.
            if parts.username or not (parts.scheme == "https" or (parts.scheme == "http" and self.on_loopback)):
                raise ValueError("base_url must be https, or http on loopback, without credentials")
        return self


class GameRules(Record):
    """Base of every game's rules: closed, and every field has a default.

    >>> class GuessRules(GameRules):
    ...     tries: int = Field(default=3, ge=1)
    >>> GuessRules().tries
    3
    """

    plain: ClassVar[Mapping[str, str | Mapping[Any, str]]] = {}
    """What rules mean in plain words, by their names: of each value, or with ``{}`` in the place of the value.

    Without an entry a rule is told by its name and its value.
    """


def list_scene_categories(instances: Iterable[Instance]) -> tuple[str, ...]:
    """Return the categories of a set in which some target has a scene, in the order of the set."""
    return tuple(dict.fromkeys(instance.category for instance in instances if instance.scene is not None))


class StatedRules(NamedTuple):
    """The rules of a run as its record states them.

    >>> rules = StatedRules.of({"rounds": 3, "feedback": True}, defaults={"rounds": 6, "feedback": True})
    >>> rules.key, rules.unusual, rules.words
    ('feedback=true,rounds=3', ('rounds: 3',), 'feedback on, rounds: 3')
    """

    key: str
    """One word for tables; equal rules have equal keys."""

    unusual: tuple[str, ...] = ()
    """Rules that are not the defaults, in words."""

    phrases: tuple[str, ...] = ()
    """Every rule in words."""

    setting: str = ""
    """Name that the game's paper has for them; empty without one."""

    told: tuple[str, ...] = ()
    """Rules that are not the defaults, in the game's plain words where it has some."""

    meaning: tuple[str, ...] = ()
    """Every rule that the game has plain words for, in these."""

    @classmethod
    def of(
        cls,
        rules: Fields,
        defaults: Fields,
        setting: str = "",
        plain: Mapping[str, str | Mapping[Any, str]] = MappingProxyType({}),
    ) -> "StatedRules":
        """Return rules with their key and their words.

        Args:
            rules: As the run states them.
            defaults: The game's.
            setting: Name that the game's paper has for them.
            plain: Plain words of the game, as ``GameRules.plain``.
        """
        every = {**defaults, **rules}
        others = {name: value for name, value in rules.items() if name not in defaults or defaults[name] != value}
        phrases = (
            words
            for name, value in sorted(others.items())
            for words in ([_tell_rule(plain[name], value)] if name in plain else describe_each_rule({name: value}))
        )
        return cls(
            format_rules_key(rules),
            describe_each_rule(others),
            describe_each_rule(every),
            setting,
            tuple(filter(None, phrases)),
            tuple(filter(None, (_tell_rule(plain[name], value) for name, value in every.items() if name in plain))),
        )

    @property
    def words(self) -> str:
        """The rules for people."""
        return ", ".join(self.phrases)

    def apart(self, among: "Sequence[StatedRules]") -> str:
        """Return what sets these rules apart from the first of some: the paper's name, or words; empty for the first.

        >>> on, off = (StatedRules.of({"live": live, "hops": 8}, {}) for live in (True, False))
        >>> off.apart([on, off]), on.apart([on, off]), (named := off._replace(setting="L2")).apart([on, named])
        ('live off', '', 'L2')
        """
        if self != among[0] and self._is_named(among):
            return self.setting
        return ", ".join(phrase for phrase in self.phrases if phrase not in among[0].phrases)

    def label(self, among: "Sequence[StatedRules]") -> str:
        """Return a short name that tells these rules from others: the paper's name, or what not all of them state.

        >>> on, off = (StatedRules.of({"live": live, "hops": 8}, {}) for live in (True, False))
        >>> on.label([on, off]), on._replace(setting="L2").label([on, off])
        ('live on', 'L2')
        """
        if self._is_named(among):
            return self.setting
        own = (phrase for phrase in self.phrases if not all(phrase in other.phrases for other in among))
        return ", ".join(own) or "usual rules"

    def label_behind_with(self, among: "Sequence[StatedRules]") -> str:
        """Return ``label`` as it stands behind the word "with".

        >>> on, off = (StatedRules.of({"live": live, "hops": 8}, {}) for live in (True, False))
        >>> on.label_behind_with([on, off]), on._replace(setting="L2").label_behind_with([on, off])
        ('live on', 'rules L2')
        """
        label = self.label(among)
        return f"rules {label}" if label == self.setting else label

    def describe(self, among: "Sequence[StatedRules]") -> str:
        """Return the rules below the heading of a board: the paper's name, and what is not the game's default.

        >>> usual, other = (StatedRules.of({"history": on}, {"history": True}) for on in (True, False))
        >>> usual.describe([usual, other]), other._replace(setting="L2").describe([usual, other])
        ('usual rules', 'rules L2 (history off)')
        """
        if not self._is_named(among):
            return ", ".join(self.told) or "usual rules"
        # A preset is what the name says.
        unusual = ", ".join(phrase for phrase in self.told if not phrase.endswith(f": {self.setting}"))
        return f"rules {self.setting}" + (f" ({unusual})" if unusual else "")

    def _is_named(self, among: "Sequence[StatedRules]") -> bool:
        """Return whether the rules have a name that none of the others has."""
        return bool(self.setting) and all(other.setting != self.setting or other == self for other in among)

    def slug(self, among: "Sequence[StatedRules]") -> str:
        """Return the same name for addresses: letters, digits and hyphens.

        >>> on, off = (StatedRules.of({"live": live, "hops": 8}, {}) for live in (True, False))
        >>> off.slug([on, off])
        'live-off'
        """
        name = re.sub("[^a-z0-9]+", "-", self.label(among).lower()).strip("-")[:60]
        alike = [other for other in among if other.label(among).lower() == self.label(among).lower()]
        # Signs that addresses cannot have may be all that sets two sets of rules apart.
        plain = len(alike) == 1 and re.fullmatch("[a-z0-9 :,]{1,60}", self.label(among).lower())
        return name if plain else f"{name or 'rules'}-{hashlib.sha256(self.key.encode()).hexdigest()[:6]}"


def format_rules_key(rules: Fields) -> str:
    """Return the rules of a run as one word for tables; equal rules have equal keys.

    >>> format_rules_key({"rounds": 3, "feedback": True})
    'feedback=true,rounds=3'
    >>> format_rules_key({})
    'none'
    """
    return ",".join(f"{name}={format_rule_value(value)}" for name, value in sorted(rules.items())) or "none"


def describe_rules(rules: Fields) -> str:
    """Return the rules of a run for people; empty without rules.

    >>> describe_rules({"rounds": 3, "feedback": True})
    'feedback on, rounds: 3'
    """
    return ", ".join(describe_each_rule(rules))


def _tell_rule(words: str | Mapping[Any, str], value: object) -> str:
    """Return a game's plain words for the value of a rule; empty for a value that says nothing.

    >>> _tell_rule("at most {} hops", 3), _tell_rule({True: "two models talk"}, True)
    ('at most 3 hops', 'two models talk')
    """
    if isinstance(words, str):
        shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else format_rule_value(value)
        return words.format(shown) if value not in ("", None, [], ()) else ""
    # A value that a stranger wrote may be anything, a list among them.
    return words.get(value, "") if isinstance(value, str | int) else ""


def describe_each_rule(rules: Fields) -> tuple[str, ...]:
    """Return each rule of a run for people, by name; a rule without a value, such as an empty list, says nothing.

    >>> describe_each_rule({"max_steps": 3, "feedback": False, "words": []})
    ('feedback off', 'max steps: 3')
    """
    return tuple(
        f"{name.replace('_', ' ')} {'on' if value else 'off'}"
        if isinstance(value, bool)
        else f"{name.replace('_', ' ')}: {format_rule_value(value)}"
        for name, value in sorted(rules.items())
        if value not in ("", None, [])
    )


def build_natural_key(text: str) -> list[str | int]:
    """Return a key by which numbers within texts are ordered by their size.

    >>> sorted(["b200-t10", "b50-t10"], key=build_natural_key)
    ['b50-t10', 'b200-t10']
    """
    return [int(part) if part.isdecimal() else part for part in re.split("([0-9]+)", text)]


def format_rule_value(value: object) -> str:
    """Return the value of a rule as a manifest has it, a text without its quotation marks.

    >>> format_rule_value(False), format_rule_value(3), format_rule_value("edit")
    ('false', '3', 'edit')
    """
    return json.dumps(value, sort_keys=True, default=str).strip('"')


def derive_seed(seed: int, *parts: object) -> int:
    """Return a seed of 32 bits that depends on ``seed`` and every part.

    >>> derive_seed(7, "geometry-easy-01") == derive_seed(7, "geometry-easy-01")
    True
    >>> derive_seed(7, 1, "describer") == derive_seed(7, 1, "generator")
    False
    """
    # By a hash: Python's own ``hash`` of a text differs from process to process.
    text = "\0".join(str(part) for part in (seed, *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
