"""First script inside: sets limits that nothing later can raise, then runs the script that is meant.

Arguments: seconds of computing, bytes of memory, bytes of a file, the script.
"""

import resource
import runpy
import sys


def set_limit(kind: int, value: int) -> None:
    """Set a limit, hard and soft."""
    resource.setrlimit(kind, (value, value))


if __name__ == "__main__":
    seconds, memory, file_bytes = (int(argument) for argument in sys.argv[1:4])
    set_limit(resource.RLIMIT_CPU, seconds)
    set_limit(resource.RLIMIT_AS, memory)
    set_limit(resource.RLIMIT_FSIZE, file_bytes)
    set_limit(resource.RLIMIT_NOFILE, 64)
    set_limit(resource.RLIMIT_CORE, 0)
    set_limit(resource.RLIMIT_MEMLOCK, 0)
    script, sys.argv = sys.argv[4], sys.argv[4:]
    runpy.run_path(script, run_name="__main__")
