"""Measures of photographs, which have no scene: edges, colours, regions of one colour, and regions that stand out.

    python benchmarks/photo_measures.py

They are taken at a fixed size, so that the same photograph in another resolution measures alike. Says whether the hard
photographs of the second edition are the harder half.
"""

from dataclasses import dataclass
from statistics import median

import numpy as np
import numpy.typing as npt

from ircore.core.images import Pixels
from ircore.instances.summary import count_colours, measure_edge_density

SIDE = 128
"""Pixels of the longer side at which regions are counted."""

LEVELS = 6
"""Levels of each channel that tell regions apart."""

LEAST_REGION = 0.001
"""Share of the picture that a region of one colour needs to count."""

STANDS_OUT = 2.0
"""Times the mean saliency from which a pixel stands out (Achanta et al., equation 5)."""

LEAST_SALIENT = 0.002
"""Share of the picture that a salient region needs to count."""


_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


@dataclass(frozen=True)
class PhotoMeasures:
    """Measures of one photograph.

    Attributes:
        edge_density: Share of the pixels that lie on an edge, 0–1, see ``ircore.instances.summary``.
        colours: Colours that cover a thousandth of the picture or more.
        segments: Connected regions of one colour that cover ``LEAST_REGION`` of the picture.
        salient_regions: Connected regions that stand out from the mean colour.
    """

    edge_density: float
    colours: int
    segments: int
    salient_regions: int


def measure_photo(pixels: Pixels) -> PhotoMeasures:
    """Return the measures of a photograph.

    Args:
        pixels: Height × width × 3, 0–255.
    """
    return PhotoMeasures(
        measure_edge_density(pixels), count_colours(pixels), _segments(pixels), _salient_regions(pixels)
    )


def harder_half(photographs: dict[str, PhotoMeasures]) -> frozenset[str]:
    """Return the names of the photographs whose mean rank over all measures is above the median.

    Ranks are compared, since the measures have different units; equal values share their mean rank.

    >>> easy, hard = PhotoMeasures(0.1, 90, 10, 1), PhotoMeasures(0.3, 200, 50, 6)
    >>> sorted(harder_half({"cat": easy, "street": hard}))
    ['street']
    """
    from scipy.stats import rankdata

    names = list(photographs)
    rows = [(own.edge_density, own.colours, own.segments, own.salient_regions) for own in photographs.values()]
    # Each measure counts alike, whatever its unit and spread.
    ranks = rankdata(np.array(rows, dtype=float), axis=0).mean(axis=1)
    middle = median(ranks.tolist())
    return frozenset(name for name, rank in zip(names, ranks.tolist(), strict=True) if rank > middle)


def _small(pixels: Pixels) -> npt.NDArray[np.int64]:
    """Return a picture with ``SIDE`` pixels on its longer side."""
    from PIL import Image

    height, width = pixels.shape[:2]
    scale = SIDE / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(Image.fromarray(np.asarray(pixels)).resize(size, Image.Resampling.BOX), dtype=np.int64)


def _segments(pixels: Pixels) -> int:
    codes = (_small(pixels) * LEVELS // 256) @ np.array([LEVELS * LEVELS, LEVELS, 1])
    return sum(_regions(codes == code, LEAST_REGION) for code in np.unique(codes))


def _salient_regions(pixels: Pixels) -> int:
    standing_out = saliency(_small(pixels))
    # An even picture has no saliency but rounding errors.
    return _regions(standing_out >= max(1.0, STANDS_OUT * float(standing_out.mean())), LEAST_SALIENT)


def _regions(mask: npt.NDArray[np.bool_], least: float) -> int:
    """Return how many connected regions of a mask cover a share of the picture or more."""
    from scipy.ndimage import label

    regions, count = label(mask)
    areas = np.bincount(regions.ravel(), minlength=count + 1)[1:]
    return int((areas >= least * mask.size).sum())


def saliency(pixels: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the saliency of each pixel: how far its blurred colour lies from the mean colour of the picture, in Lab.

    Source: R. Achanta, S. Hemami, F. Estrada and S. Süsstrunk, *Frequency-tuned Salient Region Detection* (CVPR 2009),
    equation 4.

    Args:
        pixels: Height × width × 3, 0–255.
    """
    from scipy.ndimage import gaussian_filter

    colours = _lab(pixels)
    blurred = gaussian_filter(colours, (1.0, 1.0, 0.0))
    distances: npt.NDArray[np.float64] = np.linalg.norm(blurred - colours.mean(axis=(0, 1)), axis=2)
    return distances


def _lab(pixels: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return sRGB pixels in CIE Lab, white point D65 (IEC 61966-2-1, CIE 15)."""
    share = pixels / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _TO_XYZ.T / _TO_XYZ.sum(axis=1)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29)
    x, y, z = f[..., 0], f[..., 1], f[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=2)


def main() -> None:
    """Measure the photographs of the second edition, and say which of them stand in the other half."""
    from ircore.instances.targets.photos import load_shots

    hard = {shot.photo.file for shot in load_shots("hard", edition=2)}
    photographs = [*load_shots("easy", edition=2), *load_shots("hard", edition=2)]
    measures = {shot.photo.file: measure_photo(shot.picture.pixels) for shot in photographs}
    for name, own in measures.items():
        print(f"{name}: {own}")
    print(f"in the other half: {sorted(harder_half(measures) ^ hard) or 'none'}")


if __name__ == "__main__":
    main()
