"""The judge test: graded edits of targets with a known order, rated by a judge."""
