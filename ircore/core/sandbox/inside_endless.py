"""Runs inside of the sandbox and never ends: waits, or writes without end if the word ``flood`` comes in."""

import sys
import time

if __name__ == "__main__":
    flooding = sys.stdin.read() == "flood"
    while True:
        if flooding:
            sys.stdout.write("x" * 65536)
        else:
            time.sleep(60)
