"""What the driver's screen is shown of the voice and of the car: where both meet, since neither knows the other."""
