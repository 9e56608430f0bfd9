"""The vehicle behind its gate in a process of its own.

What both sides say (`messages`), that process (`inside`), and how the rest of Glovebox reaches it (`outside`). Why: docs/adr/0042.
"""
