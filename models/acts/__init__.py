"""Utterances as acts, by a small network that points at words, and replies to small talk, by a language model."""
