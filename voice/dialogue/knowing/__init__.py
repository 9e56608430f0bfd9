"""Knowing the driver: how they want to be spoken to, the first minute, what was learnt of late, and suggestions."""
