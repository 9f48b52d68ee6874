"""The headline of a board: how many of its pairs it tells apart."""

from ircore.results.statistics.ranks import Standing

FEW = 9
"""Pairs up to which ranks speak for themselves, unless no two pairs are told apart."""

NEARLY_ALL = 0.8
"""Share of undecided couples from which nearly all pairs are said to tie."""


def tie_words(standing: Standing, noun: str = "pairs") -> str:
    """Return a sentence on how many couples a board tells apart; empty where ranks speak for themselves.

    Args:
        standing: Of the board.
        noun: Who is ranked, in the plural.

    >>> tie_words(Standing(ranges=(), detectable=3.0, critical=4.0, told=30, couples=4950))
    'Nearly all of these 100 pairs tie: 30 of 4,950 couples are told apart.'
    """
    ranks = [rank for rank in standing.ranges if rank is not None]
    couples, apart = standing.couples, standing.told
    pairs = round((1 + (1 + 8 * couples) ** 0.5) / 2)
    if not couples:
        return ""
    if not apart:
        return f"No two of these {pairs} {noun} can be told apart." if pairs > 2 else ""
    if apart <= (1 - NEARLY_ALL) * couples and pairs > FEW:
        return f"Nearly all of these {pairs} {noun} tie: {apart:,} of {couples:,} couples are told apart."
    if pairs <= FEW:
        return ""
    top, groups = sum(rank.top for rank in ranks), max(rank.group for rank in ranks)
    share = f"{100 * apart / couples:.0f} %"
    inside = f"{groups} groups" if groups > 1 else "one group"
    chance = percents(max(rank.chance for rank in ranks))
    best = f"any of the {top} in the top group may be the best, one of them with a chance of {chance} %"
    best = best if top > 1 else "one is better than all others"
    return f"{share} of the {couples:,} couples of {noun} are told apart, in {inside}; {best}."


def percents(chance: float) -> str:
    """Return a chance, 0-1, in whole percent; ``< 1`` and ``> 99`` where it rounds to an end that it does not reach.

    >>> percents(0.374), percents(0.001), percents(0.999), percents(1.0), percents(0.0)
    ('37', '< 1', '> 99', '100', '< 1')
    """
    percent = 100 * chance
    return "< 1" if percent < 0.5 else "> 99" if 99.5 <= percent < 100 else f"{percent:.0f}"
