"""The base of every room: records, errors, plug-ins, files, pictures, text. Knows no game, no run, no player."""
