"""The judge ``lipsim``: task 2 only. Modules that need torch are imported when the judge is made."""

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ircore.core.errors import InputError
from ircore.core.files import compute_file_sha256
from ircore.core.images import Picture
from ircore.core.score_records import JudgeKind, Task
from ircore.scorers.judges.base import Judgement

if TYPE_CHECKING:
    from torch import Tensor

CHECKPOINT = "IRCORE_LIPSIM_CHECKPOINT"
"""Environment variable: path of the checkpoint."""


class LipSimJudge:
    """Prefers the rendering whose embedding is nearer to the target's, by 1 − cosine; equal distances are a tie.

    Pictures are brought to 224 × 224 pixels by bicubic resampling, their aspect ratio not kept, with values 0–1.

    Raises:
        InputError: torch is not installed, no checkpoint is named, or it is not usable.

    Example:
        >>> LipSimJudge.tasks
        frozenset({'preference'})
    """

    name = "lipsim"
    label = "LipSim (computed, no human or LLM judgement)"
    kind: JudgeKind = "computed"
    tasks: frozenset[Task] = frozenset({"preference"})

    def __init__(self) -> None:
        path = os.environ.get(CHECKPOINT, "")
        try:
            import torch
        except (ImportError, OSError) as error:  # the second if a library that it needs is missing
            raise InputError(
                f"judge lipsim: torch cannot be imported ({error})", 'Install torch with: pip install "ircore[lipsim]".'
            ) from error
        if not path:
            raise InputError(
                f"judge lipsim: the environment variable {CHECKPOINT} names no checkpoint",
                "Download one from the code page of the LipSim paper (arXiv 2310.18274) and set the variable to it.",
            )
        from ircore.scorers.judges.lipsim_network import load_network

        # Scoring has a process for each core. One thread in each also makes results the same on any number of cores.
        torch.set_num_threads(1)
        self._network = load_network(Path(path))
        self.version = f"checkpoint sha256:{compute_file_sha256(Path(path))}"
        # Room for the pictures of an episode: each is embedded once.
        self._embedding = lru_cache(maxsize=4)(self._embed)

    def rate(self, target: Picture, image: Picture) -> Judgement:  # noqa: ARG002
        """Rate nothing: LipSim's distance has no scale of 0–10."""
        return Judgement(None, "lipsim has no rating of one rendering")

    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        """Prefer the rendering that is nearer to the target."""
        from ircore.scorers.judges.lipsim_network import compute_distance

        target_embedding = self._embedding(target)
        a, b = (
            compute_distance(target_embedding, self._embedding(first)),
            compute_distance(target_embedding, self._embedding(final)),
        )
        return Judgement(0.5 if a == b else float(b < a))

    def certified_radius(self, target: Picture, first: Picture, final: Picture) -> float:
        """Return the radius, in the network's input, within which no change of the target can turn the preference.

        See ``ircore.scorers.judges.lipsim_network.compute_certified_radius`` for the formula.

        Returns:
            Euclidean distance over all values of the 224 × 224 pixels, 0–1 each; 0 for a tie.
        """
        from ircore.scorers.judges.lipsim_network import compute_certified_radius

        return compute_certified_radius(self._embedding(target), self._embedding(first), self._embedding(final))

    def _embed(self, picture: Picture) -> "Tensor":
        import numpy as np
        import torch
        from PIL import Image

        side = self._network.architecture.side
        small = Image.fromarray(picture.pixels).resize((side, side), Image.Resampling.BICUBIC)
        values = torch.from_numpy(np.asarray(small, dtype=np.float32) / 255)
        with torch.no_grad():
            return self._network(values.permute(2, 0, 1)[None])[0]
