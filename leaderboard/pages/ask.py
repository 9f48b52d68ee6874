"""Ask the board: ready questions, each answered in a sentence with its interval, pictures, a table and a citation."""

from collections.abc import Mapping
from typing import Any

from ircore.core.untrusted_text import format_one_line
from ircore.results.questions import Answer, answer_questions
from leaderboard.model.alt_texts import describe_rendering
from leaderboard.model.site import Page, Site
from leaderboard.pages.citation import find_played_year, format_answer_bibtex


def build_ask_page(site: Site) -> Page:
    """Return the page of questions to a game's board, and their answers."""
    path, title = site.path("ask"), f"{site.title_prefix}Ask the board"
    return Page(
        path,
        title,
        "ask",
        {"site": site},
        later=lambda: {"answers": _collect_answers(site)},
        finding=_describe_finding,
        found_by="questions answers",
    )


def _describe_finding(values: Mapping[str, Any]) -> str:
    """Return the first question and its answer."""
    first: Answer | None = next((entry["answer"] for entry in values["answers"]), None)
    return f"{first.question} {format_one_line(first.sentence, 200)}" if first else ""


def _collect_answers(site: Site) -> list[dict[str, Any]]:
    return [
        {
            "answer": answer,
            "pictures": [_build_picture(site, *episode) for episode in answer.episodes],
            "bibtex": _format_bibtex(site, answer),
        }
        for answer in answer_questions(site.results, site.judge)
    ]


def _format_bibtex(site: Site, answer: Answer) -> str:
    address = f"{site.address}{site.path('ask')}.html#{answer.key}" if site.address else ""
    return format_answer_bibtex(answer, site.version, site.judge, find_played_year(site), address)


def _build_picture(site: Site, run_id: str, instance_id: str) -> dict[str, Any]:
    result, pair = site.episode(run_id, instance_id), site.pairs[run_id]
    assert result is not None  # noqa: S101 - an answer names played episodes
    judged, gallery = site.judged(result), site.galleries[instance_id]
    score = judged.final if judged else None
    # Not every game draws, and a drawing over a picture that must not be published is withheld with it.
    drawn = [*result.episode.renderings.items()][-1:] if site.renderings_are_published(gallery.instance) else []
    return {
        "pair": pair,
        "gallery": gallery,
        "renderings": [
            (site.rendering(run_id, rendering), describe_rendering(turn, pair.players, score, site.judge))
            for turn, rendering in drawn
        ],
        "score": score,
    }
