"""Figures of ConvGenVisMo, shown as reported: means by hop from its repository, and Table 1 of its paper."""

from collections.abc import Iterator, Mapping

from ircore.games.base import PublishedFigure

REPOSITORY = "https://github.com/nabihach/ConvGenVisMo"
SERIES = "ChatGPT + DreamStudio"
"""Summariser (text-davinci-003) and generator of all published figures."""

HOP_MEANS: Mapping[str, tuple[float, ...]] = {
    "clip": (0.652505, 0.692666, 0.689876, 0.705306, 0.689999),
    "psnr": (7.736945, 7.755317, 7.836880, 7.567206, 8.137025),
    "brisque": (22.095511, 23.900008, 24.436409, 23.805564, 22.505336),
    "uqi_sewar": (0.518299, 0.517238, 0.519371, 0.490732, 0.504497),
    "ssim": (0.215120, 0.216506, 0.219694, 0.231097, 0.227975),
    "ep_precision_published": (0.486730, 0.469987, 0.489943, 0.399753, 0.275000),
    "ep_recall_published": (0.509294, 0.528779, 0.547137, 0.568788, 0.781250),
    "ep_f1_published": (0.305289, 0.289453, 0.317802, 0.336376, 0.379167),
}
"""Means over the conversations that have the hop (170, 169, 122, 35 and 8), as the repository's notebook
``compute_metrics.ipynb`` prints them, here to six decimals."""

TABLE_1 = {"iou_common": 0.298925, "iou_precision": 0.223916, "iou_recall": 0.273368}
"""Mean IoU over all drawings. The published code cannot have computed these: its boxes are never found, and the list of
its values is empty."""


def _figures() -> Iterator[PublishedFigure]:
    for measure, means in HOP_MEANS.items():
        for hop, mean in enumerate(means, start=1):
            yield PublishedFigure(f"{SERIES}, hop {hop}", measure, mean, REPOSITORY, SERIES, hop)
    for measure, mean in TABLE_1.items():
        yield PublishedFigure(f"{SERIES}, Table 1", measure, mean, REPOSITORY)


PUBLISHED = tuple(_figures())
