"""Finding the wake word in a stream."""
