"""The assistant's own view: the turn as it goes on, what may be tapped in place of said, and the car at a glance."""
