"""The sub-commands: options and output; the work is done elsewhere."""
