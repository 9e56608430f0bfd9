"""What a driver may decide: who drives, what may be learned, and what becomes of the data."""
