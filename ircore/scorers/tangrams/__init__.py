"""Verification of tangrams piece by piece: which of the seven pieces lie where they should.

``docs/tangrams.md`` explains the method.
"""
