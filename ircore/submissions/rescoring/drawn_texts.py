"""Texts drawn into renderings, read by optical character recognition: a model that judges reads them too."""

from collections.abc import Callable, Iterator

from ircore.core.images import Picture
from ircore.instances.store import InstanceSet
from ircore.runs.provenance import Evidence, Flag
from ircore.seeing.ocr import ocr_missing, read_text
from ircore.submissions.copies.comparison import Comparison
from ircore.submissions.rescoring.prompt_injection import addresses_a_judge

Reader = Callable[[Picture], str]
"""Returns the text in a picture, line by line."""

SURE = 0.5
"""Confidence of the recogniser, 0–1, from which on a line counts."""

UNREAD = "texts in renderings were not read: pip install 'ircore[ocr]'"


def reader() -> Reader | None:
    """Return a reader of texts in pictures that reads each picture once for all processes; None without ``ocr``."""
    return None if ocr_missing() else _text_in


def texts_to_a_judge(comparison: Comparison, instances: InstanceSet, read: Reader | None) -> Iterator[Flag]:
    """Yield renderings with a text for a judge that their target does not show.

    Pictures that an offline player drew again from the recorded words are not read: the words themselves are looked at.

    Args:
        comparison: The renderings of a transcript.
        instances: The set that was played.
        read: Returns the text in a picture; None to read nothing.
    """
    if read is None:
        return
    by_name = {instance.instance_id: instance for instance in instances.instances}
    for name, drawn in comparison.drawings.items():
        for sha256, step in drawn.items():
            if (name, sha256) in comparison.reproduced:
                continue
            text = read(comparison.picture(sha256))
            if not addresses_a_judge(text) or name not in by_name:
                continue
            shown = instances.pictures(by_name[name]).values()
            # A target may hold such words itself, and a good rendering repeats them.
            if not any(addresses_a_judge(read(picture)) for picture in shown):
                where = f"{name}, {comparison.word} {step}"
                problem = "a text in the rendering speaks to a judge, and none in the target does"
                yield Flag(
                    rule="text_to_a_judge",
                    where=where,
                    what=problem,
                    evidence=Evidence(rendering=sha256, instance=name),
                )


def _text_in(picture: Picture) -> str:
    return "\n".join(line.text for line in read_text(picture.pixels) if line.score >= SURE)
