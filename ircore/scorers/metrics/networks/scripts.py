"""DreamSim and FID through TorchScript files: the exported network, without the code that made it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ircore.core.errors import InputError
from ircore.core.images import Pixels
from ircore.scorers.metrics.base import Metric, MetricUnavailableError
from ircore.scorers.metrics.frechet import FEWEST, frechet_distance
from ircore.scorers.metrics.networks.weights import as_tensor, load_script, named, obstacle_of, weights_of

DREAMSIM, FID = "IRCORE_DREAMSIM_NETWORK", "IRCORE_FID_NETWORK"
DREAMSIM_SIDE = 224
FID_SIDE = 299


def dreamsim(target: Pixels, image: Pixels) -> float:
    """Return DreamSim's distance, 0 or more (Fu et al. 2023).

    Both pictures are squashed to 224 × 224 (bicubic) with values 0–1, as the authors' preprocessing does.

    Raises:
        MetricUnavailableError: The network cannot be loaded, or does not give one number for two pictures.
    """
    import torch

    try:
        network = _script(DREAMSIM, named(DREAMSIM))
        with torch.inference_mode():
            value = network(as_tensor(target, DREAMSIM_SIDE), as_tensor(image, DREAMSIM_SIDE))
    except InputError as error:
        raise MetricUnavailableError(error.problem) from error
    # TorchScript raises this error for any wrong number, type or shape of arguments.
    except RuntimeError as error:
        raise MetricUnavailableError(f"{DREAMSIM}: the network does not take two pictures") from error
    if not isinstance(value, torch.Tensor) or value.numel() != 1 or not bool(value.isfinite().all()):
        raise MetricUnavailableError(f"{DREAMSIM}: the network gives no single finite number")
    return float(value)


def inception_features(pictures: Sequence[Pixels]) -> npt.NDArray[np.float64]:
    """Return the features of pictures by the network that ``IRCORE_FID_NETWORK`` names, shape (pictures, features).

    Args:
        pictures: Each height × width × 3 RGB; they are squashed to ``FID_SIDE`` pixels a side first.

    Raises:
        InputError: The network cannot be loaded, or gives no row of finite numbers for a picture.
    """
    import torch

    network = _script(FID, named(FID))
    rows = []
    with torch.inference_mode():
        for pixels in pictures:
            # Rounded: multiplied back, a level may lie just below its whole number, and the cast would cut it off.
            picture = (as_tensor(pixels, FID_SIDE) * 255).round().to(torch.uint8)
            try:
                features = network(picture)
            except RuntimeError as error:
                raise InputError(
                    f"{FID}: the network does not take pictures of 8 bits", "Name another network."
                ) from error
            if not isinstance(features, torch.Tensor) or features.dim() != 2 or not bool(features.isfinite().all()):
                raise InputError(f"{FID}: the network returns no row of finite features", "Name another network.")
            rows.append(features[0].double().numpy())
    return np.stack(rows)


def fid(targets: Sequence[Pixels], images: Sequence[Pixels]) -> float:
    """Return the Fréchet Inception distance of two sets of pictures, 0 or more.

    Args:
        targets: At least two pictures.
        images: At least two pictures; not necessarily as many.

    Raises:
        InputError: A set is too small, or the network cannot be used.
    """
    if min(len(targets), len(images)) < FEWEST:
        raise InputError("FID needs at least two pictures in each set", "Give more pictures.")
    return frechet_distance(inception_features(targets), inception_features(images))


def _no_pair(target: Pixels, image: Pixels) -> float:  # noqa: ARG001 - a metric takes both
    raise MetricUnavailableError("compares two sets of pictures, not two pictures: ircore metrics fid TARGETS IMAGES")


@lru_cache(maxsize=2)
def _script(variable: str, _place: str) -> Any:
    import torch

    torch.set_num_threads(1)  # scoring has a process for each core
    return load_script(variable)


DREAMSIM_METRIC = Metric(
    name="dreamsim",
    title="DreamSim",
    unit="",
    higher_is_better=False,
    low=0.0,
    high=None,
    source="Fu, Tamir, Sundaram, Chai, Zhang, Dekel and Isola 2023",
    compute=dreamsim,
    needs=f"extra perceptual; {DREAMSIM}: TorchScript of the model, two pictures to one distance",
    obstacle=obstacle_of(DREAMSIM),
    weights=weights_of(DREAMSIM),
    trap="Which of the published ensembles was exported is known by its hash alone.",
)

FID_METRIC = replace(
    DREAMSIM_METRIC,
    name="fid",
    title="FID",
    source="Heusel, Ramsauer, Unterthiner, Nessler and Hochreiter 2017, 2048 features of Inception",
    compute=_no_pair,
    over="set",
    needs=f"extra perceptual; {FID}: TorchScript of Inception, pictures of 8 bits to features",
    obstacle=obstacle_of(FID),
    weights=weights_of(FID),
    trap="Of two sets, not of a picture; below some thousand pictures it is biased upwards.",
)
