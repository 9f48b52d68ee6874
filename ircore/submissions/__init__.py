"""Submissions: checking what strangers hand in, re-scoring it, and what becomes of it afterwards."""
