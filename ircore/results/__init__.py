"""Results of runs: scored episodes, cells, boards; the one source of every number that pages and files show."""
