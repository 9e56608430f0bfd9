"""Plans of charging: start and stop, limit, port, timer, and how long or how full."""

from __future__ import annotations

import math
from typing import Any

from schemas import actions as a
from schemas.events import VehicleState
from vehicle.organizer import time_of_day
from vehicle.planning.plan import Plan, direct, present

TAPER_FROM, TAPER = 80.0, 0.5
"""Above this percentage a battery takes only this share of the power. Our choice; a car's own curve is finer."""


def charge(action: a.Action, state: VehicleState) -> Plan:
    """What a charging action writes and answers.

    Raises:
        schemas.errors.AdapterError: the vehicle does not report what is needed.
    """
    match action:
        case a.SetCharging(on=True):
            if not present(state, "charging.plugged"):
                return Plan(refusal="The car is not plugged in; plug it in, then ask me again.")
            return Plan({"charging.active": True})
        case a.SetCharging():
            return Plan({"charging.active": False})
        case a.SetChargePort(open=wanted):
            if not wanted and state.values.get("charging.plugged") is True:
                return Plan(refusal="The car is plugged in; unplug it first, then ask me again.")
            return Plan({"charging.port_open": wanted})
        case a.SetChargeTimer(on=False):
            return Plan({"charging.timer": ""})
        case a.SetChargeTimer(hour=None):
            return Plan(refusal="I need a time of day; ask me to charge at, say, eleven.")
        case a.SetChargeTimer(hour=hour, minute=minute, half=half):
            at = f"{time_of_day(hour or 0, minute, half):%H:%M}"
            return Plan({"charging.timer": at}, {"at": at})
        case a.GetCharging(percent=percent, minutes=minutes):
            return Plan(answer=_told(percent, minutes, state))
        case _:
            return Plan(direct(action))


def _told(percent: int | None, minutes: int | None, state: VehicleState) -> dict[str, Any]:
    power, capacity = float(present(state, "charging.power")), float(present(state, "battery.capacity"))
    now, limit = float(present(state, "battery.charge")), float(state.values.get("charging.limit") or 100.0)
    told: dict[str, Any] = {
        "charging": present(state, "charging.active"),
        "plugged": present(state, "charging.plugged"),
        "percent": round(now),
        "limit": round(limit),
        "power_kw": round(power, 1),
    }
    if power <= 0.0:
        return told
    if minutes is not None:
        return told | {
            "after_minutes": minutes,
            "percent_then": math.floor(min(limit, percent_after(now, minutes, power, capacity))),
        }
    goal = limit if percent is None else float(percent)
    return told | {"to_percent": round(goal), "minutes": math.ceil(minutes_to(now, goal, power, capacity))}


def minutes_to(now: float, goal: float, power_kw: float, capacity_kwh: float) -> float:
    """Minutes from one percentage to another at this power (kW) for this capacity (kWh)."""
    full_speed = max(0.0, min(goal, TAPER_FROM) - now)
    slow = max(0.0, goal - max(now, TAPER_FROM))
    return 0.6 * capacity_kwh / power_kw * (full_speed + slow / TAPER)  # a percent is capacity / 100; hours to minutes


def percent_after(now: float, minutes: float, power_kw: float, capacity_kwh: float) -> float:
    """The percentage after so many minutes, at most 100."""
    to_taper = minutes_to(now, TAPER_FROM, power_kw, capacity_kwh)
    rate = power_kw / (0.6 * capacity_kwh)
    if minutes <= to_taper:
        return min(100.0, now + rate * minutes)
    return min(100.0, max(now, TAPER_FROM) + TAPER * rate * (minutes - to_taper))
