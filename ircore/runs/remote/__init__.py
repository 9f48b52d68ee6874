"""Players that answer on the workers of a Dask cluster instead of in this process.

``cluster`` is the only module that imports ``distributed``; ``worker`` runs on the workers; ``remote`` holds the
players that ``ircore.runs.play`` gets. Scores on a cluster are computed by ``ircore.scorers.scoring``.
"""
