"""What may be learned: categories on and off, private trips, pauses. Owns the wording; that it is obeyed is memory's matter."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from schemas.memory import FACTS, Consent, Selector
from schemas.preferences import BY_DETAIL, MAIN_TITLES, SUB_TITLES, find
from schemas.seat import Seat
from voice.dialogue.forgetting.asking import Asked, Question
from voice.dialogue.forgetting.counted import listed, there
from voice.dialogue.memory.likes import title
from voice.dialogue.memory.mind import Mind
from voice.dialogue.replies.moments import pause_end, spoken_span
from voice.dialogue.rights.drivers import WhoDrives

_GUEST = "You are a guest: I remember nothing."


class Switches:
    """The driver's consent, switched by voice."""

    def __init__(self, seat: Seat, clock: Callable[[], datetime], mind: Mind, drives: WhoDrives) -> None:
        """Nothing is switched by it yet.

        Args:
            seat: who drives.
            clock: aware current time.
            mind: takes the question what becomes of what is there.
            drives: whether that is a guest.
        """
        self._seat, self._clock, self._mind, self._drives = seat, clock, mind, drives

    def opt_out(self, key: str) -> str:
        """Switch a category off, and ask what to do with what is there already."""
        self._seat.memory.opt_out(key)
        done = opted_out(key)
        matches = self._seat.memory.matching(Selector(key=key))
        if matches.empty:
            return done
        again = (
            f"I still have {there(matches)} from before. Shall I delete {'that' if matches.things == 1 else 'those'}?"
        )
        self._mind.ask(Question(Asked.KEEP, Selector(key=key), again=again))
        return done

    def opt_in(self, key: str) -> str:
        """Allow a category again; where it was allowed all the time, say what is not."""
        before = self._seat.memory.consent()
        consent = self._seat.memory.opt_in(key)
        if key != FACTS:
            off = [c for c in find(key) if c.sensitive and c.detail not in consent.opted_in]
            if len(off) == len(find(key)):
                return f"{title(key).capitalize()} stays off."
        same = (consent.opted_out, consent.opted_in) == (before.opted_out, before.opted_in)
        return self._on_anyway(key, consent) if same else _opted_in(key)

    def _on_anyway(self, key: str, consent: Consent) -> str:
        """What is said where a category was on: what is off may be what the driver means."""
        if self._drives.guest:
            return _GUEST
        allowed = "I keep what you ask me to" if key == FACTS else f"I may remember things about {title(key)}"
        off = [title(one) for one in sorted(consent.opted_out) if one == FACTS or _is_category(one)]
        but = f"but nothing about {listed(off)}" if off else ""
        if consent.paused_until is not None and consent.paused_until > self._clock():
            but = "but learning is paused still: say that I may learn again"
        if consent.private_trip:
            but = "but this is a private trip still: say that it is over"
        return f"{allowed} as before{', ' if but else ''}{but}."

    def private(self, on: bool) -> str:
        """Begin or end a private trip; where there is none, end the pause."""
        if not on and not self._seat.memory.consent().private_trip:
            return self.resume()
        consent = self._seat.memory.set_private_trip(on)
        if on:
            return "Private trip: I remember nothing."
        if consent.private_trip:
            return _GUEST
        paused = consent.paused_until
        if paused is not None and paused > self._clock():
            return "The private trip is over, but learning is paused still."
        return "I may remember things again."

    def pause(self, span: int | str) -> str:
        """Learn nothing for a while, or until told."""
        self._seat.memory.pause(pause_end(span, self._clock(), self._seat.zone))
        return f"Okay, I learn nothing {spoken_span(span)}."

    def resume(self) -> str:
        """End the pause."""
        consent = self._seat.memory.pause(None)
        if consent.private_trip:
            return _GUEST if self._drives.guest else "This is a private trip still: say that it is over."
        return "Okay, I learn again."


def opted_out(key: str) -> str:
    """What is said when a category is off."""
    if key == FACTS:
        return "Okay, from now on I keep nothing for you."
    return f"Okay, from now on I remember nothing about {title(key)}."


def _opted_in(key: str) -> str:
    if key == FACTS:
        return "Okay, I keep for you again what you ask me to."
    return f"Okay, I may remember things about {title(key)} again."


def _is_category(key: str) -> bool:
    """Whether it is the key of a category, of whatever level."""
    return any(key in titles for titles in (MAIN_TITLES, SUB_TITLES, BY_DETAIL))
