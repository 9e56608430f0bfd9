"""Ears, wake word, voice and sound devices on another computer of the vehicle, over the Wyoming protocol (extra ``wyoming``)."""
