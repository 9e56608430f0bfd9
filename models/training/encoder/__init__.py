"""Trains the sentence encoder in ``models/builtin/encoder`` from all-MiniLM-L6-v2 and the phrase bank."""
