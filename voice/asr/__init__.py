"""Speech recognition: one engine a file, each behind ``schemas.ports.Recognizer``."""
