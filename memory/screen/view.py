"""What a browser looks at: category, search, time. Kept here and not in addresses, which histories keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class View:
    """One browser's choice."""

    key: str = ""
    """Main, sub or detail category, ``more`` for what is no preference, ``kept`` for facts; empty for all."""
    text: str = ""
    span: str = ""
    """``today``, ``week``, ``month``, ``older``, or ``trip`` and its id after a space; empty for any time."""
    page: int = 0

    @property
    def narrowed(self) -> bool:
        """Whether it shows only what was searched for."""
        return bool(self.text or self.span)
