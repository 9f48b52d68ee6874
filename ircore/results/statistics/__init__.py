"""Statistics on plain numbers: nothing here knows of runs, judges or games."""
