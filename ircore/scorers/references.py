"""The reference describers: ceiling and floors for the words that a describer gives a generator.

They play by the rules of the game, within the token budget, and see what no describer may see. Each of them refuses to
answer where it is not told that, so that it cannot play by mistake as if it were an ordinary describer.
"""

import asyncio
from random import Random

from ircore.core.errors import InputError
from ircore.core.records import Instance, PlayerSpec, Scene
from ircore.core.tokens import count_tokens, truncate_tokens
from ircore.instances.scene_percepts import perceive_scene
from ircore.players.base import DescriberView, PlayerError, TextAnswer, refuse_settings
from ircore.players.builtin_language import describe_percepts, describe_picture
from ircore.runs.session import InformedView, Knowledge
from ircore.scorers.verification.scene_facts import list_facts

WORDS = ("places", "facts")
"""How ``scene`` speaks: by places in pixels, as the built-in describer does, or by values and relations."""


class SceneDescriber:
    """Describes the target from its scene, then the missing elements of a rendering: an upper bound for generators.

    Args:
        spec: Names the player; its one parameter ``words`` is ``places`` (the language of the built-in describer, with
            places in pixels) or ``facts`` (the sentences of ``ircore verify``, with values as axes show them).

    Raises:
        InputError: Another setting is given.

    Example:
        >>> from ircore.core.records import PlayerSpec
        >>> describer = SceneDescriber(PlayerSpec(player="scene"))
        >>> hasattr(describer, "describe")
        True
    """

    def __init__(self, spec: PlayerSpec) -> None:
        self.check(spec)
        self._words = spec.parameters.get("words", WORDS[0])

    @classmethod
    def check(cls, spec: PlayerSpec) -> None:
        """Check the settings."""
        others = {name: value for name, value in spec.parameters.items() if name != "words"}
        refuse_settings(spec.model_copy(update={"parameters": others}))
        if spec.parameters.get("words", WORDS[0]) not in WORDS:
            raise InputError(
                f"parameters.words: {spec.parameters.get('words')!r} is unknown", f"Write {' or '.join(WORDS)}."
            )

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Describe the scene, or name the differences of the last rendering, or declare the rendering done."""
        scene = read_knowledge(view).instance.scene
        if scene is None:
            raise PlayerError("describer_refused", "This target was not drawn, so it has no scene to tell.")
        if self._words == "facts":
            return TextAnswer.from_message(select_facts_to_say(scene, view.token_budget, view.messages))
        # In a thread: comparing pictures would hold up every other episode.
        return await asyncio.to_thread(describe_percepts, perceive_scene(scene), view)


class _WithoutSettings:
    """A reference describer without model and parameters.

    Args:
        spec: Names the player.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)


class ShuffledDescriber(_WithoutSettings):
    """Describes another target of the set, as the built-in describer would, at every turn the same. A floor.

    Example:
        >>> from ircore.core.records import PlayerSpec
        >>> describer = ShuffledDescriber(PlayerSpec(player="shuffled"))
        >>> hasattr(describer, "describe")
        True
    """

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Describe the other target; then be content."""
        knowledge = read_knowledge(view)
        if view.renderings:
            return TextAnswer.from_message("")
        picture = knowledge.picture_of(choose_other_instance(knowledge))
        return await asyncio.to_thread(describe_picture, picture, view.token_budget)


class TitleDescriber(_WithoutSettings):
    """Says category and difficulty and nothing else. A floor.

    Example:
        >>> from ircore.core.records import PlayerSpec
        >>> describer = TitleDescriber(PlayerSpec(player="title-only"))
        >>> hasattr(describer, "describe")
        True
    """

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Name category and difficulty; then be content."""
        title = describe_category(read_knowledge(view).instance)
        return TextAnswer.from_message("" if view.renderings else truncate_tokens(title, view.token_budget))


def read_knowledge(view: DescriberView) -> Knowledge:
    """Return the prompt of a reference describer.

    Raises:
        PlayerError: It is told nothing: it was asked as if it were an ordinary describer.
    """
    if not isinstance(view, InformedView):
        raise PlayerError("describer_refused", "A reference describer answers only where it is told what was drawn.")
    return view.knowledge


def choose_other_instance(knowledge: Knowledge) -> Instance:
    """Return a different target of the set, drawn by the episode's seed and so the same at every turn.

    Raises:
        PlayerError: The set has no other target.
    """
    # By the picture and not by the id: a set may hold the same picture twice.
    shown = knowledge.instance.pictures["target"].sha256
    others = [other for other in knowledge.others if other.pictures["target"].sha256 != shown]
    if not others:
        raise PlayerError("describer_refused", "The set has no other target to describe.")
    return Random(knowledge.seed).choice(others)


def describe_category(instance: Instance) -> str:
    """Return category and difficulty in a sentence, such as ``An easy picture of the category bar graph.``."""
    article = "An" if instance.difficulty == "easy" else "A"
    return f"{article} {instance.difficulty} picture of the category {instance.category.replace('_', ' ')}."


def select_facts_to_say(scene: Scene, budget: int, messages: tuple[str, ...]) -> str:
    """Return the facts of a scene not yet said, by descending weight; empty if all were said.

    Args:
        scene: Of the target.
        budget: Tokens that the message may have.
        messages: What was said before.
    """
    left = budget
    chosen: list[str] = []
    for fact in sorted(list_facts(scene), key=lambda fact: -fact.weight):
        # With the blank that joins it to the sentence before, which many tokenisers count in with the word.
        tokens = count_tokens(" " + fact.sentence)
        if tokens <= left and not any(fact.sentence in message for message in messages):
            chosen.append(fact.sentence)
            left -= tokens
    # Two facts may have the same sentence, such as two equal tick marks.
    return " ".join(dict.fromkeys(chosen))
