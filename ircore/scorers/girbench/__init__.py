"""Verifiers of GIR-Bench as plain functions: with its exact rules, and corrected where these go wrong.

Written from the published rules; no line of its code is used. Functions whose name ends in ``_published`` follow the
shipped code to the letter, so that published figures can be compared; the others are what should be used.
"""
