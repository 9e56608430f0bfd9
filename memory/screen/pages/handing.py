"""An export handed out: to a USB stick, or by an address to scan. Only while parked, and only what was just written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.wording import Wording

GOOD_FOR = timedelta(minutes=5)
"""How long after the PIN the export may be handed out. Our choice."""
KINDS = (("wl", "wifi"), ("usb", "usb"), ("en", "cable"), ("eth", "cable"), ("bnep", "bluetooth"))
"""How Linux names its interfaces: systemd.net-naming-scheme(7), and the kernel's own names."""


def allow(visit: Visit, name: str) -> None:
    """This export was written just now, by whoever proved to be its driver."""
    visit.session.agreed = "\n".join(("export", name, visit.memory.driver, visit.parts.clock().isoformat()))


def exported(visit: Visit) -> Answer:
    """Where the file is, and where it may go."""
    hands = visit.parts.hands
    may = hands is not None and _written(visit) is not None
    sticks, networks = (hands.sticks(), hands.networks()) if hands is not None and may else ((), ())
    missing = "" if hands is None or sticks or networks else "nowhere" if may else "over"
    ways = [(one, _named(one, networks, visit.words)) for one in networks]
    return Page("exported.html", {"sticks": sticks, "networks": ways, "missing": missing, "copied": False})


def hand_out(visit: Visit) -> Answer:
    """Copy it to the stick, or offer it on the network, that was chosen."""
    hands, name = visit.parts.hands, _written(visit)
    if hands is None or name is None:
        return Go("/privacy/exporting" if visit.parts.pins.has(visit.memory.driver) else "/privacy")
    stick, network = visit.form.get("stick", ""), visit.form.get("network", "")
    if stick in hands.sticks():
        hands.copy(name, stick)
        return Page("exported.html", {"sticks": (), "networks": (), "missing": "", "copied": True})
    if network not in hands.networks():
        raise ProblemError("form", 400)
    offered = hands.offer(name, network)
    visit.session.agreed = ""
    named = _named(network, hands.networks(), visit.words)
    return Page("handing.html", {"offered": offered, "network": named}, refresh=(offered.seconds, "/privacy"))


def withdraw(visit: Visit) -> Answer:
    """Offer it no longer."""
    if visit.parts.hands is not None:
        visit.parts.hands.withdraw()
    return Go("/privacy")


def _named(network: str, all_of_them: Sequence[str], words: Wording) -> str:
    """An interface as a person calls it; with its own name behind it where there are two of a kind; that alone for other kinds."""
    kinds = [next((kind for start, kind in KINDS if one.startswith(start)), "") for one in all_of_them]
    kind = next((kind for start, kind in KINDS if network.startswith(start)), "")
    if not kind:
        return network
    return words(f"hand.kind.{kind}") if kinds.count(kind) == 1 else f"{words(f'hand.kind.{kind}')} {network}"


def _written(visit: Visit) -> str | None:
    """The export that may be handed out; None where there is none, or it is too long ago."""
    told = visit.session.agreed.split("\n")
    if told[0] != "export" or len(told) != 4 or told[2] != visit.memory.driver:
        return None
    return told[1] if visit.parts.clock() - datetime.fromisoformat(told[3]) <= GOOD_FOR else None
