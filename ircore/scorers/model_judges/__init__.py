"""Asking judges that are models: what is wanted, the questions, the runner, the journal of answers, the estimate."""
