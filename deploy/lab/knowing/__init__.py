"""Fourteen days of short drives with one driver: what is known at their end, what was suggested, and what stayed silent."""
