"""Witnessed play: questions handed out by the benchmark, answers of models on their submitters' machines."""
