"""The examples that the language model learns from."""
