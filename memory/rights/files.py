"""Every file that the program keeps of its drivers in the data folder, by what it is.

The pages that tell of privacy show this table (docs/privacy.md, the screen), and a test compares it with what a day of use writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "vault": ("*.vault", "*.vault-wal"),
        "copies": ("*.v*.backup", "*.new", "*.rekeyed"),
        "keys": ("keys/*.wrapped", "keys/*.locked", "keys/*.key", "*.key"),
        "pin": ("*.pin", "owner.json"),
        "marks": ("*.lock", "*.deleting", "wiping", "screen.url", "screen.json"),
        "exports": ("exports/*.json",),
    }
)
"""What it is -> names below the data folder. Only exports hold words that are not encrypted. A file that is being written has the
ending ``.part`` or ``.new`` until it takes its place."""
