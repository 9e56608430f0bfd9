"""What remembering costs, and whether it survives kills."""
