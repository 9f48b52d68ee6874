"""The listener ``clip``: chooses the picture whose embedding lies nearest to the embedding of the message.

Zero-shot scoring as KiloGram does it (Ji et al., EMNLP 2022, section 6): the cosine of text and picture embeddings of
one CLIP model; the largest wins. The four conditions of KiloGram (whole or parts, black or colour) lie in the
instances: ``ircore instances import kilogram --category parts_color``.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plugins import load_pretrained, require_packages
from ircore.core.records import PlayerSpec
from ircore.players.base import ChoiceAnswer, PlayerError, Question, refuse_settings
from ircore.players.traits import CHOOSES_BY_WEIGHTS

if TYPE_CHECKING:
    from torch import Tensor

REMEMBERED = 256
"""Pictures whose embeddings are remembered: each is shown in many rounds."""

MARK = "message: "
"""Stands before the message in the game master's words."""


class ClipListener:
    """Takes a seat that answers with a choice among pictures, such as the listener's.

    >>> spec = PlayerSpec(player="clip", model="openai/clip-vit-base-patch32", revision="main")
    >>> ClipListener.TRAITS.answers
    ('choice',)

    Args:
        spec: ``model`` is a folder with a saved CLIP model, or its name on the Hub; ``revision`` says which version.

    Raises:
        InputError: No model is named, a setting is unknown, packages are not installed, or the weights do not fit.
    """

    TRAITS = CHOOSES_BY_WEIGHTS

    def __init__(self, spec: PlayerSpec) -> None:
        self.check(spec)
        require_packages("the player clip", "perceptual", "torch", "transformers")
        self._place = (str(spec.model), spec.revision)
        _load_model(*self._place)

    @classmethod
    def check(cls, spec: PlayerSpec) -> None:
        """Check the settings; nothing is loaded.

        Raises:
            InputError: No model is named, or a setting is unknown.
        """
        if spec.model is None:
            raise InputError("model is missing", "Name a folder with a saved CLIP model, or its name on the Hub.")
        refuse_settings(spec.model_copy(update={"model": None}))

    async def answer(self, question: Question) -> ChoiceAnswer:
        """Choose the picture that fits the message best; of equal ones the first.

        Raises:
            PlayerError: No pictures are in sight.
        """
        if not question.in_sight:
            raise PlayerError("rule_broken", "there are no pictures to look at")
        text = _embed_text(*self._place, extract_message(question.prompt))
        cosines = [float(text @ _embed_picture(*self._place, shown.picture)) for shown in question.in_sight]
        # Only as many pictures as there are choices can be chosen.
        best = cosines.index(max(cosines[: len(question.choices)]))
        return ChoiceAnswer(question.choices[best])


def extract_message(prompt: str) -> str:
    """Return the message in a prompt: the text after the game master's words, else the last paragraph.

    >>> extract_message("Round 2. Which picture is meant by this message: a dog: sitting")
    'a dog: sitting'
    """
    # Earlier paragraphs are the game master's instructions, which would blur the embedding.
    last = prompt.rpartition("\n\n")[2]
    return last.partition(MARK)[2] or last


@lru_cache(maxsize=1)
def _load_model(place: str, revision: str | None) -> tuple[Any, Any]:
    from transformers import AutoProcessor, CLIPModel

    settings = {} if revision is None else {"revision": revision}
    return load_pretrained("model", place, CLIPModel, AutoProcessor, **settings)


@lru_cache(maxsize=REMEMBERED)
def _embed_text(place: str, revision: str | None, text: str) -> "Tensor":
    """Return the embedding of a text, of length 1; words beyond the model's limit are cut off."""
    import torch

    model, processor = _load_model(place, revision)
    most = model.config.text_config.max_position_embeddings
    with torch.inference_mode():
        # The text model has a fixed number of positions and fails on a longer text.
        tokens = processor(text=[text], return_tensors="pt", truncation=True, max_length=most)
        return _normalise_features(
            model.get_text_features(input_ids=tokens["input_ids"], attention_mask=tokens["attention_mask"])
        )


@lru_cache(maxsize=REMEMBERED)
def _embed_picture(place: str, revision: str | None, picture: Picture) -> "Tensor":
    """Return the embedding of a picture, of length 1."""
    import torch

    model, processor = _load_model(place, revision)
    with torch.inference_mode():
        inputs = processor(images=picture.pixels, return_tensors="pt")
        return _normalise_features(model.get_image_features(pixel_values=inputs["pixel_values"]))


def _normalise_features(features: Any) -> "Tensor":
    from torch import Tensor
    from torch.nn.functional import normalize

    # Versions of transformers differ: a tensor, or an output that holds the tensor.
    vectors = features if isinstance(features, Tensor) else features.pooler_output
    return normalize(vectors, dim=-1)[0]
