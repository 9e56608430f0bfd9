"""Spoken orders of a closed domain."""
