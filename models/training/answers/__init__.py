"""The branch of the encoder that tells whether a memory answers a question: a cross-encoder, and the pairs that it learns from."""
