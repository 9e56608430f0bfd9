"""The commands of the laboratory: glovebox eval and glovebox bench."""
