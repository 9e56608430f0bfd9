"""What lasts: facts through cuts of the power, and the assistant through a whole day."""
