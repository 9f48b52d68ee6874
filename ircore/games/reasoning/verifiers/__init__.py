"""GIR-Bench's verifiers as plain functions: with the published rules, and with corrected rules.

Written from the published rules; no line of its code is used. Functions whose name ends in ``_published`` follow the
shipped code to the letter, so that published figures can be compared; the others are what should be used.
"""
