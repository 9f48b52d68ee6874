"""Benchmark versions on the site: frozen boards, and the pages that show them."""
