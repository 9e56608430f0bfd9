"""The machine: what it has, and whether a model can be loaded on it."""
