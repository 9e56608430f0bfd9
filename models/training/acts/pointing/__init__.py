"""Trains the small network that writes acts by pointing at words (``models.acts.pointing``): states, network, training, export."""
