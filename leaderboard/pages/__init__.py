"""Boards, pairs, players and every other page that is not of the gallery."""
