"""What "this", "this song" and "this kind of thing" point at in a liking: the music that plays, where it is known.

Pure; English. Where nothing plays the words stay, and memory keeps no fact of what names nothing (`memory.learn.facts`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_POINTS = re.compile(
    r"\b(?:this|that|these|those)(?: (?:kind|kinds|sort|sorts|type)(?: of)?)?"
    r"(?: (?P<noun>song|songs|track|tune|one|number|stuff|things?|music|guy|fella|lad|lady|woman|band|artist|singer|group))?"
    r"(?=$|[,.!?]|\s+(?:when|whenever|while|in|on|at|for|and|so|as|too|a lot)\b)",
    re.IGNORECASE,
)
_LIKES = re.compile(
    r"\b(?:like|love|enjoy|adore|prefer|hate|dislike|can't stand|cannot stand|fond of|fan of|into|mad about)\s*$",
    re.IGNORECASE,
)
_SONG = frozenset("song songs track tune one number".split())
_WHO = frozenset("guy fella lad lady woman band artist singer group".split())


def named(text: str, values: Mapping[str, object]) -> str:
    """A liking with what plays in the place of the words that point at it; as it was said where nothing is known to play.

    A song stays "this song": of a sentence with a title in it memory cannot tell the title.

    Args:
        text: the driver's words.
        values: signals of the car.
    """
    found = _found(text)
    if found is None or not _plays(values):
        return text
    noun = (found["noun"] or "").lower()
    meant = "" if noun in _SONG else str(values.get("media.artist" if noun in _WHO else "media.genre") or "")
    return f"{text[: found.start()]}{meant}{text[found.end() :]}" if meant else text


def bare(text: str) -> bool:
    """Whether a liking points at something without a word for what kind of thing it is: "I like it like this"."""
    found = _found(text)
    return found is not None and found["noun"] is None


def unknown(text: str, values: Mapping[str, object]) -> str:
    """What is said to a liking that names nothing; empty where it names what is liked."""
    found = _found(text)
    if found is None:
        return ""
    title, artist = (str(values.get(f"media.{part}") or "") for part in ("title", "artist"))
    if (found["noun"] or "").lower() in _SONG and title and artist and _plays(values):
        return f"That is {title} by {artist}; I can't keep a single song. Name the artist or the kind, and I'll remember it."
    return f"I don't know what you mean by {found.group()}; name it, and I'll remember it."


def _plays(values: Mapping[str, object]) -> bool:
    return values.get("media.playing") is True and values.get("media.source") == "music"


def _found(text: str) -> re.Match[str] | None:
    return next((one for one in _POINTS.finditer(text) if _LIKES.search(text[: one.start()])), None)
