"""Runs become a dataset release: Parquet, card, check."""
