"""CarMem's protocol, and conversations in which nothing may be stored."""
