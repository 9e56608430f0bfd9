"""Whether an expectation of a turn holds for what was seen of it. All keys of it must.

Owns what the keys mean; which expectations are tried, and what follows, is ``verdict``'s.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from deploy.lab.dialogue import wording
from deploy.lab.dialogue.seen import Kept, Notice, Seen, differ
from deploy.lab.dialogue.suite import Entry, Expectation, Timer, Turn

Want = TypeVar("Want")
Got = TypeVar("Got")

ABOUT_A_VALUE = 0.26
"""Half a step of a temperature, and a little: so near counts as the number that was asked for."""
ABOUT_A_MINUTE = 0.6
"""Minutes by which a timer may be off: a turn takes some seconds."""
_EFFECTS = ("state", "stored", "removed", "timer", "timer_gone", "mail", "consent")
"""Keys that want something to happen, or to be so."""


def found(pattern: str, text: str) -> bool:
    """Whether a pattern of the suite is in a text."""
    return re.search(pattern, text, re.IGNORECASE) is not None


def holds(want: Any, before: Any, after: Any) -> bool:
    """Whether a signal went from one value to another as is wanted."""
    numeric = isinstance(after, (int, float))
    if isinstance(want, bool) or after is None:
        return after == want
    if want == "any":
        return differ(before, after)
    if want == "up":
        return numeric and after > before
    if want == "down":
        return numeric and after < before
    if want == "more":
        return len(after) > len(before)
    if want == "fewer":
        return len(after) < len(before)
    if isinstance(want, str) and want.startswith("~"):
        return found(want[1:], ", ".join(after) if isinstance(after, list) else str(after))
    if isinstance(want, (int, float)):
        return numeric and abs(after - want) <= ABOUT_A_VALUE
    if isinstance(want, list) and len(want) == 2 and all(isinstance(end, (int, float)) for end in want):
        return numeric and want[0] <= after <= want[1]
    return not differ(want, after)


def remembered(want: Entry, got: Kept) -> bool:
    """Whether a preference is the one that is wanted."""
    named = not want.detail or any(
        key in ("*", got.detail) or (key.startswith("~") and found(key[1:], got.detail)) for key in want.detail
    )
    return named and want.polarity in (None, got.polarity) and found(want.value, got.value)


def timed(want: Timer, got: Notice) -> bool:
    """Whether a timer or reminder is the one that is wanted."""
    return (
        want.kind in (None, got.kind)
        and (want.minutes is None or _about(want.minutes, got.minutes))
        and (want.at is None or found(want.at, got.at))
        and found(want.label, got.label)
    )


def _about(want: float | tuple[float, float], minutes: float) -> bool:
    least, most = want if isinstance(want, tuple) else (want - ABOUT_A_MINUTE, want + ABOUT_A_MINUTE)
    return least <= minutes <= most


def happened(want: Expectation, seen: Seen) -> bool:
    """Whether all that is wanted is so, and nothing happened that may not."""
    made, beside = seen.made, seen.made.effects
    return (
        _signals(want, seen)
        and _paired(want.stored, made.stored, remembered, want.stored_may)
        and _paired(want.removed, made.removed, remembered, want.removed_may)
        and _paired(want.timer, beside.timers_set, timed)
        and _paired(want.timer_gone, beside.timers_gone, timed, want.timer_gone_may)
        and _posted(want, seen)
        and _allowed(want, seen)
    )


def _signals(want: Expectation, seen: Seen) -> bool:
    after = seen.made.after
    if not all(name in after and holds(one, seen.before.get(name), after[name]) for name, one in want.state.items()):
        return False
    return all(name in want.state or _may(want, name, change) for name, change in seen.changes.items())


def _may(want: Expectation, signal: str, change: tuple[Any, Any]) -> bool:
    if signal not in want.state_may:
        return False
    to = want.state_may[signal]
    return to in ("any", None) or holds(to, *change)


def _paired(
    wants: Sequence[Want], gots: Sequence[Got], fits: Callable[[Want, Got], bool], loose: Sequence[Want] = ()
) -> bool:
    """Whether everything wanted is there, each a thing of its own, and all that is left over may be."""
    left = list(gots)
    for want in wants:
        at = next((number for number, got in enumerate(left) if fits(want, got)), None)
        if at is None:
            return False
        del left[at]
    return _all_fit(loose, left, fits)


def _all_fit(wants: Sequence[Want], gots: Collection[Got], fits: Callable[[Want, Got], bool]) -> bool:
    return all(any(fits(want, got) for want in wants) for got in gots)


def _posted(want: Expectation, seen: Seen) -> bool:
    mails = seen.made.effects.mail
    if not want.mail:
        return not mails or want.names("mail")
    return any(all(found(pattern, getattr(mail, part)) for part, pattern in want.mail.items()) for mail in mails)


def _allowed(want: Expectation, seen: Seen) -> bool:
    consent = seen.made.effects.consent
    if not want.names("consent"):
        return not consent or want.names("consent_may")
    if want.consent == "any":
        return bool(consent)
    return all(holds(one, None, consent.get(name)) for name, one in want.consent.items())


def part_of(want: Expectation, seen: Seen) -> bool:
    """Whether something was done, and all of it is wanted, though not all that is wanted was done."""
    made, beside = seen.made, seen.made.effects
    for name, change in seen.changes.items():
        if not (holds(want.state[name], *change) if name in want.state else name in want.state_may):
            return False
    own = (
        _all_fit((*want.stored, *want.stored_may), made.stored, remembered)
        and _all_fit((*want.removed, *want.removed_may), made.removed, remembered)
        and _all_fit(want.timer, beside.timers_set, timed)
        and _all_fit(want.timer_gone, beside.timers_gone, timed)
        and (not beside.mail or want.names("mail"))
        and (not beside.consent or want.names("consent"))
    )
    done = made.stored or made.removed or beside.timers_set or beside.timers_gone
    return own and (bool(done) or not want.state.keys().isdisjoint(seen.changes))


def fits(want: Expectation, seen: Seen, turn: Turn, *, offered: bool, answered: bool = False) -> bool:
    """Whether an expectation holds.

    Args:
        want: the expectation.
        seen: the turn without the yes, or with it.
        turn: what was said.
        offered: whether the reply offers something that waits for a yes.
        answered: whether the yes was said. What follows a yes is judged by what it does, unless ``after_yes``.
    """
    effective = want.names(*_EFFECTS)
    if answered and not effective and not want.after_yes:
        return False
    return happened(want, seen) and _said(want, seen, turn, offered=offered, effective=effective)


def _said(want: Expectation, seen: Seen, turn: Turn, *, offered: bool, effective: bool) -> bool:
    """Whether the reply is as it must be."""
    reply = seen.reply
    mute = wording.not_understood(reply)
    if want.reply is not None:
        unheard = mute and not want.silent
        if not _in(want.reply, reply) or unheard or (offered and want.idle and not want.offer_ok):
            return False
    if want.reply_not is not None and _in(want.reply_not, reply):
        return False
    if want.idle and not seen.idle:
        return False
    if want.silent and not (mute and seen.idle):
        return False
    if want.declines and not (seen.idle and not offered and declines(turn, reply)):
        return False
    if want.asks and not (seen.idle and not offered and _asks(want.asks, turn, reply)):
        return False
    if effective:
        # What was so already needs no doing; but then the reply may not refuse or ask.
        return not seen.idle or not (mute or wording.refuses(reply) or reply.endswith("?"))
    if want.reply is None and not (want.silent or want.declines or want.asks):
        return not (wording.claims(reply) or mute or (offered and not want.offer_ok))
    return True


def _in(pattern: str, reply: str) -> bool:
    return re.search(pattern, reply, re.IGNORECASE | re.DOTALL) is not None


def declines(turn: Turn, reply: str) -> bool:
    """Whether a reply honestly refuses, and names no other topic than the wish's."""
    if wording.not_understood(reply) or not wording.refuses(reply) or wording.promises(reply):
        return False
    named = wording.about(reply)
    return "*" in turn.topics or not named or not named.isdisjoint(_topics(turn))


def relevant(turn: Turn, reply: str) -> bool:
    """Whether a refusal or a question says what it is about: it shares a topic or a word with the wish."""
    return (
        "*" in turn.topics
        or not wording.about(reply).isdisjoint(_topics(turn))
        or not wording.telling(reply).isdisjoint(wording.telling(turn.say))
    )


def _topics(turn: Turn) -> frozenset[str]:
    return turn.topics | wording.about(turn.say)


def _asks(want: str | bool, turn: Turn, reply: str) -> bool:
    if "?" not in reply or wording.not_understood(reply) or wording.asks_nothing(reply):
        return False
    if isinstance(want, str):
        return want == "any" or found(want, reply)
    return relevant(turn, reply)
