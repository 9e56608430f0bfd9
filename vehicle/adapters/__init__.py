"""Ways to reach a vehicle: one folder each, of the same shape, behind one small contract.

Owns the contract and the literal table of adapters. An adapter carries out what it is told and tells what it reads; it
judges nothing (``vehicle.gate``) and never queues: what cannot be written now is an error now, so that nothing old is
carried out later.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol

from schemas.errors import ConfigError
from schemas.events import VehicleState
from schemas.ports import Clock


class VehicleAdapter(Protocol):
    """A connection to one vehicle."""

    def offers(self) -> frozenset[str]:
        """Names of the signals (``vehicle.signals``) that this vehicle has."""
        ...

    async def read(self) -> VehicleState:
        """Present values of everything offered; ``age_s`` tells how old speed and gear are.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached, or the adapter is closed.
        """
        ...

    async def write(self, changes: Mapping[str, Any]) -> None:
        """Ask the vehicle for these target values, all together or, on an error, none. Returns when it has accepted.

        Raises:
            schemas.errors.AdapterError: unknown or unoffered signal, a signal that is only read, a value out of range, or
                the vehicle cannot be reached.
        """
        ...

    async def close(self) -> None:
        """Release the connection; closing twice is fine."""
        ...


ADAPTERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"simulated": ("vehicle.adapters.simulated", "SimulatedVehicle")}
)
"""Name in the configuration -> module and class; imported when chosen."""


def open_adapter(name: str, *, clock: Clock, profile: str) -> VehicleAdapter:
    """A connection by the adapter of that name.

    Args:
        name: a key of ``ADAPTERS``.
        clock: the adapter's time.
        profile: which vehicle or set-up of that adapter; for ``simulated`` the name of a drive.

    Raises:
        schemas.errors.ConfigError: no adapter, or no profile of it, has that name.
    """
    if name not in ADAPTERS:
        near = difflib.get_close_matches(name, ADAPTERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(ADAPTERS))}"
        raise ConfigError(f"no vehicle adapter is called {name!r}; {hint}")
    module, attribute = ADAPTERS[name]
    opener: Callable[..., VehicleAdapter] = getattr(import_module(module), attribute)
    return opener(clock, profile=profile)
