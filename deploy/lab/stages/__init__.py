"""``glovebox bench``: every stage of a turn and the whole turn, on fixed inputs, and two runs compared."""
