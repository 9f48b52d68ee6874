"""Command line: ``python -m ircore``."""

from ircore.commands.main import main

if __name__ == "__main__":
    main()
