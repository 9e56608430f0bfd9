"""The scripts that made the weights in ``models/builtin`` from data that they generate."""
