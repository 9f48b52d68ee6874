"""A page per pair: numbers, episodes in pictures, outcomes, findings, and the command to play the pair again.

A finding about pictures stands beside them: a rendering beside the target or the rendering that it repeats.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

from ircore.core.episode_records import Rendering, list_renderings
from ircore.core.submission_records import Run, Submission
from ircore.core.untrusted_text import format_one_line
from ircore.results.headline import judge_kind
from ircore.results.judge_ratings import OUTSIDE, PENDING, REFUSED, UNFINISHED, UNPLAYED
from ircore.results.model import BoardRow, Cell, SubmissionResult
from ircore.results.next_episodes import play_command
from ircore.results.statistics.comparison import PairComparison
from ircore.results.subsets import count_ranked
from ircore.results.tables.comparisons import MOST
from ircore.results.tables.formats import count_money_digits
from ircore.runs.provenance import Evidence, Flag
from ircore.submissions.decisions import open_dispute
from ircore.submissions.pending_work import list_unplayed
from leaderboard.charts.catalogue import make_chart_id
from leaderboard.components.players import describe_player
from leaderboard.components.values import BarPart, EpisodeLink
from leaderboard.model.site import Page, Pair, Site
from leaderboard.model.site_judge import has_rated
from leaderboard.model.trust import FINDINGS, list_trust_lines
from leaderboard.pages.board_views import BoardView, describe_view, judge_words, view_path
from leaderboard.pages.boards import join_pairs
from leaderboard.pages.cannot_draw import find_undrawable_marks
from leaderboard.pages.citation import build_badges, format_badge_snippet, format_pair_bibtex
from leaderboard.pages.finding import describe_pair_finding
from leaderboard.pages.pair_comparison import choose_span
from leaderboard.pages.players import player_paths
from leaderboard.pages.selections import Chosen, list_judged_episodes
from leaderboard.storage.pictures import Shown
from leaderboard.words import CONVERGENCES, NOT_RATED, OUTCOMES, number, place_words

MOST_SHOWN = 12
"""Findings whose pictures a page shows, grave ones first."""


class ShownFinding(NamedTuple):
    """A finding with its pictures.

    >>> flag = Flag(rule="copied_picture", where="photos-easy-01, turn 1", what="16 of 16 patches")
    >>> ShownFinding(flag, rendering=None, other=None, label="target").flag.grave
    True
    """

    flag: Flag
    """The finding."""

    rendering: Shown | None
    """This run's rendering; None if the finding is about no picture."""

    other: Shown | None
    """The picture that it repeats; None if that is not on the site."""

    label: str
    """What that picture is."""

    @property
    def title(self) -> str:
        """The finding's rule in words."""
        return FINDINGS.get(self.flag.rule, self.flag.rule)


def list_shown_findings(site: Site, pair: Pair) -> list[ShownFinding]:
    """Return the findings in a pair's run that hold it or compare two pictures, grave ones first.

    At most ``MOST_SHOWN`` of them.
    """
    provenance = pair.result.provenance
    flags = () if provenance is None else provenance.flags
    chosen = sorted(
        (flag for flag in flags if flag.grave or flag.evidence is not None), key=lambda flag: not flag.grave
    )
    # The renderings of a run are only listed where a finding needs them.
    own = _index_renderings(site, pair.run_id) if chosen else {}
    return [
        ShownFinding(flag, *_find_pictures(site, pair, flag.evidence, own))
        if flag.evidence is not None and flag.evidence.rendering in own
        else ShownFinding(flag, None, None, "")
        for flag in chosen[:MOST_SHOWN]
    ]


def _find_pictures(
    site: Site, pair: Pair, evidence: Evidence, renderings: Mapping[str, Rendering]
) -> tuple[Shown, Shown | None, str]:
    picture = site.rendering(pair.run_id, renderings[evidence.rendering])
    if evidence.instance is not None:
        gallery = site.galleries.get(evidence.instance)
        return picture, None if gallery is None else gallery.target, "target"
    if evidence.run_id is None or evidence.run_id not in site.pairs or evidence.other is None:
        # A finding may compare with a run of another release, whose pictures the site does not have.
        return picture, None, "a run that is not on this site"
    other_rendering = _index_renderings(site, evidence.run_id).get(evidence.other)
    shown = None if other_rendering is None else site.rendering(evidence.run_id, other_rendering)
    return picture, shown, site.pairs[evidence.run_id].key


def _index_renderings(site: Site, run_id: str) -> dict[str, Rendering]:
    """Return the renderings of a run by their hashes."""
    return {
        rendering.sha256: rendering
        for result in site.results.episodes[run_id]
        for _, rendering in list_renderings(result.episode)
    }


def pair_pages(site: Site) -> Iterator[Page]:
    """Yield the list of pairs and players, and one page per pair."""
    boards = {judge: _index_board(site, judge) for judge in site.results.judges}
    rows, made, players = boards[site.judge], build_badges(site), player_paths(site)
    disputes = {pair.run_id: open_dispute(site.history(pair.result.slug), pair.run_id) for pair in site.pairs.values()}
    listed = {
        "rows": join_pairs(site, list(rows.values())),
        "words": describe_view(
            site, BoardView(site.judge, rules=None if len(site.rule_sets) > 1 else site.rule_sets[0])
        ),
        "players": players,
        "submitted": bool(site.submitted),
        "unplayed": list_unplayed(site.submitted, site.played),
        "disputes": disputes,
    }
    yield Page("pairs/index", "Pairs and players", "pairs_index", listed, searchable=True, found_by="players")
    ranked = [site.pairs[run_id] for run_id in rows]
    # In the order of the board, so that neighbours, which are compared, are written by one process.
    for pair in ranked:
        total = site.results.cell(pair.run_id, site.judge)
        rivals = count_ranked(site.results, pair.result.rules, site.judge)
        yield Page(
            f"pairs/{pair.key}",
            format_one_line(pair.name, 120),
            "pair",
            {
                "pair": pair,
                "row": rows[pair.run_id],
                "total": total,
                "judge_words": judge_words(site, site.judge),
                "bars": [_build_outcome_bar(total), _build_convergence_bar(total)],
                "reasons": _count_abort_reasons(site, pair),
                "charts": tuple(make_chart_id(kind, pair.key) for kind in _list_charts(site, pair)),
                "by_judge": [_find_row(site, pair, judge, board[pair.run_id]) for judge, board in boards.items()],
                "language": site.runs[pair.run_id].language,
                "players": {role: players[role, label] for role, label in _list_seats(pair)},
                "rivals": rivals,
                "rival": next((other for other in ranked if other is not pair), None),
                "badges": made[pair.run_id],
                "badge_snippet": format_badge_snippet(made[pair.run_id][0], pair, site.address),
                "bibtex": format_pair_bibtex(
                    pair,
                    f"{site.address}pairs/{pair.key}.html" if site.address else "",
                    place_words(rows[pair.run_id], rivals),
                ),
                "settings": _describe_settings(site, pair),
                "links": sorted(pair.result.run.submission.links.items()),
                "commands": list_commands(pair.result),
                "trust": list_trust_lines(pair.result),
                "evidence": list_shown_findings(site, pair),
                "history": site.history(pair.result.slug),
                "disputed": disputes[pair.run_id],
            },
            later=partial(_collect_episodes, site, pair),
            finding=partial(describe_pair_finding, site.judge),
        )


def _list_charts(site: Site, pair: Pair) -> tuple[str, ...]:
    """Return the kinds of a pair's figures; the template shows the first three together."""
    said = ("said",) if site.results.said.get(pair.run_id) else ()
    return ("trajectory", "heat-map", "pair-convergence", *said)


def _collect_episodes(site: Site, pair: Pair) -> dict[str, Any]:
    """Return the values of a page that take long to compute: chosen episodes, links, comparisons."""
    compared = compare_with_others(site, pair) if has_rated(site.results, site.judge) else []
    return {
        "highlights": _choose_highlights(site, pair),
        "cannot": find_undrawable_marks(site, [pair]),
        "conditions": _list_conditions(site, pair),
        "against": [
            {"pair": site.pairs[row.submission.run_id], "row": row, "comparison": comparison}
            for row, comparison in compared
        ],
        "against_span": choose_span([comparison.main for _, comparison in compared]),
    }


def _index_board(site: Site, judge: str) -> dict[str, BoardRow]:
    """Return every pair's row by run_id; its rank is among the pairs that were played under the same rules."""
    return {row.submission.run_id: row for rules in site.rule_sets for row in site.under(rules).board(judge)}


def _list_seats(pair: Pair) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("describer", pair.describer), ("generator", pair.generator)


def _find_row(site: Site, pair: Pair, judge: str, row: BoardRow) -> dict[str, Any]:
    """Return the row of a pair on the board of a judge, and the path of that board."""
    identity = site.results.judge_identities.get(judge)
    return {
        "judge": judge,
        "label": identity.label if identity else judge,
        "computed": judge_kind(site.results, judge) == "computed",
        "board": view_path(site, BoardView(judge, rules=pair.result.rules)),
        "row": row,
        "rivals": count_ranked(site.results, pair.result.rules, judge),
    }


def _choose_highlights(site: Site, pair: Pair) -> list[dict[str, Any]]:
    """Choose the best, worst, most improved and most regressed episode, each shown once."""
    rated = [chosen for chosen in list_judged_episodes(site, [pair]) if chosen.judged.first is not None]
    changes = [(chosen, chosen.moved) for chosen in rated]
    better = [chosen for chosen, change in changes if change > 0]
    worse = [chosen for chosen, change in changes if change < 0]
    highlights: dict[str, dict[str, Any]] = {}
    for label, among, merit in (
        ("Best", rated, lambda chosen: chosen.judged.final),
        ("Most improved", better, lambda chosen: chosen.judged.delta),
        ("Most regressed", worse, lambda chosen: -chosen.judged.delta),
        ("Worst", rated, lambda chosen: -chosen.judged.final),
    ):
        left = [chosen for chosen in among if chosen.result.episode.episode_id not in highlights]
        if left:
            best = max(left, key=merit)
            highlights[best.result.episode.episode_id] = _build_highlight(site, label, best)
    return list(highlights.values())


def _build_highlight(site: Site, label: str, chosen: Chosen) -> dict[str, Any]:
    several = len(chosen.result.episode.renderings) > 1
    return {
        "label": label,
        "gallery": chosen.gallery,
        "judged": chosen.judged,
        "first": _find_picture(site, chosen.pair, chosen.first),
        # With a single rendering, first and final are the same picture.
        "final": _find_picture(site, chosen.pair, chosen.final) if several else None,
    }


def _find_picture(site: Site, pair: Pair, turn: Any) -> Any:
    return site.rendering(pair.run_id, turn.rendering) if turn.rendering else None


def _list_conditions(site: Site, pair: Pair) -> list[dict[str, Any]]:
    links = _link_episodes(site, pair)
    return [
        {"category": category, "difficulty": difficulty, "cell": cell, "links": links.get((category, difficulty), ())}
        for category, difficulty in product(site.results.categories, site.results.difficulties)
        if (cell := site.cell(pair, category, difficulty)) is not None
    ]


def _link_episodes(site: Site, pair: Pair) -> dict[tuple[str, str], list[EpisodeLink]]:
    """Return links to a pair's episodes by condition, each with its score or the reason why it has no score."""
    kinds = _explain_missing_scores(site, pair)
    links: dict[tuple[str, str], list[EpisodeLink]] = {}
    for gallery in site.galleries.values():
        instance = gallery.instance
        result = site.episode(pair.run_id, instance.instance_id)
        judged = site.judged(result)
        score, kind = judged.final if judged else None, kinds[instance.instance_id]
        text, why = (number(score, 1), f"score {number(score, 1)}") if kind is None else NOT_RATED[kind]
        ended = f"{OUTCOMES[result.episode.outcome]}, " if result else ""
        title = f"{gallery.title}: {ended}{why}"
        link = EpisodeLink(instance.instance_id, score, text, title)
        links.setdefault((instance.category, instance.difficulty), []).append(link)
    return links


_KINDS = {
    UNFINISHED: "unfinished",
    UNPLAYED: "unplayed",
    REFUSED: "refused",
    PENDING: "pending",
    OUTSIDE: "outside",
}


def _explain_missing_scores(site: Site, pair: Pair) -> dict[str, str | None]:
    """Return the reason for each missing score of the site's judge, by instance_id; None for a scored instance."""
    results = site.results
    words = results.ratings_of(site.judge, [pair.run_id], results.instances).status[:, 0].tolist()
    return {instance.instance_id: _KINDS.get(word) for instance, word in zip(results.instances, words, strict=True)}


def _build_outcome_bar(total: Cell) -> dict[str, Any]:
    counts = {str(name): total.outcomes[name] for name in OUTCOMES}
    counts["missing"] = total.episodes - sum(counts.values())
    words = {str(name): text for name, text in OUTCOMES.items()} | {"missing": "not played yet"}
    return {"title": f"All {total.episodes} episodes", "parts": _build_parts(counts, words)}


def _build_convergence_bar(total: Cell) -> dict[str, Any]:
    counts = {str(name): total.convergence[name] for name in CONVERGENCES}
    words = {str(name): text for name, text in CONVERGENCES.items()}
    return {"title": "First to final rendering, of rated episodes", "parts": _build_parts(counts, words)}


def _build_parts(counts: Mapping[str, int], words: Mapping[str, str]) -> list[BarPart]:
    total, start = sum(counts.values()) or 1, 0.0
    parts: list[BarPart] = []
    for name, count in counts.items():
        width = 100 * count / total
        parts.append(BarPart(name, words[name], count, start, width))
        start += width
    return parts


def _count_abort_reasons(site: Site, pair: Pair) -> dict[str, int]:
    reasons = (result.episode.abort_reason for result in site.results.episodes[pair.run_id])
    return dict(Counter(reason for reason in reasons if reason is not None).most_common())


def _describe_settings(site: Site, pair: Pair) -> list[tuple[str, str]]:
    run, summary = pair.result.run, site.runs[pair.run_id].summary
    rules, submission = pair.result.rules, run.submission
    return [
        ("Name", submission.name),
        ("Describer", describe_player(submission.players["describer"])),
        ("Generator", describe_player(submission.players["generator"])),
        ("Rules", rules.key),
        ("Token budget", f"{rules.token_budget} a message; over budget: {rules.over_budget}"),
        ("Turn limit", str(rules.max_turns)),
        ("History", rules.history),
        ("Drawing", rules.drawing),
        *list_run_facts(run),
        *_describe_effort(summary),
        *list_credits(submission),
    ]


def list_run_facts(run: Run) -> list[tuple[str, str]]:
    """Return labelled lines about a run: prompts, seeds, instance set, id, date and program."""
    return [
        ("Prompts", run.prompts),
        ("Seed" if run.repeats == 1 else "Seeds", ", ".join(map(str, run.seeds))),
        ("Instance set", run.instance_set),
        ("Run", run.run_id),
        ("Played", f"{run.started}, ircore {run.version}"),
    ]


def list_credits(submission: Submission) -> list[tuple[str, str]]:
    """Return labelled lines about a submission: authors, hardware, dates and licence."""
    dates = submission.dates.model_dump(exclude_none=True) if submission.dates else {}
    lines = [("Hardware", submission.hardware), *((f"{key.capitalize()} on", day) for key, day in dates.items())]
    return [
        ("Authors", ", ".join(submission.authors) or "– (none named)"),
        *((name, text) for name, text in lines if text),
        ("Licence", submission.licence),
    ]


def _describe_effort(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    # Turns without a request: the run comes from a release, whose files leave single requests out.
    if summary["turns"] and not any(summary["requests"].values()):
        return [("Requests", "– (pulled from a release, which does not hold single requests)")]
    return [
        ("Requests", ", ".join(f"{count} {role}" for role, count in summary["requests"].items())),
        ("Waited", f"{summary['seconds']:.1f} s for answers"),
        ("Images", str(summary["images"])),
        # Players that cost nothing have no cost to speak of.
        *([("Cost", _format_cost(summary))] if summary["cost_usd"] != 0 else []),
    ]


def _format_cost(summary: Mapping[str, Any]) -> str:
    if summary["cost_usd"] is None:
        return "– (no provider reported it, and no price is known)"
    amount = number(summary["cost_usd"], count_money_digits(summary["cost_usd"], 2))
    return f"US$ {amount}{'' if summary['cost_known'] else ', not counting answers of unknown cost'}"


def list_commands(result: SubmissionResult) -> list[str]:
    """Return the commands that play a submission again as in its run and score it, to be copied into a shell."""
    run = result.run
    # Seeds that do not follow each other are of runs that were joined.
    consecutive = run.more_seeds == tuple(range(run.seed + 1, run.seed + run.repeats))
    return [
        play_command(run, run.seed, run.repeats if consecutive else 1, run.slug, result.game),
        f"ircore score {run.slug}",
    ]


REACH = 2
"""Pairs above and below on the board with which a pair is compared where there are many."""

_BLOCK = 16
"""Places of a board whose comparisons are computed together."""


def compare_with_others(site: Site, pair: Pair) -> list[tuple[BoardRow, PairComparison]]:
    """Compare a pair with the others on the board of the site's judge under the pair's rules.

    Returns:
        The rows of the other pairs in the order of the board, each with the comparison of this pair minus the other.
    """
    rules = pair.result.rules
    board, place = site.under(rules).board(site.judge), _find_places(site, rules)[pair.run_id]
    reach = _reach(len(board))
    others = range(max(0, place - reach), min(len(board), place + reach + 1))
    return [(board[other], _find_comparison(site, rules, place, other)) for other in others if other != place]


@lru_cache(maxsize=8)  # one for each set of rules
def _find_places(site: Site, rules: Any) -> dict[str, int]:
    """Return the place of each run on the board of the site's judge under some rules, 0-based."""
    return {row.submission.run_id: place for place, row in enumerate(site.under(rules).board(site.judge))}


def _reach(pairs: int) -> int:
    """Return how many places up and down a board of so many pairs a pair is compared."""
    return pairs if pairs <= MOST else REACH


def _find_comparison(site: Site, rules: Any, first: int, second: int) -> PairComparison:
    """Return the comparison of the pairs at two places of a board."""
    upper, lower = min(first, second), max(first, second)
    comparison = _compare_block(site, rules, upper // _BLOCK)[upper, lower]
    return comparison if first == upper else comparison.turned


@lru_cache(maxsize=8)
def _compare_block(site: Site, rules: Any, block: int) -> dict[tuple[int, int], PairComparison]:
    """Compare the pairs at the places of a block with those below them, by both places."""
    results = site.under(rules)
    board = results.board(site.judge)
    reach = _reach(len(board))
    places = [
        (upper, lower)
        for upper in range(block * _BLOCK, min((block + 1) * _BLOCK, len(board)))
        for lower in range(upper + 1, min(upper + reach + 1, len(board)))
    ]
    couples = [(board[upper].submission.run_id, board[lower].submission.run_id) for upper, lower in places]
    return dict(zip(places, results.compare_couples(couples, site.judge), strict=True))
