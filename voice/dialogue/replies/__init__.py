"""What is said: replies, and numbers, units and times aloud."""
