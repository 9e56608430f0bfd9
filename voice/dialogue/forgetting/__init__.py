"""Wishes to have something forgotten: whether it is one, what it names, what is asked first, what is said of it."""
