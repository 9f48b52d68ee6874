"""The figures of arXiv 2606.01901 as the paper reports them: shown beside results of runs, never among them."""
