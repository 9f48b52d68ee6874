"""Parameters in the manifest of players with local weights."""

from typing import Literal, TypeVar

from pydantic import Field

from ircore.core.records import PlayerSpec, Record
from ircore.players.base import refuse_settings
from ircore.players.parameters import read_parameters

Device = Literal["auto", "cpu", "cuda", "mps"]
Precision = Literal["auto", "float32", "bfloat16", "float16"]


class WeightSettings(Record):
    """Parameters of both players with local weights.

    >>> WeightSettings().device
    'auto'
    """

    device: Device = Field(default="auto", description="Where it computes: a graphics card if there is one, else cpu.")
    dtype: Precision = Field(default="auto", description="Precision of the weights; auto: as they were saved.")
    batch_size: int = Field(default=8, ge=1, le=256, description="Most questions that are answered together.")


class TextSettings(WeightSettings):
    """Parameters of ``transformers``.

    >>> TextSettings(temperature=0.7).max_new_tokens
    1024
    """

    max_new_tokens: int = Field(default=1024, ge=1, le=65_536, description="Tokens that an answer may have.")
    temperature: float | None = Field(default=None, gt=0, le=2, description="None: always the likeliest token.")
    top_p: float | None = Field(default=None, gt=0, le=1, description="Only with temperature.")


class PictureSettings(WeightSettings):
    """Parameters of ``diffusers``.

    >>> PictureSettings(width=512, height=512).strength
    0.6
    """

    width: int | None = Field(default=None, ge=64, le=4096, multiple_of=8, description="Pixels; None: the model's own.")
    height: int | None = Field(default=None, ge=64, le=4096, multiple_of=8, description="Pixels.")
    steps: int | None = Field(default=None, ge=1, le=1000, description="Steps of denoising; None: the model's own.")
    guidance_scale: float | None = Field(default=None, ge=0, le=50, description="None: the model's own.")
    strength: float = Field(default=0.6, gt=0, le=1, description="How much a text-to-image model changes in an edit.")
    redraw: bool = Field(default=False, description="Draw anew from the whole dialogue instead of editing.")


Settings = TypeVar("Settings", bound=WeightSettings)


def read_settings(spec: PlayerSpec, kind: type[Settings]) -> Settings:
    """Check a player's settings in the manifest against the parameters that it takes; nothing is loaded."""
    settings = read_parameters(spec, kind, "Name a folder with saved weights, or a model of the Hub.")
    refuse_settings(spec.model_copy(update={"model": None, "parameters": {}}))
    return settings
