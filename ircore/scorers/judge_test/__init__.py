"""The judge test: graded edits of targets with a known order, and what a judge makes of them."""
