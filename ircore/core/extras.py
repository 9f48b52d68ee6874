"""Packages that an extra of this one brings, asked for before they are imported."""

import sys
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from ircore.core.errors import InputError

EXTRAS: dict[str, tuple[str, ...]] = {
    "dask": ("dask", "distributed"),
    "heif": ("pillow_heif",),
    "judge-test": (
        "font_amatic_sc", "font_caladea", "font_fredoka_one", "font_hanken_grotesk", "font_intuitive", "font_lato",
        "font_manrope", "font_source_sans_pro", "font_source_serif_pro", "matplotlib", "resvg_py",
    ),
    "lipsim": ("torch",),
    "local": ("diffusers", "torch", "transformers"),
    "models": ("openai", "aiohttp"),
    "ocr": ("onnxruntime", "rapidocr"),
    "perceptual": ("torch", "transformers"),
    "release": ("datasets", "huggingface_hub", "jinja2", "pandas", "pyarrow"),
    "site": ("jinja2", "mkdocs", "material", "pandas", "plotly"),
    "synthesis": ("matplotlib",),
    "tagger": ("spacy",),
}  # fmt: skip
"""Packages that each extra brings, by the names under which they are imported."""

_BROUGHT_ALONG = {"httpx2": "huggingface_hub", "markupsafe": "jinja2"}
"""Packages that come with one of those above."""


def install_words(*extras: str) -> str:
    """Return the command that installs extras.

    >>> install_words("release", "site").replace('"', "'")  # Windows knows no single quotes
    "pip install 'ircore[release,site]'"
    """
    quote = '"' if sys.platform == "win32" else "'"
    return f"pip install {quote}ircore[{','.join(extras)}]{quote}"


def need_packages(who: str, extra: str, *packages: str) -> None:
    """Refuse to go on unless packages are installed; ``who`` needs them, ``extra`` brings them.

    >>> need_packages("the player openai", "models", "no_such_package")
    Traceback (most recent call last):
    ...
    ircore.core.errors.InputError: the player openai needs the package no_such_package, which is not installed
    Install it with: pip install 'ircore[models]'
    """
    for package in packages:
        if find_spec(package) is None:
            raise InputError(
                f"{who} needs the package {package}, which is not installed",
                f"Install it with: {install_words(extra)}",
            )


def need_extras(who: str, extras: Iterable[str]) -> None:
    """Refuse to go on unless every package of some extras is installed; the remedy names all that are missing.

    Raises:
        InputError: A package is missing; the message names the packages, the remedy the extras.
    """
    missing = {extra: [name for name in EXTRAS[extra] if find_spec(name) is None] for extra in extras}
    if packages := dict.fromkeys(name for names in missing.values() for name in names):
        count = "package" if len(packages) == 1 else "packages"
        verb = "is" if len(packages) == 1 else "are"
        raise InputError(
            f"{who} needs the {count} {', '.join(packages)}, which {verb} not installed",
            f"Install {'it' if len(packages) == 1 else 'them'} with: "
            f"{install_words(*(extra for extra, names in missing.items() if names))}",
        )


def missing_package(error: ModuleNotFoundError) -> InputError | None:
    """Return the error to show where an import failed because an extra is not installed; None for any other import."""
    package = (error.name or "").partition(".")[0]
    package = _BROUGHT_ALONG.get(package, package)
    extras = [extra for extra, packages in EXTRAS.items() if package in packages]
    # Of several the one that brings most is meant: readers of a release need more of it next.
    extras.sort(key=lambda extra: -len(EXTRAS[extra]))
    if not extras or find_spec(package) is not None:
        return None
    return InputError(
        f"needs the package {package}, which is not installed", f"Install it with: {install_words(extras[0])}"
    )


def load_pretrained(where: str, place: str, kind: Any, processor_kind: Any, **settings: Any) -> tuple[Any, Any]:
    """Load a model of ``transformers`` and its processor, strictly.

    Args:
        where: Variable or field that names the model, for messages.
        place: A folder, or the name of a model on the Hub.
        kind: Class of the model.
        processor_kind: Class of the processor.
        settings: Passed to both classes, such as ``revision``.

    Raises:
        InputError: There is no such model, or its weights lack something or have something left over.
    """
    import torch
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(1)  # scoring has a process for each core
    try:
        model, report = kind.from_pretrained(place, output_loading_info=True, **settings)
        processor = processor_kind.from_pretrained(place, **settings)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        message = " ".join(str(error).split())[:200]
        raise InputError(
            f"{where}: {place}: cannot be loaded ({message})",
            "Name a folder with a saved model, or a model of the Hub.",
        ) from error
    # transformers fills missing weights with random numbers and only warns: scores would be noise.
    for key in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        faults = sorted(map(str, report.get(key, ())))
        if faults:
            words = key.removesuffix("_keys")
            raise InputError(f"{where}: {place}: {words} weights: {faults[0]} of {len(faults)}", "Name another model.")
    return model.eval(), processor
