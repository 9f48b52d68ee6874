"""Judges that are models: work lists, questions, runner, journal of answers, forecast."""
