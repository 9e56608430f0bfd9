"""Learning: what the driver said becomes preferences, questions or nothing."""
