"""Writes what the actions' classes say: ``python -m deploy.lab.documents``.

Owns the tables of docs/actions.md and docs/what-to-say.md and the English locale file of the actions; a test compares them with
what is committed. A table stands between a line ``<!-- actions: DOMAIN -->`` and the next empty line; the prose around it is
written by hand. The German file is a translation and is not touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

from schemas.actions import ACTIONS, Action, Domain
from schemas.clock import WEEKDAYS
from vehicle.policy import POLICY

ROOT = Path(__file__).parents[2]
_TABLE = re.compile(r"(<!-- actions: (\w+) -->\n)(?:\|.*\n)+")
_COUNT = re.compile(r"\b\d+(?= actions and questions)")

WORDS: Mapping[str, str] = {
    "rear_left": "rear left", "rear_right": "rear right", "up": "more", "down": "less", "open": "open further",
    "close": "close further", "windshield": "windscreen", "face_and_feet": "face and feet",
    "windshield_and_feet": "windscreen and feet", "windshield_and_face": "windscreen and face", "auto": "by itself",
    "celsius": "degrees Celsius", "fahrenheit": "degrees Fahrenheit", "kilometers": "kilometres", "bluetooth": "Bluetooth",
    "usb": "USB", "play": "go on", "track": "this track", "avoid_highways": "no motorways", "avoid_tolls": "no tolls",
    "avoid_ferries": "no ferries", "fast_food": "fast food", "gas_station": "petrol station",
    "charging_station": "charging station", "cafe": "café", "occupancy": "who sits where", "odometer": "mileage",
    "color": "colour", "phone": "telephone", "email": "e-mail", "openings": "windows and doors",
    "arrival": "on arrival", "restart": "from the beginning",
    **{day: day.title() for day in WEEKDAYS},
}  # fmt: skip
"""Values of slots that are not shown on the screen as they are written in the program."""

_UNITS = """
[slot]
celsius = "{value} °C"
percent = "{value} %"
level = "level {value}"
by = "by {value}"
but = "but {value}"
minutes = "{value} min"
seconds = "{value} s"
number = "{value}"
"""
_SWITCHES = """
[value.on]
yes = "on"
no = "off"
[value.is_open]
yes = "open"
no = "closed"
[value.locked]
yes = "locked"
no = "unlocked"
[value.folded]
yes = "folded"
no = "unfolded"
"""


def _rules(kind: type[Action]) -> str:
    """The rules beside the base row, and the base row where it does not allow everything."""
    rows = POLICY[kind.name]
    base = "".join({"allow": "A", "confirm": "C", "deny": "D"}[verdict.value] for verdict in rows[-1].verdicts.values())
    return ", ".join([*(f"`{row.rule}`" for row in rows[:-1]), *([f"base {base}"] if base != "AAA" else [])])


def _slots(kind: type[Action]) -> str:
    return ", ".join(f"{name}{'' if field.is_required() else '?'}" for name, field in kind.model_fields.items())


def _technical(kind: type[Action]) -> str:
    return f"| `{kind.name}` | {_slots(kind)} | {POLICY[kind.name][-1].tier} | {_rules(kind)} | {kind.tells} |\n"


def _spoken(kind: type[Action]) -> str:
    return f"| `{kind.name}` | {'<br>'.join(kind.examples)} |\n"


def _page(text: str, head: str, row: Callable[[type[Action]], str]) -> str:
    """A page with its tables written anew.

    Raises:
        ValueError: a domain has no table on the page, or a table has no domain.
    """
    found = re.findall(_TABLE, text)
    told = {kind.domain.value for kind in ACTIONS if kind.domain is not Domain.MEMORY}
    if not told <= {domain for _, domain in found}:
        raise ValueError(f"no table for {sorted(told - {domain for _, domain in found})}")

    def table(mark: re.Match[str]) -> str:
        return mark[1] + head + "".join(row(kind) for kind in ACTIONS if kind.domain is Domain(mark[2]))

    vehicle = sum(kind.domain is not Domain.MEMORY for kind in ACTIONS)
    return _COUNT.sub(str(vehicle), _TABLE.sub(table, text))


def _values(annotation: Any) -> list[str]:
    """Words that a slot may hold, in the order of its type."""
    inside = get_args(annotation)
    return [annotation] if isinstance(annotation, str) else [value for one in inside for value in _values(one)]


def _locale() -> str:
    slots = [field.annotation for kind in ACTIONS for name, field in kind.model_fields.items() if name != "half"]
    values = dict.fromkeys(value for slot in slots for value in _values(slot))
    return "".join(
        [
            "# What the car did, in English: titles of actions and the words of their slots.\n",
            "# Written by python -m deploy.lab.documents from schemas/actions: change it there.\n\n[action]\n",
            *(f'{kind.name} = "{kind.title}"\n' for kind in ACTIONS),
            _UNITS,
            "\n[value]\n",
            *(f'{value} = "{WORDS.get(value, value)}"\n' for value in values),
            _SWITCHES,
        ]
    )


def written() -> dict[Path, str]:
    """Every file that is made here, with what belongs in it."""
    actions, say = ROOT / "docs/actions.md", ROOT / "docs/what-to-say.md"
    technical = "| action | slots | tier | rules beside the base | answer |\n|---|---|---|---|---|\n"
    return {
        actions: _page(actions.read_text("utf-8"), technical, _technical),
        say: _page(say.read_text("utf-8"), "| Action | For example |\n|---|---|\n", _spoken),
        ROOT / "memory/screen/locale/en.actions.toml": _locale(),
    }


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, "utf-8")
        print(path.relative_to(ROOT))
