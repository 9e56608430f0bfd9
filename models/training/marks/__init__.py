"""Trains the small network that marks the words of what drivers tell of themselves (``models.marks``): lines, network, training."""
