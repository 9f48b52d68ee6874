"""Where the work of a command is done: on the workers of a Dask cluster instead of in this process.

``cluster`` is the only module that imports ``distributed``; ``worker`` runs on the workers; ``remote`` makes of the two
players and scores, which ``ircore.runs.play`` and ``ircore.scorers.computed`` take for their own.
"""
