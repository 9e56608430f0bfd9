"""The words that are spoken for the wake word's training."""
