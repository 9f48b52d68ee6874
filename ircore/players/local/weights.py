"""Loading weights from a folder or the Hub: strictly, from safetensors alone, once a process."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import Field

from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec, Record
from ircore.players.base import refuse_settings
from ircore.players.submission import read_parameters

if TYPE_CHECKING:
    import torch

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


REMEDY = "Name a folder with saved weights (safetensors), or a model of the Hub and its revision."
NO_MEMORY = "Take a smaller model, dtype bfloat16 or float16, smaller pictures, or a larger device."


def choose_device(settings: WeightSettings) -> "torch.device":
    """Return the device to compute on.

    Raises:
        InputError: The device that was asked for is absent.
    """
    import torch

    present = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if settings.device == "auto":
        return torch.device(next(name for name in ("cuda", "mps", "cpu") if present[name]))
    if not present[settings.device]:
        there = ", ".join(name for name, known in present.items() if known)
        raise InputError(
            f"parameters.device: {settings.device} is not available here", f"Take one of: {there}; or leave it out."
        )
    return torch.device(settings.device)


def parse_precision(settings: WeightSettings) -> Any:
    """Return the precision of the weights as ``from_pretrained`` takes it: ``auto`` or a dtype of torch."""
    import torch

    return "auto" if settings.dtype == "auto" else getattr(torch, settings.dtype)


def load_weights(place: str, kind: Any, **settings: Any) -> Any:
    """Load a model, processor or pipeline; only safetensors are read, and no code of the model's own is run.

    Args:
        place: A folder, or the name of a model on the Hub.
        kind: Class with ``from_pretrained``.
        settings: Passed on, such as ``revision``.

    Raises:
        InputError: There is no such model, it does not fit the class, or there is no memory for it.
    """
    import torch

    try:
        return kind.from_pretrained(place, **settings)
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise InputError(f"model: {place}: no memory for the weights", NO_MEMORY) from error
    except (OSError, ValueError, RuntimeError, KeyError, AttributeError, ImportError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"model: {place}: cannot be loaded ({reason})", REMEDY) from error


@lru_cache(maxsize=8)
def format_served_name(place: str, revision: str | None) -> str:
    """Return the name under which weights are recorded, with their revision or hash behind ``@``.

    Returns:
        Of a folder its own name and the first 12 digits of a SHA-256 over the names and contents of all its files but
        hidden ones; of a model on the Hub its name and the commit that was loaded, 12 digits as well.
    """
    folder = Path(place)
    if folder.is_dir():
        return f"{folder.resolve().name[-100:]}@{_hash_folder(folder)}"
    return f"{place[-100:]}@{_find_commit(place, revision)[:12]}"


def _hash_folder(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        # Hidden files, such as a download's notes, do not change the model.
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]


def _find_commit(place: str, revision: str | None) -> str:
    """Return the commit of a downloaded model by the cache's folder for it, which is named after the commit."""
    from huggingface_hub import try_to_load_from_cache

    # Models of transformers have the first file, pipelines of diffusers the second.
    for name in ("config.json", "model_index.json"):
        cached = try_to_load_from_cache(place, name, revision=revision)
        if isinstance(cached, str):
            return Path(cached).parent.name
    return "unknown"
