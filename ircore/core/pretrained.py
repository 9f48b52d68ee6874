"""Models of ``transformers``, loaded strictly: no weight may be missing or left over."""

from typing import Any

from ircore.core.errors import InputError


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
