"""What is open between the driver and the assistant, and what an answer does: the dialogue as a table."""
