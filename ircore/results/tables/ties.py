"""The headline of a board: how many of its pairs it tells apart."""

from ircore.results.statistics.ranks import Standing

FEW = 9
"""Pairs up to which ranks speak for themselves, unless no two pairs are told apart."""

NEARLY_ALL = 0.8
"""Share of undecided couples from which nearly all pairs are said to tie."""


def tie_words(standing: Standing) -> str:
    """Return a sentence on how many couples of pairs a board tells apart; empty where ranks speak for themselves.

    >>> tie_words(Standing(ranges=(), detectable=3.0, critical=4.0, told=30, couples=4950))
    'Nearly all of these 100 pairs tie: 30 of 4,950 couples are told apart.'
    """
    ranks = [rank for rank in standing.ranges if rank is not None]
    couples, told = standing.couples, standing.told
    pairs = round((1 + (1 + 8 * couples) ** 0.5) / 2)
    if not couples:
        return ""
    if not told:
        return f"No two of these {pairs} pairs can be told apart." if pairs > 2 else ""
    if told <= (1 - NEARLY_ALL) * couples and pairs > FEW:
        return f"Nearly all of these {pairs} pairs tie: {told:,} of {couples:,} couples are told apart."
    if pairs <= FEW:
        return ""
    top, groups = sum(rank.top for rank in ranks), max(rank.group for rank in ranks)
    return (
        f"{told / couples:.0%} of the {couples:,} couples of pairs are told apart, in {groups} groups; "
        f"any of {top} pairs may be the best.".replace("%", " %", 1)
    )
