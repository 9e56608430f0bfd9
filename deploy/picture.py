"""A picture of the vehicle's state: lines for a terminal, an SVG for a screen. Pure: a state in, text out.

Owns what is shown and how. Signals that a vehicle does not have, or does not tell, are left out or shown as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from schemas.events import VehicleState
from vehicle.gate import motion

WIDTH = 78
"""Characters of a line in the terminal."""

_BAR = 8
_COLORS: Mapping[str, str] = {
    "red": "#e5484d",
    "green": "#46a758",
    "blue": "#3e63dd",
    "yellow": "#f5d90a",
    "white": "#f4f4f0",
    "pink": "#e93d82",
    "orange": "#f76b15",
    "purple": "#8e4ec6",
    "cyan": "#00a2c7",
}


def lines(state: VehicleState) -> list[str]:
    """The state in a dozen lines of at most ``WIDTH`` characters."""
    see = _Seen(state)
    title = f"{_speed(state)}   gear {state.gear or '?'}   {motion(state).value}   ignition {_on(state.ignition_on)}"
    roof = f"roof {see.bar('sunroof.position')} shade {see.bar('sunroof.shade')} trunk {see.bar('trunk.position')}"
    front = (
        f"front {see.bar('window.driver')} {see.seat('driver')} | {see.seat('passenger')} {see.bar('window.passenger')}"
    )
    rear = (
        f"rear  {see.bar('window.rear_left')} {see.rear('left')} | {see.rear('right')} {see.bar('window.rear_right')}"
    )
    doors = ", ".join(side.replace("_", " ") for side in see.true("door.")) or "closed"
    climate = (
        f"{see.text('climate.cabin_temperature')} C in the cabin, wanted {see.text('climate.driver.temperature')} | "
        f"{see.text('climate.passenger.temperature')}, fan {see.text('climate.fan')}, {see.text('climate.airflow')}"
    )
    switched = [name for name, signal in _CLIMATE.items() if see.value(signal) is True]
    lit = see.true("light.")
    shown = [
        title,
        "",
        roof,
        front,
        rear,
        f"doors {doors}, {'locked' if see.value('doors.locked') else 'unlocked'}",
        f"climate {climate}{', ' + ', '.join(switched) if switched else ''}",
        f"lights {', '.join(lit) or 'none'}{_ambient(see)}",
        f"media {_media(see)}",
        f"route {_route(see)}",
        f"battery {see.text('battery.charge')} %, {see.text('battery.range')} km{_charging(see)}",
        f"outside {see.text('outside.temperature')} C, rain {see.text('outside.rain')} %",
    ]
    return [line[:WIDTH] for line in shown]


def svg(state: VehicleState) -> str:
    """The state as a self-contained SVG of 360 x 560: the car from above with what is open, lit and warm."""
    see = _Seen(state)
    lit = see.value("light.ambient.on") is True
    glow = _COLORS.get(str(see.value("light.ambient.color")), "#444") if lit else "#444"
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 560" role="img" font-family="sans-serif">',
        f"<title>{escape('; '.join(line for line in lines(state) if line))}</title>",
        *_beams(see),
        *(
            f'<rect x="{x}" y="{y}" width="16" height="62" rx="7" fill="#30363d"/>'
            for y in (122, 362)
            for x in (82, 262)
        ),
        *(f'<path d="M{x} 176 l{way} 8 v14 l{-way} 2 z" fill="#6b7683"/>' for x, way in ((92, -22), (268, 22))),
        f'<path d="{_BODY}" fill="#aab4c0" stroke="{glow}" stroke-width="5"/>',
        '<path d="M112 166 Q180 140 248 166 L236 196 H124 Z" fill="#46525f"/>',
        '<path d="M124 392 H236 L246 424 Q180 440 114 424 Z" fill="#46525f"/>',
        '<rect x="116" y="192" width="128" height="204" rx="18" fill="#eef1f4"/>',
        *(f'<path d="M{x} 84 q10 -10 26 -9 v9 z" fill="{_lamp(see)}"/>' for x in (112, 222)),
        *(f'<rect x="{x}" y="456" width="32" height="8" rx="4" fill="#c4453c"/>' for x in (108, 220)),
        _chair(124, 202, see.value("seat.driver.heating"), "driver"),
        _chair(186, 202, see.value("seat.passenger.heating"), "passenger"),
        '<rect x="126" y="330" width="108" height="48" rx="12" fill="#cfd5dc" stroke="#7b8694"/>',
        _share("sunroof", 138, 258, 84, 58, see.value("sunroof.position"), down=True),
        _share("trunk", 128, 440, 104, 14, see.value("trunk.position"), down=True),
        _share("left front window", 98, 200, 10, 84, see.value("window.driver"), down=True),
        _share("right front window", 252, 200, 10, 84, see.value("window.passenger"), down=True),
        _share("left rear window", 98, 300, 10, 84, see.value("window.rear_left"), down=True),
        _share("right rear window", 252, 300, 10, 84, see.value("window.rear_right"), down=True),
        _doors(see),
        _caption(180, 22, _speed(state), 24),
        _caption(180, 512, f"{see.text('climate.cabin_temperature')} °C, fan {see.text('climate.fan')}", 20),
        _caption(180, 542, f"{see.text('battery.charge')} %, {see.text('battery.range')} km", 20),
        "</svg>",
    ]
    return "\n".join(parts)


_CLIMATE = {
    "auto": "climate.auto",
    "a/c": "climate.air_conditioning",
    "recirculating": "climate.recirculation",
    "front defroster": "climate.defrost_front",
    "rear defroster": "climate.defrost_rear",
}


_BODY = "M124 76 Q180 62 236 76 Q270 92 270 150 V400 Q270 462 232 470 H128 Q90 462 90 400 V150 Q90 92 124 76 Z"
"""Outline of the car, its front on top."""


def _lamp(see: _Seen) -> str:
    lit = any(see.value(name) is True for name in ("light.low_beam", "light.high_beam"))
    return "#fff3b0" if lit else "#dfe4ea"


class _Seen:
    """A state with its gaps."""

    def __init__(self, state: VehicleState) -> None:
        self._values = state.values

    def value(self, name: str) -> Any:
        return self._values.get(name)

    def text(self, name: str) -> str:
        value = self._values.get(name)
        return "?" if value is None else f"{value:g}" if isinstance(value, int | float) else str(value)

    def bar(self, name: str) -> str:
        """``[####    ]``: the open share; ``[   ?    ]`` where it is not known."""
        value = self._values.get(name)
        if not isinstance(value, int | float):
            return f"[{'?':^{_BAR}}]"
        return f"[{'#' * round(_BAR * value / 100):<{_BAR}}]"

    def seat(self, side: str) -> str:
        return f"seat {self.text(f'seat.{side}.heating')} warm {self.text(f'seat.{side}.ventilation')} cool"

    def rear(self, side: str) -> str:
        return str(self._values.get(f"seat.rear_{side}.occupancy", "?")).ljust(16)

    def true(self, prefix: str) -> list[str]:
        found = [
            name.removeprefix(prefix)
            for name, value in self._values.items()
            if name.startswith(prefix) and value is True
        ]
        return [name for name in found if name != "ambient.on"]


def _speed(state: VehicleState) -> str:
    return "speed unknown" if state.speed_kmh is None else f"{state.speed_kmh:g} km/h"


def _on(value: bool | None) -> str:
    return "unknown" if value is None else "on" if value else "off"


def _ambient(see: _Seen) -> str:
    if see.value("light.ambient.on") is not True:
        return ""
    return f", ambient {see.text('light.ambient.color')} {see.text('light.ambient.brightness')} %"


def _media(see: _Seen) -> str:
    title = see.value("media.title")
    how = "muted" if see.value("media.muted") else f"volume {see.text('media.volume')}"
    if not title:
        return f"{see.text('media.source')}, {how}"
    state = "playing" if see.value("media.playing") else "paused"
    return f"{see.text('media.source')}: {title}, {state} at {see.text('media.position')} s, {how}"


def _route(see: _Seen) -> str:
    end = see.value("navigation.destination")
    if not end:
        return "none"
    stops: Sequence[str] = see.value("navigation.stops") or ()
    by = f" by {', '.join(stops)}" if stops else ""
    return f"to {end}{by}, {see.text('navigation.minutes')} min, {see.text('navigation.kilometers')} km"


def _charging(see: _Seen) -> str:
    if not see.value("charging.plugged"):
        return ""
    return f", charging at {see.text('charging.power')} kW" if see.value("charging.active") else ", plugged in"


def _beams(see: _Seen) -> list[str]:
    found: list[str] = []
    for name, reach in (("light.low_beam", 50), ("light.high_beam", 70), ("light.fog", 25)):
        if see.value(name) is True:
            shape = f'76 l-22 -{reach} h44 z" fill="#f5d90a" opacity="0.45"/>'
            found += [f'<path d="M{x} {shape}' for x in (125, 235)]
    return found


def _share(title: str, x: int, y: int, width: int, height: int, value: Any, *, down: bool) -> str:
    """A box that is filled by the open share; dashed where that is not known."""
    known = isinstance(value, int | float)
    filled = round(height * value / 100) if known else 0
    dash = "" if known else ' stroke-dasharray="4 4"'
    top = y if down else y + height - filled
    told = f"{title} {value:g} % open" if known else f"{title} unknown"
    return (
        f"<g><title>{escape(told)}</title>"
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="#b7c4cf" stroke="#444"{dash}/>'
        f'<rect x="{x}" y="{top}" width="{width}" height="{filled}" fill="#3e63dd"/></g>'
    )


def _chair(x: int, y: int, heating: Any, who: str) -> str:
    warm = ("#c9c9c4", "#f7b27a", "#f08a4b", "#e5484d")
    level = int(heating) if isinstance(heating, int | float) and 0 <= heating <= 3 else 0
    return (
        f"<g><title>{escape(f'{who} seat heating {level}')}</title>"
        f'<rect x="{x}" y="{y}" width="50" height="44" rx="10" fill="{warm[level]}" stroke="#444"/></g>'
    )


def _doors(see: _Seen) -> str:
    places = {
        "driver": (92, 196, -1),
        "passenger": (268, 196, 1),
        "rear_left": (92, 298, -1),
        "rear_right": (268, 298, 1),
    }
    opened = "".join(
        f'<path d="M{x} {y} l{44 * way} 62 l{-8 * way} 6 L{x} {y + 26} z" fill="#e5484d">'
        f"<title>{escape(side)} door open</title></path>"
        for side, (x, y, way) in places.items()
        if see.value(f"door.{side}") is True
    )
    return f"<g>{opened}</g>"


def _caption(x: int, y: int, text: str, size: int) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="middle" font-size="{size}" fill="currentColor">{escape(text)}</text>'
