"""The published tables as typed records, and in the form that a game declares (``Game.build_published_tables``).

Nobody played these here: every record says ``reported by the paper``, and none has what ``Results`` are made from.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from ircore.games.declarations import PublishedColumn, PublishedTable

SOURCE = "https://arxiv.org/abs/2606.01901"
"""The paper."""

Reported = Literal["reported by the paper"]
REPORTED: Reported = "reported by the paper"

PublishedJudge = Literal["gpt", "claude", "qwen3"]
JUDGES: tuple[PublishedJudge, ...] = ("gpt", "claude", "qwen3")
"""The language models that judged: GPT-5.2, Claude-4.5 Sonnet and Qwen3-VL-30B."""


@dataclass(frozen=True, order=True)
class PublishedPair:
    """A describer–generator pair of the paper.

    >>> list_published_pairs()[0] in compute_mean_scores()
    True

    Attributes:
        describer: As the paper prints it.
        generator: As the paper prints it.
    """

    describer: str
    generator: str


@dataclass(frozen=True)
class PublishedScore:
    """A row of Table 3: ten episodes of a pair under a condition.

    >>> len(read_published_scores())  # four pairs × seven categories × easy and hard
    56

    Attributes:
        pair: The pair.
        category: As in ``ircore.games.reconstruction.records.CATEGORIES``; the paper's Visual Genome is ``photos``.
        difficulty: easy or hard.
        gpt: Mean similarity of the final rendering by GPT-5.2, 0–10.
        claude: The same by Claude-4.5 Sonnet.
        qwen3: The same by Qwen3-VL-30B.
        final_preferred: Share of multi-turn episodes in which LipSim prefers the final to the first rendering, 0–1;
            None if not given.
        human: The same mean by three people, 0–10; None but for one pair.
        origin: Never a result of a run.
    """

    pair: PublishedPair
    category: str
    difficulty: str
    gpt: float
    claude: float
    qwen3: float
    final_preferred: float | None
    human: float | None
    origin: Reported = REPORTED

    def score(self, judge: PublishedJudge) -> float:
        """Return a judge's mean, 0–10."""
        return {"gpt": self.gpt, "claude": self.claude, "qwen3": self.qwen3}[judge]


@dataclass(frozen=True)
class PublishedAgreement:
    """A row of Table 1, 2 or 4: how far two judges agree.

    >>> {row.one for row in read_published_agreement("table2")}
    {'human'}

    Attributes:
        one: A judge, ``human``, or an annotator.
        other: Another.
        pearson: Pearson's r of their similarity ratings; None for LipSim, which rates none.
        spearman: Spearman's ρ of the same.
        agreement: Share of preferences (final or first rendering) on which they agree, 0–1.
        kappa: Cohen's κ of the same.
        origin: Never a result of a run.
    """

    one: str
    other: str
    pearson: float | None
    spearman: float | None
    agreement: float
    kappa: float
    origin: Reported = REPORTED


@cache
def read_published_scores() -> tuple[PublishedScore, ...]:
    """Return the 56 rows of Table 3: four pairs × seven categories × easy and hard."""
    return tuple(
        PublishedScore(
            pair=PublishedPair(row["describer"], row["generator"]),
            category="photos" if row["category"] == "Visual Genome" else row["category"].lower().replace(" ", "_"),
            difficulty=row["difficulty"],
            gpt=float(row["gpt"]),
            claude=float(row["claude"]),
            qwen3=float(row["qwen3"]),
            final_preferred=_parse_share(row["lipsim_final_preferred_pct"]),
            human=_parse_number(row["human"]),
        )
        for row in _read_rows("table3")
    )


@cache
def read_published_agreement(table: Literal["table1", "table2", "table4"]) -> tuple[PublishedAgreement, ...]:
    """Return a table of agreement.

    Args:
        table: ``table1`` judge × judge, ``table2`` human × judge, ``table4`` annotator × annotator.
    """
    return tuple(
        PublishedAgreement(
            one=row["judge_a"],
            other=row["judge_b"],
            pearson=_parse_number(row["pearson"]),
            spearman=_parse_number(row["spearman"]),
            agreement=float(row["agreement_pct"]) / 100,
            kappa=float(row["kappa"]),
        )
        for row in _read_rows(table)
    )


def list_published_pairs() -> tuple[PublishedPair, ...]:
    """Return the four pairs in the order of Table 3."""
    return tuple(dict.fromkeys(score.pair for score in read_published_scores()))


def compute_mean_scores() -> dict[PublishedPair, dict[PublishedJudge, float]]:
    """Return each pair's mean over the 14 conditions, unweighted, recomputed from Table 3."""
    means: dict[PublishedPair, dict[PublishedJudge, float]] = {}
    for pair in list_published_pairs():
        rows = [score for score in read_published_scores() if score.pair == pair]
        means[pair] = {judge: sum(row.score(judge) for row in rows) / len(rows) for judge in JUDGES}
    return means


def compute_mean_preferences() -> dict[PublishedPair, float]:
    """Return for each pair the share of final renderings that LipSim prefers, 0–1, recomputed from Table 3.

    The unweighted mean over the conditions that have one: how many episodes stand behind each is not published.
    """
    means = {}
    for pair in list_published_pairs():
        preferences = [score.final_preferred for score in read_published_scores() if score.pair == pair]
        known = [share for share in preferences if share is not None]
        means[pair] = sum(known) / len(known)
    return means


def _read_rows(table: str) -> Iterator[dict[str, str]]:
    text = (files(__package__) / "published" / f"{table}.csv").read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())


def _parse_number(text: str) -> float | None:
    return float(text) if text else None


def _parse_share(percent: str) -> float | None:
    return float(percent) / 100 if percent else None


def build_published_tables() -> tuple[PublishedTable, ...]:
    """Return Table 3 and its means, and Tables 1 (judges), 2 (people and judges) and 4 (annotators)."""
    return (
        _build_scores_table(),
        _build_means_table(),
        _build_agreement_table("table1"),
        _build_agreement_table("table2"),
        _build_agreement_table("table4"),
    )


def _build_scores_table() -> PublishedTable:
    columns = (
        PublishedColumn("describer", "describer", "As the paper prints it.", digits=None),
        PublishedColumn("generator", "generator", "As the paper prints it.", digits=None),
        PublishedColumn("category", "category", "Of the pictures; photos are the paper's Visual Genome.", digits=None),
        PublishedColumn("difficulty", "difficulty", "easy or hard.", digits=None),
        *(PublishedColumn(judge, judge, f"Mean final score by {judge}.", "0–10", "higher", 1) for judge in JUDGES),
        PublishedColumn("final_preferred", "final preferred", "By LipSim, share of multi-turn episodes.", "0–1",
                        "higher", 3, nullable=True),
        PublishedColumn("human", "human", "Mean final score by three people.", "0–10", "higher", nullable=True),
    )  # fmt: skip
    rows = tuple(
        (
            score.pair.describer, score.pair.generator, score.category, score.difficulty,
            *(score.score(judge) for judge in JUDGES), score.final_preferred, score.human,
        )
        for score in read_published_scores()
    )  # fmt: skip
    return PublishedTable(
        "published", "Published scores", f"Table 3 of {SOURCE}.", columns, rows, ("final_preferred", "human")
    )


def _build_means_table() -> PublishedTable:
    """Return the means of Table 3 over its 14 conditions, a row a pair, best first by its first judge."""
    columns = (
        PublishedColumn("pair", "pair", "As the paper prints it.", digits=None),
        *(PublishedColumn(judge, judge, f"Mean final score by {judge}.", "0–10", "higher") for judge in JUDGES),
        PublishedColumn("final_preferred", "final preferred", "By LipSim.", "0–1", "higher"),
    )
    means, preferred = compute_mean_scores(), compute_mean_preferences()
    rows: tuple[tuple[float | str, ...], ...] = tuple(
        (f"{pair.describer} + {pair.generator}", *(means[pair][judge] for judge in JUDGES), preferred[pair])
        for pair in sorted(means, key=lambda pair: -means[pair][JUDGES[0]])
    )
    words = f"Unweighted means over the conditions of Table 3 of {SOURCE}, computed from the published values."
    return PublishedTable("published_means", "Published means", words, columns, rows)


def _build_agreement_table(number: Literal["table1", "table2", "table4"]) -> PublishedTable:
    columns = (
        PublishedColumn("one", "one", "A judge.", digits=None),
        PublishedColumn("other", "other", "Another.", digits=None),
        PublishedColumn("pearson", "Pearson r", "Of similarity ratings.", "", "higher", nullable=True),
        PublishedColumn("spearman", "Spearman ρ", "Of the same.", "", "higher", nullable=True),
        PublishedColumn("agreement", "agreement", "Share of equal preferences.", "0–1", "higher", 3),
        PublishedColumn("kappa", "Cohen's κ", "Of the same.", "", "higher"),
    )
    rows = tuple(
        (row.one, row.other, row.pearson, row.spearman, row.agreement, row.kappa)
        for row in read_published_agreement(number)
    )
    words = f"{number.replace('table', 'Table ')} of {SOURCE}."
    return PublishedTable(f"published_{number}", "Published agreement", words, columns, rows)
