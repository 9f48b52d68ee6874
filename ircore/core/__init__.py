"""What every room stands on: records, errors, plug-ins, files, pictures, text. Knows no game, no run, no player."""
