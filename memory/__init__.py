"""What is remembered about a driver, how it is kept, and how it is forgotten."""
