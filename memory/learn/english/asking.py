"""The words by which a driver asks to have something kept, where they are the usual ones; any others the marks tell."""

from __future__ import annotations

import re

ASKING = re.compile(
    r"\b(?:remember|don't (?:you )?(?:dare )?forget|(?:don't|do not) let me forget|"
    r"bear (?:that |it |this )?in mind|keep (?:that |it |this )?in mind|"
    r"keep (?:a )?note|note (?:that|down|it)|make a note|save|store|memori[sz]e|"
    r"(?:keep|hold) (?:that|this|it|on to (?:that|this|it)) for me)\b"
)
_LEADS = re.compile(rf"(?:please )?{ASKING.pattern}(?: that|:)?\W*")


def plainly(text: str) -> str:
    """A sentence as one that asks plainly to have it kept, whether it was asked for at its beginning or not."""
    led = _LEADS.match(text.lower().replace("’", "'"))
    return f"remember that {text[led.end() :] if led is not None else text}"
