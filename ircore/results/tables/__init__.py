"""Results as tables: the table model, all tables by name, and the output formats."""
