"""Talk about memory: telling it, asking it, and its own question."""
