"""Procedural, seeded drawing of targets, a module per category."""
