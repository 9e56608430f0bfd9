"""The wake word: misses against false accepts."""
