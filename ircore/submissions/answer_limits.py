"""Limits of one answer in a submitter's transcripts, whether packed or handed in through a relay."""

MAX_NOTES = 50
MAX_NOTE_CHARACTERS = 2000
MAX_TEXT_CHARACTERS = 200_000
"""Longest text answer, in characters: what this project's own players keep of an answer."""

LARGEST = {
    "requests": 10**5,
    "received": 10**12,
    "prompt_tokens": 10**8,
    "completion_tokens": 10**8,
    "reasoning_tokens": 10**8,
    "cost_usd": 10**4,
    "seconds": 10**5,
}
"""Largest counts of one answer by its submitter's word: more would drown every mean and chart that holds them."""
