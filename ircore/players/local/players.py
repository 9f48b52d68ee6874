"""Players of this process: ``transformers`` in seats that write or choose, and as judge; ``diffusers``, which draws.

``transformers`` is a vision-language model, ``diffusers`` an image model, as generator and in other games' drawing
seats. Both answer questions of many episodes together: the questions that wait when the model is free are one batch.
"""

import asyncio
import inspect
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from ircore.core.episode_records import Attempt, Usage
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plugins import require_packages
from ircore.core.records import PlayerSpec
from ircore.players.base import (
    ChoiceAnswer,
    DescriberView,
    GeneratorView,
    JudgeView,
    PictureAnswer,
    PlayerError,
    Question,
    TextAnswer,
)
from ircore.players.calls import ProviderStopError
from ircore.players.local.weights import (
    NO_MEMORY,
    PictureSettings,
    TextSettings,
    choose_device,
    format_served_name,
    load_weights,
    parse_precision,
    read_settings,
)
from ircore.players.openai.conversations import (
    ChatMessage,
    build_dialogue,
    build_judge_messages,
    build_question_messages,
)
from ircore.players.spoken_answers import extract_spoken, find_choice
from ircore.players.traits import DRAWS_BY_WEIGHTS, WRITES_BY_WEIGHTS

if TYPE_CHECKING:
    import torch


QuestionT = TypeVar("QuestionT")
AnswerT = TypeVar("AnswerT")

_MODELS = ThreadPoolExecutor(max_workers=1, thread_name_prefix="weights")
"""One thread for all models of the process: two that compute at once would share the same device."""


class OutOfMemoryError(Exception):
    """The device has no memory for a batch of this size.

    >>> str(OutOfMemoryError("tried to allocate 20 GiB"))
    'tried to allocate 20 GiB'
    """


class Batches(Generic[QuestionT, AnswerT]):
    """Collects questions and answers them in batches, outside the event loop.

    >>> async def three() -> list[int]:
    ...     doubled = Batches(lambda numbers: [2 * number for number in numbers], most=2, remedy="")
    ...     return await asyncio.gather(*(doubled.answer(number) for number in (1, 2, 3)))
    >>> asyncio.run(three())
    [2, 4, 6]

    Args:
        answer_all: Answers questions in their order; raises ``OutOfMemoryError`` if they are too many together.
        most: Questions of a batch.
        remedy: Advice where a single question needs too much memory.
    """

    def __init__(self, answer_all: Callable[[Sequence[QuestionT]], Sequence[AnswerT]], most: int, remedy: str) -> None:
        self._answer_all = answer_all
        self._most = most
        self._remedy = remedy
        self._waiting: deque[tuple[QuestionT, asyncio.Future[AnswerT]]] = deque()
        self._running: asyncio.Task[None] | None = None

    async def answer(self, question: QuestionT) -> AnswerT:
        """Return the answer to a question, which may share a batch with others.

        Raises:
            ProviderStopError: The device has no memory for a single question.
        """
        future: asyncio.Future[AnswerT] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, future))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        # The tasks that are ready to ask shall have asked before the first batch is closed.
        await asyncio.sleep(0)
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]
            questions = [question for question, _ in batch]
            try:
                answers = await asyncio.get_running_loop().run_in_executor(_MODELS, self._answer_all, questions)
            except OutOfMemoryError as error:
                # The batch goes back in front in its old order, to be asked again in smaller pieces.
                self._waiting.extendleft(reversed(batch))
                if not self._halve_batch_size(len(batch), error):
                    return
                continue
            except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to those who asked
                for _, future in batch:
                    _set_failure(future, error)
                continue
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():
                    future.set_result(answer)

    def _halve_batch_size(self, size: int, error: OutOfMemoryError) -> bool:
        """Halve the batches from now on; False if a batch of one is too large already."""
        if size > 1:
            self._most = max(1, size // 2)
            return True
        stop = ProviderStopError(f"no memory for a single question ({error})", self._remedy)
        while self._waiting:
            _set_failure(self._waiting.popleft()[1], stop)
        return False


def _set_failure(future: "asyncio.Future[AnswerT]", error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


@dataclass(frozen=True)
class _Asked:
    """A conversation, with the seed for models that draw their tokens."""

    messages: tuple[ChatMessage, ...]
    seed: int


class _Said(NamedTuple):
    """An answer, with its counts of tokens."""

    text: str
    read: int
    written: int
    seconds: float


class TransformersPlayer:
    """Answers with words or a choice, by a model of the package ``transformers`` that takes pictures and text.

    The conversation is that of the player ``openai``, in the words of the model's own chat template. Without
    ``temperature`` the likeliest token is taken, so that the answer hangs on nothing but the weights; with it, tokens
    are drawn by the question's own seed, one question at a time.

    >>> spec = PlayerSpec(player="transformers", model="HuggingFaceTB/SmolVLM-256M-Instruct", revision="main")
    >>> TransformersPlayer.check(spec)
    >>> TransformersPlayer.TRAITS.offline
    True

    Args:
        spec: ``model`` is a folder with saved weights or the name of a model on the Hub, ``revision`` its version;
            ``parameters`` as in ``TextSettings``.

    Raises:
        InputError: A setting is wrong, packages or the device are absent, or the weights cannot be loaded.
    """

    TRAITS = WRITES_BY_WEIGHTS
    IMMATERIAL = frozenset({"device", "batch_size"})
    """Parameters that are no part of who a judge is."""

    def __init__(self, spec: PlayerSpec) -> None:
        self._settings = read_settings(spec, TextSettings)
        require_packages(f"the player {spec.player}", "local", "torch", "transformers")
        self._place = (str(spec.model), spec.revision, parse_precision(self._settings), choose_device(self._settings))
        _load_model(*self._place)
        self._served = format_served_name(str(spec.model), spec.revision)
        # Tokens drawn in a batch share one random state, so an answer would hang on its neighbours.
        most = 1 if self._settings.temperature else self._settings.batch_size
        self._batches: Batches[_Asked, _Said] = Batches(self._answer_all, most, NO_MEMORY)

    @classmethod
    def check(cls, spec: PlayerSpec) -> None:
        """Check the settings; nothing is loaded.

        Raises:
            InputError: No model is named, or a setting is wrong.
        """
        read_settings(spec, TextSettings)

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Write the message of this turn."""
        return self._answer(await self._batches.answer(_Asked(tuple(build_dialogue(view)), view.seed)))

    async def answer(self, question: Question) -> TextAnswer | ChoiceAnswer:
        """Answer a question of any game with words or with a choice.

        Raises:
            PlayerError: The answer is none of the choices (``answer_format``).
        """
        answer = self._answer(
            await self._batches.answer(_Asked(tuple(build_question_messages(question)), question.step))
        )
        if question.answers != "choice":
            return answer
        choice = find_choice(answer.text, question)
        if choice is None:
            raise PlayerError("answer_format", f"none of the choices: {answer.text!r}"[:500], answer.attempts)
        return ChoiceAnswer(*choice, usage=answer.usage, attempts=answer.attempts)

    async def judge(self, view: JudgeView) -> TextAnswer:
        """Answer a judge's question."""
        return self._answer(await self._batches.answer(_Asked(tuple(build_judge_messages(view)), 0)))

    def _answer(self, output: _Said) -> TextAnswer:
        counts = {"prompt_tokens": output.read, "completion_tokens": output.written}
        attempt = Attempt(kind="answered", seconds=output.seconds, served=self._served, **counts)
        text = extract_spoken(output.text, stopped=output.written < self._settings.max_new_tokens).text
        return TextAnswer(text, Usage(requests=0, **counts), attempts=(attempt,))

    def _answer_all(self, questions: Sequence[_Asked]) -> list[_Said]:
        import torch

        model, processor = _load_model(*self._place)
        conversations = [_convert_conversation(question.messages) for question in questions]
        started = perf_counter()
        try:
            with torch.inference_mode():
                return self._generate_answers(model, processor, conversations, questions[0].seed, started)
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise OutOfMemoryError(" ".join(str(error).split())[:200]) from error

    def _generate_answers(
        self, model: Any, processor: Any, conversations: list[list[dict[str, Any]]], seed: int, started: float
    ) -> list[_Said]:
        import torch

        settings = self._settings
        inputs = processor.apply_chat_template(
            conversations, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt",
            processor_kwargs={"padding": True, "padding_side": "left"},
        ).to(model.device)  # fmt: skip
        drawn: dict[str, Any] = {"do_sample": False}
        if settings.temperature:
            torch.manual_seed(seed)
            drawn = {"do_sample": True, "temperature": settings.temperature, "top_p": settings.top_p or 1.0}
        pad = processor.tokenizer.pad_token_id
        output = model.generate(**inputs, max_new_tokens=settings.max_new_tokens, pad_token_id=pad, **drawn)
        # The output begins with the question.
        written = output[:, inputs["input_ids"].shape[1] :]
        seconds = round((perf_counter() - started) / len(conversations), 4)
        texts = processor.batch_decode(written, skip_special_tokens=True)
        reads = inputs["attention_mask"].sum(dim=1).tolist()
        counts = (written != pad).sum(dim=1).tolist()
        return [_Said(text, read, count, seconds) for text, read, count in zip(texts, reads, counts, strict=True)]


def _convert_conversation(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Return a conversation as chat templates of ``transformers`` take it."""
    return [{"role": message.role, "content": [_convert_part(part) for part in message.parts]} for message in messages]


def _convert_part(part: str | Picture) -> dict[str, Any]:
    from PIL import Image

    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image", "image": Image.fromarray(part.pixels)}


@lru_cache(maxsize=2)
def _load_model(place: str, revision: str | None, dtype: Any, device: "torch.device") -> tuple[Any, Any]:
    """Return a model and its processor; a describer and a judge of the same weights share them."""
    from transformers import AutoModelForImageTextToText, AutoProcessor
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    at = {} if revision is None else {"revision": revision}
    processor = load_weights(place, AutoProcessor, **at)
    if getattr(processor, "chat_template", None) is None:
        raise InputError(f"model: {place}: has no chat template", "Name a model that was made for conversations.")
    if processor.tokenizer.pad_token_id is None:
        # Batches need a token to fill up with, and many models name none.
        processor.tokenizer.pad_token = processor.tokenizer.eos_token
    model = load_weights(place, AutoModelForImageTextToText, dtype=dtype, use_safetensors=True, **at)
    return _place_model(model, place, device).eval(), processor


def _place_model(model: Any, place: str, device: "torch.device") -> Any:
    import torch

    try:
        return model.to(device)
    except torch.OutOfMemoryError as error:
        raise InputError(f"model: {place}: no memory for the weights on {device}", NO_MEMORY) from error


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
