"""Trains the built-in language model: examples, vocabulary, network, export and measurement."""
