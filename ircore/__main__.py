"""Command line: ``python -m ircore``."""

from ircore.cli import main

if __name__ == "__main__":
    main()
