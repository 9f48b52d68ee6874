"""Where players answer: on the workers of a Dask cluster instead of in this process.

``cluster`` is the only module that imports ``distributed``; ``worker`` runs on the workers; ``remote`` makes of the two
players, which ``ircore.runs.play`` takes for its own. Scores on a cluster are ``ircore.scorers.remote``.
"""
