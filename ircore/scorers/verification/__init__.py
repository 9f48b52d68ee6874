"""Verification by program: which facts of a target with a scene a rendering shows.

``docs/verification.md`` explains the method.
"""
