"""Utterances as acts, by a language model: how acts are written, the grammar of what may be written, and the parser."""
