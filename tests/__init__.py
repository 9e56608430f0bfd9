"""A package only so that this `tests` comes before the one that the wheel of kuksa-client puts among the installed packages."""
