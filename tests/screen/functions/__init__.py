"""Every function of the screen, once in a table, and each done in every way that the screen may be used."""
