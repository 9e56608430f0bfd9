"""The screen's addresses: what each does, and whether it may be used while the car moves. The table is the driving lock.

Moving, idling and unknown are one: whatever is not `Motion.PARKED`. NHTSA's guidelines (78 FR 24817, 26 April 2013, section V)
count a car as driven unless its transmission is in park, and lock lists to be read and text to be typed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from memory.screen.answers import Answer, Visit
from memory.screen.assistant import page as assistant
from memory.screen.pages import (
    about,
    categories,
    dev,
    drivers,
    facts,
    handing,
    home,
    knowing,
    memories,
    privacy,
    topics,
)

Handler = Callable[[Visit], Answer]


class When(StrEnum):
    """When an address may be used."""

    ALWAYS = "always"
    PARKED = "parked"


@dataclass(frozen=True, slots=True)
class Entry:
    """One address."""

    method: str
    path: str
    handler: Handler
    when: When


_A, _P = When.ALWAYS, When.PARKED

ROUTES: tuple[Entry, ...] = (
    Entry("GET", "/", assistant.show, _A),
    Entry("POST", "/talk", assistant.press, _A),
    Entry("POST", "/answer/{number}", assistant.answer, _A),
    Entry("POST", "/again/{number}", assistant.again, _A),
    Entry("POST", "/car/{tile}", assistant.control, _A),
    Entry("POST", "/confirm", assistant.confirm, _A),
    Entry("GET", "/map/{level}/{column}/{row}", assistant.piece, _P),
    Entry("GET", "/latest", home.show, _P),
    Entry("POST", "/pause", home.pause, _A),
    Entry("POST", "/stop", home.stop, _A),
    Entry("POST", "/take-back/{number}", home.take_back, _A),
    Entry("GET", "/leaving/{handle}", home.leaving, _A),
    Entry("POST", "/leaving/{handle}/undo", home.undo, _A),
    Entry("POST", "/leaving/{handle}/now", home.now, _P),
    Entry("GET", "/receipt/{handle}", home.receipt, _P),
    Entry("GET", "/questions", home.questions, _P),
    Entry("POST", "/questions/{id}", home.answer, _P),
    Entry("GET", "/memory", memories.show, _P),
    Entry("GET", "/memory/search", memories.search, _P),
    Entry("POST", "/memory/search", memories.look_for, _P),
    Entry("GET", "/memory/when", memories.when, _P),
    Entry("GET", "/memory/learned", knowing.learned, _P),
    Entry("POST", "/memory/learned/{id}", knowing.take_back, _P),
    Entry("GET", "/memory/topics", topics.choose, _P),
    Entry("GET", "/memory/delete", topics.deleting, _P),
    Entry("POST", "/memory/delete", topics.delete, _P),
    Entry("GET", "/memory/{id}", memories.one, _P),
    Entry("GET", "/memory/{id}/move", topics.moving, _P),
    Entry("POST", "/memory/{id}/move", topics.move, _P),
    Entry("POST", "/memory/{id}/move/back", topics.move_back, _P),
    Entry("GET", "/memory/{id}/correct", memories.correcting, _P),
    Entry("POST", "/memory/{id}/correct", memories.correct, _P),
    Entry("POST", "/memory/{id}/forget", memories.forget, _P),
    Entry("GET", "/facts/{id}", facts.one, _P),
    Entry("GET", "/facts/{id}/correct", facts.correcting, _P),
    Entry("POST", "/facts/{id}/correct", facts.correct, _P),
    Entry("GET", "/other/{kind}/{id}", memories.other, _P),
    Entry("GET", "/categories", categories.show, _P),
    Entry("GET", "/categories/{key}", categories.group, _P),
    Entry("POST", "/categories/{key}/switch", categories.switch, _P),
    Entry("GET", "/categories/{key}/kept", categories.kept, _P),
    Entry("POST", "/categories/{key}/forget", categories.forget, _P),
    Entry("GET", "/privacy", privacy.show, _P),
    Entry("POST", "/privacy/conversations", privacy.conversations, _P),
    Entry("GET", "/privacy/special", privacy.special, _P),
    Entry("POST", "/privacy/special/{key}", privacy.switch_special, _P),
    Entry("GET", "/privacy/retention", privacy.retention, _P),
    Entry("POST", "/privacy/retention", privacy.keep, _P),
    Entry("GET", "/privacy/exporting", privacy.exporting, _P),
    Entry("POST", "/privacy/export", privacy.export, _P),
    Entry("GET", "/privacy/exported", handing.exported, _P),
    Entry("POST", "/privacy/handing", handing.hand_out, _P),
    Entry("POST", "/privacy/handing/over", handing.withdraw, _P),
    Entry("GET", "/privacy/files", privacy.files, _P),
    Entry("GET", "/privacy/delete", privacy.deleting, _P),
    Entry("POST", "/privacy/delete", privacy.delete, _P),
    Entry("GET", "/privacy/everything", privacy.everything, _P),
    Entry("POST", "/privacy/everything", privacy.delete_everything, _P),
    Entry("POST", "/privacy/everything/really", privacy.really_everything, _P),
    Entry("GET", "/drivers", drivers.show, _P),
    Entry("GET", "/drivers/manners", knowing.manners, _P),
    Entry("POST", "/drivers/manners", knowing.choose, _P),
    Entry("GET", "/drivers/manners/name", knowing.naming, _P),
    Entry("GET", "/drivers/offers", knowing.offers, _P),
    Entry("POST", "/drivers/offers", knowing.switch, _P),
    Entry("GET", "/drivers/to/{place}", drivers.switching, _P),
    Entry("POST", "/drivers/to/{place}", drivers.switch, _P),
    Entry("GET", "/drivers/pin", drivers.pin, _P),
    Entry("POST", "/drivers/pin", drivers.set_pin, _P),
    Entry("GET", "/drivers/delete", drivers.deleting, _P),
    Entry("POST", "/drivers/delete", drivers.delete, _P),
    Entry("POST", "/drivers/delete/really", drivers.really_delete, _P),
    Entry("GET", "/drivers/hand-over", drivers.handing_over, _P),
    Entry("POST", "/drivers/hand-over", drivers.hand_over, _P),
    Entry("POST", "/drivers/hand-over/wipe", drivers.wipe, _P),
    Entry("GET", "/about", about.show, _P),
    Entry("POST", "/about", about.choose, _P),
    Entry(
        "GET", "/dev/car", dev.show, _A
    ),  # there is no such page in a car: only a program started for development has it
)
