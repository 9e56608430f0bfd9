"""Wishes about memory with free words in them, which no template has: "remember that I like jazz", "I am Ada".

Pure rules over words. What becomes of a wish is ``voice.dialogue.memory.remembering``'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from models.text import normal
from voice.dialogue.memory import talks

_REMEMBER = re.compile(
    r"^(?:(?:please|can you|could you|would you|will you|i want you to|i would like you to|i'd like you to) )*"
    r"(?:remember|note|keep in mind|bear in mind|memori[sz]e|make a note|take a note|save|don't forget|do not forget|never forget)"
    r"(?: please)?(?: that| down that|:)? "
    r"(?P<told>(?:i|i'm|i'd|i've|i'll|my|we|our|mine)\b .+)$"
)
_WHO = re.compile(
    r"^(?:(?:hi|hello|hey|please|okay) )*"
    r"(?:i am|i'm|this is|it is|it's|it's me|my name is|here is|(?:switch|change)(?: the driver)? to|the driver is|"
    r"(?:use|open|load) (?:the )?(?:memory|profile) of|log in as|continue as|now driving is) "
    r"(?P<name>[\w'-]+)(?: (?:now|here|driving|speaking|again|please))*$"
)
_DRIVES = re.compile(r"^(?P<name>[\w'-]+) is (?:driving|at the wheel|the driver)(?: now)?$")


def told(text: str) -> str | None:
    """What the driver asks to be remembered, as a sentence; None if this is no such wish."""
    found = _REMEMBER.match(normal(text))
    return found.group("told").strip(" .!,") if found else None


def named(text: str, drivers: Iterable[str]) -> str | None:
    """The configured driver that somebody says to be; None where no such name was said."""
    plain = " ".join(re.sub(r"[,.!]", " ", normal(text)).split())
    found = _WHO.match(plain) or _DRIVES.match(plain)
    if found is None:
        return None
    names = {driver.replace("_", "-"): driver for driver in drivers}
    return names.get(found.group("name").removesuffix("'s"))


def wished(text: str, drivers: Sequence[str]) -> bool:
    """Whether it is a wish about memory in free words, whose reply is known only when it is granted."""
    return named(text, drivers) is not None or talks.asks(text) or told(text) is not None
