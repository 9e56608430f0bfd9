"""A sentence as the parser reads it: what it is told of the dialogue, the whole, and the parts between "and" and commas."""
