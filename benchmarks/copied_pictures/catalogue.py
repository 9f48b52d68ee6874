"""Cheats by their names: what is done to every target, and what is made of targets and other pairs' renderings."""

import random
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from PIL import ImageFilter, ImageOps
from scipy.ndimage import gaussian_filter

from copied_pictures.changes import (
    corner,
    cropped,
    dithered,
    framed,
    halftoned,
    image_of,
    levels,
    noisy,
    perspective,
    resized,
    saved,
    shaded,
    shrunk,
    shuffled,
    striped,
    tiled,
    turned,
    waved,
    with_patches,
    written,
)
from ircore.core.images import Pixels

Change = Callable[[Pixels], Pixels]

OF_TARGETS: dict[str, Change] = {
    "pixel by pixel": lambda p: p,
    **{f"{step:+d} levels": partial(lambda p, step: levels(p.astype(int) + step), step=step) for step in (6, -6, 25)},
    "half the contrast": lambda p: levels(p * 0.5 + 60),
    "gamma 2.2": lambda p: levels(255 * (p / 255.0) ** 2.2),
    "gamma 0.6": lambda p: levels(255 * (p / 255.0) ** 0.6),
    "inverted": lambda p: 255 - p,
    **{f"inverted corner of {side}": partial(corner, side=side) for side in (40, 160)},
    **{f"border of {width}": partial(framed, width=width) for width in (4, 9, 24, 48)},
    **{f"cropped by {share:.0%} a side": partial(cropped, share=share) for share in (0.02, 0.05, 0.1)},
    **{f"shrunk to {share:.0%}": partial(shrunk, share=share) for share in (0.9, 0.8)},
    **{
        f"shifted by {step}": partial(lambda p, step: np.roll(p, (step, step), (0, 1)), step=step)
        for step in (1, 5, 23)
    },
    **{f"{count} patches": partial(with_patches, count=count) for count in (5, 15)},
    **{f"JPEG {quality}": partial(saved, kind="JPEG", quality=quality) for quality in (90, 50, 15)},
    **{f"WebP {quality}": partial(saved, kind="WEBP", quality=quality) for quality in (80, 20)},
    "mirrored": lambda p: p[:, ::-1],
    "upside down": lambda p: p[::-1],
    "turned by 90": lambda p: np.rot90(p),
    "turned by 180": lambda p: np.rot90(p, 2),
    **{f"turned by {angle} degrees": partial(turned, degrees=angle) for angle in (1, 2, 4)},
    **{f"tiled {count} by {count}": partial(tiled, count=count) for count in (2,)},
    "a quarter enlarged": lambda p: resized(p[: p.shape[0] // 2, : p.shape[1] // 2], *p.shape[1::-1]),
    **{f"noise of {spread}": partial(noisy, spread=spread) for spread in (6, 20, 40)},
    **{
        f"blurred by {width}": partial(lambda p, width: gaussian_filter(p, (width, width, 0)), width=width)
        for width in (1, 3)
    },
    "half the size": lambda p: resized(p, p.shape[1] // 2, p.shape[0] // 2),
    "a quarter of the size": lambda p: resized(p, p.shape[1] // 4, p.shape[0] // 4),
    "twice the size": lambda p: resized(p, p.shape[1] * 2, p.shape[0] * 2),
    "small and back": lambda p: resized(resized(p, p.shape[1] // 4, p.shape[0] // 4), *p.shape[1::-1]),
    "stretched by 6 %": lambda p: resized(p, p.shape[1], round(p.shape[0] * 1.06)),
    "in squares of 8": lambda p: np.repeat(np.repeat(p[::8, ::8], 8, axis=0), 8, axis=1),
    "other hues": lambda p: p[..., [2, 0, 1]],
    "grey": lambda p: np.asarray(image_of(p).convert("L").convert("RGB")),
    "four levels": lambda p: levels(p // 64 * 64 + 32),
    "16 colours": partial(dithered, colours=16),
    "halftoned": halftoned,
    "sharpened": lambda p: np.asarray(image_of(p).filter(ImageFilter.UnsharpMask(3, 200))),
    "equalised": lambda p: np.asarray(ImageOps.equalize(image_of(p))),
    "a gradient over it": shaded,
    "text over it": written,
    "a bar over it": lambda p: np.concatenate([p[: p.shape[0] // 3], p[p.shape[0] // 3 :] // 8 * 8], axis=0),
    "every fourth row blank": partial(striped, every=4),
    "half over white": lambda p: levels(p * 0.5 + 127.5),
    "a fifth over white": lambda p: levels(p * 0.2 + 204),
    "waved by 2": partial(waved, reach=2.0),
    "waved by 5": partial(waved, reach=5.0),
    "in perspective": perspective,
    "cut into 4 that change places": partial(shuffled, count=2),
}
"""What is done to every target."""


class Sources(NamedTuple):
    """What a cheat takes: a target, and renderings of the same target by two other pairs."""

    target: Pixels
    first: Pixels
    second: Pixels


def collage(sources: Sources) -> Pixels:
    """Pieces of the target over another pair's picture, a third of it."""
    page = resized(sources.first, *sources.target.shape[1::-1]).copy()
    cells, side = random.Random(2), sources.target.shape[0] // 6
    for number in cells.sample(range(36), 14):
        y, x = number // 6 * side, number % 6 * side
        page[y : y + side, x : x + side] = sources.target[y : y + side, x : x + side]
    return page


def checkered(sources: Sources) -> Pixels:
    """Squares of two other pairs' pictures by turns."""
    first, second = sources.first, resized(sources.second, *sources.first.shape[1::-1])
    rows, columns = np.mgrid[: first.shape[0], : first.shape[1]] // 64
    return np.where(((rows + columns) % 2 == 0)[..., None], first, second).astype(np.uint8)


def joined(sources: Sources) -> Pixels:
    """The upper half of the target, the lower half of another pair's picture."""
    page = resized(sources.first, *sources.target.shape[1::-1]).copy()
    page[: page.shape[0] // 2] = sources.target[: page.shape[0] // 2]
    return page


OF_OTHERS: dict[str, Callable[[Sources], Pixels]] = {
    "another's, pixel by pixel": lambda s: s.first,
    "another's, +3 levels": lambda s: levels(s.first.astype(int) + 3),
    "another's, -3 levels": lambda s: levels(s.first.astype(int) - 3),
    "another's, JPEG 50": lambda s: saved(s.first, "JPEG", 50),
    "another's, mirrored": lambda s: s.first[:, ::-1],
    "another's, turned by 2 degrees": lambda s: turned(s.first, 2),
    "another's, border of 9": lambda s: framed(s.first, 9),
    "another's, shifted by 5": lambda s: np.roll(s.first, (5, 5), (0, 1)),
    "another's, cropped by 3 %": lambda s: cropped(s.first, 0.03),
    "another's, half the size": lambda s: resized(s.first, s.first.shape[1] // 2, s.first.shape[0] // 2),
    "another's, noise of 10": lambda s: noisy(s.first, 10),
    "another's, inverted corner": lambda s: corner(s.first, 40),
    "another's, halftoned": lambda s: halftoned(s.first),
    "1 by 1": lambda s: resized(s.target, 1, 1),
    "8 by 8": lambda s: resized(s.target, 8, 8),
    "32 by 32": lambda s: resized(s.target, 32, 32),
    "half target, half another's": joined,
    "collage of the target over another's": collage,
    "blend of target and another's": lambda s: levels(
        0.6 * s.target + 0.4 * resized(s.first, *s.target.shape[1::-1]).astype(float)
    ),
}
"""What is made of targets and other pairs' renderings."""

RUINED: dict[str, Callable[[Sources], Pixels]] = {
    "30 patches": lambda s: with_patches(s.target, 30),
    "cut into 16 that change places": lambda s: shuffled(s.target, 4),
    "checkered from a good and a bad one": checkered,
}
"""Copies that nobody takes for the target: counted apart, since they gain nothing."""

ALL: dict[str, Callable[[Sources], Pixels]] = {
    **{name: partial(lambda s, change: change(s.target), change=change) for name, change in OF_TARGETS.items()},
    **OF_OTHERS,
    **RUINED,
}
