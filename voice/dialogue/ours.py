"""Whether the words that were heard are the assistant's own, come back through the microphone: those are never obeyed.

A canceller cannot catch every echo: an amplifier that holds the sound back for two seconds is beyond it (docs/adr/0021). With such
an echo the assistant heard its own "Opening your window" as "open your window", and obeyed it four times. So what is said while a
reply sounds or soon after counts as an echo if it is a run of that reply's words. Owns no state and no time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from models.text import spoken
from schemas.events import Reply, Route, Transcript
from voice.dialogue.open import which
from voice.dialogue.open.things import Asked

ECHO_S = 3.0
"""Seconds after a reply in which its echo may still begin: the latest that was tried came 2 s late, and an endpointer tells of a
voice within one."""
ALIKE = 0.8
"""Share of the heard words that stand in the reply, in its order and next to each other. Of 206 documented commands said
right after their own confirmation 22 are a run of it, nearly all word for word (docs/log.md)."""
LEAST = 2
"""Words from which on a run counts: one word is an answer, or says too little."""
LEAST_ANSWER = 3
"""The same after a question: "remember that" answers "shall I remember that you like jazz?"."""
REPLY = Reply(text="", route=Route.REJECT, reason="our own words")
"""To what is our own voice."""
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|e)$")
"""Recognisers hear "opening your window" as "open your window", which is the command."""


def overheard(transcript: Transcript, said: Sequence[str], open_: Asked | None) -> bool:
    """Whether what was heard is our own voice, and no answer.

    Args:
        transcript: what was heard.
        said: what may still echo.
        open_: what waits for an answer: naming one of several is an answer, though it stands in the question.
    """
    if which.names(open_, transcript.text) is not None:
        return False
    least = LEAST_ANSWER if open_ is not None else LEAST
    free = transcript.open.text if transcript.open is not None else ""  # what was made a command of
    return any(text and echoed(text, said, least) for text in (transcript.text, transcript.alternative, free))


def echoed(text: str, said: Sequence[str], least: int = LEAST) -> bool:
    """Whether the words are (nearly) a run of words of something that the assistant said.

    Args:
        text: what was heard.
        said: what may still echo.
        least: words under which it is never an echo.
    """
    heard = _stems(text)
    return len(heard) >= least and any(_share(heard, _stems(reply)) >= ALIKE for reply in said)


def _joined(words: list[str], others: list[str]) -> list[str]:
    """The words with two made one where the others have them as one: "sun roof"."""
    out: list[str] = []
    for word in words:
        if out and out[-1] + word in others:
            out[-1] += word
        else:
            out.append(word)
    return out


def _stems(text: str) -> list[str]:
    return [_ENDING.sub("", word) for word in spoken(text).split()]


def _share(heard: list[str], reply: list[str]) -> float:
    """The largest share of the heard words that a stretch of the reply holds, one word longer at most."""
    heard, reply = _joined(heard, reply), _joined(reply, heard)
    width = len(heard) + 1
    stretches = range(max(1, len(reply) - width + 1))
    return max(LCSseq.similarity(heard, reply[at : at + width]) for at in stretches) / len(heard)
