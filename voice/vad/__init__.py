"""Telling speech from the rest, and where an utterance begins and ends."""
