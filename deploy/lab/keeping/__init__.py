"""What memory keeps of a sentence: a suite of sentences, each said to a car of its own, and what must be remembered afterwards.

The suite's own first lines say what its fields mean (``tests/suites/memory.yaml``).
"""
