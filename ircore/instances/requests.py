"""Finding builders, importers and categories of instances, all of them plug-ins in the group ``ircore.instances``.

The name of an entry point says what it is: ``build.GAME`` is called with a ``BuildRequest``, ``import.FORMAT`` with an
``ImportRequest``; both return the set that they wrote. ``category.NAME`` adds a category of targets to the
reconstruction game: ``build(difficulty, rng)``, see ``ircore.instances.targets.base``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import Literal, cast

from pydantic import ValidationError

from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import build_unknown_name_error, convert_plugin_errors, list_available, load_plugin
from ircore.core.records import DIFFICULTIES, Difficulty
from ircore.core.validation import describe_validation_error
from ircore.instances.store import InstanceSet

Kind = Literal["build", "import", "category"]


@dataclass(frozen=True)
class SetPlace:
    """The place of an instance in a set.

    >>> SetPlace("bar_graph", "easy", 1).instance_id
    'bar_graph-easy-01'

    Attributes:
        category: Category of the game.
        difficulty: ``easy`` or ``hard``.
        index: 1-based number within the condition.
    """

    category: str
    difficulty: Difficulty
    index: int

    @property
    def instance_id(self) -> str:
        """The instance's id, such as ``bar_graph-easy-01``."""
        return f"{self.category}-{self.difficulty}-{self.index:02d}"


@dataclass(frozen=True)
class BuildRequest:
    """The arguments of ``ircore instances build``.

    >>> BuildRequest(Path("targets"), per_condition=2, categories=("geometry",)).seed
    0

    Attributes:
        out: The folder to make.
        seed: The same seed gives the same set to the pixel.
        per_condition: Instances for each category and difficulty.
        categories: Categories to build; all if empty.
        difficulties: Difficulties to build; both if empty.
        edition: Edition of the game's builders; 1 draws the released versions of the benchmark.
    """

    out: Path
    seed: int = 0
    per_condition: int = 10
    categories: tuple[str, ...] = ()
    difficulties: tuple[str, ...] = ()
    edition: int = 1

    def places(self, known: Sequence[str], usual: Sequence[str] = ()) -> Iterator[SetPlace]:
        """Return the place of every instance to build, in order.

        Args:
            known: The builder's categories.
            usual: Those that are built where the request names none; all if empty.

        Raises:
            InputError: A category or difficulty is unknown.
        """
        for kind, wanted, names in (
            ("category", self.categories, known), ("difficulty", self.difficulties, DIFFICULTIES)
        ):  # fmt: skip
            for name in wanted:
                if name not in names:
                    raise build_unknown_name_error(kind, name, tuple(names), f"--{kind}")
        return (
            SetPlace(category, cast(Difficulty, difficulty), index)
            for category in self.categories or usual or known
            for difficulty in self.difficulties or DIFFICULTIES
            for index in range(1, self.per_condition + 1)
        )


@dataclass(frozen=True)
class ImportRequest:
    """The arguments of ``ircore instances import``; None for an option that was not given.

    >>> ImportRequest(Path("photos"), Path("targets"), category="photos").difficulty is None
    True

    Attributes:
        path: File or folder to import; ``hf://datasets/ORG/NAME`` for formats that read the Hub themselves.
        out: The folder to make.
        category: Category of instances that state none.
        difficulty: Difficulty of instances that state none.
        source: Origin of the instances, for people.
        licence: SPDX identifier for instances that state none.
        options: Further settings of the format by name, as ``--option NAME=VALUE`` gives them.
    """

    path: Path
    out: Path
    category: str | None = None
    difficulty: str | None = None
    source: str | None = None
    licence: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)


def find_dataset_name(path: Path) -> str | None:
    """Return the ``ORG/NAME`` of ``hf://datasets/ORG/NAME``; None for a path on this disk.

    >>> find_dataset_name(Path("hf://datasets/org/targets")), find_dataset_name(Path("targets"))
    ('org/targets', None)

    Raises:
        InputError: It is an address on the Hub, but not of a dataset.
    """
    # A Path joins the two slashes of an address into one.
    if path.parts[:1] != ("hf:",):
        return None
    if path.parts[1:2] != ("datasets",) or len(path.parts) != 4:
        raise InputError(f"PATH {path}: names no dataset of the Hub", "Write hf://datasets/ORG/NAME.")
    return "/".join(path.parts[2:])


def list_names(kind: Kind) -> tuple[str, ...]:
    """Return the names of all builders (by game), importers (by format) or categories that are installed."""
    return tuple(name.partition(".")[2] for name in list_available("instances") if name.startswith(f"{kind}."))


def find_builder(game: str) -> Callable[[BuildRequest], InstanceSet]:
    """Return the function that builds instances of a game.

    Raises:
        InputError: Nothing does.
        WorkError: It cannot be imported.
    """
    if game not in list_names("build"):
        raise build_unknown_name_error("game with a builder", game, list_names("build"), "--game")
    build: Callable[[BuildRequest], InstanceSet] = load_plugin("instances", f"build.{game}")

    def checked(request: BuildRequest) -> InstanceSet:
        with convert_plugin_errors(f"builder of {game}", OSError):
            made = build(request)
        if not isinstance(made, InstanceSet):
            raise WorkError(
                f"builder of {game}: returned a {type(made).__name__}, not the set that it wrote",
                "Mend the package: return write_instances(…).",
            )
        try:
            _refuse_unasked(game, request, made)
            _refuse_unplayable(game, made)
            # Of some categories alone a set may lack a picture that others have.
            if not request.categories:
                _refuse_unshown(game, made)
        except WorkError:
            # Another folder, which a wrong builder may name, is not the set that was asked for.
            if made.folder.resolve() == request.out.resolve():
                rmtree(made.folder)
            raise
        return made

    return checked


def _refuse_unasked(game: str, request: BuildRequest, made: InstanceSet) -> None:
    """Refuse a set with instances of a category or difficulty that the request leaves out.

    Raises:
        WorkError: The builder does not heed the request.
    """
    for option, wanted, kinds in (
        ("--category", request.categories, {instance.category for instance in made.instances}),
        ("--difficulty", request.difficulties, {instance.difficulty for instance in made.instances}),
    ):
        if wanted and not kinds <= set(wanted):
            raise WorkError(
                f"builder of {game}: does not heed {option}: it made {', '.join(sorted(kinds))}",
                f"Leave {option} out, or mend the package: request.places(CATEGORIES) yields what is asked for.",
            )


def _refuse_unplayable(game: str, made: InstanceSet) -> None:
    """Refuse a set that names another game, or whose payloads are none of the game's: nobody could play it.

    Raises:
        WorkError: The builder does not write what its game declares.
    """
    if made.game != game:
        raise WorkError(
            f"builder of {game}: wrote instances of the game {made.game}", f"Mend the package: game={game!r}."
        )
    if game not in list_available("games"):
        return
    payload = load_plugin("games", game).payload
    for instance in made.instances:
        try:
            payload.model_validate(instance.payload)
        except ValidationError as error:
            raise WorkError(
                f"builder of {game}: {instance.instance_id}: payload: {describe_validation_error(error)}",
                f"Mend the package: the payload is a {payload.__name__}.",
            ) from error


def find_importer(form: str) -> Callable[[ImportRequest], InstanceSet]:
    """Return the function that imports a format.

    Raises:
        InputError: Nothing does.
        WorkError: It cannot be imported.
    """
    if form not in list_names("import"):
        raise build_unknown_name_error("format", form, list_names("import"))
    read: Callable[[ImportRequest], InstanceSet] = load_plugin("instances", f"import.{form}")
    return convert_plugin_errors(f"importer of {form}", OSError)(read)


def _refuse_unshown(name: str, made: InstanceSet) -> None:
    """Refuse a set in which no instance has a picture that the game's pages name: nobody would see why it is missing.

    Raises:
        WorkError: Game and builder name pictures otherwise.
    """
    if name not in list_available("games"):
        return
    game = load_plugin("games", name)
    there = {picture for instance in made.instances for picture in instance.pictures}
    pages = ((f"pages.{key}", (getattr(game.pages, key),)) for key in ("compared", "thumbnail"))
    for key, pictures in (("shown_pictures", game.shown_pictures), *pages):
        for picture in pictures:
            if picture and picture not in there:
                raise WorkError(
                    f"game {name}: {key}: no instance has a picture {picture!r}",
                    f"Mend the package: the builder's are {', '.join(sorted(there)) or 'none'}.",
                )
