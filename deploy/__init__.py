"""The program and its life on a device: configuration, composition, command line, demo, set-up."""

__version__ = "0.1.0"
