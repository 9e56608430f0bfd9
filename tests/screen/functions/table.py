"""Every function of the screen: where it begins, what is pressed, and how one sees that it was done.

A new address of ``memory.screen.routes`` needs a row here (``test_functions.py`` says so). What a driver does is an `Entry` of
method POST, what a driver looks at one of method GET; several rows share an address where it does several things.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schemas.events import Phase
from schemas.memory import ENDLESS
from tests.screen.functions.hands import Step, Type, act, link, rail
from tests.screen.functions.stage import PIN, WHICH, Stage

# ruff: noqa: E501 - a row of a table reads better on one line

Holds = Callable[[Stage], object]


@dataclass(frozen=True)
class Function:
    """One of them."""

    name: str
    address: str
    """Method and path, as in the table of the screen."""
    start: str
    """The page where it begins."""
    steps: tuple[Step, ...] = ()
    """What is pressed, one page after the other; none: going to the page is all. The last one asks for ``address``."""
    done: Holds | None = None
    """Whether it is done, and once; None: something is only looked at."""
    before: Callable[[Stage], object] | None = None
    driving: bool = False
    """Whether it is there while the car moves: from Home, by the same steps."""
    brings: bool = False
    """Whether the last step leads there by the answer to a form."""

    @property
    def touches(self) -> bool:
        """Whether anything is another afterwards than before."""
        return self.before is not None or any(isinstance(step, str) and step.startswith("form") for step in self.steps)


def _values(stage: Stage, detail: str) -> set[str]:
    return {one.value for one in stage.memory.preferences(detail)}


def _kept(stage: Stage, key: str) -> str:
    return next((one.value for one in stage.memory.profile() if one.key == key), "")


def _pause(stage: Stage) -> None:
    stage.memory.set_private_trip(True)


def _silent(stage: Stage) -> None:
    stage.parts.talk.stands(Phase.SPEAKING, None, stage.drivers.seat.era)


def _waits(stage: Stage) -> bool:
    note = stage.parts.talk.stand.note
    return note is not None and bool(note.token)


def _left(stage: Stage) -> int:
    return len(stage.memory.preferences())


ALL = 8
"""Preferences that are there at first."""
FORGET = (link("/memory/p1"), act("/memory/p1/forget"))
MOVE = (link("/memory/p1"), link("/memory/p1/move"), link("/memory/p1/move?in=music"))
MOVED = (*MOVE, act("/memory/p1/move", detail="favorite_artists_or_bands"))
OUT = ('a[href="/privacy/everything"]', act("/privacy/everything"))
PINNED = Type("pin", PIN)
GO, WIPE = ('a[href="/drivers/hand-over"]', act("/drivers/hand-over")), act("/drivers/hand-over/wipe")
LEAVE = ('a[href="/drivers/delete"]', act("/drivers/delete"))
EXPORT = act("/privacy/export")

TALKING: tuple[Function, ...] = (
    Function("home", "GET /", "/memory", (rail("/"),)),
    Function("talk", "POST /talk", "/", (act("/talk"),), lambda s: "press" in s.touch.did, driving=True),
    Function("yes", "POST /answer/{number}", "/", (act("/answer/7", answer="yes"),), lambda s: (7, "yes") in s.touch.did,
             lambda s: s.asked(), driving=True),
    Function("no", "POST /answer/{number}", "/", (act("/answer/7", answer="no"),), lambda s: (7, "no") in s.touch.did,
             lambda s: s.asked(), driving=True),
    Function("a choice", "POST /answer/{number}", "/", (act("/answer/8", answer="1"),),
             lambda s: (8, "unlock the doors") in s.touch.did, lambda s: s.asked(WHICH), driving=True),
    Function("none of the choices", "POST /answer/{number}", "/", (act("/answer/8", answer="no"),),
             lambda s: (8, "never mind") in s.touch.did, lambda s: s.asked(WHICH), driving=True),
    Function("undo what was done", "POST /again/{number}", "/", (act("/again/*", what="undo"),),
             lambda s: s.touch.did == ["undo that"], lambda s: s.said(undo=True), driving=True),
    Function("the best guess", "POST /again/{number}", "/", (act("/again/*", what="guess"),),
             lambda s: s.touch.did == ["open the sunroof"], lambda s: s.said(missed=True, guess="open the sunroof")),
    Function("be quiet", "POST /stop", "/", (act("/stop"),), lambda s: s.car.stopped, _silent, driving=True),
    Function("pause for the trip", "POST /pause", "/", (act("/pause", what="trip"),),
             lambda s: s.memory.consent().private_trip, driving=True),
    Function("learn again", "POST /pause", "/", (act("/pause", what="off"),),
             lambda s: not s.memory.consent().private_trip, _pause, driving=True),
    Function("pause for a day", "POST /pause", "/privacy", (act("/pause", what="day"),),
             lambda s: s.memory.consent().paused_until not in (None, ENDLESS)),
    Function("pause for good", "POST /pause", "/privacy", (act("/pause", what="always"),),
             lambda s: s.memory.consent().paused_until == ENDLESS),
    Function("warmer", "POST /car/{tile}", "/", (act("/car/climate", what="warmer"),),
             lambda s: s.signal("climate.driver.temperature") > 21, driving=True),
    Function("cooler", "POST /car/{tile}", "/", (act("/car/climate", what="cooler"),),
             lambda s: s.signal("climate.driver.temperature") < 21, driving=True),
    Function("climate on", "POST /car/{tile}", "/", (act("/car/climate", what="climate_on"),),
             lambda s: s.signal("climate.on") is True, lambda s: s.climate(on=False), driving=True),
    Function("pause the music", "POST /car/{tile}", "/", (act("/car/media", what="pause"),),
             lambda s: s.signal("media.playing") is False, driving=True),
    Function("play on", "POST /car/{tile}", "/", (act("/car/media", what="play"),),
             lambda s: s.signal("media.playing") is True, lambda s: s.music("pause"), driving=True),
    Function("directions are not spoken", "POST /car/{tile}", "/", (act("/car/route", what="guide_off"),),
             lambda s: s.signal("navigation.guidance") is False, driving=True),
    Function("directions are spoken", "POST /car/{tile}", "/", (act("/car/route", what="guide_on"),),
             lambda s: s.signal("navigation.guidance") is True, lambda s: s.guidance(on=False), driving=True),
    Function("cancel a timer", "POST /car/{tile}", "/", (act("/car/timers", what="cancel"),), lambda s: s.timers() == 0),
    Function("ask to close the windows", "POST /car/{tile}", "/", (act("/car/windows", what="close"),), _waits),
    Function("yes to the gate", "POST /confirm", "/", (act("/confirm", answer="yes"),),
             lambda s: not _waits(s) and s.signal("window.rear_left") < 40, lambda s: s.wants_a_yes(), driving=True),
    Function("no to the gate", "POST /confirm", "/", (act("/confirm", answer="no"),),
             lambda s: not _waits(s) and s.signal("window.rear_left") > 0, lambda s: s.wants_a_yes(), driving=True),
    Function("the map", "GET /map/{level}/{column}/{row}", "/"),
    Function("the car, for development", "GET /dev/car", "/dev/car"),
    Function("what happened", "GET /latest", "/", (link("/latest"),)),
    Function("not remembered after all", "POST /take-back/{number}", "/", (act("/take-back/*"),),
             lambda s: not s.has("p1") and _left(s) == ALL - 1, lambda s: s.remembered(), driving=True),
    Function("the questions", "GET /questions", "/", (link("/questions"),)),
    Function("yes, remember", "POST /questions/{id}", "/questions", (act("/questions/*", answer="yes"),),
             lambda s: "thai" in _values(s, "favourite_cuisine") and not s.memory.proposals()),
    Function("no, do not", "POST /questions/{id}", "/questions", (act("/questions/*", answer="no"),),
             lambda s: "thai" not in _values(s, "favourite_cuisine") and not s.memory.proposals()),
)  # fmt: skip

REMEMBERED: tuple[Function, ...] = (
    Function("what is remembered", "GET /memory", "/", (rail("/memory"),)),
    Function("under a main topic", "GET /memory", "/memory", ('main a[href^="/memory?in=entertainment"]',)),
    Function("on the next page", "GET /memory", "/memory", ('main a[rel="next"]',)),
    Function("where words are looked for", "GET /memory/search", "/memory", (link("/memory/search"),)),
    Function("look for a word", "POST /memory/search", "/memory/search", (Type("text", "soul"), act("/memory/search")),
             lambda _: True),
    Function("which time", "GET /memory/when", "/memory/search", (link("/memory/when"),)),
    Function("of today", "GET /memory", "/memory/when", (link("/memory?when=today"),)),
    Function("what is new", "GET /memory/learned", "/memory", (link("/memory/learned"),)),
    Function("take back what is new", "POST /memory/learned/{id}", "/memory/learned?in=today&page=1", (act("/memory/learned/p*"),),
             lambda s: _left(s) == ALL - 1),
    Function("the topics", "GET /memory/topics", "/memory", (link("/memory/topics"),)),
    Function("one topic alone", "GET /memory", "/memory/topics", (link("/memory?in=favorite_genres"),)),
    Function("how many that are", "GET /memory/delete", "/memory?in=favorite_genres", (link("/memory/delete"),)),
    Function("delete all that is looked at", "POST /memory/delete", "/memory?in=favorite_genres",
             (link("/memory/delete"), act("/memory/delete")), lambda s: _left(s) == 1),
    Function("one memory", "GET /memory/{id}", "/memory", (link("/memory/p1"),)),
    Function("where it belongs", "GET /memory/{id}/move", "/memory/p1", (link("/memory/p1/move"),)),
    Function("move it", "POST /memory/{id}/move", "/memory", MOVED, lambda s: _values(s, "favorite_artists_or_bands") == {"jazz"}),
    Function("undo the move", "POST /memory/{id}/move/back", "/memory", (*MOVED, act("/memory/*/move/back")),
             lambda s: "jazz" in _values(s, "favorite_genres") and not _values(s, "favorite_artists_or_bands")),
    Function("how to correct it", "GET /memory/{id}/correct", "/memory/p1", (link("/memory/p1/correct"),)),
    Function("correct it by letters", "POST /memory/{id}/correct", "/memory/p1/correct", (Type("value", "fado"), act("/memory/p1/correct")),
             lambda s: "fado" in _values(s, "favorite_genres") and not s.has("p1") and _left(s) == ALL),
    Function("correct it by a choice", "POST /memory/{id}/correct", "/memory/c1/correct", (act("/memory/c1/correct", value="low"),),
             lambda s: _values(s, "seat_heating_preferences") == {"low"}),
    Function("forget it", "POST /memory/{id}/forget", "/memory", FORGET, lambda s: not s.has("p1") and _left(s) == ALL - 1),
    Function("on its way out", "GET /leaving/{handle}", "/memory", FORGET, brings=True),
    Function("undo what was forgotten", "POST /leaving/{handle}/undo", "/memory", (*FORGET, act("/leaving/*/undo")),
             lambda s: s.has("p1") and _left(s) == ALL),
    Function("do not wait", "POST /leaving/{handle}/now", "/memory", (*FORGET, act("/leaving/*/now")), lambda s: not s.has("p1")),
    Function("the receipt", "GET /receipt/{handle}", "/memory", (*FORGET, act("/leaving/*/now")), brings=True),
    Function("what you asked to have kept", "GET /memory", "/memory", (link("/memory?in=kept"),)),
    Function("one of it", "GET /facts/{id}", "/memory?in=kept", (link("/facts/k1"),)),
    Function("how to correct one of it", "GET /facts/{id}/correct", "/facts/k1", (link("/facts/k1/correct"),)),
    Function("correct one of it", "POST /facts/{id}/correct", "/facts/k1/correct", (Type("value", "it is in the shed"), act("/facts/k1/correct")),
             lambda s: s.memory.fact("k1").text == "it is in the shed"),
    Function("forget one of it", "POST /memory/{id}/forget", "/facts/k1", (act("/memory/k1/forget"),),
             lambda s: s.memory.browse_facts(limit=9).total == 0),
    Function("another thing that is kept", "GET /other/{kind}/{id}", "/memory?in=more", ('main a[href^="/other/profile/"]',)),
    Function("keep nothing more when asked", "POST /categories/{key}/switch", "/memory?in=kept", (act("/categories/facts/switch"),),
             lambda s: "facts" in s.memory.consent().opted_out),
)  # fmt: skip

SWITCHED: tuple[Function, ...] = (
    Function("all topics", "GET /categories", "/", (rail("/categories"),)),
    Function("a group of topics", "GET /categories/{key}", "/categories", (link("/categories/music"),)),
    Function("switch a topic off", "POST /categories/{key}/switch", "/categories/climate_control",
             (act("/categories/fan_speed_preferences/switch"),), lambda s: "fan_speed_preferences" in s.memory.consent().opted_out),
    Function("keep or delete", "GET /categories/{key}/kept", "/categories/music", (act("/categories/favorite_genres/switch"),), brings=True),
    Function("delete what a topic has", "POST /categories/{key}/forget", "/categories/music",
             (act("/categories/favorite_genres/switch"), act("/categories/favorite_genres/forget")), lambda s: _left(s) == 1),
    Function("privacy", "GET /privacy", "/", (rail("/privacy"),)),
    Function("keep conversations", "POST /privacy/conversations", "/privacy", (act("/privacy/conversations"),),
             lambda s: s.memory.consent().conversations),
    Function("special kinds", "GET /privacy/special", "/categories", (link("/privacy/special"),)),
    Function("keep a special kind", "POST /privacy/special/{key}", "/privacy/special", (act("/privacy/special/health"),),
             lambda s: "health" in s.memory.consent().special),
    Function("how long things are kept", "GET /privacy/retention", "/privacy", (link("/privacy/retention"),)),
    Function("keep shorter", "POST /privacy/retention", "/privacy/retention", (act("/privacy/retention", what="conversation_days", days="30"),),
             lambda s: s.memory.terms().conversation_days == 30),
    Function("the PIN before an export", "GET /privacy/exporting", "/privacy", (link("/privacy/exporting"),), before=Stage.guarded),
    Function("export with a PIN", "POST /privacy/export", "/privacy/exporting", (PINNED, EXPORT), lambda s: s.drivers.exports == 1, Stage.guarded),
    Function("export", "POST /privacy/export", "/privacy", (EXPORT,), lambda s: s.drivers.exports),
    Function("where an export may go", "GET /privacy/exported", "/privacy", (EXPORT,), brings=True),
    Function("to a stick", "POST /privacy/handing", "/privacy", (EXPORT, act("/privacy/handing", stick="STICK")), lambda s: s.hands.gave == ["STICK"]),
    Function("to a telephone", "POST /privacy/handing", "/privacy", (EXPORT, act("/privacy/handing", network="wlan0")),
             lambda s: s.hands.gave == ["wlan0"]),
    Function("not to a telephone after all", "POST /privacy/handing/over", "/privacy",
             (EXPORT, act("/privacy/handing", network="wlan0"), act("/privacy/handing/over")), lambda s: s.hands.withdrawn),
    Function("every file", "GET /privacy/files", "/privacy", (link("/privacy/files"),)),
    Function("what to delete", "GET /privacy/delete", "/privacy", (link("/privacy/delete"),)),
    Function("delete an hour", "POST /privacy/delete", "/privacy/delete", (act("/privacy/delete", what="hour"),), lambda s: _left(s) == ALL - 3),
    Function("delete everything?", "GET /privacy/everything", "/privacy", OUT[:1]),
    Function("delete everything with a PIN", "POST /privacy/everything", "/privacy/everything", (PINNED, OUT[1]), lambda s: _left(s) == 0,
             Stage.guarded),
    Function("delete everything, asked twice", "POST /privacy/everything/really", "/privacy", (*OUT, act("/privacy/everything/really")),
             lambda s: _left(s) == 0),
)  # fmt: skip

DRIVERS: tuple[Function, ...] = (
    Function("the drivers", "GET /drivers", "/", (rail("/drivers"),)),
    Function("how it talks", "GET /drivers/manners", "/drivers", (link("/drivers/manners"),)),
    Function("short answers", "POST /drivers/manners", "/drivers/manners", (act("/drivers/manners", what="length", to="brief"),),
             lambda s: _kept(s, "reply_length") == "brief"),
    Function("where a name is typed", "GET /drivers/manners/name", "/drivers/manners", (link("/drivers/manners/name"),)),
    Function("a name", "POST /drivers/manners", "/drivers/manners/name", (Type("to", "Kim"), act("/drivers/manners")),
             lambda s: _kept(s, "name") == "Kim"),
    Function("what it may offer", "GET /drivers/offers", "/drivers/manners", (link("/drivers/offers"),)),
    Function("offer nothing", "POST /drivers/offers", "/drivers/offers", (act("/drivers/offers", key="suggestions"),),
             lambda s: "suggestions" in s.memory.consent().opted_out),
    Function("another driver?", "GET /drivers/to/{place}", "/drivers", (link("/drivers/to/1"),)),
    Function("another driver", "POST /drivers/to/{place}", "/drivers/to/1", (act("/drivers/to/1"),),
             lambda s: s.drivers.current.driver == "bert"),
    Function("a guest", "POST /drivers/to/{place}", "/drivers/to/guest", (act("/drivers/to/guest"),),
             lambda s: s.drivers.current.driver not in s.drivers.names),
    Function("where a PIN is set", "GET /drivers/pin", "/drivers", (link("/drivers/pin"),)),
    Function("set a PIN", "POST /drivers/pin", "/drivers/pin", (Type("fresh", PIN), act("/drivers/pin")), lambda s: s.parts.pins.has("ada")),
    Function("delete me?", "GET /drivers/delete", "/drivers", LEAVE[:1]),
    Function("delete me", "POST /drivers/delete", "/drivers/delete", (PINNED, LEAVE[1]), lambda s: s.drivers.deleted == ["ada"], Stage.guarded),
    Function("delete me, asked twice", "POST /drivers/delete/really", "/drivers", (*LEAVE, act("/drivers/delete/really")),
             lambda s: s.drivers.deleted == ["ada"]),
    Function("hand over?", "GET /drivers/hand-over", "/drivers", GO[:1]),
    Function("hand over", "POST /drivers/hand-over", "/drivers/hand-over", GO[1:], lambda s: not s.drivers.deleted),
    Function("hand over, asked twice", "POST /drivers/hand-over/wipe", "/drivers", (*GO, WIPE), lambda s: len(s.drivers.deleted) == 2),
    Function("about", "GET /about", "/", (rail("/about"),)),
    Function("by night", "POST /about", "/about", (act("/about", look="dark"),), lambda _: True),
    Function("the other language", "POST /about", "/about", (act("/about", language="de"),), lambda _: True),
)  # fmt: skip

FUNCTIONS = (*TALKING, *REMEMBERED, *SWITCHED, *DRIVERS)
"""All of them."""
