"""Engines that load weights: role-neutral, one engine a file."""
