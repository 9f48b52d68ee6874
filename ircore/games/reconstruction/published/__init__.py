"""The figures of arXiv 2606.01901 as it reports them: to be shown beside results of runs, never among them."""
