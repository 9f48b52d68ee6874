"""Metrics by neural networks: nothing is downloaded unasked, weights are loaded strictly and recorded with every value.

Only these modules need torch (``pip install "ircore[perceptual]"``), and only when a value is computed.
"""
