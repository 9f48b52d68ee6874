"""The player ``diffusers``: an image model in this process, as generator and in other games' drawing seats."""

import inspect
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ircore.core.episode_records import Attempt, Usage
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plugins import require_packages
from ircore.core.records import PlayerSpec
from ircore.players.base import GeneratorView, PictureAnswer, PlayerError, Question
from ircore.players.local.weights import (
    NO_MEMORY,
    PictureSettings,
    choose_device,
    format_served_name,
    load_weights,
    parse_precision,
    read_settings,
)
from ircore.players.local.writer import Batches, OutOfMemoryError
from ircore.players.traits import DRAWS_BY_WEIGHTS

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class _Wanted:
    """A picture that is to be drawn, or changed where a previous picture is given."""

    prompt: str
    previous: Picture | None
    seed: int


@dataclass(frozen=True)
class _Drawn:
    """A picture that was drawn; None if the model's own filter kept it."""

    picture: Picture | None
    seconds: float


class DiffusersPlayer:
    """Answers with pictures, by a pipeline of the package ``diffusers``.

    On turn 1 it draws from the message. Later it changes its last picture: a pipeline that takes a picture is given the
    message and the picture, a text-to-image pipeline its image-to-image form with ``strength``. With
    ``redraw: true``, or where the pipeline has no such form, it draws anew from the whole dialogue. Each picture begins
    with noise of its own seed, whatever is drawn in the same batch.

    >>> spec = PlayerSpec(player="diffusers", model="stabilityai/sd-turbo", parameters={"steps": 2})
    >>> DiffusersPlayer.check(spec)
    >>> DiffusersPlayer.TRAITS.answers
    ('picture',)

    Args:
        spec: ``model`` is a folder with a saved pipeline or the name of one on the Hub, ``revision`` its version;
            ``parameters`` as in ``PictureSettings``.

    Raises:
        InputError: A setting is wrong, packages or the device are absent, or the weights cannot be loaded.
    """

    TRAITS = DRAWS_BY_WEIGHTS

    def __init__(self, spec: PlayerSpec) -> None:
        self._settings = read_settings(spec, PictureSettings)
        require_packages(f"the player {spec.player}", "local", "torch", "transformers", "diffusers")
        self._place = (str(spec.model), spec.revision, parse_precision(self._settings), choose_device(self._settings))
        self._pipelines = _load_pipelines(*self._place)
        self._served = format_served_name(str(spec.model), spec.revision)
        self._batches: Batches[_Wanted, _Drawn] = Batches(self._draw_all, self._settings.batch_size, NO_MEMORY)

    @classmethod
    def check(cls, spec: PlayerSpec) -> None:
        """Check the settings; nothing is loaded.

        Raises:
            InputError: No model is named, or a setting is wrong.
        """
        read_settings(spec, PictureSettings)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Draw the picture of this turn.

        Raises:
            PlayerError: The model's own filter kept the picture (``generator_refused``).
        """
        if view.previous is None or not self._edits:
            return await self._draw_picture(_Wanted(view.prompt, None, view.seed), "generator_refused")
        return await self._draw_picture(_Wanted(view.message, view.previous, view.seed), "generator_refused")

    async def answer(self, question: Question) -> PictureAnswer:
        """Answer a question of any game with a picture: the last picture shown is changed, if there is one.

        Raises:
            PlayerError: The model's own filter kept the picture (``answer_refused``).
        """
        shown = question.pictures[-1].picture if question.pictures and self._edits else None
        return await self._draw_picture(_Wanted(question.prompt, shown, question.step), "answer_refused")

    @property
    def _edits(self) -> bool:
        return not self._settings.redraw and self._pipelines[1] is not None

    async def _draw_picture(self, wanted: _Wanted, refused: Any) -> PictureAnswer:
        drawn = await self._batches.answer(wanted)
        attempt = Attempt(kind="answered", seconds=drawn.seconds, served=self._served)
        if drawn.picture is None:
            raise PlayerError(refused, "the model's own filter kept the picture", (attempt,))
        return PictureAnswer(drawn.picture, usage=Usage(requests=0), attempts=(attempt,))

    def _draw_all(self, wanted: Sequence[_Wanted]) -> list[_Drawn]:
        """Draw pictures; a batch is of pictures from words alone, or of changes to pictures of one size."""
        batches: defaultdict[tuple[int, int] | None, list[int]] = defaultdict(list)
        for place, item in enumerate(wanted):
            # Pictures of different sizes do not fit into one tensor.
            batches[None if item.previous is None else (item.previous.width, item.previous.height)].append(place)
        drawn: dict[int, _Drawn] = {}
        for size, places in batches.items():
            pictures = self._draw_batch([wanted[place] for place in places], edits=size is not None)
            drawn |= dict(zip(places, pictures, strict=True))
        return [drawn[place] for place in range(len(wanted))]

    def _draw_batch(self, wanted: Sequence[_Wanted], edits: bool) -> list[_Drawn]:
        import torch

        started = perf_counter()
        pipeline: Any = self._pipelines[1] if edits else self._pipelines[0]
        arguments: dict[str, Any] = {
            "prompt": [item.prompt for item in wanted],
            # Noise from the processor is the same on every device, and a seed of its own makes batches irrelevant.
            "generator": [torch.Generator("cpu").manual_seed(item.seed % 2**63) for item in wanted],
            "output_type": "np",
        }
        try:
            with torch.inference_mode():
                made = pipeline(**arguments, **self._select_options(pipeline, wanted, edits))
        except torch.OutOfMemoryError as error:
            # The failed batch's blocks would stay reserved and could make the smaller batch fail too.
            torch.cuda.empty_cache()
            raise OutOfMemoryError(" ".join(str(error).split())[:200]) from error
        withheld = getattr(made, "nsfw_content_detected", None) or [False] * len(wanted)
        seconds = round((perf_counter() - started) / len(wanted), 4)
        return [
            _Drawn(None if filtered else _convert_to_picture(image), seconds)
            for image, filtered in zip(made.images, withheld, strict=True)
        ]

    def _select_options(self, pipeline: Any, wanted: Sequence[_Wanted], edits: bool) -> dict[str, Any]:
        """Return the options that are set and that the pipeline takes."""
        settings = self._settings
        options = {
            "num_inference_steps": settings.steps,
            "guidance_scale": settings.guidance_scale,
            # An edit takes the size of the picture that is changed.
            "width": None if edits else settings.width,
            "height": None if edits else settings.height,
            "image": [_convert_to_image(item.previous) for item in wanted if item.previous is not None]
            if edits
            else None,
            "strength": settings.strength if edits else None,
        }
        # Pipelines differ in the options that they take, and refuse unknown ones.
        taken = inspect.signature(pipeline.__call__).parameters
        return {name: value for name, value in options.items() if value is not None and name in taken}


def _convert_to_image(picture: Picture) -> Any:
    from PIL import Image

    return Image.fromarray(picture.pixels)


def _convert_to_picture(image: "np.ndarray[Any, Any]") -> Picture:
    """Return a picture from values between 0 and 1."""
    return Picture.from_pixels((np.clip(np.nan_to_num(image[..., :3]), 0, 1) * 255).round().astype(np.uint8))


@lru_cache(maxsize=2)
def _load_pipelines(place: str, revision: str | None, dtype: Any, device: "torch.device") -> tuple[Any, Any | None]:
    """Return the pipelines that draw and that change a picture, of the same weights; None if it cannot change one."""
    import torch
    from diffusers import AutoPipelineForImage2Image, DiffusionPipeline
    from diffusers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    at = {} if revision is None else {"revision": revision}
    precision = {} if dtype == "auto" else {"torch_dtype": dtype}
    pipeline = load_weights(place, DiffusionPipeline, use_safetensors=True, **precision, **at)
    try:
        pipeline = pipeline.to(device)
    except torch.OutOfMemoryError as error:
        raise InputError(f"model: {place}: no memory for the weights on {device}", NO_MEMORY) from error
    pipeline.set_progress_bar_config(disable=True)
    image = inspect.signature(pipeline.__call__).parameters.get("image")
    if image is not None:
        # A pipeline that requires a picture cannot draw turn 1.
        if image.default is inspect.Parameter.empty:
            raise InputError(f"model: {place}: draws from no words alone", "Name a model that also makes pictures.")
        return pipeline, pipeline
    try:
        changing = AutoPipelineForImage2Image.from_pipe(pipeline)
    except ValueError:
        return pipeline, None
    changing.set_progress_bar_config(disable=True)
    return pipeline, changing
