"""Who owns the car, and what destroying the memories of all drivers asks for.

Owns ``owner.json`` in the data folder: the owner's name and a hash of the recovery code. The code is made when the owner is
appointed, told once, and proves to be the owner where the PIN is forgotten. It opens no memory: it only lets wipe the car, delete a
driver and appoint another owner.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from memory.vault.files import make_folder, retire, write_whole
from memory.vault.keys.pinned import COST
from schemas.errors import MemoryStoreError
from schemas.ports import Wiping

FILE = "owner.json"
GROUPS, DIGITS = 6, 4
"""Of a recovery code: 24 digits are 80 bits, so that nobody has to be kept from trying; they can be typed with one finger."""
CODE = re.compile(rf"(?:[0-9][ -]?){{{GROUPS * DIGITS}}}")

_HASHER = PasswordHasher(time_cost=COST.iterations, memory_cost=COST.memory_kib, parallelism=1)


class Owner:
    """The owner of the car of one data folder."""

    def __init__(self, folder: Path) -> None:
        """As the folder has it, which need not exist yet."""
        self._folder = folder

    @property
    def name(self) -> str | None:
        """The owner; None where nobody was appointed, or the file is damaged."""
        name = self._read().get("owner")
        return name if isinstance(name, str) else None

    @property
    def has_code(self) -> bool:
        """Whether there is a recovery code."""
        return "code" in self._read()

    def appoint(self, driver: str) -> str:
        """Make this driver the owner; returns the new recovery code, which is kept nowhere.

        Raises:
            schemas.errors.MemoryStoreError: it cannot be written down.
        """
        groups = [f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}" for _ in range(GROUPS)]
        told = json.dumps({"owner": driver, "code": _HASHER.hash("".join(groups))})
        try:
            make_folder(self._folder)
            write_whole(self._folder / FILE, told.encode("ascii"))
        except OSError as error:
            raise MemoryStoreError(
                f"{self._folder / FILE} cannot be written ({error.strerror}): nobody was appointed"
            ) from error
        return "-".join(groups)

    def is_code(self, said: str) -> bool:
        """Whether these are the recovery code's digits."""
        if not CODE.fullmatch(said.strip()):
            return False
        try:
            return _HASHER.verify(str(self._read().get("code", "")), re.sub(r"\D", "", said))
        except (VerificationError, InvalidHashError):
            return False

    def forget(self) -> None:
        """Nobody owns the car any more."""
        retire(self._folder / FILE)

    def _read(self) -> dict[str, Any]:
        try:
            held = json.loads((self._folder / FILE).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return held if isinstance(held, dict) else {}


def wiping(driver: str | None, owner: str | None, guarded: Collection[str], *, code: bool) -> Wiping:
    """What destroying all memories asks of whoever drives.

    A guest never may. Where somebody has a PIN only the owner may, by their own PIN, or by all PINs that there are where they have
    none; where nobody was appointed, any driver may who brings all of them.

    Args:
        driver: who drives; None: a guest.
        owner: who owns the car; None: nobody was appointed.
        guarded: the drivers who have a PIN.
        code: whether there is a recovery code.
    """
    if driver is None or (guarded and owner not in (None, driver)):
        return Wiping(allowed=False, code=code, owner=owner)
    pins = (owner,) if owner is not None and owner in guarded else tuple(sorted(guarded))
    return Wiping(allowed=True, pins=pins, code=code, owner=owner)
