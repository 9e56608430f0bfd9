"""The driver's rights: see, correct, export, import, forget."""
