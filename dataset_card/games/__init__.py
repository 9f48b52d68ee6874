"""Games other than reconstruction: columns from their declarations, rows from their runs, records from their rows."""
