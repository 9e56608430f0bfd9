"""Weights as files, the engines that load them, and the one way in which words become values."""
