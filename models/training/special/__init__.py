"""The head of the guard that tells special kinds of data: trained on the encoder's vectors of our own sentences."""
