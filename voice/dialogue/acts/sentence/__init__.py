"""A sentence as the parser reads it: the whole, and the parts between "and" and commas."""
