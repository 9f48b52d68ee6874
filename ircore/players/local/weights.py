"""Loading weights from a folder or the Hub: strictly, from safetensors alone, once a process."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ircore.core.errors import InputError
from ircore.players.local.settings import WeightSettings

if TYPE_CHECKING:
    import torch

REMEDY = "Name a folder with saved weights (safetensors), or a model of the Hub and its revision."
NO_MEMORY = "Take a smaller model, dtype bfloat16 or float16, smaller pictures, or a larger device."


def device_of(settings: WeightSettings) -> "torch.device":
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


def precision_of(settings: WeightSettings) -> Any:
    """Return the precision of the weights as ``from_pretrained`` takes it: ``auto`` or a dtype of torch."""
    import torch

    return "auto" if settings.dtype == "auto" else getattr(torch, settings.dtype)


def load(place: str, kind: Any, **settings: Any) -> Any:
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
def served_name(place: str, revision: str | None) -> str:
    """Return the name under which weights are recorded, with their revision or hash behind ``@``.

    Returns:
        Of a folder its own name and the first 12 digits of a SHA-256 over the names and contents of all its files but
        hidden ones; of a model on the Hub its name and the commit that was loaded, 12 digits as well.
    """
    folder = Path(place)
    if folder.is_dir():
        return f"{folder.resolve().name[-100:]}@{_hash(folder)}"
    return f"{place[-100:]}@{_commit(place, revision)[:12]}"


def _hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        # Hidden files, such as a download's notes, do not change the model.
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]


def _commit(place: str, revision: str | None) -> str:
    """Return the commit of a downloaded model by the cache's folder for it, which is named after the commit."""
    from huggingface_hub import try_to_load_from_cache

    # Models of transformers have the first file, pipelines of diffusers the second.
    for name in ("config.json", "model_index.json"):
        cached = try_to_load_from_cache(place, name, revision=revision)
        if isinstance(cached, str):
            return Path(cached).parent.name
    return "unknown"
