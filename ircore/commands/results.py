"""``ircore results``: the leaderboard of some runs as a table."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ircore.terminal import printable

if TYPE_CHECKING:
    from ircore.results.model import BoardRow, Cell, Results
    from ircore.statistics.estimate import Estimate


@click.command("results")
@click.argument("runs", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--judge", metavar="NAME", help="Whose scores to rank by; needed only if several judges rated.")
@click.option("--category", metavar="NAME", help="Only this category.")
@click.option("--difficulty", metavar="NAME", help="Only easy or hard.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    runs: tuple[Path, ...], judge: str | None, category: str | None, difficulty: str | None, as_json: bool
) -> None:
    """Rank the pairs of RUNS, all played on one instance set and scored."""
    import json
    from os.path import realpath

    from ircore.results.model import Results
    from ircore.runs import RunFolder

    results = Results.from_runs([RunFolder.open(path) for path in dict.fromkeys(Path(realpath(one)) for one in runs)])
    judge = _judge(results, judge)
    rows = results.board(judge, category, difficulty)
    if as_json:
        document = {"instance_set": results.instance_set, "judge": judge, "rows": [_record(row) for row in rows]}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        click.echo(printable(_page(results, judge, rows)))


def _judge(results: "Results", asked: str | None) -> str:
    from ircore.errors import InputError

    if not results.judges:
        raise InputError("these runs have no ratings yet", "Rate them with: ircore score RUN...")
    if asked is None and len(results.judges) > 1:
        raise InputError("several judges rated these runs", f"Choose one: --judge {'|'.join(results.judges)}")
    return asked or results.judges[0]


def _page(results: "Results", judge: str, rows: "tuple[BoardRow, ...]") -> str:
    head = ("rank", "pair", "score 0–10", "ΔQ", "played", "main 0–100", "turns", "tokens")
    table = [head, *(_line(name, row) for name, row in zip(_names(rows), rows, strict=True))]
    widths = [max(len(line[column]) for line in table) for column in range(len(head))]
    left = {1}
    lines = [
        "  ".join(text.ljust(width) if column in left else text.rjust(width)
                  for column, (text, width) in enumerate(zip(line, widths, strict=True))).rstrip()
        for line in table
    ]  # fmt: skip
    episodes = rows[0].cell.episodes if rows else 0
    notes = (
        f"judge: {judge} · {episodes} episodes a pair · instance set {results.instance_set[:12]}",
        "score: mean of final renderings ± half the 95 % interval; rank: the range that the intervals allow;",
        "main: score × 10 × share of episodes played; turns and tokens per played episode",
    )
    return "\n".join([lines[0], "─" * max(map(len, lines)), *lines[1:], "", *notes])


def _line(name: str, row: "BoardRow") -> tuple[str, ...]:
    cell = row.cell
    main = "–" if cell.main_score is None else f"{cell.main_score:.1f}"
    return (
        _rank(row),
        name,
        _with_interval(cell.score),
        _with_interval(cell.delta, "+"),
        f"{cell.played}/{cell.episodes}",
        main,
        _mean(cell.turns, ".1f"),
        _mean(cell.tokens, ",.0f"),
    )


def _names(rows: "tuple[BoardRow, ...]") -> list[str]:
    """Name each pair by its players; with the slug where several submissions have the same."""
    from collections import Counter

    names = [_pair(row) for row in rows]
    count = Counter(names)
    return [
        name if count[name] == 1 else f"{name} ({row.submission.slug})" for name, row in zip(names, rows, strict=True)
    ]


def _pair(row: "BoardRow") -> str:
    rules = row.submission.run.rules
    unusual = [
        *([f"budget {rules.token_budget}"] if rules.token_budget != 200 else []),
        *([f"{rules.max_turns} turn{'s' if rules.max_turns > 1 else ''}"] if rules.max_turns != 10 else []),
        *([f"over budget: {rules.over_budget}"] if rules.over_budget != "allow" else []),
    ]
    return f"{row.submission.describer} + {row.submission.generator}" + (f" ({', '.join(unusual)})" if unusual else "")


def _rank(row: "BoardRow") -> str:
    if row.rank_low is None:
        return "–"
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"


def _mean(estimate: "Estimate", form: str) -> str:
    return "–" if estimate.mean is None else format(estimate.mean, form)


def _with_interval(estimate: "Estimate", sign: str = "") -> str:
    if estimate.mean is None:
        return "–"
    half = "" if estimate.half_width is None else f" ± {estimate.half_width:.2f}"
    return f"{estimate.mean:{sign}.2f}{half}"


def _record(row: "BoardRow") -> dict[str, Any]:
    return {
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "run_id": row.submission.run_id,
        "submission": row.submission.slug,
        "name": row.submission.name,
        "describer": row.submission.describer,
        "generator": row.submission.generator,
        **_numbers(row.cell),
    }


def _numbers(cell: "Cell") -> dict[str, Any]:
    from dataclasses import asdict

    fields = asdict(cell)
    del fields["run_id"]
    return {**fields, "played_share": cell.played_share, "main_score": cell.main_score}
