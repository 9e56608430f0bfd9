"""The browser over the whole panel: a script of its own, which imports nothing of the program."""
