"""Trains and measures the wake word."""
