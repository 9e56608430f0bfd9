"""The encrypted file: opening, closing, keys, rotation, copies from before an upgrade."""
