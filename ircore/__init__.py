"""The core of the Image Reconstruction Game: instances, play, score.

Importing this package loads nothing heavy; each module imports what it needs.
"""

__version__ = "0.1.0"
