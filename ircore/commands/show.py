"""``ircore show``: what was played."""

import json
from pathlib import Path
from typing import Any

import click


@click.command("show")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(run: Path, as_json: bool) -> None:
    """Say what was played in the run folder RUN: outcomes, turns, requests, tokens, seconds, cost."""
    from ircore.runs import RunFolder
    from ircore.summary import summarise

    summary = summarise(RunFolder.open(run))
    click.echo(json.dumps(summary, indent=2) if as_json else _page(summary))


def _page(summary: dict[str, Any]) -> str:
    run, tokens = summary["run"], summary["tokens"]
    seats = " + ".join(
        run["submission"][seat]["model"] or run["submission"][seat]["player"] for seat in ("describer", "generator")
    )
    reasons = ", ".join(f"{count} {reason}" for reason, count in summary["abort_reasons"].items())
    failed = ", ".join(f"{count} {kind}" for kind, count in summary["failed_requests"].items())
    rows = [
        ("pair", f"{run['submission']['name']}  ({seats})"),
        ("run", f"{run['run_id']}, begun {run['started']}"),
        ("rules", f"{run['rules']['token_budget']} tokens a message, {run['rules']['max_turns']} turns"),
        ("episodes", f"{summary['episodes']} of {summary['planned']}"),
        ("outcomes", ", ".join(f"{count} {name}" for name, count in summary["outcomes"].items())),
        *([("aborted", reasons)] if reasons else []),
        ("turns", str(summary["turns"])),
        ("requests", ", ".join(f"{count} {role}" for role, count in summary["requests"].items())),
        *([("failed", failed)] if failed else []),
        (
            "tokens",
            f"{tokens['messages']:,} in messages, {tokens['completion_tokens']:,} completion (provider's count)",
        ),
        ("waited", f"{summary['seconds']:.1f} s"),
        ("cost", "–  (no provider reported it)" if summary["cost_usd"] is None else f"{summary['cost_usd']:.4f} US$"),
    ]
    return "\n".join(f"{name:<9} {value}" for name, value in rows)
