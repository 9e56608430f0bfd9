"""The vehicle behind its gate: the only code that can move something."""
