"""Reference games: a speaker describes one of several pictures, a listener picks that picture (ICCA, KiloGram)."""
