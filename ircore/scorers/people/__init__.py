"""Ratings by people: the CSV files that hold them, and their import into the runs whose renderings were rated."""
