"""Reference describers: they see more than describers may see, so they are never ranked.

``scene`` knows what was drawn and gives each generator's ceiling; ``shuffled`` and ``title-only`` give the floor.
"""
