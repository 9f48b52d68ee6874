"""LipSim: which of two renderings is nearer to the target, by a network with a certificate against small changes.

Written from the published description; no line of another implementation is used. Only these modules need torch
(``pip install "ircore[lipsim]"``), and only when the judge ``lipsim`` is made.
"""
