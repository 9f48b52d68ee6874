"""The calls that ``import ircore`` offers to notebooks and scripts, beside the command line.

Five lines build two targets, let a built-in pair play on them, score what it drew, and show the board:

    import ircore

    ircore.build_instances("targets", per_condition=1, categories=["simple_shapes"])
    ircore.play("classical+canvas", "targets", out="run")
    ircore.score("run")
    print(ircore.board("run")[["name", "main_score_mean", "rated"]])

Every call takes paths as texts or ``Path``. What a user can mend is an ``ircore.InputError``, failed work an
``ircore.WorkError``; both say what to do. Tables are pandas DataFrames, which ``pip install 'ircore[release]'`` brings.

The examples below go on from ``targets`` and ``run`` of these lines, and from the release that this command makes of
them:

    ircore release build --runs run --instances targets --out release
"""
