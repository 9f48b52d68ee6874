"""Results as tables: one model of a table, the tables that there are, and the formats in which they are written."""
