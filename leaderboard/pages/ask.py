"""Ask the board: ready questions, each answered in a sentence with its interval, pictures, a table and a citation."""

from collections.abc import Mapping
from typing import Any

from ircore.core.untrusted_text import one_line
from ircore.results.questions import Answer, answers
from leaderboard.model.site import Page, Site
from leaderboard.pages.citation import answer_bibtex
from leaderboard.words.alt_text import rendering_words


def ask_page(site: Site) -> Page:
    """Return the page of questions and answers."""
    return Page("ask", "Ask the board", "ask", later=lambda: {"answers": _answers(site)}, finding=_finding)


def _finding(values: Mapping[str, Any]) -> str:
    """Return the first question and its answer."""
    first: Answer | None = next((entry["answer"] for entry in values["answers"]), None)
    return f"{first.question} {one_line(first.sentence, 200)}" if first else ""


def _answers(site: Site) -> list[dict[str, Any]]:
    return [
        {
            "answer": answer,
            "pictures": [_picture(site, *episode) for episode in answer.episodes],
            "bibtex": _bibtex(site, answer),
            "span": _span(answer),
        }
        for answer in answers(site.results, site.judge)
    ]


def _bibtex(site: Site, answer: Answer) -> str:
    address = f"{site.address}ask.html#{answer.key}" if site.address else ""
    return answer_bibtex(answer.key, answer.question, site.version, site.judge, address)


def _span(answer: Answer) -> tuple[float, float]:
    """Return the ends of the scale on which the table's values are drawn."""
    if answer.key == "refinement":
        return -5.0, 5.0
    return {"judges": (-1.0, 1.0), "satisfied": (0.0, 1.0)}.get(answer.key, (0.0, 10.0))


def _picture(site: Site, run_id: str, instance_id: str) -> dict[str, Any]:
    result, pair = site.episode(run_id, instance_id), site.pairs[run_id]
    assert result is not None  # noqa: S101 - an answer names played episodes
    judged, (turn, rendering) = site.judged(result), [*result.episode.renderings.items()][-1]
    score = judged.final if judged else None
    words = rendering_words(turn, f"{pair.describer} + {pair.generator}", score, site.judge)
    gallery = site.galleries[instance_id]
    return {"pair": pair, "gallery": gallery, "rendering": site.rendering(run_id, rendering), "score": score,
            "alt": words}  # fmt: skip
