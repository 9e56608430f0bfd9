"""The page that is open by default: the turn as it goes on, what may be tapped in place of said, and the car at a glance.

While the car moves it is one line that is read in two seconds, the answers to what is asked, and three tiles with a value each.
What is tapped is answered by the dialogue, or judged by the gate; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.assistant import whereabouts
from memory.screen.assistant.talk import Act, Came, Stand
from memory.screen.assistant.tiles import Tile, tiles
from memory.screen.feed import What
from memory.screen.pages.home import status
from memory.screen.wording import Wording, short
from schemas.events import ActionResult, ActionStatus, Phase

GLANCE = 30
"""Characters of the line while driving: the limit of NHTSA's draft of 2012 (77 FR 11200). The guidelines themselves (78 FR 24817)
name no number, only that a glance takes at most 2 s."""
YES, NO, LEAVE, UNDO = "yes", "no", "never mind", "undo that"
"""What the buttons say in the driver's place."""


def show(visit: Visit) -> Answer:
    """The page."""
    return Page("assistant.html", values(visit))


def values(visit: Visit) -> dict[str, Any]:
    """What the live part shows."""
    stand, now = visit.parts.talk.stand, visit.parts.clock()
    latest = next((h for h in visit.parts.feed.latest() if h.what in (What.REMEMBERED, What.CHANGED)), None)
    known = status(visit)
    waits = stand.phase in (Phase.LISTENING, Phase.HEARING) and stand.asking is None
    learnt = "" if latest is None else visit.words.in_sense(latest.detail, latest.text, latest.sense)
    return {
        **known,
        "brief": "" if visit.parked else brief(known, visit.words),
        "learnt": learnt if visit.parked else short(learnt, GLANCE),
        "stand": stand,
        "touch": visit.parts.touch is not None,
        "quiet": visit.parts.stop is not None,
        "waits": waits,
        "line": visit.words(f"sound.short.{known['deaf']}") if known["deaf"] and waits else line(stand, visit.words),
        "latest": latest,
        "open_questions": len(visit.memory.proposals()) if visit.parked else 0,
        "names": visit.parts.drivers.names if visit.parts.drivers is not None else (),
        "tiles": seen(visit),
        "map": whereabouts.panel(visit.parts.atlas, visit.parts.glance.state()) if visit.parked else None,
        "now": now,
    }


def seen(visit: Visit) -> tuple[Tile, ...]:
    """The tiles, of the car as it was just now."""
    cabin, state = visit.parts.cabin, visit.parts.glance.state()
    if cabin is None or state is None:
        return ()
    now = visit.parts.clock()
    return tiles(state, cabin.waiting(), visit.words, now, parked=visit.parked, offers=cabin.offers())


def line(stand: Stand, words: Wording) -> str:
    """What is told while driving: at most ``GLANCE`` characters, and nothing of what was said."""
    if stand.asking is not None and stand.phase is not Phase.HEARING:
        wanted = stand.asking.wanted
        if len(wanted) == 1:
            told = f"{words.act(wanted[0].name, _ours(wanted[0].slots, words))}?"
            return told if len(told) <= GLANCE else short(f"{words.act(wanted[0].name, {})}?", GLANCE)
        return words("talk.which" if stand.asking.choices else "talk.asks")
    if stand.phase in (Phase.LISTENING, Phase.HEARING, Phase.THINKING):
        return words(f"talk.{stand.phase.value}")
    acts = [stand.note] if stand.note is not None else list(stand.exchange.acts) if stand.exchange is not None else []
    if acts:
        return _done(acts[-1], words)
    if stand.exchange is not None and stand.exchange.missed:
        return words("talk.missed")
    return words(f"talk.{stand.phase.value}") if stand.phase is not Phase.IDLE else ""


def brief(known: Mapping[str, Any], words: Wording) -> str:
    """What is not as it should be, in at most ``GLANCE`` characters, for a driver who looks up: one thing; else who drives."""
    if not known["vehicle"]:
        return words("vehicle.away")
    if known["sound"]:
        return words(f"sound.short.{known['sound'][0]}")
    if known["microphone"] != "on":
        return words(f"talk.ear.short.{known['microphone']}")
    if known["learning"] != "on":
        return words(f"talk.learns.short.{known['learning']}")
    return ""


def _done(act: Act, words: Wording) -> str:
    told = words.act(act.action, _ours(act.slots, words))
    if act.came is Came.DONE:
        return told if len(told) <= GLANCE else short(words.act(act.action, {}), GLANCE)
    return short(words("talk.not_done", what=words.act(act.action, {})), GLANCE)


def _ours(slots: Mapping[str, Any], words: Wording) -> dict[str, Any]:
    """Slots without those that hold the driver's own words: a passenger reads along."""
    return {name: value for name, value in slots.items() if not isinstance(value, str) or words.has(f"value.{value}")}


# Tapped in place of said ---------------------------------------------------------------------------------------------------


def press(visit: Visit) -> Answer:
    """Listen."""
    if visit.parts.touch is not None:
        visit.parts.touch.press()
    return Go("/")


def answer(visit: Visit) -> Answer:
    """Yes, no, one of the choices, or to be left; nothing where that question is no longer open."""
    given, asking = visit.form.get("answer", ""), visit.parts.talk.stand.asking
    if visit.parts.touch is None or asking is None or str(asking.number) != visit.path["number"]:
        return Go("/")
    told = {"yes": YES, "no": NO} if asking.yes_no else {"no": LEAVE}
    told |= {str(place): choice.answer for place, choice in enumerate(asking.choices)}
    if given not in told:
        raise ProblemError("form", 400)
    visit.parts.touch.answer(asking.number, told[given])
    return Go("/")


def again(visit: Visit) -> Answer:
    """Take back what was done, or do what was most likely meant; nothing where something else was said since."""
    what, exchange = visit.form.get("what", ""), visit.parts.talk.stand.exchange
    if visit.parts.touch is None or exchange is None or str(exchange.number) != visit.path["number"]:
        return Go("/")
    if what == "undo" and exchange.undo:
        visit.parts.talk.answered()
        visit.parts.touch.order(UNDO)
    elif what == "guess" and exchange.guess:
        visit.parts.talk.answered()
        visit.parts.touch.order(exchange.guess)
    return Go("/")


# The car -------------------------------------------------------------------------------------------------------------------


def control(visit: Visit) -> Answer:
    """A tile's button: the gate is asked, then the car. What is refused says why, what needs a yes asks for it.

    A button that is no longer there (the window is closed by now) does nothing.
    """
    cabin = visit.parts.cabin
    tile = next((one for one in seen(visit) if one.key == visit.path["tile"]), None)
    wanted = tile.control(visit.form.get("what", "")) if tile is not None else None
    if cabin is None or wanted is None:
        return Go("/")
    _come(visit, cabin.act(wanted.asks()), wanted.action, dict(wanted.slots))
    return Go("/")


def confirm(visit: Visit) -> Answer:
    """The answer to what the gate asked about a tile's button."""
    cabin, note = visit.parts.cabin, visit.parts.talk.stand.note
    if cabin is None or note is None or not note.token or note.token != visit.form.get("which", ""):
        return Go("/")
    if visit.form.get("answer") == "yes":
        _come(visit, cabin.agree(note.token), note.action, dict(note.slots))
    else:
        cabin.withdraw(note.token)
        visit.parts.talk.noted(Act(note.action, note.slots, Came.DONE))
    return Go("/")


def _come(visit: Visit, result: ActionResult | None, action: str, slots: dict[str, Any]) -> None:
    visit.parts.glance.again()
    if result is None:
        visit.parts.talk.noted(Act(action, slots, Came.FAULT))
        return
    came = {
        ActionStatus.DONE: Came.DONE,
        ActionStatus.DENIED: Came.REFUSED,
        ActionStatus.NEEDS_CONFIRMATION: Came.ASKED,
        ActionStatus.FAULT: Came.FAULT,
    }[result.status]
    told = Act(
        result.action.name, result.action.slots(), came, result.ruling.reason, result.token or "", result.ruling.rule
    )
    visit.parts.talk.noted(told)


def piece(visit: Visit) -> Answer:
    """A picture of the map, for a car that is parked."""
    numbers = [visit.path[name] for name in ("level", "column", "row")]
    if visit.parts.atlas is None or not all(one.isascii() and one.isdigit() and len(one) <= 7 for one in numbers):
        raise ProblemError("missing", 404)
    found = visit.parts.atlas.tile(*map(int, numbers))
    if found is None:
        raise ProblemError("missing", 404)
    return found
