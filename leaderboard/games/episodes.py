"""Instances and episodes of a game, rendered by the game's own templates in a sandbox that escapes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files
from itertools import count
from traceback import extract_tb
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from ircore.core.episode_records import Episode, Rendering, list_renderings, repeat_id
from ircore.core.errors import WorkError
from ircore.core.plain_words import format_count
from ircore.core.plugins import convert_plugin_errors
from ircore.core.records import Instance
from ircore.core.untrusted_text import make_visible
from ircore.games.base import Measure, RatedPicture, is_played, read_ending
from ircore.results.played_run import PlayedRun
from leaderboard import words
from leaderboard.components import episodes as components
from leaderboard.games.figures import compute_similarity, get_measure
from leaderboard.model.section import GameSection
from leaderboard.model.site import Pair
from leaderboard.model.xray import DrawnScene, Xray, build_xrays, draw_scene
from leaderboard.storage.pictures import Shown


class MeasureValues(dict[str, Any]):
    """Values by the key of a measure; each declared measure without a value, as of an aborted episode, has a default.

    Args:
        known: What there is.
        keys: Of the declared measures.
        default: For each of the others.
    """

    def __init__(self, known: Mapping[str, Any], keys: Collection[str], default: Any) -> None:
        super().__init__(known)
        self._keys, self._default = keys, default

    def __missing__(self, key: str) -> Any:
        if key not in self._keys:
            raise UndefinedError(f"{key!r} is no measure of the game")
        return self._default


def register_pictures(section: GameSection) -> None:
    """Register every picture of a section, before pages are rendered in several processes that cannot tell each other.

    Args:
        section: The game, whose pictures are added to those of the site.
    """
    for instance in section.instances:
        section.instance_pictures(instance)
    # A rendering drawn over a withheld picture would publish that picture.
    published = {instance.instance_id for instance in section.instances if section.renderings_are_published(instance)}
    for pair in section.ranked:
        for episode in section.get_run(pair).episodes:
            for _, rendering in list_renderings(episode) if episode.instance_id in published else ():
                section.rendering(pair.run_id, rendering)


def render_instance(section: GameSection, instance: Instance, root: str) -> Markup:
    """Return an instance as the game's template shows it.

    Args:
        section: The game.
        instance: The instance.
        root: Relative address of the site's root.

    Raises:
        WorkError: The template or ``Game.collect_shown_values`` is broken.
    """
    payload = section.payload(instance)
    values = {**_describe_payload(section, payload, None), **_collect_instance_values(section, instance, payload, root)}
    template = section.game.pages.instance or _read_usual_template("instance")
    return _render_template(section, "an instance", template, values)


def render_episode(section: GameSection, pair: Pair, instance: Instance, episode: Episode, root: str) -> Markup:
    """Return one episode as the game's template shows it.

    Args:
        section: The game.
        pair: Run that played the episode.
        instance: Instance that was played.
        episode: The episode.
        root: Relative address of the site's root.

    Raises:
        WorkError: The template or ``Game.collect_shown_values`` is broken.
    """
    payload, ending = section.payload(instance), read_ending(section.game, episode)
    run = section.get_run(pair)
    drawn = list_renderings(episode) if section.renderings_are_published(instance) else ()
    renderings = {rendering.sha256: section.rendering(pair.run_id, rendering) for _, rendering in drawn}
    per_episode, per_step = _collect_measures(run, episode)
    notes = {
        score.measure: score.note
        for score in run.every_score
        if score.episode_id == episode.episode_id and score.step is None and score.note
    }
    keys = {measure.key for measure in section.game.measures}
    values = {
        **_describe_payload(section, payload, ending),
        **_collect_instance_values(section, instance, payload, root),
        "episode": episode,
        "steps": ending.steps,
        "players": {seat.name: run.run.submission.label_of(seat.name) for seat in section.seats},
        "renderings": {sha256: f"{root}{shown.small}" for sha256, shown in renderings.items()},
        "rendering": _make_picture_renderer(
            section,
            repeat_id(pair.key, episode.repeat),
            instance,
            renderings,
            per_step,
            root,
            _find_xrays(section, pair, instance, episode),
        ),
        "values": MeasureValues(per_episode, keys, None),
        "step_values": MeasureValues(per_step, keys, [None] * len(episode.steps)),
        "notes": MeasureValues(notes, keys, ""),
    }
    where = f"; episode {episode.episode_id} of {pair.run_id}, {episode.outcome}"
    template = section.game.pages.episode or _read_usual_template("episode")
    return _render_template(section, "an episode", template, values, where)


def _describe_payload(section: GameSection, payload: Any, ending: Any) -> Mapping[str, Any]:
    try:
        return section.game.collect_shown_values(payload, ending)
    except Exception as error:  # a plug-in is somebody else's code
        raise WorkError(
            f"the game {section.game.name}: its collect_shown_values failed with {type(error).__name__}: {error}",
            "Correct the game's package.",
        ) from error


def _collect_instance_values(section: GameSection, instance: Instance, payload: Any, root: str) -> dict[str, Any]:
    pictures = section.instance_pictures(instance)
    return {
        "instance": instance,
        "payload": payload,
        "pictures": {name: f"{root}{shown.small}" for name, shown in pictures.items()},
        "picture": partial(_render_picture, pictures, root),
        "number": words.number,
        "titles": {measure.key: measure.title for measure in section.game.measures},
        "step_word": section.game.step_word,
    }


@cache
def _read_usual_template(subject: str) -> str:
    """Return the template of an instance or an episode for games that bring none."""
    return (files("leaderboard") / "templates" / f"game_usual_{subject}.html.j2").read_text(encoding="utf-8")


@lru_cache(maxsize=64)
def _compile_template(text: str) -> Template:
    """Return a compiled template: a game has two of them, which are rendered for every episode."""
    # A plug-in's template runs on the machine that builds the site: no access to Python's internals.
    environment = SandboxedEnvironment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=_escape_value
    )
    environment.filters["counted"] = format_count
    return environment.from_string(text)


def _render_template(
    section: GameSection, subject: str, template: str, values: Mapping[str, Any], where: str = ""
) -> Markup:
    try:
        return Markup(_compile_template(template).render(**values))  # noqa: S704 - its environment escapes
    except Exception as error:  # a game's template is somebody else's code
        words = str(error) if isinstance(error, TemplateError) else f"{type(error).__name__}: {error}"
        raise WorkError(
            f"the game {section.game.name}: its template of {subject} is broken in line "
            f"{_find_error_line(error)}: {words}{where}",
            "Correct the game's package.",
        ) from error


def _find_error_line(error: Exception) -> int:
    """Return the line of a template that an error came from."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    # Jinja gives the frames of a template the template's own lines; the innermost is where the error arose.
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == "<template>"]
    return (lines and lines[-1]) or 1


def _escape_value(value: Any) -> Any:
    """Return a text with hidden characters shown by their code; HTML of components as it is."""
    # Markup comes from our components, which have made strangers' words visible already.
    return make_visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _render_picture(pictures: Mapping[str, Shown], root: str, name: str, alt: str) -> Markup:
    return components.picture(pictures[name], alt, root) if name in pictures else components.render_withheld(alt)


def find_compared_picture(section: GameSection, instance: Instance) -> Shown | None:
    """Return the picture of an instance that its renderings are compared with; None where nothing is compared."""
    return section.instance_pictures(instance).get(section.game.pages.compared)


@lru_cache(maxsize=1)  # each episode of an instance asks for it
def draw_compared_scene(section: GameSection, name: str) -> DrawnScene | None:
    """Return marks and facts of the scene that renderings of an instance are held against; None where none is known.

    Args:
        section: The game.
        name: The instance's id.
    """
    instance = section.galleries[name].instance
    # The scene is the instance's, whoever played it.
    played = next((each for _, each in section.episodes(instance) if is_played(section.game, each)), None)
    rated = [] if played is None else _list_rated_pictures(section, instance, played)
    scene = next((picture.scene for picture in rated if picture.scene is not None), None)
    return None if scene is None else draw_scene(scene)


def _list_rated_pictures(section: GameSection, instance: Instance, episode: Episode) -> list[RatedPicture]:
    with convert_plugin_errors(f"the game {section.game.name}"):
        return list(section.game.list_rated_pictures(section.payload(instance), read_ending(section.game, episode)))


def _find_xrays(section: GameSection, pair: Pair, instance: Instance, episode: Episode) -> dict[str, Xray]:
    """Return the X-rays of the renderings of an episode whose facts are known, by their hashes."""
    facts = section.facts(pair, episode)
    drawn = draw_compared_scene(section, instance.instance_id) if facts else None
    by_step = build_xrays(drawn, section.game, episode, facts)
    return {episode.renderings[step].sha256: xray for step, xray in by_step.items()}


def find_replayed_measure(section: GameSection) -> Measure | None:
    """Return the measure that a replay draws over the steps: the first with ends that the game draws as a curve."""
    curves = (get_measure(section, curve.measure) for curve in section.game.pages.curves)
    return next((curve for curve in curves if curve.bounds is not None), None)


def _make_picture_renderer(
    section: GameSection,
    key: str,
    instance: Instance,
    renderings: Mapping[str, Shown],
    per_step: Mapping[str, Sequence[float | None]],
    root: str,
    xrays: Mapping[str, Xray],
) -> Callable[[Rendering, str], Markup]:
    """Return the function by which a template shows a rendering of an episode, whose key on its page is given."""
    compared, drawn = find_compared_picture(section, instance), find_replayed_measure(section)
    values = per_step.get(drawn.key, ()) if drawn is not None else ()
    places = count(1)

    def show(rendering: Rendering, alt: str) -> Markup:
        shown = renderings.get(rendering.sha256)
        if shown is None:
            return components.render_withheld(alt)
        picture, place = components.picture(shown, alt, root), next(places)
        if compared is None:
            return picture
        value = values[place - 1] if place <= len(values) else None
        return components.render_comparable(
            picture,
            key,
            place,
            None if drawn is None else compute_similarity(drawn, value),
            xrays.get(rendering.sha256),
        )

    return show


def _collect_measures(
    run: PlayedRun, episode: Episode
) -> tuple[dict[str, float | None], dict[str, list[float | None]]]:
    """Return an episode's values by measure, and a list of values by measure, one entry per step."""
    per_episode: dict[str, float | None] = {}
    per_step: dict[str, list[float | None]] = {}
    for score in run.scores:
        if score.episode_id != episode.episode_id:
            continue
        if score.step is None:
            per_episode[score.measure] = score.value
        # A scorer may have written a step that the episode does not have.
        elif score.step <= len(episode.steps):
            per_step.setdefault(score.measure, [None] * len(episode.steps))[score.step - 1] = score.value
    return per_episode, per_step
