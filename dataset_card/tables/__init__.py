"""Records as rows of Parquet, and back."""
